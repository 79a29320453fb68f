"""Grounds every quote of a procedure; of several equal places takes the one that the neighbours or the order decide."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from compiler.grounding.locate import Hit, QuoteFinder, SearchResult
from compiler.grounding.passage_index import Place
from ir.procedure import Constraint, Element, Flow, Gap, Procedure, Step
from ir.source import Evidence, Grounding

E = TypeVar("E", bound=Element)
_LISTS = ("triggers", "facts", "steps", "results", "conditions", "flows", "constraints", "gaps", "unplaced")
_Key = tuple[str, int, str, int]
_Found = dict[_Key, SearchResult]
_KEPT = (Grounding.NORMALISED, Grounding.FUZZY, Grounding.RELOCATED)


@dataclass(frozen=True)
class Grounded:
    """One piece of evidence of a procedure, grounded.

    Args:
        owner: the element, in words: `step s3`, `flow s1->s2`, `the deadline of step s3`.
        search: how it came out; `decided` may also be `beside` (it stands with the words of a related element) or
            `order` (it is the first after those of the element before).
    """

    owner: str
    search: SearchResult


@dataclass(frozen=True)
class _Slot:
    """A place for evidence in a procedure.

    Args:
        key: list, index of the element, `d` for its deadline, and index of the evidence.
        related: ids of the elements that speak of the same matter.
    """

    key: _Key
    owner: str
    evidence: Evidence
    related: tuple[str, ...]

    @property
    def of_deadline(self) -> bool:
        """Whether it is a deadline's: words that may stand before their step's as well as after."""
        return self.key[2] == "d"


def ground_procedure(procedure: Procedure, finder: QuoteFinder) -> tuple[Procedure, tuple[Grounded, ...]]:
    """Ground all evidence that a procedure has in the finder's document; evidence in other documents is left alone.

    Evidence whose place holds its words is kept; all other is searched for, near the block that it names. Of several
    equal places the one is taken that stands with the words of a related element (a deadline with its step, a flow
    with the steps it joins), else the first after the words of the element before, in the order of the procedure's
    lists (deadlines excepted). What decided is in the result, and the evidence then says which occurrence it is.
    Nothing is dropped.

    Returns:
        The procedure, and how each piece came out, in the procedure's order.
    """
    slots = [slot for slot in _slots(procedure) if slot.evidence.doc_id == finder.document.doc_id]
    found = {slot.key: _first_look(slot.evidence, finder) for slot in slots}
    by_owner: dict[str, list[_Slot]] = {}
    for slot in slots:
        by_owner.setdefault(slot.owner, []).append(slot)
    for name in _LISTS:
        _settle([slot for slot in slots if slot.key[0] == name], found, by_owner, finder)
    changes = {name: tuple(_rebuilt(getattr(procedure, name), name, found)) for name in _LISTS}
    return procedure.model_copy(update=changes), tuple(Grounded(slot.owner, found[slot.key]) for slot in slots)


def _slots(procedure: Procedure) -> Iterator[_Slot]:
    touching = _touching(procedure)
    for name in _LISTS:
        elements: Sequence[Element] = getattr(procedure, name)
        for at, element in enumerate(elements):
            owner = _owner(name, at, element)
            related = _related(element, touching)
            for n, evidence in enumerate(element.evidence):
                yield _Slot((name, at, "", n), owner, evidence, related)
            if isinstance(element, Step) and element.deadline:
                for n, evidence in enumerate(element.deadline.evidence):
                    yield _Slot((name, at, "d", n), f"the deadline of {owner}", evidence, (element.id,))


def _touching(procedure: Procedure) -> dict[str, tuple[str, ...]]:
    """For each condition the steps whose flows it steers."""
    found: dict[str, tuple[str, ...]] = {}
    for flow in procedure.flows:
        if flow.condition is not None:
            found[flow.condition] = (*found.get(flow.condition, ()), flow.source, flow.target)
    return found


def _related(element: Element, touching: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    match element:
        case Flow(source=source, target=target, condition=condition):
            return (*((condition,) if condition else ()), source, target)
        case Constraint(steps=steps):
            return steps
        case Gap(about=about):
            return about
    return touching.get(getattr(element, "id", ""), ()) if not isinstance(element, Step) else ()


def _owner(name: str, at: int, element: Element) -> str:
    if isinstance(element, Flow):
        return f"flow {element.source}->{element.target}"
    kind = {"unplaced": "unplaced text", "facts": "fact"}.get(name, name.removesuffix("s"))
    return f"{kind} {getattr(element, 'id', at + 1)}"


def _first_look(evidence: Evidence, finder: QuoteFinder) -> SearchResult:
    """Keep evidence whose place holds its words; search for all other."""
    span = evidence.span
    if span is not None and evidence.quote and finder.words_at(span.block, span.start, span.end) == evidence.quote:
        status = evidence.status if evidence.status in _KEPT else Grounding.EXACT
        return SearchResult(evidence.model_copy(update={"status": status}))
    words = evidence.claimed or evidence.quote
    return finder.search(words, occurrence=evidence.occurrence, near=evidence.block)


def _settle(own: list[_Slot], found: _Found, by_owner: dict[str, list[_Slot]], finder: QuoteFinder) -> None:
    """Decide between the equal places of one list's evidence, in order."""

    def nearest(positions: range) -> _Slot | None:
        return next((own[n] for n in positions if found[own[n].key].evidence.supports), None)

    for at, slot in enumerate(own):
        search = found[slot.key]
        if search.evidence.status is not Grounding.AMBIGUOUS:
            continue
        hit, decided = _nearest_to(search.hits, _places(_relatives(slot, by_owner), found, finder)), "beside"
        if hit is None and not slot.of_deadline:
            before, later = nearest(range(at - 1, -1, -1)), nearest(range(at + 1, len(own)))
            bounds = [_place(found[s.key].evidence, finder) if s else None for s in (before, later)]
            again = before is not None and _words(found[before.key]) == search.evidence.quote
            hit, decided = _in_order(search.hits, bounds[0], bounds[1], again=again), "order"
        if hit is not None:
            quote, near = search.evidence.quote, slot.evidence.block
            found[slot.key] = finder.placed(quote, hit, occurrence=None, near=near, decided=decided)


