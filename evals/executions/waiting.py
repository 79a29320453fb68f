"""What it costs that many runs wait for people: a worker's start and memory with all of them, beside one with none.

A run is begun before each worker starts, so that a worker has looked at what is due when that run waits as well.
"""

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from evals.executions.process import processes
from evals.executions.recorded import Recorded, host_in, open_tasks, published, user
from evals.executions.shapes import one_task
from registry.forms import Version
from runtime.advance import advance
from runtime.commands import answer, begin
from runtime.executions import execution_of
from runtime.host import Host

SECONDS, MIB = 10.0, 300.0
"""What is wanted at most of a worker with ten thousand that wait: until it is ready, and more memory than with none."""
PAUSE = 0.01


@dataclass(frozen=True)
class Start:
    """How a worker started.

    Args:
        seconds: from the start of its process until it had done what was due.
        memory: the most it took, in MiB.
    """

    seconds: float
    memory: float


def parked(host: Host, version: Version) -> str:
    """A run that waits for a person."""
    begun = begin(host, user(host, "li"), version.workflow_id, version.number, {"subject": "a parcel"})
    found = advance(host, begun.id)
    assert found.status == "waiting_human", found.status
    return found.id


def started(host: Host, version: Version, waiting: str | None = None) -> Start:
    """Start a worker, let it look at what is due, and answer what waits.

    Args:
        waiting: one of the runs that wait; None where none does.
    """
    due = begin(host, user(host, "li"), version.workflow_id, version.number, {"subject": "another parcel"}).id
    begun = time.perf_counter()
    with processes(("flowc", str(host.workspace.folder.parent))) as (worker,):
        worker.begin()
        worker.until_working()
        _until(host, due, "waiting_human")
        seconds = time.perf_counter() - begun
        for one in (due, waiting):
            if one is not None:
                (task,) = open_tasks(host, one)
                answer(host, user(host, "wen"), task.id, {"outcome": "good"}, task.digest)
                _until(host, one, "completed")
        return Start(seconds, worker.taken().memory)


def _until(host: Host, execution: str, status: str) -> None:
    while True:
        with host.workspace.database.transaction() as connection:
            if execution_of(connection, execution).status == status:
                return
        time.sleep(PAUSE)


def measured(folder: Path, count: int) -> tuple[Start, Start, float]:
    """A worker with none, one with so many that wait, and how many could be begun in a second."""
    host = host_in(folder, Recorded())
    version = published(host, one_task())
    none = started(host, version)
    begun = time.perf_counter()
    for number in range(1, count + 1):
        waiting = parked(host, version)
        rate = number / (time.perf_counter() - begun)
        if number % 500 == 0:
            print(f"{number} wait, {rate:.0f} a second", file=sys.stderr, flush=True)  # noqa: T201
    found = started(host, version, waiting)
    host.workspace.database.close()
    return none, found, rate


def main() -> int:
    """Print both and the differences; 1 where they are more than is wanted."""
    parser = argparse.ArgumentParser(prog="python -m evals.executions.waiting", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="at least one")
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory() as folder:
        none, found, rate = measured(Path(folder), count)
    more = found.seconds - none.seconds, found.memory - none.memory
    print(f"{count} runs begun until they wait for a person: {rate:.0f} a second")  # noqa: T201
    print(f"worker with none waiting:  ready in {none.seconds:5.1f} s, {none.memory:5.0f} MiB")  # noqa: T201
    print(f"worker with all waiting:   ready in {found.seconds:5.1f} s, {found.memory:5.0f} MiB")  # noqa: T201
    wanted = f"(wanted: under {SECONDS:.0f} s in all, under {MIB:.0f} MiB more)"
    print(f"more: {more[0]:.1f} s, {more[1]:.0f} MiB {wanted}; one of them was answered and went on")  # noqa: T201
    return 0 if found.seconds < SECONDS and more[1] < MIB else 1


if __name__ == "__main__":
    sys.exit(main())
