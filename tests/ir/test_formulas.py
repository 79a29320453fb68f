"""What formulas come to: exactly, unknown where something is, a coded fault where they have no value."""

from typing import Any

import pytest
from pydantic import JsonValue
from test_walk import made

from ir.codec import read_workflow, write_json
from ir.duration import Calendar
from ir.formula import parse_expression
from ir.formulas.evaluate import FormulaFault, compute
from ir.formulas.infix import parse_formula
from ir.walk import walk

NAMES = {name: f"$.inputs.{name}" for name in ("a", "b", "c", "d", "none", "scores", "lines", "start", "at")}
VALUES: dict[str, JsonValue] = {
    "a": 0.1, "b": 0.2, "c": -7, "d": 1e15, "none": None, "scores": [3, None, 5.5], "start": "2026-01-30",
    "lines": [{"price": 2.5, "count": 4, "taxed": True}, {"price": 0.1, "count": 3, "taxed": False}],
    "at": "2026-01-30T10:00:00+08:00",
}  # fmt: skip
SPRING = Calendar.model_validate_json(
    '{"first": "2026-02-01", "last": "2026-03-31",'
    ' "holidays": ["2026-02-16", "2026-02-17"], "workdays": ["2026-02-14"]}'
)


def computed(text: str) -> JsonValue | FormulaFault:
    """What a formula comes to with the values above."""
    return compute(parse_formula(text, NAMES), lambda ref: VALUES.get(ref.path[0]), {"CN@2026": SPRING})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a + b", 0.3),
        ("a * b", 0.02),
        ("1 / 3 * 3", 1),
        ("2 / 3", 0.6666666666666666),
        ("d + a", 1000000000000000.1),
        ("200 * 5%", 10),
        ("to_percent((110 - 100) / 100)", 10),
        ('convert(1500, "kg", "t")', 1.5),
        ("-c + abs(c) - -c", 7),
        ("floor(-2.5)", -3),
        ("ceiling(-2.5)", -2),
        ("round up(2.341, 2)", 2.35),
        ("round down(-2.349, 2)", -2.34),
        ("round half up(2.5)", 3),
        ("round half up(-2.5)", -3),
        ("round half down(2.5)", 2),
        ("round half even(3.5)", 4),
        ("round half up(1234, -2)", 1200),
        ("round half up(1.005, 2)", 1.01),
        ("min(a, b, c)", -7),
        ("max([a, b])", 0.2),
        ("mean(1, 2, 4)", 2.3333333333333335),
        ('min("2026-03-01", start)', "2026-01-30"),
        ("count(scores)", 3),
        ("count(known(scores))", 2),
        ("sum(known(scores))", 8.5),
        ("sum(for item in lines return item.price * item.count)", 10.3),
        ("lines[item.taxed]", [{"price": 2.5, "count": 4, "taxed": True}]),
        ("for item in scores[item is not null] return item + 1", [4, 6.5]),
        ("append([1], 2, none)", [1, 2, None]),
        ("concatenate([1], [], [2, 3])", [1, 2, 3]),
        ("if a < b then 1 else 1 / 0", 1),
        ("c != 0 and 1 / c < 0", True),
        ("c == 0 and 1 / 0 > 1", False),
        ("c in [1, -7]", True),
        ('string join(["a", string(0.5), string(true)], "-")', "a-0.5-true"),
        ('start + "P1M"', "2026-02-28"),
        ('start + "P3D"', "2026-02-02"),
        ('at - "PT12H"', "2026-01-29T22:00:00+08:00"),
        ('"P1D" + "PT6H"', "P1DT6H"),
        ('start + duration(2 + 1, "d")', "2026-02-02"),
        ('days_between(start, "2026-02-02")', 3),
        ('months_between("2024-01-31", start)', 23),
        ('add_working_days(start, 1, "weekdays@1")', "2026-02-02"),
        ('add_working_days("2026-02-13", 2, "CN@2026")', "2026-02-18"),
        ('add_working_days("2026-02-18", -2, "CN@2026")', "2026-02-13"),
        ('working_days_between("2026-02-13", "2026-02-18", "CN@2026")', 2),
    ],
)
def test_values(text: str, value: JsonValue) -> None:
    """Decimals come out as decimals; dates, lists and texts as they are written."""
    found = computed(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "a + none", "none * 0", "sum(scores)", "max(1, none)", "mean([])", "sum([])", "min(known(none, none))",
        "if none > 1 then 1 else 2", "none and true", "none in [1]", "1 in [2, none]", "none[item > 1]",
        "scores[item > 1]", "for item in none return 1", "append(none, 1)", "concatenate([1], none)", "count(none)",
        "known(none)", 'none + "P1D"', 'string join(["a", none])', "not none", "round half up(none, 2)",
    ],
)  # fmt: skip
def test_unknown_stays_unknown(text: str) -> None:
    """What is not known makes the result unknown, and never zero."""
    assert computed(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("none is null", True),
        ("none and false", False),
        ("none or true", True),
        ("1 in [1, none]", True),
        ("if none is null then max(known(a, b, none)) else none", 0.2),
        ("sum(known(a, b, none)) + max(known(a, b, none)) * (3 - count(known(a, b, none)))", 0.5),
        ("[none, 1]", [None, 1]),
    ],
)
def test_missing_values_are_dealt_with_in_so_many_words(text: str, value: JsonValue) -> None:
    """A formula that says what becomes of a missing value has one: a missing score is the largest of the others."""
    assert computed(text) == value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a / (b - 0.2)", "DIVISION_BY_ZERO"),
        ('a + "x"', "TYPE_MISMATCH"),
        ("max(a)", "TYPE_MISMATCH"),
        ("if a then 1 else 2", "TYPE_MISMATCH"),
        ("true + 1", "TYPE_MISMATCH"),
        ('start + "PT1H"', "TYPE_MISMATCH"),
        ('start + "P5BD"', "TYPE_MISMATCH"),
        ('"P1M" + "P1D"', "TYPE_MISMATCH"),
        ('start < "P1D"', "TYPE_MISMATCH"),
        ("item + 1", "TYPE_MISMATCH"),
        ("a in 5", "TYPE_MISMATCH"),
        ('convert(1, "CNY", "USD")', "TYPE_MISMATCH"),
        ('duration(1, "moon")', "TYPE_MISMATCH"),
        ("d * d", "OUT_OF_RANGE"),
        ('duration(-1, "d")', "OUT_OF_RANGE"),
        ('duration(1.5, "d")', "OUT_OF_RANGE"),
        ('"P1D" - "P2D"', "OUT_OF_RANGE"),
        ('"9999-12-31" + "P1D"', "OUT_OF_RANGE"),
        ('add_working_days(start, 1, "CN@2025")', "UNKNOWN_CALENDAR"),
        ('add_working_days("2026-03-30", 5, "CN@2026")', "OUTSIDE_CALENDAR"),
        ('add_working_days("9999-12-31", 5, "weekdays@1")', "OUTSIDE_CALENDAR"),
    ],
)
def test_what_has_no_value_has_a_code(text: str, code: str) -> None:
    """A formula without a value gives a fault, and no exception."""
    found = computed(text)
    assert isinstance(found, FormulaFault)
    assert found.code == code


