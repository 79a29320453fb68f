"""PDF: what readers have written on a page and struck out of it."""

import pymupdf
import pytest
from document_makers import bodies, cells, read


@pytest.mark.parametrize(
    ("lines", "struck", "left"),
    [
        (
            ["The cook keeps samples for two weeks.", "The pantry is locked."],
            " for two weeks",
            "The cook keeps samples.",
        ),
        (["厨师应当留样七日四十八小时。", "库房应当上锁。"], "七日", "厨师应当留样四十八小时。"),
    ],
)
def test_notes_and_struck_words_follow_their_paragraph(lines: list[str], struck: str, left: str) -> None:
    """Struck words are deleted, notes are comments; neither is part of the text."""
    font = "china-s" if lines[0][0] > "\u2fff" else "helv"
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=595, height=842)
        for number, text in enumerate(lines):
            page.insert_text((72, 100 + 40 * number), text, fontname=font)
        page.add_strikeout_annot(page.search_for(struck)).set_info(content="Shorter?")
        page.add_text_annot((480, 132), "Who has the key?")
        page.add_freetext_annot(pymupdf.Rect(300, 200, 500, 230), "Ask the hygienist")
        document = read(pdf.tobytes())
    assert [(block.tag, block.text) for block in document.blocks] == [
        (None, left),
        ("deleted", struck.strip()),
        ("comment", "Shorter?"),
        (None, lines[1]),
        ("comment", "Who has the key?"),
        ("comment", "Ask the hygienist"),
    ]
    assert {block.parent for block in document.blocks} <= {None, *(block.address for block in document.body())}


def test_struck_words_of_a_cell() -> None:
    """They are no part of the cell's text."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for y in (100, 130, 160):
            page.draw_line((72, y), (472, y))
        for x in (72, 272, 472):
            page.draw_line((x, 100), (x, 160))
        for y, texts in ((120, ("Dish", "Kept for")), (150, ("Soup", "two days three days"))):
            for x, text in zip((80, 280), texts, strict=True):
                page.insert_text((x, y), text)
        page.add_strikeout_annot(page.search_for("two days "))
        document = read(pdf.tobytes())
    assert cells(document.blocks[0])["r2c2"] == "three days"
    assert [block.text for block in document.blocks if block.tag == "deleted"] == ["two days"]
    assert len(bodies(document)) == 1
