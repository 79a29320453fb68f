"""Templates of Word: `{{input}}` in paragraphs, tables, text boxes, headers and footers.

Word cuts a paragraph into runs as it likes, in the middle of a name as well; so a paragraph is read as one text, and a
value takes the place of its name in the run in which the name begins, with that run's look.
"""

import io
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

from runtime.executors.texts import placeholders

_LONG_AGO = (1980, 1, 1, 0, 0, 0)


def filled(template: bytes, value: Callable[[str], str]) -> bytes:
    """A template with its values; the same values make the same bytes.

    Args:
        value: gives the value of a name.

    Raises:
        ValueError: it is no document of Word, or a value has characters that one cannot hold.
    """
    document = _read(template)
    for paragraph in _paragraphs(document):
        _fill(paragraph, value)
    saved = io.BytesIO()
    document.save(saved)
    return _undated(saved.getvalue())


def text_of(content: bytes) -> str:
    """The text of a document, a line for each paragraph.

    Raises:
        ValueError: it is no document of Word.
    """
    return "\n".join("".join(one.text or "" for one in _texts(paragraph)) for paragraph in _paragraphs(_read(content)))


def _read(content: bytes) -> Any:
    from docx import Document
    from docx.opc.exceptions import PackageNotFoundError

    try:
        return Document(io.BytesIO(content))
    except (KeyError, PackageNotFoundError, zipfile.BadZipFile) as error:
        raise ValueError("it is no document of Word (.docx)") from error


def _paragraphs(document: Any) -> Iterator[Any]:
    """The paragraphs of all parts, those in tables and text boxes included."""
    from docx.opc.part import XmlPart
    from docx.oxml.ns import qn

    for part in document.part.package.iter_parts():
        if isinstance(part, XmlPart):
            yield from part.element.iter(qn("w:p"))


def _texts(paragraph: Any) -> list[Any]:
    """The pieces of text of a paragraph, without those of paragraphs within it (text boxes)."""
    from docx.oxml.ns import qn

    own = paragraph.iter(qn("w:t"))
    return [one for one in own if next(one.iterancestors(qn("w:p"))) is paragraph]


def _fill(paragraph: Any, value: Callable[[str], str]) -> None:
    pieces = _texts(paragraph)
    for begin, end, name in reversed([*placeholders("".join(one.text or "" for one in pieces))]):
        at, put = 0, value(name)
        for piece in pieces:
            text = piece.text or ""
            low, high = max(begin - at, 0), min(end - at, len(text))
            if low < high:
                _set(piece, text[:low] + put + text[high:])
                put = ""
            at += len(text)
    for piece in pieces:
        _break(piece)


def _set(piece: Any, text: str) -> None:
    piece.text = text
    piece.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")


def _break(piece: Any) -> None:
    """Lines of a value as lines of Word."""
    from docx.oxml.parser import OxmlElement

    first, *more = (piece.text or "").split("\n")
    if not more:
        return
    piece.text, last = first, piece
    for line in more:
        for tag in ("w:br", "w:t"):
            new = OxmlElement(tag)
            last.addnext(new)
            last = new
        _set(last, line)


def _undated(content: bytes) -> bytes:
    """The same package without the moment at which it was packed."""
    saved = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as packed, zipfile.ZipFile(saved, "w", zipfile.ZIP_DEFLATED) as again:
        for one in packed.infolist():
            again.writestr(zipfile.ZipInfo(one.filename, _LONG_AGO), packed.read(one), zipfile.ZIP_DEFLATED)
    return saved.getvalue()
