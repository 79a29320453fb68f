"""What is told of a run before it begins: C47. Nothing is called, nothing is written."""

from pathlib import Path
from typing import Any

import pytest
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import CATALOG, Recorded, host_in, published
from pydantic import JsonValue

from evals.cases import read_suite
from ir.predicate import Compare, Literally, Ref
from ir.scenario import Scenario
from ir.workflow import CalledWorkflow, Guard, Workflow
from registry.publishable import executors_of
from runtime.dry_run import DryRun, PossiblePath, dry_run, still_bound
from runtime.errors import BadInputs
from runtime.executors.registry import MANUAL, Executors
from validator.analysis.graph import exits
from validator.checks import CheckInput, validate
from validator.runs.routes import Routes
from validator.runs.workflow_analysis import Analysis

FILED = "class 2 by road, filed"
ALL = executors_of(gold(), CATALOG, lambda node, node_type: "http")
SUITE = read_suite(Path(__file__).resolve().parents[2] / "fixtures" / "cases")


def told(inputs: dict[str, JsonValue], outputs: dict[str, Any] | None = None, **more: Any) -> DryRun:
    """A dry run of the first case with all its Types bound."""
    return dry_run(more.pop("workflow", gold()), CATALOG, more.pop("executors", ALL), inputs, outputs, **more)


def ends(found: DryRun) -> list[tuple[str, str | None]]:
    """How its paths end."""
    return [(one.ends, one.reason_code) for one in found.paths]


def by_end(found: DryRun, node: str) -> list[PossiblePath]:
    """The paths that come to a node."""
    return [one for one in found.paths if node in one.nodes]


def test_all_paths_are_told_with_what_each_needs() -> None:
    """Where a person stops it, which inputs it lacks; each has an example that the walk takes so."""
    found = told({})
    assert [*found.missing] == ["shipment_id", "substance_name", "quantity_kg", "transport_mode"]
    assert found.all_told and not found.walked and found.routes == 8
    assert sorted(set(ends(found)), key=str) == [
        ("completed", None),
        ("rejected", "APPROVAL_REFUSED"),
        ("returned", "FACTS_NOT_FOUND"),
        ("returned", "SYSTEM_UNAVAILABLE"),
    ]
    (returned,) = by_end(found, "returned_not_found")
    assert returned.nodes == ("identify", "ask_cas_number", "returned_not_found")
    assert returned.when == (("is_null($.outputs.identify.entity.cas_number)",),)
    assert (returned.missing, returned.nobody, returned.reads) == (("substance_name",), (), ("identify",))
    assert [(one.node, one.kind, [*one.fields]) for one in returned.stops] == [
        ("ask_cas_number", "input", ["cas_number"])
    ]
    (filed,) = [one for one in by_end(found, "done") if "filing" in one.nodes]
    assert filed.missing == ("shipment_id", "substance_name", "quantity_kg", "transport_mode")
    assert [(one.node, one.kind, one.roles) for one in filed.stops] == [("approve", "approval", ("安全总监",))]
    for path in found.paths:
        assert path.example is not None
        walk = path.example.walk(gold())
        assert walk is not None and (walk.path, walk.result.status) == (path.nodes, path.ends)


def test_inputs_leave_out_the_paths_that_they_do_not_lead_to() -> None:
    """Nobody asks for a filing of what goes by rail; what was given is no longer missing."""
    found = told({"transport_mode": "铁路"})
    assert [*found.missing] == ["shipment_id", "substance_name", "quantity_kg"]
    assert len(found.paths) == 3 and not by_end(found, "filing") and found.all_told
    assert all(one.example is not None and one.example.inputs["transport_mode"] == "铁路" for one in found.paths)
    assert by_end(told({**INPUTS}), "filing") and not told({**INPUTS}).missing


def test_with_outputs_it_is_walked_as_a_run_goes() -> None:
    """To the path and the outputs of the scenario; what a person gives among them."""
    for name, compliant in ((NOT_FILED, False), (FILED, True)):
        expected = scenario(name)
        found = told(dict(expected.inputs), expected.outputs)
        (path,) = found.paths
        assert path.nodes == expected.walk(gold()).path and found.walked
        assert found.outputs["compliant"] is compliant
        assert (path.ends, path.missing, found.unknown, found.unrecorded, found.refused) == (
            "completed",
            (),
            (),
            (),
            (),
        )


def test_what_is_not_recorded_is_named() -> None:
    """Where it leaves the way open too; the walk stops there."""
    outputs = {name: one for name, one in scenario(NOT_FILED).outputs.items() if name != "approve"}
    found = told(INPUTS, outputs)
    assert ends(found) == [("undecided", None)]
    assert found.unrecorded == ("approve",) and found.unknown == ("$.outputs.approve.approved",)


def test_what_a_run_would_refuse_is_said() -> None:
    """Of what systems are given and give, and of what people answer."""
    outputs = {**scenario(NOT_FILED).outputs, "level": {"hazard_level": "two"}, "approve": {"approved": "yes"}}
    refused = told(INPUTS, outputs).refused
    assert any(one.startswith("what level gives would fail it: hazard_level") for one in refused)
    refused = told(INPUTS, {**scenario(NOT_FILED).outputs, "approve": {"approved": "yes"}}).refused
    assert refused == ("the answer at approve would be refused: approved: it takes boolean, and was given 'yes'",)
    refused = told({**INPUTS, "substance_name": ""}, {"identify": {"$error": "NOT_FOUND"}}).refused
    assert refused == ()
    without = {name: value for name, value in INPUTS.items() if name != "substance_name"}
    assert (
        told(without, scenario(NOT_FILED).outputs).refused[0].startswith("identify would not be called: substance_name")
    )


