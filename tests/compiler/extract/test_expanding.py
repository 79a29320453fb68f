"""Which words bear out the numbers of a model's conditions: headings of tables, and limits said the other way round."""

from typing import Any

import pytest

from catalog.load import load_catalog
from compiler.extract.model.expand import Expander
from compiler.extract.model.form import AnsweredProcedure, Quote
from compiler.extract.model.quoting import Quoting
from compiler.extract.model.supported import supported_part
from compiler.grounding import unsupported_literals
from compiler.parsers import parse
from compiler.text.mentions import mentions_of
from ir.document import Document
from ir.infix import to_infix
from ir.predicate import Compare, Literally
from ir.procedure import ConditionText, Procedure

CATALOG = load_catalog()
TABLE = """# Purchases

The buyer checks the purchase.

| Kind | up to 5 万元 | more than 5 万元 |
|---|---|---|
| Goods | the manager | the director |
| Works | the board | the board |
"""
PARTED = """<html><body><p>The buyer checks it.</p><table>
<tr><td rowspan="2">Kind</td><td colspan="2">Amount</td></tr>
<tr><td>up to 5 万元</td><td>more than 5 万元</td></tr>
<tr><td>Goods</td><td>manager</td><td>director</td></tr>
<tr><td>Works</td><td>board</td><td>owner</td></tr>
</table></body></html>"""
LIMITS = """# Purchases

The buyer checks the purchase.

Purchases of more than 5 万元 are ordered by the director.

Other purchases are ordered by the clerk.

Orders within 30 days are urgent.
"""


def document(text: str, name: str = "policy.md") -> Document:
    """A document as read."""
    read = parse(text.encode(), name).document
    assert read is not None
    return read


def headed(given: Document, row: int, words: str) -> list[str]:
    """The quotes that stand for words of a row, in their order."""
    table = next(block.address for block in given.blocks if block.cells)
    quote = Quote(b=f"{table}-r{row}", q=words)
    return [evidence.quote for evidence in Quoting(given).with_headings([quote])]


def expanded(given: Document, *ways: tuple[str, str, str], rules: tuple[dict[str, Any], ...] = ()) -> Procedure:
    """The procedure of a check with ways to an end: each a condition, the block and the words that state it."""
    facts = [
        {"id": "sum_spent", "name": "sum spent", "type": "number", "unit": "CNY", "at": []},
        {"id": "fee", "name": "fee", "type": "number", "unit": "CNY", "at": []},
    ]
    flows = [
        {"a": "s1", "z": "end", "when": when, "words": {"b": block, "q": words} if words else []}
        for when, block, words in ways
    ]
    step = {"id": "s1", "kind": "check", "at": [{"b": given.blocks[0].address, "q": "The buyer checks"}]}
    answer = {"title": "Purchases", "facts": facts, "steps": [step], "flows": flows, "rules": list(rules)}

    return Expander(given, mentions_of(CATALOG), "m").procedure(AnsweredProcedure.model_validate(answer), "p")


def unborne(condition: ConditionText) -> tuple[Literally, ...]:
    """The values of a condition that no words of its evidence bear out."""
    assert condition.predicate is not None
    units = {"$.facts.sum_spent": "CNY", "$.facts.fee": "CNY"}
    return unsupported_literals(condition.predicate, condition.evidence, field_units=units)


# --- headings ---------------------------------------------------------------------------------------------------------


def test_the_heading_over_a_cell_bears_a_conditions_number() -> None:
    """The cell names who orders; the heading of its column says from which sum on."""
    given = document(TABLE)
    told = expanded(given, ("sum_spent > 50000", "t1-r2", "the director"))
    (condition,), (flow,) = told.conditions, told.flows
    assert flow.evidence == condition.evidence
    assert [evidence.quote for evidence in condition.evidence] == [
        "the director", "more than 5 万元", "Goods", "the manager",
    ]  # fmt: skip
    assert unborne(condition) == ()
    assert isinstance(condition.predicate, Compare)
    assert isinstance(condition.predicate.right, Literally)
    assert condition.predicate.right.quote == "5 万元"


