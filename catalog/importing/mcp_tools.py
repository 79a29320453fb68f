"""Tools of an MCP server, from what it answers to `tools/list`."""

from collections.abc import Iterator, Mapping
from typing import Any

from catalog.binding import McpBinding
from catalog.errors import CatalogFault
from catalog.importing.errors import MalformedSource
from catalog.importing.functions import effects_of, schema_under
from catalog.importing.tool import Source, Tool
from catalog.read import Parsed
from catalog.read import Path as KeyPath

EXPECTED = "what an MCP server answers to tools/list: {tools: [{name, description, inputSchema}]}"


def is_tool_list(data: object) -> bool:
    """Whether data look like an answer to `tools/list`, saved with its envelope or without."""
    if isinstance(data, list):
        return bool(data) and all(isinstance(one, Mapping) and "result" in one for one in data)
    if not isinstance(data, Mapping):
        return False
    if "result" in data or "serverInfo" in data:
        return True
    tools = data.get("tools")
    return isinstance(tools, list) and any(isinstance(one, Mapping) and "inputSchema" in one for one in tools)


def read_tool_list(
    parsed: Parsed, said: str, *, server: str | None = None, command: tuple[str, ...] = (), url: str | None = None
) -> Source:
    """The tools of a list.

    Args:
        said: the file, address or command as it was named.
        server: the server's name, where the list does not hold it.
        command, url: how the server is reached.

    Raises:
        MalformedSource: it is no list of tools; every fault is listed.
    """
    faults: list[CatalogFault] = []
    named = _server_name(parsed.data) or server
    tools: list[Tool] = []
    for path, raw in _listed(parsed, faults):
        name = raw.get("name") if isinstance(raw, Mapping) else None
        if not isinstance(raw, Mapping) or not isinstance(name, str) or not name.strip():
            faults.append(parsed.fault(path, raw, "a tool with a name", "correct the list"))
            continue
        hints = raw.get("annotations")
        hints = hints if isinstance(hints, Mapping) else {}
        titles = (raw.get("title"), hints.get("title"))
        tools.append(
            Tool(
                name=name,
                path=path,
                binding=McpBinding(kind="mcp", server=named or said, tool=name, command=command, url=url),
                title=next((one for one in titles if isinstance(one, str) and one.strip()), None),
                description=raw["description"] if isinstance(raw.get("description"), str) else None,
                inputs=schema_under(parsed, path, raw, ("inputSchema",), faults),
                outputs=schema_under(parsed, path, raw, ("outputSchema",), faults),
                effects=effects_of(hints),
            )
        )
    if not tools and not faults:
        faults.append(parsed.fault((), parsed.data, EXPECTED, "name such a list"))
    if faults:
        raise MalformedSource(faults)
    return Source(said, parsed, tuple(tools), named)


def _listed(parsed: Parsed, faults: list[CatalogFault]) -> Iterator[tuple[KeyPath, Any]]:
    """Each tool with its place; an answer may be in several pages."""
    pages = parsed.data if isinstance(parsed.data, list) else [parsed.data]
    for number, page in enumerate(pages):
        path: KeyPath = (number,) if isinstance(parsed.data, list) else ()
        if isinstance(page, Mapping) and isinstance(page.get("result"), Mapping):
            page, path = page["result"], (*path, "result")
        tools = page.get("tools") if isinstance(page, Mapping) else None
        if not isinstance(tools, list):
            faults.append(parsed.fault((*path, "tools"), page, EXPECTED, "name such a list"))
            continue
        yield from (((*path, "tools", index), one) for index, one in enumerate(tools))


def _server_name(data: object) -> str | None:
    about = data.get("serverInfo") if isinstance(data, Mapping) else None
    name = about.get("name") if isinstance(about, Mapping) else None
    return name if isinstance(name, str) and name.strip() else None
