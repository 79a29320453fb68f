"""The source text of a review page: documents block by block, with the words that evidence stands on marked."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from compiler.report.markup import Markup, element, join
from compiler.report.review.marks import Citation, Citations, cut_pieces
from compiler.report.words import Words
from ir.document import Block, Cell, Document

_LONG_DOCUMENT, _LONG_TABLE, _AROUND = 400, 60, 2

Opener = Callable[[str, str, str], Markup]


@dataclass(frozen=True)
class SourcePane:
    """Renders documents for one page.

    Args:
        names: what each owner of evidence is called, by key, for the tooltips of marked words.
        extent: addresses of the blocks that the procedure was read from, in the document `main`.
        chips: what to put behind words of that document, by block with the offset where they end.
        opener: what stands where blocks, or rows of a table, are left out, given the words that say so and the
            first and last of them; None where they cannot be had.
    """

    words: Words
    citations: Citations
    names: dict[str, str]
    main: str | None = None
    extent: frozenset[str] = frozenset()
    chips: Mapping[str, Sequence[tuple[int, Markup]]] = field(default_factory=dict)
    opener: Opener | None = None

    def document(self, document: Document, index: int) -> Markup:
        """One document; of a long one, what the procedure does not touch is left out, and says so."""
        shown = self._shown(document)
        parts: list[Markup] = []
        page: int | None = None
        skipped: list[Block] = []
        for number, block in enumerate(document.blocks):
            if number not in shown:
                skipped.append(block)
                continue
            parts += self._left_out(skipped)
            skipped = []
            if block.page is not None and block.page != page:
                page = block.page
                parts.append(element("div", {"class": "page-break"}, element("span", {}, self.words("page", page))))
            parts.append(self._block(document, block))
        parts += self._left_out(skipped)
        facts = [document.source.kind.upper(), self.words("pages", document.pages) if document.pages else None]
        head = element(
            "header",
            {"class": "doc-head"},
            element("h3", {}, document.title),
            element("p", {"class": "muted"}, join([fact for fact in facts if fact], " · "), " · ", document.doc_id),
        )
        return element("article", {"class": "doc", "id": f"doc-{index}", "lang": document.language}, head, parts)

    def opened(self, document: Document, first: str, last: str) -> Markup:
        """What was left out from a block (or the row of a cell) to another, whole; nothing where there are no such."""
        addresses = [block.address for block in document.blocks]
        if first in addresses and last in addresses:
            blocks = document.blocks[addresses.index(first) : addresses.index(last) + 1]
            return join(self._block(document, block) for block in blocks)
        for block in document.blocks:
            row = {cell.address: cell.row for cell in block.cells}
            if first in row and last in row:
                rows = _by_row(block)
                return join(self._row(document, rows[one]) for one in sorted(rows) if row[first] <= one <= row[last])
        return Markup()

    def _shown(self, document: Document) -> set[int]:
        blocks = document.blocks
        if len(blocks) <= _LONG_DOCUMENT:
            return set(range(len(blocks)))
        number = {block.address: index for index, block in enumerate(blocks)}
        kept: set[int] = set()
        for index, block in enumerate(blocks):
            touched = self._cited(document, block) or (document.doc_id == self.main and block.address in self.extent)
            if touched:
                kept.update(range(max(index - _AROUND, 0), min(index + _AROUND + 1, len(blocks))))
                parent = block.parent
                while parent in number and number[parent] not in kept:
                    kept.add(number[parent])
                    parent = blocks[number[parent]].parent
        return kept or set(range(min(_LONG_DOCUMENT, len(blocks))))

    def _cited(self, document: Document, block: Block) -> bool:
        addresses = [block.address, *(cell.address for cell in block.cells)]
        return any(self.citations.at(document.doc_id, address) for address in addresses)

    def _left_out(self, skipped: Sequence[Block]) -> list[Markup]:
        if not skipped:
            return []
        pages = sorted(block.page for block in skipped if block.page is not None)
        where = self.words("left_out.pages", pages[0], pages[-1]) if pages else ""
        where = self.words("left_out.page", pages[0]) if pages and pages[0] == pages[-1] else where
        said = self.words("left_out", len(skipped)) + where
        shown = self.opener(said, skipped[0].address, skipped[-1].address) if self.opener else said
        return [element("p", {"class": "left-out"}, shown)]

    def _block(self, document: Document, block: Block) -> Markup:
        inside = document.doc_id == self.main and block.address in self.extent
        classes = f"block {block.kind}" + (f" tag-{block.tag}" if block.tag else "") + (" inside" if inside else "")
        attributes = {"class": f"{classes} level-{min(block.level, 6)}", "data-block": block.address, "dir": "auto"}
        notes = [self.words(f"tag.{block.tag}")] if block.tag else []
        notes += [self.words("tag.ocr")] if block.read_by == "ocr" else []
        tags = [element("span", {"class": "tag"}, note) for note in notes]
        if block.kind == "table":
            return element("div", attributes, tags, self._table(document, block))
        label = block.label
        made = element("b", {"class": "label"}, label.text, " ") if label and label.generated else None
        text = self._text(document, block.address, block.text, label.end if label and not label.generated else 0)
        name = f"h{min(block.level + 3, 6)}" if block.kind == "heading" else "p"
        return element(name, attributes, tags, made, text)

    def _table(self, document: Document, block: Block) -> Markup:
        rows = _by_row(block)
        shown = self._shown_rows(document, rows)
        columns = max((cell.column + cell.column_span - 1 for cell in block.cells), default=1)
        parts: list[Markup] = []
        skipped: list[int] = []
        for row in [*sorted(rows), None]:
            if row is not None and row not in shown:
                skipped.append(row)
                continue
            if skipped:
                note = self.words("left_out_rows", len(skipped))
                if self.opener:
                    note = self.opener(note, rows[skipped[0]][0].address, rows[skipped[-1]][0].address)
                parts.append(element("tr", {"class": "left-out"}, element("td", {"colspan": columns}, note)))
                skipped = []
            if row is not None:
                parts.append(self._row(document, rows[row]))
        return element("table", {}, element("tbody", {}, parts))

    def _row(self, document: Document, cells: Iterable[Cell]) -> Markup:
        return element("tr", {}, (self._cell(document, one) for one in sorted(cells, key=lambda cell: cell.column)))

    def _shown_rows(self, document: Document, rows: dict[int, list[Cell]]) -> set[int]:
        if len(rows) <= _LONG_TABLE:
            return set(rows)
        order = sorted(rows)
        kept = {row for row in order if any(cell.header and cell.column > 1 for cell in rows[row])} | set(order[:3])
        for index, row in enumerate(order):
            if any(self.citations.at(document.doc_id, cell.address) for cell in rows[row]):
                kept.update(order[max(index - _AROUND, 0) : index + _AROUND + 1])
        return kept

    def _cell(self, document: Document, cell: Cell) -> Markup:
        spans = {
            "rowspan": cell.row_span if cell.row_span > 1 else None,
            "colspan": cell.column_span if cell.column_span > 1 else None,
        }
        attributes = {**spans, "data-block": cell.address, "dir": "auto"}
        return element("th" if cell.header else "td", attributes, self._text(document, cell.address, cell.text, 0))

    def _text(self, document: Document, address: str, text: str, label_end: int) -> Markup:
        """A block's raw text, its label set off and the words that are cited marked."""
        begun: set[int] = set()
        parts: list[Markup | str] = []
        chips = self.chips.get(address, ()) if document.doc_id == self.main else ()
        ends = [end for end, _ in chips]
        for piece in cut_pieces(text, self.citations.at(document.doc_id, address), [label_end, *ends]):
            words = text[piece.start : piece.end]
            inner = element("b", {"class": "label"}, words) if piece.end <= label_end else words
            first = not begun.issuperset(one.number for one in piece.cited)
            begun.update(one.number for one in piece.cited)
            parts.append(self._mark(piece.cited, inner, first=first) if piece.cited else inner)
            parts += [chip for end, chip in chips if end == piece.end]
        return join(parts)

    def _mark(self, cited: Iterable[Citation], inner: str, *, first: bool) -> Markup:
        """A marked piece; only where a quote begins can it be reached by keyboard, so that Tab goes quote by quote."""
        found = tuple(cited)
        owners = sorted({one.owner for one in found}, key=lambda key: (Citations.ORDER.index(key[0]), int(key[1:])))
        title = self.words("mark.also") + self.words("list_comma").join(self.names.get(key, key) for key in owners)
        attributes = {
            "class": f"m {owners[0][0]}" + (" many" if len(owners) > 1 else ""),
            "data-refs": " ".join(owners),
            "data-ev": " ".join(str(one.number) for one in found),
            "title": title,
        }
        return element("mark", {**attributes, **({"tabindex": "0", "role": "button"} if first else {})}, inner)


def _by_row(block: Block) -> dict[int, list[Cell]]:
    rows: dict[int, list[Cell]] = {}
    for cell in block.cells:
        rows.setdefault(cell.row, []).append(cell)
    return rows
