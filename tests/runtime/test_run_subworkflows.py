"""Calls of other workflows: a run of its own, whose end is the outcome of the node that calls (S11)."""

from pathlib import Path
from typing import Any

import pytest
from calling import called, caller, gone_on
from plant import Recorded, host_in, now_of, open_tasks, published, until, user

import runtime.advance
from registry.versions import deprecate
from runtime.advance import advance
from runtime.commands import answer, begin, steer
from runtime.executions import active, executions, untaken
from runtime.executors.contract import ExecutorFault
from runtime.host import Host
from runtime.subworkflows import child_id
from runtime.telling import replay
from runtime.worker import Worker
from store import audit


def gives(within: bool) -> dict[str, Any]:
    """What checking an amount gives."""
    evidence = {"source_type": "policy_doc", "doc_id": "limits"}
    return {"within_limit": within, "excess": 0, "reason_code": "CHECKED", "evidence": evidence}


def plant(folder: Path, within: Any = True, person: bool = False) -> Host:
    """A workspace with both workflows published."""
    host = host_in(folder, Recorded({"check": within if isinstance(within, ExecutorFault) else gives(within)}))
    published(host, called(person=person))
    published(host, caller())
    return host


def begun(host: Host, workflow: str = "order") -> str:
    """A run of the caller."""
    return begin(host, user(host, "li"), workflow, 1, {"amount": 70}).id


def told(host: Host, execution: str, kind: str) -> list[dict[str, Any]]:
    """The bodies of a run's events of a kind."""
    with host.workspace.transaction() as connection:
        return [one.body for one in audit.events(connection, execution) if one.kind == kind]


def test_s11_a_run_that_completes_gives_its_outputs(tmp_path: Path) -> None:
    """The called run has an id and an audit of its own, each names the other; the record replays alone."""
    host = plant(tmp_path)
    execution = begun(host)
    assert gone_on(host, execution).status == "completed"
    child = child_id(execution, "step")
    assert told(host, execution, "run-called") == [{"node": "step", "execution": child, "workflow": "limit-check@v1"}]
    (began,) = told(host, child, "began")
    assert (began["parent"], began["inputs"]) == ({"execution": execution, "node": "step"}, {"amount": 70})
    (succeeded,) = told(host, execution, "node-succeeded")
    assert (succeeded["node"], succeeded["output"]) == ("step", {"within": True})
    assert now_of(host, child).principal == "li"
    for one in (execution, child):
        assert replay(host, one).differences == ()


@pytest.mark.parametrize(
    ("within", "code"),
    [(False, "OVER_LIMIT"), (ExecutorFault("HTTP_404", "not there"), "HTTP_404")],
)
def test_s11_any_other_end_fails_the_node(tmp_path: Path, within: Any, code: str) -> None:
    """With the reason of the called run, else with how it ended; edges for errors are taken."""
    host = plant(tmp_path, within)
    execution = begun(host)
    found = gone_on(host, execution)
    assert (found.status, told(host, execution, "ended")[0]["reason_code"]) == ("completed", "GIVEN_BACK")
    assert told(host, execution, "node-failed")[0]["error"] == code
    assert replay(host, execution).differences == ()


def test_s11_a_caller_waits_as_rows(tmp_path: Path) -> None:
    """While a person is asked in the called run, nothing of the caller is to be done; the answer brings both on."""
    host = plant(tmp_path, person=True)
    execution = begun(host)
    assert gone_on(host, execution).status == "running"
    child = child_id(execution, "step")
    assert now_of(host, child).status == "waiting_human"
    with host.workspace.transaction() as connection:
        assert (untaken(connection), active(connection)) == ([], [])
    (task,) = open_tasks(host, child)
    answer(host, user(host, "zhao"), task.id, {"approved": True}, task.digest)
    assert gone_on(host, execution).status == "completed"


def test_s11_inputs_that_do_not_fit_begin_nothing(tmp_path: Path) -> None:
    """The node fails, and there is one run."""
    host = host_in(tmp_path, Recorded({}))
    published(host, called(inputs={"amount": {"type": "number", "maximum": 50}}))
    published(host, caller())
    execution = begun(host)
    gone_on(host, execution)
    assert told(host, execution, "node-failed")[0]["error"] == "BAD_INPUT"
    with host.workspace.transaction() as connection:
        assert [one.id for one in executions(connection)] == [execution]


