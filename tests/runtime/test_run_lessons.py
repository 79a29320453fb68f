"""What runs teach: told from the record, most frequent first, and nothing is changed by it."""

from pathlib import Path
from typing import Any

import pytest
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import Recorded, bound_in, open_tasks, user
from pydantic import JsonValue

from catalog.node_type import NodeType
from ir.workflow import Node
from registry.errors import UnknownVersion
from registry.versions import publish, review, submit
from runtime.advance import advance
from runtime.commands import answer, begin
from runtime.executors.contract import ExecutorFault
from runtime.executors.registry import MANUAL, Executors
from runtime.host import Host
from runtime.lessons import lessons
from store import audit
from store.workspace import make_workspace

ID = "transport-compliance"
GIVES = scenario(NOT_FILED).outputs
LEVEL = "ontology.lookup_hazard_level"


@pytest.fixture
def recorded() -> Recorded:
    """What the systems give where nothing is filed."""
    return Recorded(dict(GIVES))


@pytest.fixture
def host(tmp_path: Path, recorded: Recorded) -> Host:
    """The first case, published, with the hazard level looked up by hand."""
    found = bound_in(make_workspace(tmp_path), recorded)

    def bind(node: Node, node_type: NodeType | None) -> str | None:
        return MANUAL if node.type == LEVEL else found.executors.bind(node, node_type)

    submit(found.workspace, user(found, "li"), gold(), found.catalog, "0.1")
    review(found.workspace, user(found, "li"), ID, 1)
    publish(found.workspace, user(found, "wen"), ID, 1, found.catalog, bind)
    return found


def run(host: Host, *answers: dict[str, Any], **more: JsonValue) -> str:
    """A run whose tasks are answered so, one after the other."""
    found = begin(host, user(host, "li"), ID, 1, {**INPUTS, **more}).id
    advance(host, found)
    for given in answers:
        (task,) = open_tasks(host, found)
        answer(host, user(host, "wen"), task.id, given, task.digest)
        advance(host, found)
    return found


def level() -> dict[str, Any]:
    """What a person says of the hazard level."""
    return {name: value for name, value in GIVES["level"].items() if name != "evidence"}


def test_nothing_ran_and_nothing_is_taught(host: Host) -> None:
    """But that a Type is done by hand."""
    told = lessons(host)
    assert (told.runs, told.questions, told.stumbles) == (0, (), ())
    assert [(one.type, one.by_hand, one.open) for one in told.types] == [(LEVEL, 0, 0)]


def test_what_people_answered_most_comes_first(host: Host) -> None:
    """By field, with the answer that was given most where it is one of few."""
    for approved in (True, True, False):
        run(host, level(), {"approved": approved, "comment": "names somebody"})
    run(host, level())
    told = lessons(host)
    found = {(one.node, one.field): one for one in told.questions}
    assert told.questions[0].node == "level" and found["level", "hazard_level"].answered == 4
    approved = found["approve", "approved"]
    assert (approved.answered, approved.waiting, approved.kind, approved.versions) == (3, 1, "approval", ("v1",))
    assert (approved.commonest, approved.commonest_times) == (True, 2)
    assert found["approve", "comment"].answered == 3 and found["approve", "comment"].commonest is None
    assert [one.answered for one in told.questions] == sorted((one.answered for one in told.questions), reverse=True)


def test_what_was_missing_at_the_start_is_a_question(host: Host) -> None:
    """Of no node."""
    inputs = {name: value for name, value in INPUTS.items() if name != "shipment_id"}
    found = begin(host, user(host, "li"), ID, 1, inputs, ask=True)
    advance(host, found.id)
    (one,) = lessons(host).questions
    assert (one.node, one.kind, one.field, one.takes, one.answered, one.waiting) == (
        "", "start", "shipment_id", "string", 0, 1,
    )  # fmt: skip


