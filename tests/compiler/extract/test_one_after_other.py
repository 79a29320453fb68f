"""`X后方可Y`: what somebody does, and what may follow it alone, are two steps; where they are not read, it is asked."""

from pathlib import Path

import pytest
from drafts import asked, compiled, leading_to

from compiler.extract.rules.statements import Act
from compiler.extract.rules.zh.sentences import ChineseReader
from compiler.text.sentences import Piece

READER = ChineseReader()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("监护人确认无残留火种后方可离开。", [("监护人", "监护人确认无残留火种"), ("监护人", "方可离开")]),
        ("监护人确认无残留火种后，方可离开。", [("监护人", "监护人确认无残留火种"), ("监护人", "方可离开")]),
        (
            "作业单位应当清理现场，监护人检查现场以后才可关闭阀门。",
            [("作业单位", "作业单位应当清理现场"), ("监护人", "监护人检查现场"), ("监护人", "才可关闭阀门")],
        ),
        (
            "安全员检测可燃气体后，作业人员方可进入。",
            [("安全员", "安全员检测可燃气体"), ("作业人员", "作业人员方可进入")],
        ),
        ("经安全员检查合格后方可施工。", [(None, "经安全员检查合格后方可施工")]),
        ("财务部收到发票后方可付款。", [("财务部", "财务部收到发票后方可付款")]),
        ("仓库管理员核对数量后通知发货。", [("仓库管理员", "仓库管理员核对数量后通知发货")]),
    ],
)
def test_what_may_follow_an_act_is_an_act_of_its_own(text: str, expected: list[tuple[str | None, str]]) -> None:
    """Only where somebody acts first: what is received, and what is done by others, stays in one."""
    found = [s for s in READER.read(Piece("b", 0, len(text), text), 0) if isinstance(s, Act)]
    assert [(s.actor.text if s.actor else None, s.piece.text) for s in found] == expected


POLICY = "# 发货管理办法\n\n第一条 销售部登记订单。\n\n第二条 {}\n\n第三条 财务部归档单据。\n"


def test_what_follows_a_verdict_hangs_on_it(tmp_path: Path) -> None:
    """A count that is not right is followed by no delivery."""
    draft = compiled(POLICY.format("仓库管理员核对数量无误后方可发货。"), tmp_path)
    (way,) = leading_to(draft, "方可发货")
    assert "outcome" in way and "pass" in way
    assert "“方可”" not in asked(draft)


@pytest.mark.parametrize("said", ["经安全员检查合格后方可发货。", "设备验收合格后，仓库方可发货。"])
def test_what_is_not_read_as_two_steps_is_asked_about(said: str, tmp_path: Path) -> None:
    """The word that binds one to the other is in a question."""
    assert "“方可”" in asked(compiled(POLICY.format(said), tmp_path)).replace("“后”、", "")


@pytest.mark.parametrize(
    ("before", "said", "steps"),
    [
        ("监护人检查现场。", "监护人检查现场后方可离开。", ["监护人检查现场", "方可离开"]),
        (
            "仓库管理员核对数量，填写核对表。",
            "仓库管理员核对数量无误后，销售部方可发货。",
            ["仓库管理员核对数量，填写核对表", "销售部方可发货"],
        ),
        ("操作员记录读数。", "操作员记录读数。", ["操作员记录读数", "操作员记录读数"]),
        ("安全员检查现场。", "监护人检查现场后方可离开。", ["安全员检查现场", "监护人检查现场", "方可离开"]),
    ],
)
def test_what_comes_first_is_a_step_told_before_where_one_is(
    before: str, said: str, steps: list[str], tmp_path: Path
) -> None:
    """It is done once; what somebody else does, or what is only said twice, is another step."""
    draft = compiled(POLICY.format(f"{before}\n\n第三条 {said}"), tmp_path)
    assert [step.text for step in draft.procedure.steps][1:-1] == steps


def test_parties_are_not_the_word_that_lets_follow() -> None:
    """`甲方可以` names a party: what comes before it is no act of whoever pays."""
    text = "监理单位验收工程后，甲方可以支付款项。"
    found = [s for s in READER.read(Piece("b", 0, len(text), text), 0) if isinstance(s, Act)]
    assert [s.piece.text for s in found] == ["甲方可以支付款项"]
    assert found[0].actor is None or found[0].actor.text != "监理单位"
