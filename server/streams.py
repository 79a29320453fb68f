"""Streams of events, which go on for long: no more at a time than the server can bear, and none when it ends."""

from threading import Event

import anyio
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

EVENTS = "text/event-stream"
MOST, LOOK = 100, 0.2
"""Streams at a time; seconds between two looks whether the server ends."""


class Streams:
    """Ends streams of events once the server is to end, and refuses those that are too many; lets all else through.

    Args:
        stopping: is set once the server is to end.
        most: streams at a time.
    """

    def __init__(self, app: ASGIApp, stopping: Event, most: int = MOST) -> None:
        self.app, self.stopping, self.most = app, stopping, most
        self.going = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        streaming, failure = False, None

        async def watched(message: Message) -> None:
            nonlocal streaming
            if message["type"] == "http.response.start" and EVENTS in Headers(raw=message["headers"]).get(
                "content-type", ""
            ):
                if self.going >= self.most:
                    told = {"code": "busy", "message": f"{self.going} streams of events go on already; ask again later"}
                    await JSONResponse(told, 503)(scope, receive, send)
                    group.cancel_scope.cancel()
                    await anyio.lowlevel.checkpoint()
                self.going, streaming = self.going + 1, True
                group.start_soon(self._until_stopping, group.cancel_scope)
            await send(message)

        try:
            async with anyio.create_task_group() as group:
                try:
                    await self.app(scope, receive, watched)
                except Exception as error:  # noqa: BLE001 - raised again below, and not as one of a group
                    failure = error
                group.cancel_scope.cancel()
        finally:
            self.going -= streaming
        if failure is not None:
            raise failure
        if streaming and self.stopping.is_set():
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _until_stopping(self, scope: anyio.CancelScope) -> None:
        while not self.stopping.is_set():
            await anyio.sleep(LOOK)
        scope.cancel()
