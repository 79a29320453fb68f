"""The paths through a workflow: counted without listing them, and listed without walking into dead ends.

A route is a path of the graph from an entry to an end; where a workflow forks, a run takes several. Routes whose
conditions cannot hold together are left out. To see that while counting, each step of the count knows which values the
conditions so far leave open, group by group (`validator.runs.shared_variables`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from validator.analysis.graph import Link
from validator.analysis.path_conditions import TRUE, PathCondition, path_conditions
from validator.runs.shared_variables import EdgeCondition, SharedVariables, can_contradict, shared_variables
from validator.runs.workflow_analysis import Analysis

MOST_STATES = 15_000
State = tuple[tuple[int, int], ...]
"""For each group that is no longer open, by its number, the values left, as bits."""
Place = tuple[str, State]
"""A node, come to with what is left of the values."""


@dataclass(frozen=True)
class GraphPath:
    """One path through the graph, from a node over edges."""

    start: str
    links: tuple[Link, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes on it, first to last."""
        return (self.start, *(link.target for link in self.links))


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
        counts = self._counts
        starts: list[Place] = [(name, ()) for name in self.analysis.graph.entries]
        alone = _totals(counts.onward, self.ends, self.avoided | self.people)
        routes = sum(counts.leading[start] for start in starts)
        return Count(routes, routes - sum(alone[start] for start in starts), counts.exact)

    def __iter__(self) -> Iterator[GraphPath]:
        """The routes in the order of the file."""
        counts = self._counts
        stack: list[tuple[Place, GraphPath]] = [
            ((name, ()), GraphPath(name)) for name in reversed(self.analysis.graph.entries)
        ]
        while stack:
            place, path = stack.pop()
            if not counts.leading[place]:
                continue
            if place[0] in self.ends:
                yield path
            stack += [
                (following, GraphPath(path.start, (*path.links, link)))
                for link, following in reversed(counts.onward[place])
            ]

    @cached_property
    def _counts(self) -> "_PlaceCounts":
        """What is counted with as many groups as can be kept apart, those that are over soonest first."""
        groups, complete = shared_variables(self.analysis, self._path_conditions())
        while True:
            counts = self._counted(groups, complete)
            if counts is not None:
                return counts
            groups, complete = groups[: len(groups) // 4], False

    def _path_conditions(self) -> Iterator[EdgeCondition]:
        """What must hold on each edge that may lead to an end; on those with which a run starts, the guards."""
        graph, nodes = self.analysis.graph, self.analysis.workflow.nodes
        contradicting = can_contradict(self.analysis)
        for name in graph.order:
            for link in self._links(name) if name in self._towards else ():
                siblings = graph.out[name] if name in contradicting else ()
                for condition in path_conditions(link, siblings, nodes[name].split or "exclusive"):
                    yield link, condition
                for guard in self.analysis.workflow.guards if name in graph.entries else ():
                    yield link, PathCondition(guard.condition, TRUE)

    def _counted(self, groups: tuple[SharedVariables, ...], complete: bool) -> "_PlaceCounts | None":
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
                    after = self._after(groups, state, link)
                    if after is not None:
                        onward[place].append((link, (link.target, after)))
                        states[link.target][after] = None
            if len(onward) > MOST_STATES and groups:
                return None
        return _PlaceCounts(onward, _totals(onward, self.ends, self.avoided), complete)

    def _links(self, name: str) -> tuple[Link, ...]:
        """The edges of a node that some run takes and that lead towards an end."""
        if name not in self._leaving:
            outcomes = self.analysis.branch_outcomes(name)
            links = self.analysis.graph.out[name]
            self._leaving[name] = tuple(
                link for link in links if link.target in self._towards and outcomes.possible(link.index)
            )
        return self._leaving[name]

    @cached_property
    def _towards(self) -> frozenset[str]:
        """The ends and all that leads to them."""
        ancestors = self.analysis.graph.ancestors
        return self.ends.union(*(ancestors[name] for name in self.ends))

    def _after(self, groups: tuple[SharedVariables, ...], state: State, link: Link) -> State | None:
        """What is left of the values once an edge is taken; None where nothing is."""
        left = dict(state)
        place = self.analysis.graph.position[link.target]
        for number, group in enumerate(groups):
            bits = group.remaining(left.get(number, group.every), link, alone=not self.analysis.runs_in_parallel)
            if not bits:
                return None
            if place > group.last or bits == group.every:
                left.pop(number, None)
            else:
                left[number] = bits
        return tuple(sorted(left.items()))


@dataclass(frozen=True)
class _PlaceCounts:
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
