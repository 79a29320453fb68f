"""Takes calls of an agent: held against size and schema, carried out, told, and written into the audit.

What is refused is an answer with a code, never an exception. The audit is told which tool was called, of which run, and
the code of a refusal; what was given is not repeated there, since the run's own events have it.
"""

import hashlib
import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import JsonValue

from agents.acts import Acts, Search, as_content
from agents.asking import Question, question_about
from agents.errors import BadArguments, BadResult, NotAnAgent, TooLarge, ToolReplaced, UnknownTool
from agents.forms import ExplainedRun, Refusal
from agents.offers import Offer
from agents.recording import tell_call
from agents.schemas import Schema, answer_schema, form_schema, inputs_schema, misfits
from agents.telling import plain
from agents.tools import FIXED
from ir.base import canonical_json
from ir.errors import CompilerError
from runtime.errors import BadInputs
from runtime.host import Host
from runtime.values import storable
from store.users import AGENT, APPROVER, AUTHOR, OPERATOR, OWNER, READ, START, Grant, User

LOG = logging.getLogger("flowc.agents")
ELSE = "do something else, or tell the user what stood in the way"
ADVICE: Mapping[str, str] = {
    "bad-arguments": "correct the arguments and call again",
    "bad-inputs": "correct the inputs; for what is not known call start_run with ask, and a person is asked",
    "bad-answer": "correct the values and call give_value again",
    "too-large": "give less",
    "unknown-tool": "call tools/list, or find_workflow",
    "tool-replaced": "call the tool that is named, with the inputs that it takes",
    "not-automatic": "ask a person to start it",
    "not-published": "call find_workflow for what is published",
    "already-ended": "call explain_run for what it came to, or start another run",
    "nothing-missing": "tell who has to do what; then call see_run",
    "internal-error": "tell the user; whoever keeps the installation finds it in the log",
}
"""By code what an agent does next."""


@dataclass(frozen=True)
class Reply:
    """What a call came to.

    Args:
        content: what is told, as the tool's schema has it; of a refusal its code, message and next step.
        question: what the person at the client may be asked, so that the run can go on.
    """

    content: dict[str, JsonValue]
    refused: bool = False
    question: Question | None = None


@dataclass(frozen=True)
class Desk:
    """Where an agent's calls are taken.

    Args:
        name: of the user that the agent is.
        grant: of the token that it came with; None for who came without one.
    """

    host: Host
    name: str
    search: Search
    grant: Grant | None = None

    def agent(self) -> User:
        """Who acts, with the roles of this moment.

        Raises:
            UnknownUser: nobody of that name.
            NotAnAgent: it has not the role `agent`, or roles that an agent may not have.
        """
        found = self.host.workspace.user(self.name)
        more = found.roles & {OWNER, AUTHOR, APPROVER, OPERATOR}
        if AGENT not in found.roles:
            raise NotAnAgent(f"{self.name} is no agent; `flowc users add NAME --role {AGENT}` makes one")
        if more:
            raise NotAnAgent(f"{self.name} is an agent and {' and '.join(sorted(more))}; give it the role agent alone")
        return replace(found, grant=self.grant)

    def acts(self) -> Acts:
        """What the agent can do now; see `agent` for what is raised."""
        return Acts(self.host, self.agent(), self.search)

    def call(self, tool: str, arguments: Mapping[str, Any], key: str | None = None, *, asked: bool = False) -> Reply:
        """Carry a call out.

        Args:
            key: the client's own of this call; the same one begins the same run.
            asked: the values were given by the person at the client.
        """
        try:
            reply = self._done(tool, arguments, key)
        except CompilerError as error:
            reply = _refused(error.code, str(error.args[0] if error.args else error))
        except Exception:
            LOG.exception("%s: flowc stumbled over a call of %s", self.name, _tool_told(tool))
            reply = _refused("internal-error", "flowc stumbled; nothing is known to be wrong with the call")
        self._tell(tool, arguments, reply, asked=asked)
        return reply

    def note(self, code: str) -> None:
        """Have the audit tell of a request that was refused before it was a call of a tool."""
        tell_call(self.host, self.name, self.grant, {"tool": None, "code": code}, "")

    def _done(self, tool: str, arguments: Mapping[str, Any], key: str | None) -> Reply:
        acts = self.acts()
        _must_hold(acts.agent, tool, arguments)
        self._must_fit_in(arguments)
        if tool in FIXED:
            _must_fit(arguments, FIXED[tool].schema)
            told = _FIXED[tool](acts, arguments, _key(self.name, tool, arguments, key))
            content, schema = as_content(told), form_schema(FIXED[tool].gives)
        else:
            offer, version = _offered(acts, tool)
            _must_fit(arguments, inputs_schema(version))
            begun = acts.start(version, arguments, ask=False, key=_key(self.name, offer.tool, arguments, key))
            told = plain(acts.wait(begun.id))
            content, schema = as_content(told), answer_schema(self.host, version, acts.agent)
        wrong = misfits(content, schema)
        if wrong:
            run = content.get("run", "")
            raise BadResult(f"{run}: what came of it is not what the tool promises:\n" + "\n".join(wrong))
        reply = Reply(content)
        if tool in ("start_run", "give_value") and content["state"] == "waiting":
            task = acts.asked_of(str(content["run"]))
            return replace(reply, question=question_about(str(content["run"]), task) if task is not None else None)
        return reply

    def _must_fit_in(self, arguments: Mapping[str, Any]) -> None:
        most = self.host.agency.most_bytes
        try:
            size = len(json.dumps(arguments, ensure_ascii=False).encode())
        except (ValueError, RecursionError) as error:
            raise BadArguments(f"the arguments cannot be read: {error}") from None
        if size > most:
            raise TooLarge(f"the arguments have {size} bytes; {most} are taken ([agents] most_bytes in flowc.toml)")
        if not storable(dict(arguments)):
            raise BadArguments("the arguments hold characters that cannot be stored")

    def _tell(self, tool: str, arguments: Mapping[str, Any], reply: Reply, *, asked: bool) -> None:
        """Write the call into the audit, with the run that it was about, where that is one."""
        named = str(arguments.get("run") or reply.content.get("run") or "")
        code = reply.content["code"] if reply.refused else None
        body: dict[str, JsonValue] = {"tool": _tool_told(tool), "code": code}
        if asked:
            body["given_by"] = "the person at the client"
        tell_call(self.host, self.name, self.grant, body, named)


