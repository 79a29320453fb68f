"""What an office is there for, what a meeting asks and what is done on principle are no course of steps."""

from pathlib import Path

import pytest
from drafts import asked, compiled

COURSE = "The clerk submits the invoice. The manager approves the invoice. The cashier pays the invoice."
COURSE_ZH = "经办人提交用印申请。主任审批用印申请。办公室登记。"


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("The audit office has the following tasks:\n\n- advise the board\n- train the staff\n\n" + COURSE, "advise"),
        ("The following duties lie with the dean:\n\n- check the books\n- visit the schools\n\n" + COURSE, "visit"),
        (
            "## Agenda\n\n- Continue: what should we keep doing?\n- Stop: what should we stop doing?\n\n" + COURSE,
            "Stop",
        ),
        ("The bank conducts cooperation on the basis of international treaties. " + COURSE, "cooperation"),
        ("办公室的主要职责：\n\n（一）起草文件；\n（二）管理印章。\n\n" + COURSE_ZH, "管理"),
        ("公司按照平等互惠原则，开展对外合作。\n\n" + COURSE_ZH, "合作"),
    ],
)
def test_no_step_is_made_of_it(text: str, gone: str, tmp_path: Path) -> None:
    """The course beside it stays as it is."""
    one = compiled(f"# Seals\n\n{text}", tmp_path)
    assert len(one.procedure.steps) == 3
    assert not any(gone in step.text for step in one.procedure.steps)


def test_a_command_before_a_question_stays(tmp_path: Path) -> None:
    """`Determine the need – does the rule apply?` tells what to do."""
    one = compiled(f"# Seals\n\nDetermine the need – does the rule apply? {COURSE}", tmp_path)
    assert len(one.procedure.steps) == 4


def test_the_last_of_several_duties(tmp_path: Path) -> None:
    """`及时受理投诉` is a duty and no time."""
    one = compiled(f"# 投诉\n\n公司应当建立投诉制度，公布投诉方式，及时受理投诉。{COURSE_ZH}", tmp_path)
    assert any("受理" in step.text for step in one.procedure.steps) or "受理" in asked(one)
