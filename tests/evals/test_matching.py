"""Matching: nodes by words, facts by concept and words, labels by words and edges."""

import pytest
from eval_samples import (
    QUOTES,
    Drafted,
    changed_edge,
    changed_node,
    one_missing_one_invented,
    quoted,
    scenario,
    workflow,
)

from catalog.load import Catalog
from evals.behaviour import walk_scenario
from evals.matching.labels import translation
from evals.matching.nodes import Matching, match, pair_workflows
from evals.matching.places import Places
from ir.base import canonical_json
from ir.predicate import Ref, parse_condition
from ir.source import Evidence
from ir.workflow import InputSpec, Node, Workflow

pytest_plugins = ("eval_fixtures",)

OUTCOME, WORTH, APPROVED = Ref("$.outputs.check.outcome"), Ref("$.inputs.worth"), Ref("$.outputs.approve.approved")


def matched(drafted: Drafted, draft: Workflow, gold: Workflow | None = None) -> Matching:
    """Gold, the sample's by default, and a draft."""
    view = drafted()
    return match(gold or workflow(), draft, view.places, view.catalog)


def checked(
    outcomes: tuple[str, ...], missing: object, complete: object, *, type_: str = "human.task", **fields: object
) -> Workflow:
    """The sample with another check: its Type and outcomes, and what its two edges ask for."""
    flow = changed_node(workflow(), "check", type=type_, outcomes=outcomes or None, **fields)
    flow = changed_edge(flow, "check", "give_back", condition=parse_condition(missing))
    return changed_edge(flow, "check", "enter", condition=parse_condition(complete))


def said(matching: Matching, ref: Ref, *values: object) -> dict[object, object]:
    """How values of a gold fact are said in the draft."""
    return {value: matching.values[ref](value) for value in values}


# --- nodes ------------------------------------------------------------------------------------------------------------


def test_nodes_are_matched_by_words_not_by_names(drafted: Drafted) -> None:
    """Two steps exchanged their names, and each stands for the one with its words."""
    gold = workflow()
    turn = {"give_back": "hand_over", "hand_over": "give_back"}
    draft = gold.model_copy(
        update={
            "nodes": {turn.get(name, name): node for name, node in gold.nodes.items()},
            "edges": tuple(
                e.model_copy(update={"source": turn.get(e.source, e.source), "target": turn.get(e.target, e.target)})
                for e in gold.edges
            ),
        }
    )
    found = matched(drafted, draft).nodes
    assert (found["give_back"], found["hand_over"], found["check"]) == ("hand_over", "give_back", "check")
    assert len(found) == 8


def test_a_longer_quote_of_the_same_sentence_is_the_same_node(drafted: Drafted) -> None:
    """The draft's node rests on the whole sentence, gold's on a part of it."""
    whole = "3.7 The store keeper then hands over the equipment against signature."
    draft = changed_node(workflow(), "hand_over", evidence=quoted(whole))
    assert matched(drafted, draft).nodes["hand_over"] == "hand_over"


def test_people_s_nodes_of_other_words_are_not_matched(drafted: Drafted) -> None:
    """A task stands for no other task only because both are tasks; ends and starts stand for nothing."""
    found = matched(drafted, one_missing_one_invented()[1]).nodes
    assert "remind" not in found and "filing" not in found.values() and "done" not in found


def test_a_type_of_its_own_matches_without_the_words(drafted: Drafted) -> None:
    """The reminder rests on the heading, but nothing else sets reminders."""
    draft = changed_node(workflow(), "remind", evidence=quoted("Loan of Measuring Equipment"))
    assert matched(drafted, draft).nodes["remind"] == "remind"


