"""The plant of `agent_plant` behind a server that listens: what agents send over HTTP, and what the audit tells."""

import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import httpx2
import pytest
import uvicorn
from agent_plant import Plant, searched
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.types import ASGIApp

from agents.http import ToolEndpoint
from server.app import make_app
from server.builds.compiling import Compiling
from server.builds.folders import Builds
from server.site import Site
from store import audit
from store.tokens import make_token
from store.users import READ, START

NEW, OLD = "2026-07-28", "2025-11-25"
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
HELLO = {"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


@dataclass(frozen=True)
class Remote:
    """A server that listens.

    Args:
        address: of the server; `/mcp` is below it.
        bot: a token of the agent `bot` that reads and starts everything the agent may.
    """

    plant: Plant
    site: Site
    address: str
    bot: str

    def token(self, user: str, *scopes: str, workflows: tuple[str, ...] = ("*",)) -> str:
        """The text of a new token."""
        with self.plant.host.workspace.transaction() as connection:
            return make_token(connection, user, scopes or (READ, START), workflows, 30, "wen")[0]

    def send(self, body: Any, token: str | None = None, method: str = "POST", **headers: str) -> httpx.Response:
        """Send what is no call of the protocol's own client; text goes as it is."""
        brought = {"Authorization": f"Bearer {self.bot if token is None else token}"}
        content = body if isinstance(body, str | bytes) or body is None else json.dumps(body)
        every = {**HEADERS, **brought, **{name.replace("_", "-"): value for name, value in headers.items()}}
        return httpx.request(method, f"{self.address}/mcp", content=content, headers=every, timeout=30)

    def message(self, method: str, params: dict[str, Any], token: str | None = None) -> httpx.Response:
        """Send a request of the new protocol."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": HELLO["clientInfo"],
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        name = params.get("name")
        named = {"Mcp-Name": name} if isinstance(name, str) else {}
        return self.send(body, token, **{"MCP-Protocol-Version": NEW, "Mcp-Method": method, **named})

    def call(self, tool: Any, token: str | None = None, **given: Any) -> dict[str, Any]:
        """Call a tool by the new protocol; what comes is its content, or of an error what the protocol has for that."""
        found = self.message("tools/call", {"name": tool, "arguments": given}, token).json()
        return dict(found["result"]["structuredContent"]) if "result" in found else dict(found["error"])

    def session(self, token: str | None = None) -> str:
        """The id of a session of the old protocol."""
        told = self.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}, token)
        assert told.status_code == 200, told.text
        name = told.headers["mcp-session-id"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"}, token, mcp_session_id=name)
        return str(name)

    @asynccontextmanager
    async def client(self, mode: str = "auto", token: str | None = None, **more: Any) -> AsyncIterator[Client]:
        """A client of the protocol's own kind."""
        brought = {"Authorization": f"Bearer {self.bot if token is None else token}"}
        async with httpx2.AsyncClient(headers=brought, timeout=30) as http:
            transport = streamable_http_client(f"{self.address}/mcp", http_client=http)
            async with Client(transport, mode=mode, **more) as client:
                yield client

    def events(self, *kinds: str) -> list[audit.Event]:
        """What the audit tells of some kinds."""
        return [one for one in self.plant.events() if one.kind in kinds]


@pytest.fixture
def remote(plant: Plant) -> Iterator[Remote]:
    """The plant, served."""
    with served(plant) as found:
        yield found


@contextmanager
def served(
    plant: Plant, endpoint: type[ToolEndpoint] = ToolEndpoint, around: Callable[[ASGIApp], ASGIApp] = lambda app: app
) -> Iterator[Remote]:
    """A server over a plant, that listens.

    Args:
        endpoint: answers agents.
        around: puts something around the application.
    """
    host = plant.host
    compiling = Compiling(host.workspace.folder.parent)
    tools = endpoint(host, searched, "0.1")
    site = Site(host, Builds(host.workspace.folder, []), compiling, tools=tools)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(around(make_app(site)), log_level="warning", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    end = time.monotonic() + 20
    while not server.started and time.monotonic() < end:
        time.sleep(0.02)
    found = Remote(plant, site, f"http://127.0.0.1:{listening.getsockname()[1]}", "")
    yield Remote(plant, site, found.address, found.token("bot"))
    server.should_exit = True
    thread.join(20)
    assert not thread.is_alive(), "the server does not end"
