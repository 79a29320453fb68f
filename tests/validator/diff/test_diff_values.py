"""What changed between two versions: numbers in other units, and rows of rule packs."""

import json
from typing import Any

import pytest
from test_diff import change, difference, in_words, only, payment

from catalog.load import Catalog, load_catalog
from ir.workflow import Workflow
from validator.diff import compare
from validator.diff.changes import Judgement


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    """The catalog that comes with flowc."""
    return load_catalog()


def weighed(unit: str, limit: float, kind: str = "number") -> dict[str, Any]:
    """A payment by weight, which is counted in some unit and tried as input of the start and of the choice."""
    text = json.dumps(payment()).replace("inputs.amount", "inputs.weight")
    whole: dict[str, Any] = json.loads(text)
    whole["inputs"] = {"weight": {"type": kind, "unit": unit}}
    whole["edges"][0]["condition"] = {"lt": ["$.inputs.weight", limit]}
    return whole


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (weighed("kg", 700), weighed("t", 0.7)),
        (weighed("t", 0.7), weighed("kg", 700)),
        (weighed("kg", 1000, "integer"), weighed("t", 1)),
    ],
)
def test_the_same_amount_in_another_unit(old: dict[str, Any], new: dict[str, Any]) -> None:
    """A limit restated in another unit means the same; the units are told."""
    found = difference(new, old)
    choice = only(found)
    assert choice.verdict == "same"
    assert choice.because == "no values make it choose otherwise, counted in one unit (1 t is 1000 kg)"
    (change,) = found.units
    assert (change.ref, change.old, change.new) == (
        "$.inputs.weight",
        *(one["inputs"]["weight"]["unit"] for one in (old, new)),
    )


def test_the_same_number_in_another_unit() -> None:
    """A limit whose number stayed while its unit changed: values between, in both units, and the walks with them."""
    found = difference(weighed("t", 1000), weighed("kg", 1000))
    choice = only(found)
    (example,) = choice.examples
    weight = example.values["$.inputs.weight"]
    assert isinstance(weight, int | float) and 1 <= weight < 1000
    assert (example.old_takes, example.new_takes) == (("approve",), ("done",))
    assert example.old and example.old.path[:2] == ("risk", "approve")
    assert any(f"with $.inputs.weight = {weight} t (before: {weight * 1000:g} kg)" == text for text in in_words(found))


def test_units_that_do_not_convert() -> None:
    """Values of two currencies are not compared; what else changed is, and the run says what was counted in which."""
    new = change("inputs/amount/unit", "EUR")
    assert {(one.at, one.verdict) for one in difference(new).choices} == {(None, "undecided"), ("risk", "undecided")}
    assert all("no rate between CNY and EUR is fixed" in str(one.because) for one in difference(new).choices)
    new["edges"][2]["condition"]["eq"][1] = False
    found = difference(new)
    assert next(one for one in found.choices if one.at == "approve").verdict == "differs"
    assert any("(EUR; before: as many CNY)" in text for text in in_words(found))


def test_what_is_compared_with_another_unit() -> None:
    """A number that is compared with one whose unit stayed cannot be restated alone."""
    old, new = weighed("kg", 1), weighed("t", 1)
    for whole in (old, new):
        whole["inputs"]["most"] = {"type": "number", "unit": "kg"}
        whole["edges"][0]["condition"]["lt"][1] = "$.inputs.most"
    assert "$.inputs.most" in str(next(one for one in difference(new, old).choices if one.at == "risk").because)


def ruled(limit: float, least: float | None = None, *, unit: str | None = None, many: int = 0) -> dict[str, Any]:
    """A decision by two rows, the one above a limit, the other at least so far below; and more that both demand."""
    rest = [{"gt": [f"$.inputs.n{number}", number]} for number in range(many)]
    rows = [
        ({"and": [{"gt": ["$.inputs.q", limit]}, *rest]}, {"passed": True, "reason_code": "A"}),
        ({"and": [{"lte": ["$.inputs.q", limit if least is None else least]}, *rest]}, {"passed": False}),
    ]
    node = {"type": "decision.evaluate_rules", "inputs": {"facts": {"value": {}}}, "rule_pack": "p"}
    return {
        "workflow_id": "ruled",
        "version": "v1",
        "inputs": {"q": {"type": "number", "unit": unit}} | {f"n{n}": {"type": "integer"} for n in range(many)},
        "nodes": {"judge": node, "done": {"type": "control.end", "status": "completed"}},
        "edges": [{"from": "judge", "to": "done"}],
        "execution_policy": {"risk_level": "low"},
        "rule_packs": {
            "p": {
                "version": "1",
                "rules": [
                    {"rule_id": name, "condition": condition, "outcome": outcome}
                    for name, (condition, outcome) in zip("AB", rows, strict=True)
                ],
            }
        },
    }


