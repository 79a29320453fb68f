"""A table of who approves: what leads to it, rows of two approvers, and what is done once it is granted."""

from pathlib import Path

import pytest
from drafts import asked, compiled, flows, leading_to

from compiler.fates.verdict import is_weighty

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


CLASSES = """作业单位应当提交申请表。

作业许可证按照下表{}审批：

| {} | 审核人 | 批准人 |
| --- | --- | --- |
| 三级 | 车间安全员 | 车间主任 |
| 二级 | 车间主任 | 安全部部长 |
| 一级 | 车间主任 | 副总经理 |

遇节假日的，应当报总经理批准。

监护人应当全程监护。
"""


def test_each_class_has_its_reviewer_then_its_approver(tmp_path: Path) -> None:
    """One class goes one way; that who reviews is the same for two classes mixes up neither."""
    one = compiled(CLASSES.format("逐级", "作业等级"), tmp_path)
    (fact,) = (fact for fact in one.procedure.facts if fact.name == "作业等级")
    assert fact.enum == ("三级", "二级", "一级")
    assert one.workflow.inputs[fact.id].enum == ("三级", "二级", "一级")
    ways = {edge: tree for edge, tree in flows(one).items() if edge[1].startswith(("审核人", "批准人"))}
    assert ways == {
        ("作业单位应当提交申请表", "审核人：车间安全员"): f'$.facts.{fact.id} == "三级"',
        ("审核人：车间安全员", "批准人：车间主任"): "",
        ("作业单位应当提交申请表", "审核人：车间主任"): f'$.facts.{fact.id} == "一级"',
        ("审核人：车间主任", "批准人：安全部部长"): "",
        ("审核人：车间主任", "批准人：副总经理"): "",
    }
    assert len(leading_to(one, "总经理批准")) == 3  # from the last approval of each class


@pytest.mark.parametrize(
    "table",
    [
        "| 批准人 | 审批时限 |\n| --- | --- |\n| 车间主任 | 2小时 |\n| 副总经理 | 8小时 |",
        "| 审批级别 | 批准人 |\n| --- | --- |\n| 一级 | 车间主任 |\n| 二级 | 副总经理 |",
        "| 采购类别 | 具体内容 | 审批人 |\n| --- | --- | --- |\n| 物资 | 设备 | 车间主任 |\n| 物资 | 耗材 | 副总经理 |"
        "\n| 服务 | 外包 | 总经理 |",
    ],
)
def test_a_table_of_approvers_that_says_neither_case_nor_order_is_asked_about(table: str, tmp_path: Path) -> None:
    """It is no chain of approvals: each of them might be for a case of its own."""
    one = compiled(f"作业单位应当提交申请表。\n\n作业许可证按照下表审批：\n\n{table}\n\n监护人应当全程监护。", tmp_path)
    assert not any(step.kind == "approval" and step.actor for step in one.procedure.steps)
    (gap,) = (gap for gap in one.workflow.gaps if "车间主任 " in gap.question or "车间主任;" in gap.question)
    assert "副总经理" in gap.question
    assert is_weighty(gap, one.workflow)


def test_levels_of_one_approver_each_may_be_a_chain(tmp_path: Path) -> None:
    """They are read as kinds of matters, and asked about; told to go level by level they are asked about alone."""
    before = "员工应当提交申请表。\n\n行政部应当核对申请表。\n\n行政部应当登记申请表。"
    table = "\n| 级别 | 批准人 |\n| --- | --- |\n| 一级 | 车间主任 |\n| 二级 | 副总经理 |\n"
    told = {way: compiled(f"{before}\n\n申请按照下表{way}审批：\n{table}", tmp_path) for way in ("", "逐级")}
    assert all("级别 | 批准人; 一级 | 车间主任" in asked(one) for one in told.values())
    named = {
        way: sum(s.kind == "approval" and s.actor is not None for s in o.procedure.steps) for way, o in told.items()
    }
    assert named == {"": 2, "逐级": 0}


def test_what_is_not_read_of_a_row_is_asked(tmp_path: Path) -> None:
    """People in a column of another head, a cell that names nobody, and a row without its class."""
    text = """由员工申请。

申请按照下表审批：

| 采购类别 | 验收员 | 审核人 | 批准人 |
| --- | --- | --- | --- |
| 物资 | 仓库保管员 | 视情况确定 | 采购部经理 |
| 服务 | 行政部主管 | 行政部经理 | 总经理 |
|  | 行政部主管 | 财务部经理 | 董事长 |
"""
    one = compiled(text, tmp_path)
    assert all(words in asked(one) for words in ("“验收员 | 仓库保管员", "“视情况确定”", "“财务部经理”"))
    assert [step.actor for step in one.procedure.steps if step.kind == "approval"] == [
        "采购部经理",
        "行政部经理",
        "总经理",
    ]


def test_an_approval_by_another_time_is_another(tmp_path: Path) -> None:
    """Each class keeps the time of its row."""
    table = "| 类别 | 审批人 | 时限 |\n|---|---|---|\n| 急件 | 经理 | 1小时 |\n| 平件 | 经理 | 8小时 |"
    text = f"由员工申请。\n\n申请按照下表审批：\n\n{table}"
    steps = [step for step in compiled(text, tmp_path).procedure.steps if step.kind == "approval"]
    assert [step.deadline.duration for step in steps if step.deadline is not None] == ["PT1H", "PT8H"]


def test_a_class_is_not_one_of_another_concept(tmp_path: Path) -> None:
    """`一级` under `作业等级` is no class of dangerous goods, and no yes or no of its own."""
    names = {fact.name for fact in compiled(CLASSES.format("", "作业等级"), tmp_path).procedure.facts}
    assert "危险等级" not in names


def test_a_table_for_every_class_comes_after_the_cases_before_it(tmp_path: Path) -> None:
    """What is done in a case of its own is done before anybody approves, not beside it."""
    cut = "\n\n带有搅拌器的，属地车间应当切断电源。\n\n作业许可证按照下表"
    one = compiled(CLASSES.format("", "作业等级").replace("\n\n作业许可证按照下表", cut), tmp_path)
    into = {source: tree for (source, target), tree in flows(one).items() if target == "审核人：车间安全员"}
    assert into == {
        "属地车间应当切断电源": '$.facts.fact_2 == "三级"',
        "作业单位应当提交申请表": '$.facts.fact_2 == "三级" and not ($.facts.case_1 == true)',
    }
