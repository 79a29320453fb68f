"""Extraction over the sample, worked out by hand: gold has 8 steps, 1 deadline, 4 conditions, 1 gap."""

from dataclasses import replace

import pytest
from eval_samples import IN_TWO_DAYS, QUOTES, Drafted, changed_step, one_missing_one_invented, procedure, quoted

from evals.cases import Case
from evals.metrics.extraction import extraction, same_actor
from evals.tally import Tally, share
from ir.procedure import ConditionText, Deadline, Gap, Procedure

pytest_plugins = ("eval_fixtures",)


def test_gold_itself_is_all_right(drafted: Drafted) -> None:
    """Every step, its people, the deadline, conditions and the gap."""
    found = extraction(drafted())
    assert found == {
        "extraction.step": share(8, 8),
        "extraction.actor": share(8, 8),
        "extraction.kind": share(8, 8),
        "extraction.modality": share(8, 8),
        "extraction.deadline": share(1, 1),
        "extraction.condition": share(4, 4),
        "extraction.gap": share(1, 1),
    }


def test_a_step_missing_and_one_invented_both_cost(drafted: Drafted) -> None:
    """Of 8 wanted 7 are right, of 8 found 1 is invented; who acts is asked of the 7 alone."""
    found = extraction(drafted(*one_missing_one_invented()))
    assert found["extraction.step"] == Tally(right=7, wanted=8, found=8)
    assert found["extraction.actor"] == found["extraction.kind"] == share(7, 7)


@pytest.mark.parametrize(
    ("field", "value"), [("actor", "store keeper"), ("actor", None), ("kind", "task"), ("modality", "may")]
)
def test_another_actor_kind_or_modality_is_seen_by_its_own_figure(
    drafted: Drafted, field: str, value: str | None
) -> None:
    """One of the 8 matched steps differs in one field: 7 of 8 there, all else as in gold."""
    gold = extraction(drafted())
    found = extraction(drafted(changed_step(procedure(), "check", **{field: value})))
    assert found == gold | {f"extraction.{field}": share(7, 8)}


def test_a_step_of_other_words_is_another_step(drafted: Drafted) -> None:
    """The reminder's step rests on the words of no gold step: one is missed, one is invented."""
    other = changed_step(procedure(), "remind", evidence=quoted("Loan of Measuring Equipment"))
    assert extraction(drafted(other))["extraction.step"] == Tally(right=7, wanted=8, found=8)


def test_wording_decides_between_steps_of_one_sentence(drafted: Drafted) -> None:
    """Two steps that rest on one quote keep apart by what they say: both are right, both by their own."""
    gold = procedure()
    words = quoted("The desk clerk checks the request for completeness within 2 working days.")
    for name in ("submit", "check"):
        gold = changed_step(gold, name, evidence=words)
    turned = gold.model_copy(update={"steps": gold.steps[::-1]})
    assert {g.step.id: f.step.id for g, f in drafted(turned).steps}["check"] == "check"


@pytest.mark.parametrize(
    ("deadline", "tally"),
    [
        (None, Tally(right=0, wanted=1, found=0)),
        ("P3BD", Tally(right=0, wanted=1, found=1)),
        ("P2D", Tally(right=0, wanted=1, found=1)),
    ],
)
def test_a_deadline_is_right_by_its_duration(drafted: Drafted, deadline: str | None, tally: Tally) -> None:
    """Left out, of another length, or of calendar days in place of working days."""
    due = Deadline(duration=deadline, evidence=quoted(IN_TWO_DAYS)) if deadline else None
    assert extraction(drafted(changed_step(procedure(), "check", deadline=due)))["extraction.deadline"] == tally


def test_an_invented_deadline_costs_too(drafted: Drafted) -> None:
    """Gold's one is right, a second one is found."""
    due = Deadline(duration="P1D", evidence=quoted(QUOTES["hand_over"]))
    found = extraction(drafted(changed_step(procedure(), "hand_over", deadline=due)))
    assert found["extraction.deadline"] == Tally(right=1, wanted=1, found=2)


def test_conditions_are_paired_by_their_words(drafted: Drafted) -> None:
    """One of four is left out, one rests on the words of a step: 3 right of 4 and of 4."""
    gold = procedure()
    invented = ConditionText(id="c9", text="signature", evidence=quoted("against signature"))
    found = extraction(drafted(gold.model_copy(update={"conditions": (*gold.conditions[:3], invented)})))
    assert found["extraction.condition"] == Tally(right=3, wanted=4, found=4)


def test_gaps_of_the_catalog_are_not_gaps_of_the_document(drafted: Drafted) -> None:
    """A step without a Type is no gap to be found; another open question is one too many."""
    gold = procedure()
    unmapped = Gap(id="g2", kind="unmapped_step", question="?", evidence=quoted(QUOTES["hand_over"]))
    open_ = Gap(id="g3", kind="ambiguity", question="?", evidence=quoted(QUOTES["hand_over"]))
    for more, tally in ((unmapped, share(1, 1)), (open_, Tally(right=1, wanted=1, found=2))):
        assert extraction(drafted(_with_gap(gold, more)))["extraction.gap"] == tally


def _with_gap(found: Procedure, gap: Gap) -> Procedure:
    return found.model_copy(update={"gaps": (*found.gaps, gap)})


def test_a_gap_that_rests_on_nothing_costs_gold_nothing(drafted: Drafted, sample: Case) -> None:
    """Gold asks a question for which there are no words, such as who does what when nothing is said."""
    gold = _with_gap(procedure(), Gap(id="g4", kind="undefined_exception", question="?"))
    case = replace(sample, procedures=(gold,))
    assert extraction(drafted(gold, case=case))["extraction.gap"] == share(1, 1)


@pytest.mark.parametrize(
    ("gold", "found", "same"),
    [
        ("desk clerk", "The desk clerk", True),
        ("Desk Clerk", "desk  clerk", True),
        ("安全环保部", "公司安全环保部", True),
        ("desk clerk", "clerk of the desk", False),
        ("desk clerk", None, False),
        (None, None, True),
    ],
)
def test_actors_are_one_role_but_for_articles_case_and_what_stands_before(
    gold: str | None, found: str | None, same: bool
) -> None:
    """Articles and case do not matter, nor does a longer name that ends in the shorter one."""
    assert same_actor(gold, found) is same
