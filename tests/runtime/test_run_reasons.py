"""Which words of the document are told as the reason of a choice."""

from typing import Any

import pytest

from ir.workflow import Workflow
from runtime.answer import words_of_choice

INPUTS = {"receipt": {"type": "boolean"}, "amount": {"type": "number"}}
SENT_BACK, LIMIT = "where the receipt is missing it is sent back", "above 500 the head decides"


def edge(target: str, condition: Any, *quotes: str) -> dict[str, Any]:
    """A way on from the check."""
    said = [{"doc_id": "d", "quote": quote} for quote in quotes]
    return {"from": "check", "to": target, "evidence": said} | ({"condition": condition} if condition else {})


def workflow(*edges: dict[str, Any]) -> Workflow:
    """A check and what may come after it."""
    ends = {one["to"]: {"type": "control.end", "status": "completed"} for one in edges}
    nodes = {"check": {"type": "human.task", "assignee": "clerk"}, **ends}
    policy = {"risk_level": "low", "allow_auto": True, "require_approval": False}
    raw = {"workflow_id": "w", "version": "v1", "inputs": INPUTS, "nodes": nodes, "edges": list(edges)}
    return Workflow.model_validate(raw | {"execution_policy": policy})


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ({"eq": ["$.inputs.receipt", True]}, ((), ())),
        ("otherwise", ((SENT_BACK,), ())),
        (None, ((SENT_BACK,), ())),
    ],
)
def test_words_that_two_conditions_share_are_the_reason_of_none(second: Any, told: tuple[Any, Any]) -> None:
    """They say of one of the two what does not hold; `otherwise` and what is always taken claim none of them."""
    found = workflow(
        edge("back", {"eq": ["$.inputs.receipt", False]}, SENT_BACK), edge("on", second, SENT_BACK)
    )  # fmt: skip
    assert (words_of_choice(found, 0), words_of_choice(found, 1)) == told


def test_words_of_its_own_are_told_beside_shared_ones() -> None:
    """Each once."""
    found = workflow(
        edge("head", {"gt": ["$.inputs.amount", 500]}, SENT_BACK, LIMIT, LIMIT),
        edge("back", {"eq": ["$.inputs.receipt", False]}, SENT_BACK),
    )
    assert words_of_choice(found, 0) == (LIMIT,)
