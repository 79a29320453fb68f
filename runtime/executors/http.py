"""Carries a node out by one HTTP request: inputs as JSON, outputs as JSON.

    [executors."io.check_filing_status"]
    kind = "http"
    url = "https://filing.example.org/check"
    headers = {Authorization = "FILING_TOKEN"}

A workflow must not reach what only its owner can: redirects are not followed, and a host whose name stands for an
address of this machine or of a private network is refused unless the settings say `private = true` (see `client`).
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast
from urllib.parse import quote, urlsplit

import httpx
from pydantic import AfterValidator, JsonValue

from runtime.executors.client import PinnedTransport, Resolve, answer_to, looked_up
from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.settings import Settings, secret, settings_of, settled


def _url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("no address; write https://…")
    if "{" in parts.netloc:
        raise ValueError("inputs may stand in the path and the query of an address, not in its host")
    if "@" in parts.netloc:
        raise ValueError("no user or password in an address; name an environment variable under headers")
    return url


Url = Annotated[str, AfterValidator(_url)]


class HttpSettings(Settings):
    """What the executor is told.

    Args:
        url: may hold `{input}` in its path and query.
        headers: by name the environment variable that holds the value.
        private: an address of this machine or of a private network is meant.
    """

    url: Url
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    headers: dict[str, str] = {}
    private: bool = False


class HttpExecutor:
    """Asks a system by HTTP.

    Args:
        transport: what sends requests; None for the network.
        resolve: looks names up.
    """

    def __init__(self, transport: httpx.BaseTransport | None = None, resolve: Resolve = looked_up) -> None:
        self._transport, self._resolve = transport, resolve

    def settle(self, settings: Mapping[str, Any], root: Path) -> Mapping[str, Any]:
        """See `Settling`."""
        return settled(HttpSettings, settings)

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        told = settings_of(HttpSettings, call)
        url = _filled(told.url, call)
        given = {header: secret(name) for header, name in told.headers.items()}
        headers = {"Idempotency-Key": call.key, "Accept": "application/json", **given}
        content: dict[str, Any] = {"json": dict(call.inputs)}
        if told.method == "GET":
            url, content = str(httpx.URL(url).copy_merge_params(cast("Any", dict(call.inputs)))), {}
        transport = self._transport or PinnedTransport(private=told.private, resolve=self._resolve)
        return as_object(url, answer_to(call, told.method, url, headers, content, transport).text)


def _filled(url: str, call: Call) -> str:
    for name, value in call.inputs.items():
        if "{" + name + "}" in url and str(value).strip() in ("", ".", ".."):
            raise ExecutorFault("BAD_INPUT", f"{name} is {value!r}, which cannot stand in an address", made=False)
        url = url.replace("{" + name + "}", quote(str(value), safe=""))
    return url


def as_object(url: str, text: str) -> dict[str, JsonValue]:
    """What a system answered.

    Raises:
        ExecutorFault: it is no object of JSON.
    """
    try:
        value = json.loads(text)
    except ValueError:
        raise ExecutorFault("BAD_OUTPUT", f"{url}: the answer is not JSON") from None
    if not isinstance(value, dict):
        raise ExecutorFault("BAD_OUTPUT", f"{url}: the answer is not an object")
    return value
