"""Which of the edges that leave a node are taken."""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from math import inf
from typing import Literal

from ir.predicate import Always, Otherwise, Tree, Truth
from ir.workflow import Edge

Why = Literal["unknown", "overlap", "no-way-on"]


@dataclass(frozen=True)
class OpenChoice:
    """The edges of a node cannot be chosen, and why; `edges` are the indexes concerned."""

    why: Why
    edges: tuple[int, ...]


def choose(
    edges: Mapping[int, Edge], split: Literal["exclusive", "inclusive"], truth: Callable[[Tree], Truth]
) -> frozenset[int] | OpenChoice:
    """Which of the edges that leave a node are taken.

    Edges without condition always are. Of the true edges those of the smallest priority number are added (none comes
    last): `inclusive` adds all of them, `exclusive` takes one. `otherwise` is for when all conditional edges are false.

    Args:
        edges: at least one, by index, all for the same outcome of the node.
        truth: gives the truth of a condition.

    Returns:
        The indexes; or Open where an unknown could change the choice, where more than one true edge of an exclusive
        split has the smallest priority number, or where no edge at all is taken.
    """
    truths = {
        index: truth(edge.condition)
        for index, edge in edges.items()
        if not isinstance(edge.condition, Always | Otherwise)
    }
    true = {index for index, value in truths.items() if value}
    unknown = {index for index, value in truths.items() if value is None}
    return choose_among(edges, split, true, unknown, edges_without_test(edges))


def edges_without_test(edges: Mapping[int, Edge]) -> tuple[frozenset[int], frozenset[int]]:
    """The edges without condition, and those for the rest, by index."""
    always = frozenset(index for index, edge in edges.items() if isinstance(edge.condition, Always))
    return always, frozenset(index for index, edge in edges.items() if isinstance(edge.condition, Otherwise))


def choose_among(
    edges: Mapping[int, Edge],
    split: Literal["exclusive", "inclusive"],
    true: Set[int],
    unknown: Set[int],
    untested: tuple[frozenset[int], frozenset[int]],
) -> frozenset[int] | OpenChoice:
    """As `choose`, where it is known which conditions are true, and which are unknown.

    Args:
        untested: see `edges_without_test`.
    """
    always, otherwise = untested
    if true:
        first = min(rank(edges[index]) for index in true)
        true = {index for index in true if rank(edges[index]) == first}
        if split == "exclusive" and len(true) > 1:
            return OpenChoice("overlap", tuple(sorted(true)))
        unknown = {i for i in unknown if rank(edges[i]) < first or (split == "inclusive" and rank(edges[i]) == first)}
    if unknown:
        return OpenChoice("unknown", tuple(sorted(unknown)))
    taken = always | (true or otherwise)
    return taken if taken else OpenChoice("no-way-on", tuple(edges))


def rank(edge: Edge) -> float:
    """The place of an edge among the conditional ones of its node: its priority; those without one come last."""
    return inf if edge.priority is None else edge.priority