def test_of_two_nodes_with_the_same_words_the_neighbours_decide(drafted: Drafted) -> None:
    """Both messages rest on one sentence; each is matched to the one that stands where it stands."""
    both = {"evidence": quoted(QUOTES["refuse"]), "type": "notify.message"}
    gold = changed_node(changed_node(workflow(), "give_back", **both), "refuse", **both)
    nodes = {**gold.nodes, "refuse": gold.nodes["give_back"], "give_back": gold.nodes["refuse"]}
    draft = gold.model_copy(update={"nodes": {name: nodes[name] for name in reversed(nodes)}})
    found = matched(drafted, draft, gold).nodes
    assert (found["give_back"], found["refuse"]) == ("give_back", "refuse")


def test_workflows_are_paired_by_the_steps_they_share(drafted: Drafted) -> None:
    """Of three drafts the second is gold's, the others have no step of it."""
    other = workflow().model_copy(update={"nodes": {"a": Node(type="human.task")}, "edges": ()})
    places = drafted().places
    assert pair_workflows([workflow()], [other, workflow(), other], places) == [(0, 1)]
    assert pair_workflows([workflow()], [other], places) == []


# --- facts ------------------------------------------------------------------------------------------------------------


def test_facts_are_matched_by_concept(drafted: Drafted) -> None:
    """The request rests on nothing in the draft, but it holds what gold's does."""
    draft = workflow()
    inputs = {name: spec for name, spec in draft.inputs.items() if name != "request"}
    inputs["papers"] = InputSpec(type="object", concept="record_data")
    found = matched(drafted, draft.model_copy(update={"inputs": inputs}))
    assert found.facts[Ref("$.inputs.request")].ref == Ref("$.inputs.papers")


def test_facts_are_matched_by_words(drafted: Drafted) -> None:
    """An input without a concept and of another name rests on the same words."""
    draft = changed_edge(
        workflow(), "enter", "approve", condition=parse_condition({"gt": ["$.inputs.price", 5000]}), evidence=()
    )
    inputs = {("price" if name == "worth" else name): spec for name, spec in draft.inputs.items()}
    found = matched(drafted, draft.model_copy(update={"inputs": inputs}))
    assert found.facts[WORTH].ref == Ref("$.inputs.price")


def test_an_input_may_stand_for_an_outcome(drafted: Drafted) -> None:
    """The draft is told whether the request is complete; the words of the conditions say that it is that fact."""
    draft = checked((), {"eq": ["$.inputs.complete", False]}, {"eq": ["$.inputs.complete", True]})
    complete = InputSpec(type="boolean", evidence=quoted("completeness"))
    draft = draft.model_copy(update={"inputs": {**draft.inputs, "complete": complete}})
    found = matched(drafted, draft)
    assert found.facts[OUTCOME].ref == Ref("$.inputs.complete")
    assert said(found, OUTCOME, "complete", "incomplete") == {"complete": True, "incomplete": False}
    run = walk_scenario(scenario("incomplete", 4000, "returned", outcome="incomplete"), found)
    assert run.passed, run.differences


def test_amounts_do_not_stand_for_labels(drafted: Drafted) -> None:
    """The worth as a yes or no is no partner of the worth as an amount, though the words are the same."""
    draft = changed_edge(workflow(), "enter", "approve", condition=parse_condition({"eq": ["$.inputs.worth", True]}))
    worth = draft.inputs["worth"].model_copy(update={"type": "boolean", "unit": None})
    found = matched(drafted, draft.model_copy(update={"inputs": {**draft.inputs, "worth": worth}}))
    assert WORTH not in found.facts


# --- labels -----------------------------------------------------------------------------------------------------------


def test_a_boolean_says_an_outcome(drafted: Drafted) -> None:
    """The draft's check gives `materials_complete`: true is complete, false is not, by the words of the edges."""
    ref = "$.outputs.check.materials_complete"
    draft = checked((), {"eq": [ref, False]}, {"eq": [ref, True]}, type_="document.check_materials")
    found = matched(drafted, draft)
    assert found.facts[OUTCOME].ref == Ref(ref)
    assert said(found, OUTCOME, "complete", "incomplete", None) == {"complete": True, "incomplete": False, None: None}


