"""Carries a node out by one HTTP request: inputs as JSON, outputs as JSON.

Redirects are not followed, and a host whose name stands for an address of this machine or of a private network is
refused unless the settings say `private = true`: a workflow must not reach what only its owner can. What a name stands
for is looked up before the request is made; a name server that answers otherwise a moment later is not guarded against.
"""

import ipaddress
import json
import os
import socket
import time
from typing import Any, cast
from urllib.parse import quote, urlsplit

import httpx
from pydantic import JsonValue

from runtime.executors.contract import Call, ExecutorFault

LARGEST = 4 * 1024 * 1024
_PASSING = (408, 425, 429, 500, 502, 503, 504)


class HttpExecutor:
    """Settings: `url` (may hold `{input}`), `method` (POST), `headers` by names of the environment, `private`."""

    def __init__(self, transport: httpx.BaseTransport | None = None) -> None:
        self._transport = transport

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        url, method = self._address(call)
        headers = {"Idempotency-Key": call.key, "Accept": "application/json", **_headers(call)}
        end = time.monotonic() + call.timeout
        try:
            with httpx.Client(timeout=call.timeout, follow_redirects=False, transport=self._transport) as client:
                sent = {"params": dict(call.inputs)} if method == "GET" else {"json": dict(call.inputs)}
                request = client.build_request(method, url, headers=headers, **cast("dict[str, Any]", sent))
                reply = client.send(request, stream=True)
                text = _bounded(reply, end)
        except httpx.ConnectError as error:
            raise ExecutorFault("SYSTEM_UNAVAILABLE", f"{url}: {error}", passing=True, made=False) from error
        except httpx.HTTPError as error:
            raise ExecutorFault("NO_ANSWER", f"{url}: {type(error).__name__}", passing=True, made=None) from error
        if reply.status_code in _PASSING:
            raise ExecutorFault(
                f"HTTP_{reply.status_code}", f"{url}: status {reply.status_code}", passing=True, made=None
            )
        if reply.status_code >= 300:
            made = None if reply.status_code >= 500 else True
            raise ExecutorFault(f"HTTP_{reply.status_code}", f"{url}: status {reply.status_code}", made=made)
        return _object(url, text)

    def _address(self, call: Call) -> tuple[str, str]:
        address = str(call.settings.get("url", ""))
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ExecutorFault("NO_ADDRESS", f"the executor of {call.type} has no url in flowc.toml", made=False)
        if not call.settings.get("private", False) and self._transport is None:
            _public(parts.hostname)
        for name, value in call.inputs.items():
            if "{" + name + "}" in address and str(value).strip() in ("", ".", ".."):
                raise ExecutorFault("BAD_INPUT", f"{name} is {value!r}, which cannot stand in an address", made=False)
            address = address.replace("{" + name + "}", quote(str(value), safe=""))
        return address, str(call.settings.get("method", "POST")).upper()


def _public(host: str) -> None:
    """Refuse a host that stands for an address of this machine or a private network."""
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, None)}
    except OSError as error:
        raise ExecutorFault("SYSTEM_UNAVAILABLE", f"{host}: {error}", passing=True, made=False) from error
    for address in found:
        if not ipaddress.ip_address(address).is_global:
            message = (
                f"{host} stands for {address}, which is private; say private = true in flowc.toml if that is meant"
            )
            raise ExecutorFault("PRIVATE_ADDRESS", message, made=False)


def _headers(call: Call) -> dict[str, str]:
    """Headers whose values stand in the environment: `headers = {Authorization = "FILING_TOKEN"}`."""
    given: dict[str, Any] = dict(call.settings.get("headers", {}))
    missing = [name for name in given.values() if name not in os.environ]
    if missing:
        raise ExecutorFault("NO_SECRET", f"the environment has no {missing[0]}", made=False)
    return {header: os.environ[name] for header, name in given.items()}


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


def _object(url: str, text: str) -> dict[str, JsonValue]:
    try:
        value = json.loads(text)
    except ValueError:
        raise ExecutorFault("BAD_OUTPUT", f"{url}: the answer is not JSON") from None
    if not isinstance(value, dict):
        raise ExecutorFault("BAD_OUTPUT", f"{url}: the answer is not an object")
    return value
