"""Function specifications as Node Types: every vendor's shape, nothing taken for harmless, every fault told."""

import json
from pathlib import Path
from typing import Any

import pytest

from catalog.binding import PythonBinding
from catalog.importing import import_functions
from catalog.importing.errors import ImportClash, MalformedSource
from catalog.node_type import NodeType

SCHEMA = {
    "type": "object",
    "properties": {
        "ticketId": {"type": "string", "description": "The ticket"},
        "severity": {"type": "string", "enum": ["minor", "major"]},
        "due": {"type": ["string", "null"], "format": "date"},
        "shares": {"type": "array", "items": {"type": "number"}},
    },
    "required": ["ticketId", "severity"],
}
TOOL = {"name": "escalateTicket", "description": "Escalates a ticket. It pages whoever is on duty."}
VENDORS = {
    "openai": [{"type": "function", "function": {**TOOL, "parameters": SCHEMA}}],
    "openai responses": {"tools": [{"type": "function", **TOOL, "parameters": SCHEMA}]},
    "anthropic": [{**TOOL, "input_schema": SCHEMA}],
    "bedrock": [{"toolSpec": {**TOOL, "inputSchema": {"json": SCHEMA}}}],
    "bedrock request": {"toolConfig": None, "tools": [{"toolSpec": {**TOOL, "inputSchema": {"json": SCHEMA}}}]},
    "gemini": {"function_declarations": [{**TOOL, "parameters": SCHEMA}]},
    "gemini tools": [{"functionDeclarations": [{**TOOL, "parameters": SCHEMA}]}],
    "one alone": {**TOOL, "inputSchema": SCHEMA},
}


def write(folder: Path, value: Any) -> Path:
    """A specification as a file."""
    path = folder / "desk.json"
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def only(folder: Path, value: Any) -> NodeType:
    """The one Type of a specification."""
    (node_type,) = import_functions(write(folder, value)).types.values()
    return node_type


@pytest.mark.parametrize("vendor", VENDORS)
def test_every_vendors_shape_gives_the_same_type(vendor: str, tmp_path: Path) -> None:
    """What a specification is wrapped in makes no difference but to where it stands."""
    node_type = only(tmp_path, VENDORS[vendor])
    assert (node_type.type, node_type.summary) == ("desk.escalate_ticket", "Escalates a ticket")
    assert node_type.aliases == ("escalate ticket",)
    assert node_type.binding == PythonBinding(kind="python", name="escalateTicket")
    fields = {name: (one.type, one.required, one.nullable, one.enum) for name, one in node_type.inputs_schema.items()}
    assert fields == {
        "ticketId": ("string", True, False, None),
        "severity": ("string", True, False, ("minor", "major")),
        "due": ("date", None, True, None),
        "shares": ("array", None, False, None),
    }
    assert node_type.imported is not None
    assert node_type.imported.description == "Escalates a ticket. It pages whoever is on duty."


def test_what_the_source_does_not_say_is_assumed_with_caution(tmp_path: Path) -> None:
    """No function is taken for harmless because nothing is said of it; what is assumed is listed."""
    node_type = only(tmp_path, VENDORS["openai"])
    assert node_type.capabilities.side_effect
    assert not node_type.capabilities.retryable_default
    assert node_type.governance.risk_level_default == "medium"
    for pointer in ("/capabilities/side_effect", "/governance/risk_level_default", "/outputs_schema", "/category"):
        assert node_type.assumes(pointer)


@pytest.mark.parametrize(
    ("hints", "side_effect", "risk", "assumed"),
    [
        ({"readOnlyHint": True}, False, "low", False),
        ({"readOnlyHint": False, "destructiveHint": True}, True, "high", False),
        ({"readOnlyHint": False, "destructiveHint": False}, True, "medium", False),
        ({"readOnlyHint": "yes"}, True, "medium", True),
    ],
)
def test_hints_count_as_far_as_they_are_said(
    hints: dict[str, Any], side_effect: bool, risk: str, assumed: bool, tmp_path: Path
) -> None:
    """Read-only is what the source calls read-only; what is destructive is of high risk."""
    node_type = only(tmp_path, [{**TOOL, "annotations": hints}])
    assert node_type.capabilities.side_effect is side_effect
    assert node_type.governance.risk_level_default == risk
    assert node_type.assumes("/capabilities/side_effect") is assumed


