"""The texts that a case's documents were made from, read without the compiler's parsers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bs4 import BeautifulSoup, Tag

BLOCKS = ("h1", "h2", "h3", "h4", "h5", "h6", "p", "li", "caption", "td", "th", "dt", "dd")
# A label as it is typed at the head of a paragraph.
LABEL = re.compile(
    r"(?P<label>第[〇零一二三四五六七八九十百0-9]+[编章节条款]|[（(][一二三四五六七八九十]+[）)]|[一二三四五六七八九十]+、"
    r"|\d+(?:\.\d+)+\.?|\d+[.、．)]|\((?:\d+|[a-z]|[ivx]+)\)|"
    r"(?:Article|Section|Chapter|Part|Annex) (?:\d+(?:\.\d+)*|[IVXA-F]+)\b\.?)"
    r"\s*(?=\S)"
)
UNSEEN = "script, style, head, nav, [hidden], [aria-hidden=true]"
_WHITE = re.compile(r"#fff(?:fff)?|white|rgb\(255,255,255\)")
_TINY = re.compile(r"(?:0|[01](?:\.\d+)?(?:px|pt))")
_MARK = re.compile(r"^(?:#{1,4}|[=+^*-]) ")


@dataclass(frozen=True)
class Unit:
    """One paragraph, heading, list item or table cell as it was written.

    Args:
        text: without runs of white space.
        label: as typed at its head, None where there is none.
        cell: table (from 0), row and column (from 1) of a table's cell.
    """

    text: str
    label: str | None = None
    cell: tuple[int, int, int] | None = None


def units(path: Path) -> tuple[Unit, ...]:
    """What a source holds, in order: HTML by its elements, plain text by its lines (a mark at the head is left out)."""
    text = path.read_text("utf-8")
    if path.suffix not in (".html", ".htm"):
        return tuple(_text_units(text.splitlines()))
    soup = BeautifulSoup(text, "html.parser")
    for hidden in [*soup.select(UNSEEN), *(tag for tag in soup.select("[style]") if _hides(tag))]:
        hidden.extract()
    return tuple(unit for unit in _html_units(soup) if unit.text)


def _text_units(lines: list[str]) -> Iterator[Unit]:
    """The lines of a plain text; those that begin with a bar are the rows of a table, their cells parted by bars."""
    table, row = -1, 0
    for line in lines:
        if line.startswith("| "):
            cells = line[2:].split(" | ")
            if len(cells) == 1 and not row:  # the table's title
                yield _unit(cells[0])
                continue
            table, row = (table, row + 1) if row else (table + 1, 1)
            for column, cell in enumerate(cells, 1):
                yield Unit(" ".join(cell.split()), None, (table, row, column))
            continue
        row = 0
        if line.strip():
            yield _unit(_MARK.sub("", line))


def _html_units(soup: BeautifulSoup) -> Iterator[Unit]:
    cells = _cells(soup)
    for block in soup.find_all(BLOCKS):
        if block.name in ("li", "td", "th", "dd") and block.find(BLOCKS):
            own = "".join(child for child in block.find_all(string=True, recursive=False))
            if own.strip():
                yield _unit(own)
            continue
        text = block.get_text()
        place = cells.get(id(block))
        yield Unit(" ".join(text.split()), None, place) if place else _unit(text)


def _hides(tag: Tag) -> bool:
    """Whether an element's own style keeps its words from a reader: not shown, tiny, or white on no ground."""
    style = _style(tag)
    if style.get("display") == "none" or style.get("visibility") == "hidden" or style.get("opacity") == "0":
        return True
    if _TINY.fullmatch(style.get("font-size", "")):
        return True
    grounds = (key in _style(here) for here in (tag, *tag.parents) for key in ("background", "background-color"))
    return _WHITE.fullmatch(style.get("color", "")) is not None and not any(grounds)


def _style(tag: Tag) -> dict[str, str]:
    parts = (part.partition(":") for part in str(tag.get("style") or "").lower().split(";"))
    return {name.strip(): re.sub(r"\s+", "", value).removesuffix("!important") for name, _, value in parts}


def _unit(text: str) -> Unit:
    text = " ".join(text.split())
    found = LABEL.match(text)
    return Unit(text, found["label"].strip() if found else None)


def _cells(soup: BeautifulSoup) -> dict[int, tuple[int, int, int]]:
    """The place of each cell in its table's grid, by identity of the element."""
    places: dict[int, tuple[int, int, int]] = {}
    for number, table in enumerate(soup.find_all("table")):
        taken: set[tuple[int, int]] = set()
        for r, row in enumerate(table.find_all("tr"), 1):
            c = 1
            for cell in row.find_all(("td", "th"), recursive=False):
                while (r, c) in taken:
                    c += 1
                down, right = _span(cell, "rowspan"), _span(cell, "colspan")
                taken |= {(r + i, c + j) for i in range(down) for j in range(right)}
                places[id(cell)] = (number, r, c)
    return places


def _span(cell: Tag, name: str) -> int:
    value = str(cell.get(name) or "1")
    return int(value) if value.isdigit() and int(value) else 1
