"""PDF: notes at the foot of a page, and the number below them."""

import pytest
from document_makers import Written, bodies, make_pdf, read


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (
            "第三条　押金①于交付时退还，滞纳金②另计，均由出纳员当日登记入账并开具收据。",
            ["① 押金标准由财务部公布。", "② 滞纳金按日计算。"],
        ),
        (
            "The deposit* is repaid with the surcharge [1]; the cashier enters both.",
            ["* Under the tariff of fees.", "[1] Ten per cent."],
        ),
    ],
)
@pytest.mark.parametrize("number", ["- 1 -", "第1页", "1"])
def test_notes_are_each_a_block(text: str, notes: list[str], number: str) -> None:
    """Marks that lists bear too are those of notes where the text cites them; the number of the only page is none."""
    foot = [Written(72, 740 + 14 * at, note, 8) for at, note in enumerate(notes)]
    document = read(make_pdf([Written(72, 100, text), *foot, Written(290, 800, number, 9)]))
    tagged = [(block.tag, block.text) for block in document.blocks]
    assert tagged == [(None, text), *[("footnote", note) for note in notes], ("footer", number)]


def test_small_items_that_nothing_cites_are_items() -> None:
    """A list in small type at the foot of a page keeps its labels."""
    items = ["① 单位公章", "② 经办人签名"]
    foot = [Written(72, 740 + 14 * at, item, 8) for at, item in enumerate(items)]
    document = read(make_pdf([Written(72, 100, "第三条　押金于交付时退还，滞纳金另计，均由出纳员登记入账。"), *foot]))
    assert bodies(document)[1:] == items
