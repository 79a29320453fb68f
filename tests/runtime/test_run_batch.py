"""A run for each row of a table: what is told of each, and what a batch that was ended finds again."""

import csv
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import Recorded, host_in, open_tasks, published, until, user

from ir.codec import read_workflow
from ir.errors import BadInputFile, BadSetting
from ir.workflow import NodePolicy, Workflow
from registry.versions import deprecate
from runtime.advance import advance
from runtime.batches.batch import Batch, counts, open_batch, run_batch
from runtime.batches.outcomes import BatchRow, stages
from runtime.batches.rows import InputRow, read_rows
from runtime.commands import answer, steer
from runtime.errors import BadInputs
from runtime.executors.contract import ExecutorFault
from runtime.forms import Execution
from runtime.host import Host
from store import audit
from store.errors import DatabaseUnavailable, NotAllowed
from store.users import add_user

ID = "transport-compliance"
HEAD = "id,shipment_id,substance_name,quantity_kg,transport_mode\n"
ROWS = HEAD + "a,007,硫酸,5000,公路\nb,S-2,硫酸,10.5,公路\nc,S-3,硫酸,much,公路\nd,S-4,,1,公路\n"


@pytest.fixture
def recorded() -> Recorded:
    """What the systems give where nothing is filed."""
    return Recorded(dict(scenario(NOT_FILED).outputs))


@pytest.fixture
def host(tmp_path: Path, recorded: Recorded) -> Host:
    """The first case, published."""
    found = host_in(tmp_path, recorded)
    published(found, gold())
    return found


def opened(host: Host, tmp_path: Path) -> Batch:
    """The batch in the folder of the test."""
    return open_batch(host, user(host, "li"), tmp_path / "out", ID, None)


def rows_of(tmp_path: Path, text: str, name: str = "rows.csv") -> list[InputRow]:
    """The rows of a table that holds this."""
    (tmp_path / name).write_text(text, "utf-8")
    return read_rows(tmp_path / name, gold())


def ran(host: Host, tmp_path: Path, text: str = ROWS, name: str = "rows.csv") -> dict[str, BatchRow]:
    """A batch of a table, by the names of its rows."""
    rows = rows_of(tmp_path, text, name)
    found = run_batch(host, user(host, "li"), opened(host, tmp_path), rows, lambda one: advance(host, one))
    assert table(tmp_path) == [written(one) for one in found]
    return {one.id: one for one in found}


def table(tmp_path: Path) -> list[dict[str, str]]:
    """The table that a batch wrote."""
    with (tmp_path / "out" / "outcomes.csv").open(encoding="utf-8", newline="") as lines:
        return [*csv.DictReader(lines, strict=True)]


def written(row: BatchRow) -> dict[str, str]:
    """A row as the table has it."""
    return {name: "" if value is None else str(value) for name, value in row.model_dump().items()}


def begun(host: Host) -> list[str]:
    """The runs that began."""
    with host.workspace.transaction() as connection:
        return [str(one.execution) for one in audit.events(connection) if one.kind == "began"]


def approve(host: Host, run: str | None, approved: bool) -> None:
    """Answer the approval that a run waits for."""
    assert run is not None
    (task,) = open_tasks(host, run)
    answer(host, user(host, "wen"), task.id, {"approved": approved}, task.digest)


def test_each_row_has_a_run_or_a_reason(host: Host, tmp_path: Path, recorded: Recorded) -> None:
    """Values are read by their fields; a row that no run takes is refused with its code, and ends nothing."""
    found = ran(host, tmp_path)
    assert [(one.id, one.status, one.outcome, one.code) for one in found.values()] == [
        ("a", "waiting", "unsure", None),
        ("b", "waiting", "unsure", None),
        ("c", "refused", "unsure", "bad-inputs"),
        ("d", "refused", "unsure", "bad-inputs"),
    ]
    assert "quantity_kg: it takes number" in found["c"].reason and "substance_name: missing" in found["d"].reason
    assert (
        found["a"].asks.startswith("安全总监: 请核对")
        and open_tasks(host, str(found["a"].run))[0].id in found["a"].asks
    )
    assert found["a"].path == "identify level mode_check filing summary"
    assert [call.inputs["shipment_id"] for call in recorded.calls if call.node == "filing"] == ["007", "S-2"]
    assert counts(found.values()) == {"pass": 0, "fail": 0, "unsure": 4, "waiting": 2, "refused": 2, "changed": 0}


