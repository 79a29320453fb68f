"""Who is refused or sent back goes no further: the run ends there, or the text is asked whether it does."""

from pathlib import Path

import pytest
from drafts import compiled, flows

NEXT_RUN = {
    "zh": "受理员应当核对材料。材料不齐全的，退回申请人补正；申请人应当在三日内补正，逾期未补正的，视为撤回，流程终止。"
    "由科长审批。",
    "zh, in sentences": "受理员应当核对材料。材料不齐全的，退回学员补正。学员应当在三日内补正。由科长审批。",
    "en": "The clerk checks the form. If the form is incomplete, the clerk returns it to the applicant for correction. "
    "The applicant must correct the form within 3 days. If it is not corrected in time, the application is cancelled. "
    "The manager approves the form.",
}


@pytest.mark.parametrize("text", NEXT_RUN.values(), ids=NEXT_RUN)
def test_what_is_done_after_a_return_is_the_next_run(text: str, tmp_path: Path) -> None:
    """The incomplete are sent back, the complete go on to the approval; correcting stands in a rule."""
    one = compiled(text, tmp_path)
    found = flows(one)
    assert [step.kind for step in one.procedure.steps] == ["check", "approval"]
    assert any('"fail"' in on for (_, to), on in found.items() if to == "returned")
    assert any("补正" in rule.text or "correct" in rule.text for rule in one.procedure.constraints)


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("受理员应当核对材料。材料不齐全的，退回申请人补正。受理员应当补充登记信息。由科长审批。", "受理员"),
        (
            "The clerk checks the form. If it is incomplete, the clerk returns it to the applicant for correction. "
            "The cashier completes the ledger. The manager approves the form.",
            "cashier",
        ),
    ],
)
def test_acts_of_others_after_a_return_stay_acts(text: str, who: str, tmp_path: Path) -> None:
    """Only whom it is returned to corrects it."""
    steps = compiled(text, tmp_path).procedure.steps
    assert [step.actor for step in steps][1:2] == [who]


REFUSED = {
    "属于停课名单的，教务员应当拒绝申请。教务员登记报名。主任审批。": "教务员应当拒绝申请",
    "属于停课名单的，教务员应当驳回申请。教务员登记报名。主任审批。": "教务员应当驳回申请",
    "If a guest is under 18, the clerk refuses the application. The clerk enters the guest. The manager approves.": (
        "the clerk refuses the application"
    ),
}


@pytest.mark.parametrize(("text", "refusal"), REFUSED.items())
def test_a_refusal_ends_the_run(text: str, refusal: str, tmp_path: Path) -> None:
    """Nothing follows it, though it stands first: whom it meets is no case that the procedure is about."""
    one = compiled(text, tmp_path)
    assert [to for (begin, to) in flows(one) if begin == refusal] == ["rejected"]
    assert len(one.procedure.steps) == 3


def test_a_refusal_of_which_it_is_not_known_what_follows_is_asked_about(tmp_path: Path) -> None:
    """What is refused may be a part of the matter."""
    one = compiled("仓管员清点来货。来货破损的，仓管员应当拒绝收货，并通知供应商。仓管员登记台账。", tmp_path)
    (gap,) = (gap for gap in one.procedure.gaps if gap.kind == "undefined_exception")
    assert "拒绝收货" in gap.question
    assert "终止" in gap.question


@pytest.mark.parametrize(
    "text", ["受理员应当寄送拒绝通知书。由科长审批。", "仓管员清点来货。数量超过50件的，仓管员登记拒收理由。"]
)
def test_papers_of_refusals_refuse_nothing(text: str, tmp_path: Path) -> None:
    """Only acts that refuse are asked about."""
    gaps = compiled(text, tmp_path).procedure.gaps
    assert not any("终止，还是" in gap.question for gap in gaps)


def test_those_of_the_classes_above_are_those_that_are_forbidden(tmp_path: Path) -> None:
    """`属于上述类别的` goes back to the prohibition before it."""
    text = "严禁收寄第1类（烟花）和第7类（同位素）包裹。属于上述类别的，收件员应当拒绝申请。收件员登记包裹。"
    one = compiled(text, tmp_path)
    assert any("in [1, 7]" in on for (_, to), on in flows(one).items() if to == "收件员应当拒绝申请")


def test_classes_above_that_were_not_read_are_asked_about(tmp_path: Path) -> None:
    """They are those of no other case that stands before them."""
    text = (
        "管理员应当核对材料。材料不完整的，退回借用人补正；借用人应当在2日内补齐，逾期不补的，视为放弃。\n\n"
        "不得接收商业促销类和收费培训类活动。属于上述类别的，管理员应当拒绝申请。由馆长审批。"
    )
    one = compiled(text, tmp_path)
    assert any("“属于上述类别”" in gap.question for gap in one.workflow.gaps)
