"""Small documents made on the spot: PDF pages line by line, Word packages from their XML."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass

import pymupdf

from compiler.parsers import parse
from ir.document import Block, Document

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_ROOT_RELATIONS = (
    f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" Type="{_R}/officeDocument" Target="word/document.xml"/>'
    "</Relationships>"
)


@dataclass(frozen=True)
class Written:
    """A line on a page: left edge, baseline, text, type size, whether bold."""

    x: float
    y: float
    text: str
    size: float = 11
    bold: bool = False


def make_pdf(*pages: Sequence[Written], password: str | None = None) -> bytes:
    """A PDF of the pages; Chinese text is set in the built-in Chinese font."""
    with pymupdf.open() as pdf:
        for lines in pages:
            page = pdf.new_page(width=595, height=842)
            for line in lines:
                font = "china-s" if any(char > "\u2fff" for char in line.text) else "hebo" if line.bold else "helv"
                mode = 2 if line.bold and font == "china-s" else 0
                page.insert_text((line.x, line.y), line.text, fontname=font, fontsize=line.size, render_mode=mode)
        if password:
            locked = pymupdf.PDF_ENCRYPT_AES_256
            return bytes(pdf.tobytes(encryption=locked, user_pw=password, owner_pw=password))
        return bytes(pdf.tobytes())


def column(
    texts: Sequence[str], *, x: float = 72, y: float = 100, leading: float = 16, size: float = 11
) -> list[Written]:
    """Lines below each other."""
    return [Written(x, y + leading * number, text, size) for number, text in enumerate(texts)]


def make_docx(body: str, *, strict: bool = False, **parts: str) -> bytes:
    """A Word file around the inner XML of its body and of `numbering`, `styles`, `comments`, `header1` …"""
    roots = {"numbering": "numbering", "styles": "styles", "comments": "comments", "footnotes": "footnotes"}
    relations = []
    files = {"[Content_Types].xml": "", "_rels/.rels": _ROOT_RELATIONS}
    typed = [_typed("document", "document.main")]
    for name, inner in parts.items():
        kind = roots.get(name) or ("header" if name.startswith("header") else "footer")
        root = roots.get(name) or ("hdr" if kind == "header" else "ftr")
        files[f"word/{name}.xml"] = _xml(root, inner)
        relations.append(f'<Relationship Id="{name}" Type="{_R}/{kind}" Target="{name}.xml"/>')
        typed.append(_typed(name, kind))
    plain = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    files["[Content_Types].xml"] = f'<Types xmlns="{_TYPES}">{plain}{"".join(typed)}</Types>'
    files["word/document.xml"] = _xml("document", f"<w:body>{body}</w:body>")
    files["word/_rels/document.xml.rels"] = f'<Relationships xmlns="{_RELATIONS}">{"".join(relations)}</Relationships>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, text in files.items():
            if strict:
                text = text.replace(_W, "http://purl.oclc.org/ooxml/wordprocessingml/main")
                text = text.replace(_R, "http://purl.oclc.org/ooxml/officeDocument/relationships")
            zipped.writestr(name, text)
    return out.getvalue()


def _typed(name: str, kind: str) -> str:
    """What a part of a Word package is, as the package's list of contents says it."""
    sort = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}+xml"
    return f'<Override PartName="/word/{name}.xml" ContentType="{sort}"/>'


def para(text: str, properties: str = "") -> str:
    """A Word paragraph of one run."""
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space='preserve'>{text}</w:t></w:r></w:p>"


def item(text: str, num: int, level: int = 0) -> str:
    """A numbered Word paragraph."""
    return para(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{num}"/></w:numPr>')


def level(at: int, fmt: str, text: str, start: int = 1, extra: str = "") -> str:
    """A level of a list's definition."""
    counted = f'<w:start w:val="{start}"/><w:numFmt w:val="{fmt}"/>'
    return f'<w:lvl w:ilvl="{at}">{counted}{extra}<w:lvlText w:val="{text}"/></w:lvl>'


def abstract(number: int, *levels: str, extra: str = "") -> str:
    """An abstract list."""
    return f'<w:abstractNum w:abstractNumId="{number}">{extra}{"".join(levels)}</w:abstractNum>'


def num(number: int, abstract_number: int, override: str = "") -> str:
    """A list that uses an abstract one."""
    return f'<w:num w:numId="{number}"><w:abstractNumId w:val="{abstract_number}"/>{override}</w:num>'


def read(data: bytes, path: str = "a/file") -> Document:
    """The document, which must be there."""
    parsed = parse(data, path)
    assert parsed.document is not None, parsed.diagnostics
    return parsed.document


def bodies(document: Document) -> list[str]:
    """Texts of the blocks that are no furniture."""
    return [block.text for block in document.body()]


def labels(document: Document) -> list[str | None]:
    """Label texts of the body's blocks."""
    return [block.label.text if block.label else None for block in document.body()]


def find(document: Document, words: str) -> Block:
    """The only block that contains the words."""
    (found,) = [block for block in document.blocks if words in block.text]
    return found


def cells(block: Block) -> dict[str, str]:
    """A table's texts by the end of the cell's address."""
    return {cell.address.rpartition("-")[2]: cell.text for cell in block.cells}


def _xml(root: str, inner: str) -> str:
    spaces = (
        f'xmlns:w="{_W}" xmlns:r="{_R}" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" '
        'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
        'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    )
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{root} {spaces}>{inner}</w:{root}>'
