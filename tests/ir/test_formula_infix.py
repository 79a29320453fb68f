"""The text form of formulas: what is understood, what is refused and where, and the way back."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from trees import refs

from ir.formula import (
    DEEPEST,
    OPERATIONS,
    Call,
    Constant,
    Expression,
    Formula,
    Item,
    expression_json,
    parse_expression,
    without_sources,
)
from ir.formulas.infix import FUNCTIONS, InfixError, parse_formula, to_formula
from ir.predicate import ConditionError, Ref

NAMES = {"amount": "$.inputs.amount", "费用": "$.inputs.fee", "sum": "$.inputs.sum"}
WORDS = """( ) [ ] { } , + - * / % × ÷ − and or not if then else for item in return is null true == < >= amount 费用 sum
round half up min count $.inputs.a $ 1 -2.5e3 007 0.1 "kg" kg “a” ' " \\ 且 item.x （ ） ， ％ ＋ § \ud800 \u3000"""
PIECES = re.split("[ \n]", WORDS)

numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
units = st.none() | st.sampled_from(["kg", "CNY", "元", "km/h", "in", "item", "°C", "%", "min", "m3", 'a"b', "且"])
constants = st.builds(Constant, numbers, units) | (st.none() | st.booleans() | st.text()).map(Constant)
items = st.lists(st.sampled_from(["a", "level_2", "node-1"]), max_size=2).map(tuple).map(Item)


def calls(below: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    """Every operation, with as many operands as it may have, at most three."""

    def call(op: str) -> st.SearchStrategy[Expression]:
        least, most = OPERATIONS[op]
        args = st.lists(below, min_size=int(least), max_size=int(min(most, max(least, 3))))
        return args.map(tuple).map(lambda given: Call(op, given))

    return st.sampled_from(sorted(OPERATIONS)).flatmap(call)


expressions: st.SearchStrategy[Expression] = st.recursive(refs | constants | items, calls, max_leaves=10)


@given(expressions)
@example(Call("neg", (Constant(5),)))
@example(Call("neg", (Call("neg", (Constant(-5, "kg"),)),)))
@example(Call("percent", (Constant(-5),)))
@example(Call("neg", (Call("percent", (Constant(5),)),)))
@example(Call("sub", (Constant(1), Call("sub", (Constant(2), Constant(-3))))))
@example(Call("in", (Call("in", (Constant(1), Call("list"))), Call("list"))))
@example(Call("add", (Call("if", (Constant(True), Constant(1), Constant(2))), Constant(3))))
@example(Call("filter", (Call("filter", (Ref("$.inputs.a"), Constant(True))), Call("and", (Item(), Item(("b",)))))))
def test_what_is_written_is_read_back(tree: Expression) -> None:
    """Parsing the text form of a tree gives the tree, and so does parsing its JSON form."""
    assert parse_formula(to_formula(tree)) == tree
    assert parse_expression(expression_json(tree)) == tree
    stored = Formula(formula=tree)
    assert Formula.model_validate_json(stored.model_dump_json()) == stored


@given(st.text() | st.lists(st.sampled_from(PIECES), max_size=20).map(" ".join))
@example("(" * 5000)
@example("not " * 5000 + "x")
@example("- " * 5000 + "1")
@example("[" * 5000)
@example("1" + " + 1" * 60)
@example("if " * 200)
@example("9" * 5000)
def test_any_text_gives_a_tree_or_a_column(text: str) -> None:
    """The parser is total: a tree that can be stored and written, or an error inside the text."""
    try:
        tree = parse_formula(text, NAMES)
    except InfixError as error:
        assert 1 <= error.column <= len(text) + 1
        assert error.expected
    else:
        assert parse_expression(expression_json(tree)) == tree
        assert parse_formula(to_formula(tree)) == tree


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("amount × 5％ ÷ 2", "$.inputs.amount * 5% / 2"),
        ("（费用 ＋ 20 元）＊2", "($.inputs.fee + 20 元) * 2"),
        ("round_half_up(amount, 2)", "round half up($.inputs.amount, 2)"),
        ("Round Half Up(amount, 2)", "round half up($.inputs.amount, 2)"),
        ("sum(sum, 1)", "sum($.inputs.sum, 1)"),
        ("amount is not null", "not is_null($.inputs.amount)"),
        ("amount not in [1, 2]", "not $.inputs.amount in [1, 2]"),
        ("if amount ≥ 5 then 1 else 2 + 3", "if $.inputs.amount >= 5 then 1 else 2 + 3"),
        ("amount - -5", "$.inputs.amount - -5"),
        ("1 - 2 - 3 * (4 - 5)", "1 - 2 - 3 * (4 - 5)"),
        ("for item in amount.lines return item.price * item.count", None),
        ("amount.lines[item.price > 5 and item.paid]", None),
        ('5 "km/h" + 3 kg', '5 "km/h" + 3 kg'),
    ],
)
def test_what_is_understood(text: str, written: str | None) -> None:
    """Full-width signs, FEEL's names with spaces, bare names; what is written comes out in one way."""
    found = to_formula(parse_formula(text, NAMES))
    assert found == (written or text.replace("amount", "$.inputs.amount"))


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("amount * ", 10, "a number, a text"),
        ("amuont * 2", 1, "did you mean amount?"),
        ("maximum(1, 2)", 1, "a known name or function"),
        ("abs(1, 2)", 1, "1 operands for abs"),
        ("round half up(1, 2, 3)", 1, "1 or 2 operands"),
        ("0.12345678901234567890", 1, "at most 15 digits"),
        ("amount amount", 8, "an operator or the end"),
        ("(1 + 2", 7, "`)`"),
        ("10kg", 1, "a number in decimal digits"),
        ("if amount > 5 then 1", 21, "`else`"),
    ],
)
def test_what_is_refused(text: str, column: int, expected: str) -> None:
    """An error has the column and what was expected there."""
    with pytest.raises(InfixError) as caught:
        parse_formula(text, NAMES)
    assert caught.value.column == column
    assert expected in caught.value.expected


