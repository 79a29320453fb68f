"""The description of the operations: legal, complete, as committed, and what the operations really do."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agent_plant import HAZMAT, INPUTS, LIMIT, Plant, limit_check
from jsonschema import Draft202012Validator
from rest_programs import Program, Programs

from evals.executions.recorded import published
from ir.codec import write_json
from runtime.executions import tasks
from server.rest import refusals, turns
from server.rest.app import description
from server.rest.forms import Changes, Delegation, RunForeseen, RunWanted, TaskAnswer, Values, WhySteered
from server.rest.forms import WorkflowQuestion as Question

OPERATIONS = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, methods in description()["paths"].items()
    for method, operation in methods.items()
}
BODIES = {
    "find_workflow": Question, "dry_run": RunForeseen, "start_run": RunWanted, "pause_run": WhySteered,
    "resume_run": WhySteered, "cancel_run": WhySteered, "give_value": Values, "what_if_run": Changes,
    "delegate_task": Delegation, "answer_task": TaskAnswer,
}  # fmt: skip


def test_it_is_legal() -> None:
    """By OpenAPI 3.1, with its own schemas."""
    from openapi_spec_validator import validate

    validate(description())
    assert description()["openapi"].startswith("3.1")


def test_it_is_as_committed(repository: Path, expect_file: Callable[[Path, str], None]) -> None:
    """So that a change of the interface shows in its commit."""
    expect_file(repository / "docs" / "schema" / "openapi.json", write_json(description()))


@pytest.mark.parametrize("name", OPERATIONS)
def test_it_is_complete(name: str) -> None:
    """Each operation says what it is for, takes and tells, and with what it is refused; its examples fit."""
    _, path, operation = OPERATIONS[name]
    assert operation["summary"] and operation["description"] and len(operation["tags"]) == 1
    places = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "path"}
    assert set(re.findall(r"{(\w+)}", path)) == places
    done = operation["responses"]["201" if name == "start_run" else "200"]["content"]["application/json"]
    assert {"401", "403", "422", "429", "500", "503"} <= operation["responses"].keys()
    must_fit(done.get("example"), done["schema"])
    if "requestBody" in operation:
        body = operation["requestBody"]["content"]["application/json"]
        BODIES[name].model_validate(body["example"])
    else:
        assert name not in BODIES


@pytest.mark.parametrize("told", [*turns.NEXT.values(), *refusals.NEXT.values()])
def test_what_to_do_next_is_an_operation(told: str) -> None:
    """Where a method and a path are named, they are described."""
    known = {(method, path) for method, path, _ in OPERATIONS.values()}
    assert {*re.findall(r"(GET|POST) ([/{}\w]+)", told)} <= known


def must_fit(value: Any, schema: Any) -> None:
    """A value fits a schema of the description."""
    if value is not None:
        whole = {**schema, "components": description()["components"]}
        assert [one.message for one in Draft202012Validator(whole).iter_errors(value)] == []


def test_every_operation_does_what_it_says(plant: Plant, program: Programs) -> None:
    """Each is called with an operator's rights, and what it tells fits the schema that is described."""
    published(plant.host, limit_check(LIMIT, metadata={"title": "Another check", "language": "en"}))
    li, called = program("li"), set[str]()

    def call(name: str, body: Any = None, params: Any = None, **places: str) -> Any:
        method, path, operation = OPERATIONS[name]
        answer = li.ask(method, path.format(**places), json=body, params=params)
        described = operation["responses"][str(answer.status_code)]["content"]["application/json"]["schema"]
        must_fit(answer.json(), described)
        assert answer.status_code < 300, answer.text
        called.add(name)
        return answer.json()

    call("list_workflows")
    call("see_workflow", workflow=HAZMAT)
    call("find_workflow", {"task": "an amount that is spent"})
    call("dry_run", {"inputs": INPUTS}, workflow=HAZMAT)
    run = call("start_run", {"workflow": LIMIT, "ask": True})["run"]
    call("list_runs")
    call("see_run", run=run)
    call("explain_run", run=run)
    call("list_events", run=run)
    call("what_if_run", {"changes": {"$.inputs.amount": 7}}, run=run)
    call("pause_run", {"reason": "x"}, run=run)
    call("resume_run", run=run)
    call("give_value", {"values": {"amount": 5}}, run=run)
    ended(li, run)
    call("replay_run", run=run)
    second = call("start_run", {"workflow": LIMIT, "ask": True})["run"]
    task = opened(plant, second)
    call("list_tasks")
    call("see_task", task=task)
    call("claim_task", task=task)
    call("give_task_back", task=task)
    call("delegate_task", {"to": "zhao"}, task=task)
    call("give_task_back", task=task)
    call("answer_task", {"values": {"amount": 500}}, task=task)
    third = call("start_run", {"workflow": LIMIT, "ask": True})["run"]
    call("cancel_run", {"reason": "y"}, run=third)
    call("list_versions")
    call("see_version", version=f"{LIMIT}@v1")
    differ = call("diff_versions", params={"before": f"{LIMIT}@v1", "after": f"{LIMIT}@v2"})
    assert not differ["same"] and any("Another check" in line for line in differ["lines"])
    assert called == OPERATIONS.keys()


def ended(who: Program, run: str) -> None:
    """Wait until a run ended."""
    import time

    end = time.monotonic() + 20
    while who.get(f"/runs/{run}")["state"] not in ("completed", "failed") and time.monotonic() < end:
        time.sleep(0.05)


def opened(plant: Plant, run: str) -> str:
    """The open task of a run."""
    with plant.host.workspace.transaction() as connection:
        (found,) = tasks(connection, execution=run)
    return found.id


def test_an_agent_sees_contracts_and_no_insides(plant: Plant, program: Programs) -> None:
    """What a workflow takes and gives, when it is of use and what turns it away; neither state, digest nor nodes."""
    bot, li = program("bot"), program("li")
    about = bot.get(f"/workflows/{HAZMAT}")
    assert about["published"] is None and about["when"] and about["risk_level"] == "high"
    Draft202012Validator.check_schema(about["inputs"])
    Draft202012Validator.check_schema(about["outputs"])
    assert not [*Draft202012Validator(about["inputs"]).iter_errors(INPUTS)]
    assert [*Draft202012Validator(about["inputs"]).iter_errors({"amount": 1})]
    nodes = plant.host.version(HAZMAT, 1).definition.nodes
    assert not {name for name in nodes if f'"{name}"' in json.dumps(about)} - about["outputs"]["properties"].keys()
    told = li.get(f"/workflows/{HAZMAT}@v1")["published"]
    assert told["state"] == "published" and told["digest"] == plant.host.version(HAZMAT, 1).digest
    assert [one["after"] for one in told["history"]] == ["draft", "review", "published"]
    assert [one["workflow"] for one in bot.get("/workflows")["items"]] == [LIMIT, HAZMAT]
    first = bot.get("/workflows", limit=1)
    assert [one["workflow"] for one in bot.get("/workflows", cursor=first["next_page"])["items"]] == [HAZMAT]
