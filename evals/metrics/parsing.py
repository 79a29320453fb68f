"""Parsing: held against the text that a document was made from, how much was read, in which order, with which labels?

`text` is the share of characters in paragraphs that were read whole; `order` the share of neighbouring paragraphs that
stand in the same order; `label` the share of paragraphs with a typed number whose block bears it; `cell` the share of
table cells that stand in a parsed table in the same row and column. Paragraphs whose text recurs, be it in
others, are left out of the order, as nothing says which is which.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from itertools import pairwise

from evals.matching.view import View
from evals.tally import Tally, pooled, share
from evals.written import Unit, units
from ir.document import Document

_CLOSING = ".、．:："


def parsing(view: View) -> Mapping[str, Tally]:
    """Tallies of a case, over the documents whose source is kept."""
    found: dict[str, list[Tally]] = {}
    for one in view.case.file.documents:
        path = view.case.folder / one.path
        source = view.case.folder / one.source if one.source else path if path.suffix == ".html" else None
        if source is None or source.suffix not in (".html", ".txt"):
            continue
        document = view.outcome.documents.get(path.relative_to(view.case.documents).as_posix())
        for name, tally in reading(units(source), document).items():
            found.setdefault(name, []).append(tally)
    return {name: pooled(tallies) for name, tallies in found.items()}


def reading(written: Sequence[Unit], document: Document | None) -> dict[str, Tally]:
    """How a document was read, by what was written; a document that was not read has none of it."""
    text, starts = _text(document)
    places = [text.find(squeezed(unit.text)) for unit in written]
    sizes = [len(squeezed(unit.text)) for unit in written]
    whole = "".join(squeezed(unit.text) for unit in written)
    single = [i for i, unit in enumerate(written) if whole.count(squeezed(unit.text)) == 1]
    labelled = [i for i, unit in enumerate(written) if unit.label is not None]
    cells = [unit for unit in written if unit.cell is not None]
    return {
        "parsing.text": share(sum(size for size, at in zip(sizes, places, strict=True) if at >= 0), sum(sizes)),
        "parsing.order": share(sum(0 <= places[a] < places[b] for a, b in pairwise(single)), max(len(single) - 1, 0)),
        "parsing.label": share(sum(_bears(written[i], places[i], starts) for i in labelled), len(labelled)),
        "parsing.cell": share(len(_cells(cells, document)), len(cells)),
    }


def squeezed(text: str) -> str:
    """The text without white space, in one form of its characters.

    >>> squeezed("a  b\\u00a0ﬁ")
    'abfi'
    """
    return "".join(unicodedata.normalize("NFKC", text).split())


def _text(document: Document | None) -> tuple[str, dict[int, str | None]]:
    """The words of the body, and by where a block begins the label that it bears."""
    parts: list[str] = []
    starts: dict[int, str | None] = {}
    at = 0
    for block in document.body() if document else ():
        for text in [block.text, *(cell.text for cell in block.cells)]:
            starts.setdefault(at, squeezed(block.label.text) if block.label else None)
            parts.append(squeezed(text))
            at += len(parts[-1])
    return "".join(parts), starts


def _bears(unit: Unit, place: int, starts: Mapping[int, str | None]) -> bool:
    """Whether the block that begins where the paragraph does bears its label, but for closing punctuation."""
    label = starts.get(place)
    return label is not None and label.rstrip(_CLOSING) == squeezed(unit.label or "").rstrip(_CLOSING)


def _cells(written: Sequence[Unit], document: Document | None) -> list[Unit]:
    tables = (
        [{(c.row, c.column): squeezed(c.text) for c in block.cells} for block in document.blocks] if document else []
    )
    tables = [table for table in tables if table]
    return [
        unit
        for unit in written
        if unit.cell and any(table.get(unit.cell[1:]) == squeezed(unit.text) for table in tables)
    ]
