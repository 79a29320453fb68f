"""The Model Context Protocol over HTTP, for those whom the server let in.

A request of the new protocol stands for itself. One of the old belongs to a session, which is its user's alone: to
others it is not there. Whatever is refused before it comes to the desk is told in the audit as well.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Message, Receive, Scope, Send

from agents.acts import Search
from agents.desk import Desk
from agents.server import SESSIONS, ToolServer
from runtime.host import Host
from store.users import User

DESK, NOTED = "flowc.desk", "flowc.noted"
"""Where a request keeps the desk that takes it, and whether that was asked, so that the audit tells what it came to."""
IDLE = 1800.0
"""Seconds after which a session of which nothing is heard ends."""
CODES = {404: "unknown-session", 413: "too-large", 503: "busy"}
"""What a status of the protocol says; any other of a refusal is `bad-request`."""


class ToolEndpoint:
    """Answers requests of agents.

    Args:
        search: ranks versions for a task.
        version: of flowc.
    """

    def __init__(self, host: Host, search: Search, version: str) -> None:
        self._host, self._search = host, search
        self._tools = ToolServer(host, _desk_of, version)
        self._manager = StreamableHTTPSessionManager(
            self._tools.server, max_sessions=SESSIONS, session_idle_timeout=IDLE
        )
        self._app = AuthContextMiddleware(self._manager.handle_request)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Requests are answered meanwhile, and clients told of changes; all sessions end with it. Once for each."""
        async with self._manager.run(), anyio.create_task_group() as group:
            group.start_soon(self._tools.watch)
            try:
                yield
            finally:
                self._tools.close()
                group.cancel_scope.cancel()

    async def answer(self, user: User, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of a user whose token is good.

        Raises:
            NotAnAgent, UnknownUser: see `Desk.agent`.
        """
        desk = Desk(self._host, user.name, self._search, user.grant)
        await anyio.to_thread.run_sync(desk.agent)
        scope[DESK], scope[NOTED] = desk, False
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=user.name, subject=user.name, scopes=[]))

        async def noting(message: Message) -> None:
            refused = message["type"] == "http.response.start" and message["status"] >= 400
            if refused and not scope[NOTED]:
                await anyio.to_thread.run_sync(desk.note, CODES.get(message["status"], "bad-request"))
            await send(message)

        await self._app(scope, receive, noting)


def _desk_of(context: Any) -> Desk:
    """The desk of whoever sent a message."""
    context.request.scope[NOTED] = True
    desk: Desk = context.request.scope[DESK]
    return desk