def test_an_entry_point_is_told_of_each_function(tmp_path: Path) -> None:
    """With the module or the class the binding says what to call."""
    path = write(tmp_path, VENDORS["openai"])
    for said, called in (("desk.tools", "desk.tools:escalateTicket"), ("desk:Desk", "desk:Desk.escalateTicket")):
        (node_type,) = import_functions(path, entry_point=said).types.values()
        assert isinstance(node_type.binding, PythonBinding)
        assert node_type.binding.entry_point == called


def test_names_that_are_none_here_keep_their_own_in_the_binding(tmp_path: Path) -> None:
    """References hold ASCII names; what is called otherwise is found again."""
    schema = {
        "properties": {"申请人": {"type": "string"}, "$top": {"type": "integer"}, "a.b": {"properties": {"c d": {}}}}
    }
    node_type = only(tmp_path, [{"name": "查询", "description": "查询订单", "parameters": schema}])
    assert node_type.type.startswith("desk.n_")
    assert node_type.summary_i18n == {"zh": "查询订单"}
    assert node_type.binding is not None
    assert set(node_type.binding.names.values()) == {"申请人", "$top", "a.b", "c d"}
    assert {f"inputs.{name}" for name in node_type.inputs_schema} <= set(node_type.binding.names)
    person = next(one for one in node_type.inputs_schema.values() if one.description == "申请人")
    assert person.type == "string"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "a list of function specifications"),
        ({"openapi": 3}, "a list of function specifications"),
        ([3], "/0: found 3"),
        ([{"description": "x"}], "the name of a function"),
        ([{"name": " "}], "/0/name: found ' '"),
        ([{"name": "a", "parameters": []}], "/0/parameters: found []"),
        ([{"name": "a", "description": 3}], "/0/description: found 3"),
        ([{"name": "a", "parameters": {"type": "array"}}], "an object of arguments"),
        ([{"name": "a", "parameters": {"properties": {"b": {"type": "text"}}}}], "/0/parameters/properties/b/type"),
        (
            [{"name": "a", "parameters": {"properties": {"b": {"$ref": "#/$defs/c"}}}}],
            "/0/parameters/properties/b/$ref",
        ),
    ],
)
def test_what_is_malformed_is_told_with_its_place(value: Any, said: str, tmp_path: Path) -> None:
    """Where, what was found, what was expected."""
    with pytest.raises(MalformedSource) as caught:
        import_functions(write(tmp_path, value))
    assert said in str(caught.value)


def test_two_functions_of_one_name_clash(tmp_path: Path) -> None:
    """A Type means one function; nobody could say which of two."""
    tools = [{"name": "getUser", "description": "a"}, {"name": "get_user", "description": "b"}]
    with pytest.raises(ImportClash, match=r"/1: found 'get_user'.*'getUser'"):
        import_functions(write(tmp_path, tools))


def test_a_function_without_description_is_told(tmp_path: Path) -> None:
    """It is imported by its name, and a person is asked for words."""
    found = import_functions(write(tmp_path, [{"name": "resolveDispute"}]))
    assert [one.error_code for one in found.diagnostics] == ["undescribed-tool"]
    assert found.types["desk.resolve_dispute"].summary == "resolve dispute"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "one JSON value"),
        ("\ufffe", "UTF-8"),
        ("[1,", "one JSON value"),
        ('[{"name": "a", "description": "\\ud800"}]', "no character"),
        ('[{"name": "a", "parameters": {"properties": {"b": {"default": NaN}}}}]', "NaN is no JSON"),
        ("[" * 100_000, "values within values"),
    ],
)
def test_what_is_no_json_is_told(text: str, said: str, tmp_path: Path) -> None:
    """A file that cannot be read is a fault of the file, not of flowc."""
    path = tmp_path / "x.json"
    path.write_bytes(text.encode("utf-16" if text == "\ufffe" else "utf-8"))
    with pytest.raises(MalformedSource, match=said):
        import_functions(path)


def test_lists_within_lists_end(tmp_path: Path) -> None:
    """However deep a schema goes, its field ends, and that is told."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(200):
        schema = {"type": "array", "items": schema}
    tools = [{"name": "a", "description": "b", "parameters": {"properties": {"deep": schema}}}]
    found = import_functions(write(tmp_path, tools))
    assert [one.error_code for one in found.diagnostics] == ["schema-narrowed"]
