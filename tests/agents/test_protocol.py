"""The tools by the protocol, in its old and its new form: forms for people, announcements, keys, schemas."""

import threading
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
import pytest
from agent_plant import HAZMAT, INPUTS, LIMIT, Plant, limit_check
from jsonschema import Draft202012Validator
from mcp import MCPError
from mcp.client import Client

from agents.asking import question_about
from agents.offers import LONGEST, tool_name
from agents.schemas import form_schema
from agents.server import ToolServer
from agents.tools import FIXED
from evals.executions.recorded import published, user
from ir.fields import FieldSpec
from registry.versions import deprecate, submit
from runtime.executions import task_of
from runtime.executors.contract import Call

BOTH = pytest.mark.parametrize("mode", ["auto", "legacy"])
OF_LIMIT = f"workflow_{LIMIT}"


def served(plant: Plant, mode: str, act: Callable[[Client], Awaitable[Any]], **more: Any) -> Any:
    """What a client finds."""

    async def ask() -> Any:
        async with Client(ToolServer.of(plant.desk, "0.1").server, mode=mode, **more) as client:
            return await act(client)

    return anyio.run(ask)


def form(action: str, **values: Any) -> Any:
    """A person at the client, who fills a form in, or does not."""

    async def fill(_: Any, params: types.ElicitRequestFormParams) -> types.ElicitResult:
        assert set(params.requested_schema["properties"]) == {"amount"} and "CNY" in str(params.requested_schema)
        return types.ElicitResult(action=action, content=values or None)  # type: ignore[arg-type]

    return fill


@BOTH
@pytest.mark.parametrize("tool", ["start_run", "give_value"])
def test_a_person_at_the_client_gives_what_is_missing(plant: Plant, mode: str, tool: str) -> None:
    """Within the call; the audit says that it was given there."""
    given: dict[str, Any] = {"workflow": LIMIT, "inputs": {}, "ask": True}
    if tool == "give_value":
        given = {"run": plant.told("start_run", **given)["run"]}
    found = served(plant, mode, lambda c: c.call_tool(tool, given), elicitation_callback=form("accept", amount=5))
    assert found.structured_content["state"] == "completed", found
    told = [one.body for one in plant.events(found.structured_content["run"]) if one.kind == "agent-called"]
    assert told[-1] == {"tool": "give_value", "code": None, "given_by": "the person at the client"}
    assert len([one for one in plant.events() if one.kind == "began"]) == 1


@BOTH
@pytest.mark.parametrize("person", [form("decline"), form("cancel"), None], ids=["declines", "cancels", "no forms"])
def test_without_a_form_the_address_of_the_task_is_told(plant: Plant, mode: str, person: Any) -> None:
    """Also where the client can show none."""
    given = {"workflow": LIMIT, "inputs": {}, "ask": True}
    found = served(plant, mode, lambda c: c.call_tool("start_run", given), elicitation_callback=person)
    (task,) = found.structured_content["waits"]
    assert (task["kind"], task["who"]) == ("start", ["operator"]) and task["task"] in task["address"]
    plant.does("li", task["task"], amount=5)
    assert plant.told("see_run", run=found.structured_content["run"], wait=True)["state"] == "completed"


@BOTH
def test_a_form_that_does_not_fit_is_an_error(plant: Plant, mode: str) -> None:
    """With what is taken; the run waits on."""
    given = {"workflow": LIMIT, "inputs": {}, "ask": True}
    person = form("accept", amount="much")
    found = served(plant, mode, lambda c: c.call_tool("start_run", given), elicitation_callback=person)
    assert found.is_error and found.structured_content["code"] == "bad-answer"
    assert "number in CNY" in found.structured_content["message"]


def test_a_state_that_the_server_did_not_give_is_refused(plant: Plant) -> None:
    """As that of another call; a run of somebody else is not reached by it."""
    run = plant.told("start_run", workflow=LIMIT, inputs={}, ask=True)["run"]

    async def forge(client: Client) -> None:
        with pytest.raises(MCPError, match="requestState"):
            await client.call_tool("see_run", {"run": run}, request_state=f'{{"run": "{run}"}}')

    served(plant, "auto", forge)


