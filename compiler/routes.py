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
from compiler.graph import Link
from ir.predicate import Ref, Tree, evaluate, references
from ir.workflow import CONTROL_END

MOST_VALUES, MOST_STATES, MOST_TRIALS = 512, 15_000, 150_000
State = tuple[tuple[int, int], ...]
"""For each matter that is no longer open, by its number, the values left, as bits."""


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
        exact: routes that contradict themselves are left out; else they could not all be found, and the true number
            is no greater than this one.
    """

    routes: int
    exact: bool


@dataclass(frozen=True, eq=False)
class Routes:
    """The routes to some nodes.

    Args:
        ends: where a route ends, wherever the graph goes from there.
        avoided: nodes that no route may pass.
    """

    analysis: Analysis
    ends: frozenset[str]
    avoided: frozenset[str] = frozenset()
    _leaving: dict[str, tuple[Link, ...]] = field(default_factory=dict)

    @cached_property
    def count(self) -> Count:
        """How many there are."""
        known = self._known
        starts = [(name, ()) for name in self.analysis.graph.entries]
        return Count(sum(known.totals.get(start, 0) for start in starts), known.exact)

    def __iter__(self) -> Iterator[tuple[Link, ...]]:
        """The edges of each route, in the order of the file; of a route without edges none."""
        known = self._known
        stack: list[tuple[tuple[str, State], tuple[Link, ...]]] = [
            ((name, ()), ()) for name in reversed(self.analysis.graph.entries)
        ]
        while stack:
            place, links = stack.pop()
            if not known.totals.get(place, 0):
                continue
            if place[0] in self.ends:
                yield links
                continue
            stack += [(following, (*links, link)) for link, following in reversed(known.onward[place])]

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
        onward: dict[tuple[str, State], list[tuple[Link, tuple[str, State]]]] = {}
        states: dict[str, dict[State, None]] = {name: {} for name in graph.order}
        for name in graph.entries:
            states[name][()] = None
        for name in graph.order:
            for state in states[name]:
                place = (name, state)
                onward[place] = []
                if name in self.ends or name in self.avoided:
                    continue
                for link in self._links(name):
                    after = self._after(matters, state, link)
                    if after is not None:
                        onward[place].append((link, (link.target, after)))
                        states[link.target][after] = None
            if len(onward) > MOST_STATES and matters:
                return None
        totals: dict[tuple[str, State], int] = {}
        for place in reversed(onward):
            here = int(place[0] in self.ends and place[0] not in self.avoided)
            totals[place] = here + sum(totals[following] for _, following in onward[place])
        return _Known(onward, totals, complete)

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
                if not self._forks:
                    bits = _unpassed(matter, bits)
            if not bits:
                return None
            if place > matter.last or bits == matter.every:
                left.pop(number, None)
            else:
                left[number] = bits
        return tuple(sorted(left.items()))

    @cached_property
    def _forks(self) -> bool:
        """Whether a run may take several ways at once, so that a node beside the route may have run."""
        graph = self.analysis.graph
        return len(graph.entries) > 1 or any(
            len(choice.taken) > 1 for name in graph.order for choice in self.analysis.ways(name).choices
        )

    @cached_property
    def _matters(self) -> tuple[tuple[Matter, ...], bool]:
        """The matters by which routes can contradict themselves, and whether all of them can be reckoned with."""
        needed = self._demands
        kept, complete, trials = [], True, 0
        for trees in _grouped(tree for _, demand in needed for tree in (demand.tree,)):
            own = [(link, demand) for link, demand in needed if demand.tree in trees]
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

    onward: Mapping[tuple[str, State], list[tuple[Link, tuple[str, State]]]]
    totals: Mapping[tuple[str, State], int]
    exact: bool


def _unpassed(matter: Matter, bits: int) -> int:
    """The values left where a node that the route did not pass did not run; one that it passed has run for certain."""
    for ran in matter.ran.values():
        bits = bits if not bits & ~ran else bits & ~ran
    return bits


def _grouped(trees: Iterable[Tree]) -> list[list[Tree]]:
    """The conditions, each once, those together that read the same node or the same input."""
    groups: list[tuple[set[object], list[Tree]]] = []
    for tree in dict.fromkeys(trees):
        read: set[object] = {(ref.root, ref.path[0]) for ref in references(tree)}
        touched = [group for group in groups if group[0] & read]
        merged = (read.union(*(group[0] for group in touched)), [one for group in touched for one in group[1]] + [tree])
        groups = [group for group in groups if group not in touched] + [merged]
    return [trees for _, trees in groups]


def completing_ends(analysis: Analysis, ends: Iterable[str]) -> frozenset[str]:
    """Those of the ends with which a run is completed."""
    nodes = analysis.workflow.nodes
    return frozenset(
        name for name in ends if nodes[name].type != CONTROL_END or nodes[name].status in (None, "completed")
    )
