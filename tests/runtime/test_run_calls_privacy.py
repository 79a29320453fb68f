"""Personal values and calls: classes go along with a call, and what is deleted is deleted in all runs that had it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from calling import POLICY, gone_on
from plant import CATALOG, Recorded, host_in, now_of, open_tasks, published, user

from ir.errors import BadSetting
from ir.workflow import Workflow
from runtime.advance import advance
from runtime.commands import answer, begin, steer
from runtime.errors import CalledRun, NotEnded, UnsealedValues, ValuesDeleted
from runtime.exporting import exported
from runtime.forget import forget, retain
from runtime.host import Host
from runtime.privacy.classes import Calls, Classes, classes_of
from runtime.privacy.settings import NOBODY, Privacy
from runtime.subworkflows import child_id
from runtime.telling import explain, replay
from runtime.veil import task_seen
from store import audit
from store.tables import METADATA

NAME, REASON = "王小明-4711", "operated on his knee"
ENDS = {"done": {"type": "control.end", "status": "completed"}}


def asking(**more: Any) -> Workflow:
    """Asks a person why somebody is away, and gives that and the name on."""
    raw = {
        "workflow_id": "absence", "version": "v1",
        "inputs": {"who": {"type": "string"}},
        "outputs": {"why": "$.outputs.ask.words", "of": "$.inputs.who"},
        "nodes": {
            "ask": {"type": "human.input", "assignee": "approver", "question": "Why?",
                    "requested_fields": {"words": {"type": "string"}}},
            **ENDS,
        },
        "edges": [{"from": "ask", "to": "done"}],
        "execution_policy": POLICY,
        **more,
    }  # fmt: skip
    return Workflow.model_validate(raw)


def calling(name: str = "leave", of: str = "absence", **more: Any) -> Workflow:
    """Calls it, and gives what that gave."""
    raw = {
        "workflow_id": name, "version": "v1",
        "inputs": {"employee": {"type": "string"}},
        "outputs": {"told": "$.outputs.step.why"},
        "nodes": {
            "step": {"type": "control.call", "call": {"workflow_id": of, "version": "v1"},
                     "inputs": {"who": "$.inputs.employee"}},
            **ENDS,
        },
        "edges": [{"from": "step", "to": "done"}],
        "execution_policy": POLICY,
        **more,
    }  # fmt: skip
    return Workflow.model_validate(raw)


def plant(folder: Path, **fields: Any) -> Host:
    """A workspace with both published, where some fields are personal."""
    named = {name.replace("__", "."): "personal" for name in fields}
    host = replace(host_in(folder, Recorded({})), privacy=Privacy(fields=named))
    published(host, asking())
    published(host, calling())
    return host


def done(host: Host, workflow: str = "leave") -> str:
    """A run of the caller that ended."""
    execution = begun(host, workflow)
    for name in called(host, execution):
        for task in open_tasks(host, name):
            answer(host, user(host, "zhao"), task.id, {"words": REASON}, task.digest)
    assert gone_on(host, execution).status == "completed"
    return execution


def begun(host: Host, workflow: str = "leave") -> str:
    """A run of the caller that waits for the person of what it called."""
    execution = begin(host, user(host, "li"), workflow, 1, {"employee": NAME}).id
    gone_on(host, execution)
    return execution


def called(host: Host, execution: str) -> list[str]:
    """The run that it called, and the one that this called."""
    first = child_id(execution, "step")
    second = child_id(first, "step")
    with host.workspace.transaction() as connection:
        known = {row[0] for row in connection.execute(sa.text("select id from executions"))}
    return [one for one in (first, second) if one in known]


def in_tables(host: Host, text: str) -> set[str]:
    """The tables in which a text stands, as it is or as JSON escapes it."""
    words = {text, json.dumps(text)[1:-1]}
    with host.workspace.transaction() as connection:
        return {
            table.name
            for table in METADATA.sorted_tables
            for row in connection.execute(sa.select(table))
            if any(word in str(cell) for word in words for cell in row)
        }


def files_with(folder: Path, text: str) -> list[Path]:
    """The files that hold a text."""
    words = {text.encode(), json.dumps(text)[1:-1].encode()}
    return [one for one in folder.rglob("*") if one.is_file() and any(word in one.read_bytes() for word in words)]


def classes(privacy: Privacy, *called_ones: Workflow, caller: Workflow) -> Classes:
    """Of a workflow that calls others."""
    known = {node.call: one for one in called_ones for flow in (caller, *called_ones)
             for node in flow.nodes.values() if node.call and node.call.workflow_id == one.workflow_id}  # fmt: skip
    return classes_of(caller, CATALOG, privacy, Calls({call: one for call, one in known.items() if call}))


def personal(*fields: str) -> Privacy:
    """Where some fields are personal."""
    return Privacy(fields=dict.fromkeys(fields, "personal"))


def test_classes_go_along_with_a_call() -> None:
    """What the called run gives, what it takes, and what the caller says of either; all else stays as it was."""
    found = classes(personal("absence.words"), asking(), caller=calling())
    assert found.gives["step"].at(["why"]).own == found.outputs.at(["told"]).own == "personal"
    assert found.inputs.at(["employee"]).own == found.gives["step"].at(["of"]).own == "internal"
    found = classes(personal("absence.who"), asking(), caller=calling())
    assert found.inputs.at(["employee"]).own == found.takes["step"].at(["who"]).own == "personal"
    assert found.outputs.at(["told"]).own == "internal"
    found = classes(personal("leave.employee"), asking(), caller=calling())
    assert found.gives["step"].at(["of"]).own == "personal" and found.gives["step"].at(["why"]).own == "internal"
    found = classes(personal("leave.step.of"), asking(), caller=calling())
    assert found.unknown == frozenset()
    assert found.inputs.at(["employee"]).own == "personal", "the called run gives on what it was given"


def test_classes_go_through_several_calls() -> None:
    """What is said at the bottom is known at the top."""
    middle = calling("middle", outputs={"why": "$.outputs.step.why"}, inputs={"who": {"type": "string"}}, nodes={
        "step": {"type": "control.call", "call": {"workflow_id": "absence", "version": "v1"},
                 "inputs": {"who": "$.inputs.who"}}, **ENDS,
    })  # fmt: skip
    found = classes(personal("absence.words", "absence.who"), asking(), middle, caller=calling(of="middle"))
    assert found.outputs.at(["told"]).own == found.inputs.at(["employee"]).own == "personal"


def test_what_nobody_says_of_a_call_has_the_highest_class() -> None:
    """As of a Type of which nothing is known."""
    found = classes_of(calling(), CATALOG, personal("leave.employee"))
    assert found.gives["step"].at(["why"]).own == "personal"


@pytest.mark.parametrize(
    ("field", "words"),
    [("leave__employee", NAME), ("absence__who", NAME), ("absence__words", REASON), ("leave__told", REASON)],
)
def test_what_is_deleted_is_nowhere_in_clear(tmp_path: Path, field: str, words: str) -> None:
    """Whichever of the workflows says that it is personal: no table, no file, no event of either run holds it."""
    host = plant(tmp_path, **{field: True})
    execution = done(host)
    runs = [execution, *called(host, execution)]
    with host.workspace.transaction() as connection:
        chain = str([one.body for one in audit.events(connection, as_stored=True)])
    assert words not in chain and in_tables(host, words) >= {"personal", "executions"}
    assert words not in json.dumps([one.body for one in exported(host)], ensure_ascii=False)
    for one in runs:
        assert replay(host, one).differences == ()
        assert words not in json.dumps(explain(host, one, NOBODY), ensure_ascii=False)
    assert forget(host, user(host, "wen"), execution).values
    assert in_tables(host, words) == set()
    for one in runs:
        with pytest.raises(ValuesDeleted):
            replay(host, one)
        assert explain(host, one)["deleted_at"]
    heads = host.workspace.heads.read_text("utf-8") if host.workspace.heads.is_file() else ""
    with host.workspace.transaction() as connection:
        assert audit.verify(connection, heads, host.workspace.key.public) == []
    host.workspace.database.close()
    assert files_with(tmp_path, words) == []


def test_a_called_run_is_deleted_with_its_caller(tmp_path: Path) -> None:
    """By itself it is refused, since its caller holds the values too; while it goes on, the caller is."""
    host = plant(tmp_path, leave__employee=True)
    execution = begun(host)
    (child,) = called(host, execution)
    steer(host, user(host, "li"), execution, "cancel")
    with pytest.raises(CalledRun, match=f"{execution} called {child}"):
        forget(host, user(host, "wen"), child)
    advance(host, execution)
    with pytest.raises(NotEnded, match=child):
        forget(host, user(host, "wen"), execution)
    gone_on(host, execution)
    assert forget(host, user(host, "wen"), execution).values and in_tables(host, NAME) == set()


def test_values_of_called_runs_are_kept_no_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the caller has none of its own: both go once the caller ended long ago."""
    host = plant(tmp_path, absence__words=True)
    published(host, calling("plain", outputs={"who": "$.outputs.step.of"}))
    execution = done(host, "plain")
    keeping = replace(host, privacy=replace(host.privacy, keep_personal="P3Y"))
    assert retain(keeping).forgotten == ()
    monkeypatch.setattr("runtime.forget.now", lambda: "2999-01-01T00:00:00.000000+00:00")
    assert [one.execution for one in retain(keeping).forgotten] == [execution]
    assert retain(keeping).forgotten == () and in_tables(host, REASON) == set()
    assert now_of(host, child_id(execution, "step")).progress.deleted_at


