"""Tables of a PDF page that no lines, or only horizontal ones, set apart: rows whose words keep to columns."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import pymupdf

from compiler.parsers.join import has_ideographs
from compiler.parsers.pdf.sight import drawings
from compiler.text.labels import parse_label
from ir.document import Box

Grid = tuple[list[Box], list[float], list[float]]
"""Boxes of the cells, and the edges of columns and rows."""

_APART = 1.5
"""Blank, in type sizes, that parts two pieces of one line."""
_RIVER = 0.6
"""Blank, in type sizes, that has to run down between two columns."""
_FAR = 3.2
"""Blank, in type sizes, from one row to the next with which a table is over."""
_LONGEST_HEADER = 40
_TALLEST = 8
"""Lines of text in a row of a table without rules."""
_LEADERS = re.compile(r"[.．·…_]{4,}|(?:[.．·…_] ){4,}")
_FIGURES = re.compile(r"[\divxlc]{1,5}")
_BULLET = re.compile(r"\W{1,2}")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Words that stand together on one line."""

    text: str
    left: float
    right: float
    top: float
    bottom: float
    size: float
    order: int


_Row = list[_Piece]
_Column = tuple[float, float]


def find_grids(page: pymupdf.Page, chars: Sequence[dict[str, Any]], taken: Sequence[Box]) -> list[Grid]:
    """The grids of the page's tables outside of `taken`.

    Horizontal rules, or shades, between rows of two columns are enough; without any, there have to be three
    columns that keep their edges and three rows that are drawn one after the other.
    """
    rows = _rows([piece for piece in _pieces(chars) if not any(_inside(piece, box) for box in taken)])
    rules = _rules(page) if sum(len(row) > 1 for row in rows) > 1 else []
    out: list[Grid] = []
    at = 0
    while at < len(rows):
        run = _run(rows[at:]) if len(rows[at]) > 1 else []
        grid = _grid(run, rules) if len(run) > 1 else None
        if grid:
            out.append(grid)
        at += len(run) if grid else 1
    return out


def _inside(piece: _Piece, box: Box) -> bool:
    x, y = (piece.left + piece.right) / 2, (piece.top + piece.bottom) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _pieces(chars: Sequence[dict[str, Any]]) -> list[_Piece]:
    out: list[_Piece] = []
    for order, line in itertools.groupby(chars, key=lambda char: char["line"]):
        part: list[dict[str, Any]] = []
        for char in line:
            if not char["level"]:
                continue
            if part and not char["c"].isspace() and char["x0"] - _end(part) > _APART * char["size"]:
                out.append(_piece(part, order))
                part = []
            if part or not char["c"].isspace():
                part.append(char)
        if part:
            out.append(_piece(part, order))
    return out


def _end(chars: Sequence[dict[str, Any]]) -> float:
    """Right edge of the last that is no blank."""
    return next(float(char["x1"]) for char in reversed(chars) if not char["c"].isspace())


def _piece(chars: Sequence[dict[str, Any]], order: int) -> _Piece:
    words = [char for char in chars if not char["c"].isspace()]
    top = min(char["y0"] for char in words)
    bottom = max(2 * char["y"] - char["y0"] for char in words)
    text = "".join(char["c"] for char in chars).strip()
    return _Piece(text, words[0]["x0"], words[-1]["x1"], top, bottom, max(char["size"] for char in words), order)


def _rows(pieces: Sequence[_Piece]) -> list[_Row]:
    """The pieces by line of text, from top to bottom and from left to right; pieces that touch are one."""
    rows: list[_Row] = []
    for piece in sorted(pieces, key=lambda piece: (piece.top + piece.bottom) / 2):
        middle = (piece.top + piece.bottom) / 2
        if rows and middle - (rows[-1][0].top + rows[-1][0].bottom) / 2 < 0.35 * piece.size:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [_closed(sorted(row, key=lambda piece: piece.left)) for row in rows]


def _closed(row: _Row) -> _Row:
    out: _Row = []
    for piece in row:
        if out and piece.left - out[-1].right < 0.3 * piece.size:
            last = out.pop()
            right, top, bottom = max(last.right, piece.right), min(last.top, piece.top), max(last.bottom, piece.bottom)
            piece = _Piece(f"{last.text} {piece.text}", last.left, right, top, bottom, last.size, last.order)
        out.append(piece)
    return out


def _run(rows: Sequence[_Row]) -> list[_Row]:
    """The rows from the first on that keep to the same columns."""
    run = [rows[0]]
    most = len(rows[0])
    for row in rows[1:]:
        far = _top(row) - max(_bottom(each) for each in run[-2:]) > _FAR * row[0].size
        begins = len(row) == 1 and parse_label(row[0].text) is not None
        most = max(most, len(row))
        if far or begins or len(_columns([*run, row])) < most:
            break
        run.append(row)
    while len(run) > 1 and len(run[-1]) == 1 and _top(run[-1]) - _bottom(run[-2]) > 0.6 * run[-1][0].size:
        run.pop()
    return run


