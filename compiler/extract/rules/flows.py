"""From statements in document order to flows: which step may follow which, and on what condition."""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from ir.predicate import Compare, Junction, Literally, Ref, Tree, conjoin, negate, references
from ir.procedure import END, START, EndStatus, FlowKind
from ir.source import Evidence
from validator.analysis.implication import Logic


@dataclass(frozen=True)
class Item:
    """A step, or words that lead elsewhere, in document order.

    Args:
        id: the step's id; for others any unique text.
        guard: what must hold for it, None for always.
        target: for jumps the id of the step that is gone to.
        ends: for ends how the run ends; for steps, that it ends after them.
        skips: for skips the id of the step that is not needed.
        parallel: it may run beside the step before.
        course: the urgent course that it belongs to, None for the ordinary one.
        table: the index of the block of the table whose row it is, None outside tables.
        evidence: the words of the condition, or of the item itself.
    """

    kind: Literal["step", "jump", "end", "skip"]
    id: str
    guard: Tree | None = None
    target: str | None = None
    ends: EndStatus | None = None
    skips: str | None = None
    parallel: bool = False
    course: str | None = None
    table: int | None = None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class Route:
    """A way from one step to another; `condition` None stands for always, or with `otherwise` for the rest.

    Args:
        unsure: words of a case for which it is taken as the rest, though the case may be more or less than the rest.
    """

    source: str
    target: str
    condition: Tree | None = None
    otherwise: bool = False
    ends: EndStatus | None = None
    kind: FlowKind = "sequence"
    evidence: tuple[Evidence, ...] = ()
    unsure: tuple[Evidence, ...] = ()


@dataclass
class _Ways:
    """The ways out of one step while they are gathered."""

    source: str
    conditional: list[Route] = field(default_factory=list)
    always: list[Route] = field(default_factory=list)


class _Told:
    """The items with what is looked up about them, from where one stands.

    Of a condition that one of several steps was refused, only the part counts that speaks of the step we stand at.
    """

    def __init__(self, items: list[Item], logic: Logic) -> None:
        self.items = items
        self.places: dict[str | None, list[int]] = {}
        self.switch = dict(_switches(items, logic))
        self.run = list(_runs(items, set(self.switch.values()), logic))
        self._open, self._serial = [0], [0]  # how many before each have no condition, and may not run beside others
        self._alike: dict[Tree, list[int]] = {}
        self._parts: dict[str | None, dict[int, Tree]] = {}
        for place, item in enumerate(items):
            self.places.setdefault(item.id, []).append(place)
            self._open.append(self._open[-1] + (item.guard is None and item.kind in ("step", "jump", "end")))
            self._serial.append(self._serial[-1] + (not item.parallel))
            if item.guard is not None and item.kind == "step":
                self._alike.setdefault(item.guard, []).append(place)
            for node, part in _refused_parts(item.guard):
                self._parts.setdefault(node, {})[place] = part
        self.at = {name: places[0] for name, places in self.places.items() if name is not None}
        self._judged = [_judged_by(item) for item in items]
        self._own: dict[int, Item] = {}

    def seen_from(self, source: str) -> "_Told":
        """The same items where one stands at a step."""
        seen = copy(self)
        seen._own = {
            place: replace(self.items[place], guard=part) for place, part in self._parts.get(source, {}).items()
        }
        return seen

    def item(self, place: int) -> Item:
        """The item at a place."""
        return self._own.get(place) or self.items[place]

    def skips(self) -> Iterator[Item]:
        """The items that say what is not needed."""
        return (self.item(place) for place, item in enumerate(self.items) if item.kind == "skip")

    def told_between(self, at: int, position: int, guard: Tree) -> bool:
        """Whether a step between two places has this very condition."""
        places = self._alike.get(guard, [])
        for index in range(bisect_right(places, at), len(places)):
            if places[index] >= position:
                break
            if places[index] not in self._own:
                return True
        return any(
            at < place < position and item.kind == "step" and item.guard == guard for place, item in self._own.items()
        )

    def open_between(self, at: int, position: int) -> bool:
        """Whether an item from one place up to another has no condition."""
        return self._open[position] > self._open[at]

    def stands_beside(self, at: int, position: int) -> bool:
        """Whether the item runs beside the one we stand at, so that it does not follow it."""
        return 0 <= at < position and self._serial[position + 1] == self._serial[at + 1]

    def judged_by(self, place: int) -> set[str | None]:
        """The steps whose outcome an item's condition reads."""
        return _judged_by(self._own[place]) if place in self._own else self._judged[place]


