"""A backup while runs go on, and what a workspace does that was restored from it: nothing is done twice silently."""

import signal
from pathlib import Path
from typing import Any

import pytest
from ledger import Ledger, ended, host_of, ledger, plant, worker
from plant import now_of, open_tasks, until, user

from flowc.main import main
from runtime.advance import advance
from runtime.batches.batch import open_batch, run_batch
from runtime.batches.rows import read_rows
from runtime.commands import answer, begin
from runtime.executions import execution_of, executions
from runtime.governance.restoring import doubt_runs, restored_since
from runtime.host import Host
from store import audit
from store.clock import now
from store.workspace import back_up, find_workspace, restore


def restored(host: Host, system: Ledger, root: Path) -> Host:
    """Another workspace, from a backup of this one as it is now."""
    back_up(host.workspace, root.with_suffix(".tar.gz"))
    found = restore(root.with_suffix(".tar.gz"), root, lambda made, at: _doubted(made, at))
    return host_of(found, system.server_address[1])


def _doubted(workspace: Any, at: str | None) -> None:
    doubt_runs(workspace, "flowc", at)


def whole(host: Host) -> bool:
    """Whether the audit is as it was written, by the workspace's own heads."""
    with host.workspace.database.transaction() as connection:
        return audit.verify(connection, host.workspace.heads.read_text("utf-8"), host.workspace.key.public) == []