def test_s11_what_is_deprecated_is_not_called(tmp_path: Path) -> None:
    """A version of which no run may begin any more fails the node that calls it."""
    host = plant(tmp_path)
    deprecate(host.workspace, user(host, "zhao"), "limit-check", 1, "a new law")
    execution = begun(host)
    gone_on(host, execution)
    assert told(host, execution, "node-failed")[0]["error"] == "NOT_PUBLISHED"


def test_s11_a_cancellation_reaches_what_is_called(tmp_path: Path) -> None:
    """Two calls deep; tasks are closed, and what comes of the called runs leads nowhere."""
    host = plant(tmp_path, person=True)
    published(host, caller("batch-order", "order"))
    execution = begun(host, "batch-order")
    gone_on(host, execution)
    middle = child_id(execution, "step")
    inner = child_id(middle, "step")
    assert len(open_tasks(host, inner)) == 1
    steer(host, user(host, "li"), execution, "cancel", "no longer wanted")
    assert gone_on(host, execution).status == "cancelled"
    assert [now_of(host, one).status for one in (middle, inner)] == ["cancelled", "cancelled"]
    assert open_tasks(host, inner) == []
    for one in (execution, middle, inner):
        assert replay(host, one).differences == ()


def test_s11_a_called_run_that_is_cancelled_fails_its_node(tmp_path: Path) -> None:
    """Somebody ended it; the caller takes its edge for errors."""
    host = plant(tmp_path, person=True)
    execution = begun(host)
    gone_on(host, execution)
    steer(host, user(host, "li"), child_id(execution, "step"), "cancel")
    assert gone_on(host, execution).status == "completed"
    assert told(host, execution, "node-failed")[0]["error"] == "CALL_CANCELLED"


def test_s11_a_pause_reaches_what_is_called(tmp_path: Path) -> None:
    """A paused caller begins no call; its called run is paused and resumed with it."""
    host = plant(tmp_path, person=True)
    execution, later = begun(host), begun(host)
    steer(host, user(host, "li"), later, "pause")
    gone_on(host, execution)
    child = child_id(execution, "step")
    assert told(host, later, "run-called") == []
    for what, paused in (("pause", True), ("resume", False)):
        steer(host, user(host, "li"), execution, what)
        gone_on(host, execution)
        assert [now_of(host, one).paused for one in (execution, child)] == [paused, paused]
    steer(host, user(host, "li"), later, "resume")
    gone_on(host, later)
    assert len(told(host, later, "run-called")) == 1


def test_s11_a_caller_that_fails_ends_what_it_called(tmp_path: Path) -> None:
    """Beside the call a node fails without an edge: the called run is cancelled, since nobody waits for it."""
    host = host_in(tmp_path, Recorded({"check": gives(True), "beside": {"$error": "DOWN"}}))
    published(host, called(person=True))
    other = {"type": "decision.check_threshold", "inputs": {"value": 1, "limit": 2}}
    raw = caller().to_json()
    assert isinstance(raw, dict)
    nodes: Any = raw["nodes"]
    edges: Any = raw["edges"]
    both = caller(nodes={**nodes, "beside": other}, edges=[*edges, {"from": "beside", "to": "done"}])
    published(host, both)
    execution = begun(host)
    assert gone_on(host, execution).status == "failed"
    assert now_of(host, child_id(execution, "step")).status == "cancelled"


def test_s11_the_end_of_a_called_run_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where writing it fails, neither the end nor the row is there; the next try writes both."""
    host = plant(tmp_path, person=True)
    execution = begun(host)
    gone_on(host, execution)
    child = child_id(execution, "step")
    (task,) = open_tasks(host, child)
    answer(host, user(host, "zhao"), task.id, {"approved": True}, task.digest)

    def broken(*_: Any, **__: Any) -> None:
        raise OSError("the process ends here")

    with monkeypatch.context() as patch:
        patch.setattr(runtime.advance, "save", broken)
        with pytest.raises(OSError, match="ends here"):
            advance(host, child)
    with host.workspace.transaction() as connection:
        assert untaken(connection) == [child]
    assert gone_on(host, execution).status == "completed"
    assert len(told(host, execution, "called-run-ended")) == 1


def test_s11_a_worker_brings_both_on(tmp_path: Path) -> None:
    """Waiting for a run to be quiet waits for what it called, and for what called it."""
    host = plant(tmp_path, person=True)
    with Worker(host) as worker:
        execution = begun(host)
        worker.until_quiet(execution)
        child = child_id(execution, "step")
        until(lambda: len(open_tasks(host, child)) == 1)
        (task,) = open_tasks(host, child)
        answer(host, user(host, "zhao"), task.id, {"approved": True}, task.digest)
        worker.until_quiet(child)
        assert now_of(host, execution).status == "completed"
