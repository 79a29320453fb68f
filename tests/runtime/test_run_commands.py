"""Beginning, answering, pausing and cancelling: S1, S2, S3, S7, S9 of `docs/semantics.md`."""

from pathlib import Path

import pytest
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import Recorded, host_in, now_of, open_tasks, published, user

from registry.versions import deprecate, submit
from runtime.advance import advance
from runtime.claiming import claim, give_back
from runtime.commands import answer, begin, steer
from runtime.errors import AlreadyEnded, BadAnswer, BadInputs, NotPublished, TaskClosed, UnknownExecution
from runtime.executions import execution_of
from runtime.host import Host
from runtime.telling import replay
from store import audit
from store.errors import NotAllowed

ID = "transport-compliance"


@pytest.fixture
def recorded() -> Recorded:
    """What the systems give where nothing is filed."""
    return Recorded(scenario(NOT_FILED).outputs)


@pytest.fixture
def host(tmp_path: Path, recorded: Recorded) -> Host:
    """The first case, published."""
    found = host_in(tmp_path, recorded)
    published(found, gold())
    return found


def approval(host: Host, execution: str) -> str:
    """The open approval of an execution."""
    (task,) = open_tasks(host, execution)
    assert task.kind == "approval"
    return task.id


def begun(host: Host) -> str:
    """An execution that waits for its approval."""
    found = begin(host, user(host, "li"), ID, 1, INPUTS)
    assert advance(host, found.id).status == "waiting_human"
    return found.id


def kinds(host: Host, execution: str) -> list[str]:
    """What the audit tells of an execution."""
    with host.workspace.transaction() as connection:
        return [one.kind for one in audit.events(connection, execution)]


def test_s1_it_waits_for_a_person_and_completes(host: Host) -> None:
    """Not compliant, and approved as such: the result bears the end's status, the walk's path."""
    execution = begun(host)
    task = open_tasks(host, execution)[0]
    answer(host, user(host, "wen"), task.id, {"approved": True}, task.digest)
    found = advance(host, execution)
    assert found.status == "completed"
    with host.workspace.transaction() as connection:
        ended = [one.body for one in audit.events(connection, execution) if one.kind == "ended"]
    assert ended[0]["outputs"]["decision_code"] == "NOT_COMPLIANT_MISSING_FILING"
    assert ended[0]["path"] == ["identify", "level", "mode_check", "filing", "summary", "approve", "done"]


def test_s2_only_what_is_published_begins(host: Host) -> None:
    """Neither a draft nor what was deprecated."""
    submit(host.workspace, user(host, "li"), gold(), host.catalog, "0.1")
    with pytest.raises(NotPublished, match="is draft"):
        begin(host, user(host, "li"), ID, 2, INPUTS)
    begun(host)
    deprecate(host.workspace, user(host, "wen"), ID, 1, "a new law")
    again = Host(host.workspace, host.catalog, host.executors)
    with pytest.raises(NotPublished, match="deprecated"):
        begin(again, user(host, "li"), ID, 1, INPUTS)


def test_s2_all_wrong_inputs_are_named(host: Host) -> None:
    """Missing, of another kind, unknown; nothing is written."""
    with pytest.raises(BadInputs) as stopped:
        begin(host, user(host, "li"), ID, 1, {"quantity_kg": "five tons", "colour": "red", "transport_mode": "公路"})
    told = str(stopped.value)
    for words in ("quantity_kg: it takes number", "colour: there is no such field", "shipment_id: missing"):
        assert words in told
    with host.workspace.transaction() as connection, pytest.raises(UnknownExecution):
        execution_of(connection, "e-1")


def test_s2_missing_inputs_are_asked_for(host: Host, recorded: Recorded) -> None:
    """With ask it waits before the first node; what is wrong is asked for again, however often."""
    inputs = {name: value for name, value in INPUTS.items() if name != "shipment_id"}
    found = begin(host, user(host, "li"), ID, 1, inputs, ask=True)
    assert advance(host, found.id).status == "waiting_human" and recorded.calls == []
    (task,) = open_tasks(host, found.id)
    assert (task.kind, [*task.fields]) == ("start", ["shipment_id"])
    for _ in range(3):
        with pytest.raises(BadAnswer, match="shipment_id: it takes string"):
            answer(host, user(host, "li"), task.id, {"shipment_id": 7})
    answer(host, user(host, "li"), task.id, {"shipment_id": "SHIP-7"})
    advance(host, found.id)
    assert [call.node for call in recorded.calls][:1] == ["identify"]
    (filing,) = [call for call in recorded.calls if call.node == "filing"]
    assert filing.inputs["shipment_id"] == "SHIP-7"
    assert approval(host, found.id)


