"""A report cut to a number of pages: what there is no room for is counted, never lost in silence."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from math import ceil

from compiler.report.graph.text_size import text_width
from review.paper.parts import Paper, Part, Picture, Row, Section, Signatures, Table, Text, Weight

WIDTH, HEIGHT = 493.0, 728.0
"""What a page of A4 holds between its margins, in points."""
BODY, CELL = (10.0, 15.5), (9.0, 13.0)
"""Size of the letters and height of a line, in points: of paragraphs, of cells."""
_HEAD, _PADDING, _TITLE, _SIGN = 30.0, 6.0, 120.0, 30.0
_LEAST = 6
"""Rows of a table that are never left out."""


def fit(paper: Paper, pages: int, more: Callable[[int], str]) -> Paper:
    """Leave out the lightest rows until the report has so many pages; of equal ones those of the longest table.

    Args:
        more: what is said of rows that are left out, by their number.
    """
    while page_count(paper) > pages:
        tables = [
            (section, number, part)
            for section, held in enumerate(paper.sections)
            for number, part in enumerate(held.parts)
            if isinstance(part, Table) and len(part.rows) > _LEAST and _lightest(part) < Weight.KEPT
        ]
        if not tables:
            return paper
        section, number, table = min(tables, key=lambda one: (_lightest(one[2]), -_part(one[2])))
        paper = _with(paper, section, number, _without_lightest(table, more))
    return paper


def page_count(paper: Paper) -> int:
    """How many pages a report takes: titles stay with what follows, rows and pictures are not torn."""
    count, used = 1, _TITLE
    for section in paper.sections:
        lead = _HEAD
        for part in section.parts:
            for needed, again in _pieces(part):
                fits = used + lead + needed <= HEIGHT
                count, used = (count, used) if fits else (count + 1, again)
                used, lead = used + lead + needed, 0.0
    return count


def _lightest(table: Table) -> Weight:
    return min(row.weight for row in table.rows)


def _without_lightest(table: Table, more: Callable[[int], str]) -> Table:
    """A table without the last of its lightest rows."""
    lightest = _lightest(table)
    last = max(number for number, row in enumerate(table.rows) if row.weight == lightest)
    rows = tuple(row for number, row in enumerate(table.rows) if number != last)
    return replace(table, rows=rows, left_out=table.left_out + 1, more=more(table.left_out + 1))


def _with(paper: Paper, section: int, number: int, table: Table) -> Paper:
    held = paper.sections[section]
    parts = tuple(table if at == number else part for at, part in enumerate(held.parts))
    sections = tuple(Section(one.title, parts) if at == section else one for at, one in enumerate(paper.sections))
    return replace(paper, sections=sections)


def _part(part: Part) -> float:
    return sum(needed for needed, _ in _pieces(part))


def _pieces(part: Part) -> Iterator[tuple[float, float]]:
    """What a part consists of that is not torn: how high each piece is, and what is repeated over it on a new page."""
    match part:
        case Text():
            yield _lines(part.text, WIDTH, BODY) + _PADDING, 0.0
        case Picture():
            yield part.height + 2 * _PADDING + (_lines(part.note, WIDTH, CELL) if part.note else 0.0), 0.0
        case Signatures():
            signed = sum(_lines(line, WIDTH - 20, CELL) for line in part.signed)
            yield _SIGN * len(part.roles) + signed + _lines(part.note, WIDTH, CELL) + _HEAD, 0.0
        case Table():
            head = _row(Row(part.head), part) if part.head else 0.0
            for number, row in enumerate(part.rows):
                yield _row(row, part) + (head if number == 0 else 0.0), (head if number else 0.0)
            if part.left_out:
                yield _lines(part.more, WIDTH, CELL) + _PADDING, 0.0


def _row(row: Row, table: Table) -> float:
    if not table.head:
        return _lines(row.cells[0], WIDTH - 20, BODY)
    lines = [_lines(cell, WIDTH * width - 10, CELL) for cell, width in zip(row.cells, table.widths, strict=True)]
    return max(lines) + _PADDING


@lru_cache(maxsize=4096)
def _lines(text: str, width: float, size: tuple[float, float]) -> float:
    """How high a text is that is broken at a width; words are not broken, so that a line is not filled wholly."""
    return max(1, ceil(text_width(text, size[0]) / (width * 0.96))) * size[1]
