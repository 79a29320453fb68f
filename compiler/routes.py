"""The ways through a workflow: counted without listing them, and listed without walking into dead ends.

A route is a path of the graph from an entry to an end; where a workflow forks, a run takes several. Routes whose
conditions cannot hold together are left out. To see that while counting, each step of the count knows which values the
conditions so far leave open: conditions that read something in common form a matter, and of each matter that is read
more than once on the way the values left are kept as the bits of a number.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from compiler.analysis import Analysis
from compiler.demands import Demand, demands
from compiler.enumerate import Assignment, space_of
from compiler.graph import Link, exits
from ir.predicate import Ref, Tree, evaluate, references
from ir.workflow import CONTROL_END, Workflow

MOST_VALUES, MOST_STATES, MOST_TRIALS = 512, 15_000, 150_000
State = tuple[tuple[int, int], ...]
"""For each matter that is no longer open, by its number, the values left, as bits."""
Place = tuple[str, State]
"""A node, come to with what is left of the values."""


@dataclass(frozen=True)
class Way:
    """One way through the graph, from a node over edges."""

    start: str
    links: tuple[Link, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes on it, first to last."""
        return (self.start, *(link.target for link in self.links))


@dataclass(frozen=True)
class Matter:
    """Conditions that read something in common, with all values that they can tell apart.

    Args:
        readers: the nodes whose edges have these conditions.
        last: the place of the last of them in the order of the nodes.
        ran: for each node whose outputs are read, the values in which it gave them, as bits.
        allowed: for each edge, by index, the values with which it can be taken, as bits.
    """

    readers: frozenset[str]
    last: int
    every: int
    ran: Mapping[str, int]
    allowed: Mapping[int, int]


@dataclass(frozen=True)
class Count:
    """How many routes there are.

    Args:
        with_person: how many of them pass one of the nodes that are counted apart.
        exact: routes that contradict themselves are left out; else they could not all be found, and the true numbers
            are no greater than these.
    """

    routes: int
    with_person: int
    exact: bool


