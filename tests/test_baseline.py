"""The gate: no case of the dev split does worse, offline and from cue words, than the blessed baseline."""

from pathlib import Path

import pytest

import flowc.main
from compiler.build.scheduler import Settings
from evals import Choice, run
from evals.reports.compare import BASELINES, baseline_path, regressions
from evals.reports.report import Report, read_report

CASES = Path(__file__).resolve().parent.parent / "fixtures" / "cases"
BASELINE = BASELINES / "cases.dev.offline.cues.json"


@pytest.fixture(scope="module")
def report() -> Report:
    """The dev split as it is compiled now."""
    return run([CASES], Settings(syntax=False), Choice(split="dev", jobs=2))


def test_no_case_fell(report: Report) -> None:
    """Where one did: mend it or, where it is meant, bless the new figures."""
    assert report.crashed == ()
    fell = regressions(read_report(BASELINE), report)
    told = [f"{one.suite}/{one.case} {one.metric}: {one.before} -> {one.after}" for one in fell]
    assert not told, "\n".join(["regression against the baseline; see `flowc eval bless`", *told])


def test_the_baseline_is_of_this_suite(report: Report) -> None:
    """Each case is in it, and its name says what made it."""
    blessed = read_report(BASELINE)
    assert baseline_path(report) == BASELINE
    assert [case.slug for case in blessed.suites[0].cases] == [case.slug for case in report.suites[0].cases]


def test_a_planted_regression_is_named(report: Report, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A case that was better before makes the command fail with its name."""
    suite = report.suites[0]
    case = next(case for case in suite.cases if case.slug == "hazmat-transport")
    step = case.metrics["extraction.step"]
    worse = case.model_copy(
        update={"metrics": case.metrics | {"extraction.step": step.model_copy(update={"right": step.right - 1})}}
    )
    paths = []
    for name, one in (("before", case), ("after", worse)):
        path = tmp_path / f"{name}.json"
        changed = suite.model_copy(update={"cases": (one,)})
        path.write_text(report.model_copy(update={"suites": (changed,)}).text(), encoding="utf-8")
        paths.append(str(path))
    assert flowc.main.main(["eval", "compare", *paths]) == 1
    assert "cases/hazmat-transport extraction.step" in capsys.readouterr().out
