"""Two reports beside each other, and a baseline that still holds or does not."""

import pytest
from report_samples import failed, report, result

from evals.errors import NotComparable
from evals.reports.compare import baseline_path, bless, compare, regressions
from evals.reports.report import Report, SuiteResult
from evals.tally import Tally, share

SLUGS = [f"case-{number:02}" for number in range(12)]


def of(*right: float, **made: object) -> Report:
    """A report with one case for each number: so many of 10 runs as in gold."""
    return report(*(result(slug, behaviour=share(n, 10)) for slug, n in zip(SLUGS, right, strict=False)), **made)


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ([5] * 12, [7] * 12, "rose"),
        ([7] * 12, [5] * 12, "fell"),
        ([5] * 12, [5] * 12, "same"),
        ([5] * 12, [6, 4] * 6, "same"),
        ([5] * 12, [9, 2] * 6, "noise"),
        ([5] * 12, [5.004] * 12, "same"),
        ([5], [6], "rose"),
        ([6], [5], "fell"),
    ],
)
def test_a_figure_rose_fell_or_differs_by_noise(before: list[float], after: list[float], verdict: str) -> None:
    """Noise is a difference whose interval holds zero; one case has no interval, and what it says stands."""
    (change,) = compare(of(*before), of(*after)).changes
    assert (change.verdict, change.cases, change.metric) == (verdict, len(before), "behaviour")


def test_the_figures_are_those_of_the_cases_that_both_have() -> None:
    """Of three cases one is gone and one is new: two are compared, 10 of 20 before and 14 of 20 after."""
    before = report(*(result(slug, behaviour=share(5, 10)) for slug in ("a", "b", "gone")))
    after = report(*(result(slug, behaviour=share(7, 10)) for slug in ("new", "a", "b")))
    found = compare(before, after)
    (change,) = found.changes
    assert (change.cases, change.before, change.after) == (2, 0.5, 0.7)
    assert [(one.case, one.before, one.after) for one in found.cases] == [("a", 0.5, 0.7), ("b", 0.5, 0.7)]


def test_each_metric_is_compared_where_it_applies_in_both() -> None:
    """What one report alone has is no figure to compare, but the case's change says so."""
    before = report(result("a", behaviour=share(5, 10), workflow_edge=share(1, 2)))
    after = report(result("a", behaviour=share(5, 10), workflow_order=share(1, 2)))
    found = compare(before, after)
    assert [change.metric for change in found.changes] == ["behaviour"]
    assert [(one.metric, one.before, one.after) for one in found.cases] == [
        ("workflow.edge", 0.5, None),
        ("workflow.order", None, 0.5),
    ]
    assert [one.fell for one in found.cases] == [True, False]


def test_no_suite_in_common_is_no_comparison() -> None:
    """The message names both."""
    with pytest.raises(NotComparable, match="cases and others"):
        compare(report(result("a")), report(result("a"), suite="others"))


def test_how_the_reports_were_made_is_noted() -> None:
    """Another version, another catalog, a package that is gone."""
    before = of(5, flowc="0.1.0", catalog="c0", versions={"python": "3.11", "numpy": "2.0"})
    after = of(5, flowc="0.2.0", catalog="c1", versions={"python": "3.12"})
    assert compare(before, after).notes == (
        "flowc: 0.1.0 before, 0.2.0 after",
        "catalog: c0 before, c1 after",
        "numpy: 2.0 before, absent after",
        "python: 3.11 before, 3.12 after",
    )


# --- baselines --------------------------------------------------------------------------------------------------------


def test_a_regression_names_the_case() -> None:
    """The first of three fell, the second rose, the third moved by less than rounding may do."""
    (found,) = regressions(of(8, 5, 5), of(6, 9, 4.96))
    assert (found.suite, found.case, found.metric, found.before, found.after) == (
        "cases", "case-00", "behaviour", 0.8, 0.6,
    )  # fmt: skip


