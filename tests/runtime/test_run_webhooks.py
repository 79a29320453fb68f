"""Webhooks: each end and task is told once made, signed, tried again, given up; what is personal is not in them."""

import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import Recorded, host_in, open_tasks, played, published, until, user
from systems import Asked, System, system

from ir.errors import BadSetting
from runtime.advance import advance
from runtime.commands import answer, begin, steer
from runtime.errors import UnknownDelivery
from runtime.host import Host
from runtime.overdue import hand_in_overdue
from runtime.privacy.settings import Privacy
from runtime.webhooks.deliveries import PAUSES, Delivery, deliver, deliveries, retry
from runtime.webhooks.endpoints import EVENTS, Endpoint, Endpoints, read_webhooks
from runtime.webhooks.outbox import gather, register
from runtime.worker import Worker
from store import audit
from store.clock import moment
from store.errors import NotAllowed
from store.tables import AUDIT, DELIVERIES, TASKS

SECRET = base64.b64encode(b"a secret of twenty-four b").decode()
ID, NAME, PAGE = "transport-compliance", "orders", "https://flows.example.org/tasks/{task}"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The secret, as the environment holds it."""
    monkeypatch.setenv("ORDERS_SECRET", f"whsec_{SECRET}")


@pytest.fixture
def receiver() -> Iterator[System]:
    """A system that is told."""
    with system("ok") as one:
        yield one


def endpoint(port: int, **more: Any) -> Endpoint:
    """An endpoint on this machine."""
    return Endpoint(**{"url": f"http://127.0.0.1:{port}/hook", "secret": "ORDERS_SECRET", "private": True, **more})


def host_with(folder: Path, endpoints: Endpoints) -> Host:
    """A workspace in which the first case is published, with endpoints."""
    host = replace(host_in(folder, Recorded(scenario(NOT_FILED).outputs)), webhooks=endpoints)
    published(host, gold())
    register(host.workspace, endpoints)
    return host


def told(host: Host, name: str = NAME) -> list[Delivery]:
    """What is in the outbox, the first first."""
    while gather(host.workspace, name, host.webhooks[name], PAGE):
        pass
    with host.workspace.transaction() as connection:
        return deliveries(connection)[::-1]


def sent(host: Host, name: str = NAME) -> int:
    """How many attempts were due, which were made."""
    made = 0
    while deliver(host.workspace, name, host.webhooks[name]):
        made += 1
    return made


def verified(asked: Asked) -> Any:
    """The content of a webhook, if the library of Standard Webhooks takes its signature."""
    from standardwebhooks import Webhook

    return Webhook(SECRET).verify(asked.body, {name.lower(): value for name, value in asked.headers.items()})


def events(host: Host, kind: str) -> list[audit.Event]:
    """The events of a kind."""
    with host.workspace.transaction() as connection:
        return [one for one in audit.events(connection) if one.kind == kind]


def test_a_run_is_told_from_its_tasks_to_its_end(tmp_path: Path, receiver: System) -> None:
    """Each event once, signed, with ids, states and addresses; the receiver's library takes it."""
    host = host_with(tmp_path, {NAME: endpoint(receiver.port)})
    run = played(host, host.version(ID, 1), scenario(NOT_FILED))
    assert run.status == "completed"
    assert len(told(host)) == sent(host) == len(receiver.asked)
    assert told(host) == told(host) and sent(host) == 0
    got = [verified(one) for one in receiver.asked]
    assert {one["type"] for one in got} == {"task.opened", "run.ended"}  # it was answered before anybody looked
    (ended,) = [one["data"] for one in got if one["type"] == "run.ended"]
    assert ended == {
        "run": run.id, "workflow": f"{ID}@v1", "called_by": None, "state": "completed", "end": "completed",
        "reason_code": None,
    }  # fmt: skip
    (opened,) = [one["data"] for one in got if one["type"] == "task.opened"]
    assert opened["address"] == PAGE.replace("{task}", opened["task"]) and opened["roles"] == ["安全总监"]
    assert len({one.headers["webhook-id"] for one in receiver.asked}) == len(got)
    assert {one.state for one in told(host)} == {"delivered"}


