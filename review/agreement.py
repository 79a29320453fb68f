"""How far two people who reviewed a draft apart agree over its steps, edges and conditions, and where they differ."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from compiler.decisions.elements import Element, elements
from ir.base import canonical_json
from ir.decisions.anchor import Subject
from ir.decisions.decision import Decision, in_force, taken_back
from ir.decisions.operation import AnyOperation
from review.decide import decide_all, new_settlement
from review.draft import ReviewDraft
from review.errors import Fault, Refused

KINDS: tuple[Subject, ...] = ("step", "edge", "condition")
FEWEST = 10
"""The fewest things that both judged for which a figure is given: of fewer it says next to nothing."""
_UNTOLD = frozenset({"was", "names"})
"""Fields of operations that say nothing of what is wanted."""


@dataclass(frozen=True)
class Judgement:
    """What one reader said of one element.

    Args:
        value: `accepted`, `rejected`, or `corrected` with the operations; two that are equal agree.
        decisions: that it rests on, in their order.
    """

    value: str
    decisions: tuple[Decision, ...]


@dataclass(frozen=True)
class Disagreement:
    """An element that two readers judge differently.

    Args:
        words: the document's, that the element rests on; empty where it rests on none.
        settled_by: the decision that settles it; None as long as nobody did.
    """

    element: Element
    words: tuple[str, ...]
    first: Judgement
    second: Judgement
    settled_by: Decision | None


@dataclass(frozen=True)
class Count:
    """Agreement over elements of one kind, or over all.

    Args:
        elements: how many there are.
        first, second, both: how many the readers judged.
        same: of those that both judged, how many alike.
        alpha: Krippendorff's, for nominal values; None with the reason in `why_not`.
    """

    elements: int
    first: int
    second: int
    both: int
    same: int
    alpha: float | None
    why_not: str | None


@dataclass(frozen=True)
class Agreement:
    """Two readers' judgements of one or several drafts."""

    readers: tuple[str, str]
    whole: Count
    by_kind: Mapping[Subject, Count]
    differences: tuple[Disagreement, ...]

    @property
    def done(self) -> bool:
        """Whether both judged every element; before that neither is to see where they differ."""
        return self.whole.first == self.whole.second == self.whole.elements


_Pair = tuple[Element, Judgement | None, Judgement | None]


def agreement(drafts: Sequence[ReviewDraft], first: str, second: str) -> Agreement:
    """How far two authors of decisions agree."""
    pairs: list[_Pair] = []
    differences: list[Disagreement] = []
    for draft in drafts:
        sides = [_judgements(draft, author) for author in (first, second)]
        for element in _elements(draft):
            one, other = (side.get((element.kind, element.id)) for side in sides)
            pairs.append((element, one, other))
            if one is not None and other is not None and one.value != other.value:
                words = tuple(quote.quote for quote in element.evidence)
                differences.append(Disagreement(element, words, one, other, _settling(draft, one, other)))
    by_kind = {kind: _count([pair for pair in pairs if pair[0].kind == kind]) for kind in KINDS}
    return Agreement((first, second), _count(pairs), by_kind, tuple(differences))


def readers(draft: ReviewDraft) -> tuple[tuple[str, int], ...]:
    """Who judged elements of a draft, and how many each; who judged the most first."""
    authors = dict.fromkeys(one.author for one in draft.decisions)
    counts = ((author, len(_judgements(draft, author))) for author in authors)
    return tuple(sorted(((name, count) for name, count in counts if count), key=lambda one: (-one[1], one[0])))


