"""A patch of a workflow, read part by part, is the patch of its text."""

from typing import Any

import pytest
from pydantic import ValidationError

from evals.growth import big_workflow
from ir.workflow import Workflow
from validator.fixes.json_patch import PatchError, apply_patch
from validator.fixes.patched import patched

WORKFLOW = big_workflow(20, 30, seed=4)
NODE = next(iter(WORKFLOW.nodes))
END = {"type": "control.end", "status": "returned"}
LAST = len(WORKFLOW.edges)


@pytest.mark.parametrize(
    "patch",
    [
        [{"op": "add", "path": "/nodes/more", "value": END}, {"op": "add", "path": "/nodes/more/actor", "value": "x"}],
        [{"op": "add", "path": f"/nodes/{NODE}/actor", "value": "x"}],
        [{"op": "add", "path": f"/nodes/{NODE}", "value": END}],
        [{"op": "add", "path": "/edges/1/priority", "value": 7}],
        [{"op": "add", "path": "/edges/-", "value": {"from": NODE, "to": "more"}}],
        [
            {"op": "add", "path": "/edges/-", "value": {"from": NODE, "to": "more"}},
            {"op": "add", "path": f"/edges/{LAST}/priority", "value": 2},
        ],
        [{"op": "add", "path": "/edges/1", "value": {"from": NODE, "to": "more"}}],
        [{"op": "replace", "path": "/edges/1", "value": {"from": NODE, "to": "more"}}],
        [{"op": "remove", "path": f"/nodes/{NODE}"}, {"op": "remove", "path": "/edges/0"}],
        [{"op": "replace", "path": "/version", "value": "v7"}],
    ],
)
def test_only_what_is_touched_is_read_anew(patch: list[dict[str, Any]]) -> None:
    """Whatever a patch touches, the workflow is what the patched text says, and all else stays."""
    after = patched(WORKFLOW, patch)
    assert after.to_json() == apply_patch(WORKFLOW.to_json(), patch)
    assert after == Workflow.model_validate(after.to_json())


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "add", "path": "/nodes/none/actor", "value": "x"},
        {"op": "add", "path": f"/edges/{LAST}/priority", "value": 1},
        {"op": "add", "path": "/edges/01/priority", "value": 1},
        {"op": "remove", "path": "/nodes/none"},
        {"op": "add", "path": f"/nodes/{NODE}/label", "value": [1]},
        {"op": "add", "path": "/edges/-", "value": None},
    ],
)
def test_faults(operation: dict[str, Any]) -> None:
    """What does not apply, or leaves no workflow, is refused."""
    with pytest.raises((PatchError, ValidationError)):
        patched(WORKFLOW, [operation])
