"""From a parser's pieces to a document: labels, headings, parents, addresses, language, title."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace

from compiler.parsers.addresses import AddressNamer
from compiler.parsers.contents import mark_contents
from compiler.parsers.draft import Draft, Reading, box_around
from compiler.parsers.join import ideographs, is_title
from compiler.parsers.outline import Placed, outline
from compiler.parsers.title import title_of
from compiler.text.labels import OPENERS, is_doubtful, parse_label
from ir.document import Block, Cell, Document
from ir.source import Language, MediaKind, Source

_LATIN = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
_LETTER = re.compile(r"[^\W\d_]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def assemble(reading: Reading, data: bytes, path: str, kind: MediaKind) -> Document:
    """Build the document out of what a parser read."""
    drafts = mark_contents(_joined(_cleaned(reading.drafts)))
    placed = outline(drafts)
    namer, names = AddressNamer(), dict[int, str]()
    blocks = []
    for piece in placed:
        names[id(piece)] = address = namer.name(piece)
        blocks.append(_block(piece, address, names.get(id(piece.parent))))
    return Document(
        doc_id=path,
        title=title_of(reading.title, blocks, path),
        source=Source(path=path, sha256=hashlib.sha256(data).hexdigest(), size=len(data), kind=kind),
        language=language_of("\n".join(passage for draft in drafts if not draft.tag for passage in _words(draft))),
        pages=reading.pages,
        blocks=tuple(blocks),
    )


def has_text(drafts: Sequence[Draft]) -> bool:
    """Whether anything but running headers, hidden text and the like bears text."""
    return any(words.strip() for draft in drafts if draft.tag is None for words in _words(draft))


def language_of(text: str) -> Language:
    """Chinese or English, by the share of Chinese characters among characters and words.

    >>> language_of("危险品 hazmat 运输"), language_of("the carrier shall"), language_of("123")
    ('zh', 'en', 'und')
    """
    chinese, latin = ideographs(text), len(_LATIN.findall(text))
    letters = len(_LETTER.findall(text))
    other = letters - chinese - sum(map(len, _LATIN.findall(text)))
    if chinese + latin == 0 or other * 2 > letters:
        return "und"
    return "zh" if chinese >= latin else "en"


def _words(draft: Draft) -> list[str]:
    return [cell.text for cell in draft.cells] if draft.kind == "table" else [draft.text]


def _cleaned(drafts: Sequence[Draft]) -> list[Draft]:
    """Drop what has no text, and characters that no text has."""
    out = []
    for draft in drafts:
        cells = tuple(replace(cell, text=_CONTROL.sub("", cell.text).strip()) for cell in draft.cells)
        text = _CONTROL.sub("", draft.text).strip()
        if text or any(cell.text for cell in cells) or (draft.label and draft.label.ordered):
            out.append(replace(draft, text=text, cells=cells, label=None if _is_typed(draft, text) else draft.label))
    return out


def _is_typed(draft: Draft, text: str) -> bool:
    """Whether an item with a bullet bears a number of its own that somebody typed (`• a） …`)."""
    if draft.label is None or draft.label.ordered:
        return False
    typed = parse_label(text)
    bracketed = typed is not None and typed.kind.endswith(("paren", "half"))
    return typed is not None and typed.ordered and (bracketed or not is_doubtful(typed))


def _joined(drafts: Sequence[Draft]) -> list[Draft]:
    """Put a label that stands alone on its line together with the words that it belongs to."""
    out: list[Draft] = []
    for draft in drafts:
        if out and _is_lone_label(out[-1]) and _can_follow_label(out[-1], draft):
            label = out.pop()
            boxes = [piece.box for piece in (label, draft) if piece.box and piece.page == label.page]
            text = f"{label.text} {draft.text}"
            box = box_around(boxes) if boxes else None
            out.append(replace(draft, text=text, page=label.page, box=box, heading=label.heading or draft.heading))
        else:
            out.append(draft)
    return out


def _is_lone_label(draft: Draft) -> bool:
    label = parse_label(draft.text) if not draft.label and draft.kind != "table" and len(draft.text) < 20 else None
    return label is not None and label.end == len(draft.text) and (label.ordered or draft.text not in "-–*+")


def _can_follow_label(label: Draft, draft: Draft) -> bool:
    if draft.kind == "table" or draft.tag != label.tag or draft.label or (draft.heading and not label.heading):
        return False
    opener = parse_label(label.text)
    if opener and opener.kind in OPENERS | {"annex"} and not is_title(draft.text):
        return False
    return parse_label(draft.text) is None


def _block(piece: Placed, address: str, parent: str | None) -> Block:
    draft = piece.draft
    cells = (
        Cell(
            address=f"{address}-r{cell.row}c{cell.column}",
            row=cell.row,
            column=cell.column,
            row_span=cell.row_span,
            column_span=cell.column_span,
            text=cell.text,
            header=cell.header,
            page=cell.page,
            box=cell.box,
        )
        for cell in draft.cells
    )
    return Block(
        address=address,
        kind=piece.kind,
        text="" if piece.kind == "table" else draft.text,
        level=piece.level,
        label=piece.label,
        tag=draft.tag,
        parent=parent,
        page=draft.page,
        box=draft.box,
        cells=tuple(cells),
        read_by="ocr" if draft.ocr else "text",
    )