def test_a_run_that_waits_is_told(tmp_path: Path, receiver: System) -> None:
    """Once for each time that it comes to wait, whether that is noted before the worker looked at it or after."""
    host = host_with(tmp_path, {NAME: endpoint(receiver.port, events=("run.waiting",))})
    run = begin(host, user(host, "li"), ID, 1, {}, ask=True).id
    (first,) = told(host)
    assert json.loads(first.body)["data"]["tasks"][0]["kind"] == "start"
    advance(host, run)
    assert told(host) == [first]
    answer(host, user(host, "li"), open_tasks(host, run)[0].id, INPUTS)
    advance(host, run)
    _, second = told(host)
    (task,) = json.loads(second.body)["data"]["tasks"]
    assert task["task"] == open_tasks(host, run)[0].id and task["address"].endswith(task["task"])


def test_overdue_tasks_are_told(tmp_path: Path, receiver: System) -> None:
    """When that is noted, once."""
    host = host_with(tmp_path, {NAME: endpoint(receiver.port, events=("task.overdue",))})
    run = begin(host, user(host, "li"), ID, 1, {}, ask=True).id
    with host.workspace.transaction() as connection:
        connection.execute(TASKS.update().values(due_at=moment(datetime.now(UTC) - timedelta(hours=1))))
    for _ in range(2):
        hand_in_overdue(host.workspace)
        advance(host, run)
    (one,) = told(host)
    data = json.loads(one.body)["data"]
    assert (one.event, data["run"], data["roles"]) == ("task.overdue", run, ["operator"])


def test_endpoints_are_told_what_they_want(tmp_path: Path, receiver: System) -> None:
    """Of their workflows and events, and of nothing that was before them."""
    wants = {
        "ends": endpoint(receiver.port, events=("run.ended",)),
        "others": endpoint(receiver.port, workflows=("another",)),
    }
    host = host_with(tmp_path, wants)
    played(host, host.version(ID, 1), scenario(NOT_FILED))
    assert told(host, "others") == []
    assert [one.event for one in told(host, "ends")] == ["run.ended"]
    late = replace(host, webhooks={**wants, "late": endpoint(receiver.port)})
    register(host.workspace, late.webhooks)
    assert {one.endpoint for one in told(late, "late")} == {"ends"}


def test_nothing_personal_is_told(tmp_path: Path, receiver: System) -> None:
    """Neither what was given nor what came of it, in the outbox or on the way."""
    host = host_with(tmp_path, {NAME: endpoint(receiver.port)})
    host = replace(host, privacy=Privacy(default="personal"))
    run = begin(host, user(host, "li"), ID, 1, INPUTS).id
    advance(host, run)
    steer(host, user(host, "li"), run, "cancel", "a private reason")
    advance(host, run)
    told(host)
    sent(host)
    text = b"".join(one.body for one in receiver.asked).decode()
    assert "run.ended" in text
    for value in (*(str(one) for one in INPUTS.values()), "a private reason"):
        assert value not in text


def test_what_does_not_arrive_is_tried_again_and_given_up(tmp_path: Path, receiver: System) -> None:
    """After longer and longer pauses, under the same id with the same body; then it is an event of the audit."""
    host = host_with(tmp_path, {NAME: endpoint(receiver.port, events=("run.ended",), attempts=3)})
    run = begin(host, user(host, "li"), ID, 1, INPUTS).id
    steer(host, user(host, "li"), run, "cancel")
    advance(host, run)
    told(host)
    receiver.status = 503
    for number in range(1, 4):
        assert sent(host) == 1
        (one,) = told(host)
        assert [(at.number, at.code) for at in one.attempts] == [(at, "HTTP_503") for at in range(1, number + 1)]
        if number < 3:
            seconds = (datetime.fromisoformat(str(one.due_at)) - datetime.now(UTC)).total_seconds()
            assert PAUSES[number - 1] - 5 < seconds <= PAUSES[number - 1] and sent(host) == 0
            due_now(host)
    assert (one.state, one.due_at) == ("given-up", None) and sent(host) == 0
    assert len({(asked.headers["webhook-id"], asked.body) for asked in receiver.asked}) == 1
    (event,) = events(host, "webhook-given-up")
    assert event.execution == run
    assert event.body == {
        "delivery": one.id, "endpoint": NAME, "event": "run.ended", "attempts": 3, "code": "HTTP_503",
    }  # fmt: skip
    receiver.status = 200
    (again,) = retry(host.workspace, user(host, "li"), [one.id])
    assert (again.state, again.tries, sent(host)) == ("waiting", 0, 1)
    (one,) = told(host)
    assert one.state == "delivered" and [at.code for at in one.attempts][-1] == "delivered"
    assert [at.body["delivery"] for at in events(host, "webhook-retried")] == [one.id]
    assert retry(host.workspace, user(host, "li"), [one.id])[0].state == "delivered" and sent(host) == 0
    with host.workspace.transaction() as connection:
        assert audit.verify(connection, "", host.workspace.key.public) == []


