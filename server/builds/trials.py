"""Corrections are tried in a process of their own: what takes too long is ended, and nothing else waits."""

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from catalog.embedders import load_embedder
from ir.decisions.decision import Decision
from ir.diagnostics import Diagnostic
from review.decide import preview
from review.draft import open_draft
from review.errors import Fault
from server.errors import TakesTooLong
from validator.diff import Difference

LONGEST = 60.0
"""Seconds that one trial may take."""


@dataclass(frozen=True)
class Trial:
    """What a correction would come to, see `review.decide.Preview`."""

    faults: tuple[Fault, ...]
    new: tuple[Diagnostic, ...] = ()
    gone: tuple[Diagnostic, ...] = ()
    changes: Difference | None = None


@dataclass(frozen=True, eq=False)
class Trials:
    """Tries corrections, one after the other.

    Args:
        longest: seconds that one may take.
    """

    longest: float = LONGEST
    _pools: list[ProcessPoolExecutor] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def begin(self) -> None:
        """Have the process started before somebody waits for it."""
        with self._lock:
            self._pool().submit(load_drafting)

    def run(self, root: Path, workflow_id: str, file: Path, decision: Decision, reader: str | None = None) -> Trial:
        """What a correction would come to; nothing is written.

        Args:
            root: the build's folder.
            file: of decisions.
            reader: who is not to see what others decided; None for all of it.

        Raises:
            TakesTooLong: it took longer than it may, or its process was ended.
            BadInputFile: the draft cannot be opened.
        """
        with self._lock:
            running = self._pool().submit(_tried, root, workflow_id, file, decision, reader)
            try:
                return running.result(self.longest)
            except (TimeoutError, BrokenProcessPool):
                self._end()
        raise TakesTooLong(
            f"what the correction changes was not worked out within {self.longest:.0f} seconds; "
            "make it in smaller parts, or ask for it again when the server has less to do"
        )

    def close(self) -> None:
        """End the process."""
        self._end()

    def _pool(self) -> ProcessPoolExecutor:
        if not self._pools:
            method = "spawn" if sys.platform == "win32" else "forkserver"
            start = multiprocessing.get_context(method)
            if method == "forkserver":
                start.set_forkserver_preload([__name__])
            self._pools.append(ProcessPoolExecutor(1, mp_context=start))
        return self._pools[0]

    def _end(self) -> None:
        while self._pools:
            pool = self._pools.pop()
            for process in list((pool._processes or {}).values()):
                process.kill()
            pool.shutdown(wait=False, cancel_futures=True)


def load_drafting() -> None:
    """Load what drafting takes, so that nobody waits for it."""
    load_embedder().embedder.embed(["start"])


def _tried(root: Path, workflow_id: str, file: Path, decision: Decision, reader: str | None) -> Trial:
    found = preview(open_draft(root, workflow_id, file, reader), decision)
    return Trial(found.faults, found.new, found.gone, found.changes)
