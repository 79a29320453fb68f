"""Comparisons with quantities: which comparator, which negation, what is counted."""

import pytest

from compiler.text.lexicon import lexicon
from compiler.text.limits import limits_in, numbers_told

ENGLISH = {
    "must not carry more than 5 t": [("gt", 5, False)],
    "must carry no more than 5 t": [("lte", 5, False)],
    "may not exceed 5 t": [("gt", 5, True)],
    "does not exceed 5 t": [("lte", 5, False)],
    "is not to be below 19.5 %": [("lt", 19.5, True)],
    "shall be not less than 95 %": [("gte", 95, False)],
    "no warmer than -18 °C": [("lte", -18, False)],
    "reach a temperature of 8 °C or higher": [("gte", 8, False)],
    "between 2 and 8 °C": [("gte", 2, False), ("lte", 8, False)],
    "at least 500 kg but not more than 10 t": [("gte", 500, False), ("lte", 10, False)],
    "EUR 1,000 or more but less than EUR 25,000": [("gte", 1000, False), ("lt", 25000, False)],
    "limited to 5 days": [("lte", 5, False)],
    "under half a tonne": [("lt", 0.5, False)],
    "goods of class 3": [],
    "faster than 100 km/h": [("gt", 100, False)],
    "more than 100 t/h": [],
    "150 pounds or less": [],
    "outside the range of 3.5 % to 9.5 %": [],
    "exceeding 150 basis points": [("gt", 150, False)],
}
CHINESE = {
    "不得超过5吨": [("gt", 5, True)],
    "应当不超过5吨": [("lte", 5, False)],
    "未超过5万元的": [("lte", 50000, False)],
    "不应少于3人": [("lt", 3, True)],
    "5吨以上10吨以下": [("gte", 5, False), ("lte", 10, False)],
    "超过5万元但不超过20万元的": [("gt", 50000, False), ("lte", 200000, False)],
    "不得低于2℃，也不得高于8℃": [("lt", 2, True), ("gt", 8, True)],
    "2至8℃": [("gte", 2, False), ("lte", 8, False)],
    "10万元以上（不含10万元）": [("gt", 100000, False)],
    "不得达到或者超过4小时": [("gte", 4, True)],
    "金额超过人民币3万元": [("gt", 30000, False)],
    "不超过百分之五": [("lte", 5, False)],
    "风力达到五级及以上": [("gte", 5, False)],
    "最多借5本": [("lte", 5, False)],
    "第3类、第五类": [],
    "超过一吨半的": [("gt", 1.5, False)],
    "低于百分之十五或者高于两成半": [("lt", 15, False), ("gt", 25, False)],
    "不超过千分之五": [("lte", 0.5, False)],
    "响铃4声以内": [],
    "不得超过三成员工": [],
    "温度在2℃至8℃之外的": [],
}


@pytest.mark.parametrize(("text", "expected"), ENGLISH.items(), ids=ENGLISH)
def test_english_limits(text: str, expected: list[tuple[str, float, bool]]) -> None:
    """A negation belongs to the comparator it stands before; a modal that forbids to the sentence."""
    assert [(m.op, m.quantity.value, m.forbidden) for m in limits_in(text, lexicon("en"))] == expected


@pytest.mark.parametrize(("text", "expected"), CHINESE.items(), ids=CHINESE)
def test_chinese_limits(text: str, expected: list[tuple[str, float, bool]]) -> None:
    """The same in Chinese."""
    assert [(m.op, m.quantity.value, m.forbidden) for m in limits_in(text, lexicon("zh"))] == expected


def test_a_number_in_an_unknown_unit_is_told_though_it_is_no_limit() -> None:
    """So that a sentence that turns on it is asked about."""
    text = "客服热线在响铃4声以内接起，通话不超过3个月"
    assert [text[begin:end] for begin, end in numbers_told(text, lexicon("zh"))] == ["4声"]
    assert not numbers_told(text, lexicon("zh"), known=True)


def test_what_a_plain_number_counts() -> None:
    """A number without unit is a limit of what it counts."""
    (limit,) = limits_in("at least three quotations", lexicon("en"))
    assert (limit.counted, limit.quantity.value) == ("quotations", 3)
    (limit,) = limits_in("至少两瓶", lexicon("zh"))
    assert (limit.counted, limit.quantity.value) == ("瓶", 2)
