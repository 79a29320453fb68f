"""Formulas through the validator: proofs of branches that read them, explanations, differences, the review page."""

import json
from typing import Any

import pytest

from catalog.load import Catalog, load_catalog
from compiler.report.changes.lines import lines
from compiler.report.readers_words import Reader
from ir.codec import read_workflow
from ir.fields import FieldSpec
from ir.formulas.infix import parse_formula
from ir.predicate import Ref
from ir.walk import walk
from ir.workflow import Workflow
from validator.analysis.formula_types import type_formula
from validator.checks import CheckInput, validate
from validator.diff.changes import Comparison
from validator.diff.compare import compare
from validator.explain.explanation import explain
from validator.explain.text import render_text

CATALOG = load_catalog()


def scored(*conditions: str, **changes: Any) -> Workflow:
    """Two tables of points, their sum by way of a third node, and edges over the sum."""
    points = {"outputs": {"points": {"type": "integer"}}, "version": "1.0.0"}
    table = [
        {"rule_id": "R1", "condition": '$.inputs.smoking == "never"', "outcome": {"points": 0}},
        {"rule_id": "R2", "condition": '$.inputs.smoking == "former"', "outcome": {"points": 1}},
        {"rule_id": "R3", "condition": "otherwise", "outcome": {"points": 3}},
    ]
    ranges = [
        {"rule_id": "R1", "condition": "$.inputs.age < 40", "outcome": {"points": 0}},
        {"rule_id": "R2", "condition": "$.inputs.age >= 40 and $.inputs.age < 65", "outcome": {"points": 2}},
        {"rule_id": "R3", "condition": "$.inputs.age >= 65", "outcome": {"points": 4}},
    ]
    total = {"formula": "$.outputs.smoking.points + $.outputs.age.points", "evidence": [
        {"doc_id": "risk.md", "quote": "the points are added up"}]}  # fmt: skip
    rules = [{"rule_id": "R1", "formulas": {"score": total}}]
    facts = {"facts": {"value": {}}}
    apply = {"type": "decision.evaluate_rules", "inputs": facts}
    ends = [f"end{at}" for at in range(len(conditions))]
    raw = {
        "workflow_id": "risk",
        "version": "v1",
        "inputs": {
            "smoking": {"type": "string", "enum": ["never", "former", "daily"]},
            "age": {"type": "integer", "minimum": 0, "maximum": 120},
        },
        "nodes": {
            "smoking": {**apply, "rule_pack": "smoking"},
            "age": {**apply, "rule_pack": "age"},
            "total": {**apply, "rule_pack": "total"},
            **{name: {"type": "control.end", "status": "completed"} for name in ends},
        },
        "edges": [
            {"from": "smoking", "to": "age"},
            {"from": "age", "to": "total"},
            *({"from": "total", "to": end, "condition": one} for end, one in zip(ends, conditions, strict=True)),
        ],
        "execution_policy": {"risk_level": "low"},
        "rule_packs": {
            "smoking": {**points, "rules": table},
            "age": {**points, "rules": ranges},
            "total": {"version": "1.0.0", "outputs": {"score": {"type": "integer"}}, "rules": rules},
        },
        **changes,
    }
    workflow, found = read_workflow(json.dumps(raw))
    assert workflow is not None, found
    return workflow


def codes(workflow: Workflow) -> set[str]:
    """The errors that are found, and what was left open."""
    found = validate(CheckInput(workflow, CATALOG))
    return {one.error_code for one in found if one.severity == "error" or one.error_code.startswith("undecided")}


SCORE = "$.outputs.total.score"


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([f"{SCORE} <= 2", f"{SCORE} > 2"], set()),
        ([f"{SCORE} <= 2", f"{SCORE} in [3, 4, 5]", f"{SCORE} == 7"], set()),
        ([f"{SCORE} <= 2", f"{SCORE} in [3, 4, 5]"], {"incomplete-branch"}),
        ([f"{SCORE} <= 2", f"{SCORE} > 2", f"{SCORE} == 6"], {"unreachable-node"}),
        ([f"{SCORE} <= 3", f"{SCORE} >= 3"], {"branch-overlap"}),
        ([f"{SCORE} <= 7", f"{SCORE} > 7"], {"unreachable-node"}),
    ],
)
def test_branches_over_sums_of_points_are_proved(conditions: list[str], expected: set[str]) -> None:
    """A sum over tables of points and ranges is one of the sums that the tables can give, and no other: never 6."""
    assert codes(scored(*conditions)) == expected