@pytest.mark.slow
def test_a_backup_of_a_workspace_at_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the commands: it is whole, and its runs go on; what was booked after it is asked about, never booked again."""
    for name in ("FLOWC_WORKSPACE", "FLOWC_CATALOG"):
        monkeypatch.delenv(name, raising=False)
    with ledger() as system:
        host = plant(tmp_path / "first", system.server_address[1])
        begun = [begin(host, user(host, "li"), "line", 1, {"amount": at}).id for at in range(12)]
        system.seconds |= {"book": 0.3, "look": 0.1}
        with worker(tmp_path / "first") as working:
            until(lambda: len(system.asked) >= 8)
            monkeypatch.chdir(tmp_path / "first")
            assert main(["workspace", "backup", str(tmp_path / "copy.tar.gz")]) == 0
            until(lambda: all(now_of(host, one).status == "completed" for one in begun))
            ended(working, signal.SIGTERM)
        booked = [key for key in system.asked if ":look:" not in key]
        assert len(booked) == len(set(booked)) == 24
        assert main(["workspace", "restore", str(tmp_path / "copy.tar.gz"), str(tmp_path / "second")]) == 0
        again = host_of(find_workspace(tmp_path / "second"), system.server_address[1])
        again.workspace.seal()
        with again.workspace.database.transaction() as connection:
            audit.write_head(connection, again.workspace.key, again.workspace.heads, least=1)
        assert whole(again)
        with again.workspace.database.transaction() as connection:
            open_then = {one.id for one in executions(connection) if not one.ended}
        assert open_then
        system.seconds.clear()
        with worker(tmp_path / "second") as working:
            until(lambda: all(now_of(again, one).status == "waiting_human" for one in open_then))
            assert [key for key in system.asked if ":look:" not in key] == booked
            for _ in range(2):  # of each run what it booked first, then what it booked second
                for one in open_then:
                    until(lambda one=one: now_of(again, one).ended or open_tasks(again, one))  # type: ignore[misc]
                    for task in open_tasks(again, one):
                        assert task.kind == "settle"
                        answer(again, user(again, "li"), task.id, {"what": "done", "outputs": {"number": 7}})
            until(lambda: all(now_of(again, one).status == "completed" for one in open_then))
            ended(working, signal.SIGTERM)
        assert [key for key in system.asked if ":look:" not in key] == booked
        assert whole(again)


def test_what_a_person_says_was_not_done_is_done_once(tmp_path: Path) -> None:
    """Under a key of its own; the next call asks again, since it may have been made as well."""
    with ledger() as system:
        host = plant(tmp_path / "first", system.server_address[1])
        execution = begin(host, user(host, "li"), "line", 1, {"amount": 5}).id
        again = restored(host, system, tmp_path / "second")
        advance(again, execution)
        (task,) = open_tasks(again, execution)
        assert system.nodes == ["look"]
        assert (task.kind, task.node) == ("settle", "book#1") and "restored from a backup" in task.title
        with again.workspace.database.transaction() as connection:
            (parked,) = [one for one in audit.events(connection, execution) if one.kind == "call-parked"]
        assert "after the backup" in parked.body["why"]
        answer(again, user(again, "li"), task.id, {"what": "not_done"})
        advance(again, execution)
        assert system.asked[1:] == [f"{execution}:book:2"]
        (task,) = open_tasks(again, execution)
        assert task.node == "more#1"
        answer(again, user(again, "li"), task.id, {"what": "not_done"})
        assert advance(again, execution).status == "completed"
        assert system.asked[2:] == [f"{execution}:more:2"]


def test_what_does_no_harm_goes_on_by_itself(tmp_path: Path) -> None:
    """Calls that may be made twice, and runs that begin later."""
    with ledger() as system:
        host = plant(tmp_path / "first", system.server_address[1])
        execution = begin(host, user(host, "li"), "choice", 1, {"amount": 5}).id
        again = restored(host, system, tmp_path / "second")
        assert advance(again, execution).status == "completed"
        later = begin(again, user(again, "li"), "line", 1, {"amount": 5}).id
        assert advance(again, later).status == "completed"


def test_a_restored_workspace_signs_everybody_out_and_tells_of_it(tmp_path: Path) -> None:
    """The audit says when the backup was made and how many runs had not ended; twice restored, all is doubted anew."""
    with ledger() as system:
        host = plant(tmp_path / "first", system.server_address[1])
        before = now()
        execution = begin(host, user(host, "li"), "line", 1, {"amount": 5}).id
        again = restored(host, system, tmp_path / "second")
        with again.workspace.database.transaction() as connection:
            told = [one for one in audit.events(connection) if one.kind == "restored"]
            assert [(one.principal, one.body["runs"]) for one in told] == [("flowc", 1)]
            assert before <= told[0].body["backed_up_at"] <= told[0].at
            assert restored_since(connection, before) and not restored_since(connection, now())
        with host.workspace.database.transaction() as connection:
            assert not restored_since(connection, None)
            assert execution_of(connection, execution).progress.doubted is None
        advance(again, execution)
        third = restored(again, system, tmp_path / "third")
        assert now_of(third, execution).progress.doubted == ()


def test_a_batch_that_is_called_again_asks_first(tmp_path: Path) -> None:
    """Its runs may have gone on after the backup, which does not know them; a batch made later does not ask."""
    with ledger() as system:
        host = plant(tmp_path / "first", system.server_address[1])
        (tmp_path / "rows.csv").write_text("id,amount\na,5\n", "utf-8")

        def ran(at: Host, out: str) -> str:
            li = user(at, "li")
            batch = open_batch(at, li, tmp_path / out, "line", 1)
            rows = read_rows(tmp_path / "rows.csv", batch.version.definition)
            (row,) = run_batch(at, li, batch, rows, lambda one: advance(at, one))
            return row.status

        open_batch(host, user(host, "li"), tmp_path / "early", "line", 1)
        back_up(host.workspace, tmp_path / "copy.tar.gz")
        assert ran(host, "early") == "completed"
        found = restore(tmp_path / "copy.tar.gz", tmp_path / "second", _doubted)
        again = host_of(found, system.server_address[1])
        booked = system.nodes.count("book")
        assert ran(again, "early") == "waiting" and system.nodes.count("book") == booked
        assert ran(again, "later") == "completed"


def test_only_the_owner_says_that_a_database_was_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    """Where its own tools did it; runs that had not ended doubt their calls from then on."""
    with ledger() as system:
        host = plant(tmp_path, system.server_address[1])
        execution = begin(host, user(host, "li"), "line", 1, {"amount": 5}).id
        monkeypatch.chdir(tmp_path)
        assert main(["workspace", "restored", "--as", "li"]) == 1
        assert now_of(host, execution).progress.doubted is None
        assert main(["workspace", "restored", "--as", "wen"]) == 0
        assert "1 runs had not ended" in capsys.readouterr().out
        assert now_of(host, execution).progress.doubted == ()
