"""The order within each layer, such that few edges cross."""

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from compiler.report.graph.layering import Layered

Layers = list[list[int]]
_SWEEPS = 24
_PATIENCE = 5
_EXCHANGES = 8
_KEPT = 64  # orders


def order_layers(graph: Layered) -> tuple[tuple[int, ...], ...]:
    """Reorder each layer by sweeps of barycentres and by exchanging neighbours; the best order seen is kept.

    The start is depth first along the edges as given, so that of equally good orders the author's wins. Orders are kept
    for a while: most corrections of a draft leave its edges as they are.
    """
    return _ordered(_Neighbours(graph.layers, graph.above, graph.below))


@dataclass(frozen=True)
class _Neighbours:
    """The part of a graph in layers that orders hang on."""

    layers: tuple[tuple[int, ...], ...]
    above: tuple[tuple[int, ...], ...]
    below: tuple[tuple[int, ...], ...]


@lru_cache(maxsize=_KEPT)
def _ordered(graph: _Neighbours) -> tuple[tuple[int, ...], ...]:
    layers = _initial(graph)
    best, fewest = layers, _count(graph, layers)
    stale = 0
    for sweep in range(_SWEEPS):
        if not fewest or stale >= _PATIENCE:
            break
        layers = _exchange(graph, _sweep(graph, layers, downwards=sweep % 2 == 0))
        crossings = _count(graph, layers)
        stale = 0 if crossings < fewest else stale + 1
        if crossings < fewest:
            best, fewest = layers, crossings
    return tuple(map(tuple, best))


def count_crossings(graph: Layered, layers: Sequence[Sequence[int]]) -> int:
    """How many pairs of edges cross between neighbouring layers in that order."""
    return _count(_Neighbours(graph.layers, graph.above, graph.below), [list(layer) for layer in layers])


def _positions(layer: Sequence[int]) -> dict[int, int]:
    return {vertex: index for index, vertex in enumerate(layer)}


def _initial(graph: _Neighbours) -> Layers:
    layer_of = {vertex: index for index, layer in enumerate(graph.layers) for vertex in layer}
    layers: Layers = [[] for _ in graph.layers]
    seen: set[int] = set()
    roots = [vertex for layer in graph.layers for vertex in layer if not graph.above[vertex]]
    for root in roots:
        stack = [root]
        while stack:
            vertex = stack.pop()
            if vertex in seen:
                continue
            seen.add(vertex)
            layers[layer_of[vertex]].append(vertex)
            stack.extend(reversed(graph.below[vertex]))
    return layers


def _sweep(graph: _Neighbours, layers: Layers, *, downwards: bool) -> Layers:
    result = [list(layer) for layer in layers]
    indices = range(1, len(layers)) if downwards else range(len(layers) - 2, -1, -1)
    for index in indices:
        fixed = _positions(result[index - 1 if downwards else index + 1])
        neighbours = graph.above if downwards else graph.below
        result[index] = _by_barycentre(result[index], neighbours, fixed)
    return result


def _by_barycentre(layer: list[int], neighbours: Sequence[Sequence[int]], fixed: dict[int, int]) -> list[int]:
    """Sort by the mean position of the neighbours; a vertex without neighbours keeps its place."""
    centre = {
        vertex: sum(fixed[other] for other in neighbours[vertex]) / len(neighbours[vertex])
        for vertex in layer
        if neighbours[vertex]
    }
    moving = iter(sorted(centre, key=lambda vertex: centre[vertex]))
    return [next(moving) if vertex in centre else vertex for vertex in layer]


def _exchange(graph: _Neighbours, layers: Layers) -> Layers:
    """Exchange neighbours in a layer as long as that takes crossings away."""
    places = [_positions(layer) for layer in layers]
    moved = set(range(len(layers)))
    for _ in range(_EXCHANGES):
        near, moved = {at + by for at in moved for by in (-1, 0, 1)}, set()
        for index, layer in enumerate(layers):
            if index not in near and index - 1 not in moved:
                continue  # nothing beside it is another since it was looked at
            up = places[index - 1] if index else {}
            down = places[index + 1] if index + 1 < len(layers) else {}
            if _exchange_in(graph, layer, up, down):
                moved.add(index)
                places[index] = _positions(layer)
        if not moved:
            break
    return layers


def _exchange_in(graph: _Neighbours, layer: list[int], up: dict[int, int], down: dict[int, int]) -> bool:
    """Exchange neighbours of one layer from left to right; whether any were."""
    better = False
    for left in range(len(layer) - 1):
        first, second = layer[left], layer[left + 1]
        gain = sum(
            _pair(sides[first], sides[second], place) - _pair(sides[second], sides[first], place)
            for sides, place in ((graph.above, up), (graph.below, down))
        )
        if gain > 0:
            layer[left], layer[left + 1] = second, first
            better = True
    return better


def _pair(left: Sequence[int], right: Sequence[int], place: dict[int, int]) -> int:
    """Crossings between the edges of two vertices that stand beside each other."""
    if not left or not right:
        return 0
    if len(left) == len(right) == 1:  # as of all bends of long edges
        return int(place[left[0]] > place[right[0]])
    ordered = sorted(place[vertex] for vertex in left)
    return sum(len(ordered) - bisect_right(ordered, place[vertex]) for vertex in right)


def _count(graph: _Neighbours, layers: Layers) -> int:
    total = 0
    for upper, lower in pairwise(layers):
        place = _positions(lower)
        seen: list[int] = []
        for vertex in upper:
            targets = [place[other] for other in graph.below[vertex]]
            total += sum(len(seen) - bisect_right(seen, target) for target in targets)
            for target in targets:
                insort(seen, target)
    return total
