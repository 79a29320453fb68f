"""The cases end to end: documents in, validated drafts that behave as gold does out."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from compiler.build import Build
from compiler.pipeline import compile_documents
from evals.behaviour import behave
from evals.matching import match
from ir.codec import read_form, read_workflow, read_yaml
from ir.scenario import Scenario, Scenarios
from ir.workflow import HUMAN_APPROVAL, HUMAN_INPUT, Workflow

CASES = Path(__file__).resolve().parent.parent / "fixtures" / "cases"
HAZMAT = CASES / "hazmat-transport"
CHAPTER_3 = {
    "ontology.identify_substance",
    "ontology.lookup_hazard_level",
    "decision.check_transport_mode",
    "io.check_filing_status",
    "utility.compliance_summary",
}


@pytest.fixture(scope="module")
def build() -> Build:
    """The hazmat case, compiled once."""
    return compile_documents([HAZMAT / "documents"])


@pytest.fixture(scope="module")
def draft(build: Build) -> Workflow:
    """Its only draft."""
    assert len(build.procedures) == 1
    return build.procedures[0].workflow


def gold() -> Workflow:
    """The gold workflow of the case."""
    workflow, diagnostics = read_workflow((HAZMAT / "gold" / "transport-compliance.workflow.json").read_bytes())
    assert workflow is not None, diagnostics
    return workflow


def scenarios() -> Iterator[Scenario]:
    """The scenarios of the case."""
    raw, faults = read_yaml((HAZMAT / "scenarios.yaml").read_text("utf-8"))
    read, more = read_form(Scenarios, raw)
    assert read is not None, (*faults, *more)
    yield from read.scenarios


def test_build_is_clean(build: Build) -> None:
    """No document is refused and the validator finds no error."""
    assert build.clean, [str(d) for d in build.diagnostics]
    assert {d.doc_id: d.role.role for d in build.documents if d.role} == {
        "危险化学品目录.html": "reference",
        "危险化学品运输管理制度.pdf": "policy",
        "危险品运输任务单.docx": "form",
    }


def test_draft_holds_what_chapter_3_asks_for(draft: Workflow) -> None:
    """The five Node Types, a way to a person, the approval, and the policy of a high risk."""
    types = {node.type for node in draft.nodes.values()}
    assert types >= CHAPTER_3
    assert any(n.type == HUMAN_INPUT and n.origin.startswith("primer:exception-paths@") for n in draft.nodes.values())
    assert [n.approvers for n in draft.nodes.values() if n.type == HUMAN_APPROVAL] == [("安全总监",)]
    policy = draft.execution_policy
    assert (policy.risk_level, policy.allow_auto, policy.require_approval) == ("high", False, True)


def test_every_node_and_edge_has_evidence_or_a_primer(build: Build, draft: Workflow) -> None:
    """What came from the document stands in it, word for word; the rest names its primer."""
    for part in (*draft.nodes.values(), *draft.edges):
        if part.origin == "document":
            assert part.evidence, part
        else:
            assert part.origin.startswith("primer:")
        for evidence in part.evidence:
            document = build.document(evidence.doc_id)
            assert document is not None and evidence.span is not None
            assert document.span(evidence.block or "", evidence.start or 0, evidence.end or 0).quote == evidence.quote


@pytest.mark.parametrize("scenario", list(scenarios()), ids=lambda scenario: scenario.name)
def test_draft_behaves_as_gold(scenario: Scenario, draft: Workflow) -> None:
    """Over the scenario the draft takes gold's path to gold's result."""
    assert behave(scenario, gold(), draft).differences == ()


def test_scenarios_cover_every_edge_of_gold() -> None:
    """Together the scenarios take each edge of gold, so that none goes unseen."""
    workflow = gold()
    taken = {i for s in scenarios() for i, state in enumerate(s.walk(workflow).edges) if state == "taken"}
    assert taken == set(range(len(workflow.edges)))


def test_every_gold_node_is_matched(draft: Workflow) -> None:
    """The matching finds a partner for each node and input of gold."""
    workflow = gold()
    found = match(workflow, draft)
    assert set(found.nodes) == set(workflow.nodes)
    assert set(found.inputs) == set(workflow.inputs)


def test_form_is_bound_and_looked_up(build: Build) -> None:
    """The form's facts become bindings in the fields' units, and the list's row for the substance is found."""
    bindings = build.procedures[0].bindings[0]
    values = {b.input: b.value for b in bindings.bindings}
    assert values == {
        "substance_name": "硫酸", "transport_mode": "公路", "quantity_kg": 5000, "shipment_id": "SHIP-2026-00019",
    }  # fmt: skip
    (weight,) = [b for b in bindings.bindings if b.input == "quantity_kg"]
    assert weight.converted_from and (weight.converted_from.value, weight.converted_from.unit) == (5.0, "t")
    assert bindings.unbound == ()
    (found,) = bindings.found
    assert (found.row["cas_number"], found.row["hazard_level"]) == ("7664-93-9", 2)


def test_open_questions_are_those_of_the_document(draft: Workflow) -> None:
    """The words that leave something open are asked about, and nothing else is."""
    quotes = {gap.kind: gap.evidence[0].quote for gap in draft.gaps}
    assert quotes == {"missing_parameter": "及时", "ambiguity": "基本一致"}


def test_two_builds_are_the_same(build: Build) -> None:
    """Compiling again gives the same draft to the byte."""
    again = compile_documents([HAZMAT / "documents"])
    assert again.procedures[0].workflow.to_json() == build.procedures[0].workflow.to_json()
