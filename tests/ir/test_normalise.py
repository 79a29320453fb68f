"""Older forms: what is rewritten, with which warning, and what is refused."""

import copy
from typing import Any

import pytest
from hypothesis import given
from trees import json_values

from ir.codec import read_workflow, write_json
from ir.diagnostics import Severity
from ir.normalise import declared_outputs, normalise

BASE: dict[str, Any] = {
    "workflow_id": "demo",
    "version": "v1",
    "inputs": {"code": {"type": "string"}},
    "nodes": {"a": {"type": "demo.first"}, "b": {"type": "demo.second"}},
    "edges": [{"from": "a", "to": "b"}],
    "execution_policy": {"risk_level": "low"},
}


def with_changes(**changes: Any) -> dict[str, Any]:
    """The base with other values at the top."""
    return copy.deepcopy(BASE) | changes


def run(raw: Any, **aliases: str) -> tuple[Any, list[tuple[str, str, str | None]]]:
    """The normal form; and severity, code and pointer of each note."""
    value, notes = normalise(raw, aliases.get)
    return value, [(str(note.severity), note.error_code, note.location.pointer) for note in notes]


@given(json_values)
def test_no_value_makes_it_fail(value: Any) -> None:
    """Any value comes back, even where it stands for a part of a workflow."""
    normalise(value)
    for part in ("nodes", "edges", "guards", "triggers", "metadata", "execution_policy"):
        normalise({part: value})
        normalise({part: [value]})
        normalise({part: {"a": value}})


def test_the_stored_form_is_left_alone() -> None:
    """Nothing is changed or said where nothing is old, and an input may be called `code`."""
    assert run(BASE) == (BASE, [])


def test_the_normal_form_is_stable() -> None:
    """Normalising twice is normalising once."""
    raw = with_changes(nodes=[{"id": "a", "type": "human_input", "risk_level": "high", "outputs": {}}], edges=[])
    once, _ = run(raw)
    assert run(once) == (once, [])


def test_the_argument_is_not_changed() -> None:
    """The value that was passed in stays as it was."""
    raw = with_changes(nodes={"a": {"type": "x", "outputs": {"v": {}}, "logic": "if", "idempotent": False}})
    before = copy.deepcopy(raw)
    normalise(raw, {"x": "demo.x"}.get)
    assert raw == before


def test_nodes_as_a_list() -> None:
    """A list of nodes with ids becomes a map in the same order; an id inside a map must equal its key."""
    value, notes = run(with_changes(nodes=[{"id": "b", "type": "demo.second"}, {"id": "a", "type": "demo.first"}]))
    assert list(value["nodes"].items()) == [("b", {"type": "demo.second"}), ("a", {"type": "demo.first"})]
    assert notes == [("warning", "nodes-as-list", "/nodes")]
    assert run(with_changes(nodes={"a": {"id": "a", "type": "t"}}))[1] == []
    assert run(with_changes(nodes={"a": {"id": "b", "type": "t"}}))[1] == [("error", "node-id-mismatch", "/nodes/a/id")]


def test_a_list_loses_no_node_silently() -> None:
    """Nodes without id and second nodes of an id are errors."""
    _, notes = run(with_changes(nodes=[{"id": "a"}, {"id": "a"}, {"type": "x"}, 5]))
    assert notes[1:] == [
        ("error", "duplicate-node-id", "/nodes/1/id"),
        ("error", "node-without-id", "/nodes/2"),
        ("error", "node-without-id", "/nodes/3"),
    ]


def test_aliases_of_types() -> None:
    """A known alias is rewritten with a warning and a fix; human types have theirs built in; others stay."""
    nodes = {"a": {"type": "identify_substance"}, "b": {"type": "human_approval"}, "c": {"type": "nobody_knows"}}
    raw = with_changes(nodes=nodes)
    value, notes = run(raw, identify_substance="ontology.identify_substance")
    assert [node["type"] for node in value["nodes"].values()] == [
        "ontology.identify_substance",
        "human.approval",
        "nobody_knows",
    ]
    assert notes == [("warning", "type-alias", f"/nodes/{name}/type") for name in "ab"]
    fix = normalise(raw)[1][0].fixes[0]
    assert fix.patch == ({"op": "replace", "path": "/nodes/b/type", "value": "human.approval"},)


