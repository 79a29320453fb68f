"""The primers themselves are checked: examples grounded and valid, rules with codes that exist."""

import json

import pytest
from pydantic import JsonValue

from catalog.load import Catalog, load_catalog
from compiler.draft.primer_check import READING_CODES, check_primers, emitted_codes
from ir.codec import read_workflow
from ir.diagnostics import Diagnostic
from ir.workflow import Workflow
from primers.load import Primers, load_primers
from primers.primer import Primer, Rule, WorkedExample
from validator.checks import CheckInput, validate


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    """The shipped catalog."""
    return load_catalog()


def workflow(**changes: JsonValue) -> dict[str, JsonValue]:
    """A valid workflow of one task, with some top-level keys changed."""
    return {
        "workflow_id": "signing",
        "version": "v1",
        "inputs": {},
        "nodes": {
            "sign": {
                "type": "human.task",
                "assignee": "clerk",
                "instruction": "signs",
                "evidence": [{"doc_id": "a.md", "quote": "The clerk signs"}],
            },
            "done": {"type": "control.end", "status": "completed"},
        },
        "edges": [{"from": "sign", "to": "done"}],
        "execution_policy": {"risk_level": "medium"},
        **changes,
    }


def checked(catalog: Catalog, example: dict[str, JsonValue], text: str = "The clerk signs.") -> tuple[Diagnostic, ...]:
    """The faults of a primer that has this example, a workflow or a procedure."""
    form = "procedure" if "doc_id" in example else "workflow"
    worked = WorkedExample.model_validate(
        {"id": "one", "language": "en", "doc_id": "a.md", "text": text, "explanation": "It shows.", form: example}
    )
    rule = Rule(id="a-rule", advisory=True, text={"en": "Do."})
    primer = Primer(
        name="small", version="1.0.0", pass_="synthesize_draft", languages=("en",), rules=(rule,), examples=(worked,)
    )
    return check_primers(Primers({"small": primer}), catalog, frozenset())


def test_shipped_primers_are_clean(catalog: Catalog) -> None:
    """Every example that ships is grounded and valid, and every rule's code can be emitted."""
    assert [str(fault) for fault in check_primers(load_primers(), catalog)] == []


def test_shipped_examples_have_no_warnings(catalog: Catalog) -> None:
    """What a model is shown is better than merely valid."""
    examples = [example for primer in load_primers().by_name.values() for example in primer.examples]
    workflows = [Workflow.model_validate(example.workflow) for example in examples if example.workflow]
    assert len(workflows) >= 9
    assert [str(found) for workflow in workflows for found in validate(CheckInput(workflow, catalog))] == []


def test_good_example_has_no_fault(catalog: Catalog) -> None:
    """The workflow on which the other tests work is valid."""
    assert checked(catalog, workflow()) == ()


def test_unknown_code(catalog: Catalog) -> None:
    """A rule whose code nothing emits says so, with the code that was probably meant."""
    rule = Rule(id="no-way-back", code="cycles", text={"en": "No edge leads back."})
    primer = Primer(name="small", version="1.0.0", pass_="synthesize_draft", languages=("en",), rules=(rule,))
    (fault,) = check_primers(Primers({"small": primer}), catalog, {"cycle", "no-exit"})
    assert (fault.error_code, fault.location.file, fault.location.pointer, fault.found) == (
        "primer-code-unknown",
        "small.md",
        "/rules/0/code",
        "cycles",
    )
    assert 'did you mean "cycle"' in fault.message