def test_an_outcome_says_a_boolean(drafted: Drafted) -> None:
    """The other way round."""
    ref = "$.outputs.check.materials_complete"
    gold = checked((), {"eq": [ref, False]}, {"eq": [ref, True]}, type_="document.check_materials")
    assert said(matched(drafted, workflow(), gold), Ref(ref), True, False) == {True: "complete", False: "incomplete"}


def test_an_enumeration_says_another(drafted: Drafted) -> None:
    """Equal labels first, others by the words of the edges that they choose."""
    ref = OUTCOME.text
    draft = checked(("not in order", "complete"), {"eq": [ref, "not in order"]}, {"eq": [ref, "complete"]})
    found = said(matched(drafted, draft), OUTCOME, "complete", "incomplete")
    assert found == {"complete": "complete", "incomplete": "not in order"}
    other = checked(("in order", "not in order"), {"eq": [ref, "not in order"]}, {"eq": [ref, "in order"]})
    found = said(matched(drafted, other), OUTCOME, "complete", "incomplete")
    assert found == {"complete": "in order", "incomplete": "not in order"}


@pytest.mark.parametrize("value", [True, False])
def test_the_rest_of_an_enumeration_is_the_other_truth(drafted: Drafted, value: bool) -> None:
    """Of gold's three outcomes one is what the draft asks for; the two others are the other value."""
    ref = OUTCOME.text
    gold = checked(
        ("clean", "incomplete", "illegible"), {"eq": [ref, "incomplete"]}, {"in": [ref, ["clean", "illegible"]]}
    )
    gold = changed_edge(gold, "check", "enter", evidence=())
    asked = "$.outputs.check.materials_complete"
    draft = checked((), {"eq": [asked, value]}, "otherwise", type_="document.check_materials")
    found = said(matched(drafted, draft, gold), OUTCOME, "incomplete", "clean", "illegible")
    assert found["incomplete"] is value
    # One of the two others may be paired with the other truth by itself, the last is the rest: both are that value.
    assert (found["clean"], found["illegible"]) == (not value, not value)


def test_amounts_are_carried_over_as_they_are(drafted: Drafted) -> None:
    """A number has no labels."""
    found = matched(drafted, workflow())
    assert found.values[WORTH].labels is None and found.values[WORTH](4999.5) == 4999.5
    assert said(found, APPROVED, True, False) == {True: True, False: False}


def test_labels_of_equal_facts_stay_what_they_are(drafted: Drafted, catalog: Catalog) -> None:
    """Each fact of gold against itself says every value by itself."""
    view = drafted()
    found = matched(drafted, workflow())
    for fact in found.gold_facts.values():
        same = translation(fact, fact, view.places).labels or {}
        assert same == {canonical_json(value): value for value in fact.values}


def test_words_have_a_place_in_whatever_blocks(drafted: Drafted) -> None:
    """The same words overlap wholly, a part of them by half and more, words elsewhere not at all."""
    places: Places = drafted().places
    whole, part = quoted(QUOTES["check"]), quoted("checks the request for completeness")
    assert places.overlap(whole, whole) == 1.0
    assert 0.5 < places.overlap(whole, part) < 1.0
    assert places.overlap(whole, quoted(QUOTES["submit"])) == 0.0
    assert places.overlap((), whole) == 0.0


def test_quote_that_recurs_may_stand_at_any_of_its_places(drafted: Drafted) -> None:
    """Unless it says which one it means."""
    places: Places = drafted().places
    (document,) = places.documents.values()
    word = "the"
    spots = [p for p in document.passages() if p.tag is None and word in p.text]
    assert len(spots) > 1
    last = spots[-1]
    at = last.text.rindex(word)
    there = (Evidence(doc_id=document.doc_id, quote=word, block=last.address, start=at, end=at + len(word)),)
    anywhere = (Evidence(doc_id=document.doc_id, quote=word),)
    first = (Evidence(doc_id=document.doc_id, quote=word, occurrence=1),)
    assert places.overlap(anywhere, there) == 1.0
    assert places.overlap(first, there) == 0.0
