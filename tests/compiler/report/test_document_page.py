"""How a document was read, as a page: every block with its address, boxes over the pictures, nothing that could run."""

import re

import pymupdf

from compiler.parsers import parse
from compiler.parsers.pdf.pictures import page_pictures
from compiler.parsers.references.cross_references import cross_references
from compiler.report.document_page import inline_picture, render_document
from ir.document import Document

HOSTILE = "# <img src=x onerror=alert(1)>\n\n1. Check the form.\n\n| A | B |\n| - | - |\n| 1 | a <b>2</b> & c |\n"


def document(data: bytes, name: str) -> Document:
    found = parse(data, name).document
    assert found is not None
    return found


def test_every_block_is_shown_and_no_text_becomes_markup() -> None:
    """Addresses, labels and tables; what a document says stays text."""
    made = document(HOSTILE.encode(), "a.md")
    page = render_document(made)
    assert [f'id="b-{block.address}"' in page for block in made.blocks] == [True] * len(made.blocks)
    assert "<img" not in page
    assert page.count("<script") == 1
    assert '<td title="t1-r2c2">a 2 &amp; c</td>' in page


def test_boxes_lie_over_pictures_of_the_pages() -> None:
    """One box for each block that has one, in the page's own measure, and pictures only as data."""
    pdf = pymupdf.open()
    for number in range(2):
        pdf.new_page(width=400, height=300).insert_text((50, 60), f"Rule {number}: check the form.")
    data = bytes(pdf.tobytes())
    made = document(data, "a.pdf")
    pictures = [inline_picture(*picture) for picture in page_pictures(data, 1)]
    page = render_document(made, pictures)
    assert [(p.number, p.width, p.height) for p in pictures] == [(1, 400, 300)]
    assert page.count("<rect ") == sum(block.page == 1 for block in made.blocks)
    assert 'viewBox="0 0 400 300"' in page
    assert re.search(r"img-src data:", page)
    assert "http" not in re.sub(r"http-equiv", "", page)


def test_references_are_links_to_the_blocks_that_they_mean() -> None:
    """In paragraphs and cells; one that leads nowhere is marked."""
    made = document(
        "# 办法\n\n第一条 收件。\n\n第二条 依照第一条、第九条办理。\n\n| 依据 |\n| - |\n| 第一条 |\n".encode(), "a.md"
    )
    page = render_document(made, references=cross_references(made))
    first = next(block.address for block in made.blocks if "收件" in block.text)
    assert page.count(f'<a class="ref" href="#b-{first}">第一条</a>') == 2
    assert '<a class="ref lost">第九条</a>办理。' in page
