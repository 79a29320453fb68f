"""Conditions of the text that a model's reading leaves out."""

from itertools import pairwise
from pathlib import Path

import pytest

from compiler.build.builder import compile_documents
from compiler.fates.verdict import is_weighty
from ir.procedure import Flow
from ir.workflow import Gap, Workflow

TEXTS = {
    "en": ("The clerk enters the claim. If the claim exceeds 5,000 euros, the director approves it.", "5,000 euros"),
    "zh": ("经办人登记申请。金额超过5000元的，由总监审批。", "5000元"),
}


def drafted(folder: Path, language: str, *, told: bool) -> Workflow:
    """The draft of what a model read: all that the rules read, or the same steps one after the other."""
    file = folder / "policy.md"
    file.write_text("# " + {"en": "Claims", "zh": "报销办法"}[language] + "\n\n" + TEXTS[language][0] + "\n", "utf-8")
    (read,) = (one.procedure for one in compile_documents(file).procedures)
    if not told:
        ids = ["start", *(step.id for step in read.steps if step.kind != "end"), "end"]
        flows = tuple(Flow(source=a, target=b, ends="completed" if b == "end" else None)
                      for a, b in pairwise(ids))  # fmt: skip
        steps = tuple(step for step in read.steps if step.kind != "end")
        read = read.model_copy(update={"flows": flows, "conditions": (), "gaps": (), "steps": steps})
    mine = read.model_copy(update={"method": "some-model json_schema"})
    return compile_documents(file, procedures=[mine]).procedures[0].workflow


def left_out(workflow: Workflow) -> list[Gap]:
    """The questions about conditions that nothing of the draft rests on."""
    marks = ("makes no difference by it", "没有按它区分")
    return [gap for gap in workflow.gaps if any(mark in gap.question for mark in marks)]


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_a_condition_that_is_left_out_is_asked_about(tmp_path: Path, language: str) -> None:
    """With its words; the question is weighty, so that the draft does not start by itself."""
    workflow = drafted(tmp_path, language, told=False)
    (gap,) = left_out(workflow)
    assert TEXTS[language][1] in gap.question
    assert is_weighty(gap, workflow)
    assert not workflow.execution_policy.allow_auto


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_a_condition_that_is_told_is_not(tmp_path: Path, language: str) -> None:
    """An edge rests on its words."""
    assert left_out(drafted(tmp_path, language, told=True)) == []
