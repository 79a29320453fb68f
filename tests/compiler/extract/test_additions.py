"""`除X外，还应当Y` demands Y besides X; `除X外，一律Y` excepts X."""

from pathlib import Path

import pytest
from drafts import asked, compiled, leading_to

from compiler.extract.rules.statements import Act, Statement
from compiler.extract.rules.zh.norms import ChineseNorms
from compiler.extract.rules.zh.sentences import ChineseReader
from compiler.text.lexicon import lexicon
from compiler.text.sentences import Piece

READER = ChineseReader()
COURSE = "# 作业管理办法\n第一条 作业单位应当向属地车间提交申请表。\n{}第九条 安全环保部应当将申请表归档。"


def said(text: str) -> tuple[Statement, ...]:
    """What one sentence says."""
    return READER.read(Piece("b", 0, len(text), text), 0)


@pytest.mark.parametrize(
    ("text", "actors", "conditions"),
    [
        ("夜间的作业，除经车间主任审批外，还应当报总经理批准。", ["车间主任", "总经理"], ["夜间的作业"]),
        ("除经车间主任审批之外，并须报总经理审批。", ["车间主任", "总经理"], []),
        ("除了经车间主任审批以外还应当报总经理批准。", ["车间主任", "总经理"], []),
        ("一级动火作业除经车间主任审批外，另须报总经理批准。", ["车间主任", "总经理"], ["一级动火作业"]),
        ("作业许可证，除经车间主任审批外，还应当报总经理批准。", ["车间主任", "总经理"], []),
        ("申请人除提交申请表外，还应当提交身份证。", ["申请人", "申请人"], []),
        ("除经车间主任审批外，应当同时报总经理批准。", ["车间主任", "总经理"], []),
    ],
)
def test_added(text: str, actors: list[str], conditions: list[str]) -> None:
    """Both are done, on what the words before narrow, and neither only where the other is not."""
    found = [s for s in said(text) if isinstance(s, Act)]
    assert [s.actor.text if s.actor else None for s in found] == actors
    assert [s.presumed for s in found] == [True, False]
    assert [(c.mode, c.piece.text) for c in found[-1].conditions] == [("when", words) for words in conditions]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("除紧急采购外，均应当报总经理批准。", "紧急采购"),
        ("除金额较小的采购外，应当报总经理批准。", "金额较小的采购"),
        ("除紧急情况外，采购部还应当取得三家报价。", "紧急情况"),
        ("除不可抗力外，承运人还应当按时交货。", "不可抗力"),
        ("除持证人员外，其他人员也不得进入机房。", "持证人员"),
    ],
)
def test_excepted(text: str, words: str) -> None:
    """Without a word that adds, and of a case or a prohibition with one, it is an exception."""
    (one,) = said(text)
    assert [(c.mode, c.piece.text) for c in one.conditions] == [("unless", words)]


def test_a_step_told_before_is_not_told_twice(tmp_path: Path) -> None:
    """The approval added comes after the one it is added to, in its own case alone."""
    clauses = "第二条 车间主任应当审批申请。\n第三条 节假日期间的作业，除经车间主任审批外，还应当报总经理批准。\n"
    one = compiled(COURSE.format(clauses), tmp_path)
    assert [step.actor for step in one.procedure.steps if step.kind == "approval"] == ["车间主任", "总经理"]
    assert leading_to(one, "车间主任应当审批申请") == [""]
    (way,) = leading_to(one, "报总经理批准")
    assert way.endswith("== true")
    assert "除经车间主任审批外" not in asked(one)


def test_an_approval_told_here_alone_is_a_step(tmp_path: Path) -> None:
    """Nothing before tells the director's approval: it stands before the one added to it."""
    one = compiled(COURSE.format("第二条 除经车间主任审批外，还应当报总经理审批。\n"), tmp_path)
    assert [step.actor for step in one.procedure.steps if step.kind == "approval"] == ["车间主任", "总经理"]
    assert leading_to(one, "报总经理审批") == [""]


@pytest.mark.parametrize(("base", "asks"), [("按前款审批", False), ("第五条规定的材料", True), ("进行气体检测", True)])
def test_what_is_told_elsewhere(base: str, *, asks: bool, tmp_path: Path) -> None:
    """Words that go back are known; what no step before tells is asked about."""
    clauses = f"第二条 车间主任应当审批申请。\n第三条 除{base}外，还应当报总经理批准。\n"
    one = compiled(COURSE.format(clauses), tmp_path)
    assert [step.actor for step in one.procedure.steps if step.kind == "approval"] == ["车间主任", "总经理"]
    assert leading_to(one, "报总经理批准") == [""]
    assert (f"“{base}”没有读懂" in asked(one)) == asks


def test_a_limit_added_has_no_exception() -> None:
    """A norm that comes on top of something holds always; one that excepts does not."""
    norms = ChineseNorms(lexicon("zh"))
    for text, modes in (("除应当测温外，浓度还应当不低于5%。", []), ("除检修外，浓度应当不低于5%。", ["unless"])):
        norm = norms.read(Piece("b", 0, len(text), text))
        assert norm is not None
        assert [cue.mode for cue in norm.scope] == modes
        assert len(norm.held) == 1


@pytest.mark.parametrize(
    "text",
    [
        "In addition to the approval of the shift supervisor, the plant manager must approve the permit.",
        "In addition to being approved by the shift supervisor, the permit must be approved by the plant manager.",
        "Besides the shift supervisor's approval, the plant manager must also approve the permit.",
    ],
)
def test_added_in_english(text: str, tmp_path: Path) -> None:
    """The supervisor approves, and the manager as well, on no condition."""
    one = compiled(f"# Permits\n1. The applicant must submit the form.\n2. {text}\n", tmp_path)
    steps = {step.id: (step.actor or "").lower() for step in one.procedure.steps if step.kind == "approval"}
    assert [who.removeprefix("the ") for who in steps.values()] == ["shift supervisor", "plant manager"]
    assert all(flow.condition is None for flow in one.procedure.flows)


def test_what_english_adds_to_is_asked_about(tmp_path: Path) -> None:
    """`Besides the operator` names no act: the manager's is done, and the words are asked about."""
    text = "Besides the shift operator, the plant manager must also approve the permit."
    one = compiled(f"# Permits\n1. The applicant must submit the form.\n2. {text}\n", tmp_path)
    assert [step.kind for step in one.procedure.steps][-1] == "approval"
    assert "“the shift operator” means here was not understood" in asked(one)


def test_a_check_by_nobody_named_is_asked_about(tmp_path: Path) -> None:
    """Whoever acts in the clause has not examined anything for that."""
    one = compiled(COURSE.format("第二条 作业单位除进行气体检测外，还应当报总经理批准。\n"), tmp_path)
    assert [step.kind for step in one.procedure.steps] == ["input", "approval", "record"]
    assert "“进行气体检测”没有读懂" in asked(one)
