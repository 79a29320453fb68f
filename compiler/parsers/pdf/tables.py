"""Tables of a PDF page with their cells, and tables that go on over a page break."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import pymupdf

from compiler.parsers.draft import DraftCell
from compiler.parsers.join import glue, has_ideographs
from compiler.parsers.pdf.lines import Line, Page, composed, is_raised, quarter_turns
from compiler.parsers.pdf.open_tables import Grid, find_grids
from compiler.parsers.pdf.sight import drawings
from compiler.parsers.tables import mark_header
from compiler.text.labels import parse_label
from ir.document import Box

_SLACK = 3.0
_AROUND = (-9, -9, 9, 9)
_TEXT_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE | pymupdf.TEXT_COLLECT_STYLES


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table on a page; `edges` are the left edges of its columns."""

    page: int
    box: Box
    edges: tuple[float, ...]
    cells: tuple[DraftCell, ...]
    rows: int
    bold_cells: frozenset[tuple[int, int]]


def find_tables(page: pymupdf.Page, read: Page, before: PageTable | None = None) -> list[PageTable]:
    """The page's tables of at least two columns and two rows; one row suffices where it goes on with `before`.

    Args:
        read: the page's lines; where none stands beside another, only rules can make a table.
    """
    number, grids = read.number, _ruled_grids(page)
    if not grids and not _stand_beside(read.lines):
        return []
    chars = [char for char in _characters(page) if not any(_is_in(char, box) for box in read.struck)]
    grids += find_grids(page, chars, [(xs[0], ys[0], xs[-1], ys[-1]) for _, xs, ys in grids])
    tables = [table for table in (_table(grid, chars, number) for grid in grids) if table]
    tables.sort(key=lambda table: (table.box[1], table.box[0]))
    return [
        table for at, table in enumerate(tables) if table.rows > 1 or (at == 0 and before and continues(before, table))
    ]


def _stand_beside(lines: Sequence[Line]) -> bool:
    """Whether some line stands right of another one on its row, or has a wide gap in it."""
    if any("   " in line.text or "\t" in line.text for line in lines):
        return True
    level = sorted(lines, key=lambda line: line.top)
    return any(
        after.top < before.bottom - 0.5 * before.size and (after.box[0] > before.right or after.right < before.box[0])
        for at, before in enumerate(level)
        for after in level[at + 1 : at + 4]
    )


def _ruled_grids(page: pymupdf.Page) -> list[Grid]:
    drawn = drawings(page)
    place = _place_of_grids(drawn) if len(drawn) > 2 else None
    if place is None or place.intersect(page.rect).is_empty:
        return []
    found = page.find_tables(clip=place, strategy="lines_strict" if len(drawn) > 5000 else "lines")
    return [grid for grid in (_grid(table) for table in found.tables) if grid]


def _place_of_grids(drawn: Sequence[dict[str, Any]]) -> pymupdf.Rect | None:
    """Where there may be grids: as far as upright edges go down and level ones across, two of each at least.

    Looking for grids takes its time, also for the text around them.
    """
    xs, ys = set[int](), set[int]()
    across, down = list[float](), list[float]()
    for item in (item for drawing in drawn for item in drawing["items"]):
        if item[0] not in ("l", "re", "qu"):
            continue
        points = item[1:3] if item[0] == "l" else (item[1][:2], item[1][2:]) if item[0] == "re" else item[1]
        x0, *_, x1 = sorted(point[0] for point in points)
        y0, *_, y1 = sorted(point[1] for point in points)
        if y1 - y0 > _SLACK:
            xs |= {round(x0), round(x1)}
            down += y0, y1
        if x1 - x0 > _SLACK:
            ys |= {round(y0), round(y1)}
            across += x0, x1
    if len(xs) < 2 or len(ys) < 2:
        return None
    return pymupdf.Rect(min(across), min(down), max(across), max(down)) + _AROUND


def continues(before: PageTable, after: PageTable) -> bool:
    """Whether `after`, first on its page, has the columns of `before`, last on the page before."""
    same = len(before.edges) == len(after.edges) and after.page == before.page + 1
    return same and all(abs(a - b) < 2 * _SLACK for a, b in zip(before.edges, after.edges, strict=True))


def joined(before: PageTable, after: PageTable) -> PageTable:
    """The two as one table; a heading row that the second repeats is left out."""
    width = max((cell.column for cell in before.cells), default=1)
    head = [_row_text(table, 1, width) for table in (before, after)]
    skip = 1 if head[0] == head[1] and any(cell.header for cell in before.cells) else 0
    moved = tuple(
        replace(cell, row=cell.row + before.rows - skip, header=cell.header and not skip and cell.column == 1)
        for cell in after.cells
        if cell.row > skip
    )
    bold = {(row + before.rows - skip, column) for row, column in after.bold_cells if row > skip}
    return replace(
        before,
        cells=before.cells + moved,
        rows=before.rows + after.rows - skip,
        page=after.page,
        bold_cells=before.bold_cells | bold,
    )


def _row_text(table: PageTable, row: int, width: int) -> list[str]:
    texts = [""] * width
    for cell in table.cells:
        if cell.row == row and cell.column <= width:
            texts[cell.column - 1] = cell.text
    return texts


def _grid(table: Any) -> Grid | None:
    boxes: list[Box] = sorted({tuple(cell) for cell in table.cells if cell}, key=lambda box: (box[1], box[0]))
    if len(boxes) < 2:
        return None
    xs = _edges([x for box in boxes for x in (box[0], box[2])])
    ys = _edges([y for box in boxes for y in (box[1], box[3])])
    return (boxes, xs, ys) if len(xs) > 2 and len(ys) > 1 else None