def _columns(rows: Sequence[_Row]) -> list[_Column]:
    """Where the rows' words stand, from left to right, as far as blank runs down between them."""
    out: list[_Column] = []
    for piece in sorted(itertools.chain(*rows), key=lambda piece: piece.left):
        if out and piece.left - out[-1][1] < _RIVER * piece.size:
            out[-1] = (out[-1][0], max(out[-1][1], piece.right))
        else:
            out.append((piece.left, piece.right))
    return out


def _top(row: _Row) -> float:
    return min(piece.top for piece in row)


def _bottom(row: _Row) -> float:
    return max(piece.bottom for piece in row)


def _grid(run: Sequence[_Row], rules: Sequence[Box]) -> Grid | None:
    columns = _columns(run)
    cuts = _cuts(run, columns, rules)
    ruled = cuts is not None
    groups = _cut(run, cuts) if cuts is not None else _groups(run, columns)
    if len(columns) < 2 or len(groups) < 2 or _is_list(run, columns) or _are_prose(run, columns):
        return None
    if not ruled and not _is_table(groups, columns):
        return None
    tops = [min(map(_top, group)) for group in groups]
    ys = [*tops, max(map(_bottom, groups[-1])) + 1]
    xs = [*(left - 1 for left, _ in columns), columns[-1][1] + 1]
    boxes: list[Box] = [
        (left - 1, top, right + 1, bottom) for top, bottom in itertools.pairwise(ys) for left, right in columns
    ]
    return boxes, xs, ys


def _rules(page: pymupdf.Page) -> list[Box]:
    """Horizontal lines, and edges of wide shades, each as the thin box around it; neighbours on one height are one."""
    flat: list[Box] = []
    for drawing in drawings(page):
        x0, y0, x1, y1 = drawing["rect"]
        if y1 - y0 < 3 and x1 - x0 > 15:
            flat.append((x0, y0, x1, y1))
        elif drawing.get("fill") and 8 < y1 - y0 < 150 and x1 - x0 > 15:
            flat.extend(((x0, y0, x1, y0), (x0, y1, x1, y1)))
    out: list[Box] = []
    for box in sorted(flat, key=lambda box: (round(box[1]), box[0])):
        last = out[-1] if out else None
        if last and abs(last[1] - box[1]) < 2 and box[0] - last[2] < 12:
            out[-1] = (min(last[0], box[0]), last[1], max(last[2], box[2]), last[3])
        else:
            out.append(box)
    return out


def _cuts(run: Sequence[_Row], columns: Sequence[_Column], rules: Sequence[Box]) -> list[float] | None:
    """Heights at which rules over the whole width part the run, where there are such within it and at its edges."""
    left, right = columns[0][0], columns[-1][1]
    size = run[0][0].size
    top, bottom = _top(run[0]), max(map(_bottom, run))
    near = [
        (rule[1] + rule[3]) / 2
        for rule in rules
        if rule[0] < left + 0.1 * (right - left)
        and rule[2] > right - 0.1 * (right - left)
        and top - 1.5 * size < rule[1] < bottom + 1.5 * size
    ]
    cuts = [y for y in near if top + 0.5 * size < y < bottom - 0.5 * size]
    return cuts if cuts and len(near) > 1 else None


def _cut(run: Sequence[_Row], cuts: Sequence[float]) -> list[list[_Row]]:
    """The run's rows between the rules; where these part only the heading, its foot or nothing else, also by gaps."""
    out: list[list[_Row]] = []
    for _, rows in itertools.groupby(run, key=lambda row: sum(cut < (_top(row) + _bottom(row)) / 2 for cut in cuts)):
        out.append(list(rows))
    if len(out) > 3 or len(out) == len(run):
        return out
    columns = _columns(run)
    return [group for part in out for group in _groups(part, columns)]


def _groups(run: Sequence[_Row], columns: Sequence[_Column]) -> list[list[_Row]]:
    """Lines of text by row of the table: parted by wider gaps, or where the first column has something new.

    Where all lines fill all columns, no cell of them is wrapped.
    """
    if len(run) > 2 and all(len({_column_of(piece, columns) for piece in row}) == len(columns) for row in run):
        return [[row] for row in run]
    gaps = [_top(row) - max(map(_bottom, run[: at + 1])) for at, row in enumerate(run[1:])]
    wide = _wide(gaps, run[0][0].size)
    out = [[run[0]]]
    for gap, row in zip(gaps, run[1:], strict=True):
        if gap > wide or (gap > -0.2 * row[0].size and _begins(out[-1], row, columns)):
            out.append([row])
        else:
            out[-1].append(row)
    return out