def test_work_is_bounded() -> None:
    """Lists that multiply are stopped."""
    text = "scores"
    for _ in range(15):
        text = f"for item in scores return {text}"
    found = computed(text)
    assert isinstance(found, FormulaFault)
    assert found.code == "TOO_MUCH_WORK"


def fees(**rest: Any) -> dict[str, Any]:
    """A workflow in which a node computes a fee and the edges read it."""
    formula = {"formula": "$.inputs.base * 10% / $.inputs.n"}
    rules = [
        {"rule_id": "R1", "condition": {"lte": ["$.inputs.base", 100]}, "outcome": {"fee": 5}},
        {
            "rule_id": "R2",
            "condition": "otherwise",
            "formulas": {"fee": formula},
        },
    ]
    fee = {"type": "number", "unit": "CNY", "maximum": 1000}
    return {
        "workflow_id": "demo",
        "version": "v1",
        "inputs": {"amount": {"type": "number"}, "n": {"type": "integer"}},
        "nodes": {
            "fee": {"type": "decision.evaluate_rules", "inputs": {"base": "$.inputs.amount"}, "rule_pack": "fee"},
            "high": {"type": "control.end"},
            "low": {"type": "control.end"},
            "failed": {"type": "control.end", "status": "failed", "reason_code": "NO_FEE"},
        },
        "edges": [
            {"from": "fee", "to": "high", "condition": {"gt": ["$.outputs.fee.fee", 20]}},
            {"from": "fee", "to": "low", "condition": "otherwise"},
            {"from": "fee", "to": "failed", "on": "error"},
        ],
        "outputs": {"fee": "$.outputs.fee.fee"},
        "execution_policy": {"risk_level": "low"},
        "rule_packs": {"fee": {"version": "1.0.0", "outputs": {"fee": fee}, "rules": rules}},
        **rest,
    }