@dataclass(frozen=True, eq=False)
class Routes:
    """The routes to some nodes.

    Args:
        ends: where a route may end.
        avoided: nodes that no route may pass.
        people: the nodes that are counted apart.
    """

    analysis: Analysis
    ends: frozenset[str]
    avoided: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    _leaving: dict[str, tuple[Link, ...]] = field(default_factory=dict)

    @cached_property
    def count(self) -> Count:
        """How many there are."""
        known = self._known
        starts: list[Place] = [(name, ()) for name in self.analysis.graph.entries]
        alone = _totals(known.onward, self.ends, self.avoided | self.people)
        routes = sum(known.leading[start] for start in starts)
        return Count(routes, routes - sum(alone[start] for start in starts), known.exact)

    def __iter__(self) -> Iterator[Way]:
        """The routes in the order of the file."""
        known = self._known
        stack: list[tuple[Place, Way]] = [((name, ()), Way(name)) for name in reversed(self.analysis.graph.entries)]
        while stack:
            place, way = stack.pop()
            if not known.leading[place]:
                continue
            if place[0] in self.ends:
                yield way
            stack += [
                (following, Way(way.start, (*way.links, link))) for link, following in reversed(known.onward[place])
            ]

    @cached_property
    def _known(self) -> "_Known":
        """What is counted with as many matters as can be kept apart, those that are over soonest first."""
        matters, complete = self._matters
        while True:
            known = self._counted(matters, complete)
            if known is not None:
                return known
            matters, complete = matters[: len(matters) // 4], False

    def _counted(self, matters: tuple[Matter, ...], complete: bool) -> "_Known | None":
        """The places that routes come to, and how many lead on from each; None where there are too many places."""
        graph = self.analysis.graph
        onward: dict[Place, list[tuple[Link, Place]]] = {}
        states: dict[str, dict[State, None]] = {name: {} for name in graph.order}
        for name in graph.entries:
            states[name][()] = None
        for name in graph.order:
            for state in states[name]:
                place = (name, state)
                onward[place] = []
                for link in self._links(name) if name not in self.avoided else ():
                    after = self._after(matters, state, link)
                    if after is not None:
                        onward[place].append((link, (link.target, after)))
                        states[link.target][after] = None
            if len(onward) > MOST_STATES and matters:
                return None
        return _Known(onward, _totals(onward, self.ends, self.avoided), complete)

    def _links(self, name: str) -> tuple[Link, ...]:
        """The edges of a node that some run takes and that lead towards an end."""
        if name not in self._leaving:
            ways = self.analysis.ways(name)
            links = self.analysis.graph.out[name]
            self._leaving[name] = tuple(
                link for link in links if link.target in self._towards and ways.possible(link.index)
            )
        return self._leaving[name]

    @cached_property
    def _towards(self) -> frozenset[str]:
        """The ends and all that leads to them."""
        ancestors = self.analysis.graph.ancestors
        return self.ends.union(*(ancestors[name] for name in self.ends))

    def _after(self, matters: tuple[Matter, ...], state: State, link: Link) -> State | None:
        """What is left of the values once an edge is taken; None where nothing is."""
        left = dict(state)
        place = self.analysis.graph.position[link.target]
        for number, matter in enumerate(matters):
            bits = left.get(number, matter.every)
            ran = matter.ran.get(link.source)
            if ran is not None:
                bits &= ran if link.on_success else matter.every & ~ran
            if link.source in matter.readers:
                bits &= matter.allowed.get(link.index, matter.every)
                if not self.analysis.forks:
                    bits = _unpassed(matter, bits)
            if not bits:
                return None
            if place > matter.last or bits == matter.every:
                left.pop(number, None)
            else:
                left[number] = bits
        return tuple(sorted(left.items()))

    @cached_property
    def _matters(self) -> tuple[tuple[Matter, ...], bool]:
        """The matters by which routes can contradict themselves, and whether all of them can be reckoned with."""
        needed = self._demands
        kept, complete, trials = [], True, 0
        for own in _grouped(needed):
            trees = list(dict.fromkeys(demand.tree for _, demand in own))
            readers = frozenset(link.source for link, _ in own)
            if len(readers) < 2 and not self._may_be_skipped(trees, readers):
                continue
            space = space_of(trees, self.analysis.scope.spec, None, self._nullable({link for link, _ in own}))
            trials += space.size * len(own) if space.size <= MOST_VALUES else 0
            if not space.exact or space.size > MOST_VALUES or trials > MOST_TRIALS:
                complete = False
                continue
            kept.append(self._matter(readers, trees, own, list(space)))
        first = self.analysis.graph.position
        kept.sort(key=lambda matter: matter.last - min(first[name] for name in matter.readers))
        return tuple(kept), complete

    @cached_property
    def _demands(self) -> list[tuple[Link, Demand]]:
        graph, nodes = self.analysis.graph, self.analysis.workflow.nodes
        return [
            (link, demand)
            for name in graph.order
            if name in self._towards
            for link in self._links(name)
            for demand in demands(link, graph.out[name], nodes[name].split or "exclusive")
        ]

    def _nullable(self, links: Iterable[Link]) -> Callable[[Ref], bool]:
        """Which references can be null where some edge reads them: a node that failed gave nothing."""
        readers = {link.source for link in links}
        failed = {link.source for link in links if not link.on_success}
        return lambda ref: ref.node in failed or any(self.analysis.may_be_null(ref, reader) for reader in readers)

    def _may_be_skipped(self, trees: Iterable[Tree], readers: Iterable[str]) -> bool:
        """Whether a route may come to a reader past a node whose output it reads."""
        dominators = self.analysis.dominators
        nodes = {ref.node for tree in trees for ref in references(tree) if ref.node in self.analysis.workflow.nodes}
        return any(node not in dominators[reader] for node in nodes for reader in readers)

    def _matter(
        self, readers: frozenset[str], trees: list[Tree], own: list[tuple[Link, Demand]], values: list[Assignment]
    ) -> Matter:
        nodes = list({ref.node for tree in trees for ref in references(tree) if ref.node is not None})
        whole = [(one, ran) for one in values for ran in product((True, False), repeat=len(nodes))]
        rows = [(one, dict(zip(nodes, ran, strict=True))) for one, ran in whole]
        rows = [(one, ran) for one, ran in rows if all(self._fits(one, node, ran[node]) for node in nodes)]
        every = (1 << len(rows)) - 1
        allowed: dict[int, int] = {}
        for link, demand in own:
            bits = sum(1 << at for at, (one, _) in enumerate(rows) if evaluate(demand.tree, one) in demand.truths)
            allowed[link.index] = allowed.get(link.index, every) & bits
        ran_bits = {node: sum(1 << at for at, (_, ran) in enumerate(rows) if ran[node]) for node in nodes}
        position = self.analysis.graph.position
        return Matter(readers, max(position[name] for name in readers), every, ran_bits, allowed)

    def _fits(self, values: Assignment, node: str, ran: bool) -> bool:
        """Whether a node can have run, or not, where its outputs are these."""
        own = [ref for ref in values.values if ref.node == node]
        if not ran:
            return all(values(ref) is None for ref in own)
        return all(values(ref) is not None or self.analysis.scope.null_sources(ref) for ref in own)


@dataclass(frozen=True)
class _Known:
    """The places that routes come to, with the ways on from each and how many routes lead on from it."""

    onward: dict[Place, list[tuple[Link, Place]]]
    leading: Mapping[Place, int]
    exact: bool


def _totals(
    onward: dict[Place, list[tuple[Link, Place]]], ends: frozenset[str], avoided: frozenset[str]
) -> dict[Place, int]:
    """How many routes lead on from each place to an end past none of the nodes to be avoided, from the last back."""
    totals: dict[Place, int] = {}
    for place in reversed(onward):
        here = int(place[0] in ends) + sum(totals[following] for _, following in onward[place])
        totals[place] = here if place[0] not in avoided else 0
    return totals


def _unpassed(matter: Matter, bits: int) -> int:
    """The values left where a node that the route did not pass did not run; one that it passed has run for certain."""
    for ran in matter.ran.values():
        bits = bits if not bits & ~ran else bits & ~ran
    return bits


def _grouped(needed: Iterable[tuple[Link, Demand]]) -> list[list[tuple[Link, Demand]]]:
    """The demands, those together that read the same node or the same input; what reads nothing is left out."""
    leader: dict[str, str] = {}

    def led(name: str) -> str:
        while leader.setdefault(name, name) != name:
            leader[name] = name = leader[leader[name]]
        return name

    read = [
        (one, list(dict.fromkeys(ref.node or f"$.inputs.{ref.path[0]}" for ref in references(one[1].tree))))
        for one in needed
    ]
    for _, names in read:
        for name in names[1:]:
            leader[led(name)] = led(names[0])
    groups: dict[str, list[tuple[Link, Demand]]] = {}
    for one, names in read:
        if names:
            groups.setdefault(led(names[0]), []).append(one)
    return list(groups.values())


def completing_ends(workflow: Workflow) -> frozenset[str]:
    """The nodes with which a run can be completed."""
    nodes = workflow.nodes
    return frozenset(
        name for name in exits(workflow) if nodes[name].type != CONTROL_END or nodes[name].status in (None, "completed")
    )
