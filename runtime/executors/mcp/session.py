"""One call of a tool of an MCP server, within bounds of time and size."""

import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import JsonValue

from catalog.importing import mcp_relay
from catalog.importing.mcp_bounds import TooMuchError, leaves, quiet
from runtime.executors.client import LARGEST, Resolve, reachable
from runtime.executors.contract import ExecutorFault
from runtime.executors.mcp.http import http_client

if TYPE_CHECKING:
    from mcp.client import Client
    from mcp.types import CallToolResult

MOST_PAGES = 100
_NOT_DONE = (-32600, -32601, -32602)
"""Errors of JSON-RPC that say that a request was not understood."""
_MISFITS = ("Tool ", "Invalid ")
"""How the library begins what it says of content that does not fit the schema of a tool."""


@dataclass(frozen=True)
class Server:
    """Where tools are: at an address, or what a command starts.

    Args:
        secrets: headers for an address, the environment for a command.
        private: an address that is not public is meant.
    """

    url: str | None
    command: tuple[str, ...]
    secrets: Mapping[str, str]
    private: bool

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.url or self.command[0]


@dataclass
class _Progress:
    sent: bool = False


def call_tool(
    server: Server, tool: str, arguments: Mapping[str, JsonValue], key: str, seconds: float, resolve: Resolve
) -> "CallToolResult":
    """What a tool answers.

    Raises:
        ExecutorFault: there is no such tool, no answer, or an error of the protocol.
    """
    import anyio

    addresses: Sequence[str] = ()
    if server.url is not None:
        parts = urlsplit(server.url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        addresses = reachable(str(parts.hostname), port, private=server.private, resolve=resolve)
    progress = _Progress()

    async def ask() -> "CallToolResult":
        with anyio.fail_after(seconds):
            async with _connected(server, addresses, errors) as client:
                await _known(client, server, tool)
                progress.sent = True
                return await client.call_tool(tool, dict(arguments), meta={"idempotencyKey": key})

    with quiet(), tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        try:
            return anyio.run(ask)
        except Exception as error:
            errors.seek(0)
            raise _fault(server, error, progress.sent, errors.read()) from error


@asynccontextmanager
async def _connected(server: Server, addresses: Sequence[str], errors: Any) -> AsyncIterator["Client"]:
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, get_default_environment, stdio_client
    from mcp.client.streamable_http import streamable_http_client

    async with AsyncExitStack() as stack:
        if server.url is not None:
            http = await stack.enter_async_context(http_client(addresses, server.secrets))
            transport: Any = streamable_http_client(server.url, http_client=http)
        else:
            relayed = ["-I", mcp_relay.__file__, str(LARGEST), *server.command]
            seen = {**get_default_environment(), **server.secrets}
            transport = stdio_client(
                StdioServerParameters(command=sys.executable, args=relayed, env=seen), errlog=errors
            )
        yield await stack.enter_async_context(Client(transport))


async def _known(client: "Client", server: Server, tool: str) -> None:
    """Refuse a tool that the server has not, before anything is called."""
    names: list[str] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        names += [one.name for one in page.tools]
        if tool in names:
            return
        cursor = page.next_cursor
        if cursor is None:
            break
    told = ", ".join(names[:20]) or "none"
    raise ExecutorFault("NO_TOOL", f"{server.name} has no tool {tool}; there is {told}", made=False)


def _fault(server: Server, error: BaseException, sent: bool, errors: str) -> ExecutorFault:
    """What went wrong, of all that was raised together."""
    from mcp import MCPError

    found = leaves(error)
    for one in found:
        if isinstance(one, ExecutorFault):
            return one
        if isinstance(one, MCPError) and one.code in _NOT_DONE:
            return ExecutorFault("TOOL_REFUSED", f"{server.name}: {one}", made=False)
        if sent and type(one) is RuntimeError and str(one).startswith(_MISFITS):
            return ExecutorFault("BAD_OUTPUT", f"{server.name}: {one}".splitlines()[0])
        if isinstance(one, TooMuchError):
            return ExecutorFault(
                "BAD_OUTPUT", f"{server.name}: more than {LARGEST} bytes", made=None if sent else False
            )
    why = next((str(one) for one in found if str(one)), type(found[-1]).__name__).splitlines()[0][:200]
    said = " ".join(line.strip() for line in errors.splitlines() if line.strip())[-200:]
    told = f"{server.name}: {why}" + (f" ({said})" if said else "")
    if not sent:
        return ExecutorFault("SYSTEM_UNAVAILABLE", told, passing=True, made=False)
    return ExecutorFault("NO_ANSWER", told, passing=True, made=None)
