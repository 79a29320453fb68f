"""The tools over HTTP: by tokens, in the old protocol and in the new, for several agents at one server."""

import logging
from typing import Any

import anyio
import httpx
import mcp_types as types
import pytest
from agent_plant import HAZMAT, INPUTS, LIMIT
from http_plant import NEW, OLD, Remote

from evals.executions.recorded import user
from registry.versions import deprecate
from store.tokens import revoke_token
from store.users import READ, START, TASK

BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])
OF_LIMIT, OF_HAZMAT = f"workflow_{LIMIT}", f"workflow_{HAZMAT}"


@BOTH
def test_a_client_calls_a_workflow_by_its_token(remote: Remote, mode: str) -> None:
    """The audit tells of each call the agent and the id of the token."""

    async def play() -> tuple[str, list[str], Any]:
        async with remote.client(mode) as client:
            assert client.server_capabilities.tools is not None and client.server_capabilities.tools.list_changed
            names = [one.name for one in (await client.list_tools()).tools]
            return client.protocol_version, names, await client.call_tool(OF_LIMIT, {"amount": 5})

    version, names, found = anyio.run(play)
    assert version == {"auto": NEW, "legacy": OLD}[mode] and {OF_LIMIT, OF_HAZMAT, "find_workflow"} <= {*names}
    assert found.structured_content["outputs"] == {"within": True}
    (told,) = remote.events("agent-called")
    assert (told.principal, told.body) == (
        "bot",
        {"tool": OF_LIMIT, "code": None, "token": remote.bot.split("_")[1]},
    )


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", OLD])
def test_sessions_of_the_old_protocol(remote: Remote, version: str) -> None:
    """Are opened in each of its revisions."""
    hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    told = remote.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
    assert f'"protocolVersion":"{version}"' in told.text.replace(" ", "") and told.headers["mcp-session-id"]


def test_requests_are_logged_by_their_route_and_their_user(remote: Remote, caplog: pytest.LogCaptureFixture) -> None:
    """Of agents and of programs by REST alike; of who is not let in nobody is named."""
    caplog.set_level(logging.INFO, "flowc.requests")
    remote.send({"jsonrpc": "2.0", "id": 1, "method": "ping"}, MCP_Protocol_Version=OLD)
    remote.send({"jsonrpc": "2.0", "id": 1, "method": "ping"}, token="flowc_no", MCP_Protocol_Version=OLD)
    httpx.get(f"{remote.address}/api/v1/workflows", headers={"Authorization": f"Bearer {remote.bot}"})
    told = [record.told for record in caplog.records if record.name == "flowc.requests"]  # type: ignore[attr-defined]
    shown = [(one["route"], one["principal"]) for one in told]
    assert shown == [("/mcp", "bot"), ("/mcp", None), ("/api/v1/workflows", "bot")]


@pytest.mark.parametrize(
    ("scopes", "workflows", "shown", "hidden", "code"),
    [
        ((READ,), "*", {"find_workflow", "see_run"}, {OF_LIMIT, "start_run", "interrupt_run"}, "out-of-scope"),
        ((READ, START), LIMIT, {OF_LIMIT, "start_run"}, {OF_HAZMAT}, "unknown-tool"),
    ],
)
def test_only_what_a_token_reaches_is_listed(
    remote: Remote, scopes: tuple[str, ...], workflows: str, shown: set[str], hidden: set[str], code: str
) -> None:
    """Tools that it is not good for are not shown, and refused."""
    token = remote.token("bot", *scopes, workflows=(workflows,))
    listed = remote.message("tools/list", {}, token).json()["result"]["tools"]
    names = {one["name"] for one in listed}
    assert shown <= names and not hidden & names
    for tool in hidden:
        assert remote.call(tool, token, amount=5)["code"] == code


def test_a_token_that_shows_nothing(remote: Remote) -> None:
    """Without `read` nothing is listed, and nothing begins of which its bearer could not be told."""
    token = remote.token("bot", START, TASK)
    assert remote.message("tools/list", {}, token).json()["error"]["data"] == {"code": "out-of-scope"}
    assert remote.call(OF_LIMIT, token, amount=5)["code"] == "out-of-scope"
    assert remote.events("began") == []


@BOTH
def test_a_person_at_the_client_is_asked_over_http(remote: Remote, mode: str) -> None:
    """By a request within the answer of the call in the old protocol, by an answer to come back with in the new."""

    async def fill(_: Any, params: types.ElicitRequestFormParams) -> types.ElicitResult:
        assert set(params.requested_schema["properties"]) == {"amount"}
        return types.ElicitResult(action="accept", content={"amount": 5})

    async def play() -> Any:
        async with remote.client(mode, elicitation_callback=fill) as client:
            return await client.call_tool("start_run", {"workflow": LIMIT, "inputs": {}, "ask": True})

    found = anyio.run(play)
    assert found.structured_content["state"] == "completed", found
    assert [one.body.get("given_by") for one in remote.events("agent-called")][-1] == "the person at the client"


