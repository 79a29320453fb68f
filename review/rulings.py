"""Decisions that change nothing of what is drafted: they are put on a draft without making it anew."""

from collections.abc import Iterable, Mapping, Sequence

from compiler.decisions.decided import DecisionFate
from ir.decisions.anchor import Subject
from ir.decisions.decision import Decision

_AS_IT_IS: frozenset[Subject] = frozenset(
    {"step", "edge", "condition", "fact", "result", "rule", "constraint", "question", "workflow"}
)


def changes_draft(decision: Decision) -> bool:
    """Whether a decision may change more of a draft than its verdict."""
    if decision.kind == "comment":
        return False
    return decision.kind not in ("accept", "answer") or decision.subject not in _AS_IT_IS


def parted(listed: Sequence[Decision], built: frozenset[str]) -> tuple[tuple[Decision, ...], tuple[Decision, ...]]:
    """Decisions in force as those that the draft is made with, and those after them that leave it as it is.

    Args:
        built: ids of those that the build knew.
    """
    last = max((at for at, one in enumerate(listed, 1) if one.id in built or _counts(listed, at)), default=0)
    return tuple(listed[:last]), tuple(listed[last:])


def _counts(listed: Sequence[Decision], at: int) -> bool:
    """Whether the draft changes with a decision, or with the one whose place it takes."""
    one = listed[at - 1]
    earlier = (other for other in listed[: at - 1] if other.kind != "comment" and other.is_about(one))
    return changes_draft(one) or (one.kind != "comment" and any(changes_draft(other) for other in earlier))


def holding(decisions: Iterable[Decision], fates: Mapping[str, DecisionFate]) -> list[Decision]:
    """The decisions that the draft goes by, with their words as they are now."""
    made = []
    for one in decisions:
        fate = fates.get(one.id)
        if fate is None or not fate.applied:
            continue
        if one.anchor is not None and fate.words is not None and one.kind != "correct":
            one = one.model_copy(update={"anchor": one.anchor.model_copy(update={"text": fate.words})})
        made.append(one)
    return made
