"""What measures runs does what it says: all that it counts was really run by workers in processes of their own."""

from pathlib import Path

import pytest
from plant import Recorded, host_in, now_of, published

from evals.executions import dbos_alone
from evals.executions.shapes import NODES, one_task
from evals.executions.throughput import by_dbos, by_flowc
from evals.executions.waiting import parked, started
from runtime.executions import executions
from store.workspace import find_workspace

pytestmark = pytest.mark.slow


def test_one_of_those_that_wait_goes_on(tmp_path: Path) -> None:
    """A worker that is started among them does what is due, and ends the one that is answered; the others wait."""
    host = host_in(tmp_path, Recorded())
    version = published(host, one_task())
    waiting = [parked(host, version) for _ in range(3)]
    assert started(host, version, waiting[0]).memory > 1
    assert [now_of(host, one).status for one in waiting] == ["completed", "waiting_human", "waiting_human"]
    host.workspace.database.close()


def test_ten_nodes_are_run_and_counted(tmp_path: Path) -> None:
    """By flowc all ten of each run, by DBOS alone all ten steps."""
    by_flowc(tmp_path / "flowc", 6, 1, None)
    workspace = find_workspace(tmp_path / "flowc")
    with workspace.database.transaction() as connection:
        assert [len(one.progress.run.taken) for one in executions(connection, status="completed")] == [NODES] * 6
    workspace.database.close()
    by_dbos(tmp_path / "dbos", 6, 1, None)
    workspace = find_workspace(tmp_path / "dbos")
    assert dbos_alone.done(workspace) == NODES * 6
    workspace.database.close()
