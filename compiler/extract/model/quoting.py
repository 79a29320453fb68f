"""Where an answer's quotes stand in the document, and the headings that speak with a table's cell."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from compiler.extract.model.fence import numbered
from compiler.extract.model.form import Quote
from compiler.grounding import QuoteFinder
from compiler.text.sentences import Piece, sentences
from ir.document import Block, Cell, Document
from ir.source import Evidence, Grounding

_ITEMS = 40  # of a list, at most
_SHORT = 800  # characters of a paragraph that is taken as a whole
_ROW = re.compile(r"^(?P<table>.+)-r(?P<row>\d+)$")


class Quoting:
    """Finds the quotes of answers about one document."""

    def __init__(self, document: Document) -> None:
        self._finder = QuoteFinder(document)
        self._blocks = {block.address: block for block in document.blocks}
        self._listed, self._language = document.blocks, document.language
        self._order = {block.address: at for at, block in enumerate(document.blocks)}
        self._addresses = {short: address for address, short in numbered(document).items()}

    def evidence(self, quotes: Iterable[Quote]) -> tuple[Evidence, ...]:
        """Each quote as evidence, looked for first where the answer says; the first of equal words in that block."""
        return tuple(self._placed(quote.q, self._near(quote)) for quote in quotes if quote.q)

    def _placed(self, words: str, near: str | None) -> Evidence:
        found = self._finder.search(words, near=near)
        if found.evidence.status is Grounding.AMBIGUOUS and near is not None and found.hits:
            return self._finder.search(words, near=near, occurrence=found.hits[0].ordinal).evidence
        return found.evidence

    def with_headings(self, quotes: Iterable[Quote]) -> tuple[Evidence, ...]:
        """The same; of words in a table's cell also the headings of its columns and its row: they say when it holds."""
        found: dict[Evidence, None] = {}
        for quote in quotes:
            for evidence in self.evidence([quote]):
                found[evidence] = None
            cells = self._cells(quote)
            for heading in _headings(self._table(quote), cells[0]) if len(cells) == 1 else ():
                found[self._finder.search(heading.text, near=heading.address).evidence] = None
        return tuple(found)

    def with_items(self, quotes: Iterable[Quote]) -> tuple[Evidence, ...]:
        """The same; of words that introduce a list (`Score (count what holds):`) also its items, which say of what."""
        quotes = tuple(quotes)
        found = dict.fromkeys(self.with_headings(quotes))
        for quote in quotes:
            for item in self._items(self._addresses.get(quote.b, quote.b)):
                found[self._finder.search(item.text, near=item.address).evidence] = None
        return tuple(found)

    def around(self, quotes: Iterable[Quote]) -> tuple[str, ...]:
        """The paragraphs that quotes stand in, of long ones the sentences: a number may stand behind what is quoted."""
        found: dict[str, None] = {}
        for quote in quotes:
            block = self._blocks.get(self._addresses.get(quote.b, quote.b))
            at = block.text.find(quote.q) if block is not None and quote.q else -1
            if block is not None and at >= 0:
                pieces = sentences(Piece(block.address, 0, len(block.text), block.text), self._language)
                end = at + len(quote.q)
                near = [one.text for one in pieces if one.start < end and at < one.end]
                found |= dict.fromkeys([block.text] if len(block.text) <= _SHORT else near)
        return tuple(found)

    def beside(self, words: str, quotes: Sequence[Quote]) -> Quote:
        """Words of the paragraph that one of some quotes stands in, the first that has them."""
        near = (quote.b for quote in quotes if words in self._text_at(quote.b))
        return Quote(b=next(near, quotes[0].b), q=words)

    def _text_at(self, address: str) -> str:
        block = self._blocks.get(self._addresses.get(address, address))
        return block.text if block is not None else ""

    def _items(self, address: str) -> Iterator[Block]:
        """The items of the list that a block introduces, one behind the other; none where it introduces none."""
        said = self._blocks.get(address)
        if said is None or not said.text.rstrip().endswith((":", "：")):
            return
        at = self._order[address] + 1
        yield from takewhile(lambda block: block.kind == "list_item", self._listed[at : at + _ITEMS])

    def _near(self, quote: Quote) -> str | None:
        """The cell, else the block that an answer names; None where there is no such."""
        cells = self._cells(quote)
        if cells:
            return cells[0].address
        table = self._table(quote)
        address = table.address if table is not None else self._addresses.get(quote.b, quote.b)
        return address if address in self._blocks or address in self._finder.by_address else None

    def _table(self, quote: Quote) -> Block | None:
        row = _ROW.match(quote.b)
        said = row["table"] if row is not None else quote.b
        return self._blocks.get(self._addresses.get(said, said))

    def _cells(self, quote: Quote) -> list[Cell]:
        """The cells of the row that an answer names which hold the words."""
        row, table = _ROW.match(quote.b), self._table(quote)
        if row is None or table is None:
            return []
        return [
            cell
            for cell in table.cells
            if cell.row <= int(row["row"]) < cell.row + cell.row_span and quote.q in cell.text
        ]


def _headings(table: Block | None, of: Cell) -> Iterator[Cell]:
    """The headings over a cell's columns, in one row or two, and the cells before it in its row."""
    cells = table.cells if table is not None else ()
    parted = any(cell.row == 1 and cell.column_span > 1 for cell in cells)  # the second row divides the first
    for cell in cells:
        above = cell.row < of.row and _over(cell, of) and (cell.header or cell.row == 1 or (parted and cell.row == 2))
        before = cell.row <= of.row < cell.row + cell.row_span and cell.column < of.column
        if cell is not of and cell.text.strip() and (above or before):
            yield cell


def _over(heading: Cell, of: Cell) -> bool:
    """Whether a heading stands over one of a cell's columns."""
    return heading.column < of.column + of.column_span and of.column < heading.column + heading.column_span
