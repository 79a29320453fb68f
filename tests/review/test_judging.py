"""Kept cases are changed by one at a time, and whoever was shown another case is told so."""

import json
import threading
from pathlib import Path

import pytest

from ir.errors import BadInputFile
from ir.kept_case import KeptCase, KeptCases
from ir.scenario import ExpectedResult, Scenario
from ir.workflow import ExecutionPolicy, Node, Workflow
from review.cases.case_file import change_cases, read_cases
from review.cases.errors import JudgedMeanwhile
from review.cases.judging import Opinion, judged, stamp

FLOW = Workflow(
    workflow_id="w", version="v1", inputs={}, nodes={"end": Node(type="control.end", status="completed")}, edges=(),
    execution_policy=ExecutionPolicy(risk_level="low"),
)  # fmt: skip


def cases_of(count: int) -> KeptCases:
    """Cases that nobody judged."""
    ends = ExpectedResult(status="completed")
    every = (
        KeptCase(id=f"c{at}", told=str(at), point="", scenario=Scenario(name="", result=ends)) for at in range(count)
    )
    return KeptCases(workflow="w", nodes={}, cases=tuple(every))


def test_many_judge_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    """Twenty threads judge a case each; all twenty judgements stand in the file."""
    file = tmp_path / "tests" / "w.tests.json"
    change_cases(file, "w", lambda _: cases_of(20))

    def judge(at: int) -> None:
        def change(kept: KeptCases | None) -> KeptCases:
            assert kept is not None
            return judged(kept, FLOW, f"c{at}", Opinion("right", f"p{at}"))

        change_cases(file, "w", change)

    threads = [threading.Thread(target=judge, args=(at,)) for at in range(20)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    found = read_cases(file, "w")
    assert found is not None
    assert [one.judgement and one.judgement.author for one in found.cases] == [f"p{at}" for at in range(20)]


def test_who_was_shown_another_case_is_told(tmp_path: Path) -> None:
    """The second judge is told who judged; what the first said stands."""
    file = tmp_path / "w.tests.json"
    kept = change_cases(file, "w", lambda _: cases_of(1))
    seen = stamp(kept.cases[0])

    def by(author: str) -> KeptCases:
        def change(now: KeptCases | None) -> KeptCases:
            assert now is not None
            return judged(now, FLOW, "c0", Opinion("right", author), seen)

        return change_cases(file, "w", change)

    by("ann")
    with pytest.raises(JudgedMeanwhile, match="ann judged it right"):
        by("bob")
    found = read_cases(file, "w")
    assert found is not None and found.cases[0].judgement is not None and found.cases[0].judgement.author == "ann"


def test_a_file_of_another_workflow_stays(tmp_path: Path) -> None:
    """It is refused, and is as it was."""
    file = tmp_path / "w.tests.json"
    file.write_text(json.dumps(cases_of(1).to_json()), "utf-8")
    with pytest.raises(BadInputFile, match='holds cases of "w", not of "v"'):
        change_cases(file, "v", lambda _: cases_of(0))
    assert json.loads(file.read_text("utf-8"))["workflow"] == "w"
