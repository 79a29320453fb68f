"""Chinese words that tell how things are, name a stage or a topic, or say where a matter goes."""

import pytest

from compiler.extract.rules.statements import Act, Statement
from compiler.extract.rules.zh.sentences import ChineseReader
from compiler.text.sentences import Piece

READER = ChineseReader()


def acts(text: str) -> list[Statement]:
    """The acts of one sentence."""
    return [s for s in READER.read(Piece("b", 0, len(text), text), 0) if isinstance(s, Act)]


@pytest.mark.parametrize(
    "text",
    [
        "锅炉房位于厂区西南角，占地约三百平方米，主要燃料从外地购入。",
        "检验结果的可靠性取决于抽样的方法。",
        "兄弟单位交流了管理做法，取得了良好效果。",
        "各车间、仓库、宿舍及在建工程。",
        "注：○表示必须填写，△表示可不填写。",
        "△表示须经复核。",
        "整改阶段（9月1日至9月20日）。",
        "抄送：各支行、各网点。",
        "务求整改到位。",
        "全体医护人员应当始终把患者安全放在首位，牢固树立服务意识。",
    ],
)
def test_no_act(text: str) -> None:
    """Places, what results depend on, reports, lists, legends, stages, copies and slogans are none."""
    assert acts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "了解客户的资金来源。",
        "核对姓名、床号、药名。",
        "启动第二阶段。",
        "检修工应当拆卸滤网、垫片、螺栓。",
        "检查支架、护栏是否牢固。",
        "检修工检查护栏、支架、电缆。",
    ],
)
def test_acts_stay(text: str) -> None:
    """Verbs that end in 了, lists of objects and stages that are started are acts."""
    assert len(acts(text)) == 1


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("转信贷部复核。", ["信贷部"]),
        ("考勤员汇总缺勤记录，报人事处核发补贴。", ["考勤员", "人事处"]),
        ("乙方向甲方交付设备，单价800元。", ["乙方"]),
        ("药师向病人说明用法。", ["药师"]),
        ("编写检查报告报分管院长审阅。", [None, "分管院长"]),
        ("组织职工体检。", [None]),
        ("验收：使用部门核对数量。", ["使用部门"]),
    ],
)
def test_who_acts_on_what_is_handed_on(text: str, who: list[str | None]) -> None:
    """The one a matter goes to acts on it; neither the verb of handing nor the one spoken to is part of a name."""
    assert [s.actor.text if s.actor else None for s in acts(text)] == who


def test_filing_with_somebody_is_the_senders_act() -> None:
    """`报财务处备案` is done by whoever reports, and the office receives it."""
    found = acts("经办人填写申请表，报财务处备案。")
    assert [s.actor.text for s in found if s.actor] == ["经办人", "经办人"]
    assert found[-1].recipient is not None
    assert found[-1].recipient.text == "财务处"