def test_the_heading_of_another_column_bears_nothing() -> None:
    """A number that only stands over another cell is found out."""
    given = document(TABLE.replace("more than 5 万元", "more than 8 万元"))
    (condition,) = expanded(given, ("sum_spent > 80000", "t1-r2", "the manager")).conditions
    assert [literal.value for literal in unborne(condition)] == [80000]


def test_a_cell_is_told_with_the_headings_over_it_and_before_it() -> None:
    """Of both rows where the second divides the first; not with the rows beside its own."""
    given = document(PARTED, "policy.html")
    assert headed(given, 3, "director") == ["director", "Amount", "more than 5 万元", "Goods", "manager"]
    assert headed(given, 4, "board") == ["board", "Amount", "up to 5 万元", "Works"]
    whole = document(PARTED.replace('colspan="2"', "").replace("Amount</td>", "Amount</td><td>Sum</td>"), "policy.html")
    assert headed(whole, 4, "board") == ["board", "Amount", "Works"]


def test_words_in_two_cells_of_a_row_have_no_heading() -> None:
    """Nobody can say under which of them they stand; nor has a paragraph any."""
    given = document(TABLE)
    assert headed(given, 3, "the board") == ["the board"]
    paragraph = Quote(b=given.blocks[1].address, q="The buyer checks")
    assert [evidence.quote for evidence in Quoting(given).with_headings([paragraph])] == ["The buyer checks"]


# --- limits -----------------------------------------------------------------------------------------------------------


def blocks(given: Document) -> dict[str, str]:
    """The address of each block by the first words of its text."""
    return {" ".join(block.text.split()[:2]): block.address for block in given.blocks}


def test_a_limit_said_the_other_way_round_has_the_words_of_the_first_way() -> None:
    """`Other purchases` has no number of its own; the words that do stand in its evidence too."""
    given = document(LIMITS)
    at = blocks(given)
    first, other = expanded(
        given,
        ("sum_spent > 50000", at["Purchases of"], "more than 5 万元"),
        ("sum_spent <= 50000", at["Other purchases"], "Other purchases"),
    ).conditions
    assert to_infix(other.predicate) == "$.facts.sum_spent <= 50000"  # type: ignore[arg-type]
    assert [evidence.quote for evidence in other.evidence] == ["Other purchases", "more than 5 万元"]
    assert (unborne(first), unborne(other)) == ((), ())
    assert isinstance(other.predicate, Compare)
    assert isinstance(other.predicate.right, Literally)
    assert other.predicate.right.quote == "5 万元"


def test_a_limit_may_be_told_later_or_by_a_rule() -> None:
    """The order of the ways does not matter, and a rule's words count as a way's do."""
    given = document(LIMITS)
    at = blocks(given)
    other, _ = expanded(
        given,
        ("sum_spent <= 50000", at["Other purchases"], "Other purchases"),
        ("sum_spent > 50000", at["Purchases of"], "more than 5 万元"),
    ).conditions
    rule = {
        "modality": "must",
        "when": "sum_spent > 50000",
        "at": {"b": at["Purchases of"], "q": "Purchases of more than 5 万元 are ordered by the director"},
    }
    way = ("sum_spent <= 50000", at["Other purchases"], "Other purchases")
    (ruled,) = expanded(given, way, rules=(rule,)).conditions
    assert (unborne(other), unborne(ruled)) == ((), ())


def test_a_limit_that_a_heading_bears_is_one_for_the_other_way() -> None:
    """With the cell and its headings as evidence."""
    given = document(TABLE)
    _, other = expanded(
        given,
        ("sum_spent > 50000", "t1-r2", "the director"),
        ("sum_spent <= 50000", given.blocks[1].address, "the purchase"),
    ).conditions
    assert unborne(other) == ()
    assert [evidence.quote for evidence in other.evidence][:3] == ["the purchase", "the director", "more than 5 万元"]