def test_what_repetitions_lie_apart_by_is_no_regression() -> None:
    """The figure fell by 0.1, and repetitions of it differ by as much; by 0.05 it is one."""
    before, after = of(8), of(7)
    (suite,) = before.suites
    noisy = suite.cases[0].model_copy(update={"spread": {"behaviour": 0.11}})
    calm = suite.cases[0].model_copy(update={"spread": {"behaviour": 0.05}})
    assert regressions(report(noisy), after) == ()
    assert [one.case for one in regressions(report(calm), after)] == ["case-00"]


def test_a_crash_counts_as_zero_and_is_named() -> None:
    """Every metric of the case fell to 0, and each says why."""
    before = report(result("a", behaviour=share(8, 10), extraction_step=Tally(right=4, wanted=5, found=5)))
    crashed = result("a", "RuntimeError: no", behaviour=share(0, 10), extraction_step=Tally(wanted=5))
    found = regressions(before, report(crashed))
    assert [(one.case, one.metric, one.after, one.why) for one in found] == [
        ("a", "behaviour", 0.0, "RuntimeError: no"),
        ("a", "extraction.step", 0.0, "RuntimeError: no"),
    ]


def test_a_case_that_is_gone_is_a_regression() -> None:
    """Who takes a case out must bless the baseline anew."""
    (found,) = regressions(of(8, 5), of(8))
    assert (found.case, found.metric, found.after, found.fell) == ("case-01", "case", None, True)


def test_a_case_that_is_new_is_none() -> None:
    """The baseline says nothing of it."""
    assert regressions(of(8), of(8, 0)) == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [("method", "syntax"), ("mode", "gpt"), ("embedder", "other"), ("split", "held_out"), ("limit", 3)],
)
def test_a_baseline_of_another_way_is_not_comparable(field: str, value: object) -> None:
    """The message names what differs and both values."""
    with pytest.raises(NotComparable, match=f"{field} .*{value}"):
        regressions(of(8), of(8, **{field: value}))


def test_another_version_or_catalog_is_comparable() -> None:
    """They are what a baseline is there to judge."""
    assert regressions(of(8), of(8, flowc="9", catalog="c9", primers=(), commit=None)) == ()


def test_a_blessed_baseline_has_figures_alone() -> None:
    """No times, nothing of what went wrong; against it the report itself has no regression."""
    one = failed(result("a", behaviour=share(1, 2)), "a run", "path: …")
    made = report(one)
    found = bless(made)
    (case,) = found.suites[0].cases
    assert (found.seconds, case.cost.seconds, case.failures) == (0.0, 0.0, ())
    assert case.metrics == one.metrics and regressions(found, made) == ()


def test_a_baselines_file_says_what_it_is_of() -> None:
    """Suites, split, mode and method; a suite of the benchmark without its colon."""
    two = report(result("a")).model_copy(
        update={"suites": tuple(SuiteResult(name=name, cases=()) for name in ("cases", "pet:pet-dev"))}
    )
    assert baseline_path(two).name == "cases+pet-pet-dev.dev.offline.cues.json"
    assert baseline_path(of(5, split=None)).name == "cases.all.offline.cues.json"


def test_an_invention_that_is_gone_is_no_regression() -> None:
    """Before, one deadline was found where gold has none; now none is. A figure above 0 that is gone is one."""
    now = report(result("a", behaviour=share(8, 10)))
    before = report(result("a", behaviour=share(8, 10), extraction_deadline=Tally(right=0, wanted=0, found=1)))
    assert regressions(before, now) == ()
    before = report(result("a", behaviour=share(8, 10), extraction_deadline=Tally(right=1, wanted=2, found=3)))
    assert [(one.metric, one.before, one.after) for one in regressions(before, now)] == [
        ("extraction.deadline", 0.4, None)
    ]


def test_a_suite_that_is_gone_is_a_regression() -> None:
    """Of two suites of the baseline one was not run."""
    before = of(8)
    other = SuiteResult(name="others", cases=(result("b", behaviour=share(1, 1)),))
    both = before.model_copy(update={"suites": (*before.suites, other)})
    assert [(one.suite, one.case) for one in regressions(both, of(8))] == [("others", "b")]
