"""The shapes of the drawings: outlines by kind of node, icons, badges, lines and arrow heads."""

from collections.abc import Sequence
from itertools import pairwise

from compiler.report.graph.drawing import CAPTION
from compiler.report.graph.layout import Box, Point, Route
from compiler.report.graph.theme import Paint
from compiler.report.markup import Attribute, Attributes, Markup, element, join

_ARROW = 7.0
_ICONS = {
    "system": "M1.5 2h10v3.5h-10zM1.5 7.5h10V11h-10zM3.5 3.75h1M3.5 9.25h1",
    "decision": "M6.5 .8 12.2 6.5 6.5 12.2 .8 6.5z",
    "human": "M6.5 6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2zM1.2 12.2c0-3 2.4-4.6 5.3-4.6s5.3 1.6 5.3 4.6",
    "approval": "M5 6a2.4 2.4 0 1 0 0-4.8A2.4 2.4 0 0 0 5 6zM.8 12c0-4 4-5 6.7-3.6M7.4 10.4l1.8 1.8 3.2-4",
    "call": "M1 1h11v11H1zM4 4h5v5H4z",
    "end": "M6.5 12.2a5.7 5.7 0 1 0 0-11.4 5.7 5.7 0 0 0 0 11.4zM4.5 4.5h4v4h-4z",
    "unmapped": "M3.8 4a2.7 2.7 0 1 1 3.9 2.6c-.8.4-1.2.9-1.2 1.9M6.5 10.8v1.4",
    "section": "M1 3.5h4l1.5 1.5H12v7H1z",
    "missing": "M6.5 1v7M6.5 10.5v1.5",
}


def outline(kind: str, box: Box, paint: Paint, *, dashed: bool) -> Markup:
    """The shape of a node: rectangle for systems, hexagon for decisions, round corners for people, pill for ends.

    What no Type fits has a dotted border.
    """
    attributes: Attributes = {
        "class": "shape",
        "fill": paint.fill,
        "stroke": paint.stroke,
        "stroke-width": 2.2 if kind == "approval" else 1.4,
        "stroke-dasharray": "6 3" if dashed or kind == "missing" else "2 3" if kind == "unmapped" else None,
    }
    if kind == "decision":
        slant, middle = min(14.0, box.height / 2), box.y + box.height / 2
        corners = [
            (box.x, middle),
            (box.x + slant, box.y),
            (box.right - slant, box.y),
            (box.right, middle),
            (box.right - slant, box.bottom),
            (box.x + slant, box.bottom),
        ]
        return element("polygon", {"points": " ".join(f"{x:.1f},{y:.1f}" for x, y in corners), **attributes})
    radius = {"human": 12.0, "approval": 12.0, "end": box.height / 2, "unmapped": 6.0}.get(kind, 3.0)
    size: Attributes = {"x": box.x, "y": box.y, "width": box.width, "height": box.height}
    return element("rect", {**size, "rx": min(radius, 26.0), **attributes})


def icon(kind: str, x: float, y: float, colour: str) -> Markup:
    """The icon of a kind of node, 13 pixels square."""
    attributes: Attributes = {
        "d": _ICONS[kind],
        "fill": "none",
        "stroke": colour,
        "stroke-width": 1.3,
        "stroke-linecap": "round",
    }
    return element("path", {**attributes, "transform": f"translate({x:.1f} {y:.1f})"})


def badge(word: str, x: float, y: float, width: float, *, fill: str, stroke: str | None, text: str) -> Markup:
    """A word in a small frame, its top left at x and y."""
    frame: dict[str, Attribute] = {"x": x, "y": y, "width": width, "height": 14.0, "rx": 3.0, "fill": fill}
    if stroke:
        frame |= {"stroke": stroke, "stroke-width": 0.8}
    size = CAPTION - 1
    words: Attributes = {
        "x": x + width / 2,
        "y": y + 10.4,
        "font-size": size,
        "fill": text,
        "text-anchor": "middle",
        "font-weight": 600,
    }
    return join([element("rect", frame), element("text", words, word)])


def text_lines(
    lines: Sequence[str],
    x: float,
    y: float,
    size: float,
    height: float,
    colour: str,
    *,
    anchor: str = "start",
    weight: int = 400,
) -> Markup:
    """Lines of text, the first one's top at y."""
    return join(
        element(
            "text",
            {
                "x": x,
                "y": y + index * height + height * 0.5 + size * 0.36,
                "font-size": size,
                "fill": colour,
                "text-anchor": anchor if anchor != "start" else None,
                "font-weight": weight if weight != 400 else None,
            },
            line,
        )
        for index, line in enumerate(lines)
    )


def route_path(route: Route) -> str:
    """The path data of an edge; it stops short of the target, where the arrow head begins."""
    points = [*route.points]
    if not points:
        return ""
    points[-1] = _short_of(points)
    parts = [f"M{_point(points[0])}"]
    for (x1, y1), (x2, y2) in pairwise(points):
        if route.loop or abs(x1 - x2) < 0.05:
            parts.append(f"L{_point((x2, y2))}")
        else:
            middle = (y1 + y2) / 2
            parts.append(f"C{_point((x1, middle))} {_point((x2, middle))} {_point((x2, y2))}")
    return "".join(parts)


def arrow_head(points: Sequence[Point], colour: str) -> Markup | None:
    """A triangle with its tip at the last point."""
    if len(points) < 2:
        return None
    (x, y), (back_x, back_y) = points[-1], _short_of(points)
    across = (_ARROW * 0.5, 0.0) if back_x == x else (0.0, _ARROW * 0.5)
    corners = [(x, y), (back_x + across[0], back_y + across[1]), (back_x - across[0], back_y - across[1])]
    data = "M" + "L".join(_point(corner) for corner in corners) + "Z"
    return element("path", {"class": "head", "d": data, "fill": colour})


def _short_of(points: Sequence[Point]) -> Point:
    """A point an arrow's length before the last one, on the line that leads there (curves end vertically)."""
    (x1, y1), (x2, y2) = points[-2], points[-1]
    if y1 == y2:
        return x2 + (_ARROW if x1 > x2 else -_ARROW), y2
    return x2, y2 + (_ARROW if y1 > y2 else -_ARROW)


def _point(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
