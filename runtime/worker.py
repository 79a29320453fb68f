"""The worker: hands executions that have something to do to a durable queue, and lets one after the other go on.

DBOS keeps what was handed over: a worker that is killed finds it again when it is started. It never waits there for
people or moments: these are rows, which the sweeper looks for. Only one execution is worked on at a time by anybody,
whoever handed it over how often; what a call left behind is told by its intent (`docs/semantics.md`, S5). How the
queue has to be used so that nothing strands is from measurements of DBOS 3.4.
"""

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from runtime.advance import advance
from runtime.errors import WorkerRunning
from runtime.executions import active, untaken
from runtime.host import Host

SWEEP, AGAIN, QUEUE, NAME = 0.2, 30.0, "executions", "flowc"
"""Seconds between two looks for what is to be done, and before another try; names in the queue's database."""
LOG = logging.getLogger("flowc.worker")


class Worker:
    """Works on the executions of a workspace until it is closed.

    Args:
        host: where executions run.
        slot: a name that stays the same when this worker is started again, so that it finds what it left.
    """

    def __init__(self, host: Host, slot: str = "worker-1", *, threads: int = 4) -> None:
        self._host, self._slot, self._threads = host, slot, threads
        self._flying: set[str] = set()
        self._stumbled: dict[str, float] = {}
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._sweeper: threading.Thread | None = None
        self._enqueue: Callable[[str], None] = lambda execution: None

    def __enter__(self) -> "Worker":
        with self._host.workspace.database.transaction() as connection:
            begun = active(connection)
        self._enqueue = _launched(self._host, self._slot, self._threads, self._work)
        self._hand_over(begun)
        self._sweeper = threading.Thread(target=self._sweep, name="sweeper", daemon=True)
        self._sweeper.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Take nothing more; what is under way ends first."""
        from dbos import DBOS

        self._stop.set()
        if self._sweeper is not None:
            self._sweeper.join()
        DBOS.destroy(workflow_completion_timeout_sec=30)

    def until_quiet(self, execution: str, timeout: float = 60.0) -> None:
        """Wait until an execution has nothing to do, or for so many seconds."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            with self._host.workspace.database.transaction() as connection:
                busy = execution in untaken(connection) or execution in active(connection)
            with self._lock:
                if not busy and execution not in self._flying:
                    return
            time.sleep(0.02)

    def _sweep(self) -> None:
        while not self._stop.wait(SWEEP):
            with contextlib.suppress(Exception), self._host.workspace.database.transaction() as connection:
                self._hand_over(untaken(connection))

    def _hand_over(self, executions: list[str]) -> None:
        for execution in executions:
            with self._lock:
                if execution in self._flying or self._stumbled.get(execution, 0.0) > time.monotonic():
                    continue
                self._flying.add(execution)
            self._enqueue(execution)

    def _work(self, execution: str) -> None:
        try:
            advance(self._host, execution)
        except Exception:
            self._stumbled[execution] = time.monotonic() + AGAIN
            LOG.exception("%s: flowc stumbled; it is tried again in %g s", execution, AGAIN)
        finally:
            with self._lock:
                self._flying.discard(execution)


_handler: Callable[[str], None] | None = None


def _launched(host: Host, slot: str, threads: int, work: Callable[[str], None]) -> Callable[[str], None]:
    """DBOS, started; gives what hands an execution over."""
    global _handler
    from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetEnqueueOptions, SetWorkflowID

    _handler = work
    config: DBOSConfig = {
        "name": NAME, "system_database_url": host.workspace.engine_url, "executor_id": slot,
        "application_version": "1", "log_level": "ERROR", "serializer": DBOSPortableJSONSerializer(),
    }  # fmt: skip
    DBOS(config=config)
    queue_log = logging.getLogger("dbos")
    queue_log.handlers.clear()  # they write where this process wrote when the queue was first started
    queue_log.addHandler(logging.NullHandler())
    go_on = _registered()
    if host.workspace.database.is_sqlite:
        _write_ahead(host.workspace.engine_url)
    DBOS.launch()
    DBOS.register_queue(
        QUEUE,
        worker_concurrency=threads,
        partition_concurrency=1,
        polling_interval_sec=0.05,
        on_conflict="always_update",
    )

    def enqueue(execution: str) -> None:
        with SetWorkflowID(f"{execution}:{uuid4().hex}"), SetEnqueueOptions(queue_partition_key=execution):
            DBOS.enqueue_workflow(QUEUE, go_on, execution)

    return enqueue


def _registered() -> Any:
    from dbos import DBOS

    @DBOS.workflow(name="go_on")
    def go_on(execution: str) -> None:
        assert _handler is not None
        _handler(execution)

    return go_on


def _write_ahead(url: str) -> None:
    import sqlite3

    with contextlib.closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        connection.execute("PRAGMA journal_mode=WAL")


@contextmanager
def only_worker(folder: Path) -> Iterator[None]:
    """Hold the workspace's lock for workers on SQLite; it goes with the process, however that ends.

    Raises:
        WorkerRunning: another process holds it.
    """
    import fcntl

    with (folder / "worker.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            raise WorkerRunning(f"a worker runs already (process {file.read().strip() or 'unknown'})") from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
