"""What cannot be read, and what reading cannot be made to fail at."""

import io
import random
import zipfile

import pymupdf
import pytest
from document_makers import Written, column, make_docx, make_pdf, para
from test_parse_pdf import grey_image

from compiler.parsers import Limits, Parsed, parse
from ir.diagnostics import has_errors

PDF = make_pdf(column(["The carrier shall check the documents.", "The officer approves."]))
DOCX = make_docx(para("The carrier shall check the documents."))
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


def scan(pages: int) -> pymupdf.Document:
    """A PDF of pages that are images."""
    pdf = pymupdf.open()
    for _ in range(pages):
        page = pdf.new_page()
        page.insert_image(page.rect, stream=grey_image())
    return pdf


def strips(number: int) -> bytes:
    """A page that a scanner cut into strips, each beside the other."""
    pdf = pymupdf.open()
    page = pdf.new_page()
    for at in range(number):
        top, height = page.rect.height * at / number, page.rect.height / number
        page.insert_image((0, top, page.rect.width, top + height), stream=grey_image(), keep_proportion=False)
    return bytes(pdf.tobytes())


def workbook() -> bytes:
    """A zip that looks like an Excel file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zipped:
        zipped.writestr("xl/workbook.xml", "<workbook/>")
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "code", "says"),
    [
        (make_pdf(column(["secret"]), password="x"), "encrypted-document", "password"),
        (PDF[: len(PDF) // 3], "truncated-document", "export it again"),
        (PDF[: len(PDF) // 2], "truncated-document", f"its {len(PDF) // 2} bytes end without the end-of-file mark"),
        (DOCX[: len(DOCX) // 2], "truncated-document", "zip directory"),
        (make_pdf([]), "empty-document", "no text"),
        (b"", "empty-document", "no bytes"),
        (b" \n\t ", "empty-document", "blanks"),
        (scan(2).tobytes(), "image-only-document", "pages 1–2"),
        (strips(40), "image-only-document", "page 1"),
        (OLE + "WordDocument".encode("utf-16-le"), "legacy-word-document", ".docx"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "encrypted-document", "password"),
        (workbook(), "unsupported-document", "Excel"),
        (b"{\\rtf1 text}", "unsupported-document", "RTF"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "unsupported-document", "ocr"),
        (bytes(range(256)) * 8, "unsupported-document", "binary"),
        (b"<?xml version='1.0'?><order><id>1</id></order>", "unsupported-document", "XML"),
        (b"%PDF-1.7\nnothing here\n%%EOF", "unreadable-document", "damaged"),
        (make_docx("<w:p>").replace(b"x", b"x"), "unreadable-document", "damaged"),
    ],
)
def test_an_unreadable_document_says_why_and_what_to_do(data: bytes, code: str, says: str) -> None:
    """Each kind of fault has its code, the place and a next step; there is no document then."""
    parsed = parse(data, "in/policy.pdf")
    assert parsed.document is None
    (found,) = parsed.diagnostics
    assert found.error_code == code
    assert says in found.message
    assert found.location.file == "in/policy.pdf"


def test_content_decides_not_the_name() -> None:
    """Word bytes named .pdf, HTML named .txt and PDF named .docx are read as what they are."""
    for data, name, kind in (
        (DOCX, "a.pdf", "docx"),
        (PDF, "a.docx", "pdf"),
        (b"<html><body><p>Rule.</p></body></html>", "a.txt", "html"),
        (b"  Rule one.\nRule two.\n", "a.html", "text"),
        (b"<p>Rule one.</p>\n<p>Rule two.</p>", "a", "html"),
        (b"Use <b>, <i> and a < b in text.\n", "a", "text"),
    ):
        document = parse(data, name).document
        assert document is not None
        assert (document.source.kind, document.doc_id) == (kind, name)


@pytest.mark.parametrize(
    ("data", "limits", "measure"),
    [
        (PDF, Limits(bytes=100), "bytes"),
        (make_pdf(column(["a"]), column(["b"])), Limits(pages=1), "pages"),
        (DOCX, Limits(unpacked_bytes=200), "bytes unpacked"),
        (make_docx(para("x" * 20_000_000)), Limits(zip_ratio=50), "times its size"),
    ],
)
def test_what_is_too_large_is_refused(data: bytes, limits: Limits, measure: str) -> None:
    """Bytes, pages, unpacked size and zip ratio are bounded."""
    parsed = parse(data, "a", limits)
    assert [found.error_code for found in parsed.diagnostics] == ["oversize-document"]
    assert measure in parsed.diagnostics[0].message


def test_a_page_without_text_among_others_is_a_warning() -> None:
    """The document is read, and the page that was not is named."""
    pdf = scan(1)
    pdf.new_page().insert_text((72, 90), "The carrier shall check the documents.")
    parsed = parse(pdf.tobytes(), "a.pdf")
    assert parsed.document is not None
    (warning,) = parsed.diagnostics
    assert (warning.error_code, warning.location.page) == ("image-only-page", 1)


def test_a_damaged_pdf_of_which_pages_are_left_is_read_with_a_warning() -> None:
    """A repaired file may lack pages, so nobody is left to believe that it is whole."""
    parsed = parse(PDF.replace(b"startxref", b"startxxxx"), "a.pdf")
    assert parsed.document is not None
    assert [found.error_code for found in parsed.diagnostics] == ["repaired-document"]


@pytest.mark.parametrize(("share", "without"), [(0.9, []), (0.2, [3, 4, 5, 6])])
def test_a_pdf_that_is_cut_off_says_which_pages_are_left(share: float, without: list[int]) -> None:
    """What bears no text any more is named, so that no page is lost silently."""
    whole = make_pdf(*(column([f"The carrier shall check document {page}." for _ in range(20)]) for page in range(6)))
    parsed = parse(whole[: int(len(whole) * share)], "a.pdf")
    assert parsed.document is not None
    (found,) = parsed.diagnostics
    assert found.error_code == "repaired-document" and "cut off" in found.message
    assert found.found == {"pages": 6, "without_text": without}
    assert not without or "text was read on 2 and none on pages 3–6" in found.message
    assert {passage.page for passage in parsed.document.passages()} == {*range(1, 7)} - {*without}


@pytest.mark.parametrize(
    ("data", "name", "said", "found"),
    [
        (b"The clerk shall check the invoice.", "a/rules.docx", "Word (DOCX)", "plain text"),
        (b"The clerk shall check the invoice.", "rules.PDF", "PDF", "plain text"),
        (b"<html><body><p>Rule.</p></body></html>", "rules.docx", "Word (DOCX)", "HTML"),
        (b"<html><body><p>Rule.</p></body></html>", "rules.doc", "Word 97–2003", "HTML"),
        (DOCX, "制度.pdf", "PDF", "Word (DOCX)"),
        (PDF, "rules.txt", "plain text", "PDF"),
    ],
)
def test_a_name_that_says_another_kind_is_a_warning(data: bytes, name: str, said: str, found: str) -> None:
    """The content is read as what it is, and name and content are told to disagree."""
    parsed = parse(data, name)
    assert parsed.document is not None
    (told,) = parsed.diagnostics
    assert (told.error_code, told.severity, told.location.file) == ("file-kind-mismatch", "warning", name)
    assert (told.expected, told.found) == (said, found)
    assert said in told.message and found in told.message


@pytest.mark.parametrize("name", ["rules", "rules.txt", "rules.md", "rules.2026", "rules.markdown"])
def test_a_name_that_says_nothing_else_is_none(name: str) -> None:
    """Text passes for Markdown, and an unknown suffix says nothing."""
    assert parse(b"# Rules\n\n* The clerk shall check the invoice.\n", name).diagnostics == ()


def test_what_is_not_read_says_that_its_name_misleads() -> None:
    """A picture called .pdf, or an old Word file called .docx, is refused with a word about its name."""
    for data, name in (
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "a.pdf"),
        (OLE + "WordDocument".encode("utf-16-le"), "a.docx"),
    ):
        (told,) = parse(data, name).diagnostics
        assert f"although the file's name ends in {name[1:]}" in told.message
        (told,) = parse(data, "a").diagnostics
        assert "although" not in told.message


def test_bytes_that_are_no_text_are_counted() -> None:
    """A stray byte reads as a replacement character, with a warning."""
    parsed = parse("运输管理制度".encode() * 400 + b"\xff", "a.txt")
    assert parsed.document is not None
    assert [found.error_code for found in parsed.diagnostics] == ["undecodable-text"]


def test_markup_that_nests_without_end_is_read() -> None:
    """Depth is bounded, not the patience of the stack."""
    for opening in ("<div>", "<b>", "<table><tr><td>", "<ul><li>"):
        parsed = parse(f"<html><body>{opening * 3000}deep".encode(), "a.html")
        assert parsed.document is not None
        assert any("deep" in passage.text for passage in parsed.document.passages())


def test_entities_in_word_files_are_not_expanded() -> None:
    """A billion laughs stay untold."""
    bomb = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(DOCX)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            text = old.read(name).decode()
            if name == "word/document.xml":
                text = text.replace("<w:document", bomb + "<w:document", 1).replace("The carrier", "&b;")
            new.writestr(name, text)
    parsed = parse(out.getvalue(), "a.docx")
    assert parsed.document is None or "haha" not in " ".join(p.text for p in parsed.document.passages())


def test_damaged_bytes_never_raise() -> None:
    """Cut, flipped, spliced: always a document or an error, never both, never an exception."""
    rng = random.Random(7)
    html = "<html><body><h1>制度</h1><ol><li>第一条<table><tr><th>a<td>b</table></ol></body></html>".encode("gb18030")
    long_pdf = make_pdf(*([Written(72, 90, f"Rule {n} of the policy.")] for n in range(3)))
    for number in range(200):
        data = bytearray(rng.choice([PDF, long_pdf, DOCX, html]))
        way = number % 4
        at = rng.randrange(len(data))
        if way == 0:
            del data[at:]
        elif way == 1:
            for _ in range(rng.choice([1, 8, 60])):
                data[rng.randrange(len(data))] = rng.randrange(256)
        elif way == 2:
            del data[at : at + rng.randrange(1, 300)]
        else:
            data[at:at] = data[: rng.randrange(200)]
        assert_sound(parse(bytes(data), "in/any"))


def assert_sound(parsed: Parsed) -> None:
    """A document exactly where there is no error."""
    assert (parsed.document is None) == has_errors(parsed.diagnostics)