def test_who_carries_nodes_out_here_is_told() -> None:
    """A Type that nothing is bound to, and one that a person does by hand: a stop with the form of its outputs."""
    nothing = told({}, executors={})
    assert by_end(nothing, "returned_not_found")[0].nobody == ("ontology.identify_substance",)
    by_hand = told({}, executors={**ALL, "identify": MANUAL})
    (path,) = by_end(by_hand, "returned_not_found")
    assert (path.nobody, path.reads) == ((), ())
    assert [(one.node, one.kind) for one in path.stops] == [("identify", "task"), ("ask_cas_number", "input")]
    assert "is_hazardous" in path.stops[0].fields


def test_a_call_of_another_workflow_is_carried_out_by_a_run() -> None:
    """It is nobody's where nothing says so."""
    call = CalledWorkflow(workflow_id="other", version="v1")
    node = gold().nodes["filing"].model_copy(update={"type": "control.call", "call": call})
    workflow = gold().model_copy(update={"nodes": {**gold().nodes, "filing": node}})
    without = {name: kind for name, kind in ALL.items() if name != "filing"}
    for executors, nobody in ((without, ("control.call",)), (executors_of(workflow, CATALOG, lambda *_: "http"), ())):
        found = told(INPUTS, workflow=workflow, executors=executors)
        assert by_end(found, "filing") and all(one.nobody == nobody for one in by_end(found, "filing"))


def test_what_acts_on_other_systems_is_told_apart() -> None:
    """By the Type: a lookup only asks, a message is sent."""
    nodes = {**gold().nodes, "filing": gold().nodes["filing"].model_copy(update={"type": "notify.email"})}
    found = told(INPUTS, workflow=gold().model_copy(update={"nodes": nodes}))
    assert CATALOG.node_types["notify.email"].capabilities.side_effect
    assert all(("filing" in one.acts) == ("filing" in one.nodes) for one in found.paths)
    assert all("level" in one.reads and "level" not in one.acts for one in by_end(found, "level"))


def test_a_guard_that_does_not_hold_lets_no_run_begin() -> None:
    """It is the only thing that is told."""
    guard = Guard(condition=Compare("gt", Ref("$.inputs.quantity_kg"), Literally(0)), error_code="NOTHING_TO_MOVE")
    workflow = gold().model_copy(update={"guards": (guard,)})
    found = told({**INPUTS, "quantity_kg": 0}, workflow=workflow)
    assert (found.turned_away, found.paths) == ("NOTHING_TO_MOVE", ())
    assert told({**INPUTS, "quantity_kg": 1}, workflow=workflow).turned_away is None


def test_a_faulty_draft_is_told_with_its_faults() -> None:
    """A ring has no paths to tell; an error of another kind has."""
    workflow = gold()
    back = workflow.edges[0].model_copy(update={"source": "summary", "target": "identify"})
    ring = workflow.model_copy(update={"edges": (*workflow.edges, back)})
    found = told({}, workflow=ring, findings=validate(CheckInput(ring, CATALOG)))
    assert found.paths == () and not found.all_told and any("[cycle" in one for one in found.errors)
    node = workflow.nodes["summary"].model_copy(update={"type": "utility.nothing"})
    odd = workflow.model_copy(update={"nodes": {**workflow.nodes, "summary": node}})
    found = told({}, workflow=odd, findings=validate(CheckInput(odd, CATALOG)))
    assert any("[unknown-node-type]" in one for one in found.errors) and by_end(found, "done")[0].acts == ("summary",)


def test_what_does_not_fit_is_refused_by_name() -> None:
    """Inputs of another kind or name, outputs of nodes that there are not."""
    with pytest.raises(BadInputs) as stopped:
        told({"quantity_kg": "five", "colour": "red"}, {"filling": {}})
    for words in ("quantity_kg: it takes number", "colour: there is no such field", "outputs of filling: there is no"):
        assert words in str(stopped.value)


def test_of_a_published_version_what_is_no_longer_here_is_nobodys(tmp_path: Path) -> None:
    """A Type whose executor is another kind now is carried out by nobody: a run of it fails so."""
    host = host_in(tmp_path, Recorded())
    version = published(host, gold())
    assert still_bound(version, host.executors) == version.executors
    bound = {**host.executors.bound, "io.check_filing_status": {"kind": "other"}}
    here = still_bound(version, Executors(bound, host.executors.kinds))
    assert set(version.executors) - set(here) == {"filing"}


@pytest.mark.slow
def test_every_path_of_a_scenario_is_among_those_told() -> None:
    """Of all cases whose graph has few routes: what a scenario walks to is a path that is told for its inputs."""
    tried = 0
    for case in SUITE:
        for workflow in case.workflows.values():
            if Routes(Analysis(workflow, CATALOG), frozenset(exits(workflow))).count.routes > 24:
                continue
            for one in case.scenarios_of(workflow.workflow_id):
                tried += _is_told(workflow, one)
    assert tried >= 50


def _is_told(workflow: Workflow, one: Scenario) -> bool:
    """Whether a scenario has a path to be told; fails where it is not."""
    walk = one.walk(workflow)
    if walk.missing_inputs or walk.undecided or walk.result.status == "failed" or not walk.path:
        return False
    found = dry_run(workflow, CATALOG, {}, one.inputs)
    if found.side_by_side:  # of what goes on side by side one example is told
        return False
    assert found.all_told and walk.path in [path.nodes for path in found.paths], one.name
    return True
