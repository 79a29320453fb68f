"""Whether words tell of something good or bad."""

import pytest

from compiler.text.tenor import tenor


@pytest.mark.parametrize(
    "text",
    [
        "there is no new damage", "nothing is missing", "the seal does not show any cracks", "it is free of defects",
        "neither incomplete nor damaged", "no errors or omissions are found", "the meter is undamaged",
        "it did not arrive late", "验收无损坏", "未发现异常", "不存在违规行为", "核对无误", "未发现不合格",
        "完好无缺", "外观无破损、缺失",
    ],
)  # fmt: skip
def test_a_harm_that_is_denied_is_good(text: str) -> None:
    """Each denial before a telling word turns what it says."""
    assert tenor(text) == "good"


@pytest.mark.parametrize(
    "text",
    [
        "the file is not complete", "parts are missing", "the meter is unreadable", "it fails to meet the standard",
        "the form is incomplete or has errors", "有损坏", "材料不齐全", "数量短少", "事实不清、证据不足",
        "无正当理由", "不再符合条件",
    ],
)  # fmt: skip
def test_a_harm_and_a_good_that_is_denied_are_bad(text: str) -> None:
    """A harm that is there, a good that is not."""
    assert tenor(text) == "bad"


@pytest.mark.parametrize(
    "text",
    [
        "no reply is received", "a match is found", "no match is found", "the damage is minor", "it is heavy",
        "it is complete but damaged", "the damage has been repaired", "未答复", "轻微损坏", "材料齐全但有损坏",
    ],
)  # fmt: skip
def test_what_does_not_show_it_tells_nothing(text: str) -> None:
    """Words whose matter is unknown, words of degree, and both at once."""
    assert tenor(text) is None
