"""A workspace in which an agent may begin some of what is published, with its systems recorded and somebody at work."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from agents.desk import Desk, Reply
from catalog.embedders.cache import VectorCache
from catalog.embedders.lexical import LexicalEmbedder
from evals.executions.recorded import CATALOG, Recorded, host_in, published
from ir.codec import read_form, read_workflow, read_yaml
from ir.scenario import Scenarios
from ir.workflow import Workflow
from registry.search import FoundWorkflow, WorkflowIndex
from runtime.advance import advance
from runtime.commands import answer
from runtime.executions import active, task_of, untaken
from runtime.governance.agency import Agency
from runtime.host import Host
from runtime.privacy.settings import Privacy
from store import audit
from store.users import AGENT, add_user

CASE = Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "hazmat-transport"
HAZMAT, LIMIT, SECRET = "transport-compliance", "limit-check", "board-only"
INPUTS = {"shipment_id": "SHIP-2026-00019", "substance_name": "硫酸", "quantity_kg": 5000, "transport_mode": "公路"}

CHECKED = {
    "within_limit": True,
    "excess": 0,
    "reason_code": "WITHIN",
    "evidence": {"source_type": "policy_doc", "doc_id": "d"},
}


def gold() -> Workflow:
    """The workflow of the first case."""
    found, faults = read_workflow((CASE / "gold" / f"{HAZMAT}.workflow.json").read_bytes())
    assert found is not None, faults
    return found


def not_filed() -> dict[str, Any]:
    """What its systems give where nothing is filed."""
    raw, _ = read_yaml((CASE / "scenarios.yaml").read_text("utf-8"))
    read, faults = read_form(Scenarios, raw)
    assert read is not None, faults
    found = next(one for one in read.scenarios if one.name.startswith("class 2 by road, not filed"))
    return dict(found.outputs)


def limit_check(name: str = LIMIT, *, auto: bool = True, **more: Any) -> Workflow:
    """Checks an amount, and ends as rejected above the limit."""
    raw = {
        "workflow_id": name, "version": "v1",
        "metadata": {"title": "Check of an amount", "description": "Says whether an amount is within the limit.",
                     "language": "en"},
        "triggers": [{"text": "before money is spent", "evidence": [{"doc_id": "d", "quote": "before it is spent"}]}],
        "inputs": {"amount": {"type": "number", "unit": "CNY"}, "note": {"type": "string", "required": False}},
        "outputs": {"within": "$.outputs.check.within_limit"},
        "nodes": {
            "check": {"type": "decision.check_threshold", "inputs": {"value": "$.inputs.amount", "limit": 100}},
            "done": {"type": "control.end", "status": "completed"},
            "over": {"type": "control.end", "status": "rejected", "reason_code": "OVER_LIMIT"},
        },
        "edges": [
            {"from": "check", "to": "done", "condition": {"eq": ["$.outputs.check.within_limit", True]}},
            {"from": "check", "to": "over", "condition": {"eq": ["$.outputs.check.within_limit", False]}},
        ],
        "execution_policy": {"risk_level": "medium", "allow_auto": auto, "require_approval": False},
        **more,
    }  # fmt: skip
    return Workflow.model_validate(raw)


@dataclass(frozen=True)
class Plant:
    """A workspace with an agent, `bot`, that may begin two of the three workflows in it."""

    host: Host
    desk: Desk
    systems: Recorded

    def call(self, tool: str, **arguments: Any) -> Reply:
        """A call of the agent."""
        return self.desk.call(tool, arguments)

    def told(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a call that is carried out tells."""
        reply = self.call(tool, **arguments)
        assert not reply.refused, reply.content
        return dict(reply.content)

    def refused(self, tool: str, **arguments: Any) -> str:
        """The code with which a call is refused; the audit tells it, and what to do is said."""
        before = len(self.events())
        reply = self.call(tool, **arguments)
        assert reply.refused and reply.content["message"] and reply.content["next"], reply.content
        told = [one for one in self.events()[before:] if one.kind == "agent-called"]
        assert [(one.principal, one.body["code"]) for one in told] == [(self.desk.name, reply.content["code"])]
        return str(reply.content["code"])

    def events(self, execution: str | None = None) -> list[audit.Event]:
        """What the audit tells."""
        with self.host.workspace.transaction() as connection:
            return [*audit.events(connection, execution)]

    def does(self, who: str, task: str, **given: Any) -> None:
        """A person does a task, having seen what is shown."""
        with self.host.workspace.transaction() as connection:
            shown = task_of(connection, task).digest
        answer(self.host, self.host.workspace.user(who), task, given, shown)

    def with_agency(self, **changed: Any) -> "Plant":
        """The same where the installation says otherwise."""
        host = replace(self.host, agency=replace(self.host.agency, **changed))
        return replace(self, host=host, desk=replace(self.desk, host=host))


def searched(known: Any, task: str, limit: int) -> tuple[FoundWorkflow, ...]:
    """Search by letters alone, which needs no model."""
    return WorkflowIndex(known, CATALOG, LexicalEmbedder(), VectorCache(None)).search(task, limit, least=0.05)


@pytest.fixture
def privacy() -> Privacy:
    """What is personal: nothing, unless a test says otherwise."""
    return Privacy()


@pytest.fixture
def plant(tmp_path: Path, privacy: Privacy) -> Iterator[Plant]:
    """The workspace, while a worker carries out what there is to do."""
    with planted(tmp_path, privacy) as found:
        yield found


@contextmanager
def planted(folder: Path, privacy: Privacy) -> Iterator[Plant]:
    """A workspace in a folder, while a worker carries out what there is to do."""
    systems = Recorded({**not_filed(), "check": CHECKED})
    allow = {"bot": frozenset({HAZMAT, LIMIT}), "other": frozenset({HAZMAT, LIMIT})}
    host = replace(host_in(folder, systems), agency=Agency(allow=allow, wait=10.0), privacy=privacy)
    with host.workspace.transaction() as connection:
        for name in allow:
            add_user(connection, name, frozenset({AGENT}), "wen")
    for one in (gold(), limit_check(), limit_check(SECRET)):
        published(host, one)
    stop = threading.Event()
    worker = threading.Thread(target=_work, args=(host, stop))
    worker.start()
    yield Plant(host, Desk(host, "bot", searched), systems)
    stop.set()
    worker.join()


def _work(host: Host, stop: threading.Event) -> None:
    while not stop.wait(0.02):
        with host.workspace.database.transaction() as connection:
            todo = [*dict.fromkeys([*untaken(connection), *active(connection)])]
        for one in todo:
            advance(host, one)
