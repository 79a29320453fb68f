"""Scenarios: what they say of a walk, and how they are written."""

from typing import Any

import pytest
from pydantic import ValidationError
from test_codec import WORKFLOW

from ir.codec import read_form, read_yaml
from ir.scenario import Scenario, Scenarios
from ir.workflow import Workflow

TEXT = """
scenarios:
  - name: asked and returned
    inputs: {a: 1}
    outputs: {s: {v: 3}}
    path: [s, e]
    result: {status: returned, outputs: {done: 3}}
  - name: the desk is closed
    inputs: {a: 1}
    outputs: {s: {$error: TIMEOUT}}
    result: {status: failed, reason_code: TIMEOUT}
  - name: nothing to do
    inputs: {a: 0}
    result: {status: rejected, reason_code: NONE}
"""


def workflow() -> Workflow:
    """The sample workflow."""
    form, faults = read_form(Workflow, WORKFLOW)
    assert form is not None, faults
    return form


def test_scenarios_hold_for_the_workflow() -> None:
    """Path, status, reason and outputs of each scenario are those of the walk."""
    raw, faults = read_yaml(TEXT)
    assert not faults
    file, faults = read_form(Scenarios, raw)
    assert not faults
    assert file is not None
    assert [scenario.differences(workflow()) for scenario in file.scenarios] == [(), (), ()]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"path": ["s"]}, "path: expected ['s'], found ['s', 'e']"),
        ({"result": {"status": "completed"}}, "status: expected 'completed', found 'returned'"),
        ({"result": {"status": "returned", "reason_code": "X"}}, "reason code: expected 'X', found None"),
        ({"result": {"status": "returned", "outputs": {"done": 4}}}, "output done: expected 4, found 3"),
        ({"outputs": {"s": {"v": 3}, "t": {}}}, "$.outputs.t is not in the workflow"),
    ],
)
def test_each_difference_is_said(change: dict[str, Any], says: str) -> None:
    """What is not as expected comes back in words."""
    raw = {"name": "n", "inputs": {"a": 1}, "outputs": {"s": {"v": 3}}, "result": {"status": "returned"}}
    assert Scenario.model_validate({**raw, **change}).differences(workflow()) == (says,)


def test_a_malformed_record_is_refused() -> None:
    """`$error` beside outputs is no record."""
    with pytest.raises(ValidationError, match="stands alone"):
        Scenario.model_validate(
            {"name": "n", "outputs": {"s": {"$error": "E", "v": 1}}, "result": {"status": "failed"}}
        )