@pytest.mark.parametrize(
    ("said", "value"), [("fee <= 50000", 50000), ("sum_spent <= 5000", 5000), ("sum_spent <= 50001", 50001)]
)
def test_a_limit_of_something_else_is_not_borrowed(said: str, value: int) -> None:
    """Neither the same number of another fact, nor another number of the same."""
    given = document(LIMITS)
    at = blocks(given)
    _, other = expanded(
        given,
        ("sum_spent > 50000", at["Purchases of"], "more than 5 万元"),
        (said, at["Other purchases"], "Other purchases"),
    ).conditions
    assert [literal.value for literal in unborne(other)] == [value]
    assert [evidence.quote for evidence in other.evidence] == ["Other purchases"]


def test_a_number_that_no_words_give_is_no_limit() -> None:
    """Said twice it is as invented as said once."""
    given = document(LIMITS)
    at = blocks(given)
    both = expanded(
        given,
        ("sum_spent > 5000", at["Purchases of"], "more than 5 万元"),
        ("sum_spent <= 5000", at["Other purchases"], "Other purchases"),
    ).conditions
    assert [[literal.value for literal in unborne(one)] for one in both] == [[5000], [5000]]


# --- a unit in a heading ----------------------------------------------------------------------------------------------

POWERS = """# Purchases

The buyer checks the purchase.

| Post | Amount X（万元） |
|---|---|
| Manager | X＜5 |
| Director | 5≤X＜20 |
"""


def test_a_cells_number_has_the_unit_of_its_heading() -> None:
    """`X＜5` under 万元 is below 50,000 yuan, borne out by the number and the unit where they stand."""
    given = document(POWERS)
    first, second = expanded(
        given, ("sum_spent < 50000", "t1-r2", "X＜5"), ("sum_spent >= 50000 and sum_spent < 200000", "t1-r3", "5≤X＜20")
    ).conditions
    assert unborne(first) == unborne(second) == ()
    assert isinstance(first.predicate, Compare)
    assert isinstance(first.predicate.right, Literally)
    assert (first.predicate.right.quote, first.predicate.right.source) == ("5", "5 万元")


def test_a_unit_of_another_size_bears_no_number() -> None:
    """500,000 yuan are not `5` under 万元."""
    (condition,) = expanded(document(POWERS), ("sum_spent < 500000", "t1-r2", "X＜5")).conditions
    assert [literal.value for literal in unborne(condition)] == [500000]


def test_words_that_a_block_says_twice_bear_their_number() -> None:
    """Which of the two is meant makes no difference to what they say."""
    given = document("# Loans\n\nThe buyer checks it. After 30 yuan spent it ends; after 30 yuan spent, it is told.\n")
    (condition,) = expanded(given, ("sum_spent > 30", given.blocks[1].address, "30 yuan spent")).conditions
    assert unborne(condition) == ()


@pytest.mark.parametrize(
    ("said", "words", "decides"),
    [
        ("fee > 0", "where a fee is charged", True),
        ("fee > 0", "a fee above 50 yuan", False),
        ("fee < 0", "where a fee is charged", False),
        ("fee > 1", "where a fee is charged", False),
    ],
)
def test_more_than_nothing_needs_no_number(said: str, words: str, decides: bool) -> None:
    """`fee > 0` is what `where a fee is charged` says, and not what a limit does."""
    given = document(f"# Fees\n\nThe buyer checks the sum spent and the fee, {words}.\n")
    read = expanded(given, (said, given.blocks[1].address, words))
    facts = tuple(f.model_copy(update={"evidence": read.steps[0].evidence}) for f in read.facts)
    (condition,) = supported_part(read.model_copy(update={"facts": facts}), given).conditions
    assert (condition.predicate is not None) == decides
