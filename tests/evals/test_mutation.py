"""Faults put into a right workflow: each kind finds something to break, and the validator sees what it must."""

import json
from collections import Counter
from pathlib import Path

import pytest

from catalog.load import load_catalog
from evals.cases import read_case
from evals.gold import gold_of
from evals.mutation.__main__ import killed_rate, report
from evals.mutation.equivalent import equivalent
from evals.mutation.judge import findings, judge
from evals.mutation.kinds import KINDS
from evals.mutation.run import Outcome
from evals.mutation.subject import Subject
from ir.codec import read_workflow
from ir.diagnostics import Location
from ir.workflow import Workflow
from validator.check_input import warning

pytestmark = pytest.mark.slow

CASES = Path(__file__).resolve().parent.parent.parent / "fixtures" / "cases"
NOTHING_TO_BREAK = {
    "comparison_loosened",
    "comparison_tightened",
    "threshold_raised",
    "threshold_lowered",
    "outcome_dropped",
}
"""Kinds for which the case has no place: it compares no order and has no task with outcomes."""
ALWAYS_SEEN = (
    "edge_reversed", "edge_duplicated", "cycle_closed", "otherwise_removed", "null_guard_removed", "null_compared",
    "condition_reads_missing", "condition_reads_state", "constant_misspelt", "constant_of_wrong_type", "type_unknown",
    "type_version_impossible", "deadline_impossible", "required_input_removed", "input_not_upstream",
    "input_reads_missing", "output_reads_missing", "approval_removed", "approval_bypassed", "approval_unread",
    "approver_removed", "policy_relaxed", "retries_added", "quote_altered",
)  # fmt: skip


@pytest.fixture(scope="module")
def subject() -> Subject:
    """The smallest dev case with documents, conditions, an approval and null guards."""
    (gold,) = gold_of(read_case(CASES / "hazmat-transport"))
    return Subject(gold.workflow, load_catalog(), gold.procedures, gold.documents)


def test_gold_is_grounded(subject: Subject) -> None:
    """Every quote of the nodes and edges has a place."""
    parts = (*subject.workflow.nodes.values(), *subject.workflow.edges)
    assert all(evidence.supports for part in parts for evidence in part.evidence)


@pytest.mark.parametrize("kind", KINDS)
def test_kind_has_mutants(kind: str, subject: Subject) -> None:
    """Each kind breaks something, never the original, in the same way each time; its edges are accounted for."""
    mutants = list(KINDS[kind](subject))
    assert (mutants == []) == (kind in NOTHING_TO_BREAK)
    assert [m.raw for m in mutants] == [m.raw for m in KINDS[kind](subject)]
    for mutant in mutants:
        assert mutant.what
        assert mutant.raw != subject.raw or mutant.procedures is not None
        assert len(mutant.origin) == len(mutant.raw["edges"])


@pytest.mark.parametrize("kind", ALWAYS_SEEN)
def test_validator_sees(kind: str, subject: Subject) -> None:
    """Of these kinds the validator sees every fault."""
    found = list(judge(subject, [kind]))
    assert found
    assert [one.mutant.what for one in found if one.verdict not in ("error", "warning")] == []


def test_a_finding_that_moved_with_its_edge_is_not_new(subject: Subject) -> None:
    """Where an earlier edge is gone, the later ones keep the findings they had; one more of a kind is new."""
    where = [Location(pointer=f"/edges/{index}/condition") for index in (0, 2)]
    before = [warning("lone-conditions", "", place) for place in where]
    origin = subject.copy().drop_edges([0]).done("").origin
    assert origin[0] == 1
    moved = [warning("lone-conditions", "", Location(pointer="/edges/1/condition"))]
    known = findings(before, tuple(range(13)))
    assert findings(moved, origin) - known == Counter()
    assert sum((findings(moved * 2, origin) - known).values()) == 1
    assert sum((findings(moved, (None, None)) - known).values()) == 1


def test_equivalence_is_proved_not_guessed(subject: Subject) -> None:
    """A reordered pair of equal choices is the same; a shifted threshold and a lost edge are not."""
    before = subject.analysis
    assert equivalent(before, subject.workflow)
    split = subject.copy().put("exclusive", "nodes", "identify", "split").done("")
    assert equivalent(before, _read(split.raw))
    assert not equivalent(before, _read(next(KINDS["condition_negated"](subject)).raw))
    assert not equivalent(before, _read(next(KINDS["edge_removed"](subject)).raw))


def test_report_hides_cases_that_are_held_out() -> None:
    """Of a held-out case the table has the counts, and the list nothing."""
    outcomes = [
        Outcome("edge_removed", "open", "dev", "w", "a->b removed", "survived"),
        Outcome("edge_removed", "closed", "held_out", "w", "c->d removed", "survived"),
        Outcome("edge_removed", "open", "dev", "w", "e->f removed", "error", ("dangling-edge",)),
        Outcome("edge_removed", "open", "dev", "w", "g->h removed", "equivalent"),
    ]
    text = "\n".join(report(outcomes, 1.0))
    assert "a->b removed" in text and "c->d removed" not in text and "e->f" not in text
    assert killed_rate(outcomes) == pytest.approx(1 / 3)


def _read(raw: dict[str, object]) -> Workflow:
    workflow, faults = read_workflow(json.dumps(raw))
    assert workflow is not None, faults
    return workflow
