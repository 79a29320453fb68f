"""Reading and writing: stable texts, digests, and a coded diagnostic for every fault."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import JsonValue
from trees import json_values, workflows

from catalog.node_type import NodeType
from ir.base import Model
from ir.codec import digest, read_form, read_json, read_workflow, read_yaml, write_json, write_yaml
from ir.diagnostics import Diagnostic
from ir.document import Document
from ir.procedure import Procedure
from ir.scenario import Scenarios
from ir.workflow import Workflow

WORKFLOW: dict[str, Any] = {
    "dsl_version": "1.0",
    "workflow_id": "demo",
    "version": "v1",
    "metadata": {"title": "示例", "tags": ["a"]},
    "inputs": {
        "a": {"type": "integer", "unit": "kg"},
        "b": {"type": "object", "properties": {"c": {"type": "string"}}},
    },
    "outputs": {"done": "$.outputs.s.v", "said": {"value": 5, "quote": "5 吨", "status": "quoted"}},
    "guards": [{"condition": {"gt": ["$.inputs.a", 0]}, "error_code": "NONE"}],
    "nodes": {
        "s": {"type": "human.input", "requested_fields": {"v": {"type": "number"}}, "inputs": {"x": "$.inputs.a"}},
        "e": {"type": "control.end", "status": "returned", "deadline": {"duration": "P5BD", "from": "start"}},
    },
    "edges": [{"from": "s", "to": "e", "condition": {"or": [{"eq": ["$.inputs.a", 1]}, {"exists": "$.inputs.b"}]}}],
    "execution_policy": {"risk_level": "low"},
}
numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
plain_values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(), below, max_size=4),
    max_leaves=12,
)


def changed(pointer: str, value: Any) -> dict[str, Any]:
    """The sample workflow with another value at a place (`a.b.0`)."""
    whole: Any = copy.deepcopy(WORKFLOW)
    *parents, last = pointer.split(".")
    here = whole
    for part in parents:
        here = here[int(part)] if part.isdecimal() else here[part]
    here[last] = value
    return dict(whole)


def codes(diagnostics: tuple[Diagnostic, ...]) -> list[tuple[str, str | None]]:
    """Code and pointer of each."""
    return [(item.error_code, item.location.pointer) for item in diagnostics]


def shuffled(value: JsonValue, seed: random.Random) -> JsonValue:
    """The same JSON value with the keys of every object in another order."""
    if isinstance(value, dict):
        keys = seed.sample(list(value), len(value))
        return {key: shuffled(value[key], seed) for key in keys}
    return [shuffled(item, seed) for item in value] if isinstance(value, list) else value


@given(workflows())
def test_a_workflow_survives_json_and_yaml(workflow: Workflow) -> None:
    """Writing and reading gives the workflow, and writing it again the same bytes."""
    text = write_json(workflow)
    assert read_workflow(text) == (workflow, ())
    assert read_workflow(write_yaml(workflow), syntax="yaml") == (workflow, ())
    read, _ = read_workflow(text)
    assert read is not None
    assert write_json(read) == text
    assert text.endswith("}\n")


@given(plain_values)
def test_any_value_survives_json_and_yaml(value: JsonValue) -> None:
    """Text that looks like a number, a date or a boolean of YAML 1.1 stays text."""
    assert read_json(write_json(value)) == (value, ())
    assert read_yaml(write_yaml(value)) == (value, ())


@given(workflows(), st.randoms())
def test_the_digest_is_of_what_is_said(workflow: Workflow, seed: random.Random) -> None:
    """The order of keys and written-out defaults leave the digest as it is."""
    whole = workflow.model_dump(mode="json", by_alias=True)
    written: Any = shuffled(whole, seed)
    for name, node in written["nodes"].items():
        node |= {"id": name, "split": node["split"] or "exclusive"}
    written["inputs"]["a"]["required"] = True
    again, faults = read_workflow(json.dumps(written))
    assert faults == ()
    assert again is not None
    assert digest(again) == digest(workflow)


def test_a_field_that_may_be_left_empty_is_another() -> None:
    """What a person is asked for is required unless said otherwise; only saying otherwise changes the digest."""

    def asked(**said: bool) -> str:
        form, faults = read_form(Workflow, changed("nodes.s.requested_fields.v", {"type": "number", **said}))
        assert form is not None, faults
        return digest(form)

    assert asked() == asked(required=True) != asked(required=False)


def test_the_digest_sees_a_change() -> None:
    """Another condition is another digest."""
    first, second = (read_form(Workflow, changed("edges.0.condition", c))[0] for c in ("always", "otherwise"))
    assert first is not None
    assert second is not None
    assert digest(first) != digest(second)
    assert digest(first).startswith("sha256:")


@given(json_values)
@pytest.mark.parametrize("form", [Workflow, Procedure, Document, Scenarios, NodeType])
def test_no_value_makes_a_reader_fail(form: type[Model], value: JsonValue) -> None:
    """Any JSON value gives a form or diagnostics."""
    read, faults = read_form(form, value)
    assert (read is None) == bool(faults)


@given(st.data(), json_values)
def test_no_change_to_a_workflow_makes_the_reader_fail(data: st.DataObject, value: JsonValue) -> None:
    """Any value put anywhere into a workflow gives a workflow or diagnostics whose pointers lie inside it."""
    whole: Any = copy.deepcopy(WORKFLOW)
    here = whole
    while True:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        assume(keys)
        key = data.draw(st.sampled_from(keys))
        if not isinstance(here[key], dict | list) or data.draw(st.booleans()):
            break
        here = here[key]
    if data.draw(st.booleans()) or not isinstance(here, dict):
        here[key] = value
    else:
        here[data.draw(st.text())] = value
    workflow, faults = read_workflow(json.dumps(whole))
    assert workflow is not None or faults
    assert all(item.location.pointer is not None for item in faults)


@given(st.text() | st.binary())
def test_no_text_makes_the_reader_fail(text: str | bytes) -> None:
    """Any text or bytes give diagnostics, as JSON and as YAML."""
    assert read_workflow(text)[0] is None
    assert read_workflow(text, syntax="yaml")[0] is None
    assert read_workflow(text)[1]


@pytest.mark.parametrize(
    ("text", "code", "pointer", "says"),
    [
        ("", "malformed-json", "", "line 1, column 1"),
        ('{"a": 1,\n  "b": }', "malformed-json", "", "line 2, column 8"),
        ('{"nodes": {"s": 1, "s": 2}}', "duplicate-key", "/nodes/s", "twice"),
        ('{"a": NaN}', "number-out-of-range", "/a", "not finite"),
        ('{"a": [1e999]}', "number-out-of-range", "/a/0", "not finite"),
        ('{"a": 9007199254740993}', "number-out-of-range", "/a", "too large"),
        ('{"a": ' + "9" * 5000 + "}", "number-out-of-range", "/a", "too large"),
        ('{"a": -1e-400}', "number-out-of-range", "/a", "so small"),
        ("[" * 100_000, "too-deep", "", "deep"),
        ("[" * 200 + "]" * 200, "too-deep", "/0" * 101, "deep"),
        (b'{"a": "\xff"}', "malformed-text", "", "UTF-8"),
        (r'{"a": "\ud800"}', "malformed-text", "/a", "surrogate"),
    ],
)
def test_faults_of_the_text(text: str | bytes, code: str, pointer: str, says: str) -> None:
    """Malformed JSON is reported with line and column, the rest with a pointer."""
    value, faults = read_json(text)
    assert value is None
    assert codes(faults) == [(code, pointer)]
    assert says in faults[0].message


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("", "malformed-yaml", "empty"),
        ("a: [1", "malformed-yaml", "line"),
        ("a: 1\na: 2", "duplicate-key", "line 2, column 1"),
        ("a: &x 1\nb: *x", "malformed-yaml", "aliases"),
        ("a: !!python/object:os.system 1", "malformed-yaml", "tag"),
        ("? [1]\n: 2", "malformed-yaml", "key"),
        ("[" * 5000, "too-deep", "deep"),
        ("- " * 300 + "1", "too-deep", "deep"),
        ("a: " + "9" * 50, "number-out-of-range", "exact"),
        ("a: 1.0e-400", "number-out-of-range", "so small"),
        ("a: 1\n---\nb: 2", "malformed-yaml", "document"),
    ],
)
def test_faults_of_yaml(text: str, code: str, says: str) -> None:
    """YAML that JSON could not say, or that says a key twice, is refused."""
    value, faults = read_yaml(text)
    assert value is None
    assert faults[0].error_code == code
    assert says in faults[0].message


def test_yaml_scalars_are_those_of_json() -> None:
    """`on` is a key, `no` and dates and times and codes with zeros are text."""
    text = "{on: error, a: no, b: 2026-01-31, c: 12:30, d: 007, e: 1e3, f: ~, g: true, h: 0x1F, i: 1_000, 5: five}"
    expected = {"on": "error", "a": "no", "b": "2026-01-31", "c": "12:30", "d": "007", "e": 1000.0, "f": None,
                "g": True, "h": "0x1F", "i": "1_000", "5": "five"}  # fmt: skip
    assert read_yaml(text) == (expected, ())


@pytest.mark.parametrize(
    ("at", "value", "code", "pointer", "says"),
    [
        ("nodez", {}, "unknown-key", "/nodez", 'unknown key "nodez"'),
        ("nodes.s.polcy", {}, "unknown-key", "/nodes/s/polcy", 'did you mean "policy"?'),
        ("inputs.b.properties.c.requierd", True, "unknown-key", "/inputs/b/properties/c/requierd", '"required"'),
        ("edges.0.form", "s", "unknown-key", "/edges/0/form", 'unknown key "form"'),
        ("version", 1, "wrong-type", "/version", "of type integer, expected string"),
        ("nodes.s", [], "wrong-type", "/nodes/s", "of type array, expected object"),
        ("edges.0.priority", "1", "wrong-type", "/edges/0/priority", "expected integer"),
        ("inputs.a.required", "yes", "wrong-type", "/inputs/a/required", "expected boolean"),
        ("version", "1", "bad-value", "/version", "expected text that matches"),
        ("nodes.e.status", "complete", "bad-value", "/nodes/e/status", 'did you mean "completed"?'),
        ("nodes.e.deadline.duration", "5 days", "bad-value", "/nodes/e/deadline/duration", "P5BD"),
        ("edges.0.condition", {"eq": ["$.inputs.a"]}, "bad-condition", "/edges/0/condition/eq", "two operands"),
        ("edges.0.condition", {"or": [{"equals": []}]}, "bad-condition", "/edges/0/condition/or/0", "one of and, or"),
        ("edges.0.condition", {"eq": ["$.env.x", 1]}, "bad-condition", "/edges/0/condition/eq/0", "$.inputs.NAME"),
        ("edges.0.condition", "$.inputs.a ==", "bad-condition", "/edges/0/condition", "column 14"),
        ("guards.0.condition", "otherwise", "bad-condition", "/guards/0/condition", "one operator"),
        ("nodes.s.inputs.x", "$.global.x", "bad-reference", "/nodes/s/inputs/x", "$.inputs.NAME"),
        ("nodes.s.inputs.x", {"a": 1}, "bad-reference", "/nodes/s/inputs/x", '"value"'),
    ],
)
def test_faults_of_a_workflow(at: str, value: Any, code: str, pointer: str, says: str) -> None:
    """Each fault has its code, the pointer to the place and words that help."""
    workflow, faults = read_workflow(json.dumps(changed(at, value)))
    assert workflow is None
    assert codes(faults) == [(code, pointer)]
    assert says in faults[0].message
    assert faults[0].location.workflow == "demo" or at == "workflow_id"


@pytest.mark.parametrize("key", ["workflow_id", "version", "inputs", "nodes", "edges", "execution_policy"])
def test_the_six_keys_must_be_there(key: str) -> None:
    """Each part of the minimal structure is required."""
    rest = {name: value for name, value in WORKFLOW.items() if name != key}
    workflow, faults = read_workflow(json.dumps(rest))
    assert workflow is None
    assert codes(faults) == [("missing-key", f"/{key}")]


def test_a_misspelt_key_can_be_mended_by_its_fix() -> None:
    """The fix of an unknown key renames it."""
    _, faults = read_workflow(json.dumps(changed("nodes.s.labl", "x")))
    assert faults[0].fixes[0].patch == ({"op": "move", "from": "/nodes/s/labl", "path": "/nodes/s/label"},)


def test_places_are_named(tmp_path: Path) -> None:
    """A diagnostic of a file names the file, the node, the edge and the field."""
    path = tmp_path / "demo.workflow.json"
    path.write_text(json.dumps(changed("edges.0.priority", "first")), encoding="utf-8")
    location = read_workflow(path)[1][0].location
    assert (location.file, location.edge) == (str(path), "s->e")
    path.write_text(json.dumps(changed("nodes.s.inputs.x", "$.x")), encoding="utf-8")
    location = read_workflow(path)[1][0].location
    assert (location.node, location.field) == ("s", "x")
    (tmp_path / "demo.yaml").write_text("a: [", encoding="utf-8")
    assert read_workflow(tmp_path / "demo.yaml")[1][0].error_code == "malformed-yaml"


def test_short_parts_stand_on_one_line() -> None:
    """A condition that fits is written on one line, and no line breaks inside it."""
    text = write_json(read_form(Workflow, WORKFLOW)[0])
    assert '"condition": {"or": [{"eq": ["$.inputs.a", 1]}, {"exists": "$.inputs.b"}]}' in text
    assert text.startswith('{\n  "dsl_version": "1.0",\n  "workflow_id": "demo",')
    assert "示例" in text


def test_a_document_given_for_a_workflow_is_named() -> None:
    """The message says what it is and which command takes it."""
    value, diagnostics = read_json(b"%PDF-1.7\n\xe2\xe3\xcf\xd3")
    assert value is None
    assert "this is a PDF, not text" in str(diagnostics)
