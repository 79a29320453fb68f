"""Carries a node out by what an import noted of its Type: an HTTP operation, a tool of MCP, a function, a table.

    [executors."petshop.*"]                    # every Type of the import; a longer name goes before
    kind = "imported"
    base_url = "https://petshop.example.org/v2"  # in place of the server that the import noted
    headers = {Authorization = "PETSHOP_TOKEN"}

Each input goes where the operation wants it, under the name that the system has for it; of the answer the outputs are
taken that the Type declares. What the binding does not say is told when `flowc.toml` is read, and never guessed.
"""

import importlib
import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import httpx
from pydantic import JsonValue

from catalog.binding import Binding, HttpBinding, McpBinding, PythonBinding, TableBinding
from catalog.node_type import NodeType
from ir.predicate import Always, Otherwise, Ref, evaluate
from runtime.executors.client import Answer, PinnedTransport, Resolve, answer_to, looked_up
from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.http import Url
from runtime.executors.imported_http import request_of, unsaid
from runtime.executors.mcp.mcp import said_by
from runtime.executors.mcp.session import Server, call_tool
from runtime.executors.renamed import here, sent, there
from runtime.executors.settings import Settings, secret, settings_of, settled

_TYPE = "node_type"
"""Where the settings of a call hold the Type that they were looked at with."""


class ImportedSettings(Settings):
    """What the executor is told.

    Args:
        base_url: where the system is, in place of what the import noted; for MCP the address of the server.
        headers: by name the environment variable that holds the value.
        environment: for a server of MCP that a command starts: by name the environment variable that holds the value.
        private: an address of this machine or of a private network is meant.
    """

    base_url: Url | None = None
    headers: dict[str, str] = {}
    environment: dict[str, str] = {}
    private: bool = False


class ImportedExecutor:
    """Calls what was imported.

    Args:
        transport: what sends requests; None for the network.
        resolve: looks names up.
    """

    def __init__(self, transport: httpx.BaseTransport | None = None, resolve: Resolve = looked_up) -> None:
        self._transport, self._resolve = transport, resolve

    def settle_for(self, settings: Mapping[str, Any], root: Path, node_type: NodeType | None) -> Mapping[str, Any]:
        """See `SettlingByType`."""
        found = settled(ImportedSettings, settings)
        told = ImportedSettings.model_validate(found)
        if node_type is None:
            raise ValueError('the catalog here has no such Type; kind = "imported" reads how it is called from there')
        wrong = tuple(_unsaid(node_type, told))
        if wrong:
            raise ValueError("; ".join(wrong))
        return {**found, _TYPE: node_type}

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        node_type = call.settings[_TYPE]
        plain = {name: one for name, one in call.settings.items() if name != _TYPE}
        told = settings_of(ImportedSettings, replace(call, settings=plain))
        match node_type.binding:
            case HttpBinding() as binding:
                return _outputs(node_type, binding, _read(node_type, self._asked(call, told, node_type, binding)))
            case McpBinding() as binding:
                return _outputs(node_type, binding, self._tool(call, told, node_type, binding))
            case PythonBinding() as binding:
                return _outputs(node_type, binding, _called(call, node_type, binding))
            case binding:
                return _row(call, node_type, binding)

    def _asked(self, call: Call, told: ImportedSettings, node_type: NodeType, binding: HttpBinding) -> Answer:
        request = request_of(binding, node_type.inputs_schema, call.inputs, told.base_url)
        given = {header: secret(name) for header, name in told.headers.items()}
        headers = {"Idempotency-Key": call.key, "Accept": "application/json", **request.headers, **given}
        transport = self._transport or PinnedTransport(private=told.private, resolve=self._resolve)
        return answer_to(call, request.method, request.url, headers, request.content, transport)

    def _tool(self, call: Call, told: ImportedSettings, node_type: NodeType, binding: McpBinding) -> JsonValue:
        url = told.base_url or binding.url
        secrets = {one: secret(name) for one, name in {**told.headers, **told.environment}.items()}
        server = Server(url, () if url else binding.command, secrets, told.private)
        arguments = _arguments(call, node_type, binding)
        return said_by(binding.tool, call_tool(server, binding.tool, arguments, call.key, call.timeout, self._resolve))


def _unsaid(node_type: NodeType, told: ImportedSettings) -> Iterator[str]:
    """What a call needs, and neither the binding nor the settings say."""
    binding = node_type.binding
    if binding is None:
        yield f"{node_type.type} does not say how it is called (`binding`); use another kind for it"
    elif isinstance(binding, HttpBinding):
        yield from unsaid(binding, node_type.inputs_schema, told.base_url, told.headers)
    elif isinstance(binding, McpBinding):
        yield from _unsaid_of_tool(binding, told)
    elif isinstance(binding, PythonBinding):
        yield from _unsaid_of_code(binding)
    if binding is not None and binding.result is not None and binding.result not in node_type.outputs_schema:
        yield f"the output {binding.result}, which holds all that comes back, is none of the Type; add it"
    if told.environment and not isinstance(binding, McpBinding):
        yield "environment is for a server of MCP that a command starts; remove it"
    if (told.base_url or told.headers) and not isinstance(binding, HttpBinding | McpBinding | None):
        yield "base_url and headers are for what is called over a network; remove them"


