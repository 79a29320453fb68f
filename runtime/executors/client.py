"""The one HTTP client of executors: it connects to addresses that were looked up once, and looked at.

What a name stands for is asked once a request. Each address must be public, unless the settings say `private = true`,
and it is these addresses that are connected to, whatever the name stands for a moment later; the header `Host` and the
name in TLS stay those of the URL (httpx's own hooks: a transport, and the extension `sni_hostname`). No proxy is asked,
no redirect followed, no password of `.netrc` sent.
"""

import ipaddress
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from runtime.executors.contract import Call, ExecutorFault

LARGEST = 4 * 1024 * 1024
_PASSING = (408, 425, 429, 500, 502, 503, 504)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
Resolve = Callable[[str, int], Sequence[str]]


def looked_up(host: str, port: int) -> Sequence[str]:
    """The addresses that a name stands for, each once."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in found))


class PinnedTransport(httpx.BaseTransport):
    """Connects to what was looked up and may be reached, and to nothing else.

    Args:
        private: addresses of this machine and of private networks are meant.
        resolve: looks a name up.
    """

    def __init__(self, *, private: bool, resolve: Resolve = looked_up) -> None:
        self._private, self._resolve = private, resolve
        self._inner = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request to the first of the addresses that lets itself be connected to."""
        name = request.url.raw_host.decode("ascii")
        port = request.url.port or (443 if request.url.scheme == "https" else 80)
        addresses = reachable(name, port, private=self._private, resolve=self._resolve)
        for address in addresses[:-1]:
            try:
                return self._inner.handle_request(_addressed(request, name, address))
            except httpx.ConnectError:
                continue
        return self._inner.handle_request(_addressed(request, name, addresses[-1]))

    def close(self) -> None:
        """Close the connections."""
        self._inner.close()


def reachable(name: str, port: int, *, private: bool, resolve: Resolve = looked_up) -> Sequence[str]:
    """The addresses that a name stands for, all of which may be connected to.

    Raises:
        ExecutorFault: it has none, or one that is private and not meant.
    """
    try:
        found = resolve(name, port)
    except OSError as error:
        raise ExecutorFault("SYSTEM_UNAVAILABLE", f"{name}: {error}", passing=True, made=False) from error
    if not found:
        raise ExecutorFault("SYSTEM_UNAVAILABLE", f"{name} has no address", passing=True, made=False)
    refused = [] if private else [one for one in found if not is_public(one)]
    if refused:
        advice = "say private = true in flowc.toml if that is meant"
        message = f"{name} stands for {refused[0]}, which is private; {advice}"
        raise ExecutorFault("PRIVATE_ADDRESS", message, made=False)
    return found


def is_public(address: str) -> bool:
    """Whether an address is one of the whole world, also where an IPv4 address is wrapped in it.

    >>> [is_public(one) for one in ("1.1.1.1", "10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "224.0.0.1")]
    [True, False, False, False, False]
    """
    found = ipaddress.ip_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if inner is None and found in _NAT64:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        found = inner or found
    return found.is_global and not found.is_multicast


def _addressed(request: httpx.Request, name: str, address: str) -> httpx.Request:
    """The same request to an address; its header `Host` is there already."""
    extensions = {**request.extensions, "sni_hostname": name}
    url = request.url.copy_with(host=address)
    return httpx.Request(request.method, url, headers=request.headers, stream=request.stream, extensions=extensions)


@dataclass(frozen=True)
class Answer:
    """What a system answered.

    Args:
        media_type: what it says that the text is, in small letters and without parameters; empty where it does not.
    """

    text: str
    media_type: str


def answer_to(
    call: Call,
    method: str,
    url: str,
    headers: Mapping[str, str],
    content: Mapping[str, Any],
    transport: httpx.BaseTransport,
) -> Answer:
    """The answer to one request.

    Args:
        content: `json`, `params` or `content`, as httpx takes them.

    Raises:
        ExecutorFault: there is none, or the system says that it did not do it.
    """
    end = time.monotonic() + call.timeout
    try:
        with httpx.Client(timeout=call.timeout, follow_redirects=False, transport=transport, trust_env=False) as client:
            reply = client.send(client.build_request(method, url, headers=headers, **content), stream=True)
            text = _bounded(reply, end)
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        told = f"{url}: {error or type(error).__name__}"
        raise ExecutorFault("SYSTEM_UNAVAILABLE", told, passing=True, made=False) from error
    except httpx.HTTPError as error:
        raise ExecutorFault("NO_ANSWER", f"{url}: {type(error).__name__}", passing=True, made=None) from error
    status = reply.status_code
    if status in _PASSING:
        raise ExecutorFault(f"HTTP_{status}", f"{url}: status {status}", passing=True, made=None)
    if not reply.is_success:
        raise ExecutorFault(f"HTTP_{status}", f"{url}: status {status}", made=None if status >= 500 else True)
    return Answer(text, reply.headers.get("content-type", "").split(";")[0].strip().lower())


def _bounded(reply: httpx.Response, end: float) -> str:
    """The text of a reply, which is read no further and no longer than is sensible."""
    parts, size = [], 0
    for part in reply.iter_bytes():
        size += len(part)
        if time.monotonic() > end:
            reply.close()
            raise ExecutorFault("NO_ANSWER", f"{reply.url}: the answer did not end in time", passing=True, made=None)
        if size > LARGEST:
            reply.close()
            raise ExecutorFault("BAD_OUTPUT", f"{reply.url}: more than {LARGEST} bytes")
        parts.append(part)
    reply.close()
    return b"".join(parts).decode("utf-8", errors="replace")
