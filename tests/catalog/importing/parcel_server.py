"""A small MCP server over standard input and output: four tools on two pages. `--noisy` greets before it speaks."""

import sys

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

NUMBER = {"type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]}
TOOLS = [
    types.Tool(
        name="track_parcel",
        title="Track a parcel",
        description="Tells where a parcel is.",
        input_schema=NUMBER,
        output_schema={
            "type": "object",
            "properties": {"place": {"type": "string"}, "due": {"type": ["string", "null"], "format": "date"}},
            "required": ["place"],
        },
        annotations=types.ToolAnnotations(read_only_hint=True),
    ),
    types.Tool(
        name="cancel_parcel",
        description="Cancels a parcel.",
        input_schema=NUMBER,
        annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True),
    ),
    types.Tool(name="call_courier", description="Calls a courier.", input_schema={"type": "object"}),
    types.Tool(name="relabel", input_schema={"type": "object", "properties": {"reason": {"type": "string"}}}),
]


async def list_tools(ctx: object, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """Two pages."""
    if params is not None and params.cursor == "second":
        return types.ListToolsResult(tools=TOOLS[2:])
    return types.ListToolsResult(tools=TOOLS[:2], next_cursor="second")


async def serve() -> None:
    """Answer until the input ends."""
    server = Server("Parcel Desk", on_list_tools=list_tools)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    if "--noisy" in sys.argv:
        print("Parcel Desk 1.0 starting", flush=True)  # noqa: T201 - what some servers do
    anyio.run(serve)
