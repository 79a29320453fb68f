"""Grounding over the sample, worked out by hand: 23 quotes; 8 ways to change gold's.

Quotes: 3 facts, 8 steps, 4 conditions, 6 flows, 1 gap, 1 deadline.
"""

import pytest
from eval_samples import IN_TWO_DAYS, Drafted, changed_step, procedure, quoted

from evals.metrics.grounding import altered, grounding, quotes_of
from evals.tally import share
from ir.procedure import Deadline, Procedure

pytest_plugins = ("eval_fixtures",)


def with_condition(quote: str) -> Procedure:
    """Gold with other words under its third condition."""
    gold = procedure()
    conditions = [c.model_copy(update={"evidence": quoted(quote)}) if c.id == "c3" else c for c in gold.conditions]
    return gold.model_copy(update={"conditions": tuple(conditions)})


def test_gold_itself_is_exact(drafted: Drafted) -> None:
    """23 quotes stand as they are quoted.

    Changed ones: the worth (thrice: fact, condition, flow) by its number and by «more than», the approval by «must»,
    the deadline by its number: 6 + 1 + 1 = 8.
    """
    found = grounding(drafted())
    assert found == {
        "grounding.exact": share(23, 23),
        "grounding.supported": share(23, 23),
        "grounding.refused": share(8, 8),
    }


def test_a_quote_that_says_otherwise_is_not_supported(drafted: Drafted) -> None:
    """One number of one quote is another: 22 of 23 are found."""
    found = grounding(drafted(with_condition("Where the equipment is worth more than 6000 euros")))
    assert (found["grounding.exact"], found["grounding.supported"]) == (share(22, 23), share(22, 23))


def test_other_white_space_is_supported_but_not_exact(drafted: Drafted) -> None:
    """One quote runs over two lines: 22 exact, 23 supported."""
    found = grounding(drafted(with_condition("Where the equipment is\n worth more than 5000 euros")))
    assert (found["grounding.exact"], found["grounding.supported"]) == (share(22, 23), share(23, 23))


def test_refused_is_of_gold_alone(drafted: Drafted) -> None:
    """What the draft quotes makes no difference to which changed quotes are refused."""
    found = grounding(drafted(with_condition("Loan of Measuring Equipment")))
    assert found["grounding.refused"] == share(8, 8)


@pytest.mark.parametrize(
    ("quote", "others"),
    [
        ("within 9 days", ["within 0 days"]),
        ("the clerk must not pay", ["the clerk must pay"]),
        ("金额在5万元以上的，应当报批", ["金额在6万元以上的，应当报批", "金额在5万元以上的，可以报批"]),
        ("the clerk pays", []),
    ],
)
def test_quotes_are_changed_in_one_word(quote: str, others: list[str]) -> None:
    """The first number, and the first word that turns the sense; a quote without either gives none."""
    assert list(altered(quote)) == others


def test_quotes_of_deadlines_are_counted(drafted: Drafted) -> None:
    """The deadline's quote is one of the procedure's, once; where it says 3 days 22 of 23 are supported."""
    quotes = [evidence.quote for evidence in quotes_of(procedure())]
    assert (len(quotes), quotes.count(IN_TWO_DAYS)) == (23, 1)
    wrong = changed_step(procedure(), "check", deadline=Deadline(duration="P2BD", evidence=quoted("within 3 days")))
    found = grounding(drafted(wrong))
    assert (found["grounding.exact"], found["grounding.supported"]) == (share(22, 23), share(22, 23))
