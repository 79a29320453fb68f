"""Tasks that are given to somebody: S7 of `docs/semantics.md`."""

from pathlib import Path

import pytest
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import Recorded, host_in, open_tasks, published, user

from runtime.advance import advance
from runtime.claiming import claim, delegate, give_back
from runtime.commands import answer, begin, steer
from runtime.errors import TaskClosed, UnknownTask
from runtime.forms import Task
from runtime.host import Host
from store import audit
from store.errors import NotAllowed, UnknownUser
from store.users import add_user

ID, ROLE = "transport-compliance", "安全总监"


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """The first case, published; hu and ma have the role of its approval, wu has none."""
    found = host_in(tmp_path, Recorded(scenario(NOT_FILED).outputs))
    published(found, gold())
    with found.workspace.transaction() as connection:
        add_user(connection, "hu", frozenset({ROLE}), "wen")
        add_user(connection, "ma", frozenset({ROLE}), "wen")
        add_user(connection, "wu", frozenset(), "wen")
    return found


def waiting(host: Host, by: str = "li") -> Task:
    """The approval that a new execution waits for."""
    found = begin(host, user(host, by), ID, 1, INPUTS)
    advance(host, found.id)
    (task,) = open_tasks(host, found.id)
    return task


def again(host: Host, task: Task) -> Task:
    """A task as it stands."""
    (found,) = open_tasks(host, task.execution)
    return found


def test_s7_a_delegate_answers_without_the_role(host: Host) -> None:
    """Alone, with the delegation and its reason in the audit; what was shown is the same."""
    task = waiting(host)
    with pytest.raises(NotAllowed):
        answer(host, user(host, "wu"), task.id, {"approved": True}, task.digest)
    found = delegate(host, user(host, "hu"), task.id, "wu", "on leave")
    assert (found.status, found.claimed_by, found.delegated_by, found.digest) == ("claimed", "wu", "hu", task.digest)
    for other in ("hu", "ma"):
        with pytest.raises(NotAllowed, match="wu claimed"):
            answer(host, user(host, other), task.id, {"approved": True}, task.digest)
    answer(host, user(host, "wu"), task.id, {"approved": True}, task.digest)
    assert advance(host, task.execution).status == "completed"
    with host.workspace.transaction() as connection:
        told = {one.kind: one for one in audit.events(connection, task.execution)}
    assert told["task-delegated"].principal == "hu"
    assert told["task-delegated"].body == {"task": task.id, "node": "approve", "to": "wu", "reason": "on leave"}
    assert (told["answered"].principal, told["answered"].body["delegated_by"]) == ("wu", "hu")


@pytest.mark.parametrize("who", ["wu", "hu"])
def test_s7_it_is_given_back_or_taken_back(host: Host, who: str) -> None:
    """By the delegate or by who delegated it; then it is as before, and the delegate has no right to it any more."""
    task = waiting(host)
    delegate(host, user(host, "hu"), task.id, "wu")
    with pytest.raises(NotAllowed):
        give_back(host, user(host, "ma"), task.id)
    give_back(host, user(host, who), task.id)
    assert again(host, task) == task
    with pytest.raises(NotAllowed, match=ROLE):
        answer(host, user(host, "wu"), task.id, {"approved": True}, task.digest)
    answer(host, user(host, "ma"), task.id, {"approved": True}, task.digest)


def test_s7_who_claimed_it_may_delegate_it_and_nobody_else(host: Host) -> None:
    """Nor may who lacks the role, nor a delegate give it on; to claim it takes nothing from the delegation."""
    task = waiting(host)
    with pytest.raises(NotAllowed, match=ROLE):
        delegate(host, user(host, "wu"), task.id, "ma")
    claim(host, user(host, "hu"), task.id)
    with pytest.raises(NotAllowed, match="hu claimed"):
        delegate(host, user(host, "ma"), task.id, "wu")
    delegate(host, user(host, "hu"), task.id, "wu")
    assert claim(host, user(host, "wu"), task.id).delegated_by == "hu"
    with pytest.raises(NotAllowed, match="give it back rather than on"):
        delegate(host, user(host, "wu"), task.id, "ma")


def test_s7_four_eyes_hold_for_a_delegate(host: Host) -> None:
    """Who began what is of high risk neither gets its approval nor chooses who gives it."""
    task = waiting(host)
    with pytest.raises(NotAllowed, match="li began"):
        delegate(host, user(host, "hu"), task.id, "li")
    assert again(host, task) == task
    own = waiting(host, by="wen")
    with pytest.raises(NotAllowed, match="wen began"):
        delegate(host, user(host, "wen"), own.id, "wu")


def test_s7_what_cannot_be_delegated_is_refused_and_changes_nothing(host: Host) -> None:
    """To nobody, to oneself, what is not there, what is answered, what was called off."""
    task, hu = waiting(host), user(host, "hu")
    with pytest.raises(UnknownUser):
        delegate(host, hu, task.id, "nobody")
    with pytest.raises(NotAllowed, match="task claim"):
        delegate(host, hu, task.id, "hu")
    with pytest.raises(UnknownTask):
        delegate(host, hu, "t-0", "wu")
    assert again(host, task) == task
    delegate(host, hu, task.id, "wu")
    answer(host, user(host, "wu"), task.id, {"approved": True}, task.digest)
    with pytest.raises(TaskClosed):
        delegate(host, hu, task.id, "ma")
    with pytest.raises(TaskClosed):
        give_back(host, hu, task.id)
    other = waiting(host)
    delegate(host, hu, other.id, "wu")
    steer(host, user(host, "li"), other.execution, "cancel")
    advance(host, other.execution)
    with pytest.raises(TaskClosed):
        answer(host, user(host, "wu"), other.id, {"approved": True}, other.digest)
    with pytest.raises(TaskClosed):
        delegate(host, hu, other.id, "ma")
