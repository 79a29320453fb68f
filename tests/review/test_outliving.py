"""Decisions after their document was changed: kept, moved, drifted, orphaned, contradicted; nothing lost or silent."""

import pytest
from conftest import POLICY, Bench
from test_corrections import item

from ir.decision import Decision
from review.decide import decide, new_decision, undo
from review.forms import operation_from
from review.queue import Risk, queue


def corrected(bench: Bench, subject: str, words: str, do: str, **values: str) -> Decision:
    """A correction that is taken."""
    draft = bench.draft
    one = item(draft, subject, words)
    made = new_decision(
        draft, one, "correct", author="Ng", reason="as it is done", value=operation_from(draft, one, do, values)
    )
    decide(draft, made)
    return made


def fate(bench: Bench, made: Decision) -> tuple[str, bool, str | None]:
    """State, whether it is applied, and why not."""
    found = next(one for one in bench.draft.fates if one.id == made.id)
    return found.state, found.applied, found.code


def test_what_is_put_in_before_moves_nothing(bench: Bench) -> None:
    """Ids and numbers shift; the correction stays with its words."""
    made = corrected(bench, "step", "enters the order", "change_step.actor", value="Porter")
    bench.change("1. The clerk enters", "1. The guard opens the gate.\n2. The clerk enters")
    assert fate(bench, made) == ("unchanged", True, None)
    (own,) = [step for step in bench.draft.procedure.steps if "enters the order" in step.text]
    assert (own.id, own.actor) == ("s2", "Porter")


def test_a_condition_follows_the_ids_of_what_it_names(bench: Bench) -> None:
    """Its text names a step that has another number now."""
    made = corrected(
        bench, "edge", "director approves the order → The storekeeper", "change_edge.condition",
        value='s4.outcome == "approved"',
    )  # fmt: skip
    bench.change("1. The clerk enters", "1. The guard opens the gate.\n2. The clerk enters")
    draft = bench.draft
    assert fate(bench, made) == ("unchanged", True, None)
    (director,) = [step.id for step in draft.procedure.steps if "director" in step.text]
    assert director == "s5"
    own = next(flow for flow in draft.procedure.flows if flow.source == director)
    said = next(one.text for one in draft.procedure.conditions if one.id == own.condition)
    assert said == '$.steps.s5.outcome == "approved"'


def test_a_paragraph_that_moves_takes_its_decisions_along(bench: Bench) -> None:
    """The same words elsewhere."""
    made = corrected(bench, "step", "sends the papers", "change_step.actor", value="Porter")
    lines = POLICY.splitlines()
    at = next(n for n, line in enumerate(lines) if "storekeeper" in line)
    moved = [*lines[:2], lines[at], *lines[2:at], *lines[at + 1 :]]
    bench.file.write_text("\n".join(moved) + "\n", encoding="utf-8")
    bench.compile()
    assert fate(bench, made) == ("moved", True, None)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("exceeds 5000 EUR", "exceeds 8000 EUR"),
        ("If the amount exceeds", "If the amount does not exceed"),
        ("the director approves the order", "the director may approve the order"),
    ],
)
def test_numbers_negations_and_modal_words_are_drift(bench: Bench, was: str, now: str) -> None:
    """However alike the letters: the decision is not applied, and a question has old and new words."""
    made = corrected(bench, "step", "director approves", "change_step.actor", value="Board")
    bench.change(was, now)
    assert fate(bench, made) == ("drifted", False, "drifted-decision")
    draft = bench.draft
    assert not any(step.actor == "Board" for step in draft.procedure.steps)
    asked = [gap.question for gap in draft.workflow.gaps if "as it is done" in gap.question]
    assert len(asked) == 1
    first = queue(draft)[0]
    assert (first.risk, first.why, first.open) == (Risk.DECISION, ("drifted-decision",), True)


def test_the_same_in_other_words_is_kept(bench: Bench) -> None:
    """Three days are 3 days."""
    made = corrected(bench, "step", "manager approves", "change_step.actor", value="Board")
    bench.change("within 3 days", "within three days")
    assert fate(bench, made)[1:] == (True, None)


def test_what_is_gone_is_told(bench: Bench) -> None:
    """Until it is taken back."""
    made = corrected(bench, "step", "sends the papers", "change_step.actor", value="Porter")
    bench.change("5. The storekeeper sends the papers to the customer.\n", "")
    assert fate(bench, made) == ("orphaned", False, "orphaned-decision")
    undo(bench.draft, "Ng", which=made.id)
    assert bench.draft.fates == ()


def test_what_the_document_changed_too_is_contradicted(bench: Bench) -> None:
    """The words stand, their value does not."""
    made = corrected(bench, "step", "sends the papers", "change_step.actor", value="Porter")
    line = bench.draft.build.decisions
    line.write_text(line.read_text("utf-8").replace('"was": "storekeeper"', '"was": "messenger"'), encoding="utf-8")
    bench.compile()
    assert fate(bench, made) == ("unchanged", False, "contradicted-decision")
    assert any(gap.id.startswith("d") for gap in bench.draft.workflow.gaps)


def test_a_rejection_is_a_weighty_question_until_it_is_settled(bench: Bench) -> None:
    """A correction of the same element settles it."""
    draft = bench.draft
    one = item(draft, "condition", "exceeds 5000")
    after = decide(draft, new_decision(draft, one, "reject", author="Wu", reason="not this sum"))
    assert after.verdict.questions.weighty == draft.verdict.questions.weighty + 1
    assert item(after, "condition", "exceeds 5000").open
    corrected(bench, "condition", "exceeds 5000", "set_condition", text="amount > 9000")
    assert bench.draft.verdict.questions.weighty == draft.verdict.questions.weighty


def test_a_statement_that_is_no_duty_demands_nothing(bench: Bench) -> None:
    """It is set aside with the reason, and open again when its words change."""
    draft = bench.draft
    one = item(draft, "prohibition", "Smoking")
    after = decide(draft, new_decision(draft, one, "declare", author="Wu", reason="the fire code has it"))
    (said,) = [one for one in after.statements if "Smoking" in one.text]
    assert (said.fate, said.prohibition) == ("other", None)
    assert "the fire code has it" in (said.reason or "")
    bench.change("Smoking is prohibited", "Smoking and eating are prohibited")
    (said,) = [one for one in bench.draft.statements if "Smoking" in one.text]
    assert said.fate != "other"


def test_an_answer_closes_its_question(bench: Bench) -> None:
    """It counts no longer as weighty, and is open again where the words change."""
    draft = bench.draft
    one = item(draft, "question", "director approves")
    made = new_decision(draft, one, "answer", author="Wu", reason="asked", value="then the order ends")
    after = decide(draft, made)
    assert after.verdict.questions.weighty == draft.verdict.questions.weighty - 1
    assert not item(after, "question", "director approves").open
