"""Word tables: the grid with merged cells once, nested tables left to the reader."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from compiler.parsers.docx.package import Element, is_on, value, w
from compiler.parsers.draft import DraftCell
from compiler.parsers.tables import mark_header

_WRAPPERS = frozenset(map(w, ("sdt", "sdtContent", "ins", "moveTo", "customXml")))
_DELETED = f"{w('trPr')}/{w('del')}"


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell's place and span."""

    element: Element
    row: int
    column: int
    row_span: int = 1
    column_span: int = 1


@dataclass(frozen=True, slots=True)
class Grid:
    """A table's cells, the rows that Word repeats as headings, cells that a merged one covers, and deleted rows."""

    cells: tuple[GridCell, ...]
    header_rows: frozenset[int]
    covered: tuple[Element, ...] = ()
    deleted: tuple[Element, ...] = ()


def grid_of(table: Element) -> Grid:
    """Lay the table out: columns from `gridSpan`, `hMerge`, `gridBefore`, rows from `vMerge`; deleted rows apart."""
    cells: list[GridCell] = []
    open_: dict[int, int] = {}
    headers: set[int] = set()
    covered: list[Element] = []
    rows, deleted = list[Element](), list[Element]()
    for row in _inside(table, w("tr")):
        (rows if row.find(_DELETED) is None else deleted).append(row)
    for number, row in enumerate(rows, 1):
        properties = row.find(w("trPr"))
        if properties is not None and is_on(properties.find(w("tblHeader"))):
            headers.add(number)
        column = 1 + _count(properties.find(w("gridBefore")) if properties is not None else None, 0)
        for element in cells_in(row):
            own = element.find(w("tcPr"))
            span = _count(own.find(w("gridSpan")) if own is not None else None, 1)
            merge = own.find(w("vMerge")) if own is not None else None
            side = own.find(w("hMerge")) if own is not None else None
            if merge is not None and value(merge) != "restart" and column in open_:
                at = open_[column]
                cells[at] = replace(cells[at], row_span=number - cells[at].row + 1)
                covered.append(element)
            elif side is not None and value(side) != "restart" and cells and cells[-1].row == number:
                cells[-1] = replace(cells[-1], column_span=cells[-1].column_span + span)
                covered.append(element)
            else:
                open_[column] = len(cells)
                cells.append(GridCell(element, number, column, 1, span))
            column += span
    return Grid(tuple(cells), frozenset(headers), tuple(covered), tuple(deleted))


def cells_in(row: Element) -> Iterator[Element]:
    """The cells of a row, from left to right."""
    return _inside(row, w("tc"))


def cells_of(grid: Grid, texts: Sequence[tuple[str, bool]]) -> list[DraftCell]:
    """The grid's cells with their texts; `texts` says of each whether it is bold."""
    cells = [
        DraftCell(cell.row, cell.column, text, cell.row_span, cell.column_span, header=cell.row in grid.header_rows)
        for cell, (text, _) in zip(grid.cells, texts, strict=True)
    ]
    if grid.header_rows:
        return cells
    bold = {(cell.row, cell.column) for cell, (_, heavy) in zip(grid.cells, texts, strict=True) if heavy}
    return mark_header(cells, bold)


def _inside(parent: Element, tag: str) -> Iterator[Element]:
    """Rows or cells, those in content controls and tracked insertions included."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _inside(child, tag)


def _count(element: Element | None, otherwise: int) -> int:
    text = value(element)
    return min(int(text), 200) if text and text.isdecimal() and int(text) > 0 else otherwise