def _edges(values: Sequence[float]) -> list[float]:
    out: list[float] = []
    for value in sorted(values):
        if not out or value - out[-1] > _SLACK:
            out.append(value)
    return out


def _index(edges: Sequence[float], value: float) -> int:
    return min(range(len(edges)), key=lambda i: abs(edges[i] - value))


def _table(grid: Grid, chars: Sequence[dict[str, Any]], number: int) -> PageTable | None:
    boxes, xs, ys = grid
    cells: list[DraftCell] = []
    bold: set[tuple[int, int]] = set()
    for box in boxes:
        inside = [char for char in chars if _is_in(char, box)]
        row, column = _index(ys, box[1]) + 1, _index(xs, box[0]) + 1
        text = _text_in(inside, box)
        if text and all(char["bold"] for char in inside if char["c"].strip()):
            bold.add((row, column))
        rounded: Box = (round(box[0], 2), round(box[1], 2), round(box[2], 2), round(box[3], 2))
        cells.append(
            DraftCell(
                row=row,
                column=column,
                text=text,
                row_span=max(1, _index(ys, box[3]) + 1 - row),
                column_span=max(1, _index(xs, box[2]) + 1 - column),
                page=number,
                box=rounded,
            )
        )
    worded = [cell for cell in cells if cell.text]
    if len(worded) < 2 or len({cell.column for cell in worded}) < 2:
        return None
    area: Box = (round(xs[0], 2), round(ys[0], 2), round(xs[-1], 2), round(ys[-1], 2))
    cells.sort(key=lambda cell: (cell.row, cell.column))
    return PageTable(number, area, tuple(xs[:-1]), tuple(mark_header(cells, bold)), len(ys) - 1, frozenset(bold))


def _is_in(char: dict[str, Any], box: Box) -> bool:
    return bool(box[0] <= char["x"] <= box[2] and box[1] <= char["y"] <= box[3])


def _characters(page: pymupdf.Page) -> list[dict[str, Any]]:
    """Every character that is not aslant, with its middle and its line's number."""
    out: list[dict[str, Any]] = []
    line_number = 0
    for block in page.get_text("rawdict", flags=_TEXT_FLAGS)["blocks"]:
        for line in block.get("lines", ()):
            line_number += 1
            turns = quarter_turns(line["dir"])
            if turns is None:  # aslant over the table, as a watermark is
                continue
            for span in line["spans"]:
                if span.get("alpha", 255) == 0:
                    continue
                bold = (
                    bool(span["flags"] & 16) or span.get("char_flags", 0) & 48 == 48 or "bold" in span["font"].lower()
                )
                raised = is_raised(span, line["spans"])
                for char in span["chars"]:
                    x0, y0, x1, y1 = char["bbox"]
                    out.append(
                        {
                            "at": len(out),
                            "c": char["c"],
                            "x": (x0 + x1) / 2,
                            "y": (y0 + y1) / 2,
                            "x0": x0,
                            "x1": x1,
                            "y0": y0,
                        }
                        | {
                            "size": span["size"],
                            "bold": bold,
                            "line": line_number,
                            "level": turns == 0,
                            "raised": raised,
                        }
                    )
    return out


def _text_in(chars: Sequence[dict[str, Any]], box: Box) -> str:
    """The cell's text; lines on their side are read in the order in which they are drawn."""
    text = _cell_text([char for char in chars if char["level"]], box)
    sideways = [char for char in chars if not char["level"]]
    for _, line in itertools.groupby(sideways, key=lambda char: char["line"]):
        text = glue(text, "".join(char["c"] for char in line).strip())
    return text


def _cell_text(chars: Sequence[dict[str, Any]], box: Box) -> str:
    """The text of level lines: wrapped ones closed, paragraphs parted by a line break."""
    rows: list[list[dict[str, Any]]] = []
    for char in sorted(chars, key=lambda char: char["y"]):
        if rows and abs(char["y"] - median(other["y"] for other in rows[-1][-8:])) < 0.45 * char["size"]:
            rows[-1].append(char)
        else:
            rows.append([char])
    out: list[str] = []
    room = 0.0
    for row in rows:
        row.sort(key=lambda char: (round(char["x0"], 1), char["at"]))
        text = _row_of(row)
        if not text:
            continue
        if out and _wraps(out[-1], text, room, row[0]["size"]):
            out[-1] = glue(out[-1], text)
        else:
            out.append(text)
        room = box[2] - max(char["x1"] for char in row if char["c"].strip())
    return "\n".join(out)


def _row_of(row: Sequence[dict[str, Any]]) -> str:
    pieces: list[tuple[str, bool]] = []
    for index, char in enumerate(row):
        text, raised = pieces.pop() if pieces and pieces[-1][1] == char["raised"] else ("", char["raised"])
        if index and char["x0"] - row[index - 1]["x1"] > 0.8 * char["size"] and not row[index - 1]["c"].isspace():
            text += " "
        pieces.append((text + char["c"], raised))
    return composed(pieces).strip()


def _wraps(before: str, text: str, room: float, size: float) -> bool:
    """Whether the row goes on with the text before, which filled the cell's width."""
    if parse_label(text):
        return False
    if has_ideographs(text[:1]):
        return room < 3 * size
    word = text.split(maxsplit=1)[0]
    return room < 0.6 * size * (len(word) + 2)