@pytest.mark.parametrize(
    ("raw", "pointer"),
    [
        ({"add": [1]}, "/add"),
        ({"power": [1, 2]}, ""),
        ({"list": [1]}, ""),
        ({"add": [1, {"neg": ["$.outer.x"]}]}, "/add/1/neg/0"),
        ({"value": [1]}, ""),
        ({"value": "x", "unit": "kg"}, "/unit"),
        ({"value": 1, "status": "guessed"}, "/status"),
        ({"add": [1, 2], "sub": [1, 2]}, ""),
        ([{"mul": 5}], "/0/mul"),
        ("$item.", ""),
    ],
)
def test_malformed_trees_say_where(raw: object, pointer: str) -> None:
    """A malformed tree is refused with a pointer to the fault."""
    with pytest.raises(ConditionError) as caught:
        parse_expression(raw)
    assert caught.value.pointer == pointer


def test_nesting_has_a_limit() -> None:
    """As deep as is allowed and no deeper, in both forms."""
    text = "$.inputs.a"
    for _ in range(DEEPEST):
        text = f"abs({text})"
    tree = parse_formula(text)
    assert parse_expression(expression_json(tree)) == tree
    with pytest.raises(InfixError):
        parse_formula(f"abs({text})")
    with pytest.raises(ConditionError):
        parse_expression({"abs": [expression_json(tree)]})


def test_every_operation_can_be_written() -> None:
    """An operation is a function, or has signs of its own."""
    signs = "add sub mul div neg percent eq ne lt lte gt gte in and or not if for filter list"
    assert set(FUNCTIONS) | set(signs.split()) == set(OPERATIONS)


def test_sources_are_kept_in_the_tree_alone() -> None:
    """Where a literal comes from is stored; the text form leaves it out."""
    literal = {"value": 5, "unit": "CNY", "quote": "五元", "status": "converted", "from": "五元"}
    tree = parse_expression({"add": [literal, 1]})
    assert parse_expression(expression_json(tree)) == tree
    assert parse_formula(to_formula(tree)) == without_sources(tree) != tree
