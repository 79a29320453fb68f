"""Calls a tool of an MCP server, over HTTP or over the standard input and output of a command.

    [executors."io.query_record"]
    kind = "mcp"
    url = "https://tools.example.org/mcp"  # or command = ["parcel-server", "--read-only"]
    tool = "track_parcel"
    headers = {Authorization = "PARCEL_TOKEN"}
    arguments = {number = "parcel_number"} # without it the inputs, as they are
    give = {place = "place"}               # without it what the tool gives, as it is

Structured content becomes the outputs; where a tool has none, a single text that is an object of JSON does. What a tool
calls an error fails the node. The key of the call goes along as `idempotencyKey` in `_meta`. Addresses are looked at as
those of `http` are.
"""

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import Field, JsonValue, model_validator

from runtime.executors.client import Resolve, looked_up
from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.giving import given_outputs
from runtime.executors.http import Url
from runtime.executors.mcp.session import Server, call_tool
from runtime.executors.settings import Settings, secret, settings_of, settled

if TYPE_CHECKING:
    from mcp.types import CallToolResult


class McpSettings(Settings):
    """What the executor is told.

    Args:
        url: where the server listens.
        command: what starts the server, which speaks over its standard input and output; it is run for each call.
        headers: for a server over HTTP: by name the environment variable that holds the value.
        environment: for a command: by name the environment variable that holds the value; it sees no others of ours.
        arguments: by argument of the tool the input that it takes.
        give: by output a key of what the tool gives, or a value.
        private: an address of this machine or of a private network is meant.
    """

    tool: str = Field(min_length=1)
    url: Url | None = None
    command: tuple[str, ...] = ()
    headers: dict[str, str] = {}
    environment: dict[str, str] = {}
    arguments: dict[str, str] | None = None
    give: dict[str, JsonValue] = {}
    private: bool = False

    @model_validator(mode="after")
    def _is_one_server(self) -> "McpSettings":
        if (self.url is None) == (not self.command):
            raise ValueError("name the server by url or by command")
        if "{" in (self.url or ""):
            raise ValueError("inputs go in the arguments of a tool, not in an address")
        if self.environment if self.url is not None else self.headers:
            raise ValueError("headers go with url, environment goes with command")
        return self


class McpExecutor:
    """Calls tools.

    Args:
        resolve: looks names up.
    """

    def __init__(self, resolve: Resolve = looked_up) -> None:
        self._resolve = resolve

    def settle(self, settings: Mapping[str, Any], root: Path) -> Mapping[str, Any]:
        """See `Settling`."""
        if find_spec("mcp") is None:
            raise ValueError("kind: mcp needs more; install it: pip install 'flowc[run,mcp]'")
        return settled(McpSettings, settings)

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        told = settings_of(McpSettings, call)
        secrets = {one: secret(name) for one, name in {**told.headers, **told.environment}.items()}
        server = Server(told.url, told.command, secrets, told.private)
        result = call_tool(server, told.tool, _arguments(told, call), call.key, call.timeout, self._resolve)
        found = _outputs(told.tool, result)
        return given_outputs(told.give, found, found, told.tool) if told.give else found


def _arguments(told: McpSettings, call: Call) -> dict[str, JsonValue]:
    if told.arguments is None:
        return dict(call.inputs)
    return {one: call.inputs[name] for one, name in told.arguments.items() if name in call.inputs}


def said_by(tool: str, result: "CallToolResult") -> JsonValue:
    """What a tool gave: its structured content, else the one text, read as JSON where it is that.

    Raises:
        ExecutorFault: it calls it an error, or gave several things.
    """
    texts: list[str] = [one.text for one in result.content if one.type == "text"]
    if result.is_error:
        raise ExecutorFault("TOOL_FAILED", f"{tool}: {' '.join(texts) or 'it says no more'}"[:500])
    if result.structured_content is not None:
        return cast("dict[str, JsonValue]", result.structured_content)
    if not result.content:
        return None
    if len(texts) != 1 or len(result.content) != 1:
        raise ExecutorFault("BAD_OUTPUT", f"{tool}: it gives neither structured content nor one text")
    try:
        return cast("JsonValue", json.loads(texts[0]))
    except ValueError:
        return texts[0]


def _outputs(tool: str, result: "CallToolResult") -> dict[str, JsonValue]:
    """What a tool gave, which has to be an object."""
    found = said_by(tool, result)
    if isinstance(found, dict):
        return found
    raise ExecutorFault(
        "BAD_OUTPUT", f"{tool}: it gives neither structured content nor one text with an object of JSON"
    )
