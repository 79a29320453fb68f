"""The text form of conditions: what is understood, what is refused and where, and the way back."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from trees import conditions

from ir.infix import InfixError, parse_infix, to_infix
from ir.predicate import (
    DEEPEST,
    Compare,
    Junction,
    Literally,
    Not,
    Null,
    Ref,
    Tree,
    condition_json,
    parse_tree,
)

NAMES = {
    "hazard_level": "$.outputs.level.hazard_level",
    "transport_mode": "$.inputs.transport_mode",
    "level": "$.outputs.level",
    "危险等级": "$.outputs.level.hazard_level",
    "非危险品": "$.inputs.harmless",
}
WORDS = """( ) [ ] { } , : and or not ! && || == = != < in contains exists is_null is null true hazard_level 危险等级
$.inputs.a $ 1 -2.5e3 007 "公路" “a” ' " \\ 且 或 非 （ ） ， ＝ ≥ § \ud800 \u3000"""
PIECES = re.split("[ \n]", WORDS)


@given(conditions)
def test_what_is_written_is_read_back(tree: Tree) -> None:
    """Parsing the text form of a tree gives the tree."""
    assert parse_infix(to_infix(tree)) == tree


@given(st.text() | st.lists(st.sampled_from(PIECES), max_size=20).map(" ".join))
@example("(" * 5000)
@example("not " * 5000 + "x")
@example("[" * 5000)
@example("a == " + "[" * 60 + "]" * 60)
@example("$.inputs.a == " + "9" * 5000)
@example('$.inputs.a == "' + "\\" * 5)
def test_any_text_gives_a_tree_or_a_column(text: str) -> None:
    """The parser is total: a tree that can be stored, or an error inside the text."""
    try:
        tree = parse_infix(text, NAMES)
    except InfixError as error:
        assert 1 <= error.column <= len(text) + 1
        assert error.expected
    else:
        assert parse_tree(condition_json(tree)) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        (
            'hazard_level in [1,2] and transport_mode == "公路"',
            {"and": [{"in": ["$.outputs.level.hazard_level", [1, 2]]}, {"eq": ["$.inputs.transport_mode", "公路"]}]},
        ),
        (
            "危险等级 in [1，2] 且 transport_mode ＝＝ “公路”",
            {"and": [{"in": ["$.outputs.level.hazard_level", [1, 2]]}, {"eq": ["$.inputs.transport_mode", "公路"]}]},
        ),
        (
            "危险等级＝１或非危险品==true",
            {"or": [{"eq": ["$.outputs.level.hazard_level", 1]}, {"eq": ["$.inputs.harmless", True]}]},
        ),
        ("非（危险等级≥2）", {"not": {"gte": ["$.outputs.level.hazard_level", 2]}}),
        (
            "$.inputs.a=='x' || ! exists($.inputs.b)",
            {"or": [{"eq": ["$.inputs.a", "x"]}, {"not": {"exists": "$.inputs.b"}}]},
        ),
        ("$.inputs.a<1 && $.inputs.b>=-2.5", {"and": [{"lt": ["$.inputs.a", 1]}, {"gte": ["$.inputs.b", -2.5]}]}),
        ('contains($.outputs.m.checks,"filing")', {"contains": ["$.outputs.m.checks", "filing"]}),
        ('$.outputs.m.checks CONTAINS "filing"', {"contains": ["$.outputs.m.checks", "filing"]}),
        ("level.un_number is not null", {"exists": "$.outputs.level.un_number"}),
        ("hazard_level not in [3]", {"not": {"in": ["$.outputs.level.hazard_level", [3]]}}),
        ("5 < hazard_level", {"lt": [5, "$.outputs.level.hazard_level"]}),
        (r'$.inputs.a == "\u516c\n\"路"', {"eq": ["$.inputs.a", '公\n"路']}),
        ('$.inputs.a == "$.inputs.b"', {"eq": ["$.inputs.a", {"value": "$.inputs.b"}]}),
        (
            "$.inputs.a==1 or $.inputs.b==1 and not exists($.inputs.c)",
            {
                "or": [
                    {"eq": ["$.inputs.a", 1]},
                    {"and": [{"eq": ["$.inputs.b", 1]}, {"not": {"exists": "$.inputs.c"}}]},
                ]
            },
        ),
    ],
)
def test_forms_that_are_understood(text: str, tree: object) -> None:
    """Operators in words, signs and Chinese, full-width symbols and all quotation marks mean the same tree."""
    assert condition_json(parse_infix(text, NAMES)) == tree


@pytest.mark.parametrize(
    ("text", "column", "found", "hint"),
    [
        ("", 1, "", "reference"),
        ("hazard_level == null", 17, "null", "is_null"),
        ("hazard_level in [1, null]", 21, "null", "is_null"),
        ("hazard_levle == 1", 1, "hazard_levle", "did you mean hazard_level?"),
        ("hazard_level", 13, "", "comparison"),
        ("1 < hazard_level < 3", 18, "<", "`and`"),
        ("危险等级 == 5吨", 10, "吨", "known name"),
        ("hazard_level == 5kg", 17, "5kg", "without unit"),
        ("hazard_level == 007", 17, "007", "leading zeros"),
        ("hazard_level == 1e999", 17, "1e999", "finite"),
        ('transport_mode == "公路', 19, '"公路', "closing"),
        (r'transport_mode == "\x"', 20, r"\x", "escapes"),
        ("(hazard_level == 1", 19, "", "`)`"),
        ("$.env.x == 1", 1, "$.env.x", "$.inputs.amount"),
        ("exists(5)", 8, "5", "reference"),
        ("hazard_level not == 1", 18, "==", "`in`"),
        ("hazard_level == 1; drop", 18, ";", "`and`"),
        ("__import__('os').system('x')", 1, "__import__", "known name"),
    ],
)
def test_faults_have_a_column_and_what_was_expected(text: str, column: int, found: str, hint: str) -> None:
    """An error names the column in code points, the word that stands there and what should."""
    with pytest.raises(InfixError) as caught:
        parse_infix(text, NAMES)
    assert (caught.value.column, caught.value.found) == (column, found)
    assert hint in str(caught.value)


def test_nesting_has_a_limit() -> None:
    """As many levels as a stored condition may have are read; one more is refused."""
    tree: Tree = Null(Ref("$.inputs.a"))
    for level in range(DEEPEST):
        tree = Not(tree) if level % 2 else Junction("and", (tree, Null(Ref("$.inputs.b"))))
    assert parse_infix(to_infix(tree)) == tree
    with pytest.raises(InfixError, match="at most 50"):
        parse_infix(to_infix(Not(tree)))


def test_the_origin_of_literals_is_left_out() -> None:
    """The text form shows values only."""
    literal = Literally(5000, quote="5 吨", status="converted", source={"value": 5, "unit": "t"})
    assert to_infix(Compare("gt", Ref("$.inputs.kg"), literal)) == "$.inputs.kg > 5000"
