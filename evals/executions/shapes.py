"""Workflows of one shape each: one that waits for a person, and one of ten nodes that need nobody."""

from itertools import pairwise
from typing import Any

from ir.predicate import ALWAYS, condition_json
from ir.workflow import CONTROL_END, HUMAN_TASK, Workflow

Json = dict[str, Any]
SYSTEM = "document.archive"
GIVES: Json = {"archive_number": "A-1", "archived_at": "2026-01-31T09:00:00+00:00"}
"""What the system of `ten_nodes` gives."""
NODES = 10


def one_task() -> Workflow:
    """A person does something, and that is all."""
    task = {"type": HUMAN_TASK, "instruction": "look at it", "actor": "clerk", "outcomes": ["good", "bad"]}
    return _in_sequence("one-task", {"look": task}, "$.outputs.look.outcome")


def ten_nodes() -> Workflow:
    """Ten nodes of a system in sequence."""
    call = {"type": SYSTEM, "type_version": "^1.0.0", "inputs": {"document_id": "$.inputs.subject"}}
    return _in_sequence("ten-nodes", {f"call_{n}": call for n in range(NODES)}, "$.outputs.call_0.archive_number")


def _in_sequence(name: str, nodes: dict[str, Json], gives: str) -> Workflow:
    """These nodes, one after the other, and an end."""
    names = [*nodes, "end"]
    raw: Json = {
        "workflow_id": name,
        "version": "v1",
        "inputs": {"subject": {"type": "string"}},
        "outputs": {"given": gives},
        "nodes": {
            one: node | {"label": one, "origin": "person"}
            for one, node in (nodes | {"end": {"type": CONTROL_END, "status": "completed"}}).items()
        },
        "edges": [
            {"from": source, "to": target, "origin": "person", "condition": condition_json(ALWAYS), "on": "success"}
            for source, target in pairwise(names)
        ],
        "execution_policy": {"risk_level": "low", "allow_auto": True, "require_approval": False},
    }
    return Workflow.model_validate(raw)
