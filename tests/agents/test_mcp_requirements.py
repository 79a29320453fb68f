"""MCP-1 to MCP-11 of the requirements, a test named after each."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from agent_plant import HAZMAT, INPUTS, LIMIT, SECRET, Plant, limit_check
from mcp.client import Client

from agents.acts import Acts
from agents.server import ToolServer
from agents.tools import FIXED
from evals.executions.recorded import published, user
from registry.versions import deprecate, review, submit

ROOT = Path(__file__).resolve().parents[2]
OF_LIMIT, OF_HAZMAT = f"workflow_{LIMIT}", f"workflow_{HAZMAT}"


def tools_of(plant: Plant, mode: str = "auto") -> dict[str, types.Tool]:
    """The tools that a client is told of, by name."""

    async def ask() -> list[types.Tool]:
        async with Client(ToolServer.of(plant.desk, "0.1").server, mode=mode) as client:
            return list((await client.list_tools()).tools)

    return {one.name: one for one in anyio.run(ask)}


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_mcp_1_workflows_are_tools_of_the_protocol(plant: Plant, mode: str, version: str) -> None:
    """A client of the new protocol and one of the old call a workflow and get structured content."""

    async def ask() -> tuple[str, Any]:
        async with Client(ToolServer.of(plant.desk, "0.1").server, mode=mode) as client:
            return client.protocol_version, await client.call_tool(OF_LIMIT, {"amount": 5})

    spoken, found = anyio.run(ask)
    assert spoken == version
    assert not found.is_error and found.structured_content["outputs"] == {"within": True}
    assert found.structured_content["state"] == found.structured_content["end"] == "completed"


def test_mcp_2_the_server_decides_nothing() -> None:
    """No module of it imports what walks, judges conditions, carries nodes out or asks a model."""
    deciding = ("ir.walk", "ir.predicate", "ir.formula", "runtime.advance", "runtime.executors", "llm", "compiler")
    for path in sorted((ROOT / "agents").glob("*.py")):
        for module in imported(path):
            assert not module.startswith(deciding), f"{path.name} imports {module}"


def imported(path: Path) -> Iterator[str]:
    """The modules that one imports, wherever."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names)


def test_mcp_3_flow_details_stay_inside(plant: Plant) -> None:
    """Neither the list nor any answer names a node or a Type of the workflow."""
    nodes = plant.host.version(HAZMAT, 1).definition.nodes
    own = {name for name in nodes if "_" in name} | {one.type for one in nodes.values()}
    told = [tools_of(plant)[OF_HAZMAT].model_dump_json(), str(plant.told("dry_run", workflow=HAZMAT))]
    answer = plant.told("start_run", workflow=HAZMAT, inputs=INPUTS)
    for who in ("li", "wen"):
        told.append(str(answer))
        plant.does(who, answer["waits"][0]["task"], approved=True)
        answer = plant.told("see_run", run=answer["run"], wait=True)
    assert answer["state"] == "completed"
    for tool in ("explain_run", "replay_run"):
        answer = plant.told(tool, run=answer["run"])
        del answer["outputs"]["evidence_bundle"]  # says where evidence is kept, as the workflow's own contract has it
        answer["grounds"] = [one["value"] for one in answer.pop("grounds", ())]
        told.append(str(answer))
    assert own and [(name, text) for name in own for text in told if name in text] == []


def test_mcp_4_an_agent_picks_a_workflow_and_its_version(plant: Plant) -> None:
    """By id and number; the result says which version it was."""
    published(plant.host, limit_check())
    assert plant.told("start_run", workflow=f"{LIMIT}@v1", inputs={"amount": 5})["workflow"] == f"{LIMIT}@v1"
    assert plant.told("start_run", workflow=LIMIT, inputs={"amount": 5})["workflow"] == f"{LIMIT}@v2"
    assert plant.refused("start_run", workflow=f"{LIMIT}@v9", inputs={"amount": 5}) == "unknown-version"


