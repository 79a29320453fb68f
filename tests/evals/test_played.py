"""Behaviour as played, over the sample: what a player fills in decides how the draft runs."""

from collections.abc import Mapping
from typing import Any

import pytest
from eval_samples import Drafted, changed_edge, edge, scenario, scenarios, workflow
from scripted import Scripted

from catalog.load import Catalog
from evals.matching.view import View
from evals.played.play import Sheets, Sides, play
from evals.played.questions import filled_in, fits, form_text, questions_of
from ir.fields import FieldSpec
from llm import ModelFault, Request

pytest_plugins = ("eval_fixtures",)

STORIES = ("It is worth 4000.", "It is worth 5000.", "Worth 5001; approved.", "Worth 8000; refused.", "Papers missing.")
SHEETS: dict[str, Mapping[int, Any]] = {
    "It is worth 4000.": {1: 4000, 4: "complete"},
    "It is worth 5000.": {1: 5000, 4: "complete"},
    "Worth 5001; approved.": {1: 5001, 4: "complete", 5: True},
    "Worth 8000; refused.": {1: 8000, 4: "complete", 5: False},
    "Papers missing.": {1: None, 4: "incomplete"},
}


def filler(request: Request) -> Mapping[str, Any]:
    """Answers as the stories of a request tell."""
    asked = [text for text in STORIES if text in request.messages[1][1]]
    return {
        "sheets": [
            {"story": n, "fields": [{"n": field, "value": value} for field, value in SHEETS[text].items()]}
            for n, text in enumerate(asked, 1)
        ]
    }


def sides_of(view: View) -> Sides:
    """Gold and draft of the sample's one workflow."""
    (pair,) = view.pairs
    assert pair.matching is not None
    return Sides(pair.gold, pair.matching)


def test_the_form_asks_for_inputs_and_for_what_steers(catalog: Catalog) -> None:
    """Each with its kind; not for what no condition reads, nor by the ids of gold."""
    asked = questions_of(workflow(), catalog)
    assert form_text(asked).splitlines() == [
        "1. worth [a number, in EUR]",
        "2. request [true where it is there]",
        "3. return date [a date as 2026-01-31]",
        "4. what comes of the step «The desk clerk checks the request for completeness; The desk clerk checks the "
        "request for completeness» (desk clerk): outcome [one of: complete | incomplete]",
        "5. what comes of the step «the laboratory head must approve the loan» (laboratory head): approved "
        "[true or false]",
    ]


def test_gold_played_with_good_answers_is_gold(drafted: Drafted, catalog: Catalog) -> None:
    """All five runs are alike; the stories go in two requests."""
    sides = sides_of(drafted())
    player = Scripted(filler)
    found = play(
        player,
        sides,
        catalog,
        list(zip(scenarios(), STORIES, strict=True)),
    )
    assert found is not None
    assert [one.differences for one in found] == [()] * 5
    assert [one.steps for one in found] == [(5, 5, 5), (5, 5, 5), (6, 6, 6), (5, 5, 5), (3, 3, 3)]
    assert len(player.asked) == 2


def test_a_draft_with_another_limit_does_other_things(drafted: Drafted, catalog: Catalog) -> None:
    """The limit is 4500: at 5000 the approval is asked for, which the story does not give, and the run stops there."""
    other = changed_edge(
        workflow(), "enter", "approve", condition=edge("a", "b", {"gt": ["$.inputs.worth", 4500]}).condition
    )
    sides = sides_of(drafted(workflow=other))
    found = play(
        Scripted(filler),
        sides,
        catalog,
        list(zip(scenarios(), STORIES, strict=True)),
    )
    assert found is not None
    assert [one.passed for one in found] == [True, False, True, True, True]
    assert found[1].differences == (
        "path: gold submit → check → enter → hand_over → remind, draft submit → check → enter → approve",
        "status: gold completed, here undecided at approve, for want of ('$.outputs.approve.approved',)",
    )


def test_what_a_story_does_not_say_stops_the_run(drafted: Drafted, catalog: Catalog) -> None:
    """Nothing is filled in for the player."""
    sides = sides_of(drafted())
    found = play(Scripted(lambda _: {"sheets": []}), sides, catalog, [(scenario("x", 4000, "completed"), "?")])
    assert found is not None
    assert "undecided" in found[0].differences[-1]


def test_nobody_plays(drafted: Drafted, catalog: Catalog) -> None:
    """Without an answer there is no figure, rather than a zero."""

    def refuse(request: Request) -> Mapping[str, Any]:
        raise ModelFault("unrecorded", "nothing is recorded")

    sides = sides_of(drafted())
    assert play(Scripted(refuse), sides, catalog, [(scenario("x", 4000, "completed"), "?")]) is None


@pytest.mark.parametrize(
    ("value", "spec", "taken"),
    [
        (3, FieldSpec(type="integer"), True),
        (3.5, FieldSpec(type="integer"), False),
        (True, FieldSpec(type="number"), False),
        ("yes", FieldSpec(type="boolean"), False),
        ("A", FieldSpec(type="string", enum=("A", "B")), True),
        ("C", FieldSpec(type="string", enum=("A", "B")), False),
        ("2026-02-30", FieldSpec(type="date"), False),
        ("2026-02-28T10:00:00", FieldSpec(type="datetime"), True),
        ("two days", FieldSpec(type="duration"), False),
        (["a"], FieldSpec(type="array", items=FieldSpec(type="string")), True),
        ([1], FieldSpec(type="array", items=FieldSpec(type="string")), False),
        ("anything", None, True),
    ],
)
def test_a_field_takes_only_its_kind(value: Any, spec: FieldSpec | None, taken: bool) -> None:
    """As a form would."""
    assert fits(value, spec) is taken


def test_answers_go_where_they_belong(catalog: Catalog) -> None:
    """Inputs and records; what does not fit is left out."""
    asked = questions_of(workflow(), catalog)
    inputs, outputs = filled_in(asked, {1: 4000, 2: True, 3: "soon", 4: "complete", 9: 1})
    assert inputs == {"worth": 4000, "request": {}}
    assert outputs == {"check": {"outcome": "complete"}}


def test_numbers_are_whole_where_they_are(drafted: Drafted, catalog: Catalog) -> None:
    """JSON has one kind of number: 5000.0 fits a whole field as 5000, and true is no number."""
    sheet = {"story": 1, "fields": [{"n": 1, "value": 5000.0}, {"n": 4, "value": "complete"}]}
    assert [type(one.value) for one in Sheets.model_validate({"sheets": [sheet]}).sheets[0].fields] == [float, str]
    found = play(Scripted(lambda _: {"sheets": [sheet]}), sides_of(drafted()), catalog, [(scenarios()[1], "?")])
    assert found is not None and found[0].passed
    truth = {"story": 1, "fields": [{"n": 1, "value": True}, {"n": 4, "value": "complete"}]}
    found = play(Scripted(lambda _: {"sheets": [truth]}), sides_of(drafted()), catalog, [(scenarios()[1], "?")])
    assert found is not None and not found[0].passed
