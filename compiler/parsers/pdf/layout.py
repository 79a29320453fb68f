"""Reading order of a page."""

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from compiler.parsers.pdf.lines import Line, merge_row

_STEP = 4.0
_PROSE = 8
"""Lines that a column drawn row by row has to have."""


@dataclass(frozen=True, slots=True)
class Column:
    """Lines that are read one after the other, with the edges that they keep."""

    lines: tuple[Line, ...]
    left: float
    right: float
    whole: bool


def columns(lines: Sequence[Line]) -> list[Column]:
    """The page's lines in reading order: side-by-side columns one after the other, else row by row."""
    return [_column(_rows(part), whole=whole) for part, whole in _merged(_ordered(list(lines), whole=True))]


def _middle(line: Line) -> float:
    return (line.top + line.bottom) / 2


def beside(line: Line, middle: float) -> bool:
    """Whether the height lies within the line's."""
    return line.top <= middle <= line.bottom


def _ordered(lines: list[Line], *, whole: bool) -> list[tuple[list[Line], bool]]:
    """Runs of lines in reading order; `whole` marks those that go over the full width."""
    alone = _alone(lines)
    gutter = _gutter(lines, alone)
    if gutter is None:
        return [(lines, whole)] if lines else []
    out: list[tuple[list[Line], bool]] = []
    for band, split in _bands(lines, gutter, alone):
        if not split:
            out.append((band, whole))
            continue
        for side in _sides(band, gutter):
            out.extend(_ordered(side, whole=False))
    return out


def _alone(lines: Sequence[Line]) -> frozenset[int]:
    """Orders of the lines with nothing beside them that are drawn after all above them and before all below them."""
    words = sorted((line for line in lines if line.table is None), key=_middle)
    before = list(itertools.accumulate((line.order for line in words), max))
    after = list(itertools.accumulate((line.order for line in reversed(words)), min))[::-1]
    alone = [
        line.order
        for at, line in enumerate(words)
        if (at == 0 or before[at - 1] < line.order)
        and (at == len(words) - 1 or line.order < after[at + 1])
        and not any(other is not line and other.top < line.bottom and line.top < other.bottom for other in words)
    ]
    return frozenset(alone)


