"""Which tools there are for an agent: one for each published contract of each workflow that it may begin.

Versions that callers of the one before can go on with share a tool, whose name stays. A version that breaks them has a
tool of its own, with its number in the name; the one before says so. What is compatible was judged and signed when the
version was published (`registry.compatibility`).
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from registry.forms import Version
from registry.versions import versions
from runtime.host import Host
from store.users import User

PREFIX = "workflow_"
LONGEST = 64
"""Letters of a tool's name; the protocol allows more, some clients do not."""


@dataclass(frozen=True)
class Offer:
    """The tool of a workflow.

    Args:
        version: the one that it runs, the last of its contract that is published; None where none is any more.
        replaced_by: the tool of the contract after it; None where it is the last.
        breaks: what of the contract is otherwise there, each in a sentence.
    """

    tool: str
    workflow_id: str
    version: Version | None
    replaced_by: str | None = None
    breaks: tuple[str, ...] = ()


def offers(host: Host, agent: User) -> tuple[Offer, ...]:
    """The tools of all workflows that an agent may begin, by id; those too of which no version can be run any more."""
    with host.workspace.database.transaction() as connection:
        known = [one for one in versions(connection) if host.agency.permits(agent, one.workflow_id)]
    once = [one for one in known if one.state in ("published", "deprecated")]
    ids = dict.fromkeys(one.workflow_id for one in once)
    return tuple(offer for name in ids for offer in _of(host, [one for one in once if one.workflow_id == name]))


def _of(host: Host, known: Sequence[Version]) -> list[Offer]:
    """The tools of one workflow, in the order of their contracts."""
    contracts: list[list[Version]] = []
    at: dict[str, int] = {}
    for one in _as_published(known):
        held = one.report.compatibility
        if held is None or held.verdict == "incompatible" or held.against not in at:
            contracts.append([])
            at[one.name] = len(contracts) - 1
        else:
            at[one.name] = at[held.against]
        contracts[at[one.name]].append(one)
    names = [tool_name(of[0], first=number == 0) for number, of in enumerate(contracts)]
    made = []
    for number, of in enumerate(contracts):
        runs = [one for one in of if one.state == "published" and host.can_run(one)]
        after = contracts[number + 1][0].report.compatibility if number + 1 < len(contracts) else None
        breaks = tuple(str(one) for one in after.changes if one.breaks) if after is not None else ()
        replaced = names[number + 1] if number + 1 < len(contracts) else None
        made.append(Offer(names[number], of[0].workflow_id, runs[-1] if runs else None, replaced, breaks))
    return made


def _as_published(known: Sequence[Version]) -> list[Version]:
    """In the order in which they were published, in which each was held against the one before."""
    return sorted(known, key=lambda one: next(move.at for move in one.history if move.after == "published"))


def tool_name(version: Version, *, first: bool) -> str:
    """A name of ASCII letters that stays for as long as the contract does.

    Args:
        version: the first one with the contract.
        first: whether it is the first contract of the workflow.
    """
    name = PREFIX + version.workflow_id + ("" if first else f"_v{version.number}")
    if len(name) <= LONGEST:
        return name
    digits = hashlib.sha256(name.encode()).hexdigest()[:10]
    return f"{name[: LONGEST - len(digits) - 1]}_{digits}"
