"""Tables of a page: those that hold data, told from those that only lay the page out."""

from collections.abc import Callable, Iterator

from bs4 import Tag

from compiler.parsers.draft import DraftCell
from compiler.parsers.html.sheet import Sheet
from compiler.parsers.tables import mark_header

_PLAIN = ("div", "span", "section", "p", "ul", "ol", "li", "dl", "dt", "dd")
_ROLES = {
    "table": "table", "grid": "table", "rowgroup": "tbody", "row": "tr", "cell": "td", "gridcell": "td",
    "columnheader": "th", "rowheader": "th",
}  # fmt: skip
_SHOWN = {
    "table": "table", "inline-table": "table", "table-row-group": "tbody", "table-header-group": "thead",
    "table-footer-group": "tfoot", "table-row": "tr", "table-cell": "td",
}  # fmt: skip
_LONGEST_CELL = 1500
_MOST_CELLS = 200_000


def name_tables(root: Tag, sheet: Sheet) -> None:
    """Give tables that roles or the style sheet make out of other elements the names of their parts."""
    parts = [(element, _part(element, sheet)) for element in root.find_all(_PLAIN)]
    rows = [element for element, part in parts if part == "tr"]
    tables = {id(element): element for element, part in parts if part == "table"}
    within = {id(above) for row in rows for above in row.parents if id(above) in tables}
    for element, part in parts:
        if id(element) in within or (
            part and part != "table" and any(id(above) in within for above in element.parents)
        ):
            element.name = part or element.name


def _part(element: Tag, sheet: Sheet) -> str | None:
    """The part of a table that the element is, None where it is none."""
    return _ROLES.get(str(element.get("role", ""))) or _SHOWN.get(sheet.declarations(element).get("display", ""))


def is_data_table(table: Tag) -> bool:
    """Whether rows and columns mean something here.

    Layout tables nest others, have one row or one column, or hold whole passages; headings of columns decide for data.
    """
    if table.get("role") in ("presentation", "none") or table.find("table") is not None:
        return False
    rows = [[cell for cell in _cells(row) if cell.get_text(strip=True)] for row in _rows(table)]
    full = [row for row in rows if row]
    if table.find("th") is not None or table.find("thead") is not None or table.find("caption") is not None:
        return bool(full)
    if len(full) < 2 or max((len(row) for row in full), default=0) < 2:
        return False
    if sum(len(row) >= 2 for row in full) * 2 < len(full):
        return False
    cells = [cell for row in full for cell in row]
    longest = max(len(cell.get_text()) for cell in cells)
    return longest < _LONGEST_CELL and not any(cell.find(["h1", "h2", "h3", "article", "section"]) for cell in cells)


def table_cells(table: Tag, text_of: Callable[[Tag], str | None]) -> list[DraftCell]:
    """The cells with their places; a merged cell once, with its spans.

    Args:
        text_of: what a cell says; None where it is left out, and those beside it close up.
    """
    taken: dict[tuple[int, int], bool] = {}
    out: list[DraftCell] = []
    bold: set[tuple[int, int]] = set()
    texts = [(row, [(cell, text_of(cell)) for cell in _cells(row)]) for row in _rows(table)]
    rows = [(row, told) for row, told in texts if not told or any(text is not None for _, text in told)]
    for number, (row, told) in enumerate(rows, 1):
        column = 1
        for cell, text in told:
            if text is None:
                continue
            while (number, column) in taken:
                column += 1
            across = _span(cell, "colspan", 1000)
            down = min(_span(cell, "rowspan", len(rows)) or len(rows), len(rows) - number + 1)
            if len(taken) + across * down > _MOST_CELLS:
                across = down = 1
            taken.update({(number + r, column + c): True for r in range(down) for c in range(across)})
            head = cell.name == "th" or (row.parent is not None and row.parent.name == "thead")
            out.append(DraftCell(number, column, text, down, across, header=head))
            if text and _is_bold(cell):
                bold.add((number, column))
            column += across
    return out if any(cell.header for cell in out) else mark_header(out, bold)


def _rows(table: Tag) -> Iterator[Tag]:
    """The rows as a browser shows them: those of the foot last, wherever they are written."""
    parts = [child for child in table.children if isinstance(child, Tag)]
    for child in sorted(parts, key=lambda part: part.name == "tfoot"):
        if child.name == "tr":
            yield child
        elif child.name in ("tbody", "thead", "tfoot"):
            yield from _rows(child)


def _cells(row: Tag) -> Iterator[Tag]:
    return (child for child in row.children if isinstance(child, Tag) and child.name in ("td", "th"))


def _span(cell: Tag, name: str, most: int) -> int:
    text = str(cell.get(name, "1")).strip()
    return min(int(text), most) if text.isdecimal() and len(text) < 6 else 1


def _is_bold(cell: Tag) -> bool:
    strong = "".join(
        part.get_text() for part in cell.find_all(["b", "strong"]) if not part.find_parent(["b", "strong"])
    )
    return len("".join(strong.split())) >= len("".join(cell.get_text().split()))
