"""HTTP to one endpoint within bounds: a time for each whole request, an amount of bytes for each answer, no redirects.

The time-outs of HTTP clients begin anew with every byte, and their decoders make gigabytes of megabytes. Here whatever
comes is read to its end before anybody looks at it, until the time or the amount is used up. What endpoints send so
that nobody hangs up (blank lines, lines that begin with a colon) moves no bound and is taken off.
"""

import re
import threading
import time
import weakref
import zlib
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore2 as httpcore
import httpx2 as httpx

MOST_BYTES = 4_000_000
"""Of an answer, as sent and as decoded: several times what the longest answers of models take."""
_DECODED = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}
_KEEP_ALIVE = re.compile(rb"\A(?:\s*:[^\n]*\n)*\s*")
_DROPPED = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_now = threading.local()  # when the request of this thread must be over


class TooMuch(httpx.HTTPError):
    """An answer that is longer than any can be, or packed in a way that was not offered."""


def bounded_client(address: str, seconds: float) -> httpx.Client:
    """A client for one address.

    Args:
        seconds: for each request, from its sending to the last byte of its answer.
    """
    inner = httpx.HTTPTransport(proxy=_proxy(address), limits=httpx.Limits(max_connections=None))
    backend = httpcore.SyncBackend()
    inner._pool._network_backend = _TimedBackend(backend)  # the one way to what every single read may take
    client = httpx.Client(transport=_Bounded(inner, seconds), timeout=seconds, follow_redirects=False)
    weakref.finalize(client, inner.close)
    return client


class _Bounded(httpx.BaseTransport):
    """Reads each answer to its end, within bounds."""

    def __init__(self, inner: httpx.BaseTransport, seconds: float) -> None:
        self._inner, self._seconds = inner, seconds

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """See `httpx.BaseTransport`."""
        request.headers["Accept-Encoding"] = "gzip, deflate"
        _now.until = time.monotonic() + self._seconds
        try:
            response = self._inner.handle_request(request)
            try:
                body = _read(response)
            finally:
                response.close()
        finally:
            del _now.until
        headers = [(name, value) for name, value in response.headers.multi_items() if name not in _DROPPED]
        return httpx.Response(response.status_code, headers=headers, content=_KEEP_ALIVE.sub(b"", body))

    def close(self) -> None:
        """See `httpx.BaseTransport`."""
        self._inner.close()


def _read(response: httpx.Response) -> bytes:
    """The body, decoded.

    Raises:
        TooMuch: there is more than an answer can have.
    """
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed not in (*_DECODED, "identity", ""):
        raise TooMuch(f"the answer is packed as {packed[:20]!r}, which was not asked for")
    unpack = zlib.decompressobj(_DECODED[packed]) if packed in _DECODED else None
    assert isinstance(response.stream, Iterable)
    body, sent = bytearray(), 0
    for chunk in response.stream:
        sent += len(chunk)
        try:
            body += unpack.decompress(chunk, MOST_BYTES + 1 - len(body)) if unpack else chunk
        except zlib.error:
            raise TooMuch(f"the answer says that it is packed as {packed}, and is not") from None
        if len(body) > MOST_BYTES or sent > MOST_BYTES:
            raise TooMuch(f"the answer has more than {MOST_BYTES:,} bytes")
    return bytes(body)


def _proxy(address: str) -> str | None:
    """The proxy that the environment names for an address."""
    parts, named = urlsplit(address), getproxies()
    if not parts.hostname or proxy_bypass(parts.hostname):
        return None
    return named.get(parts.scheme) or named.get("all")


class _TimedBackend(httpcore.NetworkBackend):
    """Connections that wait for nothing longer than the request of their thread may."""

    def __init__(self, inner: httpcore.NetworkBackend) -> None:
        self._inner = inner

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.NetworkStream:  # fmt: skip
        """See `httpcore.NetworkBackend`."""
        left = _left(timeout, httpcore.ConnectTimeout)
        return _TimedStream(self._inner.connect_tcp(host, port, left, local_address, socket_options))

    def sleep(self, seconds: float) -> None:
        """See `httpcore.NetworkBackend`."""
        self._inner.sleep(seconds)


class _TimedStream(httpcore.NetworkStream):
    """A connection of `_TimedBackend`."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """See `httpcore.NetworkStream`."""
        return self._inner.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """See `httpcore.NetworkStream`."""
        self._inner.write(buffer, _left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        """See `httpcore.NetworkStream`."""
        self._inner.close()

    def start_tls(self, ssl_context: Any, server_hostname: Any = None, timeout: Any = None) -> httpcore.NetworkStream:
        """See `httpcore.NetworkStream`."""
        left = _left(timeout, httpcore.ConnectTimeout)
        return _TimedStream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        """See `httpcore.NetworkStream`."""
        return self._inner.get_extra_info(info)


def _left(timeout: float | None, late: type[Exception]) -> float | None:
    """What may be waited at most for one read or write."""
    until: float | None = getattr(_now, "until", None)
    if until is None:
        return timeout
    left = until - time.monotonic()
    if left <= 0:
        raise late("the time for the whole request is over")
    return left if timeout is None else min(left, timeout)