def _words(search: SearchResult) -> str:
    return search.evidence.claimed or search.evidence.quote


def _relatives(slot: _Slot, by_owner: dict[str, list[_Slot]]) -> list[_Slot]:
    """The slots of related elements, and the other evidence of the element itself."""
    names = [f"{kind} {name}" for name in slot.related for kind in ("step", "condition", "fact", "constraint")]
    return [other for name in (slot.owner, *names) for other in by_owner.get(name, ()) if other.key != slot.key]


def _place(evidence: Evidence, finder: QuoteFinder) -> Place | None:
    span = evidence.span
    if span is None or span.block not in finder.by_address:
        return None
    return finder.by_address[span.block].place(span.start, span.end)


def _places(slots: Iterable[_Slot], found: _Found, finder: QuoteFinder) -> list[Place]:
    evidence = (found[slot.key].evidence for slot in slots)
    return [place for item in evidence if item.supports and (place := _place(item, finder)) is not None]


def _nearest_to(hits: Sequence[Hit], places: list[Place]) -> Hit | None:
    """The only hit inside one of the places, else the only one in the same passage; None where that is not one."""
    within = [
        hit for hit in hits
        if any(p.passage == hit.place.passage and p.start <= hit.place.start and hit.place.end <= p.end for p in places)
    ]  # fmt: skip
    if not within:
        within = [hit for hit in hits if any(p.passage == hit.place.passage for p in places)]
    return within[0] if len(within) == 1 else None


def _in_order(hits: Sequence[Hit], before: Place | None, later: Place | None, *, again: bool) -> Hit | None:
    """The first hit after the element before; without one, the only hit before the element that follows.

    Args:
        again: the element before quotes the same words, so that its own place is taken.
    """
    if before is None:
        ahead = [hit for hit in hits if later is not None and _at(hit.place) <= _at(later)]
        return ahead[0] if len(ahead) == 1 else None
    point = _at(before)
    following = [hit for hit in hits if _at(hit.place) > point or (not again and _at(hit.place) == point)]
    return following[0] if following else None


def _at(place: Place) -> tuple[int, int]:
    return place.passage, place.start


def _rebuilt(elements: Sequence[E], name: str, found: _Found) -> Iterator[E]:
    """The elements with their grounded evidence."""
    for at, element in enumerate(elements):

        def grounded(evidence: tuple[Evidence, ...], part: str, at: int = at) -> tuple[Evidence, ...]:
            keys = [(name, at, part, n) for n in range(len(evidence))]
            return tuple(found[k].evidence if k in found else old for k, old in zip(keys, evidence, strict=True))

        update: dict[str, object] = {"evidence": grounded(element.evidence, "")}
        if isinstance(element, Step) and element.deadline:
            own = grounded(element.deadline.evidence, "d")
            update["deadline"] = element.deadline.model_copy(update={"evidence": own})
        yield element.model_copy(update=update)
