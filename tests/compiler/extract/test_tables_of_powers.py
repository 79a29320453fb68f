"""A table of who approves: what leads to it, rows of two approvers, and what is done once it is granted."""

from pathlib import Path

import pytest
from drafts import compiled, flows

TABLE = """
| 金额 | 审批人 |
| --- | --- |
| 5000元及以下 | 部门经理 |
| 5000元以上，2万元及以下 | 财务经理和分管副总共同审批 |
| 2万元以上 | 总经理 |
"""
POWERS = "申请人应当提交采购申请。\n\n经办人核对后，按照金额分级审批：\n" + TABLE
ENGLISH = """The applicant must submit the request.

After the check, requests are approved as set out below:

| Amount | Approver |
| --- | --- |
| up to 500 EUR | team lead |
| more than 500 EUR | finance manager and director jointly |
"""


def approvers(text: str, folder: Path) -> list[str | None]:
    """Who approves in the procedure of a text."""
    return [step.actor for step in compiled(text, folder).procedure.steps if step.kind == "approval"]


def test_each_of_two_approvers_of_a_row_approves(tmp_path: Path) -> None:
    """What leads to the table is no approval of its own."""
    assert approvers(POWERS, tmp_path) == ["部门经理", "财务经理", "分管副总", "总经理"]


def test_each_of_two_approvers_of_an_english_row_approves(tmp_path: Path) -> None:
    """`jointly` is no part of a name."""
    assert approvers(ENGLISH, tmp_path) == ["team lead", "finance manager", "director"]


def test_an_approval_that_names_who_gives_it_stays_before_a_table(tmp_path: Path) -> None:
    """`由…审批，其权限如下：`."""
    text = POWERS.replace("按照金额分级审批：", "先由法务部审批，再按照金额报批：")
    assert approvers(text, tmp_path)[0] == "法务部"


def test_a_row_of_words_that_name_nobody_is_listed(tmp_path: Path) -> None:
    """It is not read as the approval of somebody."""
    one = compiled(POWERS.replace("财务经理和分管副总共同审批", "另行研究后酌定"), tmp_path)
    assert any("另行研究后酌定" in text.text for text in one.procedure.unplaced)


@pytest.mark.parametrize("who", ["审批人", "审批人员"])
def test_the_decision_of_the_approvers_is_no_further_approval(who: str, tmp_path: Path) -> None:
    """Whoever of them it is; running late is no refusal."""
    late = f"\n{who}应当在两日内作出批准或者不批准的决定。逾期未作出决定的，由上一级领导处理。\n"
    one = compiled(POWERS + late, tmp_path)
    assert [step.actor for step in one.procedure.steps if step.kind == "approval"][-1] == "总经理"
    assert not any("rejected" in on for (_, to), on in flows(one).items() if "上一级领导" in to)


def test_what_is_done_once_it_is_granted_follows_the_approvals(tmp_path: Path) -> None:
    """The words are asked about, as some need nobody's approval."""
    later = "\n因停电等原因延期的，经董事长批准后，可以延长。\n\n申请获得批准的，由采购员下单。\n"
    one = compiled(POWERS + later, tmp_path)
    assert any("下单" in to for (_, to) in flows(one))
    assert not any("下单" in text.text for text in one.procedure.unplaced)


def test_a_last_chapter_of_notices_is_read(tmp_path: Path) -> None:
    """`通知与附则` says what is done; `附则` does not."""
    text = "# 第一章 申请\n\n申请人应当提交申请。由馆长审批。\n\n# 第二章 {}\n\n办结后，管理员应当将结果通知申请人。\n"
    told = [
        any("通知申请人" in to for _, to in flows(compiled(text.format(t), tmp_path))) for t in ("通知与附则", "附则")
    ]
    assert told == [True, False]


def test_what_is_granted_is_granted_by_an_approval(tmp_path: Path) -> None:
    """`申请获得批准的` speaks of no check, though that one names the application too."""
    text = POWERS.replace("经办人核对后", "经办人应当核对申请材料，材料不完整的，退回申请人补正。\n\n核对后")
    one = compiled(text + "\n申请获得批准的，由采购员下单。\n", tmp_path)
    checks = {step.id for step in one.procedure.steps if step.kind == "check"}
    on = [tree for (_, to), tree in flows(one).items() if "下单" in to]
    assert on
    assert not any(f'{check}.outcome == "pass"' in tree for check in checks for tree in on)
