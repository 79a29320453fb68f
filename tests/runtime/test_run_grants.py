"""What a token is good for is asked by the runtime, by whatever way its user comes; and how often a program calls."""

from dataclasses import replace
from pathlib import Path

import pytest
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import Recorded, host_in, open_tasks, published, user

from runtime.advance import advance
from runtime.claiming import claim, delegate, give_back
from runtime.commands import answer, begin, steer
from runtime.errors import TooManyCalls
from runtime.governance import rates
from runtime.governance.rates import Rates
from runtime.host import Host
from runtime.telling import explain, replay
from store.errors import OutOfScope
from store.users import READ, START, TASK, Grant, User

ID = "transport-compliance"


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """The first case, published."""
    found = host_in(tmp_path, Recorded(scenario(NOT_FILED).outputs))
    published(found, gold())
    return found


def holding(host: Host, *scopes: str, of: str = "wen", workflow: str = ID) -> User:
    """Somebody with a token."""
    return replace(user(host, of), grant=Grant("t", frozenset(scopes), frozenset({workflow})))


def test_each_act_takes_its_scope(host: Host) -> None:
    """Whoever has all rights, and came with a token for something else, or for another workflow."""
    for without in (holding(host, READ, TASK), holding(host, START, workflow="another")):
        with pytest.raises(OutOfScope):
            begin(host, without, ID, 1, INPUTS)
    begun = begin(host, holding(host, START, of="li"), ID, 1, INPUTS)
    advance(host, begun.id)
    (task,) = open_tasks(host, begun.id)
    for without in (holding(host, READ, START), holding(host, TASK, workflow="another")):
        with pytest.raises(OutOfScope):
            claim(host, without, task.id)
        with pytest.raises(OutOfScope):
            delegate(host, without, task.id, "zhao")
        with pytest.raises(OutOfScope):
            give_back(host, without, task.id)
        with pytest.raises(OutOfScope):
            answer(host, without, task.id, {"approved": True}, task.digest)
    for what in ("pause", "resume", "cancel"):
        with pytest.raises(OutOfScope):
            steer(host, holding(host, READ, TASK), begun.id, what)
    answer(host, holding(host, TASK), task.id, {"approved": True}, task.digest)
    assert advance(host, begun.id).status == "completed"
    for without in (holding(host, START, TASK), holding(host, READ, workflow="another")):
        with pytest.raises(OutOfScope):
            explain(host, begun.id, without)
        with pytest.raises(OutOfScope):
            replay(host, begun.id, without)
    assert not replay(host, begun.id, holding(host, READ)).differences
    assert explain(host, begun.id, holding(host, READ))["status"] == "completed"


def test_calls_are_counted_within_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """By user; what is refused does not count, and the time until the next is told."""
    at = [1000.0]
    monkeypatch.setattr(rates.time, "monotonic", lambda: at[0])
    counted = Rates(2)
    counted.take("bot")
    at[0] += 20
    counted.take("bot")
    for _ in range(3):
        with pytest.raises(TooManyCalls) as refused:
            counted.take("bot")
        assert refused.value.wait == 41
    counted.take("other")
    at[0] += 41
    counted.take("bot")
    with pytest.raises(TooManyCalls):
        counted.take("bot")
