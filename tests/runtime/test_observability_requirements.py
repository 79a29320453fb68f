"""OBS-1 to OBS-10 of the requirements, a test named after each."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hazmat import CASE, INPUTS, NOT_FILED, gold, scenario
from plant import CATALOG, Recorded, host_in, open_tasks, played, published, user

from ir.base import canonical_json
from ir.walk import walk
from ir.workflow import NodePolicy
from registry.versions import version_of
from runtime.advance import advance
from runtime.commands import answer, begin
from runtime.executions import execution_of
from runtime.executors.contract import ExecutorFault
from runtime.forms import Execution
from runtime.host import Host
from runtime.metrics import metrics
from runtime.telling import explain, replay
from runtime.tracing import spans_of
from store import audit
from store.tables import AUDIT
from store.workspace import find_workspace

ID = "transport-compliance"
DOWN = ExecutorFault("SYSTEM_UNAVAILABLE", "down", passing=True, made=False)
PATH = ["identify", "level", "mode_check", "filing", "summary", "approve", "done"]


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


def ended(host: Host) -> Execution:
    """A run that ended."""
    return played(host, host.version(ID, 1), scenario(NOT_FILED))


def told_of(host: Host, execution: str) -> list[audit.Event]:
    """What the audit tells of an execution."""
    with host.workspace.transaction() as connection:
        return [*audit.events(connection, execution)]


def test_obs_1_the_trace_has_outputs_choices_errors_and_people(host: Host, recorded: Recorded) -> None:
    """Of each node what it gave and which way was taken by what; who answered what; the code of what failed."""
    told = told_of(host, ended(host).id)
    nodes = {one.body["node"]: one for one in told if one.kind == "node-succeeded"}
    assert [*nodes] == PATH[:-1]
    assert nodes["level"].body["output"]["hazard_level"] == 2
    edges = gold().edges
    for name, target in pairwise(PATH):
        (taken,) = nodes[name].body["took"]
        assert (edges[taken].source, edges[taken].target) == (name, target)
    assert (nodes["approve"].principal, nodes["approve"].body["answered_by"]) == ("wen", "wen")
    recorded.gives["level"] = {"$error": "NO_TABLE"}
    failed = advance(host, begin(host, user(host, "li"), ID, 1, INPUTS).id)
    told = told_of(host, failed.id)
    assert [(one.body["node"], one.body["error"]) for one in told if one.kind == "node-failed"] == [
        ("level", "NO_TABLE")
    ]
    assert failed.id in {span.name.split()[-1] for span in spans_of(failed.id, told)} or spans_of(failed.id, told)


def test_obs_2_path_and_evidence_are_restored_from_the_id(host: Host, recorded: Recorded) -> None:
    """By another process, from the record alone: the path, the outputs and the words that they rest on."""
    run = ended(host)
    asked = len(recorded.calls)
    found = replay(Host(find_workspace(host.workspace.folder.parent), CATALOG, host.executors), run.id)
    assert [*found.walk.path] == PATH and found.differences == ()
    quotes = [one.quote for one in found.walk.result.evidence]
    assert quotes and {*quotes} <= {*explain(host, run.id)["because"]}
    assert len(recorded.calls) == asked


def test_obs_3_figures_of_runs(host: Host, recorded: Recorded) -> None:
    """Success, people, rules, systems and time, of two runs that ended well and one that failed."""
    for _ in range(2):
        ended(host)
    recorded.gives["filing"] = {"$error": "NO_FILE"}
    advance(host, begin(host, user(host, "li"), ID, 1, INPUTS).id)
    told = metrics(host)
    assert (told.success_rate, told.human_rate) == (round(2 / 3, 4), round(2 / 3, 4))
    assert told.rules.applied == 3 and told.rules.hit_rate == 0.0
    assert told.systems["io.check_filing_status"].failure_rate == round(1 / 3, 4)
    assert told.seconds.count == 3 and told.seconds.few is not None


def test_obs_4_an_explanation_is_made_of_result_and_evidence(host: Host) -> None:
    """Verdict, reason, what is missing and advice, with the words of the document; the same each time."""
    run = ended(host).id
    told = explain(host, run)
    assert told == explain(host, run)
    for words in ("不合规", "原因", "备案缺失", "建议"):
        assert words in told["text"]
    document = (CASE / "source" / "policy.txt").read_text("utf-8")
    assert told["because"] and [quote for quote in told["because"] if quote not in document] == []


def test_obs_5_the_audit_says_why_a_person_was_needed(host: Host) -> None:
    """Which role, for what, about what was shown; the document's words for it stand in the explanation."""
    run = ended(host).id
    (opened,) = (one.body for one in told_of(host, run) if one.kind == "task-opened")
    assert (opened["kind"], opened["node"], opened["roles"]) == ("approval", "approve", ["安全总监"])
    told = explain(host, run)
    assert [(one["node"], one["by"]) for one in told["people"]] == [("approve", "wen")] and told["people"][0]["why"]
    (step,) = (one for one in told["steps"] if one["node"] == "approve")
    assert "判定结论形成后，应当报安全总监审批" in step["words"]


