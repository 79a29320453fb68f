"""What may not happen while something runs, each tried: the issue's list, with what keeps it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import CATALOG, Recorded, host_in, now_of, published, user

from ir.codec import read_workflow, write_json
from ir.workflow import NodePolicy, Workflow
from registry.errors import NotPublishable, Tampered
from registry.versions import publish, review, submit
from runtime.advance import advance
from runtime.commands import begin
from runtime.errors import NotPublished
from runtime.executors.contract import ExecutorFault
from runtime.host import Host
from store.tables import VERSIONS

ID = "transport-compliance"
FORBIDDEN = Path(__file__).resolve().parents[2] / "fixtures" / "forbidden"


def plant(folder: Path, workflow: Workflow | None = None, **gives: Any) -> tuple[Host, Recorded]:
    """The first case, published, with systems that give what its scenario says, or something else."""
    recorded = Recorded({**scenario(NOT_FILED).outputs, **gives})
    host = host_in(folder, recorded)
    published(host, workflow or gold())
    return host, recorded


def anew(host: Host) -> Host:
    """As another process has it, which has read nothing yet."""
    return Host(host.workspace, host.catalog, host.executors)


def tampered_with(host: Host, workflow: Workflow) -> None:
    """Put another definition into the database."""
    with host.workspace.transaction() as connection:
        connection.execute(VERSIONS.update().values(definition=write_json(workflow)))


def test_a_graph_is_not_changed_while_it_runs(tmp_path: Path) -> None:
    """A run that has begun goes no further on a definition that is not the one that was published."""
    host, recorded = plant(tmp_path)
    execution = begin(host, user(host, "li"), ID, 1, INPUTS).id
    edges = tuple(e for e in gold().edges if (e.source, e.target) != ("mode_check", "filing"))
    tampered_with(host, gold().model_copy(update={"edges": edges}))
    with pytest.raises(Tampered):
        advance(anew(host), execution)
    assert recorded.calls == []


def test_a_high_risk_node_does_not_run_without_its_approval(tmp_path: Path) -> None:
    """Taking the approval out of the definition in the database starts nothing."""
    host, recorded = plant(tmp_path)
    nodes = {name: node for name, node in gold().nodes.items() if name != "approve"}
    edges = tuple(
        e.model_copy(update={"target": "done", "condition": e.condition}) if e.target == "approve" else e
        for e in gold().edges
        if e.source != "approve"
    )
    tampered_with(host, gold().model_copy(update={"nodes": nodes, "edges": edges}))
    with pytest.raises(Tampered):
        begin(anew(host), user(host, "li"), ID, 1, INPUTS)
    assert recorded.calls == []


def test_a_type_that_is_not_pinned_is_not_called(tmp_path: Path) -> None:
    """A catalog whose Type gives something else than the pinned one runs nothing."""
    host, recorded = plant(tmp_path)
    execution = begin(host, user(host, "li"), ID, 1, INPUTS).id
    name = "io.check_filing_status"
    other = CATALOG.node_types[name].model_copy(update={"version": "9.0.0"})
    catalog = replace(CATALOG, node_types={**CATALOG.node_types, name: other})
    with pytest.raises(NotPublished, match=f"pinned to {name}"):
        advance(Host(host.workspace, catalog, host.executors), execution)
    assert recorded.calls == []


def test_an_executor_outside_the_allowlist_is_not_called(tmp_path: Path) -> None:
    """The Type asks for a list, and whoever began the run is not on it."""
    recorded = Recorded(scenario(NOT_FILED).outputs)
    host = host_in(tmp_path, recorded, allow=["zhao"])
    published(host, gold())
    execution = begin(host, user(host, "li"), ID, 1, INPUTS).id
    advance(host, execution)
    assert "filing" not in {call.node for call in recorded.calls}
    assert now_of(host, execution).status == "failed"


def test_what_is_not_idempotent_is_not_tried_again(tmp_path: Path) -> None:
    """Whatever the number of attempts that a Type or a policy would allow."""
    workflow = gold()
    filing = workflow.nodes["filing"].model_copy(update={"policy": NodePolicy(idempotent=False)})
    down = ExecutorFault("SYSTEM_UNAVAILABLE", "down", passing=True, made=False)
    changed = workflow.model_copy(update={"nodes": {**workflow.nodes, "filing": filing}})
    host, recorded = plant(tmp_path, changed, filing=[down, down, down])
    execution = begin(host, user(host, "li"), ID, 1, INPUTS).id
    found = advance(host, execution)
    assert [call.node for call in recorded.calls].count("filing") == 1
    assert not found.progress.again_at


@pytest.mark.parametrize("state", ["draft", "review"])
def test_a_draft_is_not_executed(tmp_path: Path, state: str) -> None:
    """Nor what is still in review."""
    host = host_in(tmp_path, Recorded({}))
    submit(host.workspace, user(host, "li"), gold(), CATALOG, "0.1")
    if state == "review":
        review(host.workspace, user(host, "li"), ID, 1)
    with pytest.raises(NotPublished, match=state):
        begin(host, user(host, "li"), ID, 1, INPUTS)


def test_what_a_model_gives_steers_no_branch_unconfirmed(tmp_path: Path) -> None:
    """Such a workflow is not published."""
    host = host_in(tmp_path, Recorded({}))
    steered, faults = read_workflow((FORBIDDEN / "DSL-29_model_steers.json").read_bytes())
    assert steered is not None, faults
    submit(host.workspace, user(host, "li"), steered, CATALOG, "0.1")
    review(host.workspace, user(host, "li"), steered.workflow_id, 1)
    with pytest.raises(NotPublishable, match="model-steered-branch"):
        publish(host.workspace, user(host, "wen"), steered.workflow_id, 1, CATALOG, host.executors.bind)
