"""The executor `webhook`, against a system on this machine that holds its signatures against the secret."""

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest
from systems import Asked, call, carried_out, system

from ir.errors import BadSetting
from runtime.executors.contract import ExecutorFault
from runtime.executors.registry import executors_from
from runtime.executors.webhook import WebhookExecutor

SECRETS = [b"a secret of twenty-four b", b"another one, twenty-four b"]
INPUTS = {"recipient": "李", "kg": 5000}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two secrets, as while one is replaced."""
    monkeypatch.setenv("HOOK_SECRET", " ".join(f"whsec_{base64.b64encode(one).decode()}" for one in SECRETS))


def told(port: int, **more: Any) -> dict[str, Any]:
    """Settings for a system of this machine."""
    return {"url": f"http://127.0.0.1:{port}/hook", "secret": "HOOK_SECRET", "private": True, **more}


def signed_by(asked: Asked, secret: bytes) -> bool:
    """Whether one of a request's signatures is of this secret, counted anew from what came."""
    head = {name.lower(): value for name, value in asked.headers.items()}
    text = f"{head['webhook-id']}.{head['webhook-timestamp']}.".encode() + asked.body
    expected = "v1," + base64.b64encode(hmac.new(secret, text, hashlib.sha256).digest()).decode()
    return expected in head["webhook-signature"].split(" ")


def test_a_webhook_is_signed() -> None:
    """By each secret, over id, moment and the bytes that were sent; the id is the key of the call."""
    with system({"message_id": "m-1"}) as one:
        assert carried_out(WebhookExecutor(), call(INPUTS, **told(one.port))) == {"message_id": "m-1"}
        one.answer = ""
        assert carried_out(WebhookExecutor(), call(INPUTS, **told(one.port, event="message.sent"))) == {}
    first, second = one.asked
    assert (first.method, first.path, first.headers["webhook-id"]) == ("POST", "/hook", "e-1:n:1")
    assert json.loads(first.body) == {"type": "io.check", "data": INPUTS}
    assert json.loads(second.body)["type"] == "message.sent"
    assert all(signed_by(asked, secret) for asked in one.asked for secret in SECRETS)
    assert not signed_by(first, b"a secret that nobody has.")


@pytest.mark.parametrize(
    ("status", "answer", "code", "passing"),
    [
        (410, {}, "HTTP_410", False),
        (503, {}, "HTTP_503", True),
        (302, {}, "HTTP_302", False),
        (200, "ok", "BAD_OUTPUT", False),
    ],
)
def test_what_a_system_may_answer(status: int, answer: Any, code: str, passing: bool) -> None:
    """As for `http`."""
    with system(answer, status) as one, pytest.raises(ExecutorFault) as stopped:
        carried_out(WebhookExecutor(), call(INPUTS, **told(one.port)))
    assert (stopped.value.code, stopped.value.passing) == (code, passing)


def test_private_addresses_are_refused() -> None:
    """As for `http`: nothing is sent."""
    with system({}) as one, pytest.raises(ExecutorFault) as stopped:
        carried_out(WebhookExecutor(), call(INPUTS, **told(one.port, private=False)))
    assert (stopped.value.code, one.asked) == ("PRIVATE_ADDRESS", [])


@pytest.mark.parametrize("held", ["whsec_c2hvcnQ=", "whsec_not base64", "whsec_"])
def test_secrets_that_are_none(held: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Are refused by the name of their variable, and not told."""
    monkeypatch.setenv("HOOK_SECRET", held)
    with pytest.raises(ExecutorFault, match="HOOK_SECRET") as stopped:
        carried_out(WebhookExecutor(), call(INPUTS, **told(9)))
    assert (stopped.value.code, stopped.value.made) == ("BAD_SECRET", False)
    assert "c2hvcnQ" not in stopped.value.message


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"url": "https://x.example/{id}"}, "inputs go in the body"),
        ({"secret": ""}, "secret"),
        ({"secrets": []}, "secrets"),
    ],
)
def test_settings_of_webhooks(settings: dict[str, Any], said: str) -> None:
    """Are looked at when they are loaded."""
    with pytest.raises(BadSetting, match=said):
        executors_from({"notify.message": {"kind": "webhook", **told(9), **settings}})