def _unsaid_of_tool(binding: McpBinding, told: ImportedSettings) -> Iterator[str]:
    if find_spec("mcp") is None:
        yield "it needs more; install it: pip install 'flowc[run,mcp]'"
    url = told.base_url or binding.url
    if url is None and not binding.command:
        yield f"where the server {binding.server} is is not noted; write base_url"
    if told.environment if url else told.headers:
        yield "headers go with an address, environment goes with a command"


def _unsaid_of_code(binding: PythonBinding) -> Iterator[str]:
    if binding.entry_point is None:
        yield f"where the code of {binding.name} is is not noted; import it with --entry-point"
        return
    try:
        _code(binding.entry_point)
    except (ImportError, AttributeError, TypeError) as error:
        yield f"{binding.entry_point} cannot be called: {error}; correct `entry_point`"


def _code(entry_point: str) -> Callable[..., Any]:
    """The function behind an entry point.

    Raises:
        ImportError, AttributeError, TypeError: there is none, or none that can be called by itself.
    """
    module, _, path = entry_point.partition(":")
    found: Any = importlib.import_module(module)
    for name in path.split("."):
        owner, found = found, getattr(found, name)
    if inspect.iscoroutinefunction(found):
        raise TypeError("it is to be awaited")
    if inspect.isclass(owner) and inspect.isfunction(found):
        held = inspect.getattr_static(owner, path.split(".")[-1])
        if not isinstance(held, staticmethod):
            raise TypeError(f"it needs an object of {owner.__name__}, and how to make one is not noted")
    if not callable(found):
        raise TypeError("it is no function")
    return cast("Callable[..., Any]", found)


def _arguments(call: Call, node_type: NodeType, binding: McpBinding | PythonBinding) -> dict[str, JsonValue]:
    """The inputs that are given, as the tool calls them."""
    fields, names = node_type.inputs_schema, binding.names
    return {
        sent(name, names): there(value, fields.get(name), f"inputs.{name}", names)
        for name, value in call.inputs.items()
        if value is not None
    }


def _called(call: Call, node_type: NodeType, binding: PythonBinding) -> JsonValue:
    try:
        return cast("JsonValue", _code(binding.entry_point or "")(**_arguments(call, node_type, binding)))
    except Exception as error:
        raise ExecutorFault(
            "TOOL_FAILED", f"{binding.name}: {type(error).__name__}: {error}"[:500], made=None
        ) from error


def _row(call: Call, node_type: NodeType, binding: TableBinding) -> dict[str, JsonValue]:
    """The outcome of the first row that holds; null where it says nothing of an output that may be null."""
    nothing: dict[str, JsonValue] = {name: None for name, spec in node_type.outputs_schema.items() if spec.nullable}
    for rule in binding.rows:
        always = isinstance(rule.condition, Always | Otherwise)
        holds = True if always else evaluate(cast("Any", rule.condition), lambda ref: _input(call, ref))
        if holds is None:
            raise ExecutorFault("RULES_UNDECIDED", f"whether {rule.rule_id} holds is unknown", made=False)
        if holds:
            return {**nothing, **rule.outcome}
    raise ExecutorFault("NO_RULE", f"no row of the table of {call.type} holds", made=False)


def _input(call: Call, ref: Ref) -> JsonValue:
    value: object = dict(call.inputs) if ref.root == "inputs" else None
    for key in ref.path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return cast("JsonValue", value)


def _read(node_type: NodeType, answer: Answer) -> JsonValue:
    """What an answer holds: JSON where it says so, or says nothing; else the text as it stands."""
    if not node_type.outputs_schema or not answer.text.strip():
        return None
    kind = answer.media_type
    if kind and kind != "application/json" and not kind.endswith("+json"):
        return answer.text
    try:
        return cast("JsonValue", json.loads(answer.text))
    except ValueError:
        raise ExecutorFault("BAD_OUTPUT", f"{node_type.type}: the answer is not JSON") from None


def _outputs(node_type: NodeType, binding: Binding, found: JsonValue) -> dict[str, JsonValue]:
    """The outputs that the Type declares, of all that came back."""
    fields = node_type.outputs_schema
    if binding.result is not None:
        found = {binding.names.get(f"outputs.{binding.result}", binding.result): found}
    if not fields or found is None:
        return {}
    if not isinstance(found, dict):
        raise ExecutorFault("BAD_OUTPUT", f"{node_type.type}: what came back is not an object")
    return here(found, fields, "outputs", binding.names)