def _switches(items: list[Item], logic: Logic) -> Iterator[tuple[int, int]]:
    """The places of rows of a table whose cases are all that there are, each with the place where its table begins."""
    for table, group in groupby(enumerate(items), key=lambda placed: placed[1].table):
        rows, cover = list(group), logic.cover()
        if table is not None and any(item.guard is not None and cover.add(item.guard) for _, item in rows):
            yield from ((place, rows[0][0]) for place, _ in rows)


def _runs(items: list[Item], switches: set[int], logic: Logic) -> Iterator[int]:
    """Where the run of conditional items begins that each item stands in.

    A table that has a row for every case comes after the cases told before it. What comes after items whose conditions
    are all the cases there are is a run of its own, which comes after them; further acts in the last of these cases
    are not.
    """
    begin, cover, full = 0, logic.cover(), False
    for place, item in enumerate(items):
        before = items[place - 1].guard if place else None
        if before is None or (full and item.guard != before) or place in switches:
            begin, cover, full = place, logic.cover(), False
        if item.guard is not None and item.course is None:
            full = cover.add(item.guard)
        yield begin


def _refused_parts(guard: Tree | None) -> Iterator[tuple[str | None, Tree]]:
    """Of a condition over outcomes of several steps alone, for each step the part that speaks of it, if it is one."""
    if isinstance(guard, Junction) and guard.op == "or" and all(ref.root == "steps" for ref in references(guard)):
        parts: dict[str | None, list[Tree]] = {}
        for part in guard.items:
            for node in {ref.node for ref in references(part)}:
                parts.setdefault(node, []).append(part)
        yield from ((node, own[0]) for node, own in parts.items() if len(own) == 1)


def _judged_by(item: Item) -> set[str | None]:
    return {ref.node for ref in references(item.guard) if ref.root == "steps"} if item.guard else set()


def build_flows(items: list[Item], logic: Logic, urgent: re.Pattern[str]) -> list[Route]:
    """The routes between the items that can be reached from the start.

    Conditional steps that follow one another are ways out of the step before them and meet again at the next step that
    has no condition; where two of the conditions may hold together, both are taken. Acts on one and the same condition
    follow each other. What cannot be reached (it stands after the end) has no route.

    Args:
        urgent: finds words of an urgent case, which begins where the procedure begins.
    """
    items = _ends_last(items)
    begun: set[str] = set()
    told = _Told(items, logic)
    routes = list(_from(told, START, begun, logic))
    routes = _with_other_beginnings(routes, told, begun, logic, urgent)
    order = {START: -1} | {item.id: at for at, item in enumerate(items)}
    return sorted(routes, key=lambda route: (order[route.source], order.get(route.target, len(items))))


def _ends_last(items: list[Item]) -> list[Item]:
    """The items, with each end behind the steps that follow it on the very same condition (`退回并告知理由`)."""
    ordered: list[Item] = []
    held: list[Item] = []
    for item in items:
        if held and not (item.kind == "step" and item.guard == held[0].guard):
            ordered, held = [*ordered, *held], []
        (held if item.kind == "end" and item.guard is not None else ordered).append(item)
    return [*ordered, *held]


def _from(told: "_Told", begin: str, begun: set[str], logic: Logic) -> Iterator[Route]:
    """The routes that can be reached from a beginning, those of steps that were begun already left out."""
    waiting = deque([begin])
    while waiting:
        source = waiting.popleft()
        if source in begun:
            continue
        begun.add(source)
        found = _ways_out(told, source, logic)
        yield from found
        waiting += [route.target for route in found if route.target != END]


def _with_other_beginnings(
    routes: list[Route], told: "_Told", begun: set[str], logic: Logic, urgent: re.Pattern[str]
) -> list[Route]:
    """Cases told after the procedure has ended: an emergency begins where it begins, others where it ends."""
    for at, item in enumerate(told.items):
        if item.kind != "step" or item.id in begun or item.guard is None:
            continue
        if any(ref.root == "steps" for ref in references(item.guard)):
            continue  # how a step came out that the run may have passed by
        first = item.course is not None or any(urgent.search(evidence.quote) for evidence in item.evidence)
        source = START if first else _ending_before(routes, told.items[:at], begun)
        case = Route(source, item.id, item.guard, kind="branch", evidence=item.evidence)
        mine = [route for route in routes if route.source == source]
        rest = [replace(r, otherwise=True, kind="branch") if r.condition is None else r for r in mine]
        routes = [*(r for r in routes if r.source != source), case, *rest, *_from(told, item.id, begun, logic)]
    return routes


