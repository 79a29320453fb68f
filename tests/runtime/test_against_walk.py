"""The walk is the specification: every scenario of every case runs to the same path, states and result."""

from pathlib import Path

import pytest
from plant import CATALOG, Recorded, host_in, played, published
from pydantic import JsonValue

from evals.cases import read_suite
from evals.executions.recorded import differences, giving_something
from ir.fields import Fields
from ir.scenario import Scenario
from ir.walk import Outcome, outcome_by_rules, performer, start
from ir.workflow import Workflow
from runtime.host import Host
from runtime.people import fields_of
from runtime.values import faults
from store import audit

pytestmark = pytest.mark.slow

CASES = Path(__file__).resolve().parents[2] / "fixtures" / "cases"
SUITE = read_suite(CASES)


SAMPLE: dict[str, JsonValue] = {
    "boolean": False, "integer": 1, "number": 1, "string": "x", "date": "2026-01-31", "duration": "P1D",
    "datetime": "2026-01-31T09:00:00", "array": [], "object": {},
}  # fmt: skip


def filled(record: dict[str, JsonValue], fields: Fields) -> dict[str, JsonValue]:
    """A record with what the scenario leaves out because nothing hangs on it: every field that a Type must give."""
    if "$error" in record:
        return record
    found = dict(record)
    for name, spec in fields.items():
        if found.get(name) is None and spec.required is True and not (spec.nullable and name in found):
            found[name] = None if spec.nullable else (spec.enum[0] if spec.enum else SAMPLE[spec.type])
        inner = found.get(name)
        if isinstance(inner, dict) and spec.properties:
            found[name] = filled(inner, spec.properties)
    return found


def whole(scenario: Scenario, workflow: Workflow) -> Scenario:
    """The scenario with outputs that systems could have given."""
    outputs = {
        name: filled(record, CATALOG.node_types[workflow.nodes[name].type].outputs_schema)
        if name in workflow.nodes and workflow.nodes[name].type in CATALOG.node_types
        else record
        for name, record in scenario.outputs.items()
    }
    for name, node in workflow.nodes.items():
        if performer(node) == "system" and name not in outputs:
            outputs[name] = filled({}, CATALOG.node_types[node.type].outputs_schema)
        if performer(node) == "person" and name not in outputs:
            asked = {one: spec.model_copy(update={"required": True}) for one, spec in fields_of(node).items()}
            outputs[name] = filled({}, asked)
    return scenario.model_copy(update={"outputs": outputs})


def can_be_called(workflow: Workflow, scenario: Scenario) -> bool:
    """Whether every system on the way is given what it must be given."""
    run = start(workflow, scenario.inputs)
    while run.ready:
        ready = run.ready[0]
        node_type = CATALOG.node_types.get(ready.type)
        if (
            ready.performer == "system"
            and node_type is not None
            and [*faults(ready.inputs, node_type.inputs_schema, of_type=True)]
        ):
            return False
        by_rules = outcome_by_rules(run, ready.node)
        run = run.take(ready.node, by_rules or Outcome.read(scenario.outputs.get(ready.node, {})))
    return True


def goes_on(scenario: Scenario, host: Host, version_id: str, number: int) -> bool:
    """Whether people's answers are all in the scenario, and fit: an answer that fails is no answer here."""
    workflow = host.version(version_id, number).definition
    human = [
        name for name in scenario.outputs if name in workflow.nodes and workflow.nodes[name].type.startswith("human.")
    ]
    return not any("$error" in scenario.outputs[name] for name in human)


@pytest.mark.parametrize("case", SUITE, ids=lambda case: case.slug)
def test_runs_go_as_walks_do(case, tmp_path: Path) -> None:
    """Each scenario, with a recorded executor in place of the systems; the audit of all of it is whole."""
    recorded = Recorded()
    host = host_in(tmp_path, recorded)
    tried = 0
    for workflow in case.workflows.values():
        version = published(host, giving_something(workflow))
        for scenario in case.scenarios_of(workflow.workflow_id):
            scenario = whole(scenario, version.definition)
            if not goes_on(scenario, host, version.workflow_id, version.number):
                continue
            if not can_be_called(version.definition, scenario):
                continue
            expected = scenario.walk(version.definition)
            if expected.missing_inputs:
                continue
            recorded.gives = scenario.outputs
            found = played(host, version, scenario)
            assert differences(host, found, expected) == [], scenario.name
            tried += 1
    assert tried or not case.workflows
    with host.workspace.transaction() as connection:
        heads = host.workspace.heads.read_text("utf-8") if host.workspace.heads.is_file() else ""
        assert audit.verify(connection, heads, host.workspace.key.public) == []