def judged(old: dict[str, Any], new: dict[str, Any], catalog: Catalog) -> Judgement:
    """The one node that judges by changed rows."""
    found = compare(Workflow.model_validate(old), Workflow.model_validate(new), catalog)
    (judgement,) = found.judgements
    return judgement


def test_rows_that_judge_otherwise(catalog: Catalog) -> None:
    """A border that moved: a value between, with what the rows give for it before and now."""
    found = judged(ruled(5), ruled(50), catalog)
    assert (found.at, found.pack, found.verdict) == ("judge", "p", "differs")
    (example,) = found.examples
    value = example.values["$.inputs.q"]
    assert isinstance(value, int | float) and 5 < value <= 50
    assert (example.old, example.new) == (("passed = true", 'reason_code = "A"'), ("passed = false",))


def test_rows_that_judge_the_same(catalog: Catalog) -> None:
    """Rows written otherwise, in another order and under other ids judge the same; so do they in another unit."""
    new = ruled(5)
    rows = new["rule_packs"]["p"]["rules"]
    rows.reverse()
    rows[0] |= {"rule_id": "C", "condition": "otherwise"}
    rows[1]["condition"] = {"not": {"lte": ["$.inputs.q", 5]}}
    assert judged(ruled(5), new, catalog).verdict == "same"
    found = judged(ruled(5000, unit="kg"), ruled(5, unit="t"), catalog)
    assert found.because == "no values are judged otherwise, counted in one unit (1 t is 1000 kg)"
    assert judged(ruled(5, unit="EUR"), ruled(5, unit="CNY"), catalog).verdict == "undecided"


def test_a_gap_between_rows_is_told(catalog: Catalog) -> None:
    """Values that no row holds for now: nothing is given."""
    old, new = Workflow.model_validate(ruled(5)), Workflow.model_validate(ruled(5, 3))
    found = compare(old, new, catalog)
    assert found.judgements[0].examples[0].new == ()
    told = in_words(found)
    assert "judge by p: some values are judged otherwise" in told
    assert told[told.index("old: passed = false") + 1] == "new: [nothing]"


def test_rows_over_many_values_are_asked_of_the_solver(catalog: Catalog) -> None:
    """Far too many values to be tried: proved the same, and found where not."""
    (example,) = judged(ruled(5, many=12), ruled(7, many=12), catalog).examples
    assert (example.old, example.new) == (("passed = true", 'reason_code = "A"'), ("passed = false",))
    turned = ruled(5, many=12)
    turned["rule_packs"]["p"]["rules"][0]["condition"]["and"].reverse()
    assert judged(ruled(5, many=12), turned, catalog).verdict == "same"


def test_what_rows_leave_no_run_for(catalog: Catalog) -> None:
    """A choice by what a rule pack says is the same over its inputs; what the rows allow is shown, and nothing else."""

    def chosen(condition: Any) -> Workflow:
        whole = ruled(5)
        whole["nodes"]["no"] = {"type": "control.end", "status": "rejected", "reason_code": "NO"}
        whole["edges"] = [
            {"from": "judge", "to": "done", "condition": condition},
            {"from": "judge", "to": "no", "condition": "otherwise"},
        ]
        return Workflow.model_validate(whole)

    passed = chosen({"eq": ["$.outputs.judge.passed", True]})
    same = only(compare(passed, chosen({"gt": ["$.inputs.q", 5]}), catalog))
    assert (same.verdict, same.examples) == ("same", ())
    (example,) = only(compare(passed, chosen({"gt": ["$.inputs.q", 9]}), catalog)).examples
    limit, judgement = example.values["$.inputs.q"], example.values["$.outputs.judge.passed"]
    assert isinstance(limit, int | float) and 5 < limit <= 9
    assert judgement is True
