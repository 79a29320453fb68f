"""Workflows that call each other, for tests of the registry and of runs."""

from typing import Any

from plant import now_of

from ir.workflow import Workflow
from runtime.advance import advance
from runtime.executions import active, untaken
from runtime.forms import Execution
from runtime.host import Host

POLICY = {"risk_level": "medium", "require_approval": False}


def called(name: str = "limit-check", person: bool = False, **more: Any) -> Workflow:
    """Checks an amount; ends as rejected above the limit. With a person, one is asked whether that is all right."""
    approve = {"type": "human.approval", "approvers": ["approver"], "question": "May it be so?"}
    said = "$.outputs.check.within_limit" if not person else "$.outputs.approve.approved"
    last = "approve" if person else "check"
    raw = {
        "workflow_id": name, "version": "v1",
        "inputs": {"amount": {"type": "number"}, "note": {"type": "string", "required": False}},
        "outputs": {"within": said},
        "nodes": {
            "check": {"type": "decision.check_threshold", "inputs": {"value": "$.inputs.amount", "limit": 100}},
            **({"approve": approve} if person else {}),
            "done": {"type": "control.end", "status": "completed"},
            "over": {"type": "control.end", "status": "rejected", "reason_code": "OVER_LIMIT"},
        },
        "edges": [
            *([{"from": "check", "to": "approve"}] if person else []),
            {"from": last, "to": "done", "condition": {"eq": [said, True]}},
            {"from": last, "to": "over", "condition": {"eq": [said, False]}},
        ],
        "execution_policy": POLICY,
        **more,
    }  # fmt: skip
    return Workflow.model_validate(raw)


def caller(name: str = "order", of: str = "limit-check", version: str = "v1", **more: Any) -> Workflow:
    """Calls another workflow and gives what that gives; where it fails, ends as returned."""
    raw = {
        "workflow_id": name, "version": "v1",
        "inputs": {"amount": {"type": "number"}},
        "outputs": {"within": "$.outputs.step.within"},
        "nodes": {
            "step": {
                "type": "control.call", "call": {"workflow_id": of, "version": version},
                "inputs": {"amount": "$.inputs.amount"},
            },
            "done": {"type": "control.end", "status": "completed"},
            "back": {"type": "control.end", "status": "returned", "reason_code": "GIVEN_BACK"},
        },
        "edges": [{"from": "step", "to": "done"}, {"from": "step", "to": "back", "on": "error"}],
        "execution_policy": POLICY,
        **more,
    }  # fmt: skip
    return Workflow.model_validate(raw)


def gone_on(host: Host, execution: str) -> Execution:
    """All runs brought as far as they go; gives one of them."""
    while True:
        with host.workspace.transaction() as connection:
            todo = [*dict.fromkeys([*untaken(connection), *active(connection)])]
        if not todo:
            return now_of(host, execution)
        for one in todo:
            advance(host, one)
