"""Bars as an SVG picture, made here: nothing of it acts, and all of it stands in the table beside it as well."""

from collections.abc import Sequence
from dataclasses import dataclass

from compiler.report.graph.text_size import wrap_text
from compiler.report.markup import Attributes, Markup, element

WIDTH, ROW, LETTERS, NUMBERS = 640, 40, 13, 170
"""Pixels: of the picture, of a row, the size of letters, what the numbers beside a bar take."""
INK, LINE, FILL = "#1f2933", "#d9dfe6", "#2457a6"


@dataclass(frozen=True)
class Bar:
    """A row of a chart.

    Args:
        length: from 0 to 1; None where there is nothing to be told, which is not 0.
        told: the figure in words, beside the bar.
    """

    label: str
    length: float | None
    told: str


def bars(title: str, rows: Sequence[Bar]) -> Markup:
    """A bar below each label, and its figure beside it.

    Args:
        title: that is read out in place of the picture.
    """
    attributes: Attributes = {
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {WIDTH} {ROW * len(rows)}", "width": WIDTH,
        "height": ROW * len(rows), "role": "img", "aria-label": title,
    }  # fmt: skip
    return element("svg", attributes, *(_row(one, ROW * at) for at, one in enumerate(rows)))


def _row(bar: Bar, top: int) -> Markup:
    room = WIDTH - NUMBERS
    (label,) = wrap_text(bar.label, WIDTH, LETTERS, 1) or ("",)
    text: Attributes = {"font-size": LETTERS, "font-family": "sans-serif", "fill": INK}
    drawn = [
        element("text", {**text, "x": 0, "y": top + 14}, label),
        element("rect", {"x": 0, "y": top + 20, "width": room, "height": 12, "rx": 2, "fill": LINE}),
        element("text", {**text, "x": room + 10, "y": top + 31}, bar.told),
    ]
    if bar.length:
        width = max(2.0, round(min(bar.length, 1.0) * room, 1))
        drawn.insert(2, element("rect", {"x": 0, "y": top + 20, "width": width, "height": 12, "rx": 2, "fill": FILL}))
    return element("g", {}, *drawn)
