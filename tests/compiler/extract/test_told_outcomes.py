"""Conditions after a judgement: how it came out where their words show it, else a fact that is asked about."""

from pathlib import Path

import pytest
from drafts import asked, compiled, leading_to


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("The luthier inspects the violin. If there is no new damage, the cashier refunds the deposit.", "refunds"),
        ("The engineer checks the lift. If no faults were noted, the porter reopens the lift.", "reopens"),
        ("The officer reviews the bid. If the bid is not rejected, the clerk prepares the contract.", "prepares"),
        ("质检员检查灯组。无损坏的，财务部退还押金。", "退还押金"),
        ("检验员检查设备，未发现异常的，由仓库管理员入库。", "入库"),
        ("审核员核对账目。没有发现差错的，会计签字。", "签字"),
    ],
)
def test_a_harm_that_is_denied_is_a_pass(text: str, act: str, tmp_path: Path) -> None:
    """`no damage`, `未发现异常`: what is done then is done because all is well."""
    (on,) = leading_to(compiled(text, tmp_path), act)
    assert on.endswith('.outcome == "pass"')


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        (
            "The nurse checks it. If it is damaged, the nurse labels it. If it is not damaged, the porter stores it.",
            "stores",
            "labels",
        ),
        ("质检员检查灯组。有损坏的，财务部扣除维修费用；无损坏的，财务部退还押金。", "退还", "扣除"),
        ("主管审核申请。没有通过的，由秘书通知申请人；通过的，报经理审批。", "经理", "秘书"),
    ],
)
def test_the_two_ends_of_a_judgement(text: str, good: str, bad: str, tmp_path: Path) -> None:
    """Whichever stands first."""
    one = compiled(text, tmp_path)
    assert [leading_to(one, act)[0].rpartition(" ")[2] for act in (good, bad)] == ['"pass"', '"fail"']


@pytest.mark.parametrize(
    ("text", "act"),
    [
        (
            "The officer screens the client against the sanctions list. If a match is found, the head closes it.",
            "closes",
        ),
        ("The clerk checks the list of excluded firms. If the firm appears on the list, the head warns it.", "warns"),
        ("窗口将申请人与失信名单进行比对。申请人列入名单的，由主任通知申请人。", "主任"),
    ],
)
def test_who_is_on_a_list_of_the_excluded_fails(text: str, act: str, tmp_path: Path) -> None:
    """A hit is no good news there."""
    (on,) = leading_to(compiled(text, tmp_path), act)
    assert on.endswith('.outcome == "fail"')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The auditor examines the file. If no match is found, the clerk opens the account.", "no match"),
        (
            "The nurse checks it. If it is damaged, the nurse bins it. If it is heavy, the porter carries it.",
            "it is heavy",
        ),
        ("验收员验收货物。数量短少的，由采购员通知供应商；包装破损的，由仓管员登记货物。", "数量短少"),
    ],
)
def test_what_does_not_show_it_is_asked(text: str, words: str, tmp_path: Path) -> None:
    """No outcome is guessed, and two harms are not one another's opposite."""
    one = compiled(text, tmp_path)
    assert words in asked(one)
    assert not any("outcome" in on for on in leading_to(one, ""))
