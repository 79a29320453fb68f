"""Accounts of processes: who does what to which thing, when, and on what condition, from the parse alone."""

import pytest

from compiler.parsers import parse
from compiler.text import syntax
from evals.pet.narrative_reader import read_narrative
from ir.errors import BadSetting
from ir.procedure import Procedure

parsed = pytest.mark.skipif(not syntax.available(), reason="the syntax extra is not installed")


def told(text: str) -> Procedure:
    """What a text tells."""
    document = parse(text.encode(), "account.txt").document
    assert document is not None
    return read_narrative(document)


def acts(procedure: Procedure) -> list[tuple[str, str | None, str | None, str | None]]:
    """Actor, verb, object and recipient of each step."""
    return [(s.actions[0].verb.quote, s.actor, s.object, s.recipient) for s in procedure.steps]


def ways(procedure: Procedure) -> set[tuple[str, str, str]]:
    """From which verb to which, and the words on the way."""
    verbs = {step.id: step.actions[0].verb.quote for step in procedure.steps} | {"start": "start", "end": "end"}
    return {(verbs[f.source], verbs[f.target], " ".join(c.quote for c in f.cue)) for f in procedure.flows}


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read by other means, as the account's order stands in the syntax alone."""
    monkeypatch.setattr(syntax, "find_spec", lambda name: None)
    syntax.parser.cache_clear()
    with pytest.raises(BadSetting, match=r"pip install 'flowc\[syntax\]'"):
        told("The clerk checks the claim.")
    syntax.parser.cache_clear()


@parsed
def test_people_and_things() -> None:
    """Subjects act, objects are acted on, `to` leads to who receives; in the passive the subject is acted on."""
    found = told("The clerk sends the form to the applicant. The form is signed by the applicant and returned.")
    assert acts(found) == [
        ("sends", "The clerk", "the form", "the applicant"),
        ("signed", "the applicant", "The form", None),
        ("returned", None, "The form", None),
    ]
    assert found.method == "syntax"
    assert all(step.evidence[0].supports for step in found.steps)


@parsed
def test_who_is_told_receives() -> None:
    """The object of `inform` receives, as does the subject of `receive`."""
    found = told("The manager informs the customer about the delay. The shop receives a complaint.")
    assert acts(found) == [
        ("informs", "The manager", "the delay", "the customer"),
        ("receives", None, "a complaint", "The shop"),
    ]


@parsed
def test_branches_meet_again() -> None:
    """Conditions one after another are ways out of the step before; the next act without one joins them."""
    found = told(
        "The clerk checks the claim. If it is complete, the clerk records it. Otherwise the clerk returns it. "
        "Then the clerk files the claim."
    )
    assert ways(found) == {
        ("start", "checks", ""),
        ("checks", "records", "If"),
        ("checks", "returns", "Otherwise"),
        ("records", "files", ""),
        ("returns", "files", ""),
        ("files", "end", ""),
    }
    assert [condition.text for condition in found.conditions] == ["it is complete"]


@parsed
def test_a_single_condition_can_be_passed_by() -> None:
    """Where only one case is told, the other one goes on."""
    found = told("The nurse takes a sample. If it is clouded, the nurse calls the doctor. The nurse stores the sample.")
    assert ("takes", "stores", "If") in ways(found)
    assert {f.condition for f in found.flows if f.cue} == {"c1", "otherwise"}


@parsed
def test_alternatives_and_refusals() -> None:
    """`or` between acts is a choice; after a refusal nothing follows."""
    found = told("The board accepts the plan or the board rejects the plan. The secretary informs the planner.")
    assert ways(found) == {
        ("start", "accepts", "or"),
        ("start", "rejects", "or"),
        ("accepts", "informs", ""),
        ("rejects", "end", ""),
        ("informs", "end", ""),
    }
    assert {flow.ends for flow in found.flows if flow.target == "end"} == {"rejected", "completed"}


@parsed
def test_beside_each_other() -> None:
    """`In the meantime` sets a sentence beside the one before."""
    found = told(
        "The guest orders a meal. The cook prepares the meal. In the meantime, the waiter lays the table. "
        "The waiter serves the meal."
    )
    kinds = {(flow.source, flow.target): flow.kind for flow in found.flows}
    assert kinds["s1", "s2"] == kinds["s1", "s3"] == "parallel"
    assert kinds["s2", "s4"] == kinds["s3", "s4"] == "sequence"


@parsed
def test_what_opens_with_when_comes_first() -> None:
    """An occasion is an act of its own, wherever it stands; one that is over already is none."""
    found = told("The guard opens the gate when a lorry arrives. Once the lorry has left, the guard closes the gate.")
    assert [verb for verb, *_ in acts(found)] == ["arrives", "opens", "closes"]


@parsed
def test_how_an_act_is_done() -> None:
    """Into what, and to what purpose, are constraints on the step."""
    found = told("The clerk enters the data into the register. The clerk opens the file to check the address.")
    assert [(one.text, one.steps) for one in found.constraints] == [
        ("into the register", ("s1",)),
        ("to check the address", ("s2",)),
    ]


@parsed
@pytest.mark.parametrize(
    "text",
    [
        "The lamp is of steel and has a switch.",
        "The shop was founded in 1950.",
        "Our team consists of four people and has an office.",
        "The clerk does not open the letter.",
    ],
)
def test_what_is_and_what_was_is_not_done(text: str) -> None:
    """States, the past and what is denied give no step."""
    assert [s.text for s in told(text).steps] == []
