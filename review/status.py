"""How decisions about a build stand: by kind and state, and those that somebody has to look at."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from compiler.decisions.decided import DecisionFate
from ir.decisions.decision import in_force
from review.draft import ReviewDraft
from review.queue import progress, queue


@dataclass(frozen=True)
class Status:
    """How decisions stand.

    Args:
        counts: by kind, how many are in each state.
        troubles: those that the drafts do not go by, with the reason.
        decided, whole: how many things are decided, of how many.
    """

    STATES: ClassVar[tuple[str, ...]] = ("unchanged", "moved", "drifted", "orphaned", "elsewhere", "undone")

    counts: Mapping[str, Mapping[str, int]]
    troubles: tuple[DecisionFate, ...]
    decided: int
    whole: int


def status(drafts: Sequence[ReviewDraft]) -> Status:
    """How the decisions about the documents of drafts stand; `elsewhere` is what is about other documents."""
    fates = {fate.id: fate for draft in drafts for fate in draft.fates}
    listed = {one.id: one for draft in drafts for one in draft.build_decisions}
    force = {one.id for draft in drafts for one in in_force(draft.build_decisions)}
    counts: dict[str, Counter[str]] = {}
    for one in listed.values():
        state = fates[one.id].state if one.id in fates else "elsewhere" if one.id in force else "undone"
        if one.kind != "undo":
            counts.setdefault(one.kind, Counter())[state] += 1
    pairs = [progress(queue(draft)) for draft in drafts]
    troubles = tuple(fate for fate in fates.values() if fate.code is not None)
    return Status(counts, troubles, sum(done for done, _ in pairs), sum(whole for _, whole in pairs))
