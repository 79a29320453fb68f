"""Texts that state a computation: sound as they are written, and judged by running drafts on their cases."""

from dataclasses import replace

import pytest

from evals.formulas.__main__ import TEXTS
from evals.formulas.judge import judge
from evals.formulas.texts import Case, FormulaText, Given, read_texts
from ir.fields import FieldSpec
from ir.formula import Formula
from ir.formulas.infix import parse_formula
from ir.predicate import ALWAYS
from ir.workflow import Edge, ExecutionPolicy, InputSpec, Node, Rule, RulePack, Workflow

FEE = FormulaText(
    id="t1",
    language="en",
    kind="fee",
    text="The shed fee is CNY 18.50 per pallet, by the number of pallets, at least CNY 40.",
    result="shed fee",
    unit="CNY",
    inputs={"n": Given("number of pallets", "number")},
    cases=(Case({"n": 2}, 40), Case({"n": 4}, 74)),
)


def draft(formula: str, field: str = "pallets", unit: str = "CNY") -> Workflow:
    """A draft that computes the fee by a formula."""
    rule = Rule(rule_id="R1", condition=ALWAYS, formulas={"fee": Formula(formula=parse_formula(formula))})
    return Workflow(
        workflow_id="fee",
        version="v1",
        inputs={field: InputSpec(type="number", description="number of pallets", required=False)},
        nodes={
            "compute": Node(type="control.compute", rule_pack="compute"),
            "done": Node(type="control.end", status="completed"),
        },
        edges=(Edge(source="compute", target="done", condition=ALWAYS),),
        execution_policy=ExecutionPolicy(risk_level="low"),
        rule_packs={
            "compute": RulePack(
                version="1.0.0",
                outputs={"fee": FieldSpec(type="number", description="shed fee", unit=unit)},
                rules=(rule,),
            )
        },
    )


@pytest.mark.parametrize(
    ("formula", "fate"),
    [
        ("max(40, 18.5 * $.inputs.pallets)", "right"),
        ("18.5 * $.inputs.pallets", "wrong"),
        ("18.5 * $.inputs.others", "no value"),
    ],
)
def test_a_draft_is_judged_by_what_it_computes(formula: str, fate: str) -> None:
    """In every case; what comes to nothing is not called wrong."""
    assert judge(FEE, [draft(formula)]).fate == fate


def test_units_are_converted() -> None:
    """A draft may have another one than the cases."""
    assert judge(replace(FEE, unit="t"), [draft("1000 * max(40, 18.5 * $.inputs.pallets)", unit="kg")]).fate == "right"


def test_what_nothing_computes_is_asked_and_what_is_open_must_not_be_computed() -> None:
    """A text that leaves something open is right where the draft computes nothing of it."""
    given = dict(FEE.cases[0].inputs)
    open_ = replace(FEE, cases=(Case(given, None),), missing="the rate")
    nothing = draft("1").model_copy(update={"rule_packs": {}})
    assert judge(FEE, [nothing]).fate == "asked"
    assert judge(open_, [nothing]).fate == "right"
    assert judge(open_, [draft("18.5 * $.inputs.pallets")]).fate == "wrong"
    partly = replace(FEE, cases=(Case({"n": 3}, 55.5), Case({"n": 30}, None)), missing="the rate above 20")
    assert judge(partly, [draft("if $.inputs.pallets > 20 then null else 18.5 * $.inputs.pallets")]).fate == "right"
    assert judge(partly, [draft("if $.inputs.pallets > 20 then null else 17 * $.inputs.pallets")]).fate == "wrong"
    assert judge(partly, [draft("18.5 * $.inputs.pallets")]).fate == "wrong"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_texts_are_sound(language: str) -> None:
    """Thirty each; names stand in their text; every text has cases, without value where it says what it leaves open."""
    texts = read_texts(TEXTS / f"{language}.json")
    assert len(texts) == len({one.id for one in texts}) == 30
    for one in texts:
        assert one.result in one.text, one.id
        assert all(given.words in one.text for given in one.inputs.values()), one.id
        assert one.cases and any(case.value is None for case in one.cases) == bool(one.missing), one.id
        assert all(set(case.inputs) == set(one.inputs) for case in one.cases), one.id