def test_a_row_that_lacks_an_input_waits_for_it_where_that_is_wanted(host: Host, tmp_path: Path) -> None:
    """One that holds something else than an input takes is refused all the same."""
    rows = rows_of(tmp_path, ROWS)
    batch = opened(host, tmp_path)
    found = run_batch(host, user(host, "li"), batch, rows, lambda one: advance(host, one), ask=True)
    assert [one.status for one in found] == ["waiting", "waiting", "refused", "waiting"]
    (task,) = open_tasks(host, str(found[3].run))
    assert (task.kind, [*task.fields]) == ("start", ["substance_name"])
    answer(host, user(host, "li"), task.id, {"substance_name": "硫酸"})
    again = run_batch(host, user(host, "li"), batch, rows, lambda one: advance(host, one), ask=True)
    assert [one.run for one in again] == [one.run for one in found]
    assert again[3].asks.startswith("安全总监: 请核对")


def test_called_again_it_begins_none_twice_and_looks_at_what_waited(host: Host, tmp_path: Path) -> None:
    """A row that was mended begins, an approved one passes, a refused one fails with the end's code and words."""
    first = ran(host, tmp_path)
    approve(host, first["a"].run, True)
    approve(host, first["b"].run, False)
    again = ran(host, tmp_path, ROWS.replace("much", "3"))
    assert [(one.status, one.outcome, one.code) for one in again.values()] == [
        ("completed", "pass", None),
        ("rejected", "fail", "APPROVAL_REFUSED"),
        ("waiting", "unsure", None),
        ("refused", "unsure", "bad-inputs"),
    ]
    assert [again[name].run for name in "ab"] == [first[name].run for name in "ab"]
    assert sorted(begun(host)) == sorted(str(again[name].run) for name in "abc")
    assert again["a"].path.split()[-2:] == ["approve", "done"] and again["a"].reason
    assert ran(host, tmp_path, ROWS.replace("much", "3")) == again


def test_a_changed_row_is_told_and_begins_nothing(host: Host, tmp_path: Path) -> None:
    """Its run went on with other values; changed back it is the same row again."""
    first = ran(host, tmp_path)
    changed = ran(host, tmp_path, ROWS.replace("5000", "6000"))["a"]
    assert (changed.status, changed.outcome, changed.run) == ("changed", "unsure", first["a"].run)
    assert "began with other values" in changed.reason
    assert len(begun(host)) == 2
    assert ran(host, tmp_path)["a"] == first["a"]


def test_another_folder_is_another_batch(host: Host, tmp_path: Path) -> None:
    """The same rows begin runs of their own there; a table that was lost is written anew from the runs."""
    first = ran(host, tmp_path)
    (tmp_path / "out" / "outcomes.csv").unlink()
    assert ran(host, tmp_path) == first
    (tmp_path / "out").rename(tmp_path / "old")
    assert {one.run for one in ran(host, tmp_path).values() if one.run}.isdisjoint(one.run for one in first.values())
    assert len(begun(host)) == 4


def test_interrupted_it_leaves_a_whole_table(host: Host, tmp_path: Path) -> None:
    """What was done is in it, and the rest goes on from there."""
    rows, done = rows_of(tmp_path, ROWS), list[str]()

    def interrupted(one: str) -> Execution:
        if done:
            raise KeyboardInterrupt
        done.append(one)
        return advance(host, one)

    with pytest.raises(KeyboardInterrupt):
        run_batch(host, user(host, "li"), opened(host, tmp_path), rows, interrupted)
    assert {one["id"]: one["run"] for one in table(tmp_path)} == {"a": done[0], "c": "", "d": ""}
    assert ran(host, tmp_path)["a"].run == done[0]
    assert len(begun(host)) == len(set(begun(host))) == 2


SCRIPT = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
import time
import runtime.batches.batch
runtime.batches.batch.AHEAD, runtime.batches.batch.EVERY = 1, 0.0
from hazmat import NOT_FILED, gold, scenario
from plant import CATALOG, Recorded
from runtime.advance import advance
from runtime.batches.batch import open_batch, run_batch
from runtime.batches.rows import read_rows
from runtime.executors.registry import Executors
from runtime.host import Host
from store.workspace import find_workspace

root = Path({root!r})
bound = {{name: {{"kind": "recorded", "allow": ["*"]}} for name in CATALOG.node_types}}
host = Host(find_workspace(root), CATALOG, Executors(bound, {{"recorded": Recorded(scenario(NOT_FILED).outputs)}}))
li = host.workspace.user("li")


def go_on(one):
    time.sleep(0.02)
    return advance(host, one)


run_batch(host, li, open_batch(host, li, root / "out", "transport-compliance", None),
          read_rows(root / "rows.csv", gold()), go_on)
