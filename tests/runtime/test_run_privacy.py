"""Classes of fields, masking, and the deletion of personal values with the chain left whole (GOV-3)."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import CATALOG, Recorded, host_in, now_of, open_tasks, published, until, user
from pydantic import JsonValue

from ir.errors import BadSetting
from runtime.advance import advance
from runtime.batches.outcomes import row_of
from runtime.commands import answer, begin, steer
from runtime.errors import NotEnded, UnsealedValues, ValuesDeleted
from runtime.executors.contract import Call, ExecutorFault
from runtime.exporting import exported
from runtime.forget import forget, retain
from runtime.host import Host
from runtime.privacy.classes import classes_of
from runtime.privacy.settings import NOBODY, Privacy, privacy_from
from runtime.telling import explain, replay, what_if
from runtime.veil import task_seen
from runtime.worker import Worker
from store import audit, personal
from store.database import MIGRATIONS, Database
from store.errors import NotAllowed
from store.tables import PERSONAL
from store.users import User

ID, SECRET, OTHER = "transport-compliance", "王小明-4711", "乙方仓库-0815"
GIVEN = {**INPUTS, "shipment_id": SECRET}
PRIVATE = Privacy(
    concepts={"shipment_id": "personal", "quantity_kg": "confidential"}, fields={f"{ID}.filing.evidence": "internal"}
)


class Repeating(Recorded):
    """Gives what is recorded; the filing system repeats whose shipment it is in a field that is not of that concept."""

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """What is recorded for the node."""
        given = super().carry_out(call)
        if call.node == "filing":
            evidence = cast("dict[str, JsonValue]", given["evidence"])
            given["evidence"] = {**evidence, "query_ref": f"asked for {call.inputs['shipment_id']}"}
        return given


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """The first case, where whose shipment it is says who somebody is."""
    found = replace(host_in(tmp_path, Repeating(scenario(NOT_FILED).outputs)), privacy=PRIVATE)
    published(found, gold())
    return found


def done(host: Host, inputs: dict[str, Any] = GIVEN) -> str:
    """A run that ended."""
    found = begin(host, user(host, "li"), ID, 1, inputs)
    advance(host, found.id)
    for task in open_tasks(host, found.id):
        given = {"approved": True, "comment": f"{inputs['shipment_id']} is fine"}
        answer(host, user(host, "wen"), task.id, given, task.digest)
    assert advance(host, found.id).ended
    return found.id


def faults(host: Host) -> list[str]:
    """What the verification of the audit finds."""
    heads = host.workspace.heads.read_text("utf-8") if host.workspace.heads.is_file() else ""
    with host.workspace.transaction() as connection:
        return [one.message for one in audit.verify(connection, heads, host.workspace.key.public)]


def stored(host: Host, execution: str) -> str:
    """The chain of an execution as it stands in the database."""
    with host.workspace.transaction() as connection:
        told = [one.body for one in audit.events(connection, execution, as_stored=True)]
    return json.dumps(told, ensure_ascii=False)


def files_with(folder: Path, text: str) -> Iterator[Path]:
    """The files that hold a text, as it is or as JSON escapes it."""
    words = {text.encode(), json.dumps(text)[1:-1].encode(), text.encode("utf-16-le")}
    for file in folder.rglob("*"):
        if file.is_file() and any(word in file.read_bytes() for word in words):
            yield file


def test_a_class_comes_from_the_field_then_the_concept_then_the_default() -> None:
    """An input by its concept, an output by its name, what a node is given by what it refers to."""
    found = classes_of(gold(), CATALOG, replace(PRIVATE, fields={f"{ID}.filing.has_filing": "confidential"}))
    assert found.inputs.at(["shipment_id"]).own == "personal"
    assert found.inputs.at(["transport_mode"]).own == "internal"
    assert found.takes["filing"].at(["shipment_id"]).own == "personal"
    assert found.takes["mode_check"].at(["quantity_kg"]).own == "confidential"
    assert found.gives["filing"].at(["has_filing"]).own == "confidential"
    assert found.takes["summary"].at(["filing", "has_filing"]).own == "confidential"
    assert found.of_ref("$.outputs.filing.has_filing").own == "confidential"
    assert found.highest == "personal"


def test_what_is_personal_where_it_is_used_is_so_where_it_comes_from() -> None:
    """A result, and an input of a Type, say it of the output or the input that they refer to; a default does not."""
    found = classes_of(gold(), CATALOG, named("decision_code"))
    assert found.gives["summary"].at(["decision_code"]).own == found.outputs.at(["decision_code"]).own == "personal"
    found = classes_of(gold(), CATALOG, named("evidence_bundle"))
    assert found.highest == "personal" and found.unknown == frozenset()
    one = gold()
    bare = {name: spec.model_copy(update={"concept": None}) for name, spec in one.inputs.items()}
    found = classes_of(one.model_copy(update={"inputs": bare}), CATALOG, Privacy(concepts={"shipment_id": "personal"}))
    assert found.inputs.at(["shipment_id"]).own == "personal" and found.inputs.at(["quantity_kg"]).own == "internal"
    open_ = Privacy(default="confidential", fields={f"{ID}.transport_mode": "public"})
    found = classes_of(one, CATALOG, open_)
    assert (
        found.inputs.at(["transport_mode"]).own == "public" and found.inputs.at(["quantity_kg"]).own == "confidential"
    )


def test_all_that_is_wrong_in_the_settings_is_told_at_once() -> None:
    """Unknown settings, classes, concepts, forms of fields, readers, lengths of time."""
    wrong = {
        "defalt": "internal", "default": "secret", "concepts": {"shipment": "personal"}, "fields": {"shipment_id": "x"},
        "readers": {"public": ["owner"], "personal": "owner"}, "keep_personal": "P5BD",
    }  # fmt: skip
    with pytest.raises(BadSetting) as stopped:
        privacy_from(wrong, CATALOG.concepts)
    told = str(stopped.value)
    for words in ("defalt:", "default is 'secret'", "concepts.shipment:", "fields.shipment_id is 'x'", "WORKFLOW.FIELD",
                  "readers.public:", "readers.personal is 'owner'", "keep_personal is 'P5BD'"):  # fmt: skip
        assert words in told
    with pytest.raises(BadSetting, match="no table"):
        privacy_from("personal", CATALOG.concepts)
    assert privacy_from({"concepts": {"shipment_id": "personal"}}, CATALOG.concepts).default == "internal"


def test_the_chain_holds_no_personal_value_and_every_reader_of_events_has_it(host: Host) -> None:
    """Neither as a field, nor as a copy under another name, nor in what somebody wrote; a replay has them all."""
    execution = done(host)
    assert SECRET not in stored(host, execution) and personal.MARK in stored(host, execution)
    assert replay(host, execution).differences == ()
    with host.workspace.transaction() as connection:
        (began,) = [one for one in audit.events(connection, execution) if one.kind == "began"]
    assert began.body["inputs"] == GIVEN
    assert faults(host) == []


def test_a_value_beside_the_chain_cannot_be_changed_removed_or_added(host: Host) -> None:
    """Each shows in the verification."""
    execution = done(host)
    with host.workspace.transaction() as connection:
        mark = connection.execute(sa.select(PERSONAL.c.mark).limit(1)).scalar_one()
        connection.execute(PERSONAL.update().where(PERSONAL.c.mark == mark).values(value='"somebody else"'))
    assert "is not the one that was recorded" in "".join(faults(host))
    with host.workspace.transaction() as connection:
        connection.execute(PERSONAL.delete().where(PERSONAL.c.mark == mark))
    assert "is gone, and no event tells of it" in "".join(faults(host))
    with host.workspace.transaction() as connection:
        more = {"mark": "hmac-sha256:0", "event": 1, "execution": execution, "salt": "00", "value": "1"}
        connection.execute(PERSONAL.insert().values(more))
    assert "a value is kept for event 1 that it does not hold" in "".join(faults(host))


def test_what_looks_like_a_commitment_is_taken_for_a_value(host: Host) -> None:
    """Somebody who gives one cannot have it told as deleted."""
    forged = {personal.MARK: personal.BY + "0"}
    with host.workspace.transaction() as connection:
        audit.append(connection, "told", "li", {"given": [forged]}, "e-0")
    with host.workspace.transaction() as connection:
        (event,) = audit.events(connection, "e-0")
    assert event.body == {"given": [forged]} and faults(host) == []


def test_what_is_hidden_is_masked_for_readers_without_the_role(host: Host) -> None:
    """Personal values for an operator, confidential ones as well for nobody, neither for the owner."""
    execution = done(host)
    bodies = {one.kind: one.body for one in exported(host, execution)}
    assert bodies["began"]["inputs"]["shipment_id"] == {"masked": "personal"}
    assert bodies["began"]["inputs"]["quantity_kg"] == {"masked": "confidential"}
    assert bodies["began"]["inputs"]["substance_name"] == "硫酸"
    assert SECRET not in json.dumps([one.body for one in exported(host)], ensure_ascii=False)
    for reader in (NOBODY, user(host, "li")):
        told = json.dumps(explain(host, execution, reader), ensure_ascii=False)
        assert SECRET not in told and '{"masked": "personal"}' in told
        assert SECRET not in json.dumps(dict(replay(host, execution, reader).outputs), ensure_ascii=False)
    assert SECRET in json.dumps(explain(host, execution, user(host, "wen")), ensure_ascii=False)


def test_roles_are_those_that_are_named(host: Host) -> None:
    """Who owns the workspace reads no more where the settings name somebody else."""
    named = privacy_from({"readers": {"personal": ["dpo"]}}, CATALOG.concepts)
    assert named.hidden_from(user(host, "wen")) == {"personal"}
    assert PRIVATE.hidden_from(user(host, "li")) == {"personal"} and PRIVATE.hidden_from(user(host, "wen")) == set()


def test_each_class_is_hidden_by_itself(host: Host) -> None:
    """Whoever reads the stricter class and not the other sees the one and not the other."""
    readers = {"personal": frozenset({"dpo"}), "confidential": frozenset[str]()}
    other = replace(host, privacy=replace(PRIVATE, readers=readers))
    execution = begin(other, user(host, "li"), ID, 1, GIVEN).id
    advance(other, execution)
    (task,) = open_tasks(host, execution)
    shown = task_seen(other, task, User("ann", frozenset({"dpo"}))).shown
    assert shown["inputs"] == {**GIVEN, "quantity_kg": {"masked": "confidential"}}


def test_a_task_is_shown_whole_to_who_may_answer_it(host: Host) -> None:
    """Others see what is not hidden from them."""
    found = begin(host, user(host, "li"), ID, 1, GIVEN)
    advance(host, found.id)
    (task,) = open_tasks(host, found.id)
    assert task_seen(host, task, user(host, "wen")).shown["inputs"] == GIVEN
    others = task_seen(host, task, user(host, "li")).shown
    assert others["inputs"] == {**GIVEN, "shipment_id": {"masked": "personal"}}
    assert SECRET not in json.dumps(others, ensure_ascii=False)
    assert task_seen(host, task, NOBODY).digest == "" and task_seen(host, task, user(host, "wen")).digest


def test_an_unmasked_export_takes_the_roles_and_is_told(host: Host) -> None:
    """An operator may not; the owner may, and the audit says so."""
    execution = done(host)
    with pytest.raises(NotAllowed, match="personal: owner"):
        exported(host, unmasked_for=user(host, "li"))
    assert SECRET in str(exported(host, execution, unmasked_for=user(host, "wen")))
    last = exported(host)[-1]
    assert (last.kind, last.principal, last.body) == ("exported-unmasked", "wen", {"execution": execution})


def test_forgetting_leaves_the_chain_whole_and_nothing_in_any_file(host: Host, tmp_path: Path) -> None:
    """Values and salts are gone from database, log and engine; what is not personal, and another run's, stay."""
    execution, other = done(host), done(host, {**INPUTS, "shipment_id": OTHER})
    assert [*files_with(tmp_path, SECRET)] and [*files_with(tmp_path, OTHER)]
    hashes = [one.hash for one in exported(host)]
    count = forget(host, user(host, "wen"), execution, "the person asked").values
    host.workspace.database.close()
    assert count > 5 and [*files_with(tmp_path, SECRET)] == [] and [*files_with(tmp_path, OTHER)]
    assert faults(host) == []
    events = exported(host)
    assert [one.hash for one in events][:-1] == hashes
    assert (events[-1].kind, events[-1].execution, events[-1].principal) == ("personal-deleted", execution, "wen")
    assert events[-1].body["values"] == count
    began = next(one.body["inputs"] for one in events if one.execution == execution and one.kind == "began")
    assert began["shipment_id"] == {"deleted": "personal"} and began["substance_name"] == "硫酸"
    assert replay(host, other).differences == ()