def due_now(host: Host) -> None:
    """Let what waits be due."""
    with host.workspace.transaction() as connection:
        past = moment(datetime.now(UTC) - timedelta(seconds=1))
        connection.execute(DELIVERIES.update().where(DELIVERIES.c.state == "waiting").values(due_at=past))


@pytest.mark.parametrize(
    ("changed", "status", "code", "state"),
    [
        ({}, 410, "HTTP_410", "given-up"),
        ({}, 302, "HTTP_302", "waiting"),
        ({"private": False}, 200, "PRIVATE_ADDRESS", "waiting"),
        ({"secret": "NOT_THERE"}, 200, "NO_SECRET", "waiting"),
        ({"url": "http://127.0.0.1:9/hook"}, 200, "SYSTEM_UNAVAILABLE", "waiting"),
    ],
)
def test_what_may_stand_in_the_way(
    tmp_path: Path, receiver: System, changed: dict[str, Any], status: int, code: str, state: str
) -> None:
    """Nothing goes to private addresses or without a secret; who is gone is told no more; nobody is redirected."""
    receiver.status = status
    told_to = endpoint(receiver.port, events=("run.ended",)).model_copy(update=changed)
    host = host_with(tmp_path, {NAME: told_to})
    steer(host, user(host, "li"), begin(host, user(host, "li"), ID, 1, {}, ask=True).id, "cancel")
    with host.workspace.transaction() as connection:
        (run,) = connection.execute(sa.text("select id from executions")).scalars()
    advance(host, run)
    told(host)
    assert sent(host) == 1
    (one,) = told(host)
    assert (one.attempts[0].code, one.state, len(receiver.asked)) == (code, state, 1 if not changed else 0)


def test_a_process_that_ends_anywhere_loses_nothing(tmp_path: Path, receiver: System) -> None:
    """Between the event and the outbox, between the outbox and the request, and between that and its note."""
    host = host_with(tmp_path, {NAME: endpoint(receiver.port, events=("run.ended",))})
    run = begin(host, user(host, "li"), ID, 1, INPUTS).id
    steer(host, user(host, "li"), run, "cancel")
    advance(host, run)
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from runtime.webhooks import deliveries\n"
        "from runtime.webhooks.endpoints import Endpoint\n"
        "from runtime.webhooks.outbox import gather\n"
        "from store.workspace import find_workspace\n"
        "workspace, at = find_workspace(Path(sys.argv[1])), sys.argv[2]\n"
        "endpoint = Endpoint.model_validate_json(sys.argv[3])\n"
        "die = lambda *_: os.kill(os.getpid(), 9)\n"
        "if at == 'gathering':\n"
        "    import runtime.webhooks.outbox as outbox\n"
        "    outbox._put = die\n"
        "gather(workspace, 'orders', endpoint, None)\n"
        "if at == 'gathered': die()\n"
        "if at == 'sending': deliveries.send_signed = die\n"
        "if at == 'noting': deliveries._note = die\n"
        "deliveries.deliver(workspace, 'orders', endpoint)\n"
    )
    for at, arrived in (("gathering", 0), ("gathered", 0), ("sending", 0), ("noting", 1)):
        words = [sys.executable, "-c", script, str(tmp_path), at, host.webhooks[NAME].model_dump_json()]
        done = subprocess.run(words, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=False)
        assert done.returncode == -signal.SIGKILL and len(receiver.asked) == arrived
        due_now(host)
    (one,) = told(host)
    assert one.attempts == () and sent(host) == 1
    first, second = receiver.asked
    assert first.headers["webhook-id"] == second.headers["webhook-id"] == one.id and first.body == second.body
    assert told(host)[0].state == "delivered"


