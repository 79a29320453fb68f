"""What watches and keeps the server: health and readiness, logs, limits."""

import json
import logging
import shutil
import sys
import time
from dataclasses import replace
from threading import Event, Timer
from typing import Any

import anyio
import pytest
from conftest import Browsers
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from flowc.log_lines import JsonLines
from server.app import make_app
from server.pages import registry
from server.security import POLICY, Sized
from server.site import Site
from server.streams import Streams
from store.database import Database
from store.workspace import DATABASE


def ready(site: Site) -> tuple[int, dict[str, str]]:
    """What a server over a site says of itself."""
    with TestClient(make_app(site), base_url="http://127.0.0.1:8650") as client:
        answer = client.get("/readyz")
        return answer.status_code, answer.json()["checks"]


def test_health_is_told_to_anybody_and_nothing_else(browser: Browsers) -> None:
    """Without signing in; one look says that it answers, the other that it can work."""
    found = browser(None)
    assert found.get("/healthz").response.json() == {"status": "alive"}
    answer = found.get("/readyz")
    assert answer.status == 200
    assert answer.response.json() == {
        "status": "ready", "checks": {"database": "ok", "schema": "ok", "disk": "ok"}
    }  # fmt: skip
    assert answer.header("Cache-Control") == "no-store"


def test_a_worker_that_ended_is_told(site: Site) -> None:
    """Where this server has one."""
    assert ready(replace(site, working=lambda: True)) == (
        200, {"database": "ok", "schema": "ok", "disk": "ok", "worker": "ok"}
    )  # fmt: skip
    status, checks = ready(replace(site, working=lambda: False))
    assert (status, checks["worker"], checks["database"]) == (503, "failed", "ok")


def test_a_database_of_another_form_is_not_ready(site: Site) -> None:
    """As while another version of flowc upgrades it."""
    with site.workspace.database.transaction() as connection:
        connection.exec_driver_sql("update alembic_version set version_num = '0001'")
    assert ready(site) == (503, {"database": "ok", "schema": "failed", "disk": "ok"})


def test_a_database_that_is_gone_is_told_without_its_address(site: Site) -> None:
    """Nor where it lies: that is for who runs the server."""
    site.workspace.database.close()
    (site.workspace.folder / DATABASE).unlink()
    with TestClient(make_app(site), base_url="http://127.0.0.1:8650") as client:
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json() == {
            "status": "not-ready", "checks": {"database": "failed", "schema": "failed", "disk": "ok"}
        }  # fmt: skip
        assert client.get("/healthz").status_code == 200


def test_a_disk_that_takes_nothing_is_told(site: Site) -> None:
    """Here a folder that is gone, as when a volume was not mounted."""
    site.workspace.database.close()
    shutil.rmtree(site.workspace.folder)
    status, checks = ready(site)
    assert (status, checks["disk"]) == (503, "failed")


