"""An account read by a model that answers in word numbers."""

import json
import re
from typing import Any

import pytest
from scripted import Scripted

from evals.pet.narration_expand import procedure_from_answer
from evals.pet.narration_form import Narration
from evals.pet.narration_reader import examples, instructions, read_narration
from evals.pet.word_numbers import NumberedText
from ir.document import Block, Document
from ir.procedure import Procedure
from ir.source import Source
from llm import ModelFault, Request

TEXT = (
    "The keeper counts the lamps. If one is missing, he orders a new lamp by phone and tells the captain. Otherwise "
    "the mate lights the lamps and, while the cook sleeps, the keeper or the mate watches."
)
# The_1 keeper_2 counts_3 the_4 lamps_5 If_6 one_7 is_8 missing_9 he_10 orders_11 a_12 new_13 lamp_14 by_15 phone_16
# and_17 tells_18 the_19 captain_20 Otherwise_21 the_22 mate_23 lights_24 the_25 lamps_26 and_27 while_28 the_29 cook_30
# sleeps_31 the_32 keeper_33 or_34 the_35 mate_36 watches_37
ANSWER: dict[str, Any] = {
    "acts": [
        {"v": [3], "o": [[4, 5]], "by": [[1, 2]]},
        {"v": [11], "o": [[12, 14]], "by": [[10]], "how": [[15, 16]]},
        {"v": [18], "by": [[10]], "to": [[19, 20]]},
        {"v": [24], "o": [[25, 26]], "by": [[22, 23]]},
        {"v": [31], "by": [[29, 30]]},
        {"v": [37], "by": [[32, 33], [35, 36]]},
    ],
    "gateways": [{"w": [6], "kind": "xor"}, {"w": [21], "kind": "xor", "same": 6}, {"w": [28], "kind": "and"}],
    "conditions": [[7, 9]],
    "flows": [[3, 6, 7, 11, 18], [21, 24, 28, 31], [28, 37]],
}


def document(*texts: str) -> Document:
    """A document of paragraphs."""
    blocks = tuple(Block(address=f"p{at}", kind="paragraph", text=text) for at, text in enumerate(texts, start=1))
    source = Source(path="lamps", sha256="0" * 64, size=1, kind="text")
    return Document(doc_id="lamps", title="lamps", source=source, language="en", blocks=blocks)


def read(**changes: Any) -> Procedure:
    """The account as read by an answer with these parts changed."""
    return procedure_from_answer(Narration.model_validate(ANSWER | changes), NumberedText(document(TEXT)), "m")


def flows(procedure: Procedure) -> set[tuple[str, str, str, str | None, tuple[str, ...]]]:
    """Each flow by its ends, kind, condition and the words that say so."""
    texts = {one.id: one.text for one in procedure.conditions} | {"otherwise": "otherwise"}
    return {
        (f.source, f.target, f.kind, texts[f.condition] if f.condition else None, tuple(cue.quote for cue in f.cue))
        for f in procedure.flows
    }


def test_words_are_numbered_throughout() -> None:
    """Numbers go on over sentences and blocks; a run of words is the text between them, within one block."""
    text = NumberedText(document("Stop. Wait 2 days, e.g. here!", "Go on."))
    assert [block.text for block in text.shown] == [
        "Stop_1.", "Wait_2 2_3 days_4, e.g_5. here_6!", "Go_7 on_8.",
    ]  # fmt: skip
    span = text.span([3, 5])
    assert span is not None and (span.block, span.quote) == ("p1", "2 days, e.g")
    assert [text.span(numbers) for numbers in ([], [0], [9], [-1], [4, 2], [6, 7])] == [None] * 6


def test_an_answer_becomes_a_procedure() -> None:
    """Verbs, things and people by their spans; what an act is done by means of is a constraint on its step."""
    procedure = read_narration(document(TEXT), Scripted(lambda request: ANSWER))
    assert [
        (
            step.id,
            [
                tuple(span.quote if span else None for span in (each.verb, each.object, each.actor, each.recipient))
                for each in step.actions
            ],
        )
        for step in procedure.steps
    ] == [
        ("s1", [("counts", "the lamps", "The keeper", None)]),
        ("s2", [("orders", "a new lamp", "he", None)]),
        ("s3", [("tells", None, "he", "the captain")]),
        ("s4", [("lights", "the lamps", "the mate", None)]),
        ("s5", [("sleeps", None, "the cook", None)]),
        ("s6", [("watches", None, "the keeper", None), ("watches", None, "the mate", None)]),
    ]
    assert [(rule.text, rule.steps) for rule in procedure.constraints] == [("by phone", ("s2",))]
    assert (procedure.method, procedure.gaps) == ("m", ())


def test_flows_run_through_gateways_and_conditions() -> None:
    """What the first gateway of a choice is led to by leads to the later ones; `and` parts without a condition."""
    assert flows(read()) == {
        ("start", "s1", "sequence", None, ()),
        ("s1", "s2", "branch", "one is missing", ("If",)),
        ("s1", "s4", "branch", "otherwise", ("Otherwise",)),
        ("s2", "s3", "sequence", None, ()),
        ("s3", "end", "sequence", None, ()),
        ("s4", "s5", "parallel", None, ("while",)),
        ("s4", "s6", "parallel", None, ("while",)),
        ("s5", "end", "sequence", None, ()),
        ("s6", "end", "sequence", None, ()),
    }


