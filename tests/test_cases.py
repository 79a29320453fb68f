"""The cases end to end: documents in, validated drafts that behave as gold does out."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.load import load_catalog
from compiler.build.builder import compile_documents
from compiler.build.results import Build
from compiler.grounding.locate import QuoteFinder
from compiler.parsers import parse
from evals.behaviour import walk_scenario
from evals.cases import Case, read_suite
from evals.matching.nodes import Matching, match, steps_of
from evals.matching.places import Places
from evals.metrics.grounding import quotes_of
from ir.codec import read_form, read_workflow, read_yaml
from ir.diagnostics import has_errors
from ir.document import Document
from ir.scenario import Scenario, Scenarios
from ir.workflow import HUMAN_APPROVAL, HUMAN_INPUT, Workflow
from validator.checks import CheckInput, validate

pytestmark = pytest.mark.slow

CASES = Path(__file__).resolve().parent.parent / "fixtures" / "cases"
HAZMAT = CASES / "hazmat-transport"
SUITE = read_suite(CASES)
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


@pytest.fixture(scope="module")
def known(build: Build, draft: Workflow) -> Matching:
    """What of the draft stands for what of gold."""
    documents = {d.doc_id: d.document for d in build.documents if d.document is not None}
    return match(gold(), draft, Places(documents), load_catalog())


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
def test_draft_behaves_as_gold(scenario: Scenario, known: Matching) -> None:
    """Over the scenario the draft takes gold's path to gold's result."""
    outputs = {name: record for name, record in scenario.outputs.items() if name in known.gold.nodes}
    assert walk_scenario(scenario.model_copy(update={"outputs": outputs}), known).differences == ()


def test_every_gold_node_is_matched(known: Matching) -> None:
    """The matching finds a partner for each step and steering fact of gold."""
    assert set(known.nodes) == set(steps_of(known.gold))
    assert set(known.facts) >= {ref for ref, fact in known.gold_facts.items() if fact.steers}


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
    """The words that leave something open are asked about, and the prohibitions and duties that nothing sees to."""
    quotes = {gap.evidence[0].quote for gap in draft.gaps}
    assert {gap.kind for gap in draft.gaps} == {"missing_parameter", "ambiguity", "unclear_condition"}
    assert {"及时", "基本一致", "性质相抵触的危险化学品不得混装运输。"} < quotes
    assert not draft.execution_policy.allow_auto
    asked = "\n".join(e.quote for gap in draft.gaps for e in gap.evidence)
    for words in (
        "未办妥运输备案的，不得发运",
        "应当逐项列明缺少的条件",
        "驾驶人员、装卸管理人员和押运人员应当持证上岗",
    ):
        assert words in asked


def test_two_builds_are_the_same(build: Build) -> None:
    """Compiling again gives the same draft to the byte."""
    again = compile_documents([HAZMAT / "documents"])
    assert again.procedures[0].workflow.to_json() == build.procedures[0].workflow.to_json()


# --- the gold of every case ------------------------------------------------------------------------------------------

everywhere = pytest.mark.parametrize("case", SUITE, ids=lambda case: case.slug)


def documents_of(case: Case) -> dict[str, Document]:
    """The documents of a case as parsed, by id."""
    read = [parse((case.folder / one.path).read_bytes(), Path(one.path).name).document for one in case.file.documents]
    assert all(document is not None for document in read)
    return {document.doc_id: document for document in read if document is not None}


@everywhere
def test_gold_quotes_stand_in_the_documents(case: Case) -> None:
    """Each quote of gold is found, word for word or but for spacing and punctuation."""
    libraries = {name: QuoteFinder(document) for name, document in documents_of(case).items()}
    for procedure in case.procedures:
        for evidence in quotes_of(procedure):
            found = libraries[evidence.doc_id].search(evidence.quote, occurrence=evidence.occurrence).evidence
            assert found.status in ("exact", "normalised", "ambiguous"), (evidence.quote, found.status)


@everywhere
def test_gold_is_valid(case: Case) -> None:
    """The validator finds no error in a gold workflow."""
    for workflow in case.workflows.values():
        found = validate(CheckInput(workflow, load_catalog()))
        assert not has_errors(found), [str(d) for d in found if d.severity == "error"]


@everywhere
def test_scenarios_go_as_written_and_take_every_edge(case: Case) -> None:
    """Each scenario takes the path that it says, to the result that it says; together they take every edge of gold."""
    for workflow in case.workflows.values():
        taken: set[int] = set()
        for scenario in case.scenarios_of(workflow.workflow_id):
            assert scenario.differences(workflow) == (), scenario.name
            taken |= {i for i, state in enumerate(scenario.walk(workflow).edges) if state == "taken"}
        asked = {i for i, edge in enumerate(workflow.edges) if edge.origin == "document"}
        assert asked <= taken, [workflow.edges[i] for i in asked - taken]


def test_the_suite_is_what_it_is_said_to_be() -> None:
    """At least twenty cases, half of them in each language, formats in thirds, a third held out, all special kinds."""
    assert len(SUITE) >= 20
    languages = [case.file.language for case in SUITE]
    assert min(languages.count("zh"), languages.count("en")) >= 10
    formats = [Path(case.file.documents[0].path).suffix for case in SUITE]
    assert all(abs(formats.count(suffix) - len(SUITE) / 3) <= 2 for suffix in (".pdf", ".docx", ".html"))
    assert sum(case.file.split == "held_out" for case in SUITE) * 3 >= len(SUITE)
    features = {feature for case in SUITE for feature in case.file.features}
    assert features >= {
        "decision_table", "limits_table", "merged_cells", "parallel_reviews", "urgent_exception", "missing_parameter",
        "contradictory_articles", "return_for_correction", "cross_references", "several_procedures", "no_procedure",
        "hidden_instructions", "policy_reference_form",
    }  # fmt: skip


def test_hidden_instructions_change_nothing(tmp_path: Path) -> None:
    """Without its hidden words the document gives the same workflow."""
    name = "SOP-ITS-022 Privileged Access.html"
    page = (CASES / "privileged-access" / "documents" / name).read_text("utf-8")
    clean = re.sub(r"<!--.*?-->", "", page, flags=re.DOTALL)
    clean = re.sub(r"<(\w+)\b[^>]*(?:display:\s*none|font-size:\s*1px)[^>]*>.*?</\1>", "", clean, flags=re.DOTALL)
    assert len(clean) < len(page) - 200
    drafts = []
    for folder, text in (("hostile", page), ("clean", clean)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(text, "utf-8")
        draft = compile_documents([tmp_path / folder]).procedures[0].workflow
        drafts.append(draft.model_copy(update={"provenance": None}).to_json())
    assert re.sub(r'"block": "[^"]*"', "", str(drafts[0])) == re.sub(r'"block": "[^"]*"', "", str(drafts[1]))
