"""What a parser hands on: pieces of a document in reading order, not yet labelled, named or placed."""

from collections.abc import Iterable
from dataclasses import dataclass

from ir.diagnostics import Diagnostic
from ir.document import BlockKind, BlockTag, Box, Label


@dataclass(frozen=True, slots=True)
class DraftCell:
    """A table's cell; as `ir.document.Cell`, without the address."""

    row: int
    column: int
    text: str
    row_span: int = 1
    column_span: int = 1
    header: bool = False
    page: int | None = None
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A piece of a document.

    Attributes:
        kind: None where the text and its looks have to tell.
        heading: level that the format gives a heading, from 1.
        depth: nesting that the format gives a list's item, from 1; of a paragraph, that of the item it belongs to.
        label: a generated label; typed ones are found later.
        beside: belongs to the piece before it, as a comment or a footnote does.
        size: type size in points, 0 where unknown.
        bold: the whole text is bold.
        centred: it stands in the middle of the line.
        set_off: it is a title in capitals or underlined throughout.
        list_id: the list in whose count the format generates its label.
        indent: of its first words from the text's left edge, in points; of a paragraph, that of all its lines.
    """

    text: str = ""
    kind: BlockKind | None = None
    heading: int | None = None
    depth: int | None = None
    label: Label | None = None
    tag: BlockTag | None = None
    beside: bool = False
    page: int | None = None
    box: Box | None = None
    cells: tuple[DraftCell, ...] = ()
    size: float = 0.0
    bold: bool = False
    centred: bool = False
    set_off: bool = False
    list_id: str | None = None
    indent: float = 0.0
    ocr: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What a parser got out of a file."""

    drafts: tuple[Draft, ...]
    title: str | None = None
    pages: int | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


class Refused(Exception):  # noqa: N818  (a document's fault on its way to a diagnostic, not an error of ours)
    """A document that cannot be read; carries the diagnostic that says why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def box_around(boxes: Iterable[Box]) -> Box:
    """The smallest box around all of them.

    >>> box_around([(0, 0, 1, 1), (5, 2, 6, 3)])
    (0, 0, 6, 3)
    """
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