FIELDS: tuple[tuple[dict[str, Any], dict[str, Any] | None], ...] = (
    ({"type": "boolean"}, {"type": "boolean"}),
    ({"type": "integer", "minimum": 1}, {"type": "integer", "minimum": 1}),
    ({"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
    ({"type": "date"}, {"type": "string", "format": "date"}),
    ({"type": "datetime"}, {"type": "string", "format": "date-time"}),
    ({"type": "duration"}, {"type": "string"}),
    ({"type": "integer", "enum": [1, 2]}, None),
    ({"type": "array"}, None),
    ({"type": "object"}, None),
)
"""A field, and its line in a form; None where a form cannot ask it."""


def test_what_a_form_can_ask(plant: Plant) -> None:
    """Plain values; where one is not plain, nothing is asked at the client."""
    waits = plant.told("start_run", workflow=LIMIT, inputs={}, ask=True)["waits"]
    with plant.host.workspace.transaction() as connection:
        task = task_of(connection, waits[0]["task"])
    for field, line in FIELDS:
        asked = question_about("e-1", task.model_copy(update={"fields": {"x": FieldSpec.model_validate(field)}}))
        found = None if asked is None else asked.schema["properties"]["x"]
        assert (found and {key: value for key, value in found.items() if key != "description"}) == line, field


@BOTH
def test_changes_of_the_list_are_announced(plant: Plant, mode: str) -> None:
    """What is published and deprecated is, to clients of both protocols; a draft changes nothing."""
    heard: list[str] = []

    async def hear(message: Any) -> None:
        heard.append(type(message).__name__)

    async def play() -> list[list[str]]:
        server, names = ToolServer.of(plant.desk, "0.1"), []
        async with anyio.create_task_group() as group:
            group.start_soon(server.watch)
            async with Client(server.server, mode=mode, message_handler=hear) as client:
                names.append([one.name for one in (await client.list_tools()).tools])
                submit(plant.host.workspace, user(plant.host, "li"), limit_check("draft"), plant.host.catalog, "0.1")
                await anyio.sleep(1.5)
                assert "ToolListChangedNotification" not in heard
                if mode == "auto":
                    async with client.listen(tools_list_changed=True) as changes:
                        deprecate(plant.host.workspace, user(plant.host, "wen"), LIMIT, 1, "a new rule")
                        with anyio.fail_after(10):
                            heard.append(type(await anext(aiter(changes))).__name__)
                else:
                    deprecate(plant.host.workspace, user(plant.host, "wen"), LIMIT, 1, "a new rule")
                    with anyio.fail_after(10):
                        while "ToolListChangedNotification" not in heard:
                            await anyio.sleep(0.05)
                names.append([one.name for one in (await client.list_tools()).tools])
            group.cancel_scope.cancel()
        return names

    before, after = anyio.run(play)
    assert {"ToolsListChanged", "ToolListChangedNotification"} & set(heard)
    assert set(before) - set(after) == {OF_LIMIT}


def test_a_call_that_is_sent_again_begins_once(plant: Plant) -> None:
    """By the client's key; another key, or other arguments under it, are another run."""

    async def twice(client: Client) -> list[str]:
        runs = []
        for key, amount in (("k-1", 5), ("k-1", 5), ("k-2", 5), ("k-1", 6)):
            found = await client.call_tool(OF_LIMIT, {"amount": amount}, meta={"idempotencyKey": key})  # type: ignore[typeddict-unknown-key]
            runs.append(found.structured_content["run"])
        return runs

    first, again, other, changed = served(plant, "auto", twice)
    assert first == again and len({first, other, changed}) == 3


def test_a_call_waits_a_bounded_time(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it gives the run's id, and the run goes on."""
    answered, given = threading.Event(), plant.systems.carry_out

    def slow(call: Call) -> dict[str, Any]:
        answered.wait(20)
        return given(call)

    monkeypatch.setattr(plant.systems, "carry_out", slow)
    told = plant.with_agency(wait=0.3).told(OF_LIMIT, amount=5)
    assert told["state"] == "running" and told["outputs"] == {}
    answered.set()
    assert plant.told("see_run", run=told["run"], wait=True)["state"] == "completed"


def test_what_does_not_fit_the_promise_is_an_error(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer names the run, which is as it is."""
    monkeypatch.setattr("agents.desk.answer_schema", lambda *_: {"type": "object", "required": ["more"]})
    assert plant.refused(OF_LIMIT, amount=5) == "bad-result"


def test_a_stumble_is_an_answer(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A bug of ours ends no session and tells nothing of our insides; it is in the log and in the audit."""

    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("insides")

    logged: list[str] = []
    monkeypatch.setattr("agents.desk.LOG.exception", lambda *_: logged.append(traceback.format_exc()))
    monkeypatch.setattr("agents.acts.begin", broken)
    assert plant.refused(OF_LIMIT, amount=5) == "internal-error"
    assert "insides" not in str(plant.call(OF_LIMIT, amount=5).content) and "insides" in logged[0]


def test_schemas_are_schemas(plant: Plant) -> None:
    """Of objects, closed on the side of arguments; the contract of a workflow is in them, with units."""

    async def listed(client: Client) -> list[types.Tool]:
        return list((await client.list_tools()).tools)

    tools = {one.name: one for one in served(plant, "auto", listed)}
    for tool in tools.values():
        assert tool.input_schema["type"] == tool.output_schema["type"] == "object"  # type: ignore[index]
        assert tool.input_schema["additionalProperties"] is False and tool.title and tool.description
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
    of = tools[f"workflow_{HAZMAT}"]
    assert of.title == "危险化学品运输合规判定" and "风险等级：高" in str(of.description)
    assert set(of.input_schema["required"]) == set(INPUTS)
    assert "kg" in of.input_schema["properties"]["quantity_kg"]["description"]
    assert of.output_schema is not None
    assert {"type": "boolean"} in of.output_schema["properties"]["outputs"]["properties"]["compliant"]["anyOf"]
    assert tools["find_workflow"].annotations is not None and tools["find_workflow"].annotations.read_only_hint
    assert {name: form_schema(one.gives)["type"] for name, one in FIXED.items()}.keys() <= tools.keys()


def test_what_is_told_and_what_is_refused_fit_what_is_listed(plant: Plant) -> None:
    """Some clients hold both against the tool's output schema; what is neither does not fit it."""

    async def listed(client: Client) -> list[types.Tool]:
        return list((await client.list_tools()).tools)

    tools = {one.name: one for one in served(plant, "auto", listed)}
    run = plant.told(OF_LIMIT, amount=5)["run"]
    for tool, good, bad in (
        (OF_LIMIT, {"amount": 5}, {}),
        ("see_run", {"run": run}, {"run": "e-0"}),
        ("dry_run", {"workflow": LIMIT}, {"workflow": "nothing"}),
        ("replay_run", {"run": run}, {}),
        ("find_workflow", {"task": "an amount"}, {"task": ""}),
    ):
        schema = Draft202012Validator(tools[tool].output_schema)
        told, refused = plant.call(tool, **good), plant.call(tool, **bad)
        assert (told.refused, refused.refused) == (False, True)
        for content in (told.content, refused.content):
            schema.validate(content)
        assert not schema.is_valid({}) and not schema.is_valid({"code": "x"})


def test_names_are_short_ascii_and_stay() -> None:
    """A long id is cut, with digits of its whole name, so that two of them differ."""

    def name(workflow_id: str, number: int = 1) -> str:
        workflow = limit_check(workflow_id)
        from registry.forms import Report, Version

        report = Report(digest="", tier="alone", catalog="", compiler="", errors=0, warnings=0)
        version = Version(
            workflow_id=workflow_id, number=number, state="published", digest="", definition=workflow, report=report,
            author="li", changed_at="",
        )  # fmt: skip
        return tool_name(version, first=number == 1)

    assert (name("limit-check"), name("limit-check", 3)) == (OF_LIMIT, f"{OF_LIMIT}_v3")
    long = [name("a" * 150 + end) for end in "bc"]
    assert len(set(long)) == 2 and all(len(one) == LONGEST and one.isascii() for one in long)


def test_a_version_whose_types_moved_on_is_no_tool(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """It could not begin; the other workflows are offered as before."""
    found = published(plant.host, limit_check())
    monkeypatch.setattr("runtime.host.Host.can_run", lambda _, version: version.name != found.name)
    assert plant.told(OF_LIMIT, amount=5)["workflow"] == f"{LIMIT}@v1"
