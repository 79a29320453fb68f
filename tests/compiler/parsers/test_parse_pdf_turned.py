"""PDF: text that runs up, down or upside down."""

import pymupdf
import pytest
from document_makers import bodies, cells, read

LINES = {
    "en": ["1 Night watch", "1.1 The guard walks the fence twice before midnight.", "1.2 The guard signs the log."],
    "zh": ["第一条　值班人员应当每晚巡查围栏两次。", "第二条　值班人员应当在日志上签名。"],
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_page_of_turned_text_is_read_upright(turn: int, language: str) -> None:
    """Its lines are in order; their places are those on the page as it is shown."""
    font = "china-s" if language == "zh" else "helv"
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=595, height=842)
        page.set_rotation(turn)
        matrix = pymupdf.Matrix(page.derotation_matrix)
        page.set_rotation(0)
        for number, text in enumerate(LINES[language]):
            page.insert_text(pymupdf.Point(72, 100 + 40 * number) * matrix, text, fontname=font, rotate=turn)
        document = read(pdf.tobytes())
    assert bodies(document) == LINES[language]
    for number, block in enumerate(document.blocks):
        assert block.box is not None
        x, y = pymupdf.Point(75, 98 + 40 * number) * matrix
        assert block.box[0] - 1 <= x <= block.box[2] + 1
        assert block.box[1] - 1 <= y <= block.box[3] + 1


@pytest.mark.parametrize("turn", [90, 270])
def test_heads_of_columns_that_run_up_or_down(turn: int) -> None:
    """They stand in their cells, and nowhere else."""
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=595, height=842)
        for y in (100, 180, 200, 220):
            page.draw_line((72, y), (312, y))
        for x in (72, 232, 272, 312):
            page.draw_line((x, 100), (x, 220))
        for x, text in ((256, "Stoker"), (296, "Foreman")):
            page.insert_text((x if turn == 90 else x - 8, 175 if turn == 90 else 105), text, rotate=turn)
        for y, texts in ((195, ("Rake out the ashes", "R", "A")), (215, ("Close the damper", "A", "R"))):
            for x, text in zip((76, 248, 288), texts, strict=True):
                page.insert_text((x, y), text)
        page.insert_text((72, 260), "The stoker enters every firing in the book.")
        table, text = read(pdf.tobytes()).blocks
    assert cells(table)["r1c2"] == "Stoker"
    assert cells(table)["r1c3"] == "Foreman"
    assert text.text == "The stoker enters every firing in the book."
