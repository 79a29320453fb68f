"""Intents, attempts and what a crash leaves: S4, S5, S6 of `docs/semantics.md`."""

import contextlib
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import Recorded, host_in, now_of, open_tasks, published, user

import runtime.advance
import runtime.values
from ir.workflow import NodePolicy, Workflow
from runtime.advance import advance
from runtime.commands import answer, begin, steer
from runtime.errors import BadAnswer, BadInputs
from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.registry import Executors
from runtime.host import Host
from store import audit
from store.tables import CALLS, EXECUTIONS

ID = "transport-compliance"
GIVES = scenario(NOT_FILED).outputs


def plant(folder: Path, gives: dict[str, Any], workflow: Workflow | None = None) -> tuple[Host, Recorded]:
    """The first case with systems that give this."""
    recorded = Recorded({**GIVES, **gives})
    host = host_in(folder, recorded)
    published(host, workflow or gold())
    return host, recorded


def test_s4_another_executor_than_was_published_is_none(tmp_path: Path) -> None:
    """What flowc.toml names later does not carry the node out."""
    host, recorded = plant(tmp_path, {})
    bound = {name: {**one, "kind": "other"} for name, one in host.executors.bound.items()}
    other = Host(host.workspace, host.catalog, Executors(bound, {"other": recorded, "recorded": recorded}))
    execution = begun(host)
    assert advance(other, execution).status == "failed"
    assert recorded.calls == [] and told(host, execution, "node-failed")[0]["error"] == "NO_EXECUTOR"


@pytest.mark.parametrize("gives", [{"more": "\ud800"}, {"more": "\x00"}])
def test_s4_what_cannot_be_stored_is_bad_output(tmp_path: Path, gives: dict[str, Any]) -> None:
    """It is called once, and the node fails."""
    host, recorded = plant(tmp_path, {"identify": {**GIVES["identify"], **gives}})
    execution = begun(host)
    assert advance(host, execution).status == "failed"
    assert len(recorded.calls) == 1 and told(host, execution, "node-failed")[0]["error"] == "BAD_OUTPUT"


def test_s5_done_needs_the_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As its Type gives them."""
    host, _ = plant(tmp_path, {}, with_policy("filing", idempotent=False))
    execution = begun(host)
    killed_while_calling(host, execution, monkeypatch, "filing")
    advance(host, execution)
    (task,) = open_tasks(host, execution)
    for given in ({"what": "done"}, {"what": "done", "outputs": {"has_filing": "no"}}):
        with pytest.raises(BadAnswer, match="outputs"):
            answer(host, user(host, "li"), task.id, given)


def test_s9_what_comes_back_after_a_cancellation_leads_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is recorded."""
    host, recorded = plant(tmp_path, {})
    execution = begun(host)
    carried_out = Executors.carried_out

    def late(own: Executors, call: Call, bound: str) -> Any:
        found = carried_out(own, call, bound)
        if call.node == "filing":
            with monkeypatch.context() as patch:
                patch.setattr(runtime.advance, "_planned", lambda *_: None)
                steer(host, user(host, "li"), execution, "cancel")
                assert advance(host, execution).status == "cancelled"
        return found

    monkeypatch.setattr(Executors, "carried_out", late)
    assert advance(host, execution).status == "cancelled"
    assert [call.node for call in recorded.calls][-1] == "filing"
    assert told(host, execution, "call-answered")[-1]["node"] == "filing"


def with_policy(node: str, **policy: Any) -> Workflow:
    """Gold with another policy of one node."""
    found = gold()
    changed = found.nodes[node].model_copy(update={"policy": NodePolicy(**policy)})
    return found.model_copy(update={"nodes": {**found.nodes, node: changed}})


def begun(host: Host) -> str:
    """An execution, not yet taken up."""
    return begin(host, user(host, "li"), ID, 1, INPUTS).id


def told(host: Host, execution: str, kind: str) -> list[dict[str, Any]]:
    """The events of a kind."""
    with host.workspace.transaction() as connection:
        return [one.body for one in audit.events(connection, execution) if one.kind == kind]


def moments_come(host: Host) -> None:
    """Everything that is waited for is due now."""
    with host.workspace.transaction() as connection:
        for row in [*connection.execute(sa.select(EXECUTIONS))]:
            text = row.state.replace('"again_at":{"filing":"2', '"again_at":{"filing":"1')
            connection.execute(EXECUTIONS.update().where(EXECUTIONS.c.id == row.id).values(state=text))