def _gutter(lines: Sequence[Line], alone: frozenset[int]) -> float | None:
    """The x that parts most lines into columns, or None."""
    words = [line for line in lines if line.table is None]
    if len(words) < 5:
        return None
    first = min(line.box[0] for line in words) + 20
    last = max(line.right for line in words) - 20
    best, score = [0.0], 0
    x = first
    edges = [(line.box[0], line.right) for line in lines]
    while x < last:
        before, after = sum(right <= x + 1 for _, right in edges), sum(left >= x - 1 for left, _ in edges)
        if min(before, after) < 2 or before + after < 5:  # too few stand beside it
            x += _STEP
            continue
        value = sum(min(map(len, _sides(band, x))) for band, split in _bands(lines, x, alone) if split)
        if value > score:
            best, score = [x], value
        elif value == score and value:
            best.append(x)
        x += _STEP
    return best[len(best) // 2] if score >= 2 else None


def _bands(lines: Sequence[Line], x: float, alone: frozenset[int]) -> list[tuple[list[Line], bool]]:
    """The page from top to bottom, cut where a line crosses `x` or parts it; each band says if it has two columns."""
    out: list[tuple[list[Line], bool]] = []
    free: list[Line] = []
    crossing: list[Line] = []
    for line in sorted(lines, key=lambda line: (_middle(line), line.left)):
        crosses = line.box[0] < x - 1 and line.right > x + 1
        if crosses or (line.order in alone and free and _parts(line, free, x)):
            if free:
                out.append((free, _is_split(free, x)))
                free = []
            crossing.append(line)
        else:
            if crossing:
                out.append((crossing, False))
                crossing = []
            free.append(line)
    if crossing:
        out.append((crossing, False))
    if free:
        out.append((free, _is_split(free, x)))
    return out


def _parts(line: Line, above: Sequence[Line], x: float) -> bool:
    """Whether a line that stands alone is a short heading over the columns below: both columns above it are done.

    They are where the one was drawn before the other, or where its larger or bolder type sets the line apart.
    """
    left, right = _sides(above, x)
    if line.right > x or len(left) < 2 or len(right) < 2:
        return False
    in_turn = max(each.order for each in left) < min(each.order for each in right)
    larger = line.size > 1.1 * median(each.size for each in above)
    bolder = line.bold and sum(each.bold for each in above) * 2 < len(above)
    return in_turn or larger or bolder


def _is_split(band: Sequence[Line], x: float) -> bool:
    """Whether both sides have text of their own: enough lines, side by side, and no rows of a grid.

    A grid of labels and values is drawn row by row. So is the prose of some printers' columns, which only its long
    runs of full lines tell from a grid.
    """
    left, right = _sides(band, x)
    if len(left) < 2 or len(right) < 2 or len(left) + len(right) < 5:
        return False
    overlap = min(left[-1].bottom, right[-1].bottom) - max(left[0].top, right[0].top)
    if overlap < 2 * left[0].size:
        return False
    if any(sum(_is_wordy(line) for line in side) < 0.6 * len(side) for side in (left, right)):
        return False
    after = {line.order: line for line in right}
    paired = sum(
        line.order + 1 in after and beside(after[line.order + 1], (line.top + line.bottom) / 2) for line in left
    )
    return paired * 2 < min(len(left), len(right)) or _are_prose(left, right)


def _are_prose(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Whether two sides are columns of running text, not the two halves of lines that a figure parts."""
    gap = min(line.left for line in right) - max(line.right for line in left)
    narrower = min(max(line.right - line.left for line in side) for side in (left, right))
    return _is_prose(left) and _is_prose(right) and gap < 0.5 * narrower


def _is_prose(side: Sequence[Line]) -> bool:
    """Whether most lines of a side are full and begin at one edge, as those of running text do."""
    full = 0.8 * max(line.right - line.left for line in side)
    edge = median(line.left for line in side)
    filled = sum(line.right - line.left >= full for line in side)
    flush = sum(abs(line.left - edge) < 2 for line in side)
    return len(side) >= _PROSE and min(filled, flush) >= 0.65 * len(side)


def _sides(band: Sequence[Line], x: float) -> tuple[list[Line], list[Line]]:
    """The lines left and right of `x`, none of which crosses it."""
    left = [line for line in band if line.box[0] + line.right <= 2 * x]
    return left, [line for line in band if line.box[0] + line.right > 2 * x]


def _is_wordy(line: Line) -> bool:
    """Whether the line bears words, not a figure, a bullet or a table of contents' leaders."""
    return line.table is not None or sum(char.isalpha() for char in line.text) >= 8


def _rows(lines: Sequence[Line]) -> list[Line]:
    """Lines from top to bottom, with what stands on one row drawn together."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: ((line.top + line.bottom) / 2, line.left)):
        if rows and line.table is None and rows[-1][0].table is None and _on_row(rows[-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [merge_row(row) for row in rows]


def _on_row(row: Sequence[Line], line: Line) -> bool:
    top, bottom = row[-1].top, row[-1].bottom
    shared = min(bottom, line.bottom) - max(top, line.top)
    apart = all(line.left >= other.right - 2 or line.right <= other.left + 2 for other in row)
    return apart and shared > 0.6 * min(bottom - top, line.bottom - line.top)


def _merged(parts: Sequence[tuple[list[Line], bool]]) -> list[tuple[list[Line], bool]]:
    """Neighbouring runs over the full width as one."""
    out: list[tuple[list[Line], bool]] = []
    for lines, whole in parts:
        if whole and out and out[-1][1]:
            out[-1] = ([*out[-1][0], *lines], True)
        else:
            out.append((lines, whole))
    return out


def _column(lines: Sequence[Line], *, whole: bool) -> Column:
    words = [line for line in lines if line.table is None] or list(lines)
    lefts = sorted(line.left for line in words)
    return Column(tuple(lines), lefts[len(lefts) // 20], _text_edge(words), whole)


def _text_edge(lines: Sequence[Line]) -> float:
    """How far right the running text goes: lines in other type (a title, a note) may go further."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    (size, _) = sizes.most_common(1)[0]
    return max(line.edge for line in lines if line.alike(size))


def widened(column: Column, right: float) -> Column:
    """The column with the right edge that the document's full-width text keeps, where its own lines are all short."""
    return replace(column, right=max(column.right, right)) if column.whole else column