def test_mcp_5_an_agent_defines_nothing_and_controls_no_security(plant: Plant) -> None:
    """There is no tool that edits, creates, approves or publishes, and no act behind one."""
    assert set(FIXED) == {
        "find_workflow", "dry_run", "start_run", "see_run", "give_value", "interrupt_run", "resume_run",
        "replay_run", "explain_run",
    }  # fmt: skip
    writing = ("submit", "publish", "review", "deprecate", "add_user", "set_roles", "claim", "delegate", "forget")
    for path in sorted((ROOT / "agents").glob("*.py")):
        names = {node.id for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Name)}
        assert not names & set(writing), path
    assert not [name for name in vars(Acts) if name.startswith(("edit", "create", "approve", "publish"))]
    for tool in ("submit", "publish", "approve", "edit_workflow", "users_role"):
        assert plant.refused(tool, workflow=LIMIT) == "unknown-tool"


def test_mcp_6_an_agent_gets_results_and_no_process_text(plant: Plant) -> None:
    """What a tool tells of a workflow is what it is for and what it takes; the words of its steps are not in it."""
    version = plant.host.version(HAZMAT, 1).definition
    tool = tools_of(plant)[OF_HAZMAT]
    steps = [quote.quote for node in version.nodes.values() for quote in node.evidence]
    labels = [node.label for node in version.nodes.values() if node.label]
    assert steps and not [words for words in (*steps, *labels) if len(words) > 10 and words in str(tool.description)]
    assert set(tool.input_schema["properties"]) == set(version.inputs)
    found = plant.told("find_workflow", task="用公路运输硫酸")["found"]
    assert [one["tool"] for one in found][:1] == [OF_HAZMAT]
    assert all(reason["text"] is None for one in found for reason in one["reasons"] if reason["part"] == "step")


def test_mcp_7_only_what_is_published_is_a_tool(plant: Plant) -> None:
    """Drafts and versions under review are none, nor what was deprecated; nor can they be started by name."""
    by = user(plant.host, "li")
    submit(plant.host.workspace, by, limit_check("other-check"), plant.host.catalog, "0.1")
    everything = plant.with_agency(allow={"bot": frozenset({"*"})})
    assert "workflow_other-check" not in tools_of(everything)
    assert everything.refused("workflow_other-check", amount=5) == "unknown-tool"
    assert everything.refused("start_run", workflow="other-check@v1", inputs={"amount": 5}) == "not-published"
    review(plant.host.workspace, by, "other-check", 1)
    assert "workflow_other-check" not in tools_of(everything)
    assert everything.refused("start_run", workflow="other-check", inputs={"amount": 5}) == "unknown-version"
    deprecate(plant.host.workspace, user(plant.host, "wen"), LIMIT, 1, "a new rule")
    assert OF_LIMIT not in tools_of(everything)
    assert everything.refused("start_run", workflow=f"{LIMIT}@v1", inputs={"amount": 5}) == "not-published"


def test_mcp_8_what_may_not_begin_by_itself_waits_for_a_person(plant: Plant) -> None:
    """The call gives the run's id and who has to let it begin; nothing is asked of a system before that."""
    told = plant.told(OF_HAZMAT, **INPUTS)
    (task,) = told["waits"]
    assert (told["state"], task["kind"], task["who"]) == ("waiting", "approval", ["operator"])
    assert plant.systems.calls == []
    plant.does("li", task["task"], approved=True)
    (then,) = plant.told("see_run", run=told["run"], wait=True)["waits"]
    assert then["who"] == ["安全总监"] and plant.systems.calls
    assert "let-begin" in [one.kind for one in plant.events(told["run"])]


def test_mcp_8_or_it_is_refused(plant: Plant) -> None:
    """Where the installation says so: with a code, and no run begins."""
    strict = plant.with_agency(diverted="refuse")
    assert strict.refused(OF_HAZMAT, **INPUTS) == "not-automatic"
    assert not [one for one in plant.events() if one.kind == "began"]


