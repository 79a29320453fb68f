"""Where each vertex stands from left to right: straight long edges, nothing closer than it may be.

After Brandes and Köpf (2001): four layouts, each leaning to one corner, in which a vertex stands exactly above or
below one neighbour where it can; the result is the middle of the four, and so keeps what all of them keep.
"""

from collections.abc import Sequence
from graphlib import TopologicalSorter
from itertools import pairwise

from compiler.report.graph.layering import Layered

NODE_GAP = 28.0
BEND_GAP = 12.0


def place_across(graph: Layered, layers: Sequence[Sequence[int]]) -> list[float]:
    """The centre of each vertex, in pixels, the leftmost border being 0."""
    conflicts = _conflicts(graph, layers)
    heaviest = (_heaviest(graph, graph.above), _heaviest(graph, graph.below))
    layouts = [
        _leaning(graph, layers, conflicts, heaviest, upwards=upwards, mirrored=mirrored)
        for upwards in (False, True)
        for mirrored in (False, True)
    ]
    extents = [_extent(graph, layout) for layout in layouts]
    narrowest = min(extents, key=lambda extent: extent[1] - extent[0])
    for layout, (left, right), mirrored in zip(layouts, extents, (False, True, False, True), strict=True):
        shift = narrowest[1] - right if mirrored else narrowest[0] - left
        layout[:] = [x + shift for x in layout]
    middle = [sum(sorted(xs)[1:3]) / 2 for xs in zip(*layouts, strict=True)]
    left, _ = _extent(graph, middle)
    return [x - left for x in middle]


def separation(graph: Layered, left: int, right: int) -> float:
    """The least distance between the centres of two vertices that stand beside each other."""
    gap = BEND_GAP if left >= graph.first_bend or right >= graph.first_bend else NODE_GAP
    return (graph.widths[left] + graph.widths[right]) / 2 + gap


def _extent(graph: Layered, xs: Sequence[float]) -> tuple[float, float]:
    return (
        min((x - width / 2 for x, width in zip(xs, graph.widths, strict=True)), default=0.0),
        max((x + width / 2 for x, width in zip(xs, graph.widths, strict=True)), default=0.0),
    )


def _conflicts(graph: Layered, layers: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    """Edges that cross the inner part of a long edge: they give way, so that long edges stay straight."""
    marked: set[tuple[int, int]] = set()
    for upper, lower in pairwise(layers):
        place = {vertex: index for index, vertex in enumerate(upper)}
        start, scanned = 0, 0
        for index, vertex in enumerate(lower):
            inner = next((up for up in graph.above[vertex] if _inner(graph, up, vertex)), None)
            if inner is None and index < len(lower) - 1:
                continue
            stop = len(upper) if inner is None else place[inner]
            for other in lower[scanned : index + 1]:
                for up in graph.above[other]:
                    if not start <= place[up] <= stop and not _inner(graph, up, other):
                        marked.add((up, other))
            scanned, start = index + 1, stop
    return marked


def _inner(graph: Layered, upper: int, lower: int) -> bool:
    return upper >= graph.first_bend and lower >= graph.first_bend


def _leaning(
    graph: Layered,
    layers: Sequence[Sequence[int]],
    conflicts: set[tuple[int, int]],
    heaviest: tuple[Sequence[int], Sequence[int]],
    *,
    upwards: bool,
    mirrored: bool,
) -> list[float]:
    """One of the four layouts: aligned with the layer above (or below), packed to the left (or right).

    Args:
        heaviest: the weight of each vertex's heaviest edge, above and below it.
    """
    turned = [list(reversed(layer)) if mirrored else list(layer) for layer in layers]
    root = _align(graph, list(reversed(turned)) if upwards else turned, conflicts, heaviest, upwards=upwards)
    xs = _pack(graph, turned, root)
    return [-x for x in xs] if mirrored else xs


def _align(
    graph: Layered,
    layers: Sequence[Sequence[int]],
    conflicts: set[tuple[int, int]],
    heaviest: tuple[Sequence[int], Sequence[int]],
    *,
    upwards: bool,
) -> list[int]:
    """Join vertices into straight columns; returns the root of each vertex's column."""
    count = len(graph.widths)
    root, align = list(range(count)), list(range(count))
    neighbours = graph.below if upwards else graph.above
    here, back = reversed(heaviest) if upwards else heaviest
    for fixed, layer in pairwise(layers):
        place = {vertex: index for index, vertex in enumerate(fixed)}
        last = -1
        for vertex in layer:
            for other in _middle(graph, vertex, neighbours[vertex], here[vertex], back, place):
                pair = (vertex, other) if upwards else (other, vertex)
                if align[vertex] == vertex and last < place[other] and pair not in conflicts:
                    align[other] = vertex
                    align[vertex] = root[vertex] = root[other]
                    last = place[other]
    return root


def _heaviest(graph: Layered, sides: Sequence[Sequence[int]]) -> list[int]:
    """The weight of each vertex's heaviest edge on one side."""
    return [max((_weight(graph, vertex, other) for other in others), default=0) for vertex, others in enumerate(sides)]


def _middle(
    graph: Layered, vertex: int, others: Sequence[int], heaviest: int, back: Sequence[int], place: dict[int, int]
) -> list[int]:
    """The median neighbour or the two of them, of those joined by the heaviest edge of both ends.

    Args:
        heaviest: the weight of the vertex's heaviest edge to any of the others.
        back: the weight of each other's heaviest edge to this side.
    """
    if len(others) == 1:  # as of each bend of a long edge
        return [*others] if heaviest >= back[others[0]] else []
    ordered = sorted((other for other in others if _weight(graph, vertex, other) == heaviest), key=lambda v: place[v])
    median = ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1]
    return [other for other in median if heaviest >= back[other]]


def _weight(graph: Layered, one: int, other: int) -> int:
    return graph.weights.get((one, other), 0) + graph.weights.get((other, one), 0)


def _pack(graph: Layered, layers: Sequence[Sequence[int]], root: Sequence[int]) -> list[float]:
    """Push the columns to the left as far as the distances allow, then each to the right where it has room."""
    gaps: dict[int, dict[int, float]] = {vertex: {} for vertex in set(root)}
    for layer in layers:
        for left, right in pairwise(layer):
            before = gaps[root[right]]
            before[root[left]] = max(before.get(root[left], 0.0), separation(graph, left, right))
    order = list(TopologicalSorter({column: sorted(before) for column, before in sorted(gaps.items())}).static_order())
    xs: dict[int, float] = {}
    for column in order:
        xs[column] = max((xs[left] + gap for left, gap in gaps[column].items()), default=0.0)
    room: dict[int, float] = {}
    for column in reversed(order):
        if column in room:
            xs[column] = max(xs[column], room[column])
        for left, gap in gaps[column].items():
            room[left] = min(room.get(left, float("inf")), xs[column] - gap)
    return [xs[column] for column in root]
