"""Who works on an execution alone, and what becomes of somebody who lost that.

On PostgreSQL it is a lock of the session in which all that follows is written, so that the lock and the right to write
go together, however either ends: a process that is killed, a connection that is cut. On SQLite one process works at a
time, and its threads are told apart here.
"""

import hashlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from store.errors import TakenOver
from store.workspace import Workspace

_WORKED_ON: set[tuple[str, str]] = set()
_GUARD = threading.Lock()


class Alone:
    """The right to work on an execution.

    Args:
        session: what holds the lock, on PostgreSQL; None on SQLite.
    """

    def __init__(self, workspace: Workspace, execution: str, session: sa.Connection | None) -> None:
        self._workspace, self._execution, self._session = workspace, execution, session
        self._number = lock_number(execution)
        self._has = session is None

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """All of it or nothing, and nothing by somebody who is not alone any more.

        Where the session was cut, the lock is taken in another one first. What is written in the audit is chained later
        on PostgreSQL (`Workspace.seal`).

        Raises:
            TakenOver: another worker has it by now.
            DatabaseUnavailable: see `Database.transaction`.
        """
        if self._session is None:
            with self._workspace.transaction() as connection:
                yield connection
            return
        if not self.take():
            raise TakenOver(
                f"{self._execution}: the connection to the database was cut, and another worker goes on with it; "
                "nothing is to be done, and a call that was under way is as one whose process was killed"
            )
        with self._workspace.database.transaction(self._session) as connection:
            yield connection

    def take(self) -> bool:
        """Take the lock where it is not held, or not any more; whether it is."""
        if self._session is not None and (self._session.invalidated or not self._has):
            self._has = False
            with self._workspace.database.transaction(self._session) as connection:
                taken = sa.text("select pg_try_advisory_lock(:n)")
                self._has = bool(connection.execute(taken, {"n": self._number}).scalar_one())
        return self._has

    def release(self) -> None:
        """Let another one have it; a session that cannot is closed, and the lock goes with it."""
        if self._session is None or not self._has or self._session.invalidated:
            return
        try:
            with self._session.begin():
                self._session.execute(sa.text("select pg_advisory_unlock(:n)"), {"n": self._number})
        except DBAPIError:
            self._session.invalidate()


def one_by_one(connection: sa.Connection, name: str) -> None:
    """Wait until no other transaction goes on that asked for the same name; on SQLite there is none."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(lock_number(f"one by one: {name}"))))


def lock_number(execution: str) -> int:
    """The number of the lock for an execution."""
    return int.from_bytes(hashlib.sha256(execution.encode()).digest()[:8], signed=True)


def worked_on(connection: sa.Connection, executions: Sequence[str]) -> set[str]:
    """Which of these executions somebody works on now, as far as that is seen from here."""
    if connection.dialect.name == "sqlite":
        with _GUARD:
            return {name for _, name in _WORKED_ON}.intersection(executions)
    held = sa.text(
        "select (classid::bigint << 32) | objid::bigint from pg_locks where locktype = 'advisory' and objsubid = 1 "
        "and granted and database = (select oid from pg_database where datname = current_database())"
    )
    numbers = {row[0] for row in connection.execute(held)}
    return {one for one in executions if lock_number(one) in numbers}


@contextmanager
def alone(workspace: Workspace, execution: str) -> Iterator[Alone | None]:
    """The right to work on an execution, for as long as this lasts; None where another thread or process has it."""
    at = workspace.database.url, execution
    with _GUARD:
        mine = at not in _WORKED_ON
        if mine:
            _WORKED_ON.add(at)
    if not mine:
        yield None
        return
    try:
        if workspace.database.is_sqlite:
            yield Alone(workspace, execution, None)
            return
        with workspace.database.engine.connect() as session:
            found = Alone(workspace, execution, session)
            try:
                yield found if found.take() else None
            finally:
                found.release()
    finally:
        with _GUARD:
            _WORKED_ON.discard(at)