def test_a_witness_is_what_the_walk_computes() -> None:
    """The example of a gap holds for the inputs alone: the walk works out the points and the score."""
    workflow = scored(f"{SCORE} <= 2", f"{SCORE} in [3, 4, 5]")
    (finding,) = [one for one in validate(CheckInput(workflow, CATALOG)) if one.error_code == "incomplete-branch"]
    assert finding.witness is not None
    inputs = {name.split(".")[2]: value for name, value in finding.witness.items() if name.startswith("$.inputs.")}
    gone = walk(workflow, inputs, {})
    assert gone.undecided is not None
    assert gone.computed["total"] == {"score": finding.witness[SCORE]} == {"score": 7}


def test_products_are_told_within_bounds() -> None:
    """Of a product of two values only bounds are known: what they exclude is proved, the rest is left open."""
    total = [{"rule_id": "R1", "formulas": {"score": "$.inputs.age * $.inputs.weight"}}]
    packs = {"total": {"version": "1", "outputs": {"score": {"type": "number"}}, "rules": total}}
    facts = {"facts": {"value": {}}}
    changes: dict[str, Any] = {
        "inputs": {
            "age": {"type": "number", "minimum": 0, "maximum": 10},
            "weight": {"type": "number", "minimum": 0, "maximum": 10},
        },
        "nodes": {
            "total": {"type": "decision.evaluate_rules", "inputs": facts, "rule_pack": "total"},
            "end0": {"type": "control.end", "status": "completed"},
            "end1": {"type": "control.end", "status": "completed"},
        },
        "rule_packs": packs,
    }

    def made(*conditions: str) -> Workflow:
        edges = [{"from": "total", "to": f"end{at}", "condition": one} for at, one in enumerate(conditions)]
        return scored(*conditions, **changes, edges=edges)

    assert codes(made(f"{SCORE} <= 50", f"{SCORE} > 50 and {SCORE} <= 100")) == set()
    open_ = codes(made(f"{SCORE} <= 50", f"{SCORE} > 50 and {SCORE} < 100"))
    assert open_ <= {"undecided-branch", "incomplete-branch"} and open_


def test_a_formula_that_may_fail_can_fail() -> None:
    """Behind an edge for failure a run can be shown in which the formula has no value."""
    workflow = scored(f"{SCORE} <= 2", f"{SCORE} > 2")
    raw = workflow.to_json()
    raw["rule_packs"]["total"]["rules"][0]["formulas"]["score"]["formula"] = {
        "round_down": [{"div": [5, "$.outputs.age.points"]}]
    }
    raw["nodes"]["failed"] = {"type": "control.end", "status": "failed", "reason_code": "NO_SCORE"}
    raw["edges"].append({"from": "total", "to": "failed", "on": "error"})
    changed = Workflow.model_validate(raw)
    found = validate(CheckInput(changed, CATALOG))
    assert {one.error_code for one in found if one.severity == "error"} == {"division-by-zero"}
    assert not [one for one in found if one.error_code == "internal-error"]


def test_explain_shows_what_is_computed_with_its_words() -> None:
    """Formulas stand in the explanation as text, each with the condition of its row and its quote."""
    explanation = explain(scored(f"{SCORE} <= 2", f"{SCORE} > 2"), CATALOG)
    text = render_text(explanation)
    assert "total.score = $.outputs.smoking.points + $.outputs.age.points" in text
    assert "“the points are added up”" in text
    assert {one.input for one in explanation.deciding} == {"smoking", "age"}
    assert explanation.learnt == (SCORE,)


