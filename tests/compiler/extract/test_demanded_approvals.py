"""Sentences that demand an approval or state an amount without a word such as `must`: read, or listed."""

from pathlib import Path

import pytest
from drafts import compiled, fate_of, leading_to


@pytest.mark.parametrize(
    ("text", "who", "on"),
    [
        ("Orders of more than $500 need the approval of the director.", "director", "> 500"),
        ("Any order exceeding €900 is subject to approval by the treasurer.", "treasurer", "> 900"),
        ("Contracts above £70 must have the written consent of the board.", "board", "> 70"),
        ("Travel outside Europe requires prior permission from the dean.", "dean", "== true"),
        ("采购员提交申请。五万元以下的采购由科长批准，超过五万元的采购须经总监批准。", "总监", "> 50000"),
        ("借款人提交申请。二十万元以上的借款，需财务总监同意。会计发放借款。", "财务总监", ">= 200000"),
        ("店长提交申请。金额超过三万元的，还需董事会书面同意。会计付款。", "董事会", "> 30000"),
    ],
)  # fmt: skip
def test_what_needs_an_approval_has_one(text: str, who: str, on: str, tmp_path: Path) -> None:
    """In the case that the words name, and in no other."""
    one = compiled(text if "。" in text else f"The clerk files it. {text} The clerk signs it.", tmp_path)
    (step,) = (step for step in one.procedure.steps if step.actor == who)
    assert step.kind == "approval"
    assert all(condition.endswith(on) for condition in leading_to(one, step.text))
    assert leading_to(one, step.text)


def test_one_amount_beside_its_other_limit(tmp_path: Path) -> None:
    """`Loans above …` after `loans with a value of up to …` speaks of that value."""
    text = "Loans of tools with a value of up to £20 are approved by the clerk."
    text += " Loans above £20 require the approval of the head."
    text += " The clerk delivers the tool."
    assert len(compiled(text, tmp_path).workflow.inputs) == 1


def test_what_is_not_demanded(tmp_path: Path) -> None:
    """`No loan requires …`."""
    one = compiled(
        "The clerk files the form. No loan requires the approval of the board. The clerk signs it.", tmp_path
    )
    assert all(step.kind != "approval" for step in one.procedure.steps)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The deposit amounts to 5% of the value, but not less than £250.", "The deposit"),
        ("A late fee of £3 is charged.", "late fee"),
        ("Keys are subject to review.", "Keys"),
        ("# 押金\n\n第一条 承租人缴纳押金。押金为保险金额的百分之五。管理员登记。主管审核。", "百分之五"),
        ("It is the agency's responsibility to look after the keys.", "It is the"),
        ("# 分摊\n\n第一条 承租人缴纳押金。具体分摊方式在一个年度内不能变更。管理员登记。主管审核。", "具体分摊"),
    ],
)  # fmt: skip
def test_an_amount_or_a_duty_told_otherwise_is_never_set_aside(text: str, words: str, tmp_path: Path) -> None:
    """What states an amount, whose responsibility something is, or what cannot be done is carried, asked or listed."""
    if "。" not in text:
        text = f"# Fees\n\nThe clerk files it. {text} The clerk signs it. The clerk sends it. The head reads it."
    assert fate_of(compiled(text, tmp_path), words) not in ("other", "purpose", "heading")
