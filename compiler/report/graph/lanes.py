"""Layered drawing in lanes: each item stands in the column of its lane, and lines run down between the columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compiler.report.graph.layering import Item, Link, depths
from compiler.report.graph.layout import MARGIN, Box, Layout, Point, Route

HEAD = 30.0
"""Height of the lanes' names."""
_PAD, _TRACK, _CURVE, _GAP = 14.0, 9.0, 18.0, 8.0


@dataclass(frozen=True)
class Lane:
    """A column.

    Args:
        x, width: in pixels.
    """

    name: str
    x: float
    width: float


@dataclass(frozen=True)
class _Gap:
    """The room below a row, or above the first: curves, labels, curves.

    Args:
        top, first, last, bottom: where it begins, where labels begin and end, where it ends.
    """

    top: float
    first: float
    last: float
    bottom: float


def arrange_lanes(
    items: Sequence[Item], links: Sequence[Link], names: Sequence[str], lane_of: Mapping[str, int]
) -> tuple[Layout, tuple[Lane, ...]]:  # fmt: skip
    """Place items in the columns of their lanes; no line runs through an item, though lines may cross labels.

    Args:
        names: of the lanes, from the left.
        lane_of: by item, the place of its lane among them.

    >>> drawn, lanes = arrange_lanes(
    ...     [Item("a", 80, 40), Item("b", 80, 40)], [Link("a", "b")], ["clerk", "manager"], {"a": 0, "b": 1}
    ... )
    >>> drawn.boxes["a"].right < lanes[1].x < drawn.boxes["b"].x, drawn.boxes["a"].bottom < drawn.boxes["b"].y
    (True, True)
    """
    rows = _rows(items, links, lane_of)
    row_of = {name: number for number, row in enumerate(rows) for name in row}
    sizes, tracks = {item.id: item for item in items}, [list[int]() for _ in names]
    runs: list[tuple[int, int] | None] = [None] * len(links)
    for at in sorted(range(len(links)), key=lambda at: _passed(links[at], row_of)):
        runs[at] = _track(links[at], row_of, lane_of, tracks)
    lanes, left = list[Lane](), MARGIN
    for number, name in enumerate(names):
        width = max([90.0, *(item.width for item in items if lane_of[item.id] == number)]) + 2 * _PAD
        lanes.append(Lane(name, left, width))
        left += width + _PAD + _TRACK * len(tracks[number])
    gaps, boxes = [_gap(HEAD + MARGIN, 0.0)], dict[str, Box]()
    for number, row in enumerate(rows):
        top, high = gaps[-1].bottom, max(sizes[name].height for name in row)
        for name in row:
            lane, item = lanes[lane_of[name]], sizes[name]
            boxes[name] = Box(lane.x + (lane.width - item.width) / 2, top, item.width, item.height)
        labels = [link.label_height for link in links if row_of[link.source] == number]
        gaps.append(_gap(top + high, max([0.0, *labels])))
    placed = _labels(links, boxes, gaps, row_of)
    leaving, entering = _ports(links, boxes, leaving=True), _ports(links, boxes, leaving=False)
    routes = []
    for at, (link, run) in enumerate(zip(links, runs, strict=True)):
        channel = None if run is None else lanes[run[0]].x + lanes[run[0]].width + _PAD / 2 + _TRACK * run[1]
        below, above = gaps[row_of[link.source] + 1], gaps[row_of[link.target]]
        ends = (leaving[at], boxes[link.source].bottom), (entering[at], boxes[link.target].y)
        routes.append(_route(ends, placed[at], channel, below, above))
    right = max([left, *(route.label.right for route in routes if route.label)])
    return Layout(right + MARGIN, gaps[-1].bottom + MARGIN, boxes, tuple(routes)), tuple(lanes)


