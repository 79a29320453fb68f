"""What a document says, and where: blocks in reading order, each with an address."""

from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from pydantic import Field

from ir.base import Model
from ir.source import Language, Source, Span

BlockKind = Literal["heading", "paragraph", "list_item", "table", "caption"]
BlockTag = Literal["header", "footer", "hidden", "comment", "footnote", "deleted", "navigation"]
Box = tuple[float, float, float, float]


class Label(Model):
    """The number or letter a block bears, as a reader sees it.

    Args:
        text: `第五条`, `（一）`, `3.2.1`, `b)`; a bullet's glyph for bulleted lists.
        generated: made by the word processor or the browser; then it is no part of the block's raw text.
        end: for a typed label, the offset in the raw text where the label ends and the words begin; else 0.
        ordered: a counter, not a bullet.
    """

    text: str
    generated: bool = False
    end: int = Field(default=0, ge=0)
    ordered: bool = True


class Cell(Model):
    """One table cell; a merged cell stands once, at its top left, with its spans.

    Args:
        row: from 1.
        column: from 1.
        header: the cell is a column or row heading.
        page: from 1, where the format has pages.
        box: left, top, right, bottom in points from the page's top left.
    """

    address: str
    row: int = Field(ge=1)
    column: int = Field(ge=1)
    row_span: int = Field(default=1, ge=1)
    column_span: int = Field(default=1, ge=1)
    text: str
    header: bool = False
    page: int | None = None
    box: Box | None = None


class Block(Model):
    """One paragraph, heading, list item, table or caption.

    Args:
        address: stable, readable and unique in the document: `p3-para2`, `s2.1-li3`, `t4`.
        text: raw text; empty for a table, whose words are in its cells.
        level: depth of a heading or list item, from 1; 0 for others.
        tag: what keeps the block out of the body: running header or footer, hidden text, comment and so on.
        parent: address of the heading or clause that the block stands under.
        page: from 1, where the format has pages (of a block over two pages, the first).
        box: left, top, right, bottom in points from the page's top left.
        read_by: how the text was won; `ocr` where it was read off an image.
    """

    address: str
    kind: BlockKind
    text: str = ""
    level: int = Field(default=0, ge=0)
    label: Label | None = None
    tag: BlockTag | None = None
    parent: str | None = None
    page: int | None = None
    box: Box | None = None
    cells: tuple[Cell, ...] = ()
    read_by: Literal["text", "ocr"] = "text"

    @property
    def body(self) -> str:
        """The text after a typed label."""
        return self.text[self.label.end :].lstrip() if self.label else self.text

    @property
    def body_start(self) -> int:
        """Offset in `text` where `body` begins."""
        if not self.label:
            return 0
        rest = self.text[self.label.end :]
        return self.label.end + len(rest) - len(rest.lstrip())


class Passage(Model):
    """A piece of text with an address: a block that is no table, or a table's cell."""

    address: str
    text: str
    tag: BlockTag | None = None
    page: int | None = None


class Reference(Model):
    """Words that point to another place of the same document.

    Args:
        block: address of the block or cell that holds them.
        start, end: where they stand in its text, by code points.
        text: the words.
        target: address of the block that they mean, None where the document has none.
    """

    block: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str
    target: str | None = None


class Document(Model):
    """One document as read.

    Args:
        doc_id: the source's path, unique in a build.
        title: as the document or its metadata gives it; the file's name at the least.
        pages: number of pages, where the format has pages.
    """

    doc_id: str
    title: str
    source: Source
    language: Language
    pages: int | None = None
    blocks: tuple[Block, ...]

    def passages(self) -> Iterator[Passage]:
        """Every piece of text in reading order, tables cell by cell."""
        for block in self.blocks:
            if block.kind != "table":
                yield Passage(address=block.address, text=block.text, tag=block.tag, page=block.page)
            for cell in block.cells:
                yield Passage(address=cell.address, text=cell.text, tag=block.tag, page=cell.page or block.page)

    def text_at(self, address: str) -> str | None:
        """The raw text of the block or cell with an address, None where there is none."""
        return self._texts.get(address)

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {passage.address: passage.text for passage in self.passages()}

    def body(self) -> Iterator[Block]:
        """The blocks that are neither furniture nor hidden."""
        return (block for block in self.blocks if block.tag is None)

    def span(self, block: str, start: int, end: int) -> Span:
        """The span of characters `start` to `end` of the block or cell with address `block`.

        Raises:
            KeyError: no block or cell has that address.
        """
        quote = self._texts[block][start:end]
        return Span(doc_id=self.doc_id, block=block, start=start, end=end, quote=quote)


class ReadDocument(Document):
    """A document together with its references to its own places, as a program is given it.

    Args:
        references: in reading order.
    """

    references: tuple[Reference, ...] = ()
