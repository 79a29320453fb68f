"""The worker: hands executions that have something to do to a queue (DBOS), and lets one after the other go on.

It never waits there for people or moments: these are rows, which the sweeper looks for. What a process that was killed
left is found by the same look: an execution that is under way and that nobody holds. Only one thread of all processes
works on an execution at a time (`store.alone`), so that a call without an outcome is one that was cut off, never one
that is being made. What a queue needs so that nothing strands is from measurements of DBOS 3.4.
"""

import contextlib
import logging
import os
import random
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
from runtime.forget import retain
from runtime.host import Host
from runtime.overdue import hand_in_overdue
from runtime.subworkflows import goes_on
from runtime.webhooks.sending import Sending
from store.alone import alone, worked_on

SWEEP, ALL, AGAIN, RETAIN, ROOM, QUEUE, NAME = 0.2, 2.0, 30.0, 3600.0, 4, "executions", "flowc"
"""Seconds between two looks for what is to be done, between two for what nobody works on, before another try, and
between two for personal values that were kept long enough;
executions in the queue for each thread; names in the queue's database."""
LOG = logging.getLogger("flowc.worker")


class Worker:
    """Works on the executions of a workspace until it is closed.

    Args:
        host: where executions run.
        grace: seconds for which calls that are under way are waited for at the end; None for as long as they take.
            Where some are not over by then (`cut_off`) the process has to end at once, as if it were killed.

    Attributes:
        cut_off: executions that were in a call when the grace was over.
    """

    def __init__(self, host: Host, *, threads: int = 4, grace: float | None = None) -> None:
        self._host, self._threads, self._grace = host, threads, grace
        self._flying: dict[str, float] = {}
        self._busy = self.cut_off = 0
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._sweeper: threading.Thread | None = None
        self._sending = Sending(host.workspace, host.webhooks, host.agency.address)
        self._enqueue: Callable[[str], None] = lambda execution: None

    def __enter__(self) -> "Worker":
        hand_in_overdue(self._host.workspace)  # what came while nobody worked
        self._enqueue = _launched(self._host, self._threads, self._work)
        self._sweeper = threading.Thread(target=self._sweep, name="sweeper", daemon=True)
        self._sweeper.start()
        self._sending.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        """Take nothing more; what is under way ends first, so that nobody else begins it.

        With a grace no call is begun any more either: an execution ends with the call that it is in.
        """
        from dbos import DBOS

        self._stop.set()
        end = float("inf") if self._grace is None else time.monotonic() + self._grace
        self._sending.__exit__(*error)
        if self._sweeper is not None:
            self._sweeper.join(None if self._grace is None else self._grace)
        while self._busy and time.monotonic() < end:
            time.sleep(0.02)
        self.cut_off = self._busy
        if self.cut_off:
            return
        self._host.workspace.seal()
        DBOS.destroy(workflow_completion_timeout_sec=5)

    @property
    def under_way(self) -> int:
        """How many executions are being worked on at this moment."""
        return self._busy

    @property
    def alive(self) -> bool:
        """Whether it looks for what is to be done."""
        return self._sweeper is not None and self._sweeper.is_alive() and not self._stop.is_set()

    def until_quiet(self, execution: str, timeout: float = 60.0) -> None:
        """Wait until an execution, what called it and what these called have nothing to do, or for so many seconds."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            with self._host.workspace.database.transaction() as connection:
                busy = goes_on(connection, execution)
            if not busy:
                return
            time.sleep(0.02)

    def _sweep(self) -> None:
        """Hand over what has something to do; now and then also what nobody seems to work on."""
        looked, kept = 0.0, float("-inf")
        while True:
            try:
                if time.monotonic() - looked > ALL:
                    hand_in_overdue(self._host.workspace)
                if time.monotonic() - kept > RETAIN:
                    kept = time.monotonic()
                    retain(self._host)
                with self._host.workspace.database.transaction() as connection:
                    found = untaken(connection)
                    if time.monotonic() - looked > ALL:
                        found, looked = [*dict.fromkeys([*found, *active(connection)])], time.monotonic()
                self._hand_over(found)
                self._host.workspace.seal()
            except Exception:
                LOG.exception("the workspace cannot be looked through; it is tried again")
            if self._stop.wait(SWEEP):
                return

    def _hand_over(self, executions: list[str]) -> None:
        """Hand over what is not yet, by whichever worker, as far as there is room.

        Which ones is drawn, so that workers that look at the same moment hand over others. A queue that held all there
        is to do would keep what was called off, and what another worker could be given sooner.
        """
        with self._lock:
            free = [one for one in executions if self._flying.get(one, 0.0) <= time.monotonic()]
        if not free:
            return
        queued = _queued()
        with self._host.workspace.database.transaction() as connection:
            taken = worked_on(connection, free)
        free = [one for one in free if one not in queued and one not in taken]
        room = max(0, ROOM * self._threads - len(queued))
        for execution in random.sample(free, min(room, len(free))):
            with self._lock:
                self._flying[execution] = time.monotonic() + AGAIN
            try:
                self._enqueue(execution)
            except Exception:
                self._landed(execution)
                raise

    def _landed(self, execution: str) -> None:
        with self._lock:
            self._flying.pop(execution, None)

    def _work(self, execution: str) -> None:
        with self._lock:
            self._busy += 1
        try:
            with alone(self._host.workspace, execution) as mine:
                if mine is not None:
                    advance(self._host, execution, mine, bool if self._grace is None else self._stop.is_set)
            self._landed(execution)
        except Exception:
            LOG.exception("%s: flowc stumbled; it is tried again in %g s", execution, AGAIN)
        finally:
            with self._lock:
                self._busy -= 1


_handler: Callable[[str], None] | None = None


def _launched(host: Host, threads: int, work: Callable[[str], None]) -> Callable[[str], None]:
    """DBOS, started; gives what hands an execution over."""
    global _handler
    from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetWorkflowID

    _handler = work
    config: DBOSConfig = {
        "name": NAME,
        "system_database_url": host.workspace.engine_url,
        "executor_id": f"{os.getpid()}-{uuid4().hex[:8]}",
        "application_version": "1",
        "log_level": "ERROR",
        "serializer": DBOSPortableJSONSerializer(),
    }
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
        polling_interval_sec=0.05,
        on_conflict="always_update",
    )

    def enqueue(execution: str) -> None:
        with SetWorkflowID(f"{execution}:{uuid4().hex}"):
            DBOS.enqueue_workflow(QUEUE, go_on, execution)

    return enqueue


def _queued() -> set[str]:
    """The executions that stand in the queue and that no worker has taken out."""
    from dbos import DBOS

    rows = DBOS.list_queued_workflows(queue_name=QUEUE, status="ENQUEUED", load_input=False, load_output=False)
    return {row.workflow_id.partition(":")[0] for row in rows}


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