def test_s3_the_same_row_is_one(host: Host) -> None:
    """The same key begins one execution; a task is answered once."""
    one = begin(host, user(host, "li"), ID, 1, INPUTS, key="order-7")
    assert begin(host, user(host, "li"), ID, 1, INPUTS, key="order-7").id == one.id
    advance(host, one.id)
    task = open_tasks(host, one.id)[0]
    answer(host, user(host, "wen"), task.id, {"approved": True}, task.digest)
    with pytest.raises(TaskClosed):
        answer(host, user(host, "wen"), task.id, {"approved": False}, task.digest)
    assert advance(host, one.id).status == "completed"
    assert advance(host, one.id).status == "completed"
    assert kinds(host, one.id).count("ended") == 1


def test_s7_who_may_answer(host: Host) -> None:
    """Somebody with the role, not who began it where the risk is high, and nobody else once it is claimed."""
    execution = begin(host, user(host, "wen"), ID, 1, INPUTS).id
    advance(host, execution)
    task = open_tasks(host, execution)[0]
    with pytest.raises(NotAllowed, match="安全总监"):
        answer(host, user(host, "zhao"), task.id, {"approved": True}, task.digest)
    with pytest.raises(NotAllowed, match="somebody else has to approve"):
        answer(host, user(host, "wen"), task.id, {"approved": True}, task.digest)
    other = begun(host)
    task = open_tasks(host, other)[0]
    claim(host, user(host, "wen"), task.id)
    assert open_tasks(host, other)[0].claimed_by == "wen"
    give_back(host, user(host, "wen"), task.id)
    assert open_tasks(host, other)[0].claimed_by is None


def test_s7_an_approval_is_about_what_was_shown(host: Host) -> None:
    """Another digest is refused."""
    execution = begun(host)
    with pytest.raises(BadAnswer, match="look at it again"):
        answer(host, user(host, "wen"), approval(host, execution), {"approved": True}, "sha256:0")


def test_s7_the_second_invalid_answer_fails_the_node(host: Host) -> None:
    """The first is refused and told; after the second there is no task any more."""
    execution = begun(host)
    task = open_tasks(host, execution)[0]
    with pytest.raises(BadAnswer, match="approved: it takes boolean"):
        answer(host, user(host, "wen"), task.id, {"approved": "yes"}, task.digest)
    assert open_tasks(host, execution)[0].id == task.id
    answer(host, user(host, "wen"), task.id, {"approved": "yes"}, task.digest)
    assert advance(host, execution).status == "failed"
    assert kinds(host, execution)[-2:] == ["node-failed", "ended"]
    assert open_tasks(host, execution) == []


def test_s9_a_paused_execution_carries_nothing_out(host: Host, recorded: Recorded) -> None:
    """It takes answers, and goes on where it is resumed."""
    found = begin(host, user(host, "li"), ID, 1, INPUTS)
    steer(host, user(host, "li"), found.id, "pause")
    assert advance(host, found.id).paused and recorded.calls == []
    steer(host, user(host, "li"), found.id, "resume")
    assert advance(host, found.id).status == "waiting_human"
    assert [call.node for call in recorded.calls] == ["identify", "level", "filing", "summary"]


def test_s9_a_cancelled_execution_closes_its_tasks(host: Host) -> None:
    """With the reason in the audit; nothing can be done to it any more."""
    execution = begun(host)
    task = open_tasks(host, execution)[0]
    steer(host, user(host, "li"), execution, "cancel", "sent by rail")
    assert advance(host, execution).status == "cancelled"
    with pytest.raises(TaskClosed):
        answer(host, user(host, "wen"), task.id, {"approved": True}, task.digest)
    with pytest.raises(AlreadyEnded):
        steer(host, user(host, "li"), execution, "resume")
    assert now_of(host, execution).status == "cancelled"


@pytest.mark.parametrize("approved", [True, False])
def test_s10_what_was_cancelled_as_it_came_to_its_end_replays(host: Host, approved: bool) -> None:
    """Its path goes as far as what is recorded leads, to the end where that is the next node."""
    execution = begun(host)
    (task,) = open_tasks(host, execution)
    answer(host, user(host, "wen"), task.id, {"approved": approved}, task.digest)
    steer(host, user(host, "li"), execution, "cancel")
    assert advance(host, execution).status == "cancelled"
    assert replay(host, execution).differences == ()
