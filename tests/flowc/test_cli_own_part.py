"""By command line: who approves what they began, or approved before, is told so first and afterwards."""

from pathlib import Path

import pytest
from conftest import Flowc, said

pytestmark = pytest.mark.slow

FILE = Path(__file__).resolve().parents[1] / "runtime" / "two-approvals.workflow.json"


def test_one_person_for_all_is_told(flowc: Flowc) -> None:
    """By `task show`, by `task do` before it answers, and by `run explain`; another person is told nothing."""
    assert flowc("workspace", "init", ".", "--user", "wen").status == 0
    assert flowc("users", "add", "hu", "--role", "head", "--as", "wen").status == 0
    for words in (("submit", FILE), ("review", "purchase@v1"), ("publish", "purchase@v1", "--accept-open", "asked")):
        done = flowc("registry", *words, "--as", "wen")
        assert done.status == 0, done.err
    assert flowc("run", "start", "purchase", "--input", "amount=3", "--as", "wen").status == 0
    began, before = "wen also began this run", "wen also answered the approval “部门审批”"
    for told, others in (((began,), (before,)), ((began, before), ())):
        (task,) = said(flowc("task", "list", "--json"))
        shown = flowc("task", "show", task["id"], "--as", "wen").err
        assert all(one in shown for one in told) and not any(one in shown for one in others)
        assert "also" not in flowc("task", "show", task["id"], "--as", "hu").err
        answered = flowc("task", "do", task["id"], "--set", "approved=true", "--shown", task["digest"], "--as", "wen")
        assert answered.status == 0 and all(one in answered.err for one in told)
    lines = flowc("run", "explain", task["execution"]).out
    assert "部门审批, by wen — also began this run\n" in lines
    assert "经理审批, by wen — also began this run — also answered the approval “部门审批”" in lines
