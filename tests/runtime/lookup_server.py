"""An MCP server with five tools, over standard input and output, or over HTTP as an app."""

import os

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

NAME = {"type": "object", "properties": {"substance": {"type": "string"}}, "required": ["substance"]}
GIVES = {"type": "object", "properties": {"level": {"type": "integer"}}, "required": ["level"]}
TOOLS = [
    types.Tool(name="look_up", input_schema=NAME, output_schema=GIVES),
    types.Tool(name="look_up_text", input_schema={"type": "object"}),
    types.Tool(name="fail", input_schema={"type": "object"}),
    types.Tool(name="misfit", input_schema={"type": "object"}, output_schema=GIVES),
    types.Tool(name="hang", input_schema={"type": "object"}),
]


async def list_tools(_: object, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """Two pages."""
    if params is not None and params.cursor == "second":
        return types.ListToolsResult(tools=TOOLS[2:])
    return types.ListToolsResult(tools=TOOLS[:2], next_cursor="second")


async def call_tool(_: object, params: types.CallToolRequestParams) -> types.CallToolResult:
    """What each tool does."""
    given = params.arguments or {}
    if params.name == "fail":
        told = types.TextContent(type="text", text="the register is closed")
        return types.CallToolResult(content=[told], is_error=True)
    if params.name == "misfit":
        return types.CallToolResult(content=[], structured_content={"level": "high"})
    if params.name == "hang":
        await anyio.sleep_forever()
    if params.name == "look_up_text":
        return types.CallToolResult(content=[types.TextContent(type="text", text=str(given.get("text")))])
    meta = params.meta or {}
    found = {
        "level": 2, "asked": given, "key": dict(meta).get("idempotencyKey"),
        "token": os.environ.get("LOOKUP_TOKEN"), "secret": os.environ.get("OTHER_SECRET"),
    }  # fmt: skip
    return types.CallToolResult(content=[], structured_content=found)


def server() -> Server:
    """The server."""
    return Server("lookup", on_list_tools=list_tools, on_call_tool=call_tool)


async def serve() -> None:
    """Answer until the input ends."""
    one = server()
    async with stdio_server() as (read, write):
        await one.run(read, write, one.create_initialization_options())


if __name__ == "__main__":
    anyio.run(serve)
