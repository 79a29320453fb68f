"""The workspace beside a `flowc.toml`: the folder `.flowc` with database, key and heads of the audit."""

import json
import os
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import sqlalchemy as sa

from ir.files import replacing
from store import audit
from store.clock import now
from store.database import Database, revisions
from store.errors import DatabaseUnavailable, NoWorkspace, WorkspaceExists
from store.keys import Key, make_key
from store.users import User, user_named, users

FOLDER, CONFIG = ".flowc", "flowc.toml"
DATABASE, ENGINE, KEY, HEADS, SETTINGS = "workspace.db", "engine.db", "key.pem", "audit-heads.jsonl", "workspace.json"
ABOUT = "backup.json"
"""In a backup: when it was made, and of which form its tables are."""
PRIVATE = 0o700
"""Of the folder, which holds the key and the values of runs: its owner's alone."""
_NOT_COPIED = ("*.db", "*.db-wal", "*.db-shm", "*.lock", ".write-*", ABOUT)


@dataclass(frozen=True)
class Workspace:
    """Where versions, runs, users and the audit are.

    Args:
        folder: the folder `.flowc` itself.
        url: of the database.
    """

    folder: Path
    url: str

    @cached_property
    def database(self) -> Database:
        """Its tables."""
        return Database(self.url)

    @cached_property
    def key(self) -> Key:
        """What signs."""
        return Key(self.folder / KEY)

    @property
    def heads(self) -> Path:
        """The heads of the audit; a copy elsewhere is what shows a rebuilt chain."""
        return self.folder / HEADS

    @property
    def engine_url(self) -> str:
        """The database of the durable engine: a file of its own beside SQLite, the same one on PostgreSQL."""
        return f"sqlite:///{self.folder / ENGINE}" if self.database.is_sqlite else self.url

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """All of it or nothing; what it wrote in the audit is chained afterwards, see `seal`."""
        with self.database.transaction() as connection:
            yield connection
            due, left = audit.head_is_due(connection, self.heads), audit.left_unchained(connection)
        if left:
            self.seal()
        elif due:
            self._sign()

    def seal(self) -> None:
        """Chain what is not chained yet of the audit, and sign a head where enough happened.

        Not before it is committed: a head of events that were never would look like tampering for ever.
        """
        more = True
        while more:
            with self.database.transaction() as connection:
                more = audit.chain(connection)
                due = audit.head_is_due(connection, self.heads)
            if due:
                self._sign()

    def _sign(self) -> None:
        with self.database.transaction() as connection:
            audit.write_head(connection, self.key, self.heads)

    def user(self, name: str | None) -> User:
        """Who acts; see `user_named`."""
        with self.database.transaction() as connection:
            return user_named(connection, name)


def make_workspace(root: Path, url: str | None = None) -> Workspace:
    """A new workspace beside a `flowc.toml`, which is made where there is none.

    Args:
        root: the folder that it is made in.
        url: of a database elsewhere; None for a file in the workspace.

    Raises:
        WorkspaceExists: there is one.
        DatabaseUnavailable: the database cannot be reached or written.
    """
    folder = root / FOLDER
    if folder.exists():
        raise WorkspaceExists(f"{folder} is there already; use it, or name another folder with --workspace")
    root.mkdir(parents=True, exist_ok=True)
    folder.mkdir(PRIVATE)
    try:
        (folder / ".gitignore").write_text("*\n", "utf-8")
        make_key(folder / KEY)
        (folder / SETTINGS).write_text(json.dumps({"database": url}) + "\n", "utf-8")
        found = Workspace(folder, url or f"sqlite:///{folder / DATABASE}")
        found.database.upgrade()
        with found.database.transaction() as connection:
            if users(connection):
                raise WorkspaceExists(f"the database is another workspace's; restore a backup of it into {root}")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    config = root / CONFIG
    if not config.exists():
        config.write_text("# settings of flowc; `flowc config` shows what applies\n", "utf-8")
    return found


def find_workspace(start: Path | None = None) -> Workspace:
    """The workspace of a folder: beside the nearest `flowc.toml` at or above it, brought up to date.

    Args:
        start: None for what `FLOWC_WORKSPACE` says, else the working directory.

    Raises:
        NoWorkspace: there is none.
        StaleWorkspace: it is of a later flowc.
        DatabaseUnavailable: its database cannot be reached.
    """
    return _opened(workspace_root(start) / FOLDER)


