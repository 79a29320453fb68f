"""The committed JSON Schemas: true to the models, valid, and of the same mind about examples."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator
from trees import workflows

from catalog.schemas import ALL_FORMS, json_schema, schema_texts
from ir.codec import read_form
from ir.workflow import Workflow

WORKFLOW = Draft202012Validator(json_schema("workflow", Workflow))
TEXTS = schema_texts(ALL_FORMS)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_the_committed_schema_is_that_of_the_model(
    name: str, repository: Path, expect_file: Callable[[Path, str], None]
) -> None:
    """`docs/schema/` holds what the models say now."""
    Draft202012Validator.check_schema(json.loads(TEXTS[name]))
    assert json.loads(TEXTS[name])["$id"] == name
    expect_file(repository / "docs" / "schema" / name, TEXTS[name])


def test_no_schema_is_left_over(repository: Path) -> None:
    """Each committed schema belongs to a form."""
    found = {path.name for path in (repository / "docs" / "schema").glob("*.schema.json")}
    assert found == set(TEXTS)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(workflows())
def test_what_the_model_writes_the_schema_admits(workflow: Workflow) -> None:
    """Random workflows are valid under the schema."""
    assert not list(WORKFLOW.iter_errors(workflow.to_json()))


NODES = {"a": {"type": "t.a"}}
GOOD: dict[str, Any] = {"workflow_id": "w", "version": "v1", "inputs": {}, "nodes": NODES, "edges": [],
                        "execution_policy": {"risk_level": "low"}}  # fmt: skip


@pytest.mark.parametrize(
    ("condition", "right"),
    [
        ("always", True),
        ("sometimes", False),
        ({"eq": ["$.inputs.a", 1]}, True),
        ({"eq": ["$.inputs.a"]}, False),
        ({"and": [{"not": {"or": [{"exists": "$.inputs.a"}, {"in": ["$.inputs.a", [1]]}]}}]}, True),
        ({"and": [{"not": {"or": [{"exists": "$.inputs.a"}, {"equals": ["$.inputs.a", 1]}]}}]}, False),
        ({"gt": ["$.inputs.a", {"value": 5, "quote": "5 吨", "from": {"t": 5}}]}, True),
        ({"gt": ["$.inputs.a", {"quote": "5 吨"}]}, False),
    ],
)
def test_model_and_schema_agree_on_conditions(condition: Any, right: bool) -> None:
    """At any depth the schema admits a condition if and only if the model does."""
    raw = {**GOOD, "edges": [{"from": "a", "to": "a", "condition": condition}]}
    assert (read_form(Workflow, raw)[0] is not None) == right
    assert WORKFLOW.is_valid(raw) == right
