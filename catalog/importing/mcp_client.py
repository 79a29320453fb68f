"""Asks an MCP server for its tools, over its standard input and output or over HTTP on this machine, within bounds."""

from __future__ import annotations

import ipaddress
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from catalog.importing import mcp_relay
from catalog.importing.errors import MissingExtra, UnreachableSource
from catalog.importing.mcp_bounds import TooMuchError, bounded, leaves, quiet
from catalog.read import Parsed
from ir.errors import BadSetting

if TYPE_CHECKING:
    from mcp.client import Client

MOST_SECONDS, MOST_BYTES, MOST_PAGES = 30.0, 16 * 1024 * 1024, 500


def ask_tools(target: str | tuple[str, ...], *, seconds: float = MOST_SECONDS, most: int = MOST_BYTES) -> Parsed:
    """What a server answers to `tools/list`, all pages as one, with its name.

    Args:
        target: an HTTP address on this machine, or a command, which is run.
        seconds: for all of it.
        most: bytes that the server may send.

    Raises:
        MissingExtra: the extra `mcp` is not installed.
        BadSetting: the address is not on this machine.
        UnreachableSource: the server does not answer, answers with an error, or exceeds its bounds.
    """
    said = target if isinstance(target, str) else " ".join(target)
    if isinstance(target, str):
        check_loopback(target)
    elif shutil.which(target[0]) is None:
        raise UnreachableSource(f"{said}: there is no program {target[0]!r}; correct the command")
    if find_spec("mcp") is None:
        advice = "install it: pip install 'flowc[mcp]'; or save what the server answers to tools/list, and import that"
        raise MissingExtra(f"an MCP server is asked with the library mcp, which is not installed; {advice}")
    import anyio

    with quiet(), tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        try:
            data = anyio.run(_ask, target, seconds, most, errors)
        except Exception as error:
            why = _reason(error, seconds, most)
            errors.seek(0)
            last = [line.strip() for line in errors.read().splitlines() if line.strip()][-5:]
            raise UnreachableSource("\n".join([f"{said}: {why}; see that it runs, and try again", *last])) from error
    return Parsed(said, data, None)


def check_loopback(url: str) -> None:
    """Refuse an address that is not on this machine: what stands elsewhere is not asked.

    Raises:
        BadSetting: it is not.
    """
    host = urlsplit(url).hostname or ""
    try:
        own = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        own = False
    if not own:
        advice = "save what the server answers to tools/list, and import that file"
        raise BadSetting(f"{url} is not on this machine, and flowc asks no other; {advice}")


async def _ask(target: str | tuple[str, ...], seconds: float, most: int, errors: Any) -> dict[str, Any]:
    import anyio

    with anyio.fail_after(seconds):
        async with _connected(target, most, errors) as client:
            tools: list[dict[str, Any]] = []
            cursor: str | None = None
            for _ in range(MOST_PAGES):
                page = await client.list_tools(cursor=cursor)
                tools += [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in page.tools]
                if page.next_cursor is None:
                    about = client.server_info
                    return {"serverInfo": {"name": about.name if about else ""}, "tools": tools}
                cursor = page.next_cursor
            raise _EndlessError


class _EndlessError(Exception):
    """A list has more pages than any has."""


@asynccontextmanager
async def _connected(target: str | tuple[str, ...], most: int, errors: Any) -> AsyncIterator[Client]:
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamable_http_client

    async with AsyncExitStack() as stack:
        if isinstance(target, str):
            http = await stack.enter_async_context(_http_client(most))
            transport: Any = streamable_http_client(target, http_client=http)
        else:
            relayed = ["-I", mcp_relay.__file__, str(most), *target]
            parameters = StdioServerParameters(command=sys.executable, args=relayed)
            transport = stdio_client(parameters, errlog=errors)
        yield await stack.enter_async_context(Client(transport))


def _http_client(most: int) -> Any:
    """A client that follows nothing, asks no proxy and takes so many bytes in all."""
    import httpx2

    within = bounded(most)

    class Transport(httpx2.AsyncHTTPTransport):
        async def handle_async_request(self, request: Any) -> Any:
            request.headers["accept-encoding"] = "identity"  # what is packed could unpack to anything
            response = await super().handle_async_request(request)
            response.stream = within(response.stream)
            return response

    return httpx2.AsyncClient(transport=Transport(trust_env=False), trust_env=False, follow_redirects=False)


def _reason(error: BaseException, seconds: float, most: int) -> str:
    """What went wrong, of all that was raised together."""
    found = leaves(error)
    if any(isinstance(one, TimeoutError) for one in found):
        return f"the server did not answer within {seconds:g} seconds"
    if any(isinstance(one, TooMuchError) for one in found):
        return f"the server sent more than {most:,} bytes"
    if any(isinstance(one, _EndlessError) for one in found):
        return f"the server's list has more than {MOST_PAGES} pages"
    told = next((str(one) for one in found if str(one)), type(found[0]).__name__)
    return f"the server did not answer: {told.splitlines()[0][:200]}"
