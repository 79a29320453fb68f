"""Forms and reference tables: keys with their values, and rows of typed data."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from compiler.text.mentions import Mentions
from ir.document import Block, Cell, Document
from ir.quantities.numerals import find_numbers, han_number
from ir.quantities.units import CURRENCIES, convert, find_quantities
from ir.source import Evidence, Span

_PAIR = re.compile(r"^\s*(?P<key>[^：:]{1,24}?)\s*[：:]\s*(?P<value>\S.*?)\s*$")
_STEP = re.compile(r"步|阶段|环节|\b(?:step|phase|stage)\b", re.IGNORECASE)
_TO_FILL = re.compile(
    r"[^\s：:_＿]{1,24}\s?[：:]?\s*(?:[_＿]{3,}|…{2,}|\.{6,})|[^\s：:，。]{1,16}[：:]\s*$|[（(][\s　]{2,}[）)]"
)
_SPOKEN = re.compile(r"[“”\"「『]")
_GLOSSARY = re.compile(
    r"^(?:terms?|abbreviations?|acronyms?|definitions?|meaning|explanation|full (?:name|form))$"
    r"|^(?:术语|名词|缩写|缩略语|定义|释义|含义|解释|全称|说明)$",
    re.IGNORECASE,
)
_BLANK = re.compile(r"^[\s_＿—\-/　.。…□☐]*$")


@dataclass(frozen=True)
class Pair:
    """A key of a form with the value filled in, and where both stand."""

    key: str
    value: str
    key_evidence: Evidence
    value_evidence: Evidence


def form_pairs(document: Document) -> Iterator[Pair]:
    """Every key with a value: neighbouring cells of key-value tables, and lines such as `数量：5 吨`."""
    for block in document.body():
        if block.kind == "table":
            yield from _table_pairs(document, block)
        elif block.kind != "heading" and (match := _PAIR.match(block.text)) and not _BLANK.match(match["value"]):
            if _STEP.search(match["key"]) or _SPOKEN.match(match["value"]):
                continue  # `第一步：…` numbers an act; `他说：“…”` tells what was said
            yield Pair(
                match["key"].strip(),
                match["value"],
                _evidence(document, block.address, block.text, match.start("key"), match.end("key")),
                _evidence(document, block.address, block.text, match.start("value"), match.end("value")),
            )


def blanks(document: Document) -> int:
    """How many keys stand before a place to fill in: `Name: ______`, `数量：　　`, a cell with nothing beside a key."""
    lines = sum(len(_TO_FILL.findall(block.text)) for block in document.body() if block.kind != "table")
    tables = [block for block in document.body() if block.kind == "table" and is_key_value(block)]
    cells = [pair for block in tables for row in _rows(block) for pair in zip(row[::2], row[1::2], strict=False)]
    return lines + sum(bool(key.text.strip()) and bool(_BLANK.match(value.text)) for key, value in cells)


def is_key_value(block: Block) -> bool:
    """Whether a table pairs keys with values rather than listing rows of one kind."""
    rows = _rows(block)
    if len(rows) < 2:
        return False
    widths = [len(cells) for cells in rows]
    if all(_GLOSSARY.search(cell.text) for cell in rows[0]):
        return False
    if max(widths) > 2 and all(cell.header for cell in rows[0]):
        return False
    if max(widths) > 6 or any(width % 2 for width in widths if width > 1):
        return sum(width in (2, 4, 6) for width in widths) >= 0.7 * len(widths)
    keys = [cell.text.strip() for cells in rows for cell in cells[::2] if len(cells) > 1]
    if not keys:
        return False
    short = sum(0 < len(re.sub(r"\s", "", key)) <= 16 and not re.search(r"\d{3}", key) for key in keys)
    headed = max(widths) == 2 and len(rows) > 8 and all(cell.header for cell in rows[0])
    return short >= 0.8 * len(keys) and len(set(keys)) >= 0.9 * len(keys) and not headed


def _table_pairs(document: Document, block: Block) -> Iterator[Pair]:
    if not is_key_value(block):
        return
    for cells in _rows(block):
        for key, value in zip(cells[::2], cells[1::2], strict=False):
            name = re.sub(r"[\s　]+", "", key.text) if document.language == "zh" else key.text.strip()
            if name and not _BLANK.match(value.text):
                yield Pair(name.rstrip("：:"), value.text.strip(), _cell(document, key), _cell(document, value))


@dataclass(frozen=True)
class Column:
    """A column of a reference table: its heading, and the concept it holds where the catalog knows it."""

    name: str
    concept: str | None


@dataclass(frozen=True)
class Table:
    """A table with a heading row and rows of one kind; each row has a cell, or None, for each column."""

    block: Block
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell | None, ...], ...]


def reference_tables(document: Document, mentions: Mentions) -> Iterator[Table]:
    """The tables that list things of one kind under headings."""
    for block in document.body():
        if block.kind != "table" or is_key_value(block):
            continue
        rows = _rows(block)
        if len(rows) < 3 or len(rows[0]) < 2:
            continue
        head, body = rows[0], rows[1:]
        width = len(head)
        if any(not cell.text.strip() for cell in head) or sum(len(r) == width for r in body) < 0.6 * len(body):
            continue
        columns = tuple(Column(cell.text.strip(), concept_named(cell.text, mentions)) for cell in head)
        by_column = [{cell.column: cell for cell in cells} for cells in body]
        yield Table(block, columns, tuple(tuple(row.get(cell.column) for cell in head) for row in by_column))


def concept_named(text: str, mentions: Mentions) -> str | None:
    """The concept whose name a heading or key bears; the longest name decides, and it must be most of the words.

    None where no concept's name makes up half of the words.
    """
    plain = re.sub(r"[（(].*?[)）]|[\s　：:*＊]", "", text)
    found = [m for m in mentions.find(plain) if m.value is None]
    best = max(found, key=lambda m: m.end - m.start, default=None)
    if best is None or (best.end - best.start) * 2 < len(plain):
        found = [m for m in mentions.find(text) if m.value is None]
        best = max(found, key=lambda m: m.end - m.start, default=None)
        if best is None or (best.end - best.start) * 2 < len(text.strip()):
            return None
    return best.concept


def typed(text: str, concept: str | None, mentions: Mentions) -> tuple[JsonValue, str | None, tuple[float, str] | None]:
    """A cell's or form's words as the concept's value.

    Returns:
        value (None where the words give none), unit of the value, and (number, unit) before a conversion.
    """
    spec = mentions.concepts.get(concept) if concept else None
    if spec is None:
        return text.strip(), None, None
    values = [m.value for m in mentions.find(text) if m.concept == spec.id and m.value is not None]
    if spec.values:
        return (values[0], None, None) if len(set(values)) == 1 else (None, None, None)
    if spec.type in ("number", "integer"):
        return _sum(text) if spec.measure == "money" else _number(text, spec.unit)
    if spec.type == "date":
        return date_of(text), None, None
    return text.strip(), None, None


def _number(text: str, unit: str | None) -> tuple[JsonValue, str | None, tuple[float, str] | None]:
    quantities = find_quantities(text)
    if quantities and unit:
        quantity = quantities[0]
        if len(quantities) > 1 or _says_more(text[: quantity.start] + text[quantity.end :]):
            return None, None, None  # `约5吨`, `3吨至5吨`, `5吨/车` are no one value
        value = convert(quantity.value, quantity.unit.id, unit)
        if value is None:
            return None, None, None
        before = (quantity.value, quantity.unit.id) if quantity.unit.id != unit else None
        return _int_if_whole(value), unit, before
    numbers = find_numbers(text)
    if len(numbers) != 1 or (unit and not quantities and re.sub(r"[\d.,，\s]", "", text)):
        return None, None, None
    return _int_if_whole(numbers[0].value), unit, None


def _says_more(text: str) -> bool:
    """Whether words outside brackets stand beside a quantity."""
    return re.sub(r"[（(].*?[)）]|[\s，,。.;；]", "", text) != ""


def _sum(text: str) -> tuple[JsonValue, str | None, tuple[float, str] | None]:
    """One sum of money with its currency, which is None where the words name none."""
    quantities = find_quantities(text)
    if quantities:
        (first, *others) = quantities
        single = not others and first.unit.id in CURRENCIES
        return (_int_if_whole(first.value), first.unit.id, None) if single else (None, None, None)
    numbers = find_numbers(text)
    bare = len(numbers) == 1 and not re.sub(r"[\d.,，\s]", "", text)
    return _int_if_whole(numbers[0].value) if bare else None, None, None


def _int_if_whole(value: float) -> float | int:
    return int(value) if value == int(value) else value


def date_of(text: str) -> str | None:
    """The date that a text gives, as ISO 8601; None where it gives none."""
    match = re.search(r"(\d{4})\s*[年/.-]\s*(\d{1,2})\s*[月/.-]\s*(\d{1,2})", text)
    if match:
        return f"{int(match[1]):04d}-{int(match[2]):02d}-{int(match[3]):02d}"
    han = re.search(r"([〇零一二三四五六七八九]{4})年([一二三四五六七八九十]+)月([一二三四五六七八九十]+)日", text)
    if han:
        year, month, day = (han_number(part.replace("零", "〇")) for part in han.groups())
        return f"{year:04d}-{month:02d}-{day:02d}"
    return None


def _rows(block: Block) -> list[list[Cell]]:
    rows: dict[int, list[Cell]] = {}
    for cell in block.cells:
        rows.setdefault(cell.row, []).append(cell)
    return [sorted(cells, key=lambda cell: cell.column) for _, cells in sorted(rows.items())]


def _evidence(document: Document, address: str, text: str, start: int, end: int) -> Evidence:
    return Evidence.from_span(Span(doc_id=document.doc_id, block=address, start=start, end=end, quote=text[start:end]))


def _cell(document: Document, cell: Cell) -> Evidence:
    text = cell.text.strip()
    start = cell.text.find(text)
    return _evidence(document, cell.address, cell.text, start, start + len(text))
