"""A question is asked once, and only where a run turns on the answer; the others are told."""

from typing import Any

from scripted import Scripted
from test_reading_by_model import context, document

from compiler.context import Context
from compiler.extract.model.extract_with_model import extract_with_model
from compiler.extract.model.minor_questions import without_minor_questions
from ir.procedure import Gap, Procedure

TEXT = """# Visits

1. The desk registers the visitor and asks the host promptly.

2. The host approves the visit.

3. Staff are expected to dress suitably.

4. Bags may not be heavier than the limit set by the house.

5. Keys are handed in within 24 hours where they were found.
"""
VISITS: dict[str, Any] = {
    "title": "Visits",
    "facts": [
        {"id": "suitable", "name": "suitable dress", "type": "boolean", "at": [{"b": "4", "q": "dress suitably"}]}
    ],
    "steps": [
        {"id": "s1", "kind": "record", "actor": "desk", "at": [{"b": "2", "q": "registers the visitor"}]},
        {"id": "s2", "kind": "approval", "actor": "host", "outcomes": ["approved", "rejected"],
         "at": [{"b": "3", "q": "approves the visit"}]},
    ],
    "flows": [{"a": "start", "z": "s1"}, {"a": "s1", "z": "s2"}, {"a": "s2", "z": "end"}],
    "rules": [
        {"modality": "must", "at": {"b": "4", "q": "Staff are expected to dress suitably"}},
        {"modality": "must_not", "at": {"b": "5", "q": "Bags may not be heavier than the limit set by the house"}},
    ],
}  # fmt: skip
KEYS: dict[str, Any] = {
    "title": "Keys",
    "steps": [{"id": "s1", "kind": "task", "actor": None, "at": [{"b": "6", "q": "Keys are handed in"}]}],
    "flows": [{"a": "start", "z": "s1", "when": "unclear", "words": [{"b": "6", "q": "where they were found"}]},
              {"a": "s1", "z": "end"}],
}  # fmt: skip


def gap(kind: str, question: str, block: str, words: str, *about: str) -> dict[str, Any]:
    """A question in an answer."""
    return {"kind": kind, "question": question, "about": list(about), "at": {"b": block, "q": words}}


def read(*answered: dict[str, Any]) -> tuple[tuple[Procedure, ...], Context]:
    """What a model's answer comes to, and what was reported on the way."""
    ctx = context()
    model = Scripted(lambda request: {"procedures": list(answered)})
    found = extract_with_model(ctx, document(TEXT), model)
    assert found is not None
    return found, ctx


def questions(procedure: Procedure) -> list[str]:
    """The questions of a procedure that a model asks, without what flowc itself does not understand."""
    return [one.question for one in procedure.gaps if one.kind != "unclear_condition"]


def noted(ctx: Context) -> list[object]:
    """The minor questions that were reported."""
    return [one.found for one in ctx.diagnostics if one.error_code == "minor-question"]


def test_a_question_of_a_rule_beside_the_steps_is_a_note() -> None:
    """Who and what is meant there changes no way; it is told with its words and place."""
    asked = [
        gap("ambiguity", "What is suitable?", "4", "dress suitably", "suitable"),
        gap("undefined_role", "Who sees to it?", "4", "are expected"),
        gap("ambiguity", "When is promptly?", "2", "promptly", "s1"),
    ]
    (found,), ctx = read(VISITS | {"gaps": asked})
    assert questions(found) == ["When is promptly?"]
    assert noted(ctx) == ["What is suitable?", "Who sees to it?"]
    told = next(one for one in ctx.diagnostics if one.error_code == "minor-question")
    assert (told.severity.value, told.location.block, told.evidence[0].quote) == ("info", "s1-li3", "dress suitably")
    assert [one.text for one in found.constraints] == [rule["at"]["q"] for rule in VISITS["rules"]]


def test_what_a_rule_leaves_open_of_a_limit_or_contradicts_is_asked() -> None:
    """And so is what stands in the clause of a step, and what rests on no rule that is listed."""
    asked = [
        gap("missing_parameter", "Which limit?", "5", "the limit set by the house"),
        gap("conflict", "Which of the two?", "4", "dress suitably"),
        gap("undefined_exception", "What about guests?", "4", "Staff"),
        gap("undefined_role", "Who is asked?", "2", "asks the host"),
        gap("ambiguity", "Found by whom?", "6", "where they were found"),
    ]
    (found,), ctx = read(VISITS | {"gaps": asked})
    assert questions(found) == [one["question"] for one in asked]
    assert noted(ctx) == []


def test_a_fact_that_decides_a_way_is_asked_about() -> None:
    """Though its words stand in a rule's clause alone."""
    ways = [
        {"a": "start", "z": "s1"},
        {"a": "s1", "z": "s2", "when": "suitable == true", "words": [{"b": "3", "q": "the visit"}]},
        {"a": "s1", "z": "end", "when": "otherwise"}, {"a": "s2", "z": "end"},
    ]  # fmt: skip
    asked = [gap("ambiguity", "What is suitable?", "4", "dress suitably", "suitable")]
    (found,), _ = read(VISITS | {"flows": ways, "gaps": asked})
    assert questions(found) == ["What is suitable?"]


def test_questions_of_a_duty_alone_are_notes_beside_a_course() -> None:
    """What its case is, is asked all the same; where there is nothing else, everything is."""
    asked = [
        gap("undefined_role", "Who hands them in?", "6", "Keys are handed in", "s1"),
        gap("missing_parameter", "From when do they count?", "6", "within 24 hours", "s1"),
        gap("ambiguity", "Found where?", "6", "where they were found", "s1"),
    ]
    (_, beside), ctx = read(VISITS, KEYS | {"gaps": asked})
    assert questions(beside) == ["Found where?"]
    assert noted(ctx) == ["Who hands them in?", "From when do they count?"]
    (alone,), ctx = read(KEYS | {"gaps": asked})
    assert questions(alone) == [one["question"] for one in asked]
    assert noted(ctx) == []


def test_the_same_question_is_asked_once_with_all_its_places() -> None:
    """The numbers run on, so that later questions find free ones; doubts of two readings stay as they are."""
    asked = [
        gap("ambiguity", "When is promptly?", "2", "promptly", "s1"),
        gap("loop", "How often?", "3", "approves the visit", "s2"),
        gap("ambiguity", "When is promptly?", "3", "the visit", "s2"),
    ]
    (found,), ctx = read(VISITS | {"gaps": asked})
    first, second = found.gaps
    assert (first.id, first.about, [one.quote for one in first.evidence]) == (
        "g1", ("s1", "s2"), ["promptly", "the visit"]
    )  # fmt: skip
    assert (second.id, second.question) == ("g2", "How often?")
    rule = found.constraints[0].evidence
    doubt = Gap(id="r1", kind="ambiguity", question="this or that?", evidence=rule)
    (kept,) = without_minor_questions(ctx, [found.model_copy(update={"gaps": (*found.gaps, doubt)})])
    assert [one.id for one in kept.gaps] == ["g1", "g2", "r1"]
