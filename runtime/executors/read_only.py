"""Databases that are opened to be read: SQLite and PostgreSQL, and what comes of it as JSON."""

import math
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from datetime import time as time_of_day
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import UUID

import sqlalchemy as sa
from pydantic import JsonValue

from ir.fields import FieldSpec
from runtime.executors.contract import ExecutorFault

_PASSING = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_CANTOPEN", "08", "53", "57P")
_CUT_OFF = ("SQLITE_INTERRUPT", "57014")


@contextmanager
def opened(address: str, seconds: float) -> Iterator[sa.Connection]:
    """A connection by which nothing can be written, and whose statements end in time.

    Raises:
        ExecutorFault: the address is none of SQLite or PostgreSQL.
    """
    try:
        url = sa.make_url(address)
    except sa.exc.ArgumentError:
        raise ExecutorFault(
            "BAD_SETTING", "the address of the database is not of SQLAlchemy's form", made=False
        ) from None
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise ExecutorFault("BAD_SETTING", f"{url.get_backend_name()}: only SQLite and PostgreSQL are read", made=False)
    sqlite = url.get_backend_name() == "sqlite"
    engine = _sqlite(url, seconds) if sqlite else _postgresql(url, seconds)
    try:
        with engine.connect() as connection:
            if not sqlite:
                connection.exec_driver_sql(f"set local statement_timeout = {math.ceil(seconds * 1000)}")
            yield connection
    finally:
        engine.dispose()


def _postgresql(url: sa.URL, seconds: float) -> sa.Engine:
    return sa.create_engine(
        url.set(drivername="postgresql+psycopg"),
        poolclass=sa.NullPool,
        connect_args={"connect_timeout": max(2, math.ceil(seconds))},
        execution_options={"postgresql_readonly": True},
    )


def _sqlite(url: sa.URL, seconds: float) -> sa.Engine:
    if url.database in (None, "", ":memory:"):
        raise ExecutorFault("BAD_SETTING", "the address names no file", made=False)
    file = Path(str(url.database)).absolute()
    end = time.monotonic() + seconds

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True, timeout=seconds)
        connection.execute("PRAGMA query_only=ON")
        connection.set_progress_handler(lambda: time.monotonic() > end, 1000)
        return connection

    return sa.create_engine("sqlite://", creator=connect, poolclass=sa.NullPool)


def database_fault(error: sa.exc.DBAPIError) -> ExecutorFault:
    """What a database refused; nothing was written, so nothing was done."""
    code = getattr(error.orig, "sqlite_errorname", None) or getattr(error.orig, "sqlstate", None) or ""
    message = (str(error.orig).strip().splitlines() or [type(error).__name__])[0]
    if code in _CUT_OFF:
        return ExecutorFault("NO_ANSWER", f"the statement did not end in time: {message}", passing=True, made=False)
    if code.startswith(_PASSING) or (not code and isinstance(error, sa.exc.OperationalError)):
        return ExecutorFault("SYSTEM_UNAVAILABLE", message, passing=True, made=False)
    return ExecutorFault("BAD_STATEMENT", message, made=False)


def as_json(value: Any, spec: FieldSpec | None) -> JsonValue:
    """What a database gave as JSON: money and other exact numbers as text, unless a number is asked for.

    Raises:
        ExecutorFault: it cannot be said as JSON.
    """
    kind = spec.type if spec is not None else None
    match value:
        case dict():
            below = (spec.properties if spec is not None else None) or {}
            return {str(name): as_json(one, below.get(name)) for name, one in value.items()}
        case list():
            return [as_json(one, spec.items if spec is not None else None) for one in value]
        case bool() | None | str() | float():
            return value
        case int():
            return bool(value) if kind == "boolean" and value in (0, 1) else value
        case Decimal():
            return float(value) if kind in ("number", "integer") else str(value)
        case datetime() if kind == "date":
            return value.date().isoformat()
        case date() | time_of_day():
            return value.isoformat()
        case UUID():
            return str(value)
    raise ExecutorFault("BAD_OUTPUT", f"a value of kind {type(value).__name__} cannot be written as JSON", made=False)
