"""A report as a Word document: real headings, tables whose heads repeat, pages that are numbered."""

import re
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import docx
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

from compiler.report.markup import visible
from review.paper.parts import Paper, Part, Picture, Row, Section, Signatures, Table, Text

_LATIN, _CJK = "Arial", "Microsoft YaHei"
_WIDTH = Mm(174)
_GREY, _SHADE = RGBColor(0x55, 0x55, 0x55), "EEF1F4"
_FIELD = re.compile(r"(\{[01]\})")
_FIELDS = {"{0}": "PAGE", "{1}": "NUMPAGES"}


def docx_bytes(paper: Paper) -> bytes:
    """The file."""
    document = docx.Document()
    _prepare(document, paper)
    kind = document.add_paragraph(visible(paper.kind))
    kind.runs[0].font.color.rgb = _GREY
    document.add_heading(visible(paper.title), 0)
    for name, value in paper.facts:
        line = document.add_paragraph()
        line.add_run(visible(f"{name}  ")).font.color.rgb = _GREY
        line.add_run(visible(value))
    for section in paper.sections:
        _section(document, section)
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def _prepare(document: Any, paper: Paper) -> None:
    """The page, the fonts, the language and the foot."""
    page = document.sections[0]
    page.page_width, page.page_height = Mm(210), Mm(297)
    page.left_margin = page.right_margin = page.top_margin = Mm(18)
    page.bottom_margin = Mm(20)
    for name, size, before, after in (
        ("Normal", 10, 0, 4), ("Title", 17, 0, 6), ("Heading 1", 12, 11, 4), ("List Bullet", 10, 0, 2),
    ):  # fmt: skip
        style = document.styles[name]
        style.font.size, style.font.name = Pt(size), _LATIN
        style.font.color.rgb = RGBColor(0x1F, 0x29, 0x33)
        style.paragraph_format.space_before, style.paragraph_format.space_after = Pt(before), Pt(after)
        _fonts(style.element.get_or_add_rPr(), "zh-CN" if paper.language == "zh" else "en-GB")
    document.core_properties.title = visible(paper.title)
    document.core_properties.author = document.core_properties.comments = ""
    document.core_properties.created = document.core_properties.modified = datetime.now(UTC)
    document.core_properties.language = "zh-CN" if paper.language == "zh" else "en-GB"
    foot = page.footer.paragraphs[0]
    foot.alignment = WD_ALIGN_PARAGRAPH.CENTER
    for piece in _FIELD.split(paper.page_of):
        if piece in _FIELDS:
            _field(foot, _FIELDS[piece])
        else:
            foot.add_run(piece)


def _fonts(properties: Any, language: str) -> None:
    """One font for Latin letters, one for Chinese ones, and the language that words are checked in."""
    fonts = properties.get_or_add_rFonts()
    for attribute in ("w:asciiTheme", "w:hAnsiTheme", "w:eastAsiaTheme", "w:cstheme"):
        fonts.attrib.pop(qn(attribute), None)
    for attribute, font in (("w:ascii", _LATIN), ("w:hAnsi", _LATIN), ("w:eastAsia", _CJK)):
        fonts.set(qn(attribute), font)
    spoken = OxmlElement("w:lang")
    spoken.set(qn("w:val"), language)
    spoken.set(qn("w:eastAsia"), "zh-CN")
    for old in properties.findall(qn("w:lang")):
        properties.remove(old)
    properties.append(spoken)


def _field(paragraph: Any, name: str) -> None:
    """A field that the program that shows the document fills in."""
    for kind, text in (("begin", None), (None, name), ("separate", None), ("text", "1"), ("end", None)):
        run = paragraph.add_run()
        if kind == "text":
            run.text = text
            continue
        element = OxmlElement("w:fldChar" if kind else "w:instrText")
        if kind:
            element.set(qn("w:fldCharType"), kind)
        else:
            element.text = text
        run._r.append(element)


def _section(document: Any, section: Section) -> None:
    document.add_heading(visible(section.title), 1)
    for part in section.parts:
        _part(document, part)


def _part(document: Any, part: Part) -> None:
    match part:
        case Text():
            _note(document, part.text) if part.note else document.add_paragraph(visible(part.text))
        case Picture():
            document.add_picture(BytesIO(part.png), width=Pt(part.width), height=Pt(part.height))
            shape = document.inline_shapes[-1]._inline.docPr
            shape.set("descr", visible(part.title))
            document.paragraphs[-1].alignment = WD_ALIGN_PARAGRAPH.CENTER
            if part.note:
                _note(document, part.note)
        case Signatures():
            blank = len(part.head) - 1
            rows = tuple(Row((role, *([""] * blank))) for role in part.roles)
            table = _table(document, part.head, (0.16, 0.34, 0.3, 0.2), rows)
            for row in table.rows[1:]:
                row.height = Pt(26)
            for line in (*part.signed, part.note):
                _note(document, line)
        case Table(head=()):
            for row in part.rows:
                document.add_paragraph(visible(row.cells[0]), style="List Bullet")
            _rest(document, part)
        case Table():
            _table(document, part.head, part.widths, part.rows)
            _rest(document, part)


def _rest(document: Any, part: Table) -> None:
    if part.left_out:
        _note(document, part.more)
    elif part.head:
        document.add_paragraph().paragraph_format.space_after = Pt(0)


def _note(document: Any, text: str) -> None:
    run = document.add_paragraph().add_run(visible(text))
    run.font.size, run.font.color.rgb = Pt(8.5), _GREY


def _table(document: Any, head: tuple[str, ...], widths: tuple[float, ...], rows: tuple[Row, ...]) -> Any:
    """A table whose head is repeated on each page, and whose rows are not torn."""
    table = document.add_table(rows=1 + len(rows), cols=len(head), style="Table Grid")
    table.autofit = False
    for number, cells in enumerate((head, *(row.cells for row in rows))):
        line = table.rows[number]
        properties = line._tr.get_or_add_trPr()
        properties.append(OxmlElement("w:cantSplit"))
        if number == 0:
            properties.append(OxmlElement("w:tblHeader"))
        for cell, text, width in zip(line.cells, cells, widths, strict=True):
            cell.width = int(_WIDTH * width)
            paragraph = cell.paragraphs[0]
            paragraph.paragraph_format.space_after = Pt(1)
            run = paragraph.add_run(visible(text))
            run.font.size, run.bold = Pt(9), number == 0
            if number == 0:
                _shade(cell)
    return table


def _shade(cell: Any) -> None:
    shade = OxmlElement("w:shd")
    shade.set(qn("w:val"), "clear")
    shade.set(qn("w:fill"), _SHADE)
    cell._tc.get_or_add_tcPr().append(shade)
