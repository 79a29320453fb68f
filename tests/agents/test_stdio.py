"""The worked example of docs/agents.md over real stdio: an agent asks the question of the first case.

Documents are compiled by recorded answers of a model, corrected and published as in the demo; the agent is a scripted
client. Its person gives the consignment's number in a form, an operator lets the run begin, the safety director
approves, and the agent gets the answer with reason and advice.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from catalog.load import load_catalog
from demo.__main__ import CASE, EXAMPLE, HERE, summary
from demo.agent import CONVERSATION, Recorded, converse, same
from demo.filings import serve
from flowc.main import main
from runtime.commands import answer
from runtime.executions import task_of, tasks
from runtime.executors.registry import Executors
from runtime.host import Host
from store import audit
from store.workspace import find_workspace
from validator.fixes.json_patch import apply_patch

pytestmark = pytest.mark.slow
AGENTS = '\n[agents]\nwait = 20\n[agents.allow]\nassistant = ["*"]\n'
GIVEN = {"substance_name": "硫酸", "transport_mode": "公路", "quantity": 5000}


@dataclass(frozen=True)
class Company:
    """A workspace in which the first case is published.

    Args:
        book: what the filing system was asked.
    """

    folder: Path
    version: str
    book: Path

    def approve(self, task: str, who: str) -> None:
        """A person approves what is shown."""
        workspace = find_workspace(self.folder)
        host = Host(workspace, load_catalog(), Executors())
        with workspace.transaction() as connection:
            shown = task_of(connection, task).digest
        answer(host, workspace.user(who), task, {"approved": True}, shown)

    @property
    def parameters(self) -> StdioServerParameters:
        """How a client starts the server."""
        words = ["-m", "flowc", "mcp", "--as", "assistant"]
        return StdioServerParameters(command=sys.executable, args=words, cwd=str(self.folder), env=environment())


def environment() -> dict[str, str]:
    """Of the processes: no settings but those of the workspace."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FLOWC_", "OPENAI_"))}
    return {**kept, "PYTHONPATH": str(HERE.parent)}


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    """The company of the demo, with an agent."""
    folder = tmp_path_factory.mktemp("company")
    out, book = folder / "out", folder / "book.jsonl"

    def flowc(*words: object) -> None:
        assert main([str(word) for word in words]) == 0, words

    with serve(0, book) as server, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        flowc("compile", CASE / "documents", "-o", out, "--replay", CASE / "replies")
        (draft,) = out.rglob("*.workflow.json")
        workflow = json.loads(draft.read_text("utf-8"))
        for correction in json.loads((HERE / "corrections.json").read_text("utf-8")):
            workflow = apply_patch(workflow, correction["patch"])
        draft.write_text(json.dumps(workflow, ensure_ascii=False), "utf-8")
        flowc("workspace", "init", ".", "--user", "li")
        settings = (HERE / "flowc.toml").read_text("utf-8").replace("PORT", str(server.server_address[1]))
        (folder / "flowc.toml").write_text(settings + AGENTS, "utf-8")
        flowc("users", "add", "zhao", "--role", "approver", "--role", "安全总监", "--as", "li")
        flowc("users", "add", "assistant", "--role", "agent", "--as", "li")
        flowc("registry", "submit", draft, "--as", "li")
        version = f"{workflow['workflow_id']}@v1"
        flowc("registry", "review", version, "--as", "li")
        flowc("registry", "publish", version, "--accept-open", "asked the safety department", "--as", "zhao")
        yield Company(folder, version, book)
        server.shutdown()


