"""Word: embedded documents, diagrams, the words for pictures, cells merged sideways."""

import io
import zipfile

import pytest
from document_makers import bodies, cells, make_docx, para, read

from compiler.parsers import parse
from ir.diagnostics import Severity

_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_A = "http://schemas.openxmlformats.org/drawingml/2006"


def _with_part(body: str, name: str, data: bytes) -> bytes:
    """A Word file with one part more, related as `more`."""
    made, out = zipfile.ZipFile(io.BytesIO(make_docx(body))), io.BytesIO()
    with zipfile.ZipFile(out, "w") as zipped:
        for part in made.namelist():
            held = made.read(part)
            if part == "word/_rels/document.xml.rels":
                relation = f'<Relationship Id="more" Type="{_R}/aFChunk" Target="{name}"/>'
                held = held.replace(b"</Relationships>", relation.encode() + b"</Relationships>")
            zipped.writestr(part, held)
        zipped.writestr(f"word/{name}", data)
    return out.getvalue()


_CHUNK = para("Over.") + '<w:altChunk r:id="more"/>' + para("Under.")
_ARCHIVE = (
    b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n"
    b"--x\nContent-Type: text/html\n\n<p>Kept.</p>\n--x--"
)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.htm", b"<html><body><p>Kept.</p></body></html>"),
        ("a.txt", b"Kept."),
        ("a.mht", _ARCHIVE),
        ("a.docx", make_docx(para("Kept."))),
        ("again.docx", _with_part(para("Kept.") + '<w:altChunk r:id="more"/>', "b.txt", b"Not that deep.")),
    ],
)
def test_an_embedded_document_is_read_in_its_place(name: str, data: bytes) -> None:
    """Once, whatever its kind; what it embeds itself is not."""
    assert bodies(read(_with_part(_CHUNK, name, data))) == ["Over.", "Kept.", "Under."]


def test_an_embedded_document_of_no_kind_that_is_read_is_told() -> None:
    """As a warning, and the rest is read."""
    parsed = parse(_with_part(_CHUNK, "a.rtf", b"{\\rtf1 Lost.}"), "a.docx")
    assert parsed.document is not None
    assert bodies(parsed.document) == ["Over.", "Under."]
    assert [(found.error_code, found.severity) for found in parsed.diagnostics] == [
        ("unsupported-document", Severity.WARNING)
    ]


def test_words_of_diagrams_are_text_and_words_for_pictures_are_apart() -> None:
    """The names of picture files are no words."""
    data = "".join(f"<d:pt><d:t><a:p><a:r><a:t>{word}</a:t></a:r></a:p></d:t></d:pt>" for word in ("Weigh", "Stamp"))
    part = f'<d:dataModel xmlns:d="{_A}/diagram" xmlns:a="{_A}/main"><d:ptLst>{data}</d:ptLst></d:dataModel>'
    names = f'xmlns:wp="{_A}/wordprocessingDrawing" xmlns:d="{_A}/diagram"'
    drawing = (
        f'<w:p><w:r><w:drawing {names}><wp:docPr descr="Two steps"/><wp:docPr descr="step1.png"/>'
        '<d:relIds r:dm="more"/></w:drawing></w:r></w:p>'
    )
    document = read(_with_part(drawing, "data1.xml", part.encode()))
    assert [(block.tag, block.text) for block in document.blocks] == [
        (None, "Weigh"),
        (None, "Stamp"),
        ("hidden", "Two steps"),
    ]


def test_cells_that_are_merged_sideways_the_old_way_are_one() -> None:
    """The covered cell is not shown, and its words are hidden."""
    first, second = ('<w:hMerge w:val="restart"/>', "<w:hMerge/>")
    row = "".join(
        f"<w:tc><w:tcPr>{merge}</w:tcPr>{para(text)}</w:tc>"
        for merge, text in ((first, "wide"), (second, "covered"), ("", "right"))
    )
    document = read(make_docx(f"<w:tbl><w:tr>{row}</w:tr></w:tbl>"))
    assert cells(document.blocks[0]) == {"r1c1": "wide", "r1c3": "right"}
    assert document.blocks[0].cells[0].column_span == 2
    assert [block.text for block in document.blocks if block.tag == "hidden"] == ["covered"]