def test_a_way_may_have_several_gateways_and_conditions() -> None:
    """They stand in the flow in the order in which they are met, the conditions as one that all of them hold."""
    found = read(
        gateways=[{"w": [6], "kind": "xor"}, {"w": [28], "kind": "xor"}],
        conditions=[[7, 9], [29, 31]],
        acts=[ANSWER["acts"][0], ANSWER["acts"][-1]],
        flows=[[3, 6, 7, 28, 29, 37], [6, 28], [28, 37]],
    )
    assert flows(found) == {
        ("start", "s1", "sequence", None, ()),
        ("s1", "s2", "branch", "one is missing and the cook sleeps", ("If", "while")),
        ("s1", "s2", "branch", "one is missing", ("If", "while")),
        ("s1", "s2", "branch", "the cook sleeps", ("If", "while")),
        ("s1", "s2", "branch", "otherwise", ("If", "while")),
        ("s2", "end", "sequence", None, ()),
    }


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"acts": [{"v": [99]}, {"v": [3]}], "flows": []}, ["act [99]: no such words"]),
        ({"acts": [{"v": [3], "o": [[5, 4]], "to": [[0]]}], "flows": []},
         ["object [5, 4]: no such words", "recipient [0]: no such words"]),
        ({"acts": [{"v": [3]}, {"v": [3, 4]}], "flows": []}, ["act [3, 4]: there is already act 3"]),
        ({"flows": [[3, 400, 11]]}, ["flow 400: neither an act nor a gateway nor a condition"]),
        ({"gateways": [{"w": [6], "kind": "xor", "same": 2}], "flows": [[3, 6, 11]]},
         ["same gateway as 6: 2: neither an act nor a gateway nor a condition"]),
        ({"gateways": [{"w": [6], "kind": "xor", "same": 6}], "flows": [[3, 6, 11]]}, ["same gateway as 6: itself"]),
        ({"flows": [[3, 6, 7]]}, ["and 28: in no flow"]),
    ],
)  # fmt: skip
def test_what_has_no_sense_is_listed(changes: dict[str, Any], said: list[str]) -> None:
    """Numbers of no word, of no element, and elements without a place in the order become gaps; the rest stands."""
    quiet: dict[str, Any] = {"gateways": [], "conditions": []} if changes.get("flows") != [[3, 6, 7]] else {}
    found = read(**(quiet | changes))
    assert sorted(gap.question for gap in found.gaps) == sorted(said)
    assert "counts" in {step.actions[0].verb.quote for step in found.steps}


def test_circles_and_endless_choices_end() -> None:
    """Gateways that lead to each other give no flow for ever; where there are too many ways, that is said."""
    assert read(flows=[[3, 6, 21, 6], [6, 7, 6]]).steps
    names = list(range(4, 37))
    for pairs in (
        [[one, other] for one in names for other in names if one < other],
        [[one, other] for one in names for other in names if one != other],
    ):
        many = read(
            acts=[{"v": [3]}, {"v": [37]}],
            gateways=[{"w": [name], "kind": "xor"} for name in names],
            conditions=[],
            flows=[[3, 4], *pairs, [36, 37]],
        )
        assert [gap.question for gap in many.gaps] == ["flows from 3: too many ways, some are left out"]
        assert [step.id for step in many.steps] == ["s1", "s2"]


def test_an_account_without_acts() -> None:
    """No step, no flow."""
    found = read(acts=[], gateways=[], conditions=[], flows=[])
    assert (found.steps, found.flows, found.gaps) == ((), (), ())


def test_the_request() -> None:
    """It has the conventions, the account's numbered words in a fence, and room for the answer; the same every time."""
    model = Scripted(lambda request: ANSWER)
    read_narration(document(TEXT), model)
    read_narration(document(TEXT), model)
    first, second = model.asked
    assert first == second
    assert "he_10 orders_11 a_12 new_13 lamp_14" in first.messages[-1][1]
    assert (first.purpose, first.subject, first.messages[0][1]) == ("narrate", "lamps", instructions())


def test_no_answer_is_a_fault() -> None:
    """What the model cannot answer is not read as an account without acts."""

    def fail(request: Request) -> dict[str, Any]:
        raise ModelFault("malformed", "no answer")

    with pytest.raises(ModelFault, match="no answer"):
        read_narration(document(TEXT), Scripted(fail))


def test_an_answer_holds_no_words() -> None:
    """Beside names of fields and kinds of gateways there is nothing but numbers."""
    text = json.dumps(ANSWER)
    assert set(re.findall(r"[A-Za-z]+", text)) <= {
        "acts", "gateways", "conditions", "flows", "v", "o", "by", "to", "how", "w", "kind", "xor", "and", "same",
    }  # fmt: skip
    with pytest.raises(ValueError, match="note"):
        Narration.model_validate(ANSWER | {"note": "The keeper counts"})


def test_the_worked_examples_are_right() -> None:
    """Every number has its words, nothing is left over, and the verbs are those of the text."""
    procedures = [procedure_from_answer(answer, NumberedText(text), "m") for text, answer in examples()]
    assert all(procedure.gaps == () for procedure in procedures)
    assert [[step.actions[0].verb.quote for step in procedure.steps] for procedure in procedures] == [
        ["asks", "enters", "passes", "examines", "declines", "drawn up", "sent", "signing", "build", "notify",
         "collects", "delivers"],
        ["preparation", "receiving", "weigh", "checks", "returned", "record", "wait for"],
    ]  # fmt: skip
    first, second = (flows(procedure) for procedure in procedures)
    assert ("s9", "s10", "branch", "the painting leaves the country", ("if",)) in first
    assert ("s10", "s12", "branch", None, ("or",)) in first
    assert ("s5", "s3", "sequence", None, ()) in second
