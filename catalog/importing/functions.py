"""Function specifications as the vendors of models write them: OpenAI, Anthropic, Bedrock, Gemini, JSON Schema."""

from collections.abc import Iterator, Mapping
from typing import Any

from catalog.binding import PythonBinding
from catalog.errors import CatalogFault
from catalog.importing.errors import MalformedSource
from catalog.importing.shapes import Spot, registry_of
from catalog.importing.tool import Effects, Source, Tool
from catalog.read import Parsed, pointer
from catalog.read import Path as KeyPath

_LISTS = ("tools", "functions", "toolSpecs", "function_declarations", "functionDeclarations")
_WRAPPERS = ("toolSpec", "function")
_INPUTS = ("inputSchema", "input_schema", "parameters", "parametersJsonSchema", "args_schema")
_OUTPUTS = ("outputSchema", "output_schema", "returns", "response", "responseJsonSchema")
SHAPES = "a list of function specifications: {name, description, parameters}, or with toolSpec, function, inputSchema"


def read_functions(parsed: Parsed, said: str, *, entry_point: str | None = None) -> Source:
    """The functions of a specification.

    Args:
        said: the file as it was named.
        entry_point: `module` or `module:Class` in which functions of these names stand; None where nobody says so.

    Raises:
        MalformedSource: it is no list of specifications; every fault is listed.
    """
    faults: list[CatalogFault] = []
    tools = []
    for path, raw in _specifications(parsed.data, ()):
        tool = _tool(parsed, path, raw, faults, entry_point)
        tools += [tool] if tool else []
    if not tools and not faults:
        faults.append(parsed.fault((), parsed.data, SHAPES, "name a file of that form"))
    if faults:
        raise MalformedSource(faults)
    return Source(said, parsed, tuple(tools))


def is_functions(data: object) -> bool:
    """Whether data look like function specifications."""
    return any(isinstance(raw, Mapping) and "name" in raw for _, raw in _specifications(data, ()))


def _specifications(data: object, path: KeyPath) -> Iterator[tuple[KeyPath, object]]:
    """Each specification with its place, whatever it is wrapped in."""
    if isinstance(data, list):
        for index, item in enumerate(data):
            yield from _specifications(item, (*path, index))
        return
    if not isinstance(data, Mapping):
        yield path, data
        return
    for key in _WRAPPERS:
        if isinstance(data.get(key), Mapping):
            yield (*path, key), data[key]
            return
    lists = [key for key in _LISTS if isinstance(data.get(key), list)]
    if lists and "name" not in data:
        for key in lists:
            yield from _specifications(data[key], (*path, key))
    elif path or "name" in data:
        yield path, data


def _tool(
    parsed: Parsed, path: KeyPath, raw: object, faults: list[CatalogFault], entry_point: str | None
) -> Tool | None:
    if not isinstance(raw, Mapping):
        faults.append(parsed.fault(path, raw, SHAPES, "correct the list"))
        return None
    name = raw.get("name")
    if not isinstance(name, str) or not name.strip():
        at = (*path, "name") if "name" in raw else path
        faults.append(parsed.fault(at, name, "the name of a function", "add it"))
        return None
    for key in ("description", "title"):
        if not isinstance(raw.get(key), str | None):
            faults.append(parsed.fault((*path, key), raw[key], "a text", "correct it"))
    inputs = schema_under(parsed, path, raw, _INPUTS, faults)
    outputs = schema_under(parsed, path, raw, _OUTPUTS, faults)
    hints = raw.get("annotations") if isinstance(raw.get("annotations"), Mapping) else {}
    return Tool(
        name=name,
        path=path,
        binding=PythonBinding(kind="python", name=name, entry_point=_entry_point(entry_point, name)),
        title=raw["title"] if isinstance(raw.get("title"), str) else None,
        description=raw["description"] if isinstance(raw.get("description"), str) else None,
        inputs=inputs,
        outputs=outputs,
        effects=effects_of(hints or {}),
    )


def effects_of(hints: Mapping[str, Any]) -> Effects:
    """What the annotations of a tool say, as MCP names them; a hint that is no truth value says nothing."""
    said = {key: value for key, value in hints.items() if isinstance(value, bool)}
    read_only = said.get("readOnlyHint")
    return Effects(
        read_only=read_only,
        destructive=said.get("destructiveHint") if read_only is not True else None,
        idempotent=said.get("idempotentHint"),
    )


def schema_under(
    parsed: Parsed, path: KeyPath, raw: Mapping[str, Any], keys: tuple[str, ...], faults: list[CatalogFault]
) -> Spot | None:
    """The schema under one of some keys, Bedrock's `{json: …}` taken off."""
    key = next((key for key in keys if raw.get(key) is not None), None)
    if key is None:
        return None
    schema, at = raw[key], (*path, key)
    if isinstance(schema, Mapping) and set(schema) == {"json"}:
        schema, at = schema["json"], (*at, "json")
    if not isinstance(schema, Mapping):
        faults.append(parsed.fault(at, schema, "a JSON Schema, which is an object", "correct the schema"))
        return None
    registry, resource = registry_of(schema)
    base = pointer(at)
    return Spot(schema, registry.with_resource(base, resource).resolver(base), base)


def _entry_point(said: str | None, name: str) -> str | None:
    """The code of a function, in a module or a class of one."""
    if said is None:
        return None
    return f"{said}.{name}" if ":" in said else f"{said}:{name}"
