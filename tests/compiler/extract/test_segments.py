"""Several procedures in one document are told from the phases of one."""

import pytest

from compiler.extract.rules.document_reader import DocumentReader
from compiler.extract.rules.segments import Segment, segments
from compiler.parsers import parse

HANDBOOK = """# Staff handbook

This handbook applies to all staff.

## Annual leave

Staff submit a leave request to the line manager. The line manager approves or declines the request within three days.
If the request is declined, the line manager informs the employee.

## Dress

Staff wear a badge.

## Expenses

Staff submit the receipts to Finance. Finance checks the receipts. If the receipts are in order, Finance pays the claim.
"""

PHASES = """# Outage response

## Detection

1. The operator checks the alarm.
2. The operator informs the shift lead.
3. The shift lead records the time.

## Containment

1. The shift lead isolates the unit.
2. The operator closes the valve.
3. The operator reports to the shift lead.

## Recovery

1. The shift lead restarts the unit.
2. The operator checks the readings.
3. The shift lead closes the incident.
"""

COMMANDS = """# Investigation guide

## Collect evidence

1. Copy the disk.
2. Label the copy.
3. Store the copy.

## Interview witnesses

1. Invite the witness.
2. Record the interview.
3. File the record.
"""

PLAYBOOKS = """# Response plan

## Assess

1. Review the alert.
2. Assign a severity.
3. Notify the commander.

## Playbooks

### Playbook: phishing

1. Collect the message.
2. Block the sender.
3. Notify the recipients.

### Playbook: lost laptop

1. Lock the account.
2. Wipe the device.
3. Inform the owner.
"""

REGULATIONS = """# 公司制度

## 用车管理

第一条 员工应当向综合部提交用车申请。

第二条 综合部应当在一日内审核用车申请。

第三条 综合部应当派车。

## 用印管理

第一条 经办人应当填写用印申请单。

第二条 部门负责人应当审批用印申请单。

第三条 印章管理员应当登记用印记录。
"""

CHAPTERS = """# 许可办法

## 第一章 申请与受理

第一条 申请人应当提交申请书。

第二条 窗口应当在五日内审核申请书。

第三条 窗口应当出具受理通知书。

## 第二章 审查与决定

第四条 审查人员应当核查材料。

第五条 局长应当作出决定。

第六条 窗口应当送达决定书。
"""


CARDS = """# Workshop cards

## Belt change

1. The fitter removes the belt.
2. The fitter installs the spare belt.
3. The fitter records the date.

## Tank inspection

1. The inspector opens the hatch.
2. The inspector examines the lining.
3. The inspector closes the hatch.
"""

MANUAL = """# Bank manual

## Sales

### Loans

1. The adviser checks the application.
2. The adviser sends the offer.
3. The adviser files the contract.

## Oversight

### Complaints

1. The clerk registers the complaint.
2. The clerk examines the complaint.
3. The clerk answers the customer.

### Board meetings

The secretary prepares the agenda. The chairman opens the session. The secretary writes the minutes.
"""

SHORT = """# Staff rules handbook

## Leave procedure

1. The employee submits the form.
2. The manager approves the form.

## Parcels

1. The courier delivers the parcel.
2. The porter signs the slip.
"""


def cut(text: str) -> list[Segment]:
    """The parts of a Markdown document that tell of acts."""
    document = parse(text.encode(), "document.md").document
    assert document is not None
    told = DocumentReader(document).read()
    found = segments(document, told)
    assert [each for part in found for each in part.told] == sorted(told, key=lambda each: each.provision.index)
    return [part for part in found if part.steps]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HANDBOOK, [("Annual leave", 3), ("Dress", 1), ("Expenses", 3)]),
        (PHASES, [("Outage response", 9)]),
        (COMMANDS, [("Investigation guide", 6)]),
        (PLAYBOOKS, [("Response plan", 3), ("Playbook: phishing", 3), ("Playbook: lost laptop", 3)]),
        (REGULATIONS, [("用车管理", 3), ("用印管理", 3)]),
        (CHAPTERS, [("许可办法", 6)]),
        (CARDS, [("Belt change", 3), ("Tank inspection", 3)]),
        (MANUAL, [("Loans", 3), ("Complaints", 3), ("Board meetings", 3)]),
        (SHORT, [("Leave procedure", 2), ("Parcels", 2)]),
    ],
    ids=[
        "handbook",
        "phases",
        "commands",
        "playbooks",
        "articles begin anew",
        "chapters that are phases",
        "other people and things",
        "two in a chapter",
        "two steps each",
    ],
)
def test_parts(text: str, expected: list[tuple[str, int]]) -> None:
    """Matters of their own are cut apart, phases are not, and every provision is in one part."""
    assert [(part.title, part.steps) for part in cut(text)] == expected


def test_the_only_procedure_of_a_chapter_bears_its_own_name() -> None:
    """A chapter of remarks with one procedure in it; not where the heading says no more than that it is one."""
    chapters = [("People", "Hiring Staff", "Culture"), ("Money", "Expense Claims", "Our Banks")]
    text = "# Staff Handbook\n"
    for number, (chapter, procedure, remark) in enumerate(chapters, 1):
        text += f"\n## {number}. {chapter}\n\n### {remark}\n\nOur offices are in Graz.\n\n### {procedure}\n\n"
        text += (
            "1. The applicant shall send the form.\n2. The manager shall check the form.\n3. Payroll shall file it.\n"
        )
    assert [part.title for part in cut(text)] == ["Hiring Staff", "Expense Claims"]
    other = text.replace("Hiring Staff", "Procedure")
    assert [part.title for part in cut(other)] == ["People", "Expense Claims"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "From: Ana <ana@lab.example>\n\nTo: all staff\n\nSubject: Badge returns\n\n"
            "1. The porter takes the badge.\n\n2. The porter records the date.\n\n3. The porter informs the manager.\n",
            "Badge returns",
        ),
        (
            "发件人：周宁\n\n主题：门禁卡退还办理\n\n1. 保安收回门禁卡。\n\n2. 保安登记日期。\n\n3. 保安通知主管。\n",
            "门禁卡退还办理",
        ),
    ],
)
def test_a_message_is_called_by_its_subject(text: str, title: str) -> None:
    """Not by the line that says from whom it is."""
    document = parse(text.encode(), "message.txt").document
    assert document is not None
    found = segments(document, DocumentReader(document).read())
    assert [part.title for part in found if part.steps] == [title]