@pytest.mark.parametrize(
    ("evidence", "text", "reason"),
    [
        ({"doc_id": "a.md", "quote": "The clerk sings"}, "The clerk signs.", "0 times"),
        ({"doc_id": "a.md", "quote": "signs"}, "He signs; she signs.", "2 times"),
        ({"doc_id": "a.md", "quote": "signs", "occurrence": 3}, "He signs; she signs.", "2 times"),
        ({"doc_id": "b.md", "quote": "signs"}, "The clerk signs.", '"b.md"'),
    ],
    ids=["not-there", "twice", "third-of-two", "other-document"],
)
def test_ungrounded_quote(catalog: Catalog, evidence: dict[str, JsonValue], text: str, reason: str) -> None:
    """A quote stands in the example's text, once or with its occurrence, and in its document."""
    nodes = workflow()["nodes"]
    assert isinstance(nodes, dict)
    sign = nodes["sign"]
    assert isinstance(sign, dict)
    sign["evidence"] = [evidence]
    (fault,) = checked(catalog, workflow(nodes=nodes), text)
    assert (fault.error_code, fault.found) == ("primer-example-ungrounded", evidence["quote"])
    assert fault.location.pointer == "/examples/0/workflow/nodes/sign/evidence/0/quote"
    assert reason in fault.message


def test_occurrence_picks_one_of_two(catalog: Catalog) -> None:
    """A quote that recurs is grounded once it says which occurrence it is."""
    gap: JsonValue = {
        "id": "g1",
        "kind": "ambiguity",
        "question": "Which?",
        "evidence": [{"doc_id": "a.md", "quote": "signs", "occurrence": 2}],
    }
    assert checked(catalog, workflow(gaps=[gap]), "The clerk signs. The head signs.") == ()


def test_invalid_workflow(catalog: Catalog) -> None:
    """What the validator rejects is an error at its place in the front matter, with the validator's own code."""
    faults = checked(catalog, workflow(edges=[{"from": "sign", "to": "done"}, {"from": "done", "to": "sign"}]))
    assert {fault.error_code for fault in faults} == {"primer-example-invalid"}
    assert any("[cycle]" in fault.message for fault in faults)
    assert all((fault.location.pointer or "").startswith("/examples/0/workflow") for fault in faults)


def test_unreadable_workflow(catalog: Catalog) -> None:
    """An unknown key keeps the example from being read at all."""
    (fault,) = checked(catalog, workflow(logic="if amount > 1M then ask"))
    assert (fault.error_code, fault.location.pointer) == ("primer-example-invalid", "/examples/0/workflow/logic")
    assert "[unknown-key]" in fault.message


def test_procedure_with_dangling_names(catalog: Catalog) -> None:
    """Flows, gaps and predicates of an example name what is there."""
    procedure: dict[str, JsonValue] = {
        "id": "signing",
        "title": "Signing",
        "doc_id": "a.md",
        "language": "en",
        "steps": [{"id": "s1", "text": "signs", "kind": "task"}],
        "conditions": [{"id": "c1", "text": "if it is large", "predicate": {"gt": ["$.facts.size", 3]}}],
        "flows": [{"from": "start", "to": "s1"}, {"from": "s1", "to": "s2", "condition": "c2"}],
        "gaps": [{"id": "g1", "kind": "ambiguity", "question": "Which?", "about": ["s9"]}],
    }
    found = {(fault.location.pointer, fault.found) for fault in checked(catalog, procedure)}
    assert found == {
        ("/examples/0/procedure/flows/1/to", "s2"),
        ("/examples/0/procedure/flows/1/condition", "c2"),
        ("/examples/0/procedure/gaps/0/about", "s9"),
        ("/examples/0/procedure/conditions/0/predicate", "$.facts.size"),
    }


def test_reading_codes_are_emitted() -> None:
    """The codes that reading is said to report are those that it does report."""
    nodes: JsonValue = {"a": {"type": "io.x", "next": "b", "prompt": "Say yes", "script": "run()", "colour": "red"}}
    _, faults = read_workflow(json.dumps(workflow(nodes=nodes)))
    assert {fault.error_code for fault in faults} >= READING_CODES
    assert emitted_codes() > READING_CODES


def test_same_faults_twice(catalog: Catalog) -> None:
    """The check is a function of its arguments."""
    primers = load_primers()
    assert check_primers(primers, catalog, ()) == check_primers(primers, catalog, ())
