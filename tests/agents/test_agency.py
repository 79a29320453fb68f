"""What `[agents]` says, and how a run begins that waits for a person to let it."""

from typing import Any

import pytest
from agent_plant import HAZMAT, INPUTS, LIMIT, Plant, limit_check

from evals.executions.recorded import published, user
from ir.errors import BadSetting
from runtime.commands import answer
from runtime.errors import BadAnswer
from runtime.executions import task_of
from runtime.exporting import exported
from runtime.forget import forget
from runtime.governance.agency import Agency, read_agency
from runtime.privacy.settings import Privacy
from runtime.telling import replay
from runtime.veil import task_seen
from store import audit

OF_HAZMAT = f"workflow_{HAZMAT}"
WITHOUT = {name: value for name, value in INPUTS.items() if name != "shipment_id"}


def test_settings_are_read() -> None:
    """With what holds where nothing is said."""
    told = {"wait": 5, "diverted": "refuse", "approvers": ["lead"], "address": "https://x/{task}"}
    told |= {"most_bytes": 10, "calls_a_minute": 7}
    read = read_agency({**told, "allow": {"bot": ["a", "b"]}})
    assert read == Agency({"bot": frozenset({"a", "b"})}, 5, "refuse", ("lead",), 10, 7, "https://x/{task}")
    assert read_agency(None) == read_agency({}) == Agency()


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([], "write \\[agents\\]"),
        ({"alow": {}}, "alow: there is no such setting"),
        ({"allow": ["bot"]}, "write \\[agents.allow\\]"),
        ({"allow": {"bot": "x"}}, "allow.bot is 'x'"),
        ({"approvers": []}, "approvers is \\[\\]"),
        ({"diverted": "never"}, "there is approval, refuse"),
        ({"wait": -1}, "wait is -1"),
        ({"wait": True}, "wait is True"),
        ({"most_bytes": 0}, "most_bytes is 0"),
        ({"calls_a_minute": 0}, "calls_a_minute is 0"),
        ({"address": "https://x"}, "with {task} in it"),
    ],
)
def test_settings_that_cannot_be(table: Any, words: str) -> None:
    """Are refused, each with what is expected."""
    with pytest.raises(BadSetting, match=words):
        read_agency(table)


def test_who_lets_it_begin_sees_what_was_given(plant: Plant) -> None:
    """First what is missing is given, then somebody decides over all of it."""
    told = plant.told("start_run", workflow=HAZMAT, inputs=WITHOUT, ask=True)
    assert [one["kind"] for one in told["waits"]] == ["start"]
    told = plant.told("give_value", run=told["run"], values={"shipment_id": "SHIP-1"})
    (task,) = told["waits"]
    assert task["kind"] == "approval"
    with plant.host.workspace.transaction() as connection:
        opened = [one for one in audit.events(connection, told["run"]) if one.kind == "task-opened"]
    assert [one.body["kind"] for one in opened] == ["start", "approval"]
    plant.does("li", task["task"], approved=True)
    assert plant.told("see_run", run=told["run"], wait=True)["waits"][0]["who"] == ["安全总监"]


def test_a_value_that_does_not_fit_is_asked_for_again(plant: Plant) -> None:
    """It is refused with what it takes, and the run goes on waiting for it."""
    run = plant.told("start_run", workflow=LIMIT, inputs={}, ask=True)["run"]
    for _ in range(3):
        assert plant.refused("give_value", run=run, values={"amount": "much"}) == "bad-answer"
    assert plant.told("give_value", run=run, values={"amount": 5})["state"] == "completed"
    assert plant.refused("give_value", run=run, values={"amount": 6}) == "nothing-missing"


def test_a_run_that_is_not_let_begin_is_called_off(plant: Plant) -> None:
    """With the reason; nothing was asked of a system, and a replay says the same."""
    told = plant.told(OF_HAZMAT, **INPUTS)
    plant.does("li", told["waits"][0]["task"], approved=False, comment="not today")
    ended = plant.told("see_run", run=told["run"], wait=True)
    assert (ended["state"], ended["end"], plant.systems.calls) == ("cancelled", "cancelled", [])
    assert [one.body for one in plant.events(told["run"]) if one.kind == "cancelled"] == [{"reason": "not today"}]
    assert replay(plant.host, told["run"]).differences == ()


def test_no_answer_lets_it_begin_that_does_not_fit(plant: Plant) -> None:
    """However often it is given; nor one that says nothing of what was seen."""
    told = plant.told(OF_HAZMAT, **INPUTS)
    task = told["waits"][0]["task"]
    for _ in range(3):
        with pytest.raises(BadAnswer):
            plant.does("li", task, approved="yes")
    with pytest.raises(BadAnswer, match="does not say what was seen"):
        answer(plant.host, user(plant.host, "li"), task, {"approved": True})
    assert plant.told("see_run", run=told["run"], wait=False)["state"] == "waiting"


def test_a_run_called_off_meanwhile_does_not_begin(plant: Plant) -> None:
    """Also where both come before anybody works on it again."""
    told = plant.told(OF_HAZMAT, **INPUTS)
    plant.told("interrupt_run", run=told["run"], how="cancel")
    assert plant.told("see_run", run=told["run"])["state"] == "cancelled"
    assert plant.refused("resume_run", run=told["run"]) == "already-ended"


def test_others_may_be_named_to_let_it_begin(plant: Plant) -> None:
    """By role, and the address of their tasks by the installation."""
    other = plant.with_agency(approvers=("approver",), address="https://flows.example.org/tasks/{task}")
    (task,) = other.told(OF_HAZMAT, **INPUTS)["waits"]
    assert task["who"] == ["approver"] and task["address"] == f"https://flows.example.org/tasks/{task['task']}"


@pytest.mark.parametrize(
    "privacy", [Privacy(concepts={"shipment_id": "personal", "quantity_kg": "confidential"})], ids=["private"]
)
def test_personal_values_are_masked_and_deleted(plant: Plant) -> None:
    """For the agent, in the audit's chain and in an export; who decides about a begin is shown them."""
    told_of = {"of": "$.inputs.amount", "within": "$.outputs.check.within_limit"}
    taken = {"amount": {"type": "number", "concept": "quantity_kg"}}
    published(plant.host, limit_check("own", inputs=taken, outputs=told_of))
    masked = plant.with_agency(allow={"bot": frozenset({HAZMAT, "own"})})
    told = masked.told("workflow_own", amount=54321)
    assert told["outputs"] == {"of": {"masked": "confidential"}, "within": True}
    assert masked.told("replay_run", run=told["run"])["outputs"]["of"] == {"masked": "confidential"}
    secret = "SHIP-王小明-4711"
    run = masked.told(OF_HAZMAT, **{**INPUTS, "shipment_id": secret})
    with plant.host.workspace.transaction() as connection:
        task = task_of(connection, run["waits"][0]["task"])
    assert task_seen(plant.host, task, user(plant.host, "li")).shown["inputs"] == {**INPUTS, "shipment_id": secret}
    masked.does("li", task.id, approved=False, comment=f"{secret} is no customer")
    assert secret not in str(masked.told("see_run", run=run["run"], wait=True))
    with plant.host.workspace.transaction() as connection:
        stored = [*audit.events(connection, run["run"], as_stored=True)]
    assert secret not in str(stored) and secret not in str([*exported(plant.host, run["run"])])
    assert forget(plant.host, user(plant.host, "wen"), run["run"], "asked for").values
    assert masked.told("see_run", run=run["run"])["state"] == "cancelled"
    assert masked.refused("replay_run", run=run["run"]) == "values-deleted"
