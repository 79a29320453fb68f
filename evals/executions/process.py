"""A process that works on what a workspace holds, as `flowc worker` does, and says what it takes.

It waits for a line before it begins, says when it does, and answers each further one with its memory and processor
time so far; it ends with its input. `python -m evals.executions.process flowc FOLDER`; `… dbos FOLDER COUNT` works on
that many workflows of DBOS alone, each of ten steps, so that there is something to hold ours against.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from evals.executions.recorded import CATALOG, Recorded, executors_of
from evals.executions.shapes import GIVES, NODES
from evals.hostile_data.memory import peak
from runtime.host import Host
from runtime.worker import Worker, only_worker
from store.workspace import find_workspace

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Taken:
    """What a process took.

    Args:
        memory: the most, in MiB.
        seconds: of the processor, user and system.
    """

    memory: float
    seconds: float


class Process:
    """Such a process, which has loaded all it needs."""

    def __init__(self, kind: str, folder: Path, *more: str) -> None:
        line = [sys.executable, "-m", "evals.executions.process", kind, str(folder), *more]
        self._process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)  # noqa: S603 - our own
        self._said("loaded")

    def begin(self) -> None:
        """Let it work."""
        self._say()

    def until_working(self) -> None:
        """Wait until it takes what is to be done."""
        self._said("working")

    def taken(self) -> Taken:
        """What it took so far."""
        self._say()
        return Taken(**json.loads(self._line()))

    def end(self) -> None:
        """Let it come to its end, where what is under way is done."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _say(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def _said(self, word: str) -> None:
        found = self._line().strip()
        assert found == word, f"the process said {found!r}"


@contextmanager
def processes(*lines: tuple[str, ...]) -> Iterator[list[Process]]:
    """Such processes, as long as this lasts.

    Args:
        lines: of each its kind, folder and count.
    """
    running: list[Process] = []
    try:
        for kind, folder, *more in lines:
            running.append(Process(kind, Path(folder), *more))
        yield running
    finally:
        for one in running:
            one.end()


def main() -> None:
    """Work until the input ends."""
    kind, folder, *more = sys.argv[1:]
    workspace = find_workspace(Path(folder))
    host = Host(workspace, CATALOG, executors_of(Recorded({f"call_{n}": GIVES for n in range(NODES)})))
    import dbos  # noqa: F401 - as a worker that runs has it

    print("loaded", flush=True)  # noqa: T201
    sys.stdin.readline()
    if kind == "flowc":
        lock = only_worker(workspace.folder) if workspace.database.is_sqlite else nullcontext()
        with lock, Worker(host):
            _tell_until_the_end()
    else:
        from evals.executions.dbos_alone import working

        with working(workspace, int(more[0])):
            _tell_until_the_end()


def _tell_until_the_end() -> None:
    print("working", flush=True)  # noqa: T201
    for _ in sys.stdin:
        times = os.times()
        print(json.dumps({"memory": peak() / 2**20, "seconds": times.user + times.system}), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
