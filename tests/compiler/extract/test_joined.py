"""Who acts where several act jointly or something else has to hold beside an approval, and where nobody is named."""

from pathlib import Path

import pytest
from drafts import compiled, leading_to

from compiler.extract.rules.statements import Act
from compiler.extract.rules.zh.sentences import ChineseReader
from compiler.text.sentences import Piece

READER = ChineseReader()


def acts(text: str) -> list[Act]:
    """The acts of one sentence."""
    return [s for s in READER.read(Piece("b", 0, len(text), text), 0) if isinstance(s, Act)]


def actors(text: str) -> list[str | None]:
    """Who does them."""
    return [s.actor.text if s.actor else None for s in acts(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("采用加装盲板的方式与其他系统可靠隔离。", [None]),
        ("采取轮班的形式与各车间应当保持联系。", []),
        ("作业前，采用加装盲板的方式与其他系统应当可靠隔离。", [None]),
        ("使用部门验收设备。", ["使用部门"]),
        ("使用单位应当建立台账。", ["使用单位"]),
    ],
)
def test_means_are_nobody(text: str, expected: list[str | None]) -> None:
    """By which means something is done is no name of who does it; who uses something may be one."""
    assert actors(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("监护人与安全员共同确认现场无人后，在许可证上签字。", ["监护人与安全员"]),
        ("监护人和安全员联合检查现场。", ["监护人和安全员"]),
        ("由监护人与安全员共同检查现场。", ["监护人与安全员"]),
        ("应当由监护人、安全员以及电工共同检查现场。", ["监护人、安全员以及电工"]),
        ("安全员、监护人共同检查现场。", ["安全员、监护人"]),
        ("监护人与安全员共同验收后，由财务部付款。", ["财务部"]),
        ("监护人与安全员共同验收后，应当在5日内付款。", [None]),
        ("安全员检查现场。", ["安全员"]),
        ("公司与目标共同检查现场。", ["公司"]),
    ],
)
def test_several_act_jointly(text: str, expected: list[str | None]) -> None:
    """All of them are named, also of what they go on to do; where a duty follows, another may be meant."""
    assert actors(text) == expected


@pytest.mark.parametrize(
    ("text", "expected", "conditions"),
    [
        ("经重新检测合格且车间主任同意后，作业单位方可恢复作业。", ["车间主任", "作业单位"], ["重新检测合格"]),
        ("检测合格且经车间主任同意后，作业单位方可恢复作业。", ["车间主任", "作业单位"], ["检测合格"]),
        ("经检测合格并报主任批准后，作业单位方可恢复作业。", ["主任", "作业单位"], ["检测合格"]),
        ("经安全部审核并主任同意后，作业单位方可恢复作业。", ["安全部", "主任", "作业单位"], []),
        ("经安全部审核并报总经理批准后，作业单位方可恢复作业。", ["安全部", "总经理", "作业单位"], []),
        ("经法务部审查且合规部审核通过后，由经办人签订合同。", ["法务部", "合规部", "经办人"], []),
        ("经车间主任同意后，作业单位方可恢复作业。", ["车间主任", "作业单位"], []),
        ("经总经理并董事会批准后，方可实施。", ["总经理并董事会", None], []),
        ("申请人经主任同意后，应当恢复作业。", ["主任", None], []),
        ("验收合格并报主任批准后，由保管员办理入库。", [None, "主任", "保管员"], []),
    ],
)
def test_what_stands_beside_an_approval(text: str, expected: list[str | None], conditions: list[str]) -> None:
    """A verdict is a condition, a second approver approves too; whoever approves does not do what is approved."""
    assert actors(text) == expected
    assert all([c.piece.text for c in act.conditions] == conditions for act in acts(text))


def test_both_have_to_hold(tmp_path: Path) -> None:
    """Work goes on after the approval, and that is asked for where the measurement was good."""
    text = "# 办法\n第一条 作业单位应当提交申请表。\n第二条 经重新检测合格且车间主任同意后，作业单位方可恢复作业。"
    one = compiled(text, tmp_path)
    assert [step.actor for step in one.procedure.steps] == ["作业单位", "车间主任", "作业单位"]
    assert [way.endswith("== true") for way in leading_to(one, "车间主任同意")] == [True]
