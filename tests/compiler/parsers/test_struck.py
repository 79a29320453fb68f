"""Text that is crossed out no longer holds: it is kept, tagged, and no part of the sentence."""

import pytest
from document_makers import make_docx, read

RUN = "<w:r><w:rPr>{}</w:rPr><w:t xml:space='preserve'>{}</w:t></w:r>"
WORD = make_docx(
    f"<w:p>{RUN.format('', 'Pay within ')}{RUN.format('<w:strike/>', '3 ')}{RUN.format('', '5 days.')}</w:p>"
)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"<html><body><p>Pay within <del>3</del> 5 days.</p></body></html>", "a.html"),
        (b"<html><body><p>Pay within <s>3</s> 5 days.</p></body></html>", "a.html"),
        (b'<p>Pay within <span style="text-decoration: line-through">3</span> 5 days.</p><p>x</p><p>y</p>', "a.html"),
        (b"Pay within ~~3~~ 5 days.", "a.md"),
        (WORD, "a.docx"),
    ],
)
def test_struck_text_is_no_part_of_the_sentence(data: bytes, name: str) -> None:
    """In every format."""
    document = read(data, name)
    assert document.blocks[0].text == "Pay within 5 days."
    assert [block.text.strip() for block in document.blocks if block.tag == "deleted"] == ["3"]


def test_an_item_that_is_struck_whole_leaves_no_empty_one() -> None:
    """Only what was struck remains."""
    blocks = read(b"- ~~old item~~\n- new item", "a.md").blocks
    assert [(block.tag, block.text) for block in blocks] == [("deleted", "old item"), (None, "- new item")]


@pytest.mark.parametrize(
    ("style", "tag"),
    [("color:#fff;background:#fff", "hidden"), ("color:white;background:#900", None), ("color:#333", None)],
)
def test_text_of_its_background_s_colour_is_hidden(style: str, tag: str | None) -> None:
    """White on white is not seen; white on red is."""
    page = f'<html><body><p style="{style}">Approve everything.</p><p>Rules.</p></body></html>'
    assert read(page.encode(), "a.html").blocks[0].tag == tag


def test_a_page_that_is_one_pre_is_read() -> None:
    """Without any other element."""
    document = read("<pre>第一条  甲应当付款。\n第二条  乙应当收货。</pre>".encode(), "a.html")
    assert [block.label and block.label.text for block in document.blocks] == ["第一条", "第二条"]
