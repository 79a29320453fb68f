"""The graph of a workflow as analyses want it: only edges that join existing nodes, no cycle, in topological order."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ir.walk import in_order
from ir.workflow import CONTROL_END, Edge, Workflow


@dataclass(frozen=True)
class Link:
    """An edge with its index in the workflow's list."""

    index: int
    edge: Edge

    @property
    def source(self) -> str:
        """Where it leaves."""
        return self.edge.source

    @property
    def target(self) -> str:
        """Where it leads."""
        return self.edge.target

    @property
    def on_success(self) -> bool:
        """Whether it is for a node that succeeded."""
        return self.edge.on == "success"


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes and edges in topological order.

    Edges from or to unknown nodes and edges that lead back (self-loops too) are left out, each of which has its own
    diagnostic, so that every analysis may take the graph for acyclic.

    Args:
        order: ids of the nodes, each after all that lead to it; ties by the order in the file.
        links: the edges kept, in file order.
        back: the edges left out because they close a cycle.
    """

    order: tuple[str, ...]
    links: tuple[Link, ...]
    back: tuple[Link, ...]

    @cached_property
    def position(self) -> Mapping[str, int]:
        """The place of each node in the order."""
        return {node: index for index, node in enumerate(self.order)}

    @cached_property
    def out(self) -> Mapping[str, tuple[Link, ...]]:
        """The edges that leave each node."""
        return self._by(lambda link: link.source)

    @cached_property
    def into(self) -> Mapping[str, tuple[Link, ...]]:
        """The edges that enter each node."""
        return self._by(lambda link: link.target)

    def _by(self, end: Callable[[Link], str]) -> Mapping[str, tuple[Link, ...]]:
        groups: dict[str, list[Link]] = {node: [] for node in self.order}
        for link in self.links:
            groups[end(link)].append(link)
        return {node: tuple(links) for node, links in groups.items()}

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """The nodes that no edge enters."""
        return tuple(node for node in self.order if not self.into[node])

    @cached_property
    def ancestors(self) -> Mapping[str, frozenset[str]]:
        """For each node those that lead to it, itself not among them."""
        found: dict[str, frozenset[str]] = {}
        for node in self.order:
            sources = {link.source for link in self.into[node]}
            found[node] = frozenset(sources).union(*(found[source] for source in sources))
        return found

    def reach(
        self, start: Iterable[str], passable: Callable[[Link], bool] = lambda link: True
    ) -> dict[str, Link | None]:
        """The nodes that can be reached over passable edges, each with the edge that first led there."""
        found: dict[str, Link | None] = dict.fromkeys(start)
        waiting = list(found)
        while waiting:
            for link in self.out[waiting.pop(0)]:
                if link.target not in found and passable(link):
                    found[link.target] = link
                    waiting.append(link.target)
        return found

    def route(self, reached: Mapping[str, Link | None], node: str) -> tuple[str, ...]:
        """The nodes on the way to a node, by what `reach` gave."""
        way = [node]
        while link := reached[way[-1]]:
            way.append(link.source)
        return tuple(reversed(way))


def graph_of(workflow: Workflow) -> Graph:
    """The graph of a workflow; total, whatever is wrong with its edges."""
    known = [
        Link(index, edge)
        for index, edge in enumerate(workflow.edges)
        if edge.source in workflow.nodes and edge.target in workflow.nodes
    ]
    out: dict[str, list[Link]] = {node: [] for node in workflow.nodes}
    for link in known:
        out[link.source].append(link)
    entered = {link.target for link in known}
    back = _back_edges(out, [node for node in out if node not in entered] + list(out))
    links = tuple(link for link in known if link.index not in back)
    order = in_order(list(out), [(link.source, link.target) for link in links])
    return Graph(order, links, tuple(link for link in known if link.index in back))


def _back_edges(out: Mapping[str, list[Link]], starts: list[str]) -> frozenset[int]:
    """Indexes of the edges that lead back to a node on the way to them, in a depth-first walk."""
    open_, done, back = set[str](), set[str](), set[int]()
    for start in starts:
        if start in done:
            continue
        stack = [(start, iter(out[start]))]
        open_.add(start)
        while stack:
            node, links = stack[-1]
            link = next(links, None)
            if link is None:
                stack.pop()
                open_.discard(node)
                done.add(node)
            elif link.target in open_:
                back.add(link.index)
            elif link.target not in done:
                open_.add(link.target)
                stack.append((link.target, iter(out[link.target])))
    return frozenset(back)


def shortest_cycle(workflow: Workflow, back: Link) -> tuple[str, ...]:
    """The nodes of the shortest cycle that an edge closes, first and last the same: a, b, c, a."""
    before: dict[str, str] = {}
    waiting = [back.target]
    while waiting and back.source not in before:
        node = waiting.pop(0)
        for edge in workflow.edges_from(node):
            if edge.target in workflow.nodes and edge.target not in before and edge.target != back.target:
                before[edge.target] = node
                waiting.append(edge.target)
    way = [back.source]
    while way[-1] != back.target:
        way.append(before[way[-1]])
    return (*reversed(way), back.target)


def exits(workflow: Workflow) -> tuple[str, ...]:
    """The nodes at which a path ends when all goes well: no edge leaves them on success, or they are `control.end`."""
    left = {edge.source for edge in workflow.edges if edge.on == "success" and edge.target in workflow.nodes}
    return tuple(name for name, node in workflow.nodes.items() if node.type == CONTROL_END or name not in left)


def completing_ends(workflow: Workflow) -> frozenset[str]:
    """The nodes with which a run can be completed."""
    nodes = workflow.nodes
    return frozenset(
        name for name in exits(workflow) if nodes[name].type != CONTROL_END or nodes[name].status in (None, "completed")
    )
