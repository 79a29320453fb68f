"""Two reports beside each other: what rose, what fell, and what is noise; and whether a baseline still holds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from evals.errors import NotComparable
from evals.reports.report import CaseResult, Report, SuiteResult
from evals.reports.statistics import Interval, difference
from evals.tally import pooled
from ir.base import Model

NOISE = 0.005  # of one case: what rounding and the order of equal scores may do
BASELINES = Path(__file__).resolve().parents[1] / "baselines"
Verdict = Literal["rose", "fell", "same", "noise"]


class Change(Model):
    """One metric of a suite, before and after, over the cases that both have.

    Args:
        interval: of the difference, at 95 %; None for fewer than two cases.
        verdict: `noise` where it differs and the interval holds 0.
    """

    suite: str
    metric: str
    cases: int
    before: float
    after: float
    interval: Interval | None
    verdict: Verdict


class CaseChange(Model):
    """One metric of one case that differs by more than its noise; None where a report has no such figure."""

    suite: str
    case: str
    metric: str
    before: float | None
    after: float | None
    why: str | None = None

    @property
    def fell(self) -> bool:
        """Whether it is worse than before; a figure that is gone is."""
        return bool(self.before) and (self.after is None or self.after < (self.before or 0.0))


class Comparison(Model):
    """What two reports say of the same suites.

    Args:
        notes: how they differ in what they were made by.
    """

    changes: tuple[Change, ...]
    cases: tuple[CaseChange, ...]
    notes: tuple[str, ...] = ()


def compare(before: Report, after: Report) -> Comparison:
    """Compare two reports over the suites and cases that both have.

    Raises:
        NotComparable: they have no suite in common.
    """
    both = [(suite, other) for suite in before.suites if (other := after.suite(suite.name)) is not None]
    if not both:
        names = [", ".join(suite.name for suite in report.suites) for report in (before, after)]
        raise NotComparable(f"no suite is in both reports: {names[0]} and {names[1]}")
    common = [{case.slug for case in one.cases} & {case.slug for case in two.cases} for one, two in both]
    if not any(common) and any(one.cases for one, _ in both):
        raise NotComparable("no case is in both reports; compare runs of the same suite and split")
    return Comparison(
        changes=tuple(change for pair in both for change in _changes(*pair)),
        cases=tuple(change for pair in both for change in _case_changes(*pair)),
        notes=tuple(_notes(before, after)),
    )


def _changes(before: SuiteResult, after: SuiteResult) -> Iterator[Change]:
    others = {case.slug: case for case in after.cases}
    for metric in dict.fromkeys(name for case in before.cases for name in case.metrics):
        pairs = [
            (case.metrics[metric], others[case.slug].metrics[metric])
            for case in before.cases
            if metric in case.metrics and case.slug in others and metric in others[case.slug].metrics
        ]
        if not pairs:
            continue
        one, two = pooled(a for a, _ in pairs).value, pooled(b for _, b in pairs).value
        apart = difference([a for a, _ in pairs], [b for _, b in pairs])
        yield Change(
            suite=before.name,
            metric=metric,
            cases=len(pairs),
            before=one,
            after=two,
            interval=apart,
            verdict=_verdict(two - one, apart),
        )


def _verdict(change: float, apart: Interval | None) -> Verdict:
    if abs(change) < NOISE / 10:
        return "same"
    if apart is not None and apart.low <= 0 <= apart.high:
        return "noise"
    return "rose" if change > 0 else "fell"


def _case_changes(before: SuiteResult, after: SuiteResult) -> Iterator[CaseChange]:
    others = {case.slug: case for case in after.cases}
    for case in before.cases:
        other = others.get(case.slug)
        if other is not None:
            yield from _of_case(before.name, case, other)


def _of_case(suite: str, before: CaseResult, after: CaseResult) -> Iterator[CaseChange]:
    for metric in dict.fromkeys([*before.metrics, *after.metrics]):
        one, two = before.metrics.get(metric), after.metrics.get(metric)
        noise = max(NOISE, before.spread.get(metric, 0.0), after.spread.get(metric, 0.0))
        if one is not None and two is not None and abs(two.value - one.value) <= noise:
            continue
        yield CaseChange(
            suite=suite,
            case=before.slug,
            metric=metric,
            before=one.value if one else None,
            after=two.value if two else None,
            why=after.crash,
        )


def _notes(before: Report, after: Report) -> Iterator[str]:
    for suite in before.suites:
        other = after.suite(suite.name)
        old, new = {c.slug for c in suite.cases}, {c.slug for c in other.cases} if other else set()
        if old != new:
            counts = f"{len(old & new)} cases in both, {len(old - new)} only before, {len(new - old)} only after"
            yield f"{suite.name}: {counts}"
    for field in ("flowc", "mode", "method", "catalog", "embedder", "primers", "split", "limit"):
        one, two = getattr(before.made, field), getattr(after.made, field)
        if one != two:
            yield f"{field}: {_short(one)} before, {_short(two)} after"
    for name in sorted({*before.made.versions, *after.made.versions}):
        one, two = before.made.versions.get(name), after.made.versions.get(name)
        if one != two:
            yield f"{name}: {one or 'absent'} before, {two or 'absent'} after"


def _short(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return text if len(text) <= 60 else text[:12]


# --- baselines --------------------------------------------------------------------------------------------------------


def regressions(baseline: Report, after: Report) -> tuple[CaseChange, ...]:
    """The cases that fell against a blessed baseline, by more than their noise; cases that are gone among them.

    Raises:
        NotComparable: the two were made in different ways, so that a difference would say nothing.
    """
    for field in ("mode", "method", "embedder", "split", "limit"):
        one, two = getattr(baseline.made, field), getattr(after.made, field)
        if one != two:
            raise NotComparable(
                f"the baseline was made with {field} {one}, this run with {two}; run it as the baseline was"
            )
    found = [change for change in compare(baseline, after).cases if change.fell]
    for suite in baseline.suites:
        now = after.suite(suite.name)
        here = {case.slug for case in now.cases} if now else set()
        gone = [case.slug for case in suite.cases if case.slug not in here]
        found += [CaseChange(suite=suite.name, case=slug, metric="case", before=1.0, after=None) for slug in gone]
    return tuple(found)


def baseline_path(report: Report) -> Path:
    """Where a report's baseline is kept: its suites, split, mode and method name the file."""
    names = "+".join(suite.name.replace(":", "-").replace(" ", "-") for suite in report.suites)
    return BASELINES / f"{names}.{report.made.split or 'all'}.{report.made.mode}.{report.made.method}.json"


def bless(report: Report) -> Report:
    """The report as a baseline: figures alone, without times and without what went wrong."""
    suites = [
        suite.model_copy(update={"cases": tuple(_figures_only(case) for case in suite.cases)})
        for suite in report.suites
    ]
    return report.model_copy(update={"suites": tuple(suites), "seconds": 0.0})


def _figures_only(case: CaseResult) -> CaseResult:
    cost = case.cost.model_copy(update={"seconds": 0.0})
    return case.model_copy(update={"failures": (), "cost": cost})