def settle(draft: ReviewDraft, difference: Disagreement, taken: str, author: str, reason: str) -> ReviewDraft:
    """Settle a difference by a decision that names both: one judgement is taken, the other one taken back.

    Args:
        taken: the reader whose judgement is to hold.

    Raises:
        Refused: it is settled already, neither reader is meant, or there is no reason; nothing is written.
        Conflict, OutputError: as `decide_all`.
    """
    if difference.settled_by is not None:
        by = difference.settled_by
        raise Refused((Fault("", "settled-already", f"{by.author} settled it at {by.time}; undo {by.id} first"),))
    sides = {one.decisions[-1].author: one for one in (difference.first, difference.second)}
    if taken not in sides:
        raise Refused((Fault("taken", "unknown-reader", f"{taken!r} is no reader of it; name {' or '.join(sides)}"),))
    kept = sides[taken]
    lost = difference.second if kept is difference.first else difference.first
    gone, held = taken_back(draft.decisions), {one.id for one in kept.decisions}
    undos = [one for one in draft.decisions if one.kind == "undo" and one.undoes in held and one.id not in gone]
    withdrawn = [one for one in lost.decisions if one.id not in gone]
    made = new_settlement(kept.decisions, lost.decisions, [*withdrawn, *undos], author=author, reason=reason)
    return decide_all(draft, made)


def _elements(draft: ReviewDraft) -> tuple[Element, ...]:
    """What both readers had before them: the elements as they were read."""
    return tuple(one for one in elements(draft.reading) if one.kind in KINDS)


def _judgements(draft: ReviewDraft, author: str) -> dict[tuple[Subject, str], Judgement]:
    """What an author said of the elements; what was taken back only to settle a difference counts still."""
    there = {(one.kind, one.id) for one in _elements(draft)}
    fates = {one.id: one for one in draft.fates}
    said = [one for one in draft.decisions if not (one.kind == "undo" and one.settles)]
    found: dict[tuple[Subject, str], list[Decision]] = {}
    for one in in_force(said):
        if one.author != author or one.settles or one.procedure not in (draft.procedure.id, None):
            continue
        fate = fates.get(one.id)
        places = ((one.subject, name) for name in (fate.element if fate else None, one.element) if name)
        place = next((each for each in places if each in there), None)
        if place is not None and one.kind in ("accept", "reject", "correct"):
            found.setdefault(place, []).append(one)
    return {place: Judgement(_value(listed), tuple(listed)) for place, listed in found.items()}


def _value(decisions: Sequence[Decision]) -> str:
    """A judgement as a nominal value: corrections with what they want, else what was ruled last."""
    wanted = sorted({_wanted(one.value) for one in decisions if not isinstance(one.value, str | None)})
    last = decisions[-1]
    if last.kind == "reject" or not wanted:
        return "rejected" if last.kind == "reject" else "accepted"
    return f"corrected: {' '.join(wanted)}"


def _wanted(operation: AnyOperation) -> str:
    """What an operation comes to, as text that is the same for the same."""
    said = {name: value for name, value in operation.to_json().items() if name not in _UNTOLD}
    return canonical_json({"do": operation.do, **said})


def _settling(draft: ReviewDraft, one: Judgement, other: Judgement) -> Decision | None:
    """The decision in force that settles a difference: it names a decision of both."""
    sides = [{each.id for each in side.decisions} for side in (one, other)]
    for decision in reversed(tuple(draft.in_force.values())):
        if all(side & set(decision.settles) for side in sides):
            return decision
    return None


def _count(pairs: Sequence[_Pair]) -> Count:
    both = [(one.value, other.value) for _, one, other in pairs if one is not None and other is not None]
    figure, why_not = alpha(both)
    return Count(
        elements=len(pairs),
        first=sum(one is not None for _, one, _ in pairs),
        second=sum(other is not None for _, _, other in pairs),
        both=len(both),
        same=sum(one == other for one, other in both),
        alpha=figure,
        why_not=why_not,
    )


def alpha(pairs: Iterable[tuple[str, str]]) -> tuple[float | None, str | None]:
    """Krippendorff's alpha of two readers' nominal judgements; or None, and why there is none.

    Needs the extra `review`.
    """
    listed = list(pairs)
    if len(listed) < FEWEST:
        return None, f"{len(listed)} judged by both, fewer than {FEWEST}"
    values = sorted({value for pair in listed for value in pair})
    if len(values) == 1:
        return None, "every judgement is the same, which leaves nothing to tell agreement from chance by"
    import krippendorff

    numbers = {value: number for number, value in enumerate(values)}
    rows = [[numbers[pair[side]] for pair in listed] for side in (0, 1)]
    return float(krippendorff.alpha(reliability_data=rows, level_of_measurement="nominal")), None
