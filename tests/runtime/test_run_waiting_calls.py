"""A caller that waits for a person of what it called says so: in what is told of it, on the command line, in tables."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from calling import called, caller, gone_on
from plant import Recorded, host_in, open_tasks, published, user

from flowc.commands.runs.run import _lines
from ir.workflow import Workflow
from runtime.batches.batch import counts, open_batch, run_batch
from runtime.batches.outcomes import stages
from runtime.batches.rows import read_rows
from runtime.claiming import claim
from runtime.commands import answer, begin
from runtime.executors.contract import ExecutorFault
from runtime.host import Host
from runtime.subworkflows import child_id, goes_on, waits_for_people
from runtime.telling import explain
from store.audit import Event

CLAUSE = "Amounts above the limit are refused."


def quoted(person: bool) -> Workflow:
    """What is called, with the clause that its refusal rests on."""
    raw: Any = called(person=person).to_json()
    raw["nodes"]["over"]["evidence"] = [{"doc_id": "limits", "quote": CLAUSE}]
    return Workflow.model_validate(raw)


def plant(folder: Path, recorded: Any, person: bool = True) -> Host:
    """Calls within calls: `batch-order` calls `order`, which calls `limit-check`, which asks a person."""
    host = host_in(folder, Recorded({"check": recorded}))
    for one in (quoted(person), caller(), caller("batch-order", "order")):
        published(host, one)
    return host


def gives(within: bool) -> dict[str, Any]:
    """What checking an amount gives."""
    evidence = {"source_type": "policy_doc", "doc_id": "limits"}
    return {"within_limit": within, "excess": 0, "reason_code": "CHECKED", "evidence": evidence}


def begun(host: Host) -> str:
    """A run of the outermost, brought as far as it goes."""
    execution = begin(host, user(host, "li"), "batch-order", 1, {"amount": 70}).id
    gone_on(host, execution)
    return execution


def test_a_caller_tells_whose_answer_it_waits_for(tmp_path: Path) -> None:
    """Which run, which task, who may do it, however deep; and who claimed it."""
    host = plant(tmp_path, gives(True))
    execution = begun(host)
    middle = child_id(execution, "step")
    inner = child_id(middle, "step")
    (task,) = open_tasks(host, inner)
    told = explain(host, execution)
    assert told["answer"] == "it waits for a run that it called" and told["waits"] == []
    (below,) = told["called"]
    assert (below["node"], below["execution"], below["called_by"]) == (
        "step", middle, {"execution": execution, "node": "step"},
    )  # fmt: skip
    (lowest,) = below["called"]
    waits = {"task": task.id, "for": ["approver"], "claimed_by": None, "title": "May it be so?"}
    assert (lowest["execution"], lowest["waits"]) == (inner, [waits])
    text = "\n".join(_lines(told))
    assert f"step called {middle}: running, order@v1" in text
    assert f"    waits for approver: May it be so?\n      flowc task show {task.id}" in text
    claim(host, user(host, "zhao"), task.id)
    assert "waits for zhao, who claimed it: May it be so?" in "\n".join(_lines(explain(host, execution)))


def test_the_reason_of_what_was_called_stands_below(tmp_path: Path) -> None:
    """With the clauses that it rests on, also once all has ended."""
    host = plant(tmp_path, gives(False), person=False)
    execution = begun(host)
    told = explain(host, execution)
    lowest = told["called"][0]["called"][0]
    assert (lowest["reason_code"], lowest["because"]) == ("OVER_LIMIT", [CLAUSE])
    lines = [*_lines(told)]
    assert f"      “{CLAUSE}”" in lines and lines.index(f"      “{CLAUSE}”") > lines.index(
        "it was given back (GIVEN_BACK)"
    )


def test_a_row_waits_for_the_person_of_what_its_run_called(tmp_path: Path) -> None:
    """And names the task and its run; it is not waited for as one that goes on by itself; then it passes."""
    host = plant(tmp_path, gives(True))
    (tmp_path / "rows.csv").write_text("id,amount\na,70\n", "utf-8")
    batch = open_batch(host, user(host, "li"), tmp_path / "out", "batch-order", None)
    rows = read_rows(tmp_path / "rows.csv", batch.version.definition)

    def go() -> Any:
        (row,) = run_batch(host, user(host, "li"), batch, rows, lambda one: gone_on(host, one), patience=60.0)
        return row

    began = datetime.now(UTC)
    row = go()
    assert datetime.now(UTC) - began < timedelta(seconds=30)
    inner = child_id(child_id(row.run, "step"), "step")
    (task,) = open_tasks(host, inner)
    assert (row.status, row.outcome, counts([row])["waiting"]) == ("waiting", "unsure", 1)
    assert row.asks == f"approver: May it be so? ({task.id} of {inner}, which it called)"
    answer(host, user(host, "zhao"), task.id, {"approved": True}, task.digest)
    gone_on(host, inner)
    row = go()
    assert (row.status, row.outcome, row.asks) == ("completed", "pass", "")
    assert row.seconds_people > 0


@pytest.mark.parametrize("recorded", [ExecutorFault("HTTP_503", "busy", passing=True)])
def test_a_caller_of_what_is_tried_again_does_not_wait_for_people(tmp_path: Path, recorded: Any) -> None:
    """It goes on by itself later."""
    host = host_in(tmp_path, Recorded({"check": recorded}))
    again = {"check": {"type": "decision.check_threshold", "inputs": {"value": "$.inputs.amount", "limit": 100},
                       "policy": {"max_attempts": 3, "backoff": "PT1H"}}}  # fmt: skip
    nodes: Any = called().to_json()
    published(host, called(nodes={**nodes["nodes"], **again}))
    published(host, caller())
    execution = begin(host, user(host, "li"), "order", 1, {"amount": 70})
    found = gone_on(host, execution.id)
    with host.workspace.database.transaction() as connection:
        assert (found.status, waits_for_people(connection, found)) == ("running", False)
        assert not goes_on(connection, found.id)


def test_seconds_are_counted_by_what_went_on_in_any_of_the_runs() -> None:
    """A task of a run that was called is a person's time until it is answered, or that run ends."""

    def event(at: int, kind: str, of: str, **body: Any) -> Event:
        return Event(at, f"2026-01-01T00:00:{at:02}.000000Z", kind, of, "flowc", body, "", "")

    told = [
        event(0, "began", "e-1"), event(1, "run-called", "e-1", node="n", execution="e-2"),
        event(40, "called-run-ended", "e-1", node="n"), event(50, "ended", "e-1"),
    ]  # fmt: skip
    below = [
        event(2, "began", "e-2"), event(3, "call-intended", "e-2", node="n"),
        event(13, "call-answered", "e-2", node="n"), event(14, "task-opened", "e-2", task="t"),
        event(39, "ended", "e-2"),
    ]  # fmt: skip
    assert stages([*told, *below]) == {"people": 25.0, "systems": 10.0, "pauses": 0.0, "flowc": 15.0}