def test_a_task_of_a_called_run_hides_what_the_caller_says(tmp_path: Path) -> None:
    """Though its own workflow says nothing of it."""
    host = plant(tmp_path, leave__employee=True)
    (child,) = called(host, begun(host))
    (task,) = open_tasks(host, child)
    assert task_seen(host, task, NOBODY).shown["inputs"] == {"who": {"masked": "personal"}}


def test_a_value_of_a_called_run_that_stands_elsewhere_in_clear_stops_it(tmp_path: Path) -> None:
    """A person repeats it in a field that nobody calls personal; the caller tells it, and nothing is deleted."""
    fields = {"words": {"type": "string"}, "also": {"type": "string"}}
    ask = {"type": "human.input", "assignee": "approver", "question": "Why?", "requested_fields": fields}
    host = replace(host_in(tmp_path, Recorded({})), privacy=personal("absence.words"))
    published(host, asking(nodes={"ask": ask, **ENDS}, outputs={"also": "$.outputs.ask.also"}))
    published(host, calling("repeating", outputs={"told": "$.outputs.step.also"}))
    execution = begun(host, "repeating")
    (task,) = open_tasks(host, child_id(execution, "step"))
    answer(host, user(host, "zhao"), task.id, {"words": REASON, "also": f"he was {REASON}"}, task.digest)
    gone_on(host, execution)
    with pytest.raises(UnsealedValues, match=r"outputs\.told|output\.also"):
        forget(host, user(host, "wen"), execution)
    assert REASON in str(explain(host, execution))


def test_a_misspelt_field_of_what_is_called_stops_a_run(tmp_path: Path) -> None:
    """Before it begins, as one of its own does."""
    host = plant(tmp_path, absence__wrds=True)
    with pytest.raises(BadSetting, match=r'no version of absence has "absence\.wrds"'):
        begun(host)
