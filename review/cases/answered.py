"""The answer to a question in the form of facts, in the language of the workflow."""

from dataclasses import dataclass

from pydantic import JsonValue

from compiler.report.cases.clauses import Clause
from ir.predicate import Ref
from review.cases.tested import Tested
from validator.examples.ask import Answer, Ending


@dataclass(frozen=True)
class ToldAnswer:
    """An answer in words.

    Args:
        verdict: yes, no, back or open, in words.
        ending: how the run ends; None where that is not known.
        hangs_on: what decides next; None where nothing is missing.
        unless: for each value of it how runs end.
        estimated: not all values were tried; None where they were.
        way: the steps of the run.
        clauses: of the ways that it chose, the rows that held, and its end.
        change: the nearest change of the answer.
    """

    verdict: str
    ending: str | None
    hangs_on: str | None
    unless: tuple[tuple[str, str], ...]
    estimated: str | None
    way: tuple[str, ...]
    clauses: tuple[Clause, ...]
    change: str | None


def answer_told(tested: Tested, answer: Answer) -> ToldAnswer:
    """An answer in words."""
    words, teller, change = tested.language, tested.teller, answer.change
    asked, told = answer.decides_next, None
    if change is not None:
        other = words("case.comma").join(teller.fact(ref, value) for ref, value in change.values.items())
        told = words("answer.change", other, words(f"answer.{change.verdict}"), _ending(tested, change.ending))
    return ToldAnswer(
        verdict=words("answer.document_open" if answer.document_open else f"answer.{answer.verdict}"),
        ending=teller.ending(answer.run) if answer.ending is not None or answer.document_open else None,
        hangs_on=None if asked is None else teller.reader.ref_full(asked),
        unless=() if asked is None else tuple(_if(tested, asked, value, ends) for value, ends in answer.unless),
        estimated=None if answer.exact else words("answer.estimated"),
        way=tuple(teller.node(name) for name in answer.run.path),
        clauses=clauses_of(tested, answer),
        change=told,
    )


def clauses_of(tested: Tested, answer: Answer) -> tuple[Clause, ...]:
    """The clauses of a run: of the ways that it chose, the rows that held, and its end."""
    return tested.clauses.of(tested.teller.way_evidence(answer.run))


def _if(tested: Tested, ref: Ref, value: JsonValue, ends: tuple[Ending, ...]) -> tuple[str, str]:
    named = tested.language("answer.or").join(dict.fromkeys(_ending(tested, one) for one in ends))
    return tested.teller.fact(ref, value), named


def _ending(tested: Tested, one: Ending) -> str:
    words = tested.language
    if one.status == "undecided":
        return words("answer.undecided")
    if one.node is None:
        return words("answer.refused")
    status, name = words(f"end.{one.status}"), tested.teller.node(one.node)
    return name if status in name else words("case.end_status", name, status)