def test_what_was_sealed_for_one_agent_is_of_no_use_to_another(remote: Remote) -> None:
    """Who comes back with the state of another's question is refused."""
    given = {"name": "start_run", "arguments": {"workflow": LIMIT, "inputs": {}, "ask": True}}
    forms = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}

    def asks(token: str, **more: Any) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**given, **more}}
        body["params"]["_meta"] = {"io.modelcontextprotocol/protocolVersion": NEW, **forms}
        named = {"MCP-Protocol-Version": NEW, "Mcp-Method": "tools/call", "Mcp-Name": "start_run"}
        return remote.send(body, token, **named).json()

    asked = asks(remote.bot)["result"]
    assert asked["resultType"] == "input_required"
    answered = {"values": {"action": "accept", "content": {"amount": 5}}}
    state = {"requestState": asked["requestState"], "inputResponses": answered}
    assert "requestState" in asks(remote.token("other"), **state)["error"]["message"]
    assert asks(remote.bot, **state)["result"]["structuredContent"]["state"] == "completed"


@BOTH
def test_clients_are_told_of_changes(remote: Remote, mode: str) -> None:
    """Each of them, by the stream that it opened."""
    heard: list[str] = []

    async def hear(message: Any) -> None:
        heard.append(type(message).__name__)

    async def play() -> None:
        async with remote.client(mode, message_handler=hear) as client:
            await client.list_tools()
            await anyio.sleep(0.5)  # until the stream of an old client is open
            if mode == "auto":
                async with client.listen(tools_list_changed=True) as changes:
                    deprecate(remote.plant.host.workspace, user(remote.plant.host, "wen"), LIMIT, 1, "a new rule")
                    with anyio.fail_after(10):
                        heard.append(type(await anext(aiter(changes))).__name__)
            else:
                deprecate(remote.plant.host.workspace, user(remote.plant.host, "wen"), LIMIT, 1, "a new rule")
                with anyio.fail_after(10):
                    while not heard:
                        await anyio.sleep(0.05)
            assert OF_LIMIT not in [one.name for one in (await client.list_tools()).tools]

    anyio.run(play)
    assert {"ToolsListChanged", "ToolListChangedNotification"} & {*heard}


def test_who_brings_no_good_token_is_told_how_to(remote: Remote) -> None:
    """401 with the scheme; a revoked token is told of once a minute, however often it comes."""
    told = remote.send("", token="", Authorization="")
    assert told.status_code == 401 and told.headers["www-authenticate"] == 'Bearer realm="flowc"'
    assert told.json()["error"]["data"] == {"code": "bad-token"}
    with remote.plant.host.workspace.transaction() as connection:
        revoke_token(connection, remote.bot.split("_")[1], "wen")
    for _ in range(3):
        told = remote.message("tools/list", {})
        assert told.status_code == 401 and told.headers["www-authenticate"].endswith('error="invalid_token"')
    found = [one.body for one in remote.events("token-refused")]
    assert found == [{"token": None, "why": "none"}, {"token": remote.bot.split("_")[1], "why": "revoked"}]


def test_who_calls_too_often_has_to_wait(remote: Remote) -> None:
    """429 with the seconds, and the audit tells it once a minute; other agents are served."""
    remote.site.rates.most = 2
    codes = [remote.message("tools/list", {}) for _ in range(5)]
    assert [one.status_code for one in codes] == [200, 200, 429, 429, 429]
    assert 1 <= int(codes[-1].headers["retry-after"]) <= 60
    assert codes[-1].json()["error"]["data"] == {"code": "too-many-calls"}
    assert [one.body["code"] for one in remote.events("call-refused")] == ["too-many-calls"]
    assert remote.message("tools/list", {}, remote.token("other")).status_code == 200


def test_no_cookie_is_read(remote: Remote) -> None:
    """What a browser would bring along by itself is nothing here."""
    told = remote.send("{}", token="", Authorization="", Cookie="flowc=abc")
    assert told.status_code == 401 and "set-cookie" not in told.headers


def test_a_session_ends_when_its_client_says_so(remote: Remote) -> None:
    """After that it is there for nobody."""
    name = remote.session()
    ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    assert remote.send(ask, mcp_session_id=name).status_code == 200
    assert remote.send(None, method="DELETE", mcp_session_id=name).status_code == 200
    assert remote.send(ask, mcp_session_id=name).status_code == 404


def test_a_session_is_that_of_its_user_and_each_call_that_of_its_token(remote: Remote) -> None:
    """A second token of the agent goes on with it, and may what it may itself."""
    name, less = remote.session(), remote.token("bot", READ)
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": OF_LIMIT, "arguments": {"amount": 5}}}
    assert '"completed"' in remote.send(call, mcp_session_id=name).text
    assert "out-of-scope" in remote.send(call, less, mcp_session_id=name).text


def test_a_run_of_another_workflow_is_not_reached(remote: Remote) -> None:
    """A token for one workflow neither sees nor steers what the same agent began of another."""
    run = remote.call("start_run", workflow=HAZMAT, inputs=INPUTS)["run"]
    less = remote.token("bot", workflows=(LIMIT,))
    for tool in ("see_run", "explain_run", "interrupt_run", "give_value"):
        assert remote.call(tool, less, run=run)["code"] == "out-of-scope", tool
    assert remote.call("see_run", run=run)["state"] == "waiting"