@pytest.mark.parametrize(
    ("inputs", "recorded", "path", "fee"),
    [
        ({"amount": 50, "n": 1}, {}, ("fee", "low"), 5),
        ({"amount": 1000, "n": 3}, {}, ("fee", "high"), 33.333333333333336),
        ({"amount": 1000, "n": 3}, {"fee": {"fee": 1}}, ("fee", "high"), 33.333333333333336),
        ({"amount": 1000, "n": 0}, {}, ("fee", "failed"), None),
        ({"amount": 1e6, "n": 1}, {}, ("fee", "failed"), None),
        ({"amount": 1000, "n": None}, {}, ("fee",), None),
        ({"amount": 50, "n": 1}, {"fee": {"$error": "TIMEOUT"}}, ("fee", "failed"), None),
    ],
)
def test_the_walk_computes(inputs: Any, recorded: Any, path: tuple[str, ...], fee: JsonValue) -> None:
    """A node gives what its rows come to, whatever is recorded; it fails where they have no value."""
    workflow, found = read_workflow(write_json(fees()))
    assert workflow is not None, found
    gone = walk(workflow, inputs, recorded)
    assert (gone.path, gone.result.outputs["fee"]) == (path, fee)


def test_a_pack_without_formulas_or_outputs_is_recorded_as_ever() -> None:
    """Rows over the outputs of a Type alone decide nothing in the walk: what the node gave is recorded."""
    rules = [{"rule_id": "R1", "outcome": {"x": 1}}]
    packs = {"p": {"version": "1", "rules": rules}}
    workflow = made({"a": {"rule_pack": "p"}}, [], rule_packs=packs, outputs={"x": "$.outputs.a.x"})
    assert walk(workflow, {}, {}).result.outputs == {"x": None}


def test_rows_that_disagree_say_nothing() -> None:
    """Where rows give one field different values, the walk has none."""
    rules = [{"rule_id": f"R{n}", "formulas": {"x": {"formula": parse_expression({"add": [n, 1]})}}} for n in (1, 2)]
    packs = {"p": {"version": "1", "rules": rules}}
    workflow = made({"a": {"rule_pack": "p"}}, [], rule_packs=packs, outputs={"x": "$.outputs.a.x"})
    assert walk(workflow, {}, {}).result.outputs == {"x": None}


def test_text_forms_are_read_with_a_notice_or_an_error() -> None:
    """A formula may be written as text; what is stored is the tree. What is no formula is an error where it stands."""
    workflow, found = read_workflow(write_json(fees()))
    assert [one.error_code for one in found] == ["infix-formula"]
    assert workflow is not None
    assert read_workflow(write_json(workflow)) == (workflow, ())
    broken = fees()
    broken["rule_packs"]["fee"]["rules"][1]["formulas"]["fee"] = "$.inputs.base *"
    assert [(one.error_code, one.location.pointer) for one in read_workflow(write_json(broken))[1]] == [
        ("bad-formula", "/rule_packs/fee/rules/1/formulas/fee")
    ]
    broken["rule_packs"]["fee"]["rules"][1]["formulas"]["fee"] = {"formula": {"add": [1]}}
    assert [(one.error_code, one.location.pointer) for one in read_workflow(write_json(broken))[1]] == [
        ("bad-formula", "/rule_packs/fee/rules/1/formulas/fee/formula/add")
    ]


def test_an_output_is_given_or_computed() -> None:
    """One row does not give a field twice."""
    broken = fees()
    broken["rule_packs"]["fee"]["rules"][1]["outcome"] = {"fee": 1}
    assert [one.error_code for one in read_workflow(write_json(broken))[1]] == ["infix-formula", "bad-value"]