def test_a_database_that_hangs_is_not_waited_for(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The look is given up after its time, and the server goes on answering."""
    monkeypatch.setattr(Database, "revision", lambda _: time.sleep(2))
    app = make_app(site)
    app.state.readiness.longest = 0.2
    with TestClient(app, base_url="http://127.0.0.1:8650") as client:
        began = time.monotonic()
        assert client.get("/readyz").json()["checks"]["database"] == "failed"
        assert time.monotonic() - began < 1.5
        assert client.get("/healthz").status_code == 200


def test_a_writer_is_not_waited_for(site: Site) -> None:
    """A long transaction of somebody else does not make the server unready."""
    with site.workspace.database.transaction():
        assert ready(site)[0] == 200


# --- logs -------------------------------------------------------------------------------------------------------------


def told(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """What was logged of requests."""
    return [record.told for record in caplog.records if record.name == "flowc.requests"]  # type: ignore[attr-defined]


def test_a_request_is_told_by_its_route_and_its_id(browser: Browsers, caplog: pytest.LogCaptureFixture) -> None:
    """Never by what stood in its address or in its form; the id is in the answer as well."""
    li = browser("li")
    caplog.clear()
    caplog.set_level(logging.INFO, "flowc.requests")
    answer = li.get("/registry/secret-name/v1?token=very-secret")
    (one,) = told(caplog)
    assert {name: one[name] for name in ("method", "route", "status", "principal")} == {
        "method": "GET", "route": "/registry/{workflow_id}/v{number}", "status": 404, "principal": "li"
    }  # fmt: skip
    assert one["request_id"] == answer.header("X-Request-Id") and one["ms"] >= 0
    assert f"<code>{one['request_id']}</code>" in answer.text
    li.get("/nothing/very-secret")
    browser(None).sign_in("li", "very-secret-password")
    line = "".join(JsonLines().format(record) for record in caplog.records)
    assert "secret" not in line
    assert told(caplog)[1]["route"] is None and told(caplog)[2]["principal"] is None


def test_a_bug_is_told_with_its_place_and_without_its_words(
    site: Site, browser: Browsers, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page has the id under which the log has it, and all headers that others have."""

    def broken(*_: object) -> None:
        raise RuntimeError("the value of somebody")

    rui = browser("rui")
    monkeypatch.setattr(site.builds, "all", broken)
    caplog.clear()
    answer = rui.get("/builds")
    (one,) = told(caplog)
    assert (one["status"], one["route"]) == (500, "/builds")
    assert answer.header("X-Request-Id") == one["request_id"] and one["request_id"] in answer.text
    assert answer.header("Content-Security-Policy") == POLICY and answer.header("Cache-Control") == "no-store"
    try:
        broken()
    except RuntimeError:
        record = logging.getLogger("uvicorn.error").makeRecord(
            "uvicorn.error", logging.ERROR, __file__, 1, "Exception in %s", ("somebody",), sys.exc_info()
        )
    line = json.loads(JsonLines().format(record))
    assert (line["level"], line["event"], line["logger"], line["error"]) == (
        "error", "library", "uvicorn.error", "RuntimeError"
    )  # fmt: skip
    assert line["trace"][-1].startswith("tests/server/test_operations.py:") and "somebody" not in json.dumps(line)


def test_probes_are_told_where_they_fail(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """They come every few seconds."""
    caplog.set_level(logging.INFO, "flowc.requests")
    ready(site)
    assert told(caplog) == []
    ready(replace(site, working=lambda: False))
    assert [(one["route"], one["status"]) for one in told(caplog)] == [("/readyz", 503)]


# --- limits -----------------------------------------------------------------------------------------------------------


def asked(app: ASGIApp, receive: Receive, method: str = "GET", path: str = "/") -> list[Message]:
    """What an application answers to a request whose parts come by `receive`."""
    sent: list[Message] = []
    scope: Scope = {
        "type": "http", "method": method, "path": path, "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/x-www-form-urlencoded")],
        "scheme": "http", "server": ("127.0.0.1", 80), "state": {},
    }  # fmt: skip

    async def send(message: Message) -> None:
        sent.append(message)

    async def ask() -> None:
        with anyio.fail_after(20):
            await app(scope, receive, send)

    anyio.run(ask)
    return sent


async def events(scope: Scope, receive: Receive, send: Send) -> None:
    """A stream that never ends by itself."""
    headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    while True:
        await send({"type": "http.response.body", "body": b"data: x\n\n", "more_body": True})
        await anyio.sleep(0.02)


def test_a_request_that_does_not_come_on_is_given_up(site: Site) -> None:
    """It holds nothing for long: the page says so, with its code."""
    app = make_app(site)
    for one in app.user_middleware:
        if one.cls is Sized:
            one.kwargs["seconds"] = 0.2
    parts = [{"type": "http.request", "body": b"name=", "more_body": True}]

    async def receive() -> Message:
        if parts:
            return parts.pop()
        await anyio.sleep(15)
        raise AssertionError("it was waited for")

    answer = asked(app, receive, "POST", "/sign-in")
    assert answer[0]["status"] == 408
    assert b"<code>too-slow</code>" in b"".join(one.get("body", b"") for one in answer)


def test_streams_end_when_the_server_does() -> None:
    """Whoever reads one is told that it is over, and nobody is waited for."""
    stopping = Event()
    Timer(0.3, stopping.set).start()
    answer = asked(Streams(events, stopping), anyio.sleep_forever)
    assert answer[0]["status"] == 200 and len(answer) > 5
    assert answer[-1] == {"type": "http.response.body", "body": b"", "more_body": False}


def test_streams_are_counted() -> None:
    """One more than there may be is refused; once one has ended the next is let in."""
    stopping = Event()
    streams = Streams(events, stopping, most=1)
    streams.going = 1
    refused = asked(streams, anyio.sleep_forever)
    assert refused[0]["status"] == 503 and b'"busy"' in refused[1]["body"] and len(refused) == 2
    assert streams.going == 1
    streams.going = 0
    Timer(0.2, stopping.set).start()
    assert asked(streams, anyio.sleep_forever)[0]["status"] == 200
    assert streams.going == 0


def test_a_fault_passes_as_it_is() -> None:
    """What watches streams does not make another one of it."""

    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asked(Streams(broken, Event()), anyio.sleep_forever)


def test_a_page_of_versions_has_its_end(
    browser: Browsers, hazmat: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """What it does not show is counted, with the way to it."""
    li = browser("li")
    assert li.send("/registry/submit", build="hazmat", workflow=hazmat).status == 200
    assert li.send(f"/registry/{hazmat}/v1/hand-in").status == 200
    assert li.send("/registry/submit", build="hazmat", workflow=hazmat).status == 200
    assert "more are found" not in li.get("/registry", headers={"Accept-Language": "en"}).text
    monkeypatch.setattr(registry, "MOST_ROWS", 1)
    text = li.get("/registry", headers={"Accept-Language": "en"}).text
    assert text.count('<th scope="row">') == 1 and "These are 1 versions; 1 more" in text