def _wide(gaps: Sequence[float], size: float) -> float:
    """The gap from which rows are parted, where wide and narrow ones differ."""
    steps = sorted(gaps)
    jumps = [(after - before, (after + before) / 2) for before, after in itertools.pairwise(steps)]
    jump, middle = max(jumps, default=(0.0, 0.0))
    return middle if jump > 0.2 * size and sum(gap > middle for gap in gaps) > 1 else float("inf")


def _begins(group: Sequence[_Row], row: _Row, columns: Sequence[_Column]) -> bool:
    """Whether the first column has words, and some column such as do not go on with those above them."""
    if row[0].left > columns[0][1]:
        return False
    if not any(each[0].left <= columns[0][1] for each in group):
        return True
    return any(_has_room(group, piece, columns) for piece in row)


def _has_room(group: Sequence[_Row], piece: _Piece, columns: Sequence[_Column]) -> bool:
    """Whether the piece's first word would have fitted on the line above it in its column."""
    at = _column_of(piece, columns)
    above = [each for row in group for each in row if _column_of(each, columns) == at]
    if not above:
        return False
    word = piece.text[:1] if has_ideographs(piece.text[:1]) else piece.text.split(maxsplit=1)[0]
    width = (piece.right - piece.left) * len(word) / max(len(piece.text), 1)
    room = columns[at][1] - columns[at][0] - (above[-1].right - above[-1].left)
    return room > width + 0.4 * piece.size


def _is_list(run: Sequence[_Row], columns: Sequence[_Column]) -> bool:
    """Whether the first column bears labels or bullets of the words beside them, or the last one bears page numbers."""
    if any(_LEADERS.search(piece.text) for row in run for piece in row):
        return True
    first = [row[0].text for row in run if row[0].left <= columns[0][1]]
    last = [row[-1].text for row in run if row[-1].right >= columns[-1][0] and len(row) > 1]
    labelled = sum(_is_mark(text) for text in first) * 2 > len(first)
    paged = bool(last) and all(_FIGURES.fullmatch(text) for text in last)
    named = sum(text.endswith((":", "：")) for text in first) * 2 >= len(first)
    return (len(columns) == 2 and (labelled or paged or named)) or (labelled and paged)


def _is_mark(text: str) -> bool:
    label = parse_label(text)
    return bool(_BULLET.fullmatch(text) or (label and label.end >= len(text.rstrip())))


def _are_prose(run: Sequence[_Row], columns: Sequence[_Column]) -> bool:
    """Whether two columns bear running text: many lines, most of them full."""
    return sum(_is_running(run, column) for column in columns) > 1


def _is_running(run: Sequence[_Row], column: _Column) -> bool:
    left, right = column
    lines = [piece for row in run for piece in row if left <= piece.left <= right]
    full = sum(piece.right > right - 0.2 * (right - left) for piece in lines)
    return len(lines) > 5 and full >= 0.5 * len(lines) and right - left > 12 * median(piece.size for piece in lines)


def _is_table(groups: Sequence[list[_Row]], columns: Sequence[_Column]) -> bool:
    """Whether rows without rules are a table's: columns with edges, headed by short words, drawn row by row."""
    if len(columns) < 3 or len(groups) < 3 or len(groups[0]) > 3 or max(map(len, groups)) > _TALLEST:
        return False
    head = list(itertools.chain(*groups[0]))
    filled = {_column_of(piece, columns) for piece in head}
    if len(filled) < len(columns) or any(len(piece.text) > _LONGEST_HEADER for piece in head):
        return False
    cells = sum(len({_column_of(piece, columns) for row in group for piece in row}) for group in groups)
    if cells < 0.7 * len(groups) * len(columns):
        return False
    orders = [sorted(piece.order for row in group for piece in row) for group in groups]
    if any(before[-1] > after[0] for before, after in itertools.pairwise(orders)):
        return False
    return all(_is_aligned(groups, columns, at) for at in range(len(columns)))


def _column_of(piece: _Piece, columns: Sequence[_Column]) -> int:
    return min(range(len(columns)), key=lambda at: abs(sum(columns[at]) - piece.left - piece.right))


def _is_aligned(groups: Sequence[list[_Row]], columns: Sequence[_Column], at: int) -> bool:
    """Whether most of a column's words share their left edge, their right edge or their middle."""
    pieces = [
        piece for group in groups for row in group for piece in row if columns[at][0] <= piece.left <= columns[at][1]
    ]
    for values in ([p.left for p in pieces], [p.right for p in pieces], [(p.left + p.right) / 2 for p in pieces]):
        usual = median(values)
        if sum(abs(value - usual) < 2.5 for value in values) >= 0.8 * len(values):
            return True
    return False