def _rows(items: Sequence[Item], links: Sequence[Link], lane_of: Mapping[str, int]) -> list[list[str]]:
    """Items in rows by depth, at most one of each lane in a row."""
    depth = depths(items, links)
    rows: list[list[str]] = []
    for level in sorted(set(depth.values())):
        own: list[list[str]] = []
        for item in items:
            if depth[item.id] != level:
                continue
            free = (row for row in own if all(lane_of[one] != lane_of[item.id] for one in row))
            row = next(free, None)
            if row is None:
                own.append([item.id])
            else:
                row.append(item.id)
        rows += own
    return rows


def _passed(link: Link, row_of: Mapping[str, int]) -> tuple[int, int]:
    """The rows between which a line runs beside a lane, the upper one first."""
    source, target = row_of[link.source], row_of[link.target]
    return min(source, target), max(source, target)


def _track(
    link: Link, row_of: Mapping[str, int], lane_of: Mapping[str, int], tracks: list[list[int]]
) -> tuple[int, int] | None:  # fmt: skip
    """The lane beside which a line passes rows, and its place there; None where it passes none.

    Args:
        tracks: by lane and place, the lowest row that a line there comes to; it is noted there.
    """
    if row_of[link.target] == row_of[link.source] + 1:
        return None
    first, last = _passed(link, row_of)
    lane = min(lane_of[link.source], lane_of[link.target])
    place = next((number for number, end in enumerate(tracks[lane]) if end < first), len(tracks[lane]))
    tracks[lane][place : place + 1] = [last]
    return lane, place


def _gap(top: float, label: float) -> _Gap:
    first = top + _CURVE
    last = first + label
    return _Gap(top, first, last, last + _CURVE)


def _labels(
    links: Sequence[Link], boxes: Mapping[str, Box], gaps: Sequence[_Gap], row_of: Mapping[str, int]
) -> list[Box | None]:  # fmt: skip
    """Where the labels stand: below what their lines leave, beside each other."""
    made: list[Box | None] = [None] * len(links)
    for number, gap in enumerate(gaps[1:]):
        own = [at for at, link in enumerate(links) if row_of[link.source] == number and link.labelled]
        right = MARGIN
        for at in sorted(own, key=lambda at: (boxes[links[at].source].x, boxes[links[at].target].centre[0])):
            link = links[at]
            same = [other for other in own if links[other].source == link.source]
            whole = sum(links[other].label_width + _GAP for other in same)
            left = max(right, boxes[link.source].centre[0] - whole / 2)
            made[at] = Box(left, gap.first, link.label_width, link.label_height)
            right = left + link.label_width + _GAP
    return made


def _ports(links: Sequence[Link], boxes: Mapping[str, Box], *, leaving: bool) -> list[float]:
    """Where lines leave or enter, spread over the item's width in the order of where they lead."""
    ends: dict[str, list[int]] = {}
    for at, link in enumerate(links):
        ends.setdefault(link.source if leaving else link.target, []).append(at)
    made = [0.0] * len(links)
    for name, own in ends.items():
        box = boxes[name]
        own.sort(key=lambda at: boxes[links[at].target if leaving else links[at].source].centre[0])
        for place, at in enumerate(own, 1):
            made[at] = box.x + box.width * place / (len(own) + 1)
    return made


def _route(
    ends: tuple[Point, Point], label: Box | None, channel: float | None, below: _Gap, above: _Gap
) -> Route:  # fmt: skip
    """A line from below an item, by its label, beside a lane where it passes rows, to the top of another item."""
    (start, bottom), (end, top) = ends
    points = [(start, bottom), (start, below.top)]
    if label is not None:
        points += [(label.centre[0], below.first), (label.centre[0], below.last)]
    if channel is not None:
        points += [(channel, below.bottom), (channel, above.top if above.top != below.top else below.bottom)]
        points += [(end, above.bottom)] if above.top != below.top else []
    else:
        points += [(end, below.bottom)]
    points.append((end, top))
    return Route(tuple(point for at, point in enumerate(points) if not at or point != points[at - 1]), label)
