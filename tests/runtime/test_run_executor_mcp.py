"""The executor `mcp`, against a server of the same library: a command, and one that listens on this machine."""

import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from systems import call, carried_out

from ir.errors import BadSetting
from runtime.executors.contract import ExecutorFault
from runtime.executors.mcp.mcp import McpExecutor
from runtime.executors.registry import executors_from

pytest.importorskip("mcp")
COMMAND = [sys.executable, str(Path(__file__).with_name("lookup_server.py"))]


@pytest.fixture
def listening() -> Iterator[str]:
    """The address of a server on this machine."""
    import uvicorn
    from lookup_server import server

    running = uvicorn.Server(uvicorn.Config(server().streamable_http_app(), port=0, log_level="critical"))
    thread = threading.Thread(target=running.run)
    thread.start()
    while not running.started:
        assert thread.is_alive()
        time.sleep(0.02)
    port = running.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/mcp"
    running.should_exit = True
    thread.join()


@pytest.fixture(params=["command", "url"])
def server(request: pytest.FixtureRequest) -> dict[str, Any]:
    """How a server is named."""
    if request.param == "command":
        return {"command": COMMAND}
    return {"url": request.getfixturevalue("listening"), "private": True}


def fault(inputs: dict[str, Any], seconds: float = 20.0, **settings: Any) -> ExecutorFault:
    """Why a call was not carried out."""
    with pytest.raises(ExecutorFault) as stopped:
        carried_out(McpExecutor(), replace(call(inputs, **settings), timeout=seconds))
    return stopped.value


def test_structured_content_is_the_outputs(server: dict[str, Any]) -> None:
    """The tool is given the inputs and the key of the call; `arguments` and `give` name them otherwise."""
    given = replace(call({"substance": "硫酸"}, **server, tool="look_up"), timeout=20.0)
    found = carried_out(McpExecutor(), given)
    assert (found["level"], found["asked"], found["key"]) == (2, {"substance": "硫酸"}, "e-1:n:1")
    named = {
        **server,
        "tool": "look_up",
        "arguments": {"substance": "name"},
        "give": {"entity.level": "level", "ok": True},
    }
    given = replace(call({"name": "硫酸", "more": 1}, **named), timeout=20.0)
    assert carried_out(McpExecutor(), given) == {"entity": {"level": 2}, "ok": True}


def test_a_text_of_json_is_the_outputs(server: dict[str, Any]) -> None:
    """Where a tool has no structured content; any other text is none."""
    given = replace(call({"text": '{"level": 3}'}, **server, tool="look_up_text"), timeout=20.0)
    assert carried_out(McpExecutor(), given) == {"level": 3}
    assert fault({"text": "level three"}, **server, tool="look_up_text").code == "BAD_OUTPUT"


def test_what_a_tool_calls_an_error(server: dict[str, Any]) -> None:
    """Fails the node, in the tool's words."""
    told = fault({}, **server, tool="fail")
    assert (told.code, told.passing, told.made) == ("TOOL_FAILED", False, True)
    assert "the register is closed" in told.message


def test_content_that_does_not_fit_the_tools_own_schema(server: dict[str, Any]) -> None:
    """Is no output; the tool was called."""
    told = fault({}, **server, tool="misfit")
    assert (told.code, told.passing, told.made) == ("BAD_OUTPUT", False, True)


def test_a_tool_that_is_not_there(server: dict[str, Any]) -> None:
    """Is told with those that are, and nothing is called."""
    told = fault({}, **server, tool="look_down")
    assert (told.code, told.passing, told.made) == ("NO_TOOL", False, False)
    assert "there is look_up, look_up_text, fail, misfit, hang" in told.message


def test_a_tool_without_an_end(server: dict[str, Any]) -> None:
    """Is left when the time is over; nobody knows what it did."""
    told = fault({}, 4.0, **server, tool="hang")
    assert (told.code, told.passing, told.made) == ("NO_ANSWER", True, None)


def test_a_command_sees_what_the_settings_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """And no other variable of ours."""
    monkeypatch.setenv("PARCEL_TOKEN", "t-1")
    monkeypatch.setenv("OTHER_SECRET", "s-1")
    settings = {"command": COMMAND, "tool": "look_up", "environment": {"LOOKUP_TOKEN": "PARCEL_TOKEN"}}
    found = carried_out(McpExecutor(), replace(call({"substance": "硫酸"}, **settings), timeout=20.0))
    assert (found["token"], found["secret"]) == ("t-1", None)


def test_servers_that_are_not_there() -> None:
    """May be there later; nothing was called."""
    for settings in ({"command": ["no-such-program"]}, {"url": "http://127.0.0.1:9/mcp", "private": True}):
        told = fault({}, **settings, tool="look_up")
        assert (told.code, told.passing, told.made) == ("SYSTEM_UNAVAILABLE", True, False)


def test_private_addresses_of_servers_are_refused(listening: str) -> None:
    """As for `http`, and a name is looked up once: what it stands for then is what is connected to."""
    assert fault({}, url=listening, tool="look_up").code == "PRIVATE_ADDRESS"
    asked: list[str] = []

    def resolve(name: str, port: int) -> list[str]:
        asked.append(name)
        return ["127.0.0.1"]

    named = listening.replace("127.0.0.1", "localhost")
    settings = {"url": named, "private": True, "tool": "look_up"}
    given = replace(call({"substance": "硫酸"}, **settings), timeout=20.0)
    assert McpExecutor(resolve).carry_out(given)["level"] == 2
    assert asked == ["localhost"]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "by url or by command"),
        ({"url": "https://x.example/mcp", "command": ["x"]}, "by url or by command"),
        ({"url": "https://x.example/{a}"}, "inputs go in the arguments"),
        ({"command": ["x"], "headers": {"A": "B"}}, "headers go with url"),
        ({"url": "https://x.example/", "tool": ""}, "tool"),
    ],
)
def test_settings_of_tools(settings: dict[str, Any], told: str) -> None:
    """Are looked at when they are loaded."""
    with pytest.raises(BadSetting, match=told):
        executors_from({"io.query_record": {"kind": "mcp", "tool": "look_up", **settings}})