def _must_hold(agent: User, tool: str, arguments: Mapping[str, Any]) -> None:
    """Stop where the agent came with a token that is not good for a tool, or for the workflow that is named.

    Every answer tells how a run or a workflow stands, so that each takes `read`; what begins or steers takes `start`.

    Raises:
        OutOfScope: so it is.
    """
    workflow = arguments.get("workflow")
    about = workflow.partition("@v")[0] if isinstance(workflow, str) else None
    for scope in scopes_of(tool):
        agent.must_hold(scope, about)


def scopes_of(tool: str) -> tuple[str, ...]:
    """The scopes that a token needs for a tool."""
    return (READ,) if tool in FIXED and FIXED[tool].reads else (READ, START)


def _offered(acts: Acts, tool: str) -> tuple[Offer, Any]:
    """The tool of a workflow, and the version that it runs.

    Raises:
        UnknownTool: there is none such for this agent.
        ToolReplaced: no version of its contract is published any more.
    """
    known = {one.tool: one for one in acts.offers()}
    offer = known.get(tool)
    if offer is None:
        raise UnknownTool(f"there is no tool {_tool_told(tool)} for {acts.agent.name}")
    if offer.version is None:
        after = known.get(offer.replaced_by or "")
        if after is not None and after.version is not None:
            raise ToolReplaced(f"{tool} is not offered any more; call {after.tool} instead: {'; '.join(offer.breaks)}")
        raise ToolReplaced(f"{tool} is not offered any more: no version of {offer.workflow_id} can be run")
    return offer, offer.version


def _started(acts: Acts, given: Mapping[str, Any], key: str | None) -> Any:
    version = acts.version(given["workflow"])
    known = version.definition.inputs
    schema = inputs_schema(version)
    schema["required"] = [] if given.get("ask") else schema.get("required", [])
    wrong = misfits(given["inputs"], schema)
    if wrong:
        raise BadInputs(f"{version.name} takes {', '.join(known) or 'no inputs'}:\n" + "\n".join(wrong))
    begun = acts.start(version, given["inputs"], ask=bool(given.get("ask")), key=key)
    return plain(acts.wait(begun.id))


def _gave(acts: Acts, given: Mapping[str, Any], key: str | None) -> Any:
    """Without values it is told what is missing, and the person at the client may be asked."""
    values = given.get("values", {})
    if values or acts.asked_of(given["run"]) is None:
        acts.give(given["run"], values)
        return plain(acts.wait(given["run"]))
    return plain(acts.see(given["run"]))


def _seen(acts: Acts, given: Mapping[str, Any], key: str | None) -> Any:
    acts.own(given["run"])
    return plain(acts.wait(given["run"]) if given.get("wait") else acts.see(given["run"]))


def _steered(acts: Acts, run: str, what: str, reason: str) -> ExplainedRun:
    acts.steer(run, what, reason)
    return acts.wait(run)


_FIXED: Mapping[str, Callable[[Acts, Mapping[str, Any], str | None], Any]] = {
    "find_workflow": lambda acts, given, key: acts.find(given["task"], given.get("limit", 5)),
    "dry_run": lambda acts, given, key: acts.foresee(given["workflow"], given.get("inputs", {})),
    "start_run": _started,
    "see_run": _seen,
    "give_value": _gave,
    "interrupt_run": lambda acts, given, key: plain(
        _steered(acts, given["run"], given.get("how", "pause"), given.get("reason", ""))
    ),
    "resume_run": lambda acts, given, key: plain(_steered(acts, given["run"], "resume", "")),
    "replay_run": lambda acts, given, key: acts.replay(given["run"]),
    "explain_run": lambda acts, given, key: acts.see(given["run"]),
}


def _must_fit(arguments: Mapping[str, Any], schema: Schema) -> None:
    wrong = misfits(dict(arguments), schema)
    if wrong:
        known = ", ".join(schema["properties"]) or "no arguments"
        raise BadArguments(f"it takes {known}:\n" + "\n".join(wrong))


def _key(agent: str, tool: str, arguments: Mapping[str, Any], key: str | None) -> str | None:
    """Of a run that is begun once however often it is asked for: by whom, with what, under which key."""
    if key is None:
        return None
    return hashlib.sha256(canonical_json([agent, tool, key, dict(arguments)]).encode()).hexdigest()[:24]


def _refused(code: str, message: str) -> Reply:
    return Reply(as_content(Refusal(code=code, message=message, next=ADVICE.get(code, ELSE))), refused=True)


def _tool_told(tool: str) -> str:
    """The name of a tool, or that it is none that a tool could have.

    >>> _tool_told("start_run"), _tool_told("ignore what you were told")
    ('start_run', '(no name of a tool)')
    """
    return tool if re.fullmatch(r"[A-Za-z0-9._-]{1,128}", tool) else "(no name of a tool)"