"""


@pytest.mark.slow
def test_killed_it_leaves_a_whole_table_and_begins_none_twice(host: Host, tmp_path: Path) -> None:
    """With `kill -9`, somewhere among the rows; called again each row has one run."""
    text = HEAD + "".join(f"r{number},S-{number},硫酸,{number + 1},公路\n" for number in range(40))
    (tmp_path / "rows.csv").write_text(text, "utf-8")
    script = SCRIPT.format(here=str(Path(__file__).resolve().parent), root=str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", script]) as process:
        until(lambda: (tmp_path / "out" / "outcomes.csv").is_file() and len(table(tmp_path)) >= 5)
        process.kill()
    killed = table(tmp_path)
    assert 5 <= len(killed) < 40 and all(one["run"] and one["status"] == "waiting" for one in killed)
    found = ran(host, tmp_path, text)
    assert {name: one.status for name, one in found.items()} == {f"r{number}": "waiting" for number in range(40)}
    assert {one["id"]: one["run"] for one in killed}.items() <= {name: one.run for name, one in found.items()}.items()
    assert len(begun(host)) == len(set(begun(host))) == 40


def test_json_lines_are_taken_as_they_are(host: Host, tmp_path: Path) -> None:
    """A line that is no object is a refused row under its number; a text is no number, whatever it holds."""
    rows = [
        json.dumps({"id": 7, **INPUTS}),
        "{",
        "[1]",
        json.dumps({**INPUTS, "quantity_kg": "5000"}),
        json.dumps({"id": "x", **INPUTS, "shipment_id": "\ud800"}),
        json.dumps({"id": "y", **INPUTS, "colour": "red"}),
        json.dumps({"id": {}, **INPUTS}),
        json.dumps({"id": "7", **INPUTS}),
    ]
    found = rows_of(tmp_path, "\n".join(rows), "rows.jsonl")
    told = run_batch(host, user(host, "li"), opened(host, tmp_path), found, lambda one: advance(host, one))
    assert [(one.id, one.status, one.code) for one in told] == [
        ("7", "waiting", None),
        ("2", "refused", "bad-input-file"),
        ("3", "refused", "bad-input-file"),
        ("4", "refused", "bad-inputs"),
        ("x", "refused", "bad-inputs"),
        ("y", "refused", "bad-inputs"),
        ("7", "refused", "bad-input-file"),
        ("7", "refused", "bad-inputs"),
    ]
    assert "row 8 has the id of row 1" in told[7].reason and "colour: there is no such field" in told[5].reason
    assert [one["id"] for one in table(tmp_path)] == [one.id for one in told]


@pytest.mark.parametrize(
    ("name", "text", "error", "words"),
    [
        ("rows.csv", "shipment_id,colour\nx,red\n", BadInputs, "colour: no input of the workflow"),
        ("rows.csv", "shipment_id,shipment_id\nx,y\n", BadInputs, "it is there 2 times"),
        ("rows.csv", "shipment_id\n", BadInputFile, "no row"),
        ("rows.csv", "", BadInputFile, "no row"),
        ("rows.jsonl", "\n \n", BadInputFile, "no row"),
        ("rows.xlsx", "x", BadInputFile, "expected a file .csv or .jsonl"),
    ],
)
def test_a_table_that_no_run_could_take_is_refused(
    tmp_path: Path, name: str, text: str, error: type[Exception], words: str
) -> None:
    """Before anything begins, with what is wrong in it."""
    with pytest.raises(error, match=words):
        rows_of(tmp_path, text, name)


def test_other_than_utf8_is_refused(tmp_path: Path) -> None:
    """With the file's name."""
    (tmp_path / "rows.csv").write_bytes(HEAD.encode() + "a,1,硫酸,1,公路\n".encode("gb18030"))
    with pytest.raises(BadInputFile, match=r"rows\.csv: it cannot be read as \.csv in UTF-8"):
        read_rows(tmp_path / "rows.csv", gold())


def test_a_row_of_a_csv_may_lack_cells_and_not_have_more(host: Host, tmp_path: Path) -> None:
    """A mark of order, blank lines and no column `id` are no harm."""
    text = "\ufeff" + HEAD.removeprefix("id,") + "S-1,硫酸,1,公路,more\n\nS-2,硫酸,1\nS-3,硫酸,1,公路\n"
    found = ran(host, tmp_path, text)
    assert [(one.id, one.status, one.code) for one in found.values()] == [
        ("1", "refused", "bad-input-file"),
        ("2", "refused", "bad-inputs"),
        ("3", "waiting", None),
    ]
    assert "transport_mode: missing" in found["2"].reason


