"""Builds are made by `flowc compile` in a process of its own, one after another: what befalls one harms no other."""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from server.builds.folders import ENDED, LOG, BuildFolder, Ended, State
from server.errors import Busy

MOST_WAITING, LONGEST, ENDING = 8, 3600.0, 5.0
"""Builds that may wait; seconds that one may take, and that one which is ended may take for that."""
STOPPED = 143
_TOLD = re.compile(r"error\[([a-z0-9-]+)\]: ")


@dataclass(frozen=True)
class Stage:
    """How far a build is: the last stage that was told, and how much of it is done."""

    name: str
    done: int
    total: int


class Compiling:
    """Makes builds, one after the other.

    Args:
        root: the folder of the workspace, whose `flowc.toml` holds.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._pool = ThreadPoolExecutor(1, "builds")
        self._states: dict[str, State] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        self._closed = False

    def begin(self, build: BuildFolder, *options: str) -> None:
        """Have a build made from its documents, once those before it are.

        Args:
            options: of `flowc compile`.

        Raises:
            Busy: too many wait.
        """
        with self._lock:
            if len(self._states) > MOST_WAITING:
                raise Busy(f"{len(self._states)} builds wait already; try again when one of them is made")
            self._states[build.id] = "waiting"
        self._pool.submit(self.make, build, *options)

    def state(self, build: BuildFolder) -> State:
        """What became of a build."""
        found = self._states.get(build.id)
        if found is not None:
            return found
        if build.is_made:
            return "done"
        return "failed" if build.ended else "stopped"

    def close(self) -> None:
        """End the build that is being made; those that wait are not begun."""
        with self._lock:
            self._closed = True
            process = self._process
        if process is not None:
            process.terminate()
            try:
                process.wait(ENDING)
            except subprocess.TimeoutExpired:
                process.kill()
        self._pool.shutdown(cancel_futures=True)

    def make(self, build: BuildFolder, *options: str) -> None:
        """Make a build now; how it ended is beside it."""
        assert build.folder is not None and build.documents is not None
        words = [sys.executable, "-m", "flowc", "compile", str(build.documents), "-o", str(build.out), *options]
        log = build.folder / LOG
        try:
            with log.open("wb") as out:
                with self._lock:
                    if self._closed:
                        return
                    self._states[build.id] = "running"
                    self._process = subprocess.Popen(  # noqa: S603 - our own command
                        words, cwd=self.root, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                        env={**os.environ, "FLOWC_PROGRESS": "json"},
                    )  # fmt: skip
                status = _waited(self._process)
            message = "" if build.is_made else _reason(log, status)
            (build.folder / ENDED).write_text(json.dumps(Ended(status=status, message=message).to_json()), "utf-8")
        finally:
            with self._lock:
                self._process = None
                self._states.pop(build.id, None)


def stage(build: BuildFolder) -> Stage | None:
    """How far a build is that is being made; None where nothing was told yet."""
    file = build.folder / LOG if build.folder else None
    if file is None or not file.is_file():
        return None
    for line in reversed(_tail(file).splitlines()):
        try:
            told = json.loads(line)
            return Stage(str(told["stage"]), int(told["done"]), int(told["total"]))
        except (ValueError, KeyError, TypeError):
            continue
    return None


def _waited(process: "subprocess.Popen[bytes]") -> int:
    try:
        return process.wait(LONGEST)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _reason(log: Path, status: int) -> str:
    """What a command that left no build said of it, with the code."""
    text = _tail(log)
    found = [*_TOLD.finditer(text)]
    if found:
        return f"{text[found[-1].end() :].strip()} [{found[-1][1]}]"
    if status < 0:
        return f"the process of the build was ended (signal {-status}), or took longer than {LONGEST / 60:.0f} minutes"
    return f"the process of the build ended with status {status} and said nothing"


def _tail(file: Path, size: int = 16_384) -> str:
    with file.open("rb") as log:
        log.seek(max(0, log.seek(0, os.SEEK_END) - size))
        return log.read().decode("utf-8", errors="replace")
