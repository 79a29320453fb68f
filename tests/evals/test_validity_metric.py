"""Validity: drafts without an error before and after repair; documents without a procedure that are refused."""

from dataclasses import replace

import pytest
from eval_samples import Drafted, changed_node, workflow

from evals.cases import Case
from evals.matching.view import View
from evals.metrics.validity import validity
from evals.outcome import Outcome, Usage
from evals.tally import Tally, share

pytest_plugins = ("eval_fixtures",)


@pytest.mark.parametrize(("first", "final"), [(True, True), (False, True), (False, False)])
def test_drafts_are_counted_before_and_after_repair(drafted: Drafted, first: bool, final: bool) -> None:
    """One draft: 1 of 1 or 0 of 1 each time."""
    assert validity(drafted(valid_at_first=first, valid=final)) == {
        "validity.first": share(first, 1),
        "validity.final": share(final, 1),
    }


def test_the_validator_decides(drafted: Drafted) -> None:
    """Gold has no error; gold with a Type that does not exist has one."""
    assert validity(drafted())["validity.final"] == share(1, 1)
    assert validity(drafted(None, changed_node(workflow(), "refuse", type="notify.no_such")))[
        "validity.final"
    ] == share(0, 1)


def test_nothing_to_count_without_drafts(drafted: Drafted) -> None:
    """A case whose procedures were all missed says nothing of validity."""
    view = drafted()
    none = validity(View(view.case, replace(view.outcome, drafts=()), view.catalog))
    assert none == {"validity.first": Tally(), "validity.final": Tally()}
    assert not any(tally.applies for tally in none.values())


@pytest.mark.parametrize(
    ("refused", "with_draft", "right"), [(("x.pdf",), False, 1), ((), False, 0), (("x.pdf",), True, 0)]
)
def test_documents_without_a_procedure_must_be_refused_with_a_code(
    drafted: Drafted, sample: Case, refused: tuple[str, ...], with_draft: bool, right: int
) -> None:
    """Right where nothing was made of them and a code says why."""
    view = drafted()
    empty = replace(sample, procedures=(), workflows={}, scenarios=())
    drafts = view.outcome.drafts if with_draft else ()
    outcome = Outcome(view.outcome.documents, drafts, refused, Usage(0.0))
    assert validity(View(empty, outcome, view.catalog))["validity.refusal"] == share(right, 1)
