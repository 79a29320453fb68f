"""Layered drawing of a graph, top to bottom, in which nothing overlaps: no node, no label, no edge through either.

Order of work: layers (`layering`), order within them (`ordering`), places across (`placing`), then here the heights of
the layers, the points where edges leave and enter, and the routes. An edge runs vertically wherever it passes a
layer and curves only in the gaps between layers, where nothing else stands.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from compiler.report.graph.layering import Item, Layered, Link, make_layers
from compiler.report.graph.ordering import order_layers
from compiler.report.graph.placing import place_across

MARGIN = 12.0
_GAP, _GAP_MOST, _LEAN = 20.0, 64.0, 0.05
_PORT_SHARE, _PORT_GAP = 0.6, 18.0
_LOOP, _LOOP_GAP = 26.0, 6.0

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle; `x` and `y` are its left and top, in pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right border."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower border."""
        return self.y + self.height

    @property
    def centre(self) -> Point:
        """Its middle."""
        return self.x + self.width / 2, self.y + self.height / 2

    def meets(self, other: "Box") -> bool:
        """Whether the two have an area in common."""
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom


@dataclass(frozen=True)
class Route:
    """How an edge runs, from its source to its target.

    Args:
        points: between two of them the edge is a straight vertical line where x is the same, else an S-curve that
            begins and ends vertically.
        label: where its label stands.
        loop: the edge leads from a node to itself, and the points are the corners of a line.
    """

    points: tuple[Point, ...]
    label: Box | None = None
    loop: bool = False


@dataclass(frozen=True)
class Layout:
    """A drawing: boxes by item, routes in the order of the links."""

    width: float
    height: float
    boxes: dict[str, Box]
    routes: tuple[Route, ...]


def arrange(items: Sequence[Item], links: Sequence[Link]) -> Layout:
    """Place items and links; the same input always gives the same drawing.

    Raises:
        KeyError: a link names an item that is not there.

    >>> drawing = arrange([Item("a", 80, 40), Item("b", 80, 40)], [Link("a", "b", 30, 14)])
    >>> drawing.boxes["a"].bottom < drawing.routes[0].label.y < drawing.boxes["b"].y
    True
    """
    if not items:
        return Layout(2 * MARGIN, 2 * MARGIN, {}, ())
    loops = _loops(links)
    wide = [_with_loops(item, loops.get(item.id, ())) for item in items]
    graph = make_layers(wide, links)
    layers = order_layers(graph)
    xs = [x + MARGIN for x in place_across(graph, layers)]
    bands = _bands(graph, layers, xs)
    band_of = {vertex: band for layer, band in zip(layers, bands, strict=True) for vertex in layer}
    boxes = {
        item.id: _box(xs[vertex], sum(band_of[vertex]) / 2, item.width, item.height)
        for vertex, item in enumerate(items)
    }
    routes = _routes(graph, links, [boxes[item.id] for item in items], xs, band_of)
    for item_id, own in loops.items():
        for index, route in _loop_routes(boxes[item_id], own).items():
            routes[index] = route
    right = max(x + width / 2 for x, width in zip(xs, graph.widths, strict=True))
    return Layout(right + MARGIN, bands[-1][1] + MARGIN, boxes, tuple(routes))


def _loops(links: Sequence[Link]) -> dict[str, tuple[tuple[int, Link], ...]]:
    """The links from an item to itself, with their places among all links, by item."""
    loops: dict[str, tuple[tuple[int, Link], ...]] = {}
    for index, link in enumerate(links):
        if link.source == link.target:
            loops[link.source] = (*loops.get(link.source, ()), (index, link))
    return loops


def _with_loops(item: Item, loops: Sequence[tuple[int, Link]]) -> Item:
    """The item with room beside it for its loops and their labels."""
    if not loops:
        return item
    room = _LOOP + sum(link.label_width + _LOOP_GAP for _, link in loops)
    return Item(item.id, item.width + 2 * room, max(item.height, *(link.label_height for _, link in loops)))


def _box(x: float, y: float, width: float, height: float) -> Box:
    return Box(x - width / 2, y - height / 2, width, height)


