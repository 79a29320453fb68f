"""A workspace: made, found, upgraded, backed up; users with roles."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from store import audit
from store.errors import (
    BadKey,
    DatabaseUnavailable,
    NotAllowed,
    NoWorkspace,
    StaleWorkspace,
    UnknownUser,
    UserExists,
    WorkspaceExists,
)
from store.keys import Key, is_signed
from store.users import add_user, anybody_signs_in, password_of, set_password, set_roles, user_named, users
from store.workspace import Workspace, back_up, find_workspace, make_workspace, restore


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A new one."""
    return make_workspace(tmp_path / "plant")


def test_it_is_found_from_below(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the nearest flowc.toml at or above a folder; by the environment; not past another flowc.toml."""
    root = workspace.folder.parent
    (root / "rules" / "old").mkdir(parents=True)
    assert find_workspace(root / "rules" / "old").folder == workspace.folder
    monkeypatch.setenv("FLOWC_WORKSPACE", str(root))
    assert find_workspace().folder == workspace.folder
    (root / "rules" / "flowc.toml").touch()
    with pytest.raises(NoWorkspace, match="flowc workspace init"):
        find_workspace(root / "rules" / "old")


def test_it_is_made_once(workspace: Workspace) -> None:
    """Nothing is overwritten; the key is its owner's alone; nothing of it goes into a repository."""
    with pytest.raises(WorkspaceExists):
        make_workspace(workspace.folder.parent)
    assert (workspace.folder / "key.pem").stat().st_mode & 0o077 == 0
    assert (workspace.folder / ".gitignore").read_text() == "*\n"


def test_what_cannot_be_made_leaves_nothing(tmp_path: Path) -> None:
    """A database that does not answer."""
    with pytest.raises(DatabaseUnavailable):
        make_workspace(tmp_path, f"sqlite:///{tmp_path}/no/such/folder/x.db")
    assert not (tmp_path / ".flowc").exists()


def test_an_earlier_database_is_brought_up_to_date(workspace: Workspace) -> None:
    """One without passwords and sessions, as it was before there was a server; its users are as they were."""
    with workspace.transaction() as connection:
        add_user(connection, "wen", frozenset(), "wen")
    workspace.database.close()
    with sqlite3.connect(workspace.folder / "workspace.db") as raw:
        raw.executescript(
            "DROP TABLE sessions; DROP TABLE tokens; ALTER TABLE users DROP COLUMN password;"
            "UPDATE alembic_version SET version_num = '0003'"
        )
    raw.close()
    found = find_workspace(workspace.folder.parent)
    with found.transaction() as connection:
        assert not anybody_signs_in(connection)
        set_password(connection, "wen", "a hash", "wen")
        assert password_of(connection, "wen") == "a hash"
        assert [one.name for one in users(connection)] == ["wen"]


def test_a_later_database_is_refused(workspace: Workspace) -> None:
    """With what to do, and it is left as it is."""
    workspace.database.close()
    with sqlite3.connect(workspace.folder / "workspace.db") as connection:
        connection.execute("update alembic_version set version_num = '9999'")
    with pytest.raises(StaleWorkspace, match="later flowc"):
        find_workspace(workspace.folder.parent)


def test_a_transaction_is_whole(workspace: Workspace) -> None:
    """What fails leaves nothing, its audit neither."""
    with pytest.raises(ZeroDivisionError), workspace.transaction() as connection:
        add_user(connection, "wen", frozenset(), "")
        raise ZeroDivisionError
    with workspace.transaction() as connection:
        assert users(connection) == []
        assert [*audit.events(connection)] == []


def test_users_and_roles(workspace: Workspace) -> None:
    """The first owns the workspace; the last owner stays one; who acts is named or the only one."""
    with workspace.transaction() as connection:
        assert add_user(connection, "wen", frozenset(), "").roles == {"owner"}
        assert user_named(connection, None).name == "wen"
        add_user(connection, "li", frozenset({"author", "安全总监"}), "wen")
        with pytest.raises(UnknownUser, match="--as"):
            user_named(connection, None)
        with pytest.raises(UnknownUser, match="there is no user zhao"):
            user_named(connection, "zhao")
        with pytest.raises(NotAllowed, match="only owner"):
            set_roles(connection, "wen", frozenset({"author"}), "wen")
        assert set_roles(connection, "li", frozenset({"approver"}), "wen").roles == {"approver"}
    li = workspace.user("li")
    li.must("publish", "approver")
    with pytest.raises(NotAllowed, match="flowc users role li --add author"):
        li.must("submit a draft", "author")
    workspace.user("wen").must("submit a draft", "author")


def test_a_user_is_made_once_and_a_database_is_one_workspace_s(workspace: Workspace, tmp_path: Path) -> None:
    """The owner is not lost by being added again; a second workspace does not take the database over."""
    with workspace.transaction() as connection:
        add_user(connection, "wen", frozenset(), "")
        with pytest.raises(UserExists, match="users role wen"):
            add_user(connection, "wen", frozenset({"author"}), "wen")
    with pytest.raises(WorkspaceExists, match="another workspace"):
        make_workspace(tmp_path / "second", workspace.url)
    assert not (tmp_path / "second" / ".flowc").exists()


def test_no_head_of_what_was_never_committed(workspace: Workspace) -> None:
    """A transaction that fails leaves no signed head that would look like tampering."""
    with pytest.raises(ZeroDivisionError), workspace.transaction() as connection:
        for _ in range(40):
            audit.append(connection, "noted", "wen", {})
        raise ZeroDivisionError
    assert not workspace.heads.exists()


def test_the_key_signs(workspace: Workspace) -> None:
    """The same value however it is written; not another one, and not by another key."""
    signature = workspace.key.sign({"b": 1, "a": "危"})
    assert is_signed({"a": "危", "b": 1}, signature, workspace.key.public)
    assert not is_signed({"a": "危", "b": 2}, signature, workspace.key.public)
    assert not is_signed({"a": "危", "b": 1}, signature, "00" * 32)
    assert not is_signed({"a": "危", "b": 1}, "no signature", workspace.key.public)
    (workspace.folder / "key.pem").write_text("lost")
    with pytest.raises(BadKey, match="backup"):
        Key(workspace.folder / "key.pem")


def test_backup_and_restore(workspace: Workspace, tmp_path: Path) -> None:
    """All of it, also while it is open; nothing is overwritten; what is no backup is refused."""
    with workspace.transaction() as connection:
        add_user(connection, "wen", frozenset(), "")
        audit.write_head(connection, workspace.key, workspace.heads, least=1)
    settled_at: list[str | None] = []

    def settled(found: Workspace, at: str | None) -> None:
        assert not (tmp_path / "elsewhere" / ".flowc").exists()  # nobody can open it before
        settled_at.append(at)

    (workspace.folder / "builds" / "b1").mkdir(parents=True)
    (workspace.folder / "builds" / "b1" / "about.json").write_text("{}")
    (workspace.folder / "worker.lock").touch()
    back_up(workspace, tmp_path / "copy.tar.gz")
    with workspace.transaction() as connection:
        add_user(connection, "later", frozenset(), "wen")
    found = restore(tmp_path / "copy.tar.gz", tmp_path / "elsewhere", settled)
    with found.transaction() as connection:
        assert [one.name for one in users(connection)] == ["wen"]
        assert audit.verify(connection, found.heads.read_text("utf-8"), found.key.public) == []
    assert found.key.public == workspace.key.public
    assert (found.folder / "builds" / "b1" / "about.json").read_text() == "{}"
    assert not (found.folder / "worker.lock").exists() and not (found.folder / "backup.json").exists()
    assert len(settled_at) == 1 and settled_at[0] is not None
    with pytest.raises(WorkspaceExists):
        restore(tmp_path / "copy.tar.gz", tmp_path / "elsewhere", settled)
    (tmp_path / "junk.tar.gz").write_bytes(os.urandom(100))
    with pytest.raises(NoWorkspace, match="backup"):
        restore(tmp_path / "junk.tar.gz", tmp_path / "third", settled)
    assert not any((tmp_path / "third").iterdir())
    assert json.loads((found.folder / "workspace.json").read_text())["database"] is None
