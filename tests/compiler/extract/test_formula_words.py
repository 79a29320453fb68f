"""Formulas of an answer: each number has its words, arithmetic brings some along, units and dates are kept straight."""

from collections.abc import Mapping

import pytest

from compiler.extract.model.form import AnsweredResult, AnsweredRow, Quote
from compiler.extract.model.formula_words import FormulaWords
from compiler.extract.model.results import Formulas, ReadFormula
from compiler.extract.model.values import KnownFact
from ir.fields import FieldType
from ir.formula import Constant, parts
from ir.formulas.infix import parse_formula, to_formula

NAMES = {name: f"$.facts.{name}" for name in ("a", "b", "c", "day", "end", "load", "yuan")}


def known(kind: FieldType, unit: str | None = None, said: str | None = None, factor: float = 1.0) -> KnownFact:
    """What is known of a fact, or of the result."""
    return KnownFact(None, kind, unit, said or unit, factor)


FACTS = {
    **{name: known("number") for name in ("a", "b", "c")},
    **{name: known("date") for name in ("day", "end")},
    "load": known("number", "kg", "t"),
    "yuan": known("number", "CNY", "CNY", 10000.0),
}


def read(value: str, words: str, own: KnownFact | None = None) -> ReadFormula | None:
    """A row's value, read from its words."""
    row = AnsweredRow(value=value, at=Quote(b="1", q=words))
    kind = (own or known("number")).type
    result = AnsweredResult.model_validate({"id": "fee", "name": "fee", "type": kind, "at": []})
    facts: Mapping[str, KnownFact] = {**FACTS, "fee": own or known("number")}
    return Formulas({**NAMES, "fee": "$.results.fee"}, facts).formula(row, result, [words])


def plain(found: ReadFormula | None) -> str | None:
    """A formula in text, its references by their last names."""
    return None if found is None else to_formula(found.tree).replace("$.facts.", "")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("floor(a * 100 + 0.5) / 100", "a, rounded half up to the cent"),
        ("ceiling(0.0035 * a / 10) * 10", "0.35 % of a, rounded up to the next full EUR 10"),
        ("ceiling(a * 2) / 2", "a, rounded up to the next half kilogram"),
        ("floor(10000 * a / b + 0.5) / 100", "a divided by b, in percent, to two decimal places"),
        ("a * (1 - 20%)", "a is reduced by 20 %"),
        ("0.8 * a", "a is reduced by 20 %"),
        ("a / 2", "a is halved"),
        ("a * 0.5", "a减半收取"),
        ("a * (if b > 7 then 0.9 else 1)", "for more than 7 nights 10 % is taken off"),
        ("a + (if b > 7 then 3 else 0)", "beyond 7 nights 3 are added"),
        ("sum(if a > 7 then 1 else 0, if b > 3 then 1 else 0)", "a above 7, b above 3"),
        ("0", "members pay nothing"),
        ("0.015 * a", "折旧原值的百分之一点五"),
        ("1.5 * a", "按一点五倍折算"),
        ("a / b * 100", "a在b中所占的百分比"),
    ],
)
def test_words_bear_out(value: str, words: str) -> None:
    """What the words say in another form, and what rounding, shares and counting bring along."""
    found = read(value, words)
    assert found is not None and not found.assumed


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("0.7 * a", "a is reduced by 20 %"),
        ("floor(a * 30 + 0.5) / 30", "a, rounded half up"),
        ("floor(a * 100 + 0.5) / 7", "a, rounded half up to the cent"),
        ("a / 2", "a is shared"),
        ("0", "a fee of no more than 5"),
        ("a + (if b > 7 then 3 else 2)", "beyond 7 nights 3 are added"),
        ('day + @"P15D"', "within 10 days, extended by 5"),
        ("1.5 * a", "下午一点五十分"),
    ],
)
def test_words_do_not_bear_out(value: str, words: str) -> None:
    """A number that stands nowhere leaves the row without a formula."""
    assert read(value, words) is None


def test_the_least_is_asked_about() -> None:
    """`At least zero` that no words say is taken, and told as taken."""
    assert (found := read("max(a - 5, 0)", "a beyond the first 5")) is not None and found.assumed
    assert (found := read("max(a - 5, 0)", "a less 5, but never negative")) is not None and not found.assumed


@pytest.mark.parametrize(
    ("value", "words", "own", "expected"),
    [
        ('day + @"P21D"', "21 days after the day", known("date"), 'day + "P21D"'),
        ('day + @"P24M"', "24 months after", known("date"), 'day + "P24M"'),
        ('day + @"P8BD"', "8 working days after", known("date"), 'add_working_days(day, 8, "weekdays@1")'),
        ("end - day", "the days from day to end", known("integer", "d"), "days_between(day, end)"),
        ("end - day", "the days between", known("duration"), 'duration(days_between(day, end), "d")'),
        ("0.045 * load * 1000", "GBP 0.045 per kg", known("number", "GBP"), '0.045 * convert(load, "kg", "t") * 1000'),
        ("3% * yuan", "按3%", known("number", "CNY"), "3% * (yuan / 10000)"),
        ("3% * yuan", "按3%", known("number", "CNY", "CNY", 10000.0), "3% * (yuan / 10000) * 10000"),
    ],
)  # fmt: skip
def test_dates_and_units(value: str, words: str, own: KnownFact, expected: str) -> None:
    """Dates are shifted and told apart; a value that is kept in another unit than it is said in is converted."""
    assert plain(read(value, words, own)) == expected


@pytest.mark.parametrize(
    ("value", "words", "below"),
    [
        ("(a - 300) * 80%", "80 % of a after subtracting 300", True),
        ("max((a - 300) * 80%, 0)", "80 % of a after subtracting 300, and never negative", False),
        ("(a - b) / b * 100", "a less b in percent of b; an underrun is negative", False),
        ("a * 3 + b", "3 times a, plus b", False),
        ("a * (1 - 20%)", "a less 20 %", False),
    ],
)
def test_what_may_come_out_below_zero(value: str, words: str, below: bool) -> None:
    """A fee of less than nothing is asked about, unless the words speak of it."""
    found = read(value, words)
    assert found is not None and found.below_zero is below


def test_working_days_are_told() -> None:
    """Whoever reads the draft is to know that a calendar was taken."""
    assert (found := read('day + @"P8BD"', "8 working days", known("date"))) is not None and found.working_days
    assert (found := read('day + @"P8D"', "8 days", known("date"))) is not None and not found.working_days


def test_quotes_are_the_words() -> None:
    """Each number holds the words that it comes from."""
    tree = FormulaWords(["a charge of 0.35 % of the cost, at least EUR 40"]).borne(
        parse_formula("max(0.0035 * cost, 40)", {"cost": "$.facts.cost"})
    )
    assert tree is not None
    quotes = [part.quote for part, _ in parts(tree) if isinstance(part, Constant)]
    assert quotes == ["0.35 %", "EUR 40"]
