"""Reading order of a page, and the headers and footers that run through a PDF."""

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from compiler.parsers.pdf_lines import Line, Page, merge_row

_ZONE = 0.13
_STEP = 4.0
_PROSE = 8
"""Lines that a column drawn row by row has to have."""
_DIGITS = re.compile(r"[0-9０-９]+")
_PAGE_NUMBER = re.compile(
    r"(?:page|p\.|第|共)?\s*[-–—·]{0,2}\s*(?:[0-9０-９]{1,4}|[ivxl]{1,6})\s*[-–—·]{0,2}\s*页?"
    r"(?:\s*(?:of|/|[,，]?\s*共|\|)\s*[0-9０-９]{1,4}\s*页?)?",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Column:
    """Lines that are read one after the other, with the edges that they keep."""

    lines: tuple[Line, ...]
    left: float
    right: float
    whole: bool


@dataclass(frozen=True, slots=True)
class Furniture:
    """A page's lines with the running headers and footers apart."""

    body: tuple[Line, ...]
    headers: tuple[Line, ...]
    footers: tuple[Line, ...]


def columns(lines: Sequence[Line]) -> list[Column]:
    """The page's lines in reading order: side-by-side columns one after the other, else row by row."""
    return [_column(_rows(part), whole=whole) for part, whole in _merged(_ordered(list(lines), whole=True))]


def furniture(pages: Sequence[Page]) -> list[Furniture]:
    """Tell running headers and footers by repeated place and text with its figures masked; page numbers by their form.

    A line counts only if no text of the page's own stands further out.
    """
    seen: dict[tuple[str, str, int], set[int]] = defaultdict(set)
    alike: dict[tuple[str, ...], int] = {}
    for page in pages:
        first = alike.setdefault(tuple(_masked(line.text) for line in page.lines), page.number)
        for line, zone in _outer(page):
            for place in (-1, 0, 1):
                seen[zone, _masked(line.text), round(line.top / 6) + place].add(first)
    distinct = len(alike)
    needed = max(2, round(0.5 * distinct)) if distinct <= 4 else max(3, round(0.25 * distinct))

    def runs(line: Line, zone: str) -> bool:
        if len(seen[zone, _masked(line.text), round(line.top / 6)]) >= needed and distinct > 1:
            return True
        return bool(_PAGE_NUMBER.fullmatch(line.text)) and len(pages) > 1

    return [_split(page, runs) for page in pages]


def _masked(text: str) -> str:
    return re.sub(r"\s+", "", _DIGITS.sub("0", text))


def _outer(page: Page) -> list[tuple[Line, str]]:
    out = [(line, "top") for line in page.lines if line.bottom < _ZONE * page.height]
    return out + [(line, "bottom") for line in page.lines if line.top > (1 - _ZONE) * page.height]


def _split(page: Page, runs: Callable[[Line, str], bool]) -> Furniture:
    outer = _outer(page)
    top = sorted((line for line, zone in outer if zone == "top"), key=lambda line: line.top)
    bottom = sorted((line for line, zone in outer if zone == "bottom"), key=lambda line: -line.bottom)
    headers = _while_running(top, "top", runs)
    footers = _while_running(bottom, "bottom", runs)
    apart = {line.order for line in (*headers, *footers)}
    body = tuple(line for line in page.lines if line.order not in apart)
    return Furniture(body, _by_row(headers), _by_row(footers))


def _middle(line: Line) -> float:
    return (line.top + line.bottom) / 2


def _by_row(lines: Sequence[Line]) -> tuple[Line, ...]:
    return tuple(sorted(lines, key=lambda line: (round((line.top + line.bottom) / 6), line.left)))


def _while_running(lines: Sequence[Line], zone: str, runs: Callable[[Line, str], bool]) -> list[Line]:
    """The lines from the edge inwards until one that is the page's own; others on its row still count."""
    out: list[Line] = []
    edge: float | None = None
    for line in lines:
        if runs(line, zone) and not _leads(line, lines, zone, runs):
            if edge is None or _beside(line, edge):
                out.append(line)
        elif edge is None:
            edge = (line.top + line.bottom) / 2
    return out


def _leads(line: Line, lines: Sequence[Line], zone: str, runs: Callable[[Line, str], bool]) -> bool:
    """Whether a lone figure stands right before text on its row, as a section's number does."""
    middle = (line.top + line.bottom) / 2
    near = (other for other in lines if 0 <= other.left - line.right < 4 * line.size and _beside(other, middle))
    return bool(_PAGE_NUMBER.fullmatch(line.text)) and any(not runs(other, zone) for other in near)


def _beside(line: Line, middle: float) -> bool:
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
    while x < last:
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
        line.order + 1 in after and _beside(after[line.order + 1], (line.top + line.bottom) / 2) for line in left
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
    return Column(tuple(lines), lefts[len(lefts) // 20], max(line.right for line in words), whole)


def widened(column: Column, right: float) -> Column:
    """The column with the right edge that the document's full-width text keeps, where its own lines are all short."""
    return replace(column, right=max(column.right, right)) if column.whole else column