def test_what_is_told_of_a_forgotten_run(host: Host) -> None:
    """That and when values were deleted, the path and the end; a replay and a what-if stop, a second time says so."""
    execution = done(host)
    before, row = explain(host, execution), row_of(host, "1", now_of(host, execution))
    at = forget(host, user(host, "wen"), execution).at
    told = explain(host, execution, user(host, "wen"))
    assert told["deleted_at"] == at and at in told["text"]
    for name in ("status", "answer", "reason_code"):
        assert told[name] == before[name]
    assert {one["node"]: one["state"] for one in told["steps"]} == {
        one["node"]: one["state"] for one in before["steps"]
    }
    assert set(before["because"]) <= set(told["because"])
    after = row_of(host, "1", now_of(host, execution))
    assert (after.status, after.outcome, after.path, after.code) == (row.status, row.outcome, row.path, row.code)
    assert at in after.reason
    for doing in (
        lambda: replay(host, execution),
        lambda: what_if(host, execution, {}),
        lambda: forget(host, user(host, "wen"), execution),
    ):
        with pytest.raises(ValuesDeleted, match=f"were deleted at {at.replace('+', '.')}"):
            doing()
    assert advance(host, execution).status == before["status"]


def test_only_the_owner_forgets_and_only_what_ended(host: Host) -> None:
    """A run that goes on is refused; one that was called off is not."""
    found = begin(host, user(host, "li"), ID, 1, GIVEN)
    advance(host, found.id)
    with pytest.raises(NotEnded, match="waiting_human"):
        forget(host, user(host, "wen"), found.id)
    steer(host, user(host, "li"), found.id, "cancel", f"{SECRET} asked for it")
    advance(host, found.id)
    with pytest.raises(NotAllowed):
        forget(host, user(host, "zhao"), found.id)
    assert forget(host, user(host, "wen"), found.id).values
    host.workspace.database.close()
    assert [*files_with(host.workspace.folder, SECRET)] == [] and faults(host) == []
    assert explain(host, found.id)["status"] == "cancelled"


