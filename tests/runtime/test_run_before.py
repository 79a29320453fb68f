"""What came before a task in its run: shown with it, and held by the digest that an approval names."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from plant import Recorded, host_in, now_of, open_tasks, published, user

from ir.walk import Outcome, start
from ir.workflow import Workflow
from runtime.advance import advance
from runtime.commands import answer, begin
from runtime.errors import BadAnswer
from runtime.executions import digest_of
from runtime.forms import Task
from runtime.host import Host
from runtime.privacy.settings import Privacy
from runtime.veil import task_seen
from runtime.views.before import steps_before
from store import audit

ID, NOTE, COMMENT = "purchase", "for Zhang San's desk", "Zhang San asked twice"
CHECKED: dict[str, Any] = {
    "within_limit": True, "reason_code": "WITHIN", "excess": 0,
    "evidence": {"source_type": "policy_doc", "doc_id": "d"},
}  # fmt: skip
SMALL, LARGE, CLAUSE = "up to 500 the head decides", "above 500 the director decides", "the authority is determined"


def said(*quotes: str) -> list[dict[str, str]]:
    """Words of the document."""
    return [{"doc_id": "d", "quote": quote} for quote in quotes]


def yes_or_no(node: str, then: str) -> list[dict[str, Any]]:
    """The ways on from an approval."""
    given = f"$.outputs.{node}.approved"
    return [
        {"from": node, "to": then, "condition": {"eq": [given, True]}},
        {"from": node, "to": "no", "condition": {"eq": [given, False]}},
    ]


def purchase() -> Workflow:
    """A clerk asks, a system and a rule judge, two approve one after the other; somebody does something else beside."""
    authority = {"outputs": {}, "rules": [
        {"rule_id": "small", "condition": {"lte": ["$.outputs.ask.price", 500]},
         "outcome": {"approval_authority": "head", "reason_code": "SMALL"}, "evidence": said(SMALL)},
        {"rule_id": "large", "condition": {"gt": ["$.outputs.ask.price", 500]},
         "outcome": {"approval_authority": "director", "reason_code": "LARGE"}, "evidence": said(LARGE)},
    ]}  # fmt: skip
    fields = {"price": {"type": "number"}, "note": {"type": "string", "required": False}}
    raw = {
        "workflow_id": ID, "version": "v1", "inputs": {"what": {"type": "string"}},
        "metadata": {"title": "Purchase", "language": "en"},
        "outputs": {"authority": "$.outputs.judge.approval_authority"},
        "nodes": {
            "ask": {"type": "human.input", "assignee": "approver", "label": "The request", "question": "What price?",
                    "requested_fields": fields},
            "aside": {"type": "human.task", "assignee": "approver", "label": "Ask for offers", "instruction": "Ask"},
            "check": {"type": "decision.check_threshold", "label": "The budget",
                      "inputs": {"value": "$.outputs.ask.price", "limit": 10000}},
            "judge": {"type": "decision.determine_authority", "label": "Who decides", "rule_pack": "authority",
                      "inputs": {"matter": "purchase", "amount": "$.outputs.ask.price"}, "evidence": said(CLAUSE)},
            "head": {"type": "human.approval", "approvers": ["approver"], "question": "Does the head agree?"},
            "director": {"type": "human.approval", "approvers": ["approver"], "question": "Does the director agree?"},
            "done": {"type": "control.end", "status": "completed"},
            "no": {"type": "control.end", "status": "rejected", "reason_code": "REFUSED"},
        },
        "rule_packs": {"authority": {"version": "1.0.0", **authority}},
        "edges": [
            {"from": "ask", "to": "aside"}, {"from": "ask", "to": "check"}, {"from": "aside", "to": "done"},
            {"from": "check", "to": "judge"}, {"from": "check", "to": "judge", "on": "error"},
            {"from": "judge", "to": "head"}, *yes_or_no("head", "director"), *yes_or_no("director", "done"),
        ],
        "execution_policy": {"risk_level": "low", "allow_auto": True, "require_approval": False},
    }  # fmt: skip
    return Workflow.model_validate(raw)


@pytest.fixture
def recorded() -> Recorded:
    """What the system gives."""
    return Recorded({"check": CHECKED})


@pytest.fixture
def host(tmp_path: Path, recorded: Recorded) -> Host:
    """With the workflow published."""
    found = host_in(tmp_path, recorded)
    published(found, purchase())
    return found


def task_at(host: Host, execution: str, node: str) -> Task:
    """The open task of a node."""
    return next(one for one in open_tasks(host, execution) if one.node == node)


def does(host: Host, execution: str, node: str, by: str = "zhao", **given: Any) -> None:
    """Somebody does a task, and the run goes on."""
    task = task_at(host, execution, node)
    answer(host, user(host, by), task.id, given, task.digest)
    advance(host, execution)


def at_the_director(host: Host) -> str:
    """A run that waits for the second approval, what is beside it done."""
    execution = begin(host, user(host, "li"), ID, 1, {"what": "a chair"}).id
    advance(host, execution)
    does(host, execution, "ask", price=700, note=NOTE)
    does(host, execution, "aside", by="wen", outcome="done")
    does(host, execution, "head", by="wen", approved=True, comment=COMMENT)
    return execution


def events(host: Host, execution: str) -> list[audit.Event]:
    """What the audit tells."""
    with host.workspace.transaction() as connection:
        return [*audit.events(connection, execution)]


def test_s7_an_approver_sees_what_was_said_before(host: Host) -> None:
    """In order, by title: who gave what and when, the rows that held, the comment; not what is beside it."""
    execution = at_the_director(host)
    ask, check, judge, head = task_at(host, execution, "director").before
    assert [one.title for one in (ask, check, judge)] == ["The request", "The budget", "Who decides"]
    assert (ask.performer, ask.by, ask.gave) == ("person", "zhao", {"price": 700, "note": NOTE})
    assert (check.performer, check.by) == ("system", None)
    assert check.gave == CHECKED
    assert (judge.performer, judge.gave["approval_authority"], judge.words) == ("rules", "director", (LARGE, CLAUSE))
    assert (head.title, head.by) == ("Does the head agree?", "wen")
    assert (head.gave["approved"], head.gave["comment"]) == (True, COMMENT)
    told = {one.body["node"]: one.at for one in events(host, execution) if one.kind == "node-succeeded"}
    assert [one.at for one in (ask, check, judge, head)] == [told[one] for one in ("ask", "check", "judge", "head")]


def test_s7_each_task_shows_what_came_before_it(host: Host) -> None:
    """The first one nothing, the next ones more; what was refused or not come to is not among it."""
    execution = begin(host, user(host, "li"), ID, 1, {"what": "a chair"}).id
    advance(host, execution)
    first = task_at(host, execution, "ask")
    assert first.before == () and "before" not in first.shown
    does(host, execution, "ask", price=7)
    assert [one.node for one in task_at(host, execution, "aside").before] == ["ask"]
    assert [one.node for one in task_at(host, execution, "head").before] == ["ask", "check", "judge"]
    assert "note" not in task_at(host, execution, "head").before[0].gave


def test_s7_a_step_that_failed_is_shown_with_its_fault(host: Host, recorded: Recorded) -> None:
    """Where the run went on from it."""
    recorded.gives = {"check": {"$error": "NO_BUDGET"}}
    execution = begin(host, user(host, "li"), ID, 1, {"what": "a chair"}).id
    advance(host, execution)
    does(host, execution, "ask", price=7)
    check = task_at(host, execution, "head").before[1]
    assert (check.node, check.error, check.message, check.gave) == ("check", "NO_BUDGET", "as recorded", {})


def test_s7_the_digest_holds_what_came_before(host: Host) -> None:
    """It is that of all that is shown, stays while the run goes on beside it, and no other is taken."""
    execution = begin(host, user(host, "li"), ID, 1, {"what": "a chair"}).id
    advance(host, execution)
    does(host, execution, "ask", price=700)
    task = task_at(host, execution, "head")
    less = {name: value for name, value in task.shown.items() if name != "before"}
    without = digest_of(task.title, task.fields, less)
    assert task.digest == digest_of(task.title, task.fields, task.shown) != without
    does(host, execution, "aside", outcome="done")
    assert task_at(host, execution, "head") == task
    with pytest.raises(BadAnswer, match="is shown as"):
        answer(host, user(host, "wen"), task.id, {"approved": True}, without)
    answer(host, user(host, "wen"), task.id, {"approved": True}, task.digest)
    told = events(host, execution)
    opened = next(one.body["shown"] for one in told if one.kind == "task-opened" and one.body["node"] == "head")
    answered = next(one.body["shown"] for one in told if one.kind == "answered" and one.body["node"] == "head")
    assert opened == answered == task.digest


def test_s10_what_was_shown_is_made_again_from_the_record(host: Host) -> None:
    """From the events before the task was opened alone, also once the run ended."""
    execution = at_the_director(host)
    task = task_at(host, execution, "director")
    answer(host, user(host, "wen"), task.id, {"approved": True}, task.digest)
    advance(host, execution)
    assert now_of(host, execution).ended
    run, told = start(purchase(), {"what": "a chair"}), list[audit.Event]()
    for event in events(host, execution):
        if event.kind == "task-opened" and event.body["node"] == "director":
            break
        told.append(event)
        if event.kind == "node-succeeded":
            outcome = Outcome(output=event.body["output"], answered_by=event.body["answered_by"])
            run = run.take(event.body["node"], outcome)
    assert steps_before(run, "director", told) == task.before


def test_what_is_personal_is_masked_for_whoever_may_not_answer(host: Host) -> None:
    """What was given, and the comment, which may tell it in other words; titles, people and words of rules are not."""
    veiled = replace(host, privacy=Privacy(fields={f"{ID}.note": "personal", f"{ID}.price": "confidential"}))
    execution = at_the_director(veiled)
    task = task_at(veiled, execution, "director")
    approver = task_seen(veiled, task, user(host, "zhao"))
    assert (approver.before, approver.digest) == (task.before, task.digest)
    other = task_seen(veiled, task, user(host, "li"))
    ask, check, judge, head = other.before
    assert ask.gave == {"note": {"masked": "personal"}, "price": 700}  # an operator reads what is confidential
    assert head.gave["comment"] == {"masked": "personal"} and head.gave["approved"] is True
    assert (ask.title, ask.by, judge.words) == ("The request", "zhao", (LARGE, CLAUSE))
    assert check.gave["within_limit"] is True and other.digest == ""
    assert "Zhang San" not in json.dumps(other.to_json())
