"""What a second reading brings, counted.

Each case is compiled as read once and as read twice. A fault is a step that gold has not, or has with another person,
modality, time limit or, where one side decides, kind; a step that gold has and the draft has not; and a condition
without its like on the other side. It is silent where no question rests on its words or names its step, no text without
a place covers them, and it is no step of which the page says that two readings differ. Beside that: how often a step is
right on which both readings agree, and one on which they do not.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields

from evals.matching.assignment import assign
from evals.matching.places import Places
from evals.matching.view import Located, View
from evals.metrics.extraction import SAME, same_actor
from ir.procedure import ConditionText, Element, Step

DECIDING = frozenset({"approval", "check", "decision"})


@dataclass
class Counts:
    """What was counted over cases.

    Args:
        agreed, agreed_right: steps on which both readings agree, and those of them that are right.
        doubted, doubted_right: the other steps.
        tokens: sent and received.
        named: the silent faults, in words.
    """

    faults: int = 0
    silent: int = 0
    asked: int = 0
    agreed: int = 0
    agreed_right: int = 0
    doubted: int = 0
    doubted_right: int = 0
    tokens: int = 0
    named: list[str] = field(default_factory=list)

    def add(self, other: "Counts") -> None:
        """Add those of another case."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))


def count(view: View, *, named: bool) -> Counts:
    """The faults of the drafts of a case.

    Args:
        named: list the silent ones, which of held-out cases nobody is to see.
    """
    out = Counts(tokens=view.outcome.usage.tokens or 0)
    procedures = [draft.procedure for draft in view.outcome.drafts]
    gaps = [gap for one in procedures for gap in one.gaps if gap.kind != "unmapped_step"]
    listed = [text for one in procedures for text in one.unplaced]
    asked_of = {(one.id, name) for one in procedures for gap in one.gaps for name in gap.about}
    out.asked = len(gaps)
    same = {found.key: gold for gold, found in view.steps}

    def add_fault(
        what: str, element: Element, key: tuple[str, str] | None = None, *, lost: bool = False, differ: bool = False
    ) -> None:
        out.faults += 1
        told = [*gaps, *(listed if lost else [])]
        if differ or key in asked_of or any(view.places.overlap(element.evidence, one.evidence) > 0 for one in told):
            return
        out.silent += 1
        out.named += [f"{view.case.slug}: {what}: {getattr(element, 'text', '')}"] if named else []

    for found in view.found_steps:
        gold = same.get(found.key)
        wrong = "no step of gold" if gold is None else _wrong(gold.step, found.step)
        agreed = found.step.id in (found.procedure.agreed or ())
        out.agreed, out.agreed_right = out.agreed + agreed, out.agreed_right + (agreed and not wrong)
        out.doubted, out.doubted_right = out.doubted + (not agreed), out.doubted_right + (not agreed and not wrong)
        if wrong:
            add_fault(wrong, found.step, found.key, differ=found.procedure.agreed is not None and not agreed)
    for missing in _unmatched(view.gold_steps, [gold for gold, _ in view.steps]):
        add_fault("missing", missing.step, lost=True)
    golds = [one for case in view.case.procedures for one in case.conditions if one.evidence]
    conditions = [one for procedure in procedures for one in procedure.conditions if one.evidence]
    lost, invented = _apart(golds, conditions, view.places)
    for one in lost:
        add_fault("condition missing", one, lost=True)
    for one in invented:
        add_fault("condition of none", one)
    return out


def _wrong(gold: Step, found: Step) -> str:
    if not same_actor(gold.actor, found.actor):
        return "other person"
    if gold.modality != found.modality:
        return "other modality"
    if gold.kind != found.kind and {gold.kind, found.kind} & DECIDING:
        return "other kind"
    mine, its = (one.deadline.duration if one.deadline else None for one in (gold, found))
    return "" if mine == its else "other time limit"


def _unmatched(steps: Iterable[Located], matched: Iterable[Located]) -> Iterator[Located]:
    known = {one.key for one in matched}
    return (one for one in steps if one.key not in known)


def _apart(
    golds: Sequence[ConditionText], found: Sequence[ConditionText], places: Places
) -> tuple[list[ConditionText], list[ConditionText]]:
    """The conditions of each side that have no like on the other."""
    weights = [[o if (o := places.overlap(g.evidence, f.evidence)) >= SAME else 0.0 for f in found] for g in golds]
    pairs = assign(weights)
    left, right = {at for at, _ in pairs}, {at for _, at in pairs}
    return [g for at, g in enumerate(golds) if at not in left], [f for at, f in enumerate(found) if at not in right]
