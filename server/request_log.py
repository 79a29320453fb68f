"""What is told of each request: which page, how it ended, how long it took, who asked; under a number of its own."""

import logging
import secrets
from time import perf_counter
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = "X-Request-Id"
QUIET = frozenset({"/healthz", "/readyz"})
"""Routes that are asked so often that they are told only where they fail."""
LOG = logging.getLogger("flowc.requests")


class RequestLog:
    """Gives each request an id, which its answer bears and every fault of it tells, and logs how it ended.

    What is told of the address is the route, with names in place of what stood there: never path or query, which may
    hold values and words that open something.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        state: dict[str, Any] = scope.setdefault("state", {})
        state["request_id"] = secrets.token_hex(8)
        began, status = perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = state["request_id"]
            await send(message)

        try:
            await self.app(scope, receive, noted)
        finally:
            _tell(scope, state, status, round((perf_counter() - began) * 1000, 1))


def _tell(scope: Scope, state: dict[str, Any], status: int, milliseconds: float) -> None:
    form = getattr(scope.get("route"), "path_format", None)
    route = state.get("route") or (scope.get("root_path", "") + form if form is not None else None)
    failed = status >= 500
    if route in QUIET and not failed:
        return
    told = {
        "method": scope["method"], "route": route, "status": status, "ms": milliseconds,
        "request_id": state["request_id"], "principal": state.get("principal"),
    }  # fmt: skip
    LOG.log(logging.WARNING if failed else logging.INFO, "request", extra={"told": told})
