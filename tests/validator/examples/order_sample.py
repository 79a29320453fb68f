"""A workflow with a guard, rows, a border, an approval, a failing system and a part that no run reaches."""

from copy import deepcopy
from typing import Any

from ir.workflow import Workflow


def _ref(text: str) -> str:
    return f"$.{text}"


ORDER: dict[str, Any] = {
    "workflow_id": "order",
    "version": "v1",
    "metadata": {"title": "Orders", "language": "en"},
    "inputs": {
        "amount": {"type": "number", "unit": "GBP", "evidence": [{"doc_id": "orders.md", "quote": "the amount"}]},
        "goods": {"type": "string", "enum": ["food", "tools", "arms"]},
    },
    "guards": [
        {
            "condition": {"gt": [_ref("inputs.amount"), 0]},
            "error_code": "NOTHING",
            "evidence": [{"doc_id": "orders.md", "quote": "of something"}],
        }
    ],
    "nodes": {
        "sort": {"type": "control.compute", "label": "sort the order", "rule_pack": "classes"},
        "check": {
            "type": "human.approval",
            "label": "the manager decides",
            "approvers": ["manager"],
            "evidence": [{"doc_id": "orders.md", "quote": "the manager decides"}],
        },
        "pay": {"type": "io.update_inventory", "label": "pay the supplier"},
        "done": {"type": "control.end", "label": "ordered", "status": "completed"},
        "no": {"type": "control.end", "label": "not ordered", "status": "rejected", "reason_code": "REFUSED"},
        "broken": {"type": "control.end", "label": "not paid", "status": "failed", "reason_code": "UNPAID"},
    },
    "edges": [
        {
            "from": "sort",
            "to": "check",
            "condition": {"and": [{"gt": [_ref("inputs.amount"), 500]}, {"ne": [_ref("outputs.sort.kind"), "banned"]}]},
            "evidence": [{"doc_id": "orders.md", "quote": "above 500 pounds"}],
        },
        {
            "from": "sort",
            "to": "no",
            "condition": {"eq": [_ref("outputs.sort.kind"), "banned"]},
            "evidence": [{"doc_id": "orders.md", "quote": "arms are not ordered"}],
        },
        {"from": "sort", "to": "pay", "condition": "otherwise"},
        {"from": "check", "to": "pay", "condition": {"eq": [_ref("outputs.check.approved"), True]}},
        {"from": "check", "to": "no", "condition": {"eq": [_ref("outputs.check.approved"), False]}},
        {"from": "pay", "to": "done"},
        {"from": "pay", "to": "broken", "on": "error"},
    ],
    "rule_packs": {
        "classes": {
            "version": "1",
            "outputs": {"kind": {"type": "string", "required": True, "enum": ["free", "banned"]}},
            "rules": [
                {
                    "rule_id": "R1",
                    "condition": {"eq": [_ref("inputs.goods"), "arms"]},
                    "outcome": {"kind": "banned"},
                    "evidence": [{"doc_id": "orders.md", "quote": "arms"}],
                },
                {"rule_id": "R2", "condition": "otherwise", "outcome": {"kind": "free"}},
            ],
        }
    },
    "execution_policy": {"risk_level": "low"},
}


def order(**changed: Any) -> Workflow:
    """The workflow, with some of its members replaced."""
    return Workflow.model_validate(deepcopy(ORDER) | changed)


def with_edge(index: int, **changed: Any) -> Workflow:
    """The workflow, with one edge changed."""
    edges = deepcopy(ORDER["edges"])
    edges[index] |= changed
    return order(edges=edges)