def test_s4_outputs_that_do_not_fit_fail_the_node(tmp_path: Path) -> None:
    """And say what was expected; the error edge is taken where there is one, else it fails."""
    host, _ = plant(tmp_path, {"identify": {"is_hazardous": "perhaps"}})
    execution = begun(host)
    assert advance(host, execution).status == "failed"
    assert "is_hazardous: it takes boolean" in told(host, execution, "node-failed")[0]["message"]


def test_s4_governance_is_enforced_before_each_call(tmp_path: Path) -> None:
    """Who is not on the list of a Type that needs one gets no call, whatever the definition says."""
    recorded = Recorded(GIVES)
    host = host_in(tmp_path, recorded, allow=["zhao"])
    published(host, gold())
    execution = begun(host)
    advance(host, execution)
    assert "filing" not in [call.node for call in recorded.calls]
    assert told(host, execution, "node-failed")[0]["error"] == "NOT_ALLOWED"


def test_s5_a_key_goes_with_each_call(tmp_path: Path) -> None:
    """Execution, node, attempt; its intent is told before it, its outcome after it."""
    host, recorded = plant(tmp_path, {})
    execution = begun(host)
    advance(host, execution)
    assert recorded.calls[0].key == f"{execution}:identify:1"
    assert [one["key"] for one in told(host, execution, "call-intended")] == [call.key for call in recorded.calls]
    assert len(told(host, execution, "call-answered")) == len(recorded.calls)


class Killed(BaseException):
    """Stands for a process that ends."""


def killed_while_calling(host: Host, execution: str, monkeypatch: pytest.MonkeyPatch, node: str) -> None:
    """End it between the call of a node and what follows from it."""
    carried_out = Executors.carried_out

    def end(own: Executors, call: Call, bound: str) -> Any:
        found = carried_out(own, call, bound)
        if call.node == node:
            raise Killed
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Executors, "carried_out", end)
        with pytest.raises(Killed):
            advance(host, execution)


