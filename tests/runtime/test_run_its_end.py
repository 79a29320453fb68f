"""A workflow that names no outputs is published with one: how its run ended."""

from pathlib import Path
from typing import Any

import pytest
from plant import Recorded, host_in, open_tasks, published, user

from ir.workflow import Workflow
from registry.ended import ENDED, with_its_end
from runtime.advance import advance
from runtime.commands import answer, begin
from runtime.telling import explain


def asked(**more: Any) -> Workflow:
    """Somebody is asked, and that is all."""
    given = "$.outputs.ask.approved"
    raw = {
        "workflow_id": "leave", "version": "v1", "inputs": {"days": {"type": "integer"}},
        "metadata": {"title": "Leave", "language": "en"},
        "nodes": {
            "ask": {"type": "human.approval", "approvers": ["head"], "question": "May they go?"},
            "done": {"type": "control.end", "status": "completed"},
            "no": {"type": "control.end", "status": "rejected", "reason_code": "REFUSED"},
        },
        "edges": [
            {"from": "ask", "to": "done", "condition": {"eq": [given, True]}},
            {"from": "ask", "to": "no", "condition": {"eq": [given, False]}},
        ],
        "execution_policy": {"risk_level": "low", "allow_auto": False, "require_approval": True},
        **more,
    }  # fmt: skip
    return Workflow.model_validate(raw)


@pytest.mark.parametrize(("approved", "ended"), [(True, "completed"), (False, "rejected")])
def test_it_gives_how_it_ended(tmp_path: Path, approved: bool, ended: str) -> None:
    """Published without being asked for outputs; the result is among those that it declares."""
    host = host_in(tmp_path, Recorded())
    version = published(host, asked())
    assert version.definition.results[ENDED].enum == ("completed", "rejected")
    assert not any("result" in one.message for one in version.report.findings)
    begun = begin(host, user(host, "li"), "leave", 1, {"days": 3})
    advance(host, begun.id)
    (task,) = open_tasks(host, begun.id)
    answer(host, user(host, "wen"), task.id, {"approved": approved}, task.digest)
    advance(host, begun.id)
    assert explain(host, begun.id)["outputs"] == {ENDED: ended}


def test_one_that_says_what_it_gives_is_left_as_it_is() -> None:
    """So is one without an end, which stays refused."""
    own = asked(outputs={"approved": "$.outputs.ask.approved"})
    assert with_its_end(own) is own
    endless = asked(nodes={"ask": {"type": "human.approval", "approvers": ["head"]}}, edges=[])
    assert with_its_end(endless) is endless
