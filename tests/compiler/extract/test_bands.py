"""Ranges as cells give them: both ends, whether each belongs to it, and the unit where it stands once or elsewhere."""

import pytest

from compiler.text.lexicon import lexicon
from compiler.text.measures import named_measure
from compiler.text.ranges import band

ZH = [
    ("10 万元以下", "<= 100000"),
    ("5万元至10万元（含）", "> 50000 <= 100000"),
    ("5000元至2万元", ">= 5000 <= 20000"),
    ("5万元以下（含5万元）", "<= 50000"),
    ("1万元（不含）以上", "> 10000"),
    ("大于5万元，小于等于10万元", "> 50000 <= 100000"),
    ("3个工作日", ""),
    ("10万元以上50万元以下", ">= 100000 <= 500000"),
    ("10万元（含）以上、50万元以下", ">= 100000 <= 500000"),
    ("10-50万元", ">= 100000 <= 500000"),
    ("10万-50万元", ">= 100000 <= 500000"),
    ("5000-10万元", ">= 5000 <= 100000"),
    ("10万元～50万元（不含）", ">= 100000 < 500000"),
    ("10万元（含）至50万元", ">= 100000 < 500000"),
    ("10万元（不含）至50万元", "> 100000 <= 500000"),
    ("超过10万元但不超过50万元", "> 100000 <= 500000"),
    ("10万元≤金额＜50万元", ">= 100000 < 500000"),
    ("5%＜X≤10%", "> 5 <= 10"),
    ("金额≥50万元", ">= 500000"),
    ("30万元人民币以上", ">= 300000"),
    ("100 000元以下", "<= 100000"),
    ("-18℃以下", "<= -18"),
    ("零下5℃以下", "<= -5"),
    ("-5℃以上5℃以下", ">= -5 <= 5"),
    ("2～8℃", ">= 2 <= 8"),
    ("4-7天", ">= 4 <= 7"),
    ("50万元", ""),
    ("10万元的设备", ""),
    ("部门经理", ""),
]
EN = [
    ("$1,000 or more", ">= 1000"),
    ("$1,000–$5,000", ">= 1000 <= 5000"),
    ("from $100 to under $500", ">= 100 < 500"),
    ("≥ 5 kg", ">= 5"),
    ("$500 per trip", ""),
    ("$5 kg to $9", ""),
    ("over £50 and up to £500", "> 50 <= 500"),
    ("> 5,000 to 20,000 EUR", "> 5000 <= 20000"),
    ("EUR 2,000–5,000", ">= 2000 <= 5000"),
    ("EUR 1 000 – 50 000", ">= 1000 <= 50000"),
    ("EUR 2m or more", ">= 2000000"),
    ("over $1M", "> 1000000"),
    ("£5k to £10k", ">= 5000 <= 10000"),
    ("over EUR 1,000 but not above EUR 5,000", "> 1000 <= 5000"),
    ("$20,000+", ">= 20000"),
    ("minimum EUR 2,000", ">= 2000"),
    ("between 4 and 10 days", ">= 4 <= 10"),
    ("4 to 10 days", ">= 4 <= 10"),
    ("18 to 65 years", ">= 18 <= 65"),
    ("-20 °C to -10 °C", ">= -20 <= -10"),
    ("minus 20 °C or below", "<= -20"),
    ("2–8 °C", ">= 2 <= 8"),
    ("10 % ≤ share < 25 %", ">= 10 < 25"),
    ("$500 per employee", ""),
    ("Line manager", ""),
]
HEADED = [
    ("金额（万元）", "zh", "10以上50以下", ">= 100000 <= 500000"),
    ("金额（人民币，万元）", "zh", "X≤10", "<= 100000"),
    ("时限/工作日", "zh", "5以内", "<= 5"),
    ("Amount (USD)", "en", "1,001 to 5,000", ">= 1001 <= 5000"),
    ("Value, USD thousand", "en", "over 50", "> 50000"),
    ("Temperature (°C)", "en", "-25 to -15", ">= -25 <= -15"),
]
SIGNS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def said(language: str, text: str, heading: str = "") -> str:
    """The range as text."""
    named = named_measure(heading)
    limits = band(text, lexicon(language), measure=named[0] if named else None)
    return " ".join(f"{SIGNS[op]} {quantity.value:.10g}" for op, quantity in limits)


@pytest.mark.parametrize(("text", "limits"), ZH)
def test_chinese_ranges(text: str, limits: str) -> None:
    """Exact about their ends; a text that is no range has none."""
    assert said("zh", text) == limits


@pytest.mark.parametrize(("text", "limits"), EN)
def test_english_ranges(text: str, limits: str) -> None:
    """Exact about their ends; a text that is no range has none."""
    assert said("en", text) == limits


@pytest.mark.parametrize(("heading", "language", "text", "limits"), HEADED)
def test_numbers_whose_unit_the_heading_names(heading: str, language: str, text: str, limits: str) -> None:
    """A bare number is in the unit of its column."""
    assert said(language, text, heading) == limits


def test_what_the_document_says_of_its_words() -> None:
    """Where `以下` leaves out the number, so does the range."""
    assert [op for op, _ in band("10万元以下", lexicon("zh"), frozenset({"以下"}))] == ["lt"]