def test_risk_in_the_metadata() -> None:
    """The metadata's risk moves into the execution policy, which is made where there is none; they may not differ."""
    raw = with_changes(metadata={"title": "t", "risk_level": "high"}, execution_policy={"allow_auto": False})
    value, notes = run(raw)
    assert value["metadata"] == {"title": "t"}
    assert value["execution_policy"] == {"risk_level": "high", "allow_auto": False}
    assert notes == [("warning", "risk-in-metadata", "/metadata/risk_level")]
    del raw["execution_policy"]
    assert run(raw)[0]["execution_policy"] == {"risk_level": "high"}
    value, notes = run(with_changes(metadata={"risk_level": "high"}))
    assert notes == [("error", "risk-disagreement", "/metadata/risk_level")]
    assert value["execution_policy"] == {"risk_level": "low"}


def test_governance_beside_the_policy() -> None:
    """Risk, idempotency and allowlist at a node's top move into its policy; they may not contradict it."""
    node = {"type": "t", "risk_level": "high", "idempotent": False, "policy": {"timeout": "PT1M", "idempotent": False}}
    value, notes = run(with_changes(nodes={"a": node}))
    assert value["nodes"]["a"] == {
        "type": "t",
        "policy": {"timeout": "PT1M", "idempotent": False, "risk_level": "high"},
    }
    assert [note[:2] for note in notes] == [("warning", "policy-at-node-top")] * 2
    node = {"type": "t", "risk_level": "low", "policy": {"risk_level": "high"}}
    value, notes = run(with_changes(nodes={"a": node}))
    assert notes == [("error", "policy-disagreement", "/nodes/a/risk_level")]
    assert value["nodes"]["a"]["policy"] == {"risk_level": "high"}


def test_outputs_of_nodes_are_dropped_and_kept_for_a_check() -> None:
    """What a node declared as its outputs can still be held against its Type."""
    value, notes = normalise(with_changes(nodes={"a": {"type": "t", "outputs": {"amount": {"type": "number"}}}}))
    assert isinstance(value, dict)
    assert value["nodes"] == {"a": {"type": "t"}}
    assert [note.error_code for note in notes] == ["outputs-in-node"]
    assert declared_outputs(notes) == {"a": {"amount": {"type": "number"}}}


@pytest.mark.parametrize("key", ["logic", "if", "next", "retry", "on_error", "switch", "Loop"])
def test_control_flow_in_a_node(key: str) -> None:
    """Control flow in a node is called that, is an error, and is reported once."""
    raw = with_changes(nodes={"a": {"type": "demo.first", key: "if amount > 1M then ask human"}}, edges=[])
    workflow, notes = read_workflow(write_json(raw))
    assert workflow is None
    assert [(note.error_code, note.location.pointer) for note in notes] == [("control-flow-in-node", f"/nodes/a/{key}")]
    assert (notes[0].location.node, notes[0].found) == ("a", "if amount > 1M then ask human")


@pytest.mark.parametrize(("key", "code"), [("prompt", "prompt-in-workflow"), ("script", "code-in-workflow")])
def test_prompts_and_code_anywhere_in_the_structure(key: str, code: str) -> None:
    """Prompts and code are refused at the top, in nodes, edges, metadata and policy."""
    raw = with_changes(metadata={key: 1}, **{key: 1})
    raw["nodes"]["a"][key] = raw["edges"][0][key] = raw["execution_policy"][key] = 1
    _, notes = run(raw)
    places = {f"/{key}", f"/nodes/a/{key}", f"/edges/0/{key}", f"/metadata/{key}", f"/execution_policy/{key}"}
    assert {(note[1], note[2]) for note in notes} == {(code, place) for place in places}


def test_conditions() -> None:
    """`always`, null and absent are one; infix text becomes a tree with a notice; nonsense is an error."""
    conditions = ["always", None, "otherwise", "$.inputs.code == “甲”", "$.inputs.code =="]
    edges = [{"from": "a", "to": "b", "condition": condition} for condition in conditions]
    normal, notes = normalise(with_changes(edges=edges))
    value: Any = normal
    tree = {"eq": ["$.inputs.code", "甲"]}
    assert [edge.get("condition") for edge in value["edges"]] == [None, None, "otherwise", tree, None]
    assert [(note.severity, note.error_code) for note in notes] == [
        (Severity.INFO, "infix-condition"),
        (Severity.ERROR, "bad-condition"),
    ]
    assert "column 17" in notes[1].message
