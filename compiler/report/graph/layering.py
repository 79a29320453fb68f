"""Layers for a graph: every edge runs from a higher layer to a lower one, through a bend in each layer between."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

BEND_WIDTH = 14.0


@dataclass(frozen=True)
class Item:
    """A node to be placed, with its size in pixels."""

    id: str
    width: float
    height: float


@dataclass(frozen=True)
class Link:
    """An edge to be drawn, with the size of its label (0 by 0 for none).

    Args:
        weight: the heavier, the straighter; the main path of a graph is given more than 1.
    """

    source: str
    target: str
    label_width: float = 0.0
    label_height: float = 0.0
    weight: int = 1

    @property
    def labelled(self) -> bool:
        """Whether the label needs a place of its own."""
        return self.label_width > 0 and self.label_height > 0


@dataclass(frozen=True)
class Layered:
    """A graph in layers; vertices are numbers: first the items, then bends.

    Args:
        layers: vertices from left to right, from the top layer down.
        above: by vertex, its neighbours one layer up; `below` likewise one layer down.
        first_bend: the number of the first vertex that is a bend or a label.
        chains: by link, its vertices from the upper end to the lower one.
        turned: by link, whether it runs upwards, against the layers (in a graph with a cycle).
        labels: by link, the vertex that carries its label.
        weights: by pair of vertices in neighbouring layers, the weight of the link between them.
    """

    layers: tuple[tuple[int, ...], ...]
    above: tuple[tuple[int, ...], ...]
    below: tuple[tuple[int, ...], ...]
    first_bend: int
    widths: tuple[float, ...]
    heights: tuple[float, ...]
    chains: tuple[tuple[int, ...], ...]
    turned: tuple[bool, ...]
    labels: tuple[int | None, ...]
    weights: dict[tuple[int, int], int]


def make_layers(items: Sequence[Item], links: Sequence[Link]) -> Layered:
    """Put every item in a layer and every label in a layer of its own between two layers of items.

    Cycles are cut at the edges that lead back; links from an item to itself are not laid out and have an empty chain.

    Raises:
        KeyError: a link names an item that is not there.
    """
    number = {item.id: index for index, item in enumerate(items)}
    ends = [(number[link.source], number[link.target]) for link in links]
    turned = _back_edges(len(items), ends)
    down = [(target, source) if back else (source, target) for (source, target), back in zip(ends, turned, strict=True)]
    ranks = _ranks(len(items), [pair for pair in down if pair[0] != pair[1]])
    pairs = zip(down, links, strict=True)
    label_ranks = {2 * ranks[upper] + 1 for (upper, lower), link in pairs if link.labelled and upper != lower}
    used = sorted({2 * rank for rank in ranks} | label_ranks)
    layer_of = {rank: index for index, rank in enumerate(used)}
    return _with_bends(items, links, down, turned, [layer_of[2 * rank] for rank in ranks], len(used))


def depths(items: Sequence[Item], links: Sequence[Link]) -> dict[str, int]:
    """How deep each item stands: below all that lead to it, cycles aside.

    >>> depths([Item("a", 9, 9), Item("b", 9, 9)], [Link("a", "b"), Link("b", "a")])
    {'a': 0, 'b': 1}
    """
    number = {item.id: index for index, item in enumerate(items)}
    ends = [(number[link.source], number[link.target]) for link in links]
    turned = _back_edges(len(items), ends)
    down = [(target, source) if back else (source, target) for (source, target), back in zip(ends, turned, strict=True)]
    ranks = _ranks(len(items), [pair for pair in down if pair[0] != pair[1]])
    return {item.id: rank for item, rank in zip(items, ranks, strict=True)}


def _back_edges(count: int, ends: Sequence[tuple[int, int]]) -> list[bool]:
    """By edge, whether it leads back to an item that is still being followed, depth first in the order given."""
    out: list[list[int]] = [[] for _ in range(count)]
    for edge, (source, _) in enumerate(ends):
        out[source].append(edge)
    entered = {target for source, target in ends if source != target}
    state, back = [0] * count, [False] * len(ends)
    for root in sorted(range(count), key=lambda vertex: vertex in entered):
        if state[root]:
            continue
        state[root] = 1
        trail: list[tuple[int, Iterator[int]]] = [(root, iter(out[root]))]
        while trail:
            vertex, edges = trail[-1]
            edge = next(edges, -1)
            if edge < 0:
                state[vertex] = 2
                trail.pop()
                continue
            target = ends[edge][1]
            if state[target] == 1:
                back[edge] = target != vertex
            elif not state[target]:
                state[target] = 1
                trail.append((target, iter(out[target])))
    return back


def _ranks(count: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """The longest way from the top to each item; then those with more ways out than in move down towards them."""
    below: list[list[int]] = [[] for _ in range(count)]
    above: list[list[int]] = [[] for _ in range(count)]
    for upper, lower in pairs:
        below[upper].append(lower)
        above[lower].append(upper)
    waiting = [len(vertices) for vertices in above]
    ready = deque(vertex for vertex in range(count) if not waiting[vertex])
    order: list[int] = []
    ranks = [0] * count
    while ready:
        vertex = ready.popleft()
        order.append(vertex)
        for lower in below[vertex]:
            ranks[lower] = max(ranks[lower], ranks[vertex] + 1)
            waiting[lower] -= 1
            if not waiting[lower]:
                ready.append(lower)
    for vertex in reversed(order):
        if below[vertex] and len(below[vertex]) > len(above[vertex]):
            ranks[vertex] = min(ranks[lower] for lower in below[vertex]) - 1
    return ranks


def _with_bends(
    items: Sequence[Item],
    links: Sequence[Link],
    down: Sequence[tuple[int, int]],
    turned: Sequence[bool],
    layer_of: Sequence[int],
    count: int,
) -> Layered:
    layers: list[list[int]] = [[] for _ in range(count)]
    widths, heights = [item.width for item in items], [item.height for item in items]
    chains: list[tuple[int, ...]] = []
    labels: list[int | None] = []
    weights: dict[tuple[int, int], int] = {}
    for vertex, layer in enumerate(layer_of):
        layers[layer].append(vertex)
    for (upper, lower), link in zip(down, links, strict=True):
        chain = [upper] if upper != lower else []
        label = None
        for layer in range(layer_of[upper] + 1, layer_of[lower]):
            vertex = len(widths)
            first = link.labelled and layer == layer_of[upper] + 1
            label = vertex if first else label
            widths.append(link.label_width if first else BEND_WIDTH)
            heights.append(link.label_height if first else 0.0)
            layers[layer].append(vertex)
            chain.append(vertex)
        chain += [lower] if upper != lower else []
        for pair in pairwise(chain):
            weights[pair] = max(weights.get(pair, 0), link.weight)
        chains.append(tuple(chain))
        labels.append(label)
    above: list[list[int]] = [[] for _ in widths]
    below: list[list[int]] = [[] for _ in widths]
    for chain_ in chains:
        for upper, lower in pairwise(chain_):
            below[upper].append(lower)
            above[lower].append(upper)
    return Layered(
        layers=tuple(map(tuple, layers)),
        above=tuple(map(tuple, above)),
        below=tuple(map(tuple, below)),
        first_bend=len(items),
        widths=tuple(widths),
        heights=tuple(heights),
        chains=tuple(chains),
        turned=tuple(turned),
        labels=tuple(labels),
        weights=weights,
    )
