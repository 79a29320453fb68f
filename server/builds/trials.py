"""Corrections are tried in a process of their own: what takes too long is ended, and nothing else waits."""

import multiprocessing
import sys
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from catalog.embedders import load_embedder
from ir.decisions.decision import Decision
from ir.diagnostics import Diagnostic
from ir.workflow import Workflow
from review.decide import preview
from review.draft import ReviewDraft, is_worked_out, open_draft
from review.errors import Fault
from review.worked_out import KEPT, WorkedOut
from server.errors import TakesTooLong
from validator.diff import Difference

LONGEST = 60.0
"""Seconds that one trial may take."""
_REMEMBERED = 64
"""Corrections that were tried and not saved."""


@dataclass(frozen=True)
class Trial:
    """What a correction would come to, see `review.decide.Preview`.

    Args:
        workflow: of the draft that would be; None where none can be made.
    """

    faults: tuple[Fault, ...]
    new: tuple[Diagnostic, ...] = ()
    gone: tuple[Diagnostic, ...] = ()
    changes: Difference | None = None
    workflow: Workflow | None = None


@dataclass(frozen=True)
class _Place:
    """Where a draft is opened, see `review.draft.open_draft`."""

    root: Path
    workflow_id: str
    file: Path
    reader: str | None


@dataclass(frozen=True, eq=False)
class Trials:
    """Tries corrections, one after the other. What was worked out for one is at hand when it is saved.

    Args:
        longest: seconds that one may take.
    """

    longest: float = LONGEST
    _tried: deque[Decision] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))
    _handed: set[str] = field(default_factory=set)
    _pools: list[ProcessPoolExecutor] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)
    _remembering: Lock = field(default_factory=Lock)

    def begin(self) -> None:
        """Have the process started before somebody waits for it."""
        with self._lock:
            self._pool().submit(load_drafting)

    def run(self, draft: ReviewDraft, decision: Decision) -> Trial:
        """What a correction of a draft would come to; nothing is written.

        Raises:
            TakesTooLong: it took longer than it may, or its process was ended.
            BadInputFile: the draft cannot be opened.
        """
        with self._remembering:
            decision = self._as_tried(decision)
        trial = self._worked_out(draft, decision)
        with self._remembering:
            if decision not in self._tried:
                self._tried.append(decision)
        return trial

    def _worked_out(self, draft: ReviewDraft, decision: Decision) -> Trial:
        known = KEPT.find(draft.key) if draft.key is not None else None
        with self._lock:
            given = () if known is None or known.key in self._handed else (known,)
            place = _Place(draft.folder, draft.workflow.workflow_id, draft.build.decisions, draft.reader)
            running = self._pool().submit(_tried, place, decision, given)
            try:
                trial, made = running.result(self.longest)
            except (TimeoutError, BrokenProcessPool):
                self._end()
            else:
                KEPT.keep(made)
                self._handed.update(one.key for one in (*given, *made))
                return trial
        raise TakesTooLong(
            f"what the correction changes was not worked out within {self.longest:.0f} seconds; "
            "make it in smaller parts, or ask for it again when the server has less to do"
        )

    def take(self, draft: ReviewDraft, decision: Decision) -> Decision:
        """A correction that is to be saved, under the id under which it was tried; an id is given away once.

        One that was not tried on this draft is tried first, so that nothing is drafted by the process that serves;
        where that takes too long, it is left to what saves it.
        """
        with self._remembering:
            tried = self._as_tried(decision)
            if tried in self._tried:
                self._tried.remove(tried)
        named = decision.model_copy(update={"id": tried.id})
        if not is_worked_out(draft, named):
            with suppress(TakesTooLong):
                self._worked_out(draft, named)
        return named

    def _as_tried(self, decision: Decision) -> Decision:
        """The decision that was tried and says the same; else this one."""
        told = {"id": decision.id, "time": decision.time}
        return next((one for one in self._tried if one.model_copy(update=told) == decision), decision)

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
        self._handed.clear()
        while self._pools:
            pool = self._pools.pop()
            for process in list((pool._processes or {}).values()):
                process.kill()
            pool.shutdown(wait=False, cancel_futures=True)


def load_drafting() -> None:
    """Load what drafting takes, so that nobody waits for it."""
    load_embedder().embedder.embed(["start"])


def _tried(
    place: _Place, decision: Decision, given: tuple[WorkedOut, ...]
) -> tuple[Trial, tuple[WorkedOut, ...]]:  # fmt: skip
    """What a correction would come to, and what was worked out for it."""
    KEPT.keep(given)
    before = KEPT.keys
    found = preview(open_draft(place.root, place.workflow_id, place.file, place.reader), decision)
    workflow = found.draft.workflow if found.draft is not None else None
    return Trial(found.faults, found.new, found.gone, found.changes, workflow), KEPT.since(before)