def test_a_delivery_is_made_by_one(tmp_path: Path, receiver: System) -> None:
    """What one process has taken is not due for another until it had time enough."""
    host = host_with(tmp_path, {NAME: endpoint(receiver.port, events=("run.ended",))})
    steer(host, user(host, "li"), run := begin(host, user(host, "li"), ID, 1, INPUTS).id, "cancel")
    advance(host, run)
    told(host)
    seen = []

    def slow(_: Asked) -> tuple[int, str, Any]:
        seen.append(deliver(host.workspace, NAME, host.webhooks[NAME]))
        return 200, "", ""

    receiver.answer = slow
    assert deliver(host.workspace, NAME, host.webhooks[NAME]) and seen == [False]


@pytest.mark.slow
def test_a_worker_sends(tmp_path: Path, receiver: System) -> None:
    """By itself, while it works, what happened before and what happens then; an endpoint that fails holds up none."""
    wants = {NAME: endpoint(receiver.port), "broken": endpoint(9)}
    host = host_with(tmp_path, wants)
    run = begin(host, user(host, "li"), ID, 1, INPUTS).id
    with Worker(host):
        until(lambda: any(verified(one)["type"] == "run.waiting" for one in receiver.asked))
        (task,) = open_tasks(host, run)
        answer(host, user(host, "wen"), task.id, {"approved": True}, task.digest)
        until(lambda: any(verified(one)["type"] == "run.ended" for one in receiver.asked))


def test_what_is_gone_through_is_kept(tmp_path: Path, receiver: System) -> None:
    """Many events in several transactions, none twice."""
    host = host_with(tmp_path, {NAME: endpoint(receiver.port, events=("task.opened",))})
    for _ in range(3):
        played(host, host.version(ID, 1), scenario(NOT_FILED))
    import runtime.webhooks.outbox as outbox

    before, outbox.AT_ONCE = outbox.AT_ONCE, 2
    try:
        assert len(told(host)) == 3
    finally:
        outbox.AT_ONCE = before
    with host.workspace.transaction() as connection:
        last = connection.execute(sa.select(sa.func.max(AUDIT.c.sequence))).scalar_one()
        read_to = connection.execute(sa.text("select read_to from webhook_endpoints")).scalar_one()
    assert read_to == last


def test_who_may_have_them_tried_again(tmp_path: Path, receiver: System) -> None:
    """Operators, of deliveries that there are."""
    host = host_with(tmp_path, {NAME: endpoint(receiver.port)})
    with pytest.raises(UnknownDelivery):
        retry(host.workspace, user(host, "li"), ["msg_1"])
    with pytest.raises(NotAllowed):
        retry(host.workspace, replace(user(host, "li"), roles=frozenset({"author"})), [])


def test_settings_are_read() -> None:
    """With what holds where nothing is said."""
    given = {"url": "https://x.example/hook", "secret": "S"}
    assert read_webhooks({"a": given}) == {"a": Endpoint(url=given["url"], secret="S")}
    assert read_webhooks({"a": given})["a"].events == EVENTS
    assert read_webhooks(None) == read_webhooks({}) == {}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([], "write \\[webhooks.NAME\\]"), ({"a": "https://x.example"}, "write \\[webhooks.NAME\\]"),
        ({"A b": {"url": "https://x.example", "secret": "S"}}, "A b: the name takes"),
        ({"a": {"url": "x", "secret": "S"}}, "a: url"),
        ({"a": {"url": "https://x.example/{run}", "secret": "S"}}, "a: url"),
        ({"a": {"url": "https://u:p@x.example", "secret": "S"}}, "a: url"),
        ({"a": {"url": "https://x.example", "secret": "S", "events": ["run.begun"]}}, "a: events"),
        ({"a": {"url": "https://x.example", "secret": "S", "events": []}}, "a: events"),
        ({"a": {"url": "https://x.example"}}, "a: .*secret"),
        ({"a": {"url": "https://x.example", "secret": "S", "attempts": 0}}, "a: attempts"),
        ({"a": {"url": "https://x.example", "secret": "S", "attempts": 99}}, "a: attempts"),
        ({"a": {"url": "https://x.example", "secret": "S", "secrets": 1}}, "secrets"),
        ({"a": {"url": "https://x.example", "secret": "S", "at": datetime(2026, 1, 1)}}, "a: "),
    ],
)  # fmt: skip
def test_settings_that_cannot_be(table: Any, words: str) -> None:
    """Are refused, all of them, each with the endpoint."""
    with pytest.raises(BadSetting, match=words):
        read_webhooks(table)