def _ending_before(routes: list[Route], before: list[Item], begun: set[str]) -> str:
    """The last step that completes the procedure, else the last one that is reached, else the start."""
    ends = {r.source for r in routes if r.target == END and r.condition is None and r.ends in (None, "completed")}
    last = next((item.id for item in reversed(before) if item.kind == "step" and item.id in begun), START)
    return next((item.id for item in reversed(before) if item.id in ends), last)


def _ways_out(told: "_Told", source: str, logic: Logic) -> list[Route]:
    at = told.at.get(source, -1)
    here = told.items[at] if at >= 0 else None
    ways, cover = _Ways(source), logic.cover()
    if here is not None and here.ends:
        return [Route(source, END, ends=here.ends, evidence=here.evidence)]
    told = told.seen_from(source)
    here = told.item(at) if at >= 0 else None
    held: list[tuple[int, Route]] = []
    for position in range(at + 1, len(told.items)):
        item = told.item(position)
        if (item.course != here.course) if here else item.course:
            continue
        contradicts = here is not None and logic.contradict(here.guard, item.guard)
        if item.kind == "skip" or contradicts or told.stands_beside(at, position):
            continue
        if _unknowable(told, at, position, logic) or not _follows_refusal(here, item, logic):
            continue
        if _offered(told, at, position, logic):
            continue
        guard = _rest(item.guard, here.guard if here else None, logic)
        first = told.switch.get(position, -1)
        passed = [way for place, way in held if place < first and not logic.contradict(way.condition, guard)]
        guard = conjoin(guard, *(negate(way.condition) for way in passed if way.condition is not None))
        route = Route(
            source,
            {"step": item.id, "jump": item.target or END, "end": END}[item.kind],
            guard,
            ends=item.ends if item.kind == "end" else None,
            kind="branch" if guard else "sequence",
            evidence=(*item.evidence, *(quote for way in passed for quote in way.evidence)),
        )
        held.append((position, route))
        if guard is None:
            ways.always += [route, *_parallel(told, position, source)]
            break
        ways.conditional.append(route)
        if cover.add(guard):
            return _after_the_judgement(ways.conditional, told)
    if not ways.always and here is not None and _refusal(here.guard) is not None:
        ways.always = [Route(source, END, ends="rejected", evidence=here.evidence)]
    return _settled(ways, told, logic)


def _refusal(guard: Tree | None) -> Tree | None:
    """The part of a condition that says that an approval was refused, or one of several."""
    parts = guard.items if isinstance(guard, Junction) and guard.op == "and" else (guard,)
    return next((part for part in parts if _refuses(part)), None)


def _refuses(part: Tree | None) -> bool:
    if isinstance(part, Junction):
        return part.op == "or" and all(map(_refuses, part.items))
    if not isinstance(part, Compare) or part.op != "eq" or not isinstance(part.left, Ref):
        return False
    return part.left.root == "steps" and isinstance(part.right, Literally) and part.right.value == "rejected"


def _follows_refusal(here: Item | None, item: Item, logic: Logic) -> bool:
    """Whether an item may come after acts upon a refusal: only what is done upon the same refusal does."""
    refusal = _refusal(here.guard) if here is not None else None
    return refusal is None or (item.guard is not None and logic.implies(item.guard, refusal))


def _settled(ways: _Ways, told: "_Told", logic: Logic) -> list[Route]:
    always = ways.always or [Route(ways.source, END, ends="completed")]
    if not ways.conditional:
        return always
    ways.conditional = _after_the_judgement(ways.conditional, told)
    skipped = {route.target for route in ways.conditional}
    held = [route.condition for route in ways.conditional]
    skips = [item for item in told.skips() if item.skips in skipped and item.guard not in held]
    said = tuple(evidence for item in skips for evidence in item.evidence)
    cases = [tree for tree in held if tree is not None]
    unsure = tuple(
        evidence for item in skips if not _is_rest(item.guard, cases, logic) for evidence in item.evidence
    )  # fmt: skip
    rest = [
        Route(r.source, r.target, None, True, r.ends, "branch", said or r.evidence, unsure) for r in always
    ]  # fmt: skip
    return [*ways.conditional, *rest]