def test_mcp_9_a_contract_keeps_its_tool_and_another_gets_one(plant: Plant) -> None:
    """A compatible version takes the tool over; one that breaks callers has its own, and the one before says so."""
    published(plant.host, limit_check())
    assert plant.told(OF_LIMIT, amount=5)["workflow"] == f"{LIMIT}@v2"
    more = {"amount": {"type": "number", "unit": "CNY"}, "office": {"type": "string"}}
    published(plant.host, limit_check(inputs=more))
    tools = tools_of(plant)
    after = f"{OF_LIMIT}_v3"
    assert set(tools[after].input_schema["required"]) == {"amount", "office"}
    assert after in str(tools[OF_LIMIT].description) and "office" in str(tools[OF_LIMIT].description)
    assert plant.told(OF_LIMIT, amount=5)["workflow"] == f"{LIMIT}@v2"
    assert plant.told(after, amount=5, office="Bonn")["workflow"] == f"{LIMIT}@v3"
    for number in (1, 2):
        deprecate(plant.host.workspace, user(plant.host, "wen"), LIMIT, number, "v3 is there")
    assert OF_LIMIT not in tools_of(plant)
    assert plant.refused(OF_LIMIT, amount=5) == "tool-replaced"
    assert after in str(plant.call(OF_LIMIT, amount=5).content["message"])


def test_mcp_10_dry_run_execute_interrupt_resume_replay(plant: Plant) -> None:
    """Each is a tool, and does what the command does."""
    foreseen = plant.told("dry_run", workflow=LIMIT, inputs={"amount": 5})
    assert {one["end"] for one in foreseen["ends"]} == {"completed", "rejected"} and not foreseen["missing"]
    assert not [one for one in plant.events() if one.kind == "began"]
    run = plant.told(OF_HAZMAT, **INPUTS)["run"]
    assert plant.told("interrupt_run", run=run, reason="wait")["state"] == "paused"
    (task,) = plant.told("see_run", run=run)["waits"]
    plant.does("li", task["task"], approved=True)
    plant.told("see_run", run=run, wait=True)
    assert plant.systems.calls == []
    assert plant.told("resume_run", run=run)["state"] == "waiting" and plant.systems.calls
    assert plant.refused("replay_run", run=run) == "not-ended"
    assert plant.told("interrupt_run", run=run, how="cancel")["state"] == "cancelled"
    done = plant.told(OF_LIMIT, amount=5)["run"]
    asked = len(plant.systems.calls)
    assert plant.told("replay_run", run=done) == {
        "run": done, "same": True, "end": "completed", "outputs": {"within": True}, "because": [],
    }  # fmt: skip
    assert len(plant.systems.calls) == asked


def test_mcp_11_the_content_is_enough_for_the_answer(plant: Plant) -> None:
    """Verdict, reason, what is missing, advice and the words of the document stand in it; nothing before the end."""
    told = plant.told(OF_HAZMAT, **INPUTS)
    for who in ("li", "wen"):
        assert "不合规" not in told["text"] and told["outputs"] == {} and told["because"] == []
        plant.does(who, told["waits"][0]["task"], approved=True)
        told = plant.told("see_run", run=told["run"], wait=True)
    assert told["outputs"]["compliant"] is False
    assert told["outputs"]["decision_code"] == "NOT_COMPLIANT_MISSING_FILING"
    for words in ("不合规", "原因", "缺少", "建议"):
        assert words in told["text"]
    assert "属于一类或者二类危险化学品采用公路方式运输的" in str(told["because"])
    assert "总监" not in told["text"]  # whoever let the conclusion pass is no reason for it
    explained = plant.told("explain_run", run=told["run"])
    assert explained["people"] == ["li", "wen"]
    refs = [one["ref"] for one in told["outputs"]["evidence_bundle"]]
    assert [one["ref"] for one in explained["grounds"]] == refs
    filing = explained["grounds"][-1]
    assert filing["value"]["system"] == "filing_registry" and "运输备案系统" in str(filing["words"])


def test_a_workflow_that_is_not_allowed_is_not_seen(plant: Plant) -> None:
    """Neither listed, found, foreseen nor started."""
    assert f"workflow_{SECRET}" not in tools_of(plant)
    assert SECRET not in str(plant.told("find_workflow", task="is this amount within the limit"))
    assert plant.refused("dry_run", workflow=SECRET) == "not-allowed"
    assert plant.refused("start_run", workflow=SECRET, inputs={"amount": 5}) == "not-allowed"
    assert plant.refused(f"workflow_{SECRET}", amount=5) == "unknown-tool"
