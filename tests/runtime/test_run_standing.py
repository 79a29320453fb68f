"""Where a run stands: what becomes of each node while it goes on, and of what was deleted afterwards."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from calling import called, caller, gone_on
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import Recorded, host_in, open_tasks, published, user

from runtime.advance import advance
from runtime.commands import answer, begin, steer
from runtime.errors import UnknownExecution
from runtime.executors.contract import ExecutorFault
from runtime.forget import forget
from runtime.host import Host
from runtime.privacy.settings import Privacy
from runtime.subworkflows import child_id
from runtime.views.standing import standing

CHECKED = {
    "within_limit": True, "excess": 0, "reason_code": "X", "evidence": {"source_type": "policy_doc", "doc_id": "d"},
}  # fmt: skip


def hazmat(folder: Path, **gives: Any) -> Host:
    """The first case, published, with what its systems give."""
    host = host_in(folder, Recorded({**scenario(NOT_FILED).outputs, **gives}))
    published(host, gold())
    return host


def test_from_its_start_to_its_end(tmp_path: Path) -> None:
    """Nothing before it began; done, waiting and not come to while it waits; done and passed by at its end."""
    host = hazmat(tmp_path)
    begun = begin(host, user(host, "li"), "transport-compliance", 1, INPUTS)
    assert set(standing(host, begun.id).nodes.values()) == {"pending"}
    advance(host, begun.id)
    now = standing(host, begun.id)
    assert (now.nodes["summary"], now.nodes["approve"], now.nodes["done"]) == ("succeeded", "waiting", "pending")
    assert not now.ended and now.nodes["ask_cas_number"] == "skipped"
    (task,) = open_tasks(host, begun.id)
    answer(host, user(host, "wen"), task.id, {"approved": True}, task.digest)
    advance(host, begun.id)
    end = standing(host, begun.id)
    assert (end.nodes["done"], end.nodes["rejected"], end.ended) == ("succeeded", "skipped", True)
    assert end.revision > now.revision and end.taken > now.taken


def test_what_is_tried_again_and_what_failed(tmp_path: Path) -> None:
    """A call that is made again later is told as such, and a node without a way on as failed."""
    down = ExecutorFault("SYSTEM_UNAVAILABLE", "down", passing=True, made=False)
    workflow = gold()
    filing = workflow.nodes["filing"]
    policy = filing.policy.model_copy(update={"max_attempts": 2, "backoff": "PT10M"})
    changed = {**workflow.nodes, "filing": filing.model_copy(update={"policy": policy})}
    host = host_in(tmp_path, Recorded({**scenario(NOT_FILED).outputs, "filing": down}))
    published(host, workflow.model_copy(update={"nodes": changed}))
    begun = begin(host, user(host, "li"), "transport-compliance", 1, INPUTS)
    advance(host, begun.id)
    assert standing(host, begun.id).nodes["filing"] == "delayed"
    lost = hazmat(tmp_path / "other", identify=ExecutorFault("GONE", "gone"))
    failed = begin(lost, user(lost, "li"), "transport-compliance", 1, INPUTS)
    advance(lost, failed.id)
    assert standing(lost, failed.id).nodes["identify"] == "failed"


def test_a_paused_run_carries_nothing_out(tmp_path: Path) -> None:
    """What would be next is not told as under way."""
    host = hazmat(tmp_path)
    begun = begin(host, user(host, "li"), "transport-compliance", 1, INPUTS)
    steer(host, user(host, "li"), begun.id, "pause")
    advance(host, begun.id)
    now = standing(host, begun.id)
    assert now.paused and now.nodes["identify"] == "pending"


def test_a_node_that_called_a_run_waits_for_it(tmp_path: Path) -> None:
    """It is not told as under way here; the called run has a standing of its own."""
    host = host_in(tmp_path, Recorded({"check": CHECKED}))
    published(host, called(person=True))
    published(host, caller())
    begun = begin(host, user(host, "li"), "order", 1, {"amount": 70})
    gone_on(host, begun.id)
    assert standing(host, begun.id).nodes["step"] == "calling"
    assert standing(host, child_id(begun.id, "step")).nodes["approve"] == "waiting"


def test_it_stays_when_the_values_are_deleted(tmp_path: Path) -> None:
    """By the audit: the same nodes done and the same edges taken; what was passed by is not told any more."""
    host = replace(hazmat(tmp_path), privacy=Privacy(concepts={"shipment_id": "personal"}))
    begun = begin(host, user(host, "li"), "transport-compliance", 1, INPUTS)
    advance(host, begun.id)
    (task,) = open_tasks(host, begun.id)
    answer(host, user(host, "wen"), task.id, {"approved": False}, task.digest)
    advance(host, begun.id)
    before = standing(host, begun.id)
    forget(host, user(host, "wen"), begun.id, "asked for")
    after = standing(host, begun.id)
    assert after.taken == before.taken and after.ended
    assert after.nodes == {name: "pending" if one == "skipped" else one for name, one in before.nodes.items()}


def test_a_run_that_there_is_not(tmp_path: Path) -> None:
    """Is refused by name."""
    with pytest.raises(UnknownExecution):
        standing(hazmat(tmp_path), "e-nothing")
