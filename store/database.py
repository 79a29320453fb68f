"""A workspace's database: opened, upgraded, and used in transactions."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import DBAPIError, OperationalError

from store.errors import DatabaseUnavailable, StaleWorkspace

MIGRATIONS = Path(__file__).resolve().parent / "migrations"
BUSY_MS, CONNECTIONS = 30_000, 10
"""How long a lock of SQLite's file is waited for; connections that are kept open to a server."""


class Database:
    """The tables of one workspace.

    Args:
        url: SQLAlchemy's: `sqlite:///…` or `postgresql+psycopg://…`.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._turn: AbstractContextManager[object] = threading.RLock() if self.is_sqlite else nullcontext()

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file."""
        return self.url.startswith("sqlite")

    @cached_property
    def engine(self) -> sa.Engine:
        """The connections; SQLite with a write-ahead log, every commit on disk."""
        if not self.is_sqlite:
            return sa.create_engine(self.url, pool_pre_ping=True, pool_size=CONNECTIONS, hide_parameters=True)
        engine = sa.create_engine(self.url, connect_args={"timeout": BUSY_MS / 1000}, hide_parameters=True)

        @sa.event.listens_for(engine, "connect")
        def settle(connection: Any, _: object) -> None:
            connection.isolation_level = None  # transactions are begun below, so that they lock when they begin
            cursor = connection.cursor()
            for line in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={BUSY_MS}", "foreign_keys=ON",
                         "secure_delete=ON"):  # fmt: skip
                cursor.execute(f"PRAGMA {line}")
            cursor.close()

        @sa.event.listens_for(engine, "begin")
        def begin(connection: sa.Connection) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE")

        return engine

    @contextmanager
    def transaction(self, session: sa.Connection | None = None) -> Iterator[sa.Connection]:
        """All of it or nothing; on SQLite one thread after the other, since who waits there for a file's lock sleeps.

        Args:
            session: what it is to run in, with what that holds; None for any.

        Raises:
            DatabaseUnavailable: the database cannot be reached, is locked for too long, or its disk is full.
        """
        try:
            with (
                self._turn,
                self.engine.connect() if session is None else nullcontext(session) as connection,
                connection.begin(),
            ):
                yield connection
        except OperationalError as error:
            raise DatabaseUnavailable(
                f"{self._shown}: {_first_line(error)}; see whether it runs and may be written"
            ) from error

    def upgrade(self) -> None:
        """Bring the tables to the form that this flowc has; what is of a later flowc is left as it is.

        Raises:
            StaleWorkspace: it was upgraded by a later flowc.
            DatabaseUnavailable: it cannot be reached or written.
        """
        config = _migrations()
        try:
            with self.engine.connect() as connection:
                found = MigrationContext.configure(connection).get_current_revision()
                connection.rollback()
                if found is not None and found not in revisions():
                    raise StaleWorkspace(
                        f"{self._shown} is of a later flowc (its tables are of revision {found}); "
                        "upgrade flowc, or restore a backup that was made with this one"
                    )
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
                connection.commit()
        except OperationalError as error:
            raise DatabaseUnavailable(
                f"{self._shown}: {_first_line(error)}; see whether it runs and may be written"
            ) from error

    def revision(self) -> str | None:
        """The form that its tables have now, read without waiting for who writes; None where they have none.

        Raises:
            DatabaseUnavailable: it cannot be reached.
        """
        try:
            raw = self.engine.raw_connection()
            try:
                cursor = raw.cursor()
                cursor.execute("SELECT version_num FROM alembic_version")
                found = cursor.fetchone()
                cursor.close()
            finally:
                raw.close()
        except Exception as error:
            raise DatabaseUnavailable(f"{self._shown}: {type(error).__name__}; see whether it runs") from error
        return str(found[0]) if found else None

    def purge(self) -> None:
        """Leave nothing of what was deleted in the file or its log, on SQLite; elsewhere the server's own tools do.

        Raises:
            DatabaseUnavailable: another process reads or writes for too long; what was deleted is not there any more,
                but its bytes may be, until this is done again.
        """
        if not self.is_sqlite:
            return
        told = f"{self._shown}: bytes of what was deleted may still be in the file; do `flowc audit retain` again"
        with self._turn, self.engine.connect() as connection:
            raw: Any = connection.connection.driver_connection
            connection.rollback()
            try:
                raw.execute("VACUUM")
                busy = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            except sqlite3.OperationalError as error:
                raise DatabaseUnavailable(f"{told} ({error})") from error
        if busy:
            raise DatabaseUnavailable(f"{told} (it is read elsewhere)")

    def close(self) -> None:
        """Give the connections back."""
        self.engine.dispose()

    @property
    def _shown(self) -> str:
        return sa.make_url(self.url).render_as_string(hide_password=True)


@cache
def revisions() -> tuple[str, ...]:
    """The forms of the tables that this flowc knows, the newest first: that is the one it works with."""
    return tuple(script.revision for script in ScriptDirectory.from_config(_migrations()).walk_revisions())


def _migrations() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).strip().splitlines()[0] if error.orig is not None else "no answer"
