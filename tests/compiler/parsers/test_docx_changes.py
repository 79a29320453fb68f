"""Word: tracked changes of notes, formats, rows and paragraph marks."""

import pytest
from document_makers import abstract, bodies, cells, find, item, labels, level, make_docx, num, para

from compiler.parsers import parse
from compiler.parsers.limits import Revisions
from ir.document import Document


def _read(data: bytes, revisions: Revisions = "accepted") -> Document:
    document = parse(data, "a.docx", revisions=revisions).document
    assert document is not None
    return document


@pytest.mark.parametrize(
    ("revisions", "expected"),
    [
        ("accepted", [("footnote", "New."), ("deleted", "Old.")]),
        ("original", [("deleted", "New."), ("footnote", "Old.")]),
        ("both", [("footnote", "{+New.+}"), ("footnote", "[-Old.-]")]),
    ],
)
def test_notes_follow_their_reference(revisions: Revisions, expected: list[tuple[str, str]]) -> None:
    """A note whose reference is inserted or deleted is as its reference is."""
    inserted, deleted = (
        f"<w:{change} w:id='1'><w:r><w:footnoteReference w:id='{id_}'/></w:r></w:{change}>"
        for change, id_ in (("ins", 2), ("del", 3))
    )
    notes = "".join(f"<w:footnote w:id='{id_}'>{para(text)}</w:footnote>" for id_, text in ((2, "New."), (3, "Old.")))
    body = f"<w:p><w:r><w:t>Ships pay dues.</w:t></w:r>{inserted}{deleted}</w:p>"
    document = _read(make_docx(body, footnotes=notes), revisions)
    assert [(block.tag, block.text) for block in document.blocks if block.tag] == expected


def test_the_original_has_the_formats_before_their_change() -> None:
    """Numbers and headings that a change gave are not there before it, and those that it took are."""
    numbering = abstract(0, level(0, "decimal", "%1.")) + num(1, 0)
    styles = '<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/></w:style>'
    given = item("Moor the ship.", 1).replace("</w:pPr>", "<w:pPrChange w:id='1'><w:pPr/></w:pPrChange></w:pPr>")
    taken = para("Berths", '<w:pPrChange w:id="2"><w:pPr><w:pStyle w:val="H"/></w:pPr></w:pPrChange>')
    data = make_docx(given + taken, numbering=numbering, styles=styles)
    kinds = {way: [block.kind for block in _read(data, way).blocks] for way in ("accepted", "original")}
    assert kinds == {"accepted": ["list_item", "paragraph"], "original": ["paragraph", "heading"]}
    assert labels(_read(data, "original")) == [None, None]


@pytest.mark.parametrize(("revisions", "kept", "gone"), [("accepted", "tug", "barge"), ("original", "barge", "tug")])
def test_rows_that_are_not_read_are_kept_apart(revisions: Revisions, kept: str, gone: str) -> None:
    """A whole row's words are tagged as deleted."""
    text = "<w:{0} w:id='1'><w:r><w:{1}>{2}</w:{1}></w:r></w:{0}>"
    rows = "".join(
        f"<w:tr><w:trPr><w:{change} w:id='2'/></w:trPr><w:tc><w:p>{text.format(change, name, word)}</w:p></w:tc>"
        f"<w:tc>{para('40')}</w:tc></w:tr>"
        for change, name, word in (("ins", "t", "tug"), ("del", "delText", "barge"))
    )
    document = _read(make_docx(f"<w:tbl>{rows}</w:tbl>"), revisions)
    assert cells(document.blocks[0]) == {"r1c1": kept, "r1c2": "40"}
    assert [block.text for block in document.blocks if block.tag == "deleted"] == [gone, "40"]


def test_a_paragraph_whose_mark_is_deleted_does_not_run_into_a_table() -> None:
    """Nor is it lost at the document's end; its number stays."""
    mark = '<w:rPr><w:del w:id="1"/></w:rPr>'
    table = f"<w:tbl><w:tr><w:tc>{para('a')}</w:tc><w:tc>{para('b')}</w:tc></w:tr></w:tbl>"
    document = _read(make_docx(para("1. Weigh the anchor.", mark) + table + para("The end.", mark)))
    assert bodies(document) == ["1. Weigh the anchor.", "", "The end."]
    assert find(document, "anchor").label is not None
    assert cells(document.blocks[1]) == {"r1c1": "a", "r1c2": "b"}
