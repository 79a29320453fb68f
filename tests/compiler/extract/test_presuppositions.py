"""Acts that are not done in every run although no word opens a condition."""

from pathlib import Path

import pytest
from drafts import asked, compiled, flows, leading_to

AROUND = "The clerk files the form. {} The clerk must deliver the key."
AROUND_ZH = "承租人提交申请表。管理员审核申请表。{}管理员发放钥匙。"


def of(sentence: str, folder: Path) -> object:
    """The draft of a sentence between others."""
    return compiled((AROUND_ZH if "。" in sentence else AROUND).format(sentence), folder)


@pytest.mark.parametrize(
    ("sentence", "act", "case"),
    [
        ("The treasurer may waive the fee for charities.", "waive", "charities"),
        ("The head may waive the deposit for members of the club.", "waive", "members of the club"),
        ("The cashier may excuse the late fee.", "excuse", "excuse the late fee"),
        ("政府主办的灯会可以免缴押金，但须经财务总监批准。", "免缴", "政府主办的灯会"),
        ("经主任批准，残疾人可以减免租金。", "减免", "残疾人可以减免租金"),
        ("公益组织可以缓缴租金。", "缓缴", "公益组织"),
    ],
)
def test_an_exemption_is_in_its_case(sentence: str, act: str, case: str, tmp_path: Path) -> None:
    """Neither it nor the approval that it needs is on the way of every run."""
    one = of(sentence, tmp_path)
    assert case in asked(one)  # type: ignore[arg-type]
    assert ("审核" in str(flows(one))) == ("。" in sentence)  # type: ignore[arg-type]
    steps = [step.text for step in one.procedure.steps]  # type: ignore[attr-defined]
    last = next(text for text in steps if "deliver" in text or "发放" in text)
    assert "otherwise" in leading_to(one, last)  # type: ignore[arg-type]
    assert any(act in text for text in steps)


def test_an_exemption_comes_after_the_approval_that_it_needs(tmp_path: Path) -> None:
    """`可以免缴，但须经批准`: first the approval."""
    one = of("政府主办的灯会可以免缴押金，但须经财务总监批准。", tmp_path)
    assert any("批准" in source and "免缴" in target for source, target in flows(one))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sentence", "act"),
    [
        ("The tenant reports damage to the clerk within two days.", "reports"),
        ("Any theft must be reported to the police.", "theft"),
        ("The caretaker investigates the accident.", "investigates"),
        ("承租人应当在两日内报告损坏情况。", "报告"),
        ("管理员调查事故。", "调查"),
    ],
)
def test_an_act_upon_a_harm_is_done_where_there_is_one(sentence: str, act: str, tmp_path: Path) -> None:
    """And that it is there is asked."""
    one = of(sentence, tmp_path)
    assert all(on.endswith("== true") for on in leading_to(one, act))  # type: ignore[arg-type]
    assert leading_to(one, act)  # type: ignore[arg-type]


def test_what_the_document_is_about_is_no_case(tmp_path: Path) -> None:
    """A procedure for incidents begins with one."""
    text = "# Incident Reporting\n\nThe employee stops the machine. The employee reports the incident to the head."
    assert set(flows(compiled(text, tmp_path)).values()) == {""}


@pytest.mark.parametrize(
    "sentence",
    [
        "The tenant shall handle the key with reasonable care.",
        "Tenants must use the lockers at all times with due diligence.",
        "The tenant shall treat the locker with due care.",
        "承租人应当妥善保管钥匙，并视情况采取必要的防护措施。",
        "承租人应当爱护钥匙。",
    ],
)
def test_care_is_no_task(sentence: str, tmp_path: Path) -> None:
    """It holds all the time, and what sees to it is asked."""
    one = of(sentence, tmp_path)
    assert len(one.procedure.steps) == (3 if "。" in sentence else 2)  # type: ignore[attr-defined]
    assert sentence[:8] in asked(one)  # type: ignore[arg-type]


def test_a_time_of_its_own_is_of_its_own_act(tmp_path: Path) -> None:
    """`立即断电，并在两小时内通知`: two hours to tell, none to switch off."""
    one = of("遇有暴雨，承租人应当立即断电，并在两小时内通知安全工程师。", tmp_path)
    times = {step.text: step.deadline for step in one.procedure.steps}  # type: ignore[attr-defined]
    assert next(d for text, d in times.items() if "断电" in text) is None
    assert next(d for text, d in times.items() if "通知" in text).duration == "PT2H"


def test_what_a_time_begins_with(tmp_path: Path) -> None:
    """`在…之日起三个工作日内`, and `前十五个工作日` is no act."""
    text = "管理员应当在钥匙归还之日起三个工作日内完成检查。承租人应当在入住日前十五个工作日向管理处提交申请表。"
    one = of(text, tmp_path)
    steps = one.procedure.steps  # type: ignore[attr-defined]
    assert next(step.deadline.start for step in steps if step.deadline) == "钥匙归还"
    assert not any("工作日" in action.verb.quote for step in steps for action in step.actions)


@pytest.mark.parametrize(
    "line",
    [
        "Document no. HP-POL-014, version 3.2, effective 1 March", "Form no. F-12, rev. 3",
        "Version 3.2", "文件编号：HT-2024-01　版本：V3", "文件编号 HT-014", "版本号 V3.2",
    ],
)  # fmt: skip
def test_lines_of_a_title_block_are_no_steps(line: str, tmp_path: Path) -> None:
    """Nor statements that demand something."""
    body = AROUND_ZH.format("") if line[0] > "\u2e80" else AROUND.format("")
    one = compiled(f"# Lockers\n\n{line}\n\n{body}", tmp_path)
    assert len(one.procedure.steps) == (3 if line[0] > "\u2e80" else 2)
    assert all(each.fate == "heading" for each in one.statements if each.text in line)
