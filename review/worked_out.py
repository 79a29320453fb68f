"""Drafts that were worked out with decisions, in this process or in another one that hands them over."""

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from catalog.load import load_catalog
from compiler.build.scheduler import Settings
from compiler.decisions.decided import DecisionFate
from ir.decisions.decision import Decision, decision_line
from ir.diagnostics import Diagnostic
from ir.procedure import Procedure
from ir.verdict import StatementFate, Verdict
from ir.workflow import Workflow
from primers.load import load_primers

_MOST = 32  # drafts that are kept at hand


@dataclass(frozen=True)
class WorkedOut:
    """What drafting with decisions gave.

    Args:
        key: of the build, the draft and the decisions, see `key_of`.
        decided: what became of the decisions about its document.
    """

    key: str
    procedure: Procedure
    workflow: Workflow
    verdict: Verdict
    diagnostics: tuple[Diagnostic, ...]
    statements: tuple[StatementFate, ...]
    decided: tuple[DecisionFate, ...]


class _Kept:
    """The drafts that were worked out last."""

    def __init__(self) -> None:
        self._by_key: OrderedDict[str, WorkedOut] = OrderedDict()
        self._lock = Lock()

    def find(self, key: str) -> WorkedOut | None:
        """The draft of a key; None where it is not at hand."""
        with self._lock:
            if key in self._by_key:
                self._by_key.move_to_end(key)
            return self._by_key.get(key)

    def since(self, before: frozenset[str]) -> tuple[WorkedOut, ...]:
        """The drafts at hand whose keys are not among some."""
        with self._lock:
            return tuple(one for key, one in self._by_key.items() if key not in before)

    @property
    def keys(self) -> frozenset[str]:
        """The keys of the drafts at hand."""
        with self._lock:
            return frozenset(self._by_key)

    def keep(self, drafts: Iterable[WorkedOut]) -> None:
        """Keep drafts at hand."""
        with self._lock:
            for one in drafts:
                self._by_key[one.key] = one
                self._by_key.move_to_end(one.key)
            while len(self._by_key) > _MOST:
                self._by_key.popitem(last=False)

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._by_key.clear()


KEPT = _Kept()
"""Those of this process."""


def key_of(root: Path, built_as: str, procedure: str, settings: Settings, force: Sequence[Decision]) -> str:
    """What tells a draft from every other: all that drafting hangs on.

    Of the time of a decision only the day counts, which is all that a draft tells of it.

    Args:
        built_as: digest of the build.
        procedure: the id of the draft's procedure.
        settings: of the build, whose catalog and primers are looked at as they are now.
        force: the decisions in force.
    """
    made = hashlib.sha256()
    digests = (load_catalog(*settings.catalogs).digest, load_primers(settings.primers).digest)
    days = (decision_line(one.model_copy(update={"time": one.time[:10]})) for one in force)
    for part in (str(root), built_as, procedure, *digests, *days):
        made.update(f"{len(part)}:{part}".encode())
    return made.hexdigest()
