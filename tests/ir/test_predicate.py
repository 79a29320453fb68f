"""Condition trees: reading, evaluation in three values, equality."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import conditions, json_values, literals

from ir.predicate import (
    COMPARE_OPS,
    DEEPEST,
    ConditionError,
    Literally,
    Not,
    Ref,
    Tree,
    compare,
    condition_json,
    evaluate,
    negate,
    operand_json,
    parse_operand,
    parse_tree,
)


@given(conditions)
def test_a_tree_survives_its_json_form(tree: Tree) -> None:
    """Writing a tree as JSON and reading it gives the tree."""
    assert parse_tree(condition_json(tree)) == tree


@given(json_values)
def test_any_value_is_a_tree_or_a_condition_error(value: object) -> None:
    """No JSON value makes the reader fail otherwise."""
    try:
        parse_tree({"and": [value, {"eq": [value, value]}]})
    except ConditionError as error:
        assert error.expected


@given(conditions, st.dictionaries(st.text(), literals))
def test_negation_turns_the_truth_and_keeps_unknown(tree: Tree, values: dict[str, str]) -> None:
    """`negate` is Kleene's negation."""

    def lookup(ref: Ref) -> str | None:
        return values.get(ref.text)

    truth = evaluate(tree, lookup)
    turned = evaluate(negate(tree), lookup)
    assert turned == (None if truth is None else not truth)
    assert evaluate(Not(tree), lookup) == turned


@given(st.sampled_from(COMPARE_OPS), json_values, json_values)
def test_comparison_is_total(op: str, left: object, right: object) -> None:
    """Any two JSON values compare as true, false or unknown; with null always as unknown."""
    known = next(name for name in COMPARE_OPS if name == op)
    truth = compare(known, left, right)  # type: ignore[arg-type]  # any object that hypothesis makes of JSON
    assert truth in (True, False, None)
    if left is None or right is None:
        assert truth is None


@pytest.mark.parametrize(
    ("op", "left", "right", "truth"),
    [
        ("eq", [1], [True], False),
        ("eq", [1], [1.0], True),
        ("eq", {"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ("gt", 10**400, 1.5, True),
        ("eq", "P99999999999999999999D", "P1D", False),
        ("in", 3, [1, None], None),
        ("in", 1, [1, None], True),
        ("lt", "2026-01-01", "2026-01-01T00:00:00", None),
        ("lt", "P1M", "P40D", None),
        ("eq", "1", 1, None),
    ],
)
def test_comparisons_at_the_borders(op: str, left: object, right: object, truth: bool | None) -> None:
    """True is not 1 inside lists either, huge numbers compare, and what has no order is unknown."""
    known = next(name for name in COMPARE_OPS if name == op)
    assert compare(known, left, right) is truth  # type: ignore[arg-type]  # JSON values


def test_literals_are_equal_by_json_value() -> None:
    """In Python 1 equals True; as literals they differ, and equal literals have equal hashes."""
    assert Literally(1) != Literally(True)
    assert Literally(1) == Literally(1.0)
    assert hash(Literally({"a": 1, "b": 2})) == hash(Literally({"b": 2.0, "a": 1}))


def test_a_reference_in_a_list_is_refused_unless_meant_as_words() -> None:
    """Lists hold literals; a reference in one would silently be compared as text."""
    with pytest.raises(ConditionError, match="literal"):
        parse_operand([1, "$.inputs.a"])
    words = Literally(["$.inputs.a"])
    assert operand_json(words) == {"value": ["$.inputs.a"]}
    assert parse_operand(operand_json(words)) == words


def test_depth_has_a_limit() -> None:
    """A condition deeper than `DEEPEST` is a condition error, not a recursion error."""
    raw: object = {"is_null": "$.inputs.a"}
    for _ in range(DEEPEST):
        raw = {"not": raw}
    parse_tree(raw)
    for _ in range(5000):
        raw = {"not": raw}
    with pytest.raises(ConditionError, match="at most"):
        parse_tree(raw)