async def person(_: Any, params: types.ElicitRequestFormParams) -> types.ElicitResult:
    """Whoever sits at the agent's client knows the number of the consignment."""
    assert set(params.requested_schema["properties"]) == {"shipment_id"}
    return types.ElicitResult(action="accept", content={"shipment_id": "SHIP-2026-00019"})


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_answers_the_question_of_the_first_case(company: Company, mode: str) -> None:
    """Find, look ahead, start, have what is missing given, have people decide, answer, replay, explain."""

    async def play() -> tuple[dict[str, Any], dict[str, Any]]:
        async with Client(company.parameters, mode=mode, elicitation_callback=person) as client:

            async def told(tool: str, **given: Any) -> dict[str, Any]:
                found = await client.call_tool(tool, given)
                assert not found.is_error, found.structured_content
                return dict(found.structured_content)

            assert client.server_capabilities.tools is not None and client.server_capabilities.tools.list_changed
            (found,) = (await told("find_workflow", task="用公路运输5吨硫酸是否合规"))["found"]
            assert found["workflow"] == company.version
            assert found["tool"] in [one.name for one in (await client.list_tools()).tools]
            ahead = await told("dry_run", workflow=found["workflow"], inputs=GIVEN)
            assert list(ahead["missing"]) == ["shipment_id"] and not ahead["begins_by_itself"]
            refused = await client.call_tool(found["tool"], GIVEN)
            assert refused.is_error and "shipment_id" in refused.structured_content["message"]
            run = await told("start_run", workflow=found["workflow"], inputs=GIVEN, ask=True)
            for who, role in (("li", "operator"), ("zhao", "安全总监")):
                (task,) = run["waits"]
                assert task["who"] == [role] and run["outputs"] == {}
                await anyio.to_thread.run_sync(company.approve, task["task"], who)
                run = await told("see_run", run=run["run"], wait=True)
            replayed = await told("replay_run", run=run["run"])
            return run, replayed

    run, replayed = anyio.run(play)
    assert (run["state"], run["end"]) == ("completed", "completed")
    assert summary(run["outputs"]) == json.loads(EXAMPLE.read_text("utf-8"))
    for words in ("不合规", "原因", "备案缺失", "建议"):
        assert words in run["text"]
    assert replayed["same"] and replayed["outputs"] == run["outputs"]
    keys = [json.loads(line)["key"] for line in company.book.read_text("utf-8").splitlines()]
    assert len([key for key in keys if key.startswith(run["run"])]) == 1
    workspace = find_workspace(company.folder)
    with workspace.transaction() as connection:
        assert audit.verify(connection, workspace.heads.read_text("utf-8"), workspace.key.public) == []


def test_a_recorded_model_answers_the_question_of_the_first_case(company: Company) -> None:
    """What a model did with the tools once comes to the same answer now; people do what waits for them in between."""
    recorded = json.loads(CONVERSATION.read_text("utf-8"))

    async def people(told: Mapping[str, Any]) -> bool:
        for one in told.get("waits") or ():
            who = "li" if one["who"] == ["operator"] else "zhao"
            with find_workspace(company.folder).transaction() as connection:
                (task,) = [each.id for each in tasks(connection)]
            await anyio.to_thread.run_sync(company.approve, task, who)
        return bool(told.get("waits"))

    async def talk() -> list[dict[str, Any]]:
        async with Client(company.parameters) as client:
            return await converse(client, Recorded(recorded), people, lambda line: None)

    turns = anyio.run(talk)
    assert same(turns, recorded)
    told = [one["told"] for one in turns if "told" in one][-1]
    assert told["outputs"]["decision_code"] == "NOT_COMPLIANT_MISSING_FILING"
    for words in ("不合规", "备案", "安全总监"):
        assert any(words in one["turn"].get("answer", "") for one in turns)


def test_who_is_no_agent_is_not_served(
    company: Company, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status and code say why, and standard output stays empty."""
    monkeypatch.chdir(company.folder)
    for words, status, code in ((["--as", "zhao"], 1, "not-an-agent"), ([], 2, "bad-setting")):
        assert main(["mcp", *words]) == status
        told = capsys.readouterr()
        assert f"error[{code}]" in told.err and told.out == ""


def test_it_ends_with_its_input(company: Company) -> None:
    """Within seconds; what is no message is passed over, and on standard output there is nothing else."""
    process = subprocess.Popen(
        [sys.executable, "-m", "flowc", "mcp", "--as", "assistant"], cwd=company.folder, env=environment(),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    try:
        out, _ = process.communicate(f"this is no message\n{call}\n", timeout=60)
    finally:
        process.kill()
    told = [json.loads(line) for line in out.splitlines()]
    assert process.returncode == 0 and [one["result"]["serverInfo"]["name"] for one in told] == ["flowc"]
