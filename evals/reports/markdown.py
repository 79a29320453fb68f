"""A report as Markdown: a table a suite, the worst cases first."""

from collections.abc import Iterator
from html import escape

from evals.reports.report import HEADLINES, CaseResult, Figure, Report, SuiteResult
from evals.reports.side_by_side import cases_by_model, offline_and_model


def markdown(report: Report) -> str:
    """The report as a page of Markdown."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    made = report.made
    yield "# Evaluation"
    yield ""
    yield f"flowc {made.flowc}, {made.mode}, {made.method}, commit {made.commit or 'unknown'}, {report.seconds:.1f} s."
    for suite in report.suites:
        yield ""
        yield f"## {suite.name} ({len(suite.cases)} cases)"
        yield ""
        yield "| metric | value | 95 % | precision | recall | cases |"
        yield "| --- | --- | --- | --- | --- | --- |"
        yield from (_figure(figure) for figure in suite.figures.values())
        yield ""
        yield from _cases(suite)
        yield from _crashes(suite)
    yield from _offline_and_model(report)


def _offline_and_model(report: Report) -> Iterator[str]:
    """The model's figures beside the offline ones, and its tokens."""
    rows = list(offline_and_model(report))
    if not rows:
        return
    yield from ("", "## Offline and by model", "", "| suite | split | metric | offline | model |", "|" + " --- |" * 5)
    for one in rows:
        values = ("" if value is None else f"{value:.3f}" for value in (one.offline, one.model))
        yield f"| {one.suite} | {one.split} | {one.metric} | " + " | ".join(values) + " |"
    yield from ("", "| case | tokens | allowed | one plain prompt |", "|" + " --- |" * 4)
    for case in cases_by_model(report):
        tokens = "unknown" if case.cost.tokens is None else case.cost.tokens
        yield f"| {case.slug} | {tokens} | {case.cost.allowed or ''} | {case.cost.plain or ''} |"


def _figure(figure: Figure) -> str:
    interval = f"{figure.interval.low:.2f}–{figure.interval.high:.2f}" if figure.interval else ""
    tally = figure.tally
    parts = ["", ""] if tally.wanted == tally.found else [f"{tally.precision:.3f}", f"{tally.recall:.3f}"]
    return f"| {figure.name} | {figure.value:.3f} | {interval} | {parts[0]} | {parts[1]} | {figure.cases} |"


def headlines(suite: SuiteResult) -> tuple[str, ...]:
    """The headline metrics that a suite has."""
    return tuple(name for name in HEADLINES if name in suite.figures)


def _cases(suite: SuiteResult) -> Iterator[str]:
    names = headlines(suite)
    yield "| case | " + " | ".join(names) + " | seconds |"
    yield "| --- |" + " --- |" * (len(names) + 1)
    for case in suite.worst_first:
        yield f"| {case.slug} | " + " | ".join(_value(case, name) for name in names) + f" | {case.cost.seconds:.1f} |"


def _value(case: CaseResult, name: str) -> str:
    return f"{case.metrics[name].value:.2f}" if name in case.metrics else ""


def _crashes(suite: SuiteResult) -> Iterator[str]:
    for case in suite.cases:
        if case.crash:
            yield ""
            why = escape(" ".join(case.crash.split()))
            yield f"**{case.slug} crashed**: {why}. It counts as missed in every metric."