def _after_the_judgement(ways: list[Route], told: "_Told") -> list[Route]:
    """The ways out of a judgement: where one ends the run as it came out badly, the others are for when it did not.

    `审核；不齐全的，退回；十万元以下的，由经理审批`: nothing goes on for what was sent back.
    """
    bad = [route for route in ways if _ends_badly(route, told)]
    if not bad:
        return ways
    held = []
    for route in ways:
        reads = {ref.node for ref in references(route.condition)} if route.condition is not None else set()
        if route in bad or route.source in reads:
            held.append(route)
            continue
        well = conjoin(route.condition, *(negate(each.condition) for each in bad if each.condition is not None))
        evidence = tuple(dict.fromkeys((*route.evidence, *(quote for each in bad for quote in each.evidence))))
        held.append(replace(route, condition=well, evidence=evidence))
    return held


def _ends_badly(route: Route, told: "_Told") -> bool:
    """Whether a way reads that the step it leaves came out badly, and leads to an end or to acts upon the refusal."""
    judged = route.condition
    if not isinstance(judged, Compare) or not isinstance(judged.left, Ref) or not isinstance(judged.right, Literally):
        return False
    if judged.left.root != "steps" or judged.left.node != route.source:
        return False
    place = told.at.get(route.target)
    ends = route.target == END or (place is not None and told.items[place].ends is not None)
    return judged.right.value == "rejected" or (judged.right.value == "fail" and ends)


def _is_rest(case: Tree | None, others: list[Tree], logic: Logic) -> bool:
    """Whether a case is just what others leave over, as far as they speak of facts; a case that speaks of none is.

    How an earlier step came out is left aside: of several steps the words seldom say which one they mean.
    """
    mine = _of_facts(case)
    rest = [tree for other in others if (tree := _of_facts(other)) is not None]
    if mine is None or not rest:
        return True
    return logic.exhaustive([*rest, mine]) and all(logic.contradict(mine, other) for other in rest)


def _of_facts(tree: Tree | None) -> Tree | None:
    """The parts of a condition that speak of facts alone, and together must hold."""
    if tree is None:
        return None
    parts = tree.items if isinstance(tree, Junction) and tree.op == "and" else (tree,)
    return conjoin(*(part for part in parts if all(ref.root == "facts" for ref in references(part))))


def _offered(told: "_Told", at: int, position: int, logic: Logic) -> bool:
    """Whether a conditional item is a way out of a step before the one we stand at, or follows another of its kind."""
    guard = told.item(position).guard
    if guard is None:
        return False
    here = told.item(at).guard if at >= 0 else None
    if told.told_between(at, position, guard):  # it comes after the act on the same condition
        return True
    if here is None or logic.implies(here, guard):
        return False
    return _independent(told, at, position)


def _independent(told: "_Told", at: int, position: int) -> bool:
    """Whether two conditional items stand in one run and the later needs nothing of what the run does."""
    if told.open_between(at, position) or told.run[at] != told.run[position]:
        return False
    if told.judged_by(at) != told.judged_by(position):
        return False  # one of them goes on after a judgement that the other knows nothing of
    first, guard = told.run[at], told.item(position).guard
    return guard is not None and not any(
        first <= place < position for ref in references(guard) for place in told.places.get(ref.node, ())
    )


def _parallel(told: "_Told", position: int, source: str) -> Iterator[Route]:
    for place in range(position + 1, len(told.items)):
        item = told.item(place)
        if not item.parallel or item.kind != "step" or item.guard is not None:
            return
        yield Route(source, item.id, kind="parallel", evidence=item.evidence)


def _unknowable(told: "_Told", at: int, position: int, logic: Logic) -> bool:
    """Whether the item's condition reads the outcome of a step that was not taken on the way here."""
    guard = told.item(position).guard
    if guard is None:
        return False
    here = told.item(at).guard if at >= 0 else None
    for ref in references(guard):
        if ref.root != "steps":
            continue
        if here is not None and any(known.node == ref.node for known in references(here)):
            continue  # we stand here because of that step's outcome
        read = told.at.get(ref.node or "")
        if read is None or read > at or (read < at and not logic.implies(here, told.item(read).guard)):
            return True
    return False


def _rest(guard: Tree | None, known: Tree | None, logic: Logic) -> Tree | None:
    """The part of a condition that is not yet known to hold."""
    if guard is None or known is None:
        return guard
    if logic.implies(known, guard):
        return None
    if isinstance(guard, Junction) and guard.op == "and":
        return conjoin(*(item for item in guard.items if not logic.implies(known, item)))
    return guard
