"""The gate: no case does worse than the blessed baselines, neither from recorded answers of a model nor offline.

All cases are compiled and measured once, both ways; what is held against the offline baseline is a part of that.
"""

from pathlib import Path

import pytest

import flowc.main
from compiler.build.scheduler import Settings
from evals import Choice, run
from evals.reports.compare import BASELINES, baseline_path, regressions
from evals.reports.report import Report, SuiteResult, read_report
from llm import ModelChoice

CASES = Path(__file__).resolve().parent.parent / "fixtures" / "cases"
BY_MODEL = BASELINES / "cases-by-model+cases.all.replay.cues.json"
OFFLINE = BASELINES / "cases.dev.offline.cues.json"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report() -> Report:
    """All cases by model, from the recordings, and offline."""
    return run([CASES], Settings(syntax=False, model=ModelChoice()), Choice(jobs=2, way="replay"))


@pytest.fixture(scope="module")
def offline(report: Report) -> Report:
    """The dev split, offline: what `flowc eval run fixtures/cases --offline --split dev` gives."""
    suite = report.suite("cases")
    assert suite is not None
    dev = tuple(case for case in suite.cases if case.split == "dev")
    made = report.made.model_copy(update={"mode": "offline", "split": "dev"})
    return report.model_copy(update={"made": made, "suites": (suite.model_copy(update={"cases": dev}),)})


def by_model(report: Report) -> SuiteResult:
    """What the model's readings came to."""
    suite = report.suite("cases by model")
    assert suite is not None
    return suite


def assert_no_case_fell(baseline: Path, report: Report) -> None:
    """Where one did: mend it or, where it is meant, bless the new figures; where a question changed, record anew."""
    assert report.crashed == ()
    fell = regressions(read_report(baseline), report)
    named = [f"{one.suite}/{one.case} {one.metric}: {one.before} -> {one.after}" for one in fell]
    assert not named, "\n".join(["regression against the baseline; see `flowc eval bless`", *named])
    assert baseline_path(report) == baseline


def test_no_case_fell_by_model(report: Report) -> None:
    """Read from the recorded answers, and offline beside it."""
    assert_no_case_fell(BY_MODEL, report)


def test_no_case_fell_offline(offline: Report) -> None:
    """From cue words alone."""
    assert_no_case_fell(OFFLINE, offline)


def test_the_baseline_is_of_this_suite(offline: Report) -> None:
    """Each case is in it."""
    blessed = read_report(OFFLINE)
    assert [case.slug for case in blessed.suites[0].cases] == [case.slug for case in offline.suites[0].cases]


def test_a_planted_regression_is_named(offline: Report, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A case that was better before makes the command fail with its name."""
    suite = offline.suites[0]
    case = next(case for case in suite.cases if case.slug == "hazmat-transport")
    step = case.metrics["extraction.step"]
    worse = case.model_copy(
        update={"metrics": case.metrics | {"extraction.step": step.model_copy(update={"right": step.right - 1})}}
    )
    paths = []
    for name, one in (("before", case), ("after", worse)):
        path = tmp_path / f"{name}.json"
        changed = suite.model_copy(update={"cases": (one,)})
        path.write_text(offline.model_copy(update={"suites": (changed,)}).text(), encoding="utf-8")
        paths.append(str(path))
    assert flowc.main.main(["eval", "compare", *paths]) == 1
    assert "cases/hazmat-transport extraction.step" in capsys.readouterr().out


def test_every_question_is_the_recorded_one(report: Report) -> None:
    """Each case was answered: tokens were counted, and within what it may take but for one case that is known."""
    over: set[str] = set()
    for case in by_model(report).cases:
        assert case.cost.tokens, case.slug
        assert case.cost.tokens < case.cost.plain, case.slug
        over |= {case.slug} if case.cost.tokens > case.cost.allowed else set()
    assert over == {"water-dosing-sop"}  # one procedure of 46 steps, read in two parts


def test_the_model_is_clearly_better(report: Report) -> None:
    """Than the offline reading of the same cases, in what is found and in how it runs."""
    offline = report.suite("cases")
    assert offline is not None
    for metric in ("extraction.step", "extraction.gap", "workflow.order", "workflow.condition", "behaviour"):
        assert by_model(report).figures[metric].value > offline.figures[metric].value + 0.05, metric