def _bands(graph: Layered, layers: Sequence[Sequence[int]], xs: Sequence[float]) -> list[Point]:
    """Top and bottom of each layer; the gap between two is the larger the farther edges lean in it."""
    bands: list[Point] = []
    top = MARGIN
    for layer in layers:
        bottom = top + max(graph.heights[vertex] for vertex in layer)
        bands.append((top, bottom))
        lean = max((abs(xs[upper] - xs[lower]) for upper in layer for lower in graph.below[upper]), default=0.0)
        top = bottom + min(_GAP + _LEAN * lean, _GAP_MOST)
    return bands


def _routes(
    graph: Layered, links: Sequence[Link], boxes: Sequence[Box], xs: Sequence[float], band_of: dict[int, Point]
) -> list[Route]:
    leaving = _ports(graph, boxes, xs, {}, leaving=True)
    entering = _ports(graph, boxes, xs, leaving, leaving=False)
    routes: list[Route] = []
    for index, (chain, link) in enumerate(zip(graph.chains, links, strict=True)):
        if not chain:
            routes.append(Route(()))
            continue
        upper, lower = boxes[chain[0]], boxes[chain[-1]]
        points = [(leaving[index], upper.bottom), (leaving[index], band_of[chain[0]][1])]
        for bend in chain[1:-1]:
            points += [(xs[bend], band_of[bend][0]), (xs[bend], band_of[bend][1])]
        points += [(entering[index], band_of[chain[-1]][0]), (entering[index], lower.y)]
        points = [point for place, point in enumerate(points) if not place or point != points[place - 1]]
        if graph.turned[index]:
            points.reverse()
        vertex = graph.labels[index]
        label = None
        if vertex is not None:
            top, bottom = band_of[vertex]
            label = _box(xs[vertex], (top + bottom) / 2, link.label_width, link.label_height)
        routes.append(Route(tuple(points), label))
    return routes


def _ports(
    graph: Layered, boxes: Sequence[Box], xs: Sequence[float], opposite: dict[int, float], *, leaving: bool
) -> dict[int, float]:
    """Where each link leaves its upper item (or enters its lower one): straight towards its next point if it can."""
    ends: dict[int, list[tuple[float, int]]] = {}
    for index, chain in enumerate(graph.chains):
        if not chain:
            continue
        item, other = (chain[0], chain[1]) if leaving else (chain[-1], chain[-2])
        aim = opposite.get(index, xs[other]) if len(chain) == 2 else xs[other]
        ends.setdefault(item, []).append((aim, index))
    result: dict[int, float] = {}
    for item, aims in ends.items():
        aims.sort()
        centre, share = boxes[item].centre[0], boxes[item].width * _PORT_SHARE / 2
        gap = min(_PORT_GAP, 2 * share / max(len(aims) - 1, 1))
        places = _spread([aim for aim, _ in aims], centre - share, centre + share, gap)
        result |= {index: place for (_, index), place in zip(aims, places, strict=True)}
    return result


def _spread(aims: Sequence[float], low: float, high: float, gap: float) -> list[float]:
    """Places in order between two borders, at least a gap apart, near what each aims at.

    >>> _spread([0.0, 50.0, 51.0], 10.0, 60.0, 5.0)
    [10.0, 48.0, 53.0]
    """
    groups: list[tuple[float, int]] = []  # sum of aims less their offsets in the row, and how many
    for index, aim in enumerate(aims):
        total, count = min(max(aim, low), high) - index * gap, 1
        while groups and groups[-1][0] / groups[-1][1] >= total / count:
            total, count = total + groups[-1][0], count + groups[-1][1]
            groups.pop()
        groups.append((total, count))
    starts = [total / count for total, count in groups for _ in range(count)]
    highest = high - (len(aims) - 1) * gap
    return [min(max(start, low), max(highest, low)) + index * gap for index, start in enumerate(starts)]


def _loop_routes(box: Box, loops: Sequence[tuple[int, Link]]) -> dict[int, Route]:
    """A line out of the right side of an item and back into it, the labels one beside the other."""
    out, height, y = box.right + _LOOP - 8, box.height / 4, box.centre[1]
    points = ((box.right, y - height), (out, y - height), (out, y + height), (box.right, y + height))
    routes: dict[int, Route] = {}
    left = out + _LOOP_GAP
    for index, link in loops:
        label = None
        if link.labelled:
            label = _box(left + link.label_width / 2, y, link.label_width, link.label_height)
            left += link.label_width + _LOOP_GAP
        routes[index] = Route(points, label, loop=True)
    return routes