def test_a_type_without_executor_is_told_as_a_requirement(host: Host) -> None:
    """What it takes and gives, where it is used, how often a person did it; and how often nobody could."""
    for _ in range(2):
        run(host, level())
    run(host)
    gone = Executors({name: one for name, one in host.executors.bound.items() if "identify" not in name}, {})
    run(Host(host.workspace, host.catalog, gone))
    found = {one.type: one for one in lessons(host).types}
    assert [*found] == [LEVEL, "ontology.identify_substance"]
    by_hand = found[LEVEL]
    assert (by_hand.by_hand, by_hand.open, by_hand.without) == (2, 1, 0)
    assert by_hand.used_at == (f"{ID}@v1 level",) and by_hand.side_effect is False
    assert by_hand.takes.keys() == host.catalog.node_types[LEVEL].inputs_schema.keys()
    assert by_hand.gives.keys() == host.catalog.node_types[LEVEL].outputs_schema.keys()
    assert by_hand.gives["hazard_level"].startswith("one of 1, 2, 3")
    without = found["ontology.identify_substance"]
    assert (without.by_hand, without.without) == (0, 1)


def test_what_failed_or_was_parked_is_told_with_its_reasons(host: Host, recorded: Recorded) -> None:
    """By node, the worst first."""
    recorded.gives = {**GIVES, "filing": {"$error": "NO_FILE"}}
    for _ in range(2):
        run(host, level())
    recorded.gives = {**GIVES, "identify": ExecutorFault("LOST", "gone", made=True)}
    run(host)
    found = lessons(host).stumbles
    assert [(one.node, one.failed, one.parked) for one in found] == [("filing", 2, 0), ("identify", 1, 0)]
    assert found[0].type == "io.check_filing_status" and found[0].reasons == {"NO_FILE: as recorded": 2}
    assert found[1].reasons == {"LOST: gone": 1}


def test_a_parked_call_is_a_stumble_and_no_question(tmp_path: Path, recorded: Recorded) -> None:
    """What a person says became of it is nothing that a next version could ask."""
    host = bound_in(make_workspace(tmp_path), recorded)
    node = gold().nodes["filing"]
    policy = node.policy.model_copy(update={"idempotent": False})
    workflow = gold().model_copy(
        update={"nodes": {**gold().nodes, "filing": node.model_copy(update={"policy": policy})}}
    )
    submit(host.workspace, user(host, "li"), workflow, host.catalog, "0.1")
    review(host.workspace, user(host, "li"), ID, 1)
    publish(host.workspace, user(host, "wen"), ID, 1, host.catalog, host.executors.bind)
    recorded.gives = {**GIVES, "filing": ExecutorFault("NO_ANSWER", "cut off", made=None)}
    run(host, {"what": "give_up"})
    told = lessons(host)
    assert told.questions == ()
    (one,) = told.stumbles
    assert (one.node, one.failed, one.parked) == ("filing", 1, 1)
    assert set(one.reasons) == {
        "parked: cut off, and it must not be done twice",
        "UNSETTLED: a person gave it up",
    }


def test_of_one_workflow_alone(host: Host) -> None:
    """Another is none of it; one that there is not is refused."""
    run(host, level())
    other = gold().model_copy(update={"workflow_id": "other"})
    submit(host.workspace, user(host, "li"), other, host.catalog, "0.1")
    review(host.workspace, user(host, "li"), "other", 1)
    publish(host.workspace, user(host, "wen"), "other", 1, host.catalog, host.executors.bind)
    assert lessons(host, ID).questions == lessons(host).questions != ()
    assert lessons(host, ID).types[0].used_at == (f"{ID}@v1 level",)
    assert lessons(host).types[0].used_at == ("other@v1 level", f"{ID}@v1 level")
    assert lessons(host, "other").model_dump() == {"runs": 0, "questions": (), "stumbles": (), "types": ()}
    with pytest.raises(UnknownVersion):
        lessons(host, "nothing")


def test_nothing_is_written(host: Host) -> None:
    """The audit is as it was."""
    run(host, level())
    with host.workspace.transaction() as connection:
        before = [*audit.events(connection)]
    lessons(host)
    with host.workspace.transaction() as connection:
        assert [*audit.events(connection)] == before