def test_a_failure_that_names_somebody_is_sealed_too(tmp_path: Path) -> None:
    """What a system said of a failure may hold a value in words of its own."""
    failing = {**scenario(NOT_FILED).outputs, "filing": ExecutorFault("REFUSED", f"no permit for Mr W of {SECRET}")}
    host = replace(host_in(tmp_path, Recorded(failing)), privacy=PRIVATE)
    published(host, gold())
    found = begin(host, user(host, "li"), ID, 1, GIVEN)
    advance(host, found.id)
    assert "Mr W" not in stored(host, found.id)
    assert "Mr W" not in json.dumps(explain(host, found.id, NOBODY), ensure_ascii=False)
    assert "Mr W" in json.dumps(explain(host, found.id, user(host, "wen")), ensure_ascii=False)


def test_what_was_written_before_the_settings_is_refused(host: Host) -> None:
    """The chain tells it in clear and cannot be changed; nothing is deleted then."""
    before = Host(host.workspace, host.catalog, host.executors)
    execution = done(before)
    assert SECRET in stored(host, execution)
    with pytest.raises(UnsealedValues, match=r"inputs\.shipment_id"):
        forget(host, user(host, "wen"), execution)
    assert forget(before, user(host, "wen"), execution).values == 0
    assert replay(host, execution).differences == ()