def test_s5_an_idempotent_call_is_made_again_with_its_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked."""
    host, recorded = plant(tmp_path, {})
    execution = begun(host)
    killed_while_calling(host, execution, monkeypatch, "filing")
    assert advance(host, execution).status == "waiting_human"
    assert [call.key for call in recorded.calls].count(f"{execution}:filing:1") == 2
    assert [one["node"] for one in told(host, execution, "call-repeated")] == ["filing"]


@pytest.mark.parametrize("what", ["done", "not_done", "give_up"])
def test_s5_any_other_call_is_settled_by_a_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """It is not made again by itself; the person says what became of it."""
    host, recorded = plant(tmp_path, {}, with_policy("filing", idempotent=False))
    execution = begun(host)
    killed_while_calling(host, execution, monkeypatch, "filing")
    assert advance(host, execution).status == "waiting_human"
    assert advance(host, execution).status == "waiting_human"
    made = [call.key for call in recorded.calls if call.node == "filing"]
    assert made == [f"{execution}:filing:1"]
    (task,) = open_tasks(host, execution)
    assert task.kind == "settle"
    given = {"what": what} | ({"outputs": GIVES["filing"]} if what == "done" else {})
    answer(host, user(host, "li"), task.id, given)
    found = advance(host, execution)
    made = [call.key for call in recorded.calls if call.node == "filing"]
    assert made == [f"{execution}:filing:1"] + ([f"{execution}:filing:2"] if what == "not_done" else [])
    if what == "give_up":
        assert told(host, execution, "node-failed")[0]["error"] == "UNSETTLED"
    else:
        assert found.status == "waiting_human"
        assert [one.kind for one in open_tasks(host, execution)] == ["approval"]


def test_s5_an_answer_that_never_came_is_settled_too(tmp_path: Path) -> None:
    """Nobody knows whether the system did it."""
    lost = ExecutorFault("NO_ANSWER", "timed out", passing=True, made=None)
    host, _ = plant(tmp_path, {"filing": lost}, with_policy("filing", idempotent=False))
    execution = begun(host)
    assert advance(host, execution).status == "waiting_human"
    assert [one.kind for one in open_tasks(host, execution)] == ["settle"]


def test_s6_what_passes_is_tried_again_later(tmp_path: Path) -> None:
    """After a pause, in which nothing is held; as often as policy allows; then it failed, and why is told."""
    down = [ExecutorFault("SYSTEM_UNAVAILABLE", "down", passing=True, made=False) for _ in range(3)]
    host, recorded = plant(tmp_path, {"filing": [*down]}, with_policy("filing", max_attempts=3, backoff="PT10M"))
    execution = begun(host)
    for attempt in (1, 2):
        found = advance(host, execution)
        assert (found.status, [*found.progress.again_at]) == ("running", ["filing"])
        assert advance(host, execution).revision >= found.revision
        assert sum(call.node == "filing" for call in recorded.calls) == attempt
        moments_come(host)
    advance(host, execution)
    assert [one["attempt"] for one in told(host, execution, "call-delayed")] == [2, 3]
    assert told(host, execution, "not-retried")[0]["why"] == "all 3 attempts were made"
    assert told(host, execution, "node-failed")[0]["error"] == "SYSTEM_UNAVAILABLE"


@pytest.mark.parametrize(
    ("policy", "passing", "why"),
    [
        ({"idempotent": False, "max_attempts": None}, True, "it must not be done twice, or policy allows one attempt"),
        ({"max_attempts": 5}, False, "the failure does not pass by itself"),
    ],
)
def test_s6_what_is_not_tried_again_is_explained(
    tmp_path: Path, policy: dict[str, Any], passing: bool, why: str
) -> None:
    """In the audit."""
    fault = ExecutorFault("HTTP_400", "no", passing=passing, made=True)
    host, recorded = plant(tmp_path, {"filing": fault}, with_policy("filing", **policy))
    execution = begun(host)
    advance(host, execution)
    assert sum(call.node == "filing" for call in recorded.calls) == 1
    assert told(host, execution, "not-retried")[0]["why"] == why


def test_s5_killed_at_any_transaction_nothing_is_lost_or_done_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ended before each transaction in turn, it comes to the same end, and each call is made as often as it may."""
    for cut in range(1, 40):
        host, recorded = plant(tmp_path / str(cut), {}, with_policy("filing", idempotent=False))
        execution = begun(host)
        count, real = 0, type(host.workspace).transaction

        def ending(self: Any, real: Any = real, cut: int = cut) -> Any:
            nonlocal count
            count += 1
            if count == cut:
                raise Killed
            return real(self)

        with monkeypatch.context() as patch:
            patch.setattr(type(host.workspace), "transaction", ending)
            with contextlib.suppress(Killed):
                advance(host, execution)
        for _ in range(4):
            advance(host, execution)
            for task in open_tasks(host, execution):
                if task.kind == "settle":
                    answer(host, user(host, "li"), task.id, {"what": "done", "outputs": GIVES["filing"]})
                else:
                    answer(host, user(host, "wen"), task.id, {"approved": True}, task.digest)
        assert now_of(host, execution).status == "completed", cut
        assert sum(call.node == "filing" for call in recorded.calls) == 1, cut
        with host.workspace.transaction() as connection:
            states = {row.state for row in connection.execute(sa.select(CALLS.c.state))}
        assert states <= {"done", "parked"}, cut
        if count < cut:
            return
    raise AssertionError("it never came to its end without being killed")


def test_what_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inputs and answers alike, with how large they are; an answer may be given again, as often as it is."""
    host, _ = plant(tmp_path, {})
    execution = begun(host)
    advance(host, execution)
    monkeypatch.setattr(runtime.values, "MOST_BYTES", 1 << 20)
    with pytest.raises(BadInputs, match=r"the inputs are too large: they take 3\.0 MiB, and 1 MiB"):
        begin(host, user(host, "li"), ID, 1, {**INPUTS, "substance_name": "硫" * (1 << 20)})
    (task,) = open_tasks(host, execution)
    for _ in range(2):
        with pytest.raises(BadAnswer, match="the answer is too large"):
            answer(host, user(host, "wen"), task.id, {"approved": True, "comment": "x" * (1 << 20)}, task.digest)
    answer(host, user(host, "wen"), task.id, {"approved": True}, task.digest)
    assert advance(host, execution).status == "completed"
