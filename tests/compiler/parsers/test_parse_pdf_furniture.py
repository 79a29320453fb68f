"""PDF: running headers and footers, and titles at the top of a page that are none."""

import pytest
from document_makers import Written, bodies, column, make_pdf, read

CLAUSE = {
    "en": "The harbour master shall note the arrival of vessel {} in the log.",
    "zh": "港口负责人应当在日志上记录第{}号船舶的到港时间。",
}
WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]


@pytest.mark.parametrize(
    ("title", "language", "size", "bold"),
    [("Annex {}", "en", 14, False), ("附件{}", "zh", 11, False), ("{} Berths", "en", 11, True)],
)
def test_titles_that_count_on_are_no_running_header(title: str, language: str, size: float, bold: bool) -> None:
    """A title at the top of each page differs only in its figure, and is a heading all the same."""
    pages = [
        [Written(72, 60, title.format(at), size, bold), *column([CLAUSE[language].format(word), word])]
        for at, word in enumerate(WORDS[:4], 1)
    ]
    document = read(make_pdf(*pages))
    assert [block.tag for block in document.blocks if title.replace("{}", "").strip() in block.text] == [None] * 4


def test_a_running_header_with_a_page_number_in_it() -> None:
    """A line that counts on in the type of the text, and bears no label but the page's number, runs through."""
    pages = [
        [Written(72, 40, f"{at} Berth rules"), *column([CLAUSE["en"].format(word)])] for at, word in enumerate(WORDS)
    ]
    document = read(make_pdf(*pages))
    assert [block.tag for block in document.blocks] == ["header", None] * 6


@pytest.mark.parametrize("months", [("March", "April", "May", "June"), ("Mar.", "Sept.", "Oct.", "Dec.")])
def test_a_header_with_another_date_on_each_page(months: tuple[str, ...]) -> None:
    """Months are masked as figures are."""
    pages = [
        [Written(72, 40, f"Printed {at * 5} {month} 2031", 9), *column([CLAUSE["en"].format(word)])]
        for at, (month, word) in enumerate(zip(months, WORDS, strict=False), 1)
    ]
    assert all("Printed" not in text for text in bodies(read(make_pdf(*pages))))


def test_a_header_that_names_the_chapter() -> None:
    """Small type at the top that repeats the chapter's heading changes with the chapter."""
    pages = []
    for at, word in enumerate(WORDS):
        chapter = f"Chapter {at // 2 + 1} - On {WORDS[at // 2]} cargo"
        heading = [Written(72, 90, chapter, 14, bold=True)] if at % 2 == 0 else []
        pages.append([Written(200, 40, chapter, 8), *heading, *column([CLAUSE["en"].format(word)], y=120)])
    document = read(make_pdf(*pages))
    assert [block.tag for block in document.blocks].count("header") == 6
    assert [block.kind for block in document.body()].count("heading") == 3