def test_values_are_kept_as_long_as_the_settings_say(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that ended earlier are forgotten by flowc, the others are not."""
    execution = done(host)
    keeping = replace(host, privacy=replace(PRIVATE, keep_personal="P3Y"))
    assert retain(keeping).forgotten == () and retain(host).forgotten == ()
    monkeypatch.setattr("runtime.forget.now", lambda: "2999-01-01T00:00:00.000000+00:00")
    assert [one.execution for one in retain(keeping).forgotten] == [execution]
    assert retain(keeping).forgotten == () and faults(host) == []
    assert exported(host)[-1].principal == "flowc" and exported(host)[-1].body["because"] == "kept for P3Y"


def test_a_worker_deletes_what_was_kept_long_enough(host: Host) -> None:
    """Once it starts, and each hour from then on."""
    execution = done(host)
    with Worker(replace(host, privacy=replace(PRIVATE, keep_personal="P0D"))):
        until(lambda: now_of(host, execution).progress.deleted_at is not None)
    assert faults(host) == []


def test_a_field_that_no_version_has_stops_a_run(host: Host) -> None:
    """It is misspelt, and its values would be left unprotected; one that another version has is not."""
    odd = replace(host, privacy=replace(PRIVATE, fields={f"{ID}.filling.evidence": "personal", "other.x": "personal"}))
    with pytest.raises(BadSetting, match=r'no version of transport-compliance has "transport-compliance\.filling'):
        begin(odd, user(host, "li"), ID, 1, GIVEN)
    one = gold()
    fewer = {name: spec for name, spec in one.inputs.items() if name != "shipment_id"}
    assert classes_of(one.model_copy(update={"inputs": fewer}), CATALOG, named("shipment_id")).unknown == frozenset()
    assert classes_of(one, CATALOG, named("shipment")).unknown == {"shipment"}
    assert begin(replace(host, privacy=named("shipment_id")), user(host, "li"), ID, 1, GIVEN).status == "pending"


def named(field: str) -> Privacy:
    """One field of the first case that is personal."""
    return Privacy(fields={f"{ID}.{field}": "personal"})


def test_a_database_without_the_table_is_upgraded(tmp_path: Path) -> None:
    """One of the first revision has the table of personal values after it is opened."""
    database = Database(f"sqlite:///{tmp_path / 'old.db'}")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with database.engine.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        PERSONAL.drop(connection)
        connection.commit()
    database.upgrade()
    assert "personal" in sa.inspect(database.engine).get_table_names()
