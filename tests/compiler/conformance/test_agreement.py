"""A workflow held against its procedure: gold agrees with its own, and what was put out of agreement is told."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catalog.load import load_catalog
from compiler.conformance import ConformanceInput, agreement, agreement_conditions, agreement_flows, agreement_words
from evals.cases import Case, read_suite
from ir.diagnostics import Diagnostic
from ir.procedure import Procedure
from ir.workflow import Workflow

CASES = Path(__file__).resolve().parents[3] / "fixtures" / "cases"
CAPEX = CASES / "capital-expenditure-approval" / "gold"
CHECKS = (*agreement.CHECKS, *agreement_flows.CHECKS, *agreement_conditions.CHECKS, *agreement_words.CHECKS)


def findings(workflow: Workflow, *procedures: Procedure) -> tuple[Diagnostic, ...]:
    """What the checks of agreement say."""
    given = ConformanceInput(workflow, load_catalog(), procedures=procedures)
    return tuple(found for check in CHECKS for found in check(given))


@pytest.mark.parametrize("case", read_suite(CASES), ids=lambda case: case.slug)
def test_gold_agrees_with_its_procedure(case: Case) -> None:
    """No gold workflow differs from the procedure that stands beside it."""
    for procedure in case.procedures:
        assert [d.error_code for d in findings(case.workflows[procedure.id], procedure)] == []


@pytest.fixture(scope="module")
def raw() -> dict[str, Any]:
    """A gold workflow as JSON."""
    found: dict[str, Any] = json.loads((CAPEX / "capital-expenditure.workflow.json").read_text("utf-8"))
    return found


@pytest.fixture(scope="module")
def procedure() -> Procedure:
    """Its procedure."""
    return Procedure.model_validate(json.loads((CAPEX / "procedures.json").read_text("utf-8"))[0])


def edge(raw: dict[str, Any], name: str) -> dict[str, Any]:
    """The edge of a name."""
    found: dict[str, Any] = next(one for one in raw["edges"] if f"{one['from']}->{one['to']}" == name)
    return found


def _exchange(raw: dict[str, Any]) -> None:
    one, other = edge(raw, "vp->notice"), edge(raw, "vp->inform_reject")
    one["condition"], other["condition"] = other["condition"], one["condition"]


def _swap(raw: dict[str, Any]) -> None:
    one, other = edge(raw, "materials->returned"), edge(raw, "materials->number")
    one["to"], other["to"] = other["to"], one["to"]


FAULTS: dict[str, tuple[Callable[[dict[str, Any]], object], set[str]]] = {
    "approver": (lambda raw: raw["nodes"]["vp"].update(approvers=["总经理"]), {"role-differs"}),
    "actor": (lambda raw: raw["nodes"]["budget"].update(actor="采购部"), {"role-differs"}),
    "deadline": (
        lambda raw: raw["nodes"]["tech"]["deadline"].update(duration="P5BD"),
        {"deadline-differs", "loosened-deadline"},
    ),
    "no deadline": (lambda raw: raw["nodes"]["tech"].pop("deadline"), {"deadline-differs"}),
    "outcome": (lambda raw: raw["nodes"]["accept"].update(outcomes=["合格"]), {"outcomes-differ"}),
    "unit": (lambda raw: raw["inputs"]["contract_amount"].update(unit="元"), {"input-differs"}),
    "way": (
        lambda raw: edge(raw, "procure->compare").update(to="sign"),
        {"edge-without-flow", "flow-without-edge"},
    ),
    "swapped ends of ways that nobody can decide yet": (_swap, {"words-of-another-way"}),
    "end": (lambda raw: raw["nodes"]["refused"].update(status="cancelled"), {"end-differs"}),
    "yes and no": (_exchange, {"condition-differs"}),
    "border": (
        lambda raw: edge(raw, "gm->board")["condition"]["and"][2].update(gt=["$.inputs.amount", 50]),
        {"condition-differs"},
    ),
    "class": (
        lambda raw: edge(raw, "gm->board")["condition"]["and"].pop(1),
        {"condition-differs"},
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_a_gold_workflow_is_told(name: str, raw: dict[str, Any], procedure: Procedure) -> None:
    """One fault, put into a right workflow, is told by the codes that speak of it and by no other."""
    put, codes = FAULTS[name]
    changed = json.loads(json.dumps(raw))
    put(changed)
    assert {d.error_code for d in findings(Workflow.model_validate(changed), procedure)} == codes


def test_the_witness_is_a_case_in_which_they_differ(raw: dict[str, Any], procedure: Procedure) -> None:
    """The values that are told lie between the two borders, and meet the rest of the condition."""
    changed = json.loads(json.dumps(raw))
    edge(changed, "gm->board")["condition"]["and"][2].update(gt=["$.inputs.amount", 50])
    (found,) = findings(Workflow.model_validate(changed), procedure)
    assert found.witness is not None
    assert 50 < found.witness["$.inputs.amount"] <= 500
    assert found.witness["$.inputs.category"] in ("甲类", "乙类", "丙类")
    assert found.witness["$.outputs.gm.approved"] is True


def test_nothing_is_said_without_a_procedure(raw: dict[str, Any]) -> None:
    """A workflow by itself is held against nothing."""
    changed = json.loads(json.dumps(raw))
    for put, _ in FAULTS.values():
        put(changed)
    assert findings(Workflow.model_validate(changed)) == ()


def test_steps_that_nobody_carries_are_passed_over_in_no_time(raw: dict[str, Any]) -> None:
    """Of a long row of choices between steps that no node carries not every path is gone through."""
    steps = [{"id": f"x{i}", "text": "does it", "kind": "task"} for i in range(120)]
    flows = [{"from": "start", "to": "x0"}]
    flows += [{"from": f"x{i}", "to": f"x{i + by}"} for i in range(118) for by in (1, 2)]
    procedure = {"id": "p", "title": "p", "doc_id": "p", "language": "en", "steps": steps, "flows": flows}
    assert {d.error_code for d in findings(Workflow.model_validate(raw), Procedure.model_validate(procedure))} == set()