def test_a_folder_is_of_one_version(host: Host, tmp_path: Path) -> None:
    """A later version goes to another folder; without a number the batch goes on with its own."""
    ran(host, tmp_path)
    published(host, gold())
    li = user(host, "li")
    assert open_batch(host, li, tmp_path / "out", ID, None).version.number == 1
    assert open_batch(host, li, tmp_path / "new", ID, None).version.number == 2
    for folder, workflow, number in (("out", ID, 2), ("out", "other", None), ("rows.csv", ID, 1)):
        with pytest.raises(BadSetting):
            open_batch(host, li, tmp_path / folder, workflow, number)
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "outcomes.csv").write_text("mine\n", "utf-8")
    with pytest.raises(BadSetting, match="no batch wrote it"):
        open_batch(host, li, tmp_path / "foreign", ID, 1)
    (tmp_path / "out" / "batch.json").write_text("{", "utf-8")
    with pytest.raises(BadInputFile, match="cannot be read as a batch's"):
        open_batch(host, li, tmp_path / "out", ID, 1)


def test_only_an_operator_begins_a_batch(host: Host, tmp_path: Path) -> None:
    """Nothing is written for anybody else."""
    with host.workspace.transaction() as connection:
        add_user(connection, "sun", frozenset({"author"}), "wen")
    with pytest.raises(NotAllowed):
        open_batch(host, user(host, "sun"), tmp_path / "out", ID, 1)
    assert not (tmp_path / "out").exists()


def test_of_a_deprecated_version_no_row_begins_and_what_waits_is_told(host: Host, tmp_path: Path) -> None:
    """Each with the code."""
    first = ran(host, tmp_path, HEAD + "a,1,硫酸,1,公路\n")
    deprecate(host.workspace, user(host, "wen"), ID, 1, "a new law")
    again = ran(
        Host(host.workspace, host.catalog, host.executors), tmp_path, HEAD + "a,1,硫酸,1,公路\nb,1,硫酸,1,公路\n"
    )
    assert again["a"] == first["a"]
    assert (again["b"].status, again["b"].code) == ("refused", "not-published")