def workspace_root(start: Path | None = None) -> Path:
    """The folder that a workspace stands in, beside its `flowc.toml`; it is not opened. See `find_workspace`.

    Raises:
        NoWorkspace: there is none.
    """
    begin = (start or Path(os.environ.get("FLOWC_WORKSPACE") or ".")).resolve()
    for root in (begin, *begin.parents):
        if (root / FOLDER / SETTINGS).is_file():
            return root
        if (root / CONFIG).is_file():
            break
    raise NoWorkspace(f"{begin}: no workspace here or above; make one with `flowc workspace init`")


def _opened(folder: Path) -> Workspace:
    try:
        url = json.loads((folder / SETTINGS).read_text("utf-8"))["database"]
    except (ValueError, KeyError, TypeError):
        raise NoWorkspace(f"{folder / SETTINGS} is not readable; restore it from a backup") from None
    found = Workspace(folder, url or f"sqlite:///{folder / DATABASE}")
    found.database.upgrade()
    return found


def back_up(workspace: Workspace, file: Path) -> None:
    """Write all of a workspace's folder, and the settings beside it, to one file, while others go on with it.

    The databases are as at one moment, and later than all files beside them: no head counts what they do not have. A
    database elsewhere is backed up with its own tools; its address is in the file.

    Raises:
        DatabaseUnavailable: the database cannot be read, or the file not be written.
    """
    at = now()
    try:
        with tempfile.TemporaryDirectory() as made:
            shutil.copytree(
                workspace.folder, made, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_COPIED),
                copy_function=_copy_if_there, dirs_exist_ok=True,
            )  # fmt: skip
            if (workspace.folder.parent / CONFIG).is_file():
                shutil.copy2(workspace.folder.parent / CONFIG, made)
            for name in (DATABASE, ENGINE):
                if (workspace.folder / name).is_file():
                    _copy_database(workspace.folder / name, Path(made) / name)
            about = {"at": at, "revision": revisions()[0], "database": workspace.database.is_sqlite}
            (Path(made) / ABOUT).write_text(json.dumps(about) + "\n", "utf-8")
            with replacing(file, 0o600) as whole, tarfile.open(fileobj=whole, mode="w:gz") as out:  # it holds the key
                out.add(made, arcname=FOLDER)
    except (OSError, sqlite3.Error) as error:
        raise DatabaseUnavailable(f"{file}: {error}") from error


def _copy_if_there(source: str, target: str) -> None:
    """Copy a file; what others took away meanwhile is not in the backup."""
    with suppress(FileNotFoundError):
        shutil.copy2(source, target, follow_symlinks=False)


def _copy_database(source: Path, target: Path) -> None:
    with sqlite3.connect(source) as origin, sqlite3.connect(target) as copy:
        origin.backup(copy)
    origin.close()
    copy.close()


def restore(file: Path, root: Path, settle: Callable[[Workspace, str | None], None]) -> Workspace:
    """Unpack a backup into a folder that has no workspace: whole and settled, or not at all.

    Args:
        settle: is given the workspace with the moment of its backup before anybody else can open it; where the database
            is elsewhere it is not asked, since nothing was restored there.

    Raises:
        WorkspaceExists: the folder has one.
        NoWorkspace: the file is no backup.
        StaleWorkspace: it is of a later flowc.
    """
    folder = root / FOLDER
    if folder.exists():
        raise WorkspaceExists(f"{folder} is there already; restore into another folder, and move it then")
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=root, prefix=".restore-") as made:
            with tarfile.open(file, "r:gz") as packed:
                names = {member.name for member in packed.getmembers()}
                if f"{FOLDER}/{SETTINGS}" not in names or any(
                    name != FOLDER and not name.startswith(f"{FOLDER}/") for name in names
                ):
                    raise NoWorkspace(f"{file} is no backup of a workspace")
                packed.extractall(made, filter="data")
            unpacked = Path(made) / FOLDER
            found = _opened(unpacked)
            if found.database.is_sqlite:
                settle(found, _backed_up_at(unpacked / ABOUT))
            found.database.close()
            (unpacked / ABOUT).unlink(missing_ok=True)
            if (unpacked / CONFIG).is_file() and not (root / CONFIG).exists():
                (unpacked / CONFIG).replace(root / CONFIG)
            (root / CONFIG).touch()
            unpacked.chmod(PRIVATE)
            unpacked.rename(folder)
    except (OSError, tarfile.TarError) as error:
        raise NoWorkspace(f"{file} cannot be read as a backup: {error}") from error
    return _opened(folder)


def _backed_up_at(about: Path) -> str | None:
    """The moment of a backup; None of one that does not say."""
    try:
        return str(json.loads(about.read_text("utf-8"))["at"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