def test_diff_tells_a_changed_formula_in_text() -> None:
    """What changed is said in the form that people read, and that the node judges otherwise."""
    old = scored(f"{SCORE} <= 2", f"{SCORE} > 2")
    raw = old.to_json()
    formula = raw["rule_packs"]["total"]["rules"][0]["formulas"]["score"]
    formula["formula"] = {"max": ["$.outputs.smoking.points", "$.outputs.age.points"]}
    found = compare(old, Workflow.model_validate(raw), CATALOG)
    (change,) = [one for one in found.changes if one.part == "rules"]
    assert change.aspect == "formulas.score.formula"
    text = "\n".join(line.text for line in lines(Comparison(differences=(found,))))
    assert "$.outputs.smoking.points + $.outputs.age.points" in text
    assert "max($.outputs.smoking.points, $.outputs.age.points)" in text
    assert [one.verdict for one in found.judgements if one.at == "total"] == ["differs"]


def test_a_renamed_node_changes_no_formula() -> None:
    """A node with another id is read by formulas under that id."""
    old = scored(f"{SCORE} <= 2", f"{SCORE} > 2")
    raw = json.loads(
        json.dumps(old.to_json()).replace("$.outputs.age.", "$.outputs.ages.").replace('"to": "age"', '"to": "ages"')
    )
    raw["nodes"] = {("ages" if name == "age" else name): node for name, node in raw["nodes"].items()}
    raw["edges"][1]["from"] = "ages"
    found = compare(old, Workflow.model_validate(raw), CATALOG)
    assert [one for one in found.changes if one.part == "rules"] == []


def test_readers_see_names() -> None:
    """The review page shows a formula with the names of what it reads."""
    reader = Reader(scored(f"{SCORE} <= 2", f"{SCORE} > 2"), CATALOG, "en")
    shown = reader.formula(parse_formula("round half up($.inputs.age * 5%, 2)"))
    assert "$" not in shown and shown.startswith("round half up(") and shown.endswith(" * 5%, 2)")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$.inputs.price * $.inputs.weight / $.inputs.weight", "a number in CNY"),
        ("$.inputs.price / $.inputs.weight", "a number in CNY/kg"),
        ("$.inputs.side * $.inputs.side", "a number in m2"),
        ("to_percent(($.inputs.price - $.inputs.paid) / $.inputs.paid)", "a number in %"),
        ('days_between("2026-01-01", $.inputs.received) * 3 "CNY/d"', "a number in CNY"),
        ('$.inputs.received + duration($.inputs.days, "d")', "a date"),
        ("count($.inputs.lines) * 20 CNY", "a number in CNY"),
        ("sum(for item in $.inputs.lines return item.price)", "a number in CNY"),
        ("$.inputs.lines[item.price > 5 CNY]", "a list"),
        ('if $.inputs.price > 5 then "high" else "low"', "a text"),
        ('max("2026-01-01", $.inputs.received)', "a date"),
    ],
)
def test_types_and_units_follow(text: str, expected: str) -> None:
    """Units multiply and divide; a text that is a date is one beside dates."""
    price = FieldSpec(type="number", unit="CNY", required=True)
    fields = {
        "price": price,
        "paid": price,
        "weight": FieldSpec(type="number", unit="公斤"),
        "side": FieldSpec(type="number", unit="m"),
        "received": FieldSpec(type="date"),
        "days": FieldSpec(type="integer", unit="d"),
        "lines": FieldSpec(type="array", items=FieldSpec(type="object", properties={"price": price})),
    }

    def spec(ref: Ref) -> FieldSpec | None:
        return fields.get(ref.path[0])

    found, faults = type_formula(parse_formula(text), spec, [])
    assert (str(found), faults) == (expected, ())


def test_empty_catalog_leaves_formulas_alone() -> None:
    """Where no Type is known, a formula is still typed by itself."""
    found = validate(CheckInput(scored(f"{SCORE} <= 2", f"{SCORE} > 2"), Catalog({}, {})))
    assert "internal-error" not in {one.error_code for one in found}
