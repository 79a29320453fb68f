"""How runs ended, beside their states: kept with each run, and looked for by it."""

from pathlib import Path

import pytest
from alembic import command
from plant import Recorded, host_in, now_of, open_tasks, published, user
from test_run_its_end import asked

from ir.walk import RunStatus
from runtime.advance import advance
from runtime.commands import answer, begin, steer
from runtime.executions import executions
from runtime.forms import Status
from runtime.host import Host
from runtime.telling import explain
from store.database import _migrations

CASES: dict[str, tuple[Status, RunStatus | None]] = {
    "granted": ("completed", "completed"), "refused": ("completed", "rejected"),
    "turned-away": ("completed", "rejected"), "called-off": ("cancelled", "cancelled"), "failed": ("failed", "failed"),
    "waiting": ("waiting_human", None),
}  # fmt: skip
"""By what becomes of a run its state and its end."""


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """With a workflow that asks, and turns away who asks for too much."""
    found = host_in(tmp_path, Recorded())
    guard = {"condition": {"lte": ["$.inputs.days", 30]}, "error_code": "TOO_MANY"}
    published(found, asked(guards=[guard]))
    return found


@pytest.fixture
def runs(host: Host) -> dict[str, str]:
    """A run for each of what may become of one."""
    return {name: ran(host, name) for name in CASES}


def ran(host: Host, what: str) -> str:
    """A run that came to something."""
    execution = begin(host, user(host, "li"), "leave", 1, {"days": 40 if what == "turned-away" else 3}).id
    advance(host, execution)
    if what == "called-off":
        steer(host, user(host, "li"), execution, "cancel", "no need")
    elif what in ("granted", "refused"):
        (task,) = open_tasks(host, execution)
        answer(host, user(host, "wen"), task.id, {"approved": what == "granted"}, task.digest)
    elif what == "failed":
        (task,) = open_tasks(host, execution)
        with pytest.raises(Exception, match="approved: missing"):
            answer(host, user(host, "wen"), task.id, {}, task.digest)
        answer(host, user(host, "wen"), task.id, {}, task.digest)
    advance(host, execution)
    return execution


def found_by(host: Host, end: RunStatus) -> set[str]:
    """The runs that ended so."""
    with host.workspace.transaction() as connection:
        return {one.id for one in executions(connection, end=end)}


@pytest.mark.parametrize("name", CASES)
def test_s1_a_run_says_how_it_ended(host: Host, name: str) -> None:
    """By its end, beside its state, which stays what it was; nothing while it goes on."""
    found = now_of(host, ran(host, name))
    assert (found.status, found.end) == CASES[name]
    assert explain(host, found.id)["end"] == found.end


def test_runs_are_found_by_their_end(host: Host, runs: dict[str, str]) -> None:
    """Refused ones apart from those that completed."""
    assert found_by(host, "rejected") == {runs["refused"], runs["turned-away"]}
    assert found_by(host, "completed") == {runs["granted"]} and found_by(host, "returned") == set()
    with host.workspace.transaction() as connection:
        both = executions(connection, status="completed", end="cancelled", workflow_id="leave")
        assert both == [] and len(executions(connection)) == len(CASES)


def test_an_upgrade_takes_the_ends_from_the_audit(host: Host, runs: dict[str, str]) -> None:
    """Of runs that ended before they were kept."""
    config, ends = _migrations(), {name: now_of(host, one).end for name, one in runs.items()}
    with host.workspace.database.engine.connect() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0007")
        connection.commit()
    host.workspace.database.upgrade()
    assert {name: now_of(host, one).end for name, one in runs.items()} == ends
    assert ends == {name: end for name, (_, end) in CASES.items()}
