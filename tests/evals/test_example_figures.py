"""What the cases of gold show and find: measured on one small case."""

from pathlib import Path

from catalog.load import load_catalog
from evals.cases import read_case
from evals.examples.__main__ import report
from evals.examples.measure import kept_as_right, kill_rate, measure_case, mutants_of
from evals.mutation.subject import Subject
from validator.examples.cases import cases
from validator.examples.kept import check_kept

CASES = Path(__file__).resolve().parents[2] / "fixtures" / "cases"


def test_cases_of_gold_show_all_and_find_faults() -> None:
    """All that a run can reach, and at least 95 of 100 faults of conditions, rows and guards."""
    found = measure_case((CASES / "hazmat-transport", True))
    assert [one.not_found for one in found] == [0]
    rate = kill_rate(found[0].mutants)
    assert rate is not None and rate >= 0.95
    assert {one.fate for one in found[0].mutants} <= {"killed", "same", "survived", "unknown"}
    assert any("kill rate" in line for line in report(found))


def test_rows_are_among_the_faults_and_gold_itself_passes() -> None:
    """The cases that are taken for right are so on the workflow that they were made of."""
    workflow = read_case(CASES / "hazmat-transport").workflows["transport-compliance"]
    kinds = {kind for kind, _ in mutants_of(Subject(workflow, load_catalog()))}
    assert {"row: row_removed", "row: loosened", "row: tightened", "comparison_turned"} & kinds
    kept = kept_as_right(workflow, cases(workflow, load_catalog()))
    assert {one.outcome for one in check_kept(kept, workflow)} == {"passed"}
