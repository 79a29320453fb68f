"""Where a quote may begin and end."""

import pytest

from compiler.grounding.borders import cut_words

CASES = [
    ("within 13 days", "3 days", "13 days"),
    ("超过12.5吨", "2.5吨", "12.5吨"),
    ("第三十二条", "二条", "三十二条"),
    ("approve reports", "report", "reports"),
    ("不得转包", "得转包", "不得转包"),
    ("you don't sign", "you don", "you don't"),
    ("总经理审批", "经理审批", "总经理审批"),
    ("总计经理", "经理", None),
    ("尚未备案的", "备案", "尚未备案"),
    ("相应当事人到场", "当事人到场", None),
    ("section 3.1.2", "1.2", "3.1.2"),
    ("at 5kg", "5", None),
    ("no more than 5 days", "more than 5 days", "no more than 5 days"),
    ("twenty one days", "one days", "twenty one days"),
    ("on 1 May 2024", "May", "1 May 2024"),
    ("自2024年5月1日起", "5月1日", "2024年5月1日"),
    ("必要时批准", "必要", None),
    ("is not complete", "complete", "not complete"),
    ("Goods of class 8 may not be loaded", "Goods of class 8", None),
    ("Loading ends on 8 May 2026", "Loading ends on 8", "Loading ends on 8 May 2026"),
    ("must not submit", "submit", None),
    ("必须提交", "提交", None),
]


@pytest.mark.parametrize(("text", "quote", "whole"), CASES)
def test_cut_words(text: str, quote: str, whole: str | None) -> None:
    """The wider run that a quote was cut out of, or nothing where its borders are sound."""
    start = text.index(quote)
    run = cut_words(text, start, start + len(quote))
    assert (text[slice(*run)] if run else None) == whole
