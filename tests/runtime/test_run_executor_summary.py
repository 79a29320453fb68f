"""Conclusions by rows: the first that holds, with facts and evidence; and the answer that is told of them."""

from pathlib import Path
from typing import Any

import pytest
from hazmat import NOT_FILED, gold, scenario
from plant import Recorded, host_in, open_tasks, played, published, user

from ir.errors import BadSetting
from ir.workflow import Workflow
from runtime.advance import advance
from runtime.commands import answer, begin
from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.registry import executors_from
from runtime.executors.summary import SummaryExecutor
from runtime.telling import explain

ROWS = [
    {"when": "filing.has_filing == false", "give": {"compliant": False}},
    {"when": 'mode in ["road", "rail"]', "give": {"compliant": True}},
]
FACTS = {"facts": {"number": "filing.number", "by_road": 'mode == "road"'}}
EVIDENCE = {"bundle": ["filing", "level"]}


def conclude(inputs: dict[str, Any], **settings: Any) -> dict[str, Any]:
    """What the executor gives of some inputs."""
    told = {"kind": "summary", "rows": ROWS, **settings}
    sources = {"filing": "$.outputs.check", "level": "$.outputs.look_up"}
    return dict(SummaryExecutor().carry_out(Call("e-1", "sum", "utility.sum", inputs, "k", 5.0, told, {}, {}, sources)))


def test_the_first_row_that_holds_is_given_with_facts_and_evidence() -> None:
    """A fact is an input, a part of one, or a condition; what a node did not give is told as skipped."""
    given = {"filing": {"has_filing": False, "number": "F-1"}, "mode": "road", "level": None}
    assert conclude(given, facts=FACTS, evidence=EVIDENCE) == {
        "compliant": False,
        "facts": {"number": "F-1", "by_road": True},
        "bundle": [{"ref": "$.outputs.check.evidence"}, {"ref": "$.outputs.look_up.evidence", "status": "skipped"}],
    }
    assert conclude({"filing": {"has_filing": True}, "mode": "rail"}) == {"compliant": True}


@pytest.mark.parametrize(
    ("given", "rows", "code"),
    [
        ({"filing": {"has_filing": None}, "mode": "road"}, ROWS, "RULES_UNDECIDED"),  # not known is not no
        ({"filing": {"has_filing": True}, "mode": "air"}, ROWS, "NO_RULE"),
        ({"filing": {}, "mode": "air"}, [{"when": "filing ==", "give": {}}], "BAD_CONDITION"),
        ({"mode": "air"}, [{"when": "fling.x == 1", "give": {}}], "BAD_CONDITION"),
    ],
)
def test_what_cannot_be_concluded_fails(given: dict[str, Any], rows: list[Any], code: str) -> None:
    """An unknown before a row that would hold, no row, a condition that is none or reads no input."""
    with pytest.raises(ExecutorFault) as caught:
        conclude(given, rows=rows)
    assert caught.value.code == code


@pytest.mark.parametrize("settings", [{"rows": []}, {"rows": [{"when": "x"}]}, {"rows": ROWS, "fact": {}}])
def test_settings_are_looked_at_when_they_are_read(settings: dict[str, Any]) -> None:
    """Rows are there, each gives something, and nothing is misspelt."""
    with pytest.raises(BadSetting, match=r"utility\.sum"):
        executors_from({"utility.sum": {"kind": "summary", **settings}})


@pytest.mark.parametrize(
    ("language", "verdict", "missing", "filed"),
    [
        ("zh", "：不合规。", "缺少：危险化学品公路运输备案缺失。建议", "：合规。"),
        ("en", ": not compliant. ", "Missing: 危险化学品公路运输备案缺失. Supply", ": compliant. "),
    ],
)
def test_the_answer_is_told_in_the_document_s_language(
    tmp_path: Path, language: Any, verdict: str, missing: str, filed: str
) -> None:
    """Verdict, facts, what is missing and what to do; nothing is missing where it complies."""
    workflow = gold()
    about = workflow.metadata.model_copy(update={"language": language})
    for number, (name, has) in enumerate(((NOT_FILED, False), ("class 2 by road, filed", True))):
        found = scenario(name)
        host = host_in(tmp_path / str(number), Recorded(dict(found.outputs)))
        version = published(host, workflow.model_copy(update={"metadata": about}))
        text = str(explain(host, played(host, version, found).id)["text"])
        assert (filed if has else verdict) in text and "hazard_level" in text
        assert (missing in text) is not has


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ({"type": "array", "description": "缺少的条件"}, True),
        ({"type": "array", "description": "conditions not met"}, True),
        ({"type": "string", "description": "缺少的条件"}, False),
        ({"type": "array", "description": "意见"}, False),
    ],
)
def test_what_a_person_says_is_missing_is_told(tmp_path: Path, field: dict[str, Any], told: bool) -> None:
    """Where the field says no concept but bears the very name of one of its type, as a document's own words may."""
    workflow = Workflow.model_validate({
        "workflow_id": "conclude", "version": "v1", "metadata": {"title": "判定", "language": "zh"},
        "triggers": [{"text": "t", "evidence": [{"doc_id": "d", "quote": "t"}]}],
        "nodes": {
            "ask": {"type": "human.input", "question": "判定结论",
                    "requested_fields": {"conclusion": {"type": "boolean", "concept": "compliance"}, "lacking": field}},
            "done": {"type": "control.end", "status": "completed"},
        },
        "edges": [{"from": "ask", "to": "done"}], "inputs": {},
        "outputs": {"conclusion": "$.outputs.ask.conclusion"},
        "execution_policy": {"risk_level": "low", "allow_auto": True, "require_approval": False},
    })  # fmt: skip
    host = host_in(tmp_path, Recorded({}))
    run = begin(host, user(host, "li"), "conclude", published(host, workflow).number, {})
    advance(host, run.id)
    (task,) = open_tasks(host, run.id)
    lacking = "备案缺失" if field["type"] == "string" else ["备案缺失"]
    answer(host, user(host, "li"), task.id, {"conclusion": False, "lacking": lacking}, task.digest)
    advance(host, run.id)
    assert ("缺少：备案缺失。建议" in explain(host, run.id)["text"]) is told
