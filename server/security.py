"""What holds for every request, whatever the page: headers, sizes, where forms come from, where a browser is sent."""

import hmac
import re
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Lock
from urllib.parse import urlsplit

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.errors import ForeignForm, TooManyAttempts

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
FORM_BYTES, PART_SECONDS = 1 << 20, 30.0
"""Bytes of a request that brings no documents; seconds that the next part of any may take."""
_WITHIN = re.compile(r"/(?![/\\])[^\x00-\x20\x7f\\]*")


class SafeHeaders:
    """Puts the headers on every answer; pages are kept by nobody."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                safe_headers(MutableHeaders(scope=message))
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


def safe_headers(headers: MutableHeaders) -> None:
    """Put them on; what says for itself how long it may be kept says so still."""
    for name, value in HEADERS.items():
        headers[name] = value
    headers.setdefault("Cache-Control", "no-store")


class Sized:
    """Takes no more of a request than a form needs, or documents, and waits for no part of it for long.

    Whatever the request says of its length.

    Args:
        uploads: bytes that a request with documents may have.
        admitted: whether it may bring documents.
        refused: answers what is too large.
        late: answers what did not come on in time.
        seconds: that the next part of it may take.
    """

    def __init__(
        self,
        app: ASGIApp,
        uploads: int,
        admitted: Callable[[Scope], bool],
        refused: ASGIApp,
        late: ASGIApp,
        seconds: float = PART_SECONDS,
    ) -> None:
        self.app, self.uploads, self.admitted, self.refused, self.late = app, uploads, admitted, refused, late
        self.seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        most = self.uploads if await run_in_threadpool(self.admitted, scope) else FORM_BYTES
        told = dict(scope["headers"]).get(b"content-length", b"")
        taken = int(told) if told.isdigit() else 0
        if taken > most:
            await self.refused(scope, receive, send)
            return
        taken, whole, late = 0, False, False

        async def counted() -> Message:
            nonlocal taken, whole, late
            try:
                with anyio.fail_after(None if whole else self.seconds):
                    message = await receive()
            except TimeoutError:
                late = True
                raise
            whole = not message.get("more_body", False)
            taken += len(message.get("body", b""))
            if taken > most:
                raise OverflowError("more was sent than is taken")
            return message

        async def unless_refused(message: Message) -> None:
            if taken <= most and not late:
                await send(message)

        await self.app(scope, counted, unless_refused)
        if late:
            await self.late(scope, receive, send)
        elif taken > most:
            await self.refused(scope, receive, send)


def check_origin(headers: Mapping[str, str], host: str) -> None:
    """Refuse what another site's page sent.

    Args:
        host: that the request was sent to, with its port.

    Raises:
        ForeignForm: it did, or nothing says that it did not.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    same = site == "same-origin" if site is not None else True
    if origin is not None:
        same = same and urlsplit(origin).netloc == host
    if not same or (site is None and origin is None):
        raise ForeignForm("this was not sent by a page of this server; open the page here and send it again")


def check_token(given: str, expected: str) -> None:
    """Refuse a form that does not bring the session's token along.

    Raises:
        ForeignForm: it does not.
    """
    if not hmac.compare_digest(given.encode(), expected.encode()):
        raise ForeignForm("this form is of an earlier session; load the page again and send it from there")


def within(address: str | None) -> str:
    """Where to go on: an address of this server, else its first page.

    >>> within("/drafts/a?b=c"), within("//evil.example"), within("/\\\\evil.example"), within("https://evil.example")
    ('/drafts/a?b=c', '/', '/', '/')
    """
    return address if address is not None and _WITHIN.fullmatch(address) else "/"


@dataclass(frozen=True, eq=False)
class Attempts:
    """How often passwords were tried in vain, by name; in memory, since a start of the server tells nobody anything.

    Args:
        most: in the time.
        seconds: the time.
        checking: is held while a password is, since each takes 64 MiB.
    """

    most: int = 10
    seconds: float = 900.0
    checking: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(2))
    _failed: dict[str, deque[float]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def check(self, name: str) -> None:
        """Stop where it was too often.

        Raises:
            TooManyAttempts: it was.
        """
        with self._lock:
            if len(self._recent(name)) >= self.most:
                wait = int(self.seconds // 60)
                raise TooManyAttempts(f"too many attempts to sign in as this user; try again in {wait} minutes")

    def failed(self, name: str) -> None:
        """Note one."""
        with self._lock:
            for other in [one for one in self._failed if not self._recent(one)]:
                del self._failed[other]
            self._failed.setdefault(name, deque()).append(time.monotonic())

    def _recent(self, name: str) -> deque[float]:
        found = self._failed.get(name, deque())
        while found and found[0] < time.monotonic() - self.seconds:
            found.popleft()
        return found
