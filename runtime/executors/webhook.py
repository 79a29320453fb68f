"""Tells a system of a node by a signed POST, as Standard Webhooks has it (https://www.standardwebhooks.com).

    [executors."notify.message"]
    kind = "webhook"
    url = "https://hooks.example.org/flows"
    secret = "HOOK_SECRET"                # an environment variable: whsec_ and base64; several, apart by a space
    event = "message.sent"                # without it the Type's name

The body is `{"type": …, "data": inputs}`. The header `webhook-id` is the key of the call, the same however often it is
made; `webhook-signature` is HMAC-SHA256 over id, moment and body, one for each secret, so that a secret can be replaced
while both are known. An answer of JSON gives the outputs, an empty one none. Addresses are those of `http`.
"""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
from pydantic import Field, JsonValue

from runtime.executors.client import PinnedTransport, Resolve, answer_to, looked_up
from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.http import Url, as_object
from runtime.executors.settings import Settings, secret, settings_of, settled

PREFIX, SHORTEST = "whsec_", 24


class WebhookSettings(Settings):
    """What the executor is told.

    Args:
        secret: the environment variable that holds the secrets.
        event: what the body calls it.
        private: an address of this machine or of a private network is meant.
    """

    url: Url
    secret: str = Field(min_length=1)
    event: str | None = None
    private: bool = False


class WebhookExecutor:
    """Sends webhooks.

    Args:
        transport: what sends requests; None for the network.
        resolve: looks names up.
    """

    def __init__(self, transport: httpx.BaseTransport | None = None, resolve: Resolve = looked_up) -> None:
        self._transport, self._resolve = transport, resolve

    def settle(self, settings: Mapping[str, Any], root: Path) -> Mapping[str, Any]:
        """See `Settling`."""
        if "{" in str(settings.get("url", "")):
            raise ValueError("url: inputs go in the body of a webhook, not in its address")
        return settled(WebhookSettings, settings)

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        told = settings_of(WebhookSettings, call)
        data = {"type": told.event or call.type, "data": dict(call.inputs)}
        body = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        transport = self._transport or PinnedTransport(private=told.private, resolve=self._resolve)
        text = send_signed(call, told.url, told.secret, body, transport)
        return as_object(told.url, text) if text.strip() else {}


def send_signed(call: Call, url: str, secrets: str, body: str, transport: httpx.BaseTransport) -> str:
    """Send a webhook; gives what was answered.

    Args:
        call: whose key identifies it, and how long an answer is waited for.
        secrets: the environment variable that holds them.

    Raises:
        ExecutorFault: see `answer_to`; or there is no secret.
    """
    moment = str(int(time.time()))
    headers = {
        "Content-Type": "application/json",
        "webhook-id": call.key,
        "webhook-timestamp": moment,
        "webhook-signature": " ".join(signature(key, call.key, moment, body) for key in _keys(secrets)),
    }
    return answer_to(call, "POST", url, headers, {"content": body.encode()}, transport).text


def signature(key: bytes, identifier: str, moment: str, body: str) -> str:
    """The signature of a webhook; the example is the standard's own.

    >>> key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    >>> signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", '{"test": 2432232314}')
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    signed = hmac.new(key, f"{identifier}.{moment}.{body}".encode(), hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"


def _keys(name: str) -> list[bytes]:
    """The secrets that the environment holds."""
    try:
        keys = [base64.b64decode(one.removeprefix(PREFIX), validate=True) for one in secret(name).split()]
    except binascii.Error:
        keys = []
    if not keys or any(len(key) < SHORTEST for key in keys):
        form = f"{PREFIX} and {SHORTEST} bytes or more in base64"
        raise ExecutorFault("BAD_SECRET", f"{name} in the environment is not of the form: {form}", made=False)
    return keys
