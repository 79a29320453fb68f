"""A worker: takes what is handed in, and finds again what it left when it was killed."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import CATALOG, Recorded, host_in, now_of, open_tasks, published, until, user

from runtime.commands import answer, begin
from runtime.errors import WorkerRunning
from runtime.executors.registry import Executors
from runtime.host import Host
from runtime.worker import ROOM, Worker, only_worker
from store.workspace import find_workspace

pytestmark = pytest.mark.slow

ID = "transport-compliance"
SCRIPT = """
import sys, time
sys.path.insert(0, {here!r})
from pathlib import Path
from hazmat import NOT_FILED, scenario
from plant import CATALOG, Recorded
from runtime.executors.registry import Executors
from runtime.host import Host
from runtime.worker import Worker
from store.workspace import find_workspace


class Slow(Recorded):
    def carry_out(self, call):
        with open({log!r}, "a") as log:
            log.write(call.key + "\\n")
        if call.node == "filing":
            time.sleep({pause})
        return super().carry_out(call)


bound = {{name: {{"kind": "recorded", "allow": ["*"]}} for name in CATALOG.node_types}}
executors = Executors(bound, {{"recorded": Slow(scenario(NOT_FILED).outputs)}})
with Worker(Host(find_workspace(Path({root!r})), CATALOG, executors)):
    print("begun", flush=True)
    time.sleep(60)
"""


def worker(root: Path, pause: float) -> subprocess.Popen[str]:
    """A worker in a process of its own, whose filing system takes so long."""
    here = str(Path(__file__).resolve().parent)
    script = SCRIPT.format(here=here, log=str(root / "calls.log"), pause=pause, root=str(root))
    found = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert found.stdout is not None
    with found.stdout as out:
        assert out.readline() == "begun\n"
    return found


def test_killed_while_it_calls_it_goes_on_when_it_is_started_again(tmp_path: Path) -> None:
    """With `kill -9`; the call that was cut off is made again under its key, all others once."""
    host = host_in(tmp_path, Recorded())
    published(host, gold())
    first = worker(tmp_path, 30)
    try:
        execution = begin(host, user(host, "li"), ID, 1, INPUTS).id
        log = tmp_path / "calls.log"
        until(lambda: log.is_file() and "filing" in log.read_text())
    finally:
        first.send_signal(signal.SIGKILL)
        first.wait()
    assert now_of(host, execution).status == "running"
    second = worker(tmp_path, 0)
    try:
        until(lambda: now_of(host, execution).status == "waiting_human")
        task = open_tasks(host, execution)[0]
        answer(host, user(host, "wen"), task.id, {"approved": True}, task.digest)
        until(lambda: now_of(host, execution).status == "completed")
    finally:
        second.terminate()
        second.wait()
    calls = log.read_text().split()
    assert {key: calls.count(key) for key in calls} == {
        f"{execution}:{node}:1": 2 if node == "filing" else 1 for node in dict.fromkeys(k.split(":")[1] for k in calls)
    }


def test_a_killed_worker_leaves_a_short_queue(tmp_path: Path) -> None:
    """However much there is to do: the next worker finds it in the executions, not in what the last one queued."""
    host = host_in(tmp_path, Recorded())
    published(host, gold())
    begun = [begin(host, user(host, "li"), ID, 1, INPUTS).id for _ in range(40)]
    log = tmp_path / "calls.log"
    for _ in range(2):
        killed = worker(tmp_path, 30)
        try:
            until(lambda: log.is_file() and log.read_text().count("filing") >= 4)
        finally:
            killed.send_signal(signal.SIGKILL)
            killed.wait()
        log.unlink()
    with contextlib.closing(sqlite3.connect(host.workspace.folder / "engine.db")) as connection:
        queued = connection.execute("SELECT count(*) FROM workflow_status").fetchone()[0]
    assert 8 <= queued <= 2 * (4 * ROOM + 4)
    last = worker(tmp_path, 0)
    try:
        until(lambda: all(now_of(host, one).status == "waiting_human" for one in begun))
    finally:
        last.terminate()
        last.wait()


def test_many_executions_go_side_by_side(tmp_path: Path) -> None:
    """In this process; each waits for its approval, and none is held."""
    recorded = Recorded(scenario(NOT_FILED).outputs)
    host = host_in(tmp_path, recorded)
    published(host, gold())
    begun = [begin(host, user(host, "li"), ID, 1, INPUTS).id for _ in range(12)]
    with Worker(host):
        until(lambda: all(now_of(host, one).status == "waiting_human" for one in begun))
        for one in begun:
            task = open_tasks(host, one)[0]
            answer(host, user(host, "wen"), task.id, {"approved": True}, task.digest)
        until(lambda: all(now_of(host, one).status == "completed" for one in begun))
    assert sum(call.node == "filing" for call in recorded.calls) == 12


def test_one_worker_on_a_file(tmp_path: Path) -> None:
    """A second process is told which one works; the lock goes with its holder."""
    with only_worker(tmp_path), pytest.raises(WorkerRunning, match=str(os.getpid())), only_worker(tmp_path):
        pass
    with only_worker(tmp_path):
        pass


def test_another_host_reads_the_same(tmp_path: Path) -> None:
    """What one process wrote, another finds."""
    host = host_in(tmp_path, Recorded(scenario(NOT_FILED).outputs))
    published(host, gold())
    execution = begin(host, user(host, "li"), ID, 1, INPUTS).id
    other = Host(find_workspace(tmp_path), CATALOG, Executors(host.executors.bound, host.executors.kinds))
    with Worker(other) as found:
        found.until_quiet(execution)
    assert now_of(host, execution).status == "waiting_human"
