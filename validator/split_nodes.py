"""The nodes of a workflow that choose among edges with conditions."""

from collections.abc import Iterator

from ir.workflow import Edge
from validator.analysis.branch_outcomes import conditions
from validator.check_input import CheckInput

Edges = dict[int, Edge]


def success_edges(given: CheckInput, name: str) -> Edges:
    """The edges that a node may leave by when it succeeded, by index; also those that lead nowhere, or back."""
    return given.leaving.get(name, {})


def splits(given: CheckInput) -> Iterator[tuple[str, Edges]]:
    """The nodes that conditional edges leave, with all their edges for success.

    Nodes of which an edge leads nowhere, or back, are left out: what such an edge is meant to cover is not known, and
    it has a diagnostic of its own.
    """
    graph = given.analysis.graph
    joined = {link.index for link in graph.links}
    for name in graph.order:
        edges = success_edges(given, name)
        if conditions(edges) and joined.issuperset(edges):
            yield name, edges
