"""Tampers with the audit of a workspace at random, a copy at a time, and tells what `flowc audit verify` finds.

The heads are a copy that was made halfway, as somebody keeps it elsewhere. Exit status 1 where anything is not found
that has to be, or is that cannot be.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import sqlalchemy as sa
from pydantic import JsonValue

from evals.crashes.shapes import TYPES, catalog, plan
from evals.crashes.tampering import TAMPERINGS, UNSEEN
from evals.crashes.trial import publish_all
from runtime.advance import advance
from runtime.commands import answer, begin
from runtime.executions import tasks
from runtime.executors.contract import Call
from runtime.executors.registry import Executors
from runtime.host import Host
from store import audit
from store.database import Database
from store.tables import AUDIT
from store.workspace import DATABASE, make_workspace

RUNS = 48


@dataclass(frozen=True)
class Sealed:
    """The audit of a workspace with some dozens of runs.

    Args:
        file: its database.
        heads: the copy that was kept.
        covered: events up to its last head.
        events: all events.
    """

    file: Path
    heads: str
    public: str
    covered: int
    events: int


@dataclass
class Found:
    """What was found of the tamperings, by kind and by whether it begins at or before the last head.

    Args:
        verified: events that were verified for it.
        seconds: of the processor that this took.
    """

    made: Counter[tuple[str, bool]] = field(default_factory=Counter)
    found: Counter[tuple[str, bool]] = field(default_factory=Counter)
    verified: int = 0
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether just that is found which has to be."""
        return all(
            self.found[kind, covered] == (made if covered or kind not in UNSEEN else 0)
            for (kind, covered), made in self.made.items()
        )


@dataclass
class _Counting:
    """Carries out all nodes, and counts them."""

    number: int = 0

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        self.number += 1
        return {"number": self.number}


def sealed(folder: Path, seed: int, runs: int = RUNS) -> Sealed:
    """Make the workspace: half of the runs, a head, whose copy is kept, and the other half."""
    workspace = make_workspace(folder)
    host = Host(
        workspace, catalog(), Executors({name: {"kind": "counting"} for name in TYPES}, {"counting": _Counting()})
    )
    publish_all(host)
    rng = Random(seed)  # noqa: S311 - no secret
    for _ in range(runs // 2):
        _run(host, rng)
    with workspace.database.transaction() as connection:
        audit.write_head(connection, workspace.key, workspace.heads, least=1)
        covered = _events(connection)
    heads = workspace.heads.read_text("utf-8")
    for _ in range(runs // 2):
        _run(host, rng)
    with workspace.database.transaction() as connection:
        events = _events(connection)
    workspace.database.close()  # all that is in its log is in the file then
    return Sealed(workspace.folder / DATABASE, heads, workspace.key.public, covered, events)


def _run(host: Host, rng: Random) -> None:
    drawn = plan(rng)
    execution = begin(host, host.workspace.user("li"), drawn.shape, 1, {"amount": drawn.amount}).id
    advance(host, execution)
    with host.workspace.database.transaction() as connection:
        found = tasks(connection, execution=execution)
    if found and drawn.approves is not None:
        answer(host, host.workspace.user("zhao"), found[0].id, {"approved": drawn.approves}, found[0].digest)
        advance(host, execution)


def _events(connection: sa.Connection) -> int:
    return connection.execute(sa.select(sa.func.count()).select_from(AUDIT)).scalar_one()


def tampered(place: Sealed, count: int, seed: int, folder: Path) -> Found:
    """Tamper with copies of the database, and verify each; the kinds take turns, before and after the last head.

    Args:
        folder: where the copies are made.
    """
    rng, found = Random(seed), Found()  # noqa: S311 - no secret
    turns = [(kind, covered) for kind in TAMPERINGS for covered in (True, False)]
    for number in range(count):
        kind, covered = turns[number % len(turns)]
        at = rng.randint(1, place.covered) if covered else rng.randint(place.covered + 1, place.events - 1)
        copy = folder / "copy.db"
        shutil.copyfile(place.file, copy)
        database = Database(f"sqlite:///{copy}")
        with database.transaction() as connection:
            TAMPERINGS[kind](connection, at, rng)
        with database.transaction() as connection:
            begun = time.process_time()
            faults = audit.verify(connection, place.heads, place.public)
            found.seconds += time.process_time() - begun
            found.verified += _events(connection)
        database.close()
        found.made[kind, covered] += 1
        found.found[kind, covered] += bool(faults)
    return found


def main() -> int:
    """Tamper, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m evals.crashes.tamper", description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        place = sealed(Path(made) / "place", args.seed)
        found = tampered(place, args.count, args.seed, Path(made))
    print(f"{place.events} events; the last head of the copy is over the first {place.covered}")  # noqa: T201
    print(f"{'':26}  up to the head      after it")  # noqa: T201
    for kind in TAMPERINGS:
        told = [f"{found.found[kind, at]:5} of {found.made[kind, at]:4}" for at in (True, False)]
        print(f"{kind:26}  {'  '.join(told)}{'  not told apart by its nature' * (kind in UNSEEN)}")  # noqa: T201
    speed = found.verified / found.seconds
    print(f"{args.count} tamperings; verified at {speed:,.0f} events in a second of the processor")  # noqa: T201
    return 0 if found.holds else 1


if __name__ == "__main__":
    sys.exit(main())
