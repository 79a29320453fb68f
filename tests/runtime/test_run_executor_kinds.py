"""Whole runs in which an executor of flowc carries a node out: what it gives fits the Type, and decides the way."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hazmat import NOT_FILED, gold, scenario
from plant import Recorded, host_in, played, published

from runtime.executors.registry import Executors, executors_from
from runtime.host import Host
from store import audit

FILINGS: dict[str, Any] = {
    "kind": "sql", "database": "FILINGS", "system": "filing register", "allow": ["*"],
    "statement": "select number, state from filing where shipment = :shipment_id",
    "give": {"has_filing": True, "filing_id": "number", "filing_status": "state"},
    "none": {"has_filing": False, "filing_status": "missing"},
}  # fmt: skip


def host_with(folder: Path, recorded: Recorded) -> Host:
    """A workspace in which filings are looked up in a database, and all else is recorded."""
    host = host_in(folder, recorded)
    bound = executors_from({"io.check_filing_status": FILINGS})
    kinds = {**bound.kinds, **host.executors.kinds}
    return Host(host.workspace, host.catalog, Executors({**host.executors.bound, **bound.bound}, kinds))


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ((), {"has_filing": False, "filing_id": None, "filing_status": "missing", "status": "not_found"}),
        (
            ("SHIP-2026-00019", "F-1", "approved"),
            {"has_filing": True, "filing_id": "F-1", "filing_status": "approved", "status": None},
        ),
    ],
)
def test_a_run_reads_a_database(
    row: tuple[str, ...], found: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call is recorded with what the database had, and the run goes on to its end by it."""
    with sqlite3.connect(tmp_path / "filings.db") as connection:
        connection.execute("create table filing (shipment text, number text, state text)")
        connection.execute(f"insert into filing select {', '.join('?' * len(row))}" if row else "select 1", row)
    connection.close()
    monkeypatch.setenv("FILINGS", f"sqlite:///{tmp_path / 'filings.db'}")
    recorded = Recorded(scenario(NOT_FILED).outputs)
    host = host_with(tmp_path / "plant", recorded)
    execution = played(host, published(host, gold()), scenario(NOT_FILED))
    assert execution.status == "completed" and "filing" not in [one.node for one in recorded.calls]
    with host.workspace.transaction() as opened:
        (answer,) = [
            one.body["output"]
            for one in audit.events(opened, execution.id)
            if one.kind == "call-answered" and one.body["node"] == "filing"
        ]
    told = answer["evidence"]
    assert (told["source_type"], told["system"]) == ("business_system", "filing register")
    assert {name: {**answer, "status": told.get("status")}[name] for name in found} == found


def test_a_database_that_is_not_there_takes_the_ways_of_a_system_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node fails with the executor's code after the attempts that its policy allows; nothing is made up."""
    monkeypatch.setenv("FILINGS", f"sqlite:///{tmp_path / 'none.db'}")
    host = host_with(tmp_path / "plant", Recorded(scenario(NOT_FILED).outputs))
    execution = played(host, published(host, gold()), scenario(NOT_FILED))
    with host.workspace.transaction() as opened:
        answered = [one.body for one in audit.events(opened, execution.id) if one.kind == "call-answered"]
    assert answered[-1]["node"] == "filing" and answered[-1]["error"] == "SYSTEM_UNAVAILABLE"
    assert not (tmp_path / "none.db").exists()
