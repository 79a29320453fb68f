"""`flowc worker` that is asked to end: calls that are under way end first, none begins, and nothing is done twice."""

import signal
import time
from pathlib import Path

import pytest
from ledger import ended, ledger, plant, worker
from plant import now_of, open_tasks, until, user

from runtime.advance import advance
from runtime.commands import answer, begin
from runtime.executions import untaken
from store import audit
from store.tables import EXECUTIONS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_call_that_is_under_way_ends_first(tmp_path: Path, number: signal.Signals) -> None:
    """What it came to is written, the next call is left to the next worker, which goes on; each is made once."""
    with ledger() as system:
        host = plant(tmp_path, system.server_address[1])
        system.seconds["look"] = 3.0
        execution = begin(host, user(host, "li"), "line", 1, {"amount": 5}).id
        with worker(tmp_path) as first:
            until(lambda: system.nodes == ["look"])
            lines = ended(first, number)
        assert [(line["event"], line.get("under_way", line.get("cut_off"))) for line in lines] == [
            ("stopping", 1), ("stopped", 0)
        ]  # fmt: skip
        assert system.nodes == ["look"] and now_of(host, execution).status == "running"
        with host.workspace.transaction() as connection:
            kinds = [one.kind for one in audit.events(connection, execution)]
        assert kinds.count("call-intended") == kinds.count("call-answered") == 1
        with worker(tmp_path) as second:
            until(lambda: now_of(host, execution).status == "completed")
            ended(second, number)
    assert system.nodes == ["look", "book", "more"]


def test_a_call_that_takes_too_long_is_cut_off(tmp_path: Path) -> None:
    """Once the grace is over; the next worker does not make it again, but asks what became of it."""
    with ledger() as system:
        host = plant(tmp_path, system.server_address[1])
        system.seconds["book"] = 25.0
        execution = begin(host, user(host, "li"), "line", 1, {"amount": 5}).id
        with worker(tmp_path, "--grace", "1") as first:
            until(lambda: system.nodes == ["look", "book"])
            began = time.monotonic()
            lines = ended(first, signal.SIGTERM)
            assert 1 <= time.monotonic() - began < 10
        assert (lines[-1]["event"], lines[-1]["cut_off"]) == ("stopped", 1)
        system.seconds.clear()
        with worker(tmp_path) as second:
            until(lambda: now_of(host, execution).status == "waiting_human")
            (task,) = open_tasks(host, execution)
            assert task.kind == "settle" and system.nodes == ["look", "book"]
            answer(host, user(host, "li"), task.id, {"what": "done", "outputs": {"number": 2}})
            until(lambda: now_of(host, execution).status == "completed")
            ended(second, signal.SIGTERM)
    assert system.nodes == ["look", "book", "more"]


def test_what_a_stop_leaves_goes_on(tmp_path: Path) -> None:
    """Calls that stand beside each other: one ends, the others are left, and are made by the next worker."""
    with ledger() as system:
        host = plant(tmp_path, system.server_address[1])
        execution = begin(host, user(host, "li"), "parallel", 1, {"amount": 5}).id
        system.seconds["book"] = 2.0
        with worker(tmp_path) as first:
            until(lambda: "one" in system.nodes)
            ended(first, signal.SIGTERM)
        assert "last" not in system.nodes and now_of(host, execution).status == "running"
        system.seconds.clear()
        with worker(tmp_path) as second:
            until(lambda: now_of(host, execution).status == "completed")
            ended(second, signal.SIGTERM)
    assert sorted(system.nodes) == ["last", "look", "one", "three", "two"]


def test_what_is_left_is_found_by_whoever_works_next(tmp_path: Path) -> None:
    """While it is stopping nothing is called, no intent written; the execution is due, whatever else it waits for."""
    with ledger() as system:
        host = plant(tmp_path, system.server_address[1])
        execution = begin(host, user(host, "li"), "line", 1, {"amount": 5}).id
        left = advance(host, execution, stopping=lambda: True)
        assert (left.status, system.asked) == ("running", [])
        with host.workspace.transaction() as connection:
            assert "call-intended" not in {one.kind for one in audit.events(connection, execution)}
            connection.execute(EXECUTIONS.update().values(status="waiting_human"))
            assert untaken(connection) == [execution]
        assert advance(host, execution).status == "completed"
    assert system.nodes == ["look", "book", "more"]
