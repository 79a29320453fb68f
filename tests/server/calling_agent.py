"""An agent at a server's `/mcp`: a real client of the protocol, in a thread of its own beside the browser's."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from server.site import Site
from store.tokens import make_token
from store.users import ANY, READ, START

LONGEST = 120
"""Seconds that an answer may take."""


@dataclass(frozen=True)
class Agent:
    """Calls tools, and waits for what they tell."""

    portal: BlockingPortal
    client: Client

    def tools(self) -> list[str]:
        """The names of the tools that it is shown."""
        return [one.name for one in self.portal.call(self.client.list_tools).tools]

    def call(self, tool: str, **given: Any) -> dict[str, Any]:
        """What a call tells that is not refused."""
        found = self.portal.call(self.client.call_tool, tool, given)
        assert not found.is_error, found.structured_content
        return dict(found.structured_content)


@contextmanager
def calling(site: Site, address: str, name: str) -> Iterator[Agent]:
    """An agent with a new token that reads and starts what the agent may."""
    with site.workspace.transaction() as connection:
        token, _ = make_token(connection, name, (READ, START), (ANY,), 30, "wen")
    opened = _client(f"{address}/mcp", token)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opened) as client:
        yield Agent(portal, client)


@asynccontextmanager
async def _client(place: str, token: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=LONGEST) as http,
        Client(streamable_http_client(place, http_client=http)) as client,
    ):
        yield client
