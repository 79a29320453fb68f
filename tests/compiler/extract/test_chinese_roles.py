"""What names somebody who acts, and what only ends in the same characters."""

import pytest

from compiler.extract.rules.statements import Act
from compiler.extract.rules.zh.sentences import ChineseReader
from compiler.text.sentences import Piece

READER = ChineseReader()


def actors(text: str) -> list[str | None]:
    """Who acts in each act of a sentence."""
    found = READER.read(Piece("b", 0, len(text), text), 0)
    return [s.actor.text if s.actor else None for s in found if isinstance(s, Act)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("报销人在费用发生后30日内填写报销单。", ["报销人"]),
        ("厂长5个工作日内召开复盘会。", ["厂长"]),
        ("会计据此登记入账。", ["会计"]),
        ("安全部应当核查备案情况。", ["安全部"]),
    ],
)
def test_somebody(text: str, expected: list[str]) -> None:
    """Verbs within a name, a time behind it and `全部` within `安全部` do not hide the role."""
    assert actors(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "报告生化组长改用另一台仪器。",
        "国家鼓励货运经营者实行封闭式运输。",
        "视同纳税人在主要工作城市有自有住房。",
        "专家论证所需时间不计算在内。",
        "告知申请人补正材料。",
    ],
)
def test_nobody(text: str) -> None:
    """Whoever is told, encouraged or deemed something does not act, and `所需` ends no institute's name."""
    assert set(actors(text)) <= {None}