@pytest.mark.parametrize(
    ("fault", "policy", "why"),
    [
        (DOWN, NodePolicy(idempotent=False), "it must not be done twice"),
        (ExecutorFault("NO_SUCH_SHIPMENT", "wrong", passing=False, made=False), NodePolicy(), "pass"),
    ],
    ids=["not idempotent", "not passing"],
)
def test_obs_6_the_audit_says_why_nothing_was_tried_again(
    tmp_path: Path, fault: ExecutorFault, policy: NodePolicy, why: str
) -> None:
    """With the code of the fault; the explanation tells it too."""
    workflow = gold()
    filing = workflow.nodes["filing"].model_copy(update={"policy": policy})
    host = host_in(tmp_path, Recorded({**scenario(NOT_FILED).outputs, "filing": [fault, fault]}))
    published(host, workflow.model_copy(update={"nodes": {**workflow.nodes, "filing": filing}}))
    run = advance(host, begin(host, user(host, "li"), ID, 1, INPUTS).id)
    (told,) = (one.body for one in told_of(host, run.id) if one.kind == "not-retried")
    assert (told["node"], told["code"]) == ("filing", fault.code) and why in told["why"]
    assert explain(host, run.id)["not_retried"] == [{"node": "filing", "why": told["why"]}]


def test_obs_7_each_node_has_events_and_a_state_that_is_kept(host: Host) -> None:
    """At each stop another process finds what was done so far, and goes on from there."""
    run = begin(host, user(host, "li"), ID, 1, INPUTS).id
    advance(host, run)
    other = Host(find_workspace(host.workspace.folder.parent), CATALOG, host.executors)
    with other.workspace.transaction() as connection:
        kept = execution_of(connection, run)
    assert [one.node for one in kept.progress.run.taken] == PATH[:5]
    (task,) = open_tasks(other, run)
    answer(other, user(other, "wen"), task.id, {"approved": True}, task.digest)
    assert advance(other, run).status == "completed"
    done = [one.body["node"] for one in told_of(host, run) if one.kind == "node-succeeded"]
    assert done == PATH[:-1]


def test_obs_8_the_workflow_is_restored_from_what_is_kept(host: Host) -> None:
    """The definition by the digest that the run began with; walked with the record, it goes the same way."""
    run = ended(host).id
    told = told_of(host, run)
    began = told[0].body
    number = int(began["workflow"].rpartition("@v")[2])
    with find_workspace(host.workspace.folder.parent).transaction() as connection:
        version = version_of(connection, ID, number)
    assert version.digest == began["digest"]
    outputs: dict[str, Any] = {one.body["node"]: one.body["output"] for one in told if one.kind == "node-succeeded"}
    found = walk(version.definition, began["inputs"], outputs)
    assert [*found.path] == PATH
    assert canonical_json(dict(found.result.outputs)) == canonical_json(told[-1].body["outputs"])


@pytest.mark.parametrize(("mode", "filed"), [("公路", True), ("航空", False)])
def test_obs_9_references_to_evidence_resolve_in_the_trace(host: Host, mode: str, filed: bool) -> None:
    """To what the node gave; what a node that was not walked would have given is no ground."""
    run = begin(host, user(host, "li"), ID, 1, {**INPUTS, "transport_mode": mode}).id
    advance(host, run)
    for task in open_tasks(host, run):
        answer(host, user(host, "wen"), task.id, {"approved": True}, task.digest)
    assert advance(host, run).status == "completed"
    gave = {one.body["node"]: one.body["output"] for one in told_of(host, run) if one.kind == "node-succeeded"}
    grounds = {one["ref"]: one for one in explain(host, run)["grounds"]}
    assert ("$.outputs.filing.evidence" in grounds) is filed
    for ref, ground in grounds.items():
        node = ref.split(".")[2]
        assert ground["value"] == gave[node].get("evidence") and ground["words"]


def test_obs_10_a_record_that_was_touched_is_found(host: Host) -> None:
    """Checked by anybody with the public key and a copy of the heads; a replay tells what does not fit any more."""
    run = ended(host).id
    workspace = host.workspace
    with workspace.transaction() as connection:
        audit.write_head(connection, workspace.key, workspace.heads, least=1)
        heads = workspace.heads.read_text("utf-8")
        assert audit.verify(connection, heads, workspace.key.public) == []
        (end,) = (one for one in audit.events(connection, run) if one.kind == "ended")
        changed = canonical_json({**end.body, "end": "rejected"})
        connection.execute(AUDIT.update().where(AUDIT.c.sequence == end.sequence).values(body=changed))
        faults = audit.verify(connection, heads, workspace.key.public)
    assert ("event-changed", end.sequence) in {(one.code, one.sequence) for one in faults}
    assert replay(host, run).differences == ("end: rejected was recorded, completed is found now",)
