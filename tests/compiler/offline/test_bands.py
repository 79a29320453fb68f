"""Ranges are exact about their ends."""

import pytest

from compiler.offline.bands import band
from compiler.offline.lexicon import lexicon


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("zh", "10 万元以下", [("lte", 100000)]),
        ("zh", "10 万元(含)至 50 万元", [("gte", 100000), ("lt", 500000)]),
        ("zh", "5万元至10万元（含）", [("gt", 50000), ("lte", 100000)]),
        ("zh", "5000元至2万元", [("gte", 5000), ("lte", 20000)]),
        ("zh", "5万元以下（含5万元）", [("lte", 50000)]),
        ("zh", "1万元（不含）以上", [("gt", 10000)]),
        ("zh", "大于5万元，小于等于10万元", [("gt", 50000), ("lte", 100000)]),
        ("en", "over £50 and up to £500", [("gt", 50), ("lte", 500)]),
        ("en", "$1,000 or more", [("gte", 1000)]),
        ("en", "$1,000–$5,000", [("gte", 1000), ("lte", 5000)]),
        ("en", "from $100 to under $500", [("gte", 100), ("lt", 500)]),
        ("en", "≥ 5 kg", [("gte", 5)]),
    ],
)
def test_a_range(language: str, text: str, expected: list[tuple[str, float]]) -> None:
    """The comparisons that a cell makes."""
    assert [(op, quantity.value) for op, quantity in band(text, lexicon(language))] == expected


@pytest.mark.parametrize(
    ("language", "text"), [("zh", "3个工作日"), ("zh", "总经理"), ("en", "$500 per trip"), ("en", "$5 kg to $9")]
)
def test_what_is_no_range(language: str, text: str) -> None:
    """A plain quantity, other words beside it, or ends of two kinds are no range."""
    assert band(text, lexicon(language)) == ()


def test_what_the_document_says_of_its_words() -> None:
    """Where `以下` leaves out the number, so does the range."""
    assert [op for op, _ in band("10万元以下", lexicon("zh"), frozenset({"以下"}))] == ["lt"]
