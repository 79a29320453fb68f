"""Bullets that a PDF draws as shapes, as browsers do."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from compiler.parsers.draft import box_around
from compiler.parsers.pdf.lines import Line
from compiler.text.labels import parse_label
from ir.document import Box

_SMALLEST, _LARGEST = 1.2, 0.62
"""Width in points, and in type sizes of the line."""
_NEAR = 2.5
"""Blank, in type sizes, between a bullet and its words."""

Mark = tuple[str, Box]


def with_bullets(lines: Sequence[Line], drawn: Sequence[dict[str, Any]]) -> tuple[Line, ...]:
    """The lines, each that a small disc, ring or square leads with the bullet before its words.

    There are two bullets or more; where most such shapes stand elsewhere, they are a picture's.
    """
    marks = [mark for mark in map(_mark, drawn) if mark]
    led = {at: mark for mark in marks for at in _led(lines, mark)}
    if len(led) < 2 or len(led) * 2 < len(marks):
        return tuple(lines)
    return tuple(_bulleted(line, led[at]) if at in led else line for at, line in enumerate(lines))


def _mark(drawing: dict[str, Any]) -> Mark | None:
    x0, y0, x1, y1 = drawing["rect"]
    width, height = x1 - x0, y1 - y0
    if width < _SMALLEST or width > 12 or abs(width - height) > 0.2 * width:
        return None
    kinds = [item[0] for item in drawing["items"]]
    if kinds.count("c") >= 4 and kinds.count("c") + kinds.count("l") == len(kinds):
        return "•" if drawing.get("fill") else "◦", (x0, y0, x1, y1)
    return ("▪", (x0, y0, x1, y1)) if kinds == ["re"] and drawing.get("fill") else None


def _led(lines: Sequence[Line], mark: Mark) -> list[int]:
    """The line that begins right after the mark, with nothing right before it."""
    x0, y0, x1, y1 = mark[1]
    row = [at for at, line in enumerate(lines) if line.level and line.top < (y0 + y1) / 2 < line.bottom]
    after = [at for at in row if 0 < lines[at].box[0] - x1 < _NEAR * lines[at].size]
    if any(x0 - 2 * _NEAR * lines[at].size < lines[at].right < x1 for at in row):
        return []
    return [at for at in after[:1] if x1 - x0 < _LARGEST * lines[at].size and parse_label(lines[at].text) is None]


def _bulleted(line: Line, mark: Mark) -> Line:
    glyph, box = mark
    x0, y0, x1, y1 = box_around([line.box, box])
    whole = (round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))
    return replace(line, text=f"{glyph} {line.text}", box=whole, left=box[0])
