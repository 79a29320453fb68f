"""The nodes of a workflow that choose among edges with conditions."""

from collections.abc import Iterator

from compiler.check_input import CheckInput
from compiler.ways import conditions
from ir.workflow import Edge

Edges = dict[int, Edge]


def success_edges(given: CheckInput, name: str) -> Edges:
    """The edges that a node may leave by when it succeeded, by index."""
    return {link.index: link.edge for link in given.analysis.graph.out[name] if link.on_success}


def splits(given: CheckInput) -> Iterator[tuple[str, Edges]]:
    """The nodes that conditional edges leave, with all their edges for success."""
    for name in given.analysis.graph.order:
        edges = success_edges(given, name)
        if conditions(edges):
            yield name, edges
