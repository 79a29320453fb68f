"""Looks rows up by one statement that only reads, in SQLite or PostgreSQL.

    [executors."io.check_filing_status"]
    kind = "sql"
    database = "FILING_DATABASE"          # the environment variable that holds the address
    statement = "select number, state from filing where cas = :cas_number"
    give = {has_filing = true, filing_id = "number", filing_status = "state"}
    none = {has_filing = false, filing_status = "missing"}

Inputs are parameters, never text of the statement. The database is opened to be read: SQLite with `mode=ro` and
`query_only`, PostgreSQL in a transaction that is read only and through a cursor, which takes no other statement. A
function of the database may still do what it likes: use a role that may only read.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, cast

import sqlalchemy as sa
from pydantic import AfterValidator, Field, JsonValue, StringConstraints

from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.giving import evidence, given_outputs, null_outputs, with_evidence
from runtime.executors.read_only import as_json, database_fault, opened
from runtime.executors.settings import Settings, secret, settings_of, settled

_QUOTED = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\$(\w*)\$.*?\$\1\$", re.DOTALL)
_WRITING = re.compile(
    r"\b(insert|update|delete|merge|into|create|alter|drop|truncate|grant|revoke|copy|call|attach|detach|pragma|vacuum)\b",
    re.IGNORECASE,
)


def _reading(statement: str) -> str:
    """A statement that is one SELECT, as far as a look at its words can tell; the database sees to the rest."""
    if re.search(r"\be'", statement, re.IGNORECASE):
        raise ValueError("write strings without backslashes")
    plain = _QUOTED.sub(" ", statement).strip().removesuffix(";")
    if not re.match(r"(select|with)\b", plain, re.IGNORECASE):
        raise ValueError("a statement begins with select or with")
    if re.search(r"[;'\"]", plain):
        raise ValueError("write one statement, its quotes closed")
    if found := _WRITING.search(plain):
        raise ValueError(f"a statement only reads, and {found[0]} does not; put a column of this name into quotes")
    return statement.strip().removesuffix(";")


class SqlSettings(Settings):
    """What the executor is told.

    Args:
        database: the environment variable that holds the address, as SQLAlchemy writes it.
        statement: one SELECT, inputs as `:input`.
        give: by output the column that it comes from, or a value; without it each column is the output of its name.
        rows: the output that takes a list of all rows; without it there may be one row.
        none: what there is to give where there is no row, or the code with which the node fails.
        limit: rows at most.
        seconds: for the statement, where that is less than the node's timeout.
        system: how evidence names the database.
    """

    database: str
    statement: Annotated[str, AfterValidator(_reading)]
    give: dict[str, JsonValue] = {}
    rows: str | None = None
    none: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]*$")] | dict[str, JsonValue] | None = None
    limit: int = Field(default=1000, ge=1, le=100_000)
    seconds: float | None = Field(default=None, gt=0)
    system: str | None = None


class SqlExecutor:
    """Looks rows up in a database."""

    def settle(self, settings: Mapping[str, Any], root: Path) -> Mapping[str, Any]:
        """See `Settling`."""
        return settled(SqlSettings, settings)

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        told = settings_of(SqlSettings, call)
        seconds = min(call.timeout, told.seconds or call.timeout)
        columns, rows = _rows(told, call, seconds)
        given = told.give or {one: one for one in columns}
        found = [given_outputs(given, row, columns, "the statement") for row in rows]
        if told.rows is None and len(found) > 1:
            raise ExecutorFault("AMBIGUOUS", f"{len(found)} rows were found, and one is asked for", made=False)
        outputs: dict[str, JsonValue]
        if told.rows is not None:
            outputs = {told.rows: cast("JsonValue", found)}
        else:
            outputs = found[0] if found else _none(told, call)
        typed = {name: as_json(value, call.outputs.get(name)) for name, value in outputs.items()}
        return with_evidence(typed, _evidence(told, call, None if found or told.rows else "not_found"))


def _none(told: SqlSettings, call: Call) -> dict[str, JsonValue]:
    """What there is to give without a row."""
    message = f"no row for {dict(call.inputs)}"
    if isinstance(told.none, str):
        raise ExecutorFault(told.none, message, made=False)
    given = told.none or {}
    left = {name: spec for name, spec in call.outputs.items() if name not in given}
    return {**null_outputs(left, "NOT_FOUND", message), **given}


def _evidence(told: SqlSettings, call: Call, status: str | None) -> dict[str, JsonValue]:
    system = told.system or told.database
    return evidence(call.outputs, {"system": system, "query_ref": call.key, "status": status}, "business_system")


def _rows(told: SqlSettings, call: Call, seconds: float) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns, and the rows that the statement finds."""
    statement = sa.text(told.statement)
    wanted = statement.compile().params
    missing = [name for name in wanted if name not in call.inputs or isinstance(call.inputs[name], list | dict)]
    if missing:
        told_inputs = ", ".join(call.inputs) or "none"
        raise ExecutorFault("BAD_INPUT", f"{missing[0]} is no input with one value; inputs: {told_inputs}", made=False)
    try:
        with opened(secret(told.database), seconds) as connection:
            streamed = statement.execution_options(stream_results=True, max_row_buffer=told.limit + 1)
            with connection.execute(streamed, {name: call.inputs[name] for name in wanted}) as result:
                columns, rows = list(result.keys()), [dict(row) for row in result.mappings().fetchmany(told.limit + 1)]
    except sa.exc.DBAPIError as error:
        raise database_fault(error) from error
    if len(rows) > told.limit:
        raise ExecutorFault("TOO_MANY_ROWS", f"more than {told.limit} rows (`limit` in flowc.toml)", made=False)
    return columns, rows