def test_a_fault_of_the_environment_ends_the_batch(host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no row's: no row is refused for it."""
    batch, rows = opened(host, tmp_path), rows_of(tmp_path, HEAD + "a,1,硫酸,1,公路\n")

    def unavailable(*_: object, **__: object) -> Execution:
        raise DatabaseUnavailable("the disk is full")

    monkeypatch.setattr("runtime.batches.batch.begin", unavailable)
    with pytest.raises(DatabaseUnavailable):
        run_batch(host, user(host, "li"), batch, rows, lambda one: advance(host, one))
    assert table(tmp_path) == []


@pytest.mark.parametrize(
    ("gives", "status", "outcome", "code"),
    [
        ({"filing": {"$error": "NO_FILE"}}, "failed", "unsure", "NO_FILE"),
        ({"identify": {"is_hazardous": True}}, "failed", "unsure", "BAD_OUTPUT"),
        ({"filing": ExecutorFault("BUSY", "later", passing=True)}, "failed", "unsure", "BUSY"),
    ],
)
def test_a_system_that_fails_decides_nothing(
    host: Host, tmp_path: Path, recorded: Recorded, gives: Mapping[str, Any], status: str, outcome: str, code: str
) -> None:
    """A node that fails without leading on is no end of the workflow: unsure, with the code and the node."""
    recorded.gives = {**recorded.gives, **gives}
    (row,) = ran(host, tmp_path, HEAD + "a,1,硫酸,1,公路\n").values()
    assert (row.status, row.outcome, row.code) == (status, outcome, code)
    assert row.reason.startswith(next(iter(gives)))


def test_what_was_called_off_is_unsure(host: Host, tmp_path: Path) -> None:
    """With who did it and why; a paused one says so."""
    first = ran(host, tmp_path)
    steer(host, user(host, "zhao"), str(first["a"].run), "cancel", "sent by rail")
    steer(host, user(host, "zhao"), str(first["b"].run), "pause")
    found = ran(host, tmp_path)
    assert (found["a"].status, found["a"].outcome, found["a"].code) == ("cancelled", "unsure", "cancelled")
    assert found["a"].reason == "called off by zhao: sent by rail"
    assert (found["b"].status, found["b"].outcome) == ("paused", "unsure")


def small() -> Workflow:
    """A person is asked for a number and a grade, and need give neither."""
    found, faults = read_workflow(json.dumps({
        "dsl_version": "1.0", "workflow_id": "small", "version": "v1", "inputs": {"case": {"type": "string"}},
        "results": {"grade": {"type": "string"}},
        "nodes": {
            "ask": {"type": "human.input", "question": "how many?", "requested_fields": {
                "many": {"type": "number", "required": False, "nullable": True},
                "grade": {"type": "string", "required": False, "nullable": True},
            }},
            "done": {"type": "control.end", "status": "completed", "results": {"grade": "$.outputs.ask.grade"}},
            "few": {"type": "control.end", "status": "rejected", "reason_code": "TOO_FEW"},
        },
        "edges": [
            {"from": "ask", "to": "done", "condition": {"gt": ["$.outputs.ask.many", 1]}},
            {"from": "ask", "to": "few", "condition": {"lte": ["$.outputs.ask.many", 1]}},
        ],
        "execution_policy": {"risk_level": "low"},
    }).encode())  # fmt: skip
    assert found is not None, faults
    return found


def test_what_is_not_known_is_unsure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No way on for want of a value, and an end that completes and lacks a result that every run gives.

    Validation refuses such a workflow now; one may have been published when it did not.
    """
    host = host_in(tmp_path, Recorded())
    monkeypatch.setattr("registry.versions.blockers", lambda *_: iter(()))
    published(host, small())
    (tmp_path / "small.csv").write_text("case\nx\ny\nz\nw\n", "utf-8")
    rows = read_rows(tmp_path / "small.csv", small())
    batch = open_batch(host, user(host, "li"), tmp_path / "out", "small", 1)
    begun = run_batch(host, user(host, "li"), batch, rows, lambda one: advance(host, one))
    for row, given in zip(begun, ({}, {"many": 2}, {"many": 2, "grade": "A"}, {"many": 1}), strict=True):
        (task,) = open_tasks(host, str(row.run))
        answer(host, user(host, "li"), task.id, given)
    found = run_batch(host, user(host, "li"), batch, rows, lambda one: advance(host, one))
    assert [(one.status, one.outcome, one.code, one.reason) for one in found] == [
        ("undecided", "unsure", "undecided", "the way out of ask is open: no value is known of $.outputs.ask.many"),
        ("completed", "unsure", "no-value", "no value is known of grade"),
        ("completed", "pass", None, ""),
        ("rejected", "fail", "TOO_FEW", ""),
    ]


def test_a_call_that_is_made_again_is_waited_for(tmp_path: Path, recorded: Recorded) -> None:
    """As long as there is patience; without any the row says when it is made."""
    busy = ExecutorFault("BUSY", "later", passing=True)
    filing = recorded.gives["filing"]
    recorded.gives = {**recorded.gives, "filing": [busy, busy, filing, filing]}
    host = host_in(tmp_path, recorded)
    node = gold().nodes["filing"].model_copy(update={"policy": NodePolicy(max_attempts=3, backoff="PT1S")})
    published(host, gold().model_copy(update={"nodes": {**gold().nodes, "filing": node}}))
    (row,) = ran(host, tmp_path, HEAD + "a,1,硫酸,1,公路\n").values()
    assert (row.status, row.outcome) == ("running", "unsure") and row.reason.startswith("filing is tried again at 2")
    rows = rows_of(tmp_path, HEAD + "a,1,硫酸,1,公路\n")
    batch = opened(host, tmp_path)
    (found,) = run_batch(host, user(host, "li"), batch, rows, lambda one: advance(host, one), patience=30)
    assert found.status == "waiting" and found.run == row.run
    assert table(tmp_path) == [written(found)]
    assert found.seconds_pauses is not None and found.seconds_pauses > 2


def test_seconds_are_told_by_what_went_on() -> None:
    """Of the record alone: calls, pauses, people and all else, which together are the whole."""
    kinds = [
        ("began", {}), ("call-intended", {"node": "n"}), ("call-answered", {"node": "n"}),
        ("call-delayed", {"node": "n"}), ("call-intended", {"node": "n"}), ("call-answered", {"node": "n"}),
        ("task-opened", {"task": "t"}), ("answered", {"task": "t"}), ("ended", {}),
    ]  # fmt: skip
    at = [0, 1, 3, 3, 7, 15, 16, 48, 49]
    events = [
        audit.Event(number, f"2026-01-01T00:00:{second:02}+00:00", kind, "e", "flowc", body, "", "")
        for number, ((kind, body), second) in enumerate(zip(kinds, at, strict=True), 1)
    ]
    assert stages(events) == {"people": 32.0, "systems": 10.0, "pauses": 4.0, "flowc": 3.0}
