"""What agents may do in an installation: `[agents]` in flowc.toml, checked whole, and the rules that follow from it.

An agent is a user with the role `agent`. It begins what it is allowed by name, steers what it began itself, and lets
nothing begin that a person has to; these rules bind it by whatever way it comes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ir.errors import BadSetting
from ir.workflow import Workflow
from runtime.errors import NotAutomatic
from runtime.forms import Execution
from store.errors import NotAllowed
from store.users import AGENT, ANY, OPERATOR, User

MOST_WAIT = 600
_KEYS = ("allow", "wait", "diverted", "approvers", "most_bytes", "calls_a_minute", "address")


@dataclass(frozen=True)
class Agency:
    """What an installation says of agents.

    Args:
        allow: by name of an agent the ids of workflows that it sees and begins; `*` for all that are published.
        wait: seconds that a call waits for its run.
        diverted: what becomes of a start that takes a person: a task that lets it begin, or a refusal.
        approvers: roles of which one lets it begin.
        most_bytes: that the arguments of a call may have, as JSON.
        calls_a_minute: that a program may make, by its user.
        address: of a task's page, with `{task}` in it; None where there is none, and a command is told.
    """

    allow: Mapping[str, frozenset[str]] = field(default_factory=dict)
    wait: float = 30.0
    diverted: Literal["approval", "refuse"] = "approval"
    approvers: tuple[str, ...] = (OPERATOR,)
    most_bytes: int = 65_536
    calls_a_minute: int = 120
    address: str | None = None

    def permits(self, user: User, workflow_id: str) -> bool:
        """Whether an agent sees and begins runs of a workflow; of people only what their token reaches is asked."""
        if user.grant is not None and not user.grant.reaches(workflow_id):
            return False
        return AGENT not in user.roles or not self.allow.get(user.name, frozenset()).isdisjoint((workflow_id, ANY))

    def held(self, user: User, workflow: Workflow) -> tuple[str, ...]:
        """The roles of which one has to let a run of the user begin; none where it begins by itself.

        Raises:
            NotAllowed: the user is an agent that may not begin it.
            NotAutomatic: it takes a person, and the settings refuse that to agents.
        """
        if AGENT not in user.roles:
            return ()
        if not self.permits(user, workflow.workflow_id):
            raise NotAllowed(
                f"{user.name} may not begin {workflow.workflow_id}; whoever keeps the installation may allow it "
                "([agents.allow] in flowc.toml)"
            )
        if workflow.execution_policy.allow_auto:
            return ()
        if self.diverted == "refuse":
            raise NotAutomatic(
                f"{workflow.workflow_id} may not begin without a person (allow_auto is false); ask a person to begin it"
            )
        return self.approvers

    def must_own(self, user: User, execution: Execution) -> None:
        """Stop where an agent did not begin a run.

        Raises:
            NotAllowed: so it is.
        """
        if AGENT in user.roles and user.name != execution.principal:
            raise NotAllowed(f"{user.name} is an agent and did not begin {execution.id}; whoever did may")


def read_agency(table: Any) -> Agency:
    """What the table `[agents]` says.

    Args:
        table: None where there is no such table.

    Raises:
        BadSetting: all that has no legal value.
    """
    given = {} if table is None else table
    if not isinstance(given, Mapping):
        raise BadSetting("agents in flowc.toml is no table; write [agents]")
    wrong = [*_faults(given)]
    if wrong:
        raise BadSetting("[agents] in flowc.toml:\n" + "\n".join(f"- {one}" for one in wrong))
    plain = ("wait", "diverted", "most_bytes", "calls_a_minute", "address")
    known = {name: given[name] for name in plain if name in given}
    allow = {name: frozenset(ids) for name, ids in given.get("allow", {}).items()}
    return Agency(allow=allow, approvers=tuple(given.get("approvers", (OPERATOR,))), **known)


def _faults(given: Mapping[str, Any]) -> Iterator[str]:
    for name in given:
        if name not in _KEYS:
            yield f"{name}: there is no such setting; there is {', '.join(_KEYS)}"
    allow = given.get("allow", {})
    if not isinstance(allow, Mapping):
        yield "allow is no table; write [agents.allow]"
    for name, ids in allow.items() if isinstance(allow, Mapping) else ():
        if not _texts(ids):
            yield f'allow.{name} is {ids!r}; write a list of ids of workflows, or ["*"]'
    if "approvers" in given and not (_texts(given["approvers"]) and given["approvers"]):
        yield f'approvers is {given["approvers"]!r}; write a list of roles, as ["operator"]'
    if given.get("diverted", "approval") not in ("approval", "refuse"):
        yield f"diverted is {given['diverted']!r}; there is approval, refuse"
    if not _number(given.get("wait", 0)) or not 0 <= given.get("wait", 0) <= MOST_WAIT:
        yield f"wait is {given['wait']!r}; write seconds, 0 to {MOST_WAIT}"
    for name, what in (("most_bytes", "bytes"), ("calls_a_minute", "calls")):
        most = given.get(name, 1)
        if not isinstance(most, int) or isinstance(most, bool) or most < 1:
            yield f"{name} is {most!r}; write a number of {what}"
    address = given.get("address", "{task}")
    if not isinstance(address, str) or "{task}" not in address:
        yield f"address is {address!r}; write an address with {{task}} in it"


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one for one in value)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
