"""Tools that the conformance suite of the protocol asks for by name, served as flowc's own are; for it alone.

They do what tools of workflows do, tell, refuse, ask a person and change the list, with the contents that the suite
expects; tools that show what flowc does not offer are not among them.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.subscriptions import InMemorySubscriptionBus, ToolsListChanged

NONE: dict[str, Any] = {"type": "object", "properties": {}}
SCHEMA_2020: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
Answer = types.CallToolResult | types.InputRequiredResult
Tool = Callable[[Any, types.CallToolRequestParams], Awaitable[Answer]]


def fixture_tools(bus: InMemorySubscriptionBus) -> Mapping[str, tuple[dict[str, Any], Tool]]:
    """By name what each takes, and what it does.

    Args:
        bus: by which clients are told of changes.
    """

    async def changed(context: Any, params: types.CallToolRequestParams) -> Answer:
        await bus.publish(ToolsListChanged())
        return _text("the list changed")

    message = {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}
    asking = "test_input_required_result"
    return {
        "test_simple_text": (NONE, _simple),
        "test_error_handling": (NONE, _failing),
        "test_elicitation": (message, _elicits),
        "test_elicitation_sep1034_defaults": (NONE, _asks_with(DEFAULTS)),
        "test_elicitation_sep1330_enums": (NONE, _asks_with(ENUMS)),
        "test_streaming_elicitation": (NONE, _asks_name),
        "test_missing_capability": (NONE, _lacks),
        "test_trigger_tool_change": (NONE, changed),
        f"{asking}_elicitation": (NONE, _asks_name),
        f"{asking}_request_state": (NONE, _confirms),
        f"{asking}_tampered_state": (NONE, _confirms),
        f"{asking}_multi_round": (NONE, _asks_twice),
        "json_schema_2020_12_tool": (SCHEMA_2020, _simple),
    }


DEFAULTS: dict[str, Any] = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
TITLED = [
    {"const": f"value{one}", "title": f"{word} Option"} for one, word in enumerate(("First", "Second", "Third"), 1)
]
ENUMS: dict[str, Any] = {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}


def _text(text: str, *, error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=error)


async def _simple(context: Any, params: types.CallToolRequestParams) -> Answer:
    return _text("This is a simple text response for testing.")


async def _failing(context: Any, params: types.CallToolRequestParams) -> Answer:
    return _text("This tool intentionally returns an error for testing", error=True)


async def _elicits(context: Any, params: types.CallToolRequestParams) -> Answer:
    fields = {"username": {"type": "string"}, "email": {"type": "string"}}
    schema = {"type": "object", "properties": fields, "required": [*fields]}
    return await _said(context, str((params.arguments or {}).get("message")), schema)


def _asks_with(fields: dict[str, Any]) -> Tool:
    async def asks(context: Any, params: types.CallToolRequestParams) -> Answer:
        return await _said(context, "Fill it in", {"type": "object", "properties": fields, "required": []})

    return asks


async def _said(context: Any, message: str, schema: dict[str, Any]) -> Answer:
    """What the person at an old client says to a form."""
    said = await context.session.elicit_form(message, schema, context.request_id)
    return _text(f"Elicitation completed: action={said.action}, content={json.dumps(said.content)}")


async def _lacks(context: Any, params: types.CallToolRequestParams) -> Answer:
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        data = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "the client does not sample", data)
    return _text("it does")


def _form(key: str, message: str, field: str, kind: str, state: str | None = None) -> types.InputRequiredResult:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    form = types.ElicitRequestFormParams(message=message, requested_schema=schema)
    return types.InputRequiredResult(input_requests={key: types.ElicitRequest(params=form)}, request_state=state)


def _given(params: types.CallToolRequestParams, key: str) -> Mapping[str, Any] | None:
    """What was filled in, in an earlier round."""
    said = (params.input_responses or {}).get(key)
    return said.content if isinstance(said, types.ElicitResult) and said.content else None


async def _asks_name(context: Any, params: types.CallToolRequestParams) -> Answer:
    given = _given(params, "user_name")
    return (
        _form("user_name", "What is your name?", "name", "string")
        if given is None
        else _text(f"Hello, {given['name']}!")
    )


async def _confirms(context: Any, params: types.CallToolRequestParams) -> Answer:
    if params.request_state is None:
        return _form("confirm", "Please confirm", "ok", "boolean", "asked")
    return _text("state-ok" if params.request_state == "asked" else "state-bad")


async def _asks_twice(context: Any, params: types.CallToolRequestParams) -> Answer:
    first, second = _given(params, "step1"), _given(params, "step2")
    if params.request_state is not None and second is not None:
        return _text(f"{json.loads(params.request_state)['name']} likes {second['color']}")
    if first is not None:
        state = json.dumps({"name": first["name"]})
        return _form("step2", "Step 2: What is your favorite color?", "color", "string", state)
    return _form("step1", "Step 1: What is your name?", "name", "string", "step 1")
