"""Figures of an evaluation as tables for people."""

from collections.abc import Iterable
from pathlib import Path

from evals.cases import Case
from evals.metrics import FOUND, METRICS
from evals.reports.compare import CaseChange, Comparison
from evals.reports.markdown import headlines
from evals.reports.page import HIGH, LOW
from evals.reports.report import CaseResult, Figure, Report, SuiteResult
from evals.reports.side_by_side import cases_by_model, offline_and_model
from flowc.terminal import Colour, clean, paint, print_line, table
from flowc.views.findings import plural

_SHOWN = 40
_TOKENS = ["tokens", "allowed", "one plain prompt"]
_VERDICTS: dict[str, Colour] = {"rose": "green", "fell": "red"}


def print_report(report: Report, out: Path | None) -> None:
    """Print each suite's figures, then its cases, the worst first."""
    for suite in report.suites:
        print_line(paint(f"{clean(suite.name)}: {plural(len(suite.cases), 'case')}", "bold"))
        heads = ["metric", "value", "95 %", "precision", "recall", "cases"]
        table(heads, [_figure(one) for one in suite.figures.values()], numbers=heads[1:])
        print_line()
        _cases(suite)
        for case in suite.cases:
            if case.crash:
                print_line(paint(f"{case.slug} crashed: {clean(case.crash)}; it counts as missed", "red"))
        print_line()
    _print_offline_and_model(report)
    if report.made.repeat > 1:
        apart = [value for suite in report.suites for case in suite.cases for value in case.spread.values()]
        print_line(
            f"{report.made.repeat} runs of each case; the greatest spread of a figure is {max(apart, default=0.0):.3f}"
        )
    print_line(f"{plural(sum(len(suite.cases) for suite in report.suites), 'case')} in {report.seconds:.1f} s")
    if out is not None:
        print_line(f"Look at {clean(str(out / 'report.html'))}")


def _print_offline_and_model(report: Report) -> None:
    """The model's figures beside the offline ones, and what it took."""
    rows = [
        [one.suite, one.split, one.metric, *("" if v is None else _graded(v, 3) for v in (one.offline, one.model))]
        for one in offline_and_model(report)
    ]
    if not rows:
        return
    table(["suite", "split", "metric", "offline", "by model"], rows, numbers=["offline", "by model"])
    print_line()
    table(
        ["case", "tokens", "allowed", "one plain prompt"], [_tokens(c) for c in cases_by_model(report)], numbers=_TOKENS
    )
    print_line()


def _tokens(case: CaseResult) -> list[str]:
    cost = case.cost
    said = "unknown" if cost.tokens is None else str(cost.tokens)
    over = cost.tokens is not None and 0 < cost.allowed < cost.tokens
    return [case.slug, paint(said, "red") if over else said, *(str(n) if n else "" for n in (cost.allowed, cost.plain))]


def _figure(figure: Figure) -> list[str]:
    tally, interval = figure.tally, figure.interval
    parted = tally.wanted != tally.found or figure.name in FOUND
    return [
        figure.name,
        _graded(figure.value, 3),
        f"{interval.low:.2f}-{interval.high:.2f}" if interval else "",
        f"{tally.precision:.3f}" if parted else "",
        f"{tally.recall:.3f}" if parted else "",
        str(figure.cases),
    ]


def _graded(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return paint(text, "red" if value < LOW else "green" if value >= HIGH else "yellow")


def _cases(suite: SuiteResult) -> None:
    names = headlines(suite)
    rows = [
        [
            case.slug,
            case.split,
            *(_graded(case.metrics[name].value, 2) if name in case.metrics else "" for name in names),
            f"{case.cost.seconds:.1f}",
        ]
        for case in suite.worst_first
    ]
    table(["case", "split", *names, "seconds"], rows, numbers=[*names, "seconds"])


def print_comparison(comparison: Comparison) -> None:
    """Print what rose and fell, metric by metric, then case by case."""
    for note in comparison.notes:
        print_line(clean(note))
    rows = [
        [
            change.suite,
            change.metric,
            f"{change.before:.3f}",
            f"{change.after:.3f}",
            f"{change.after - change.before:+.3f}",
            f"{change.interval.low:+.2f}..{change.interval.high:+.2f}" if change.interval else "",
            paint("within noise" if change.verdict == "noise" else change.verdict, _VERDICTS[change.verdict])
            if change.verdict in _VERDICTS
            else "within noise",
        ]
        for change in comparison.changes
        if change.verdict != "same"
    ]
    if not rows and not comparison.cases:
        print_line("no figure differs")
        return
    heads = ["suite", "metric", "before", "after", "change", "95 %", "verdict"]
    table(heads, rows, numbers=["before", "after", "change", "95 %"])
    _print_cases([one for one in comparison.cases if one.fell], "fell", "red")
    _print_cases([one for one in comparison.cases if not one.fell], "rose", "green")


def _print_cases(changes: list[CaseChange], name: str, colour: Colour) -> None:
    if not changes:
        return
    print_line()
    print_line(paint(f"{plural(len(changes), 'figure')} of cases {name}:", colour))
    for change in changes[:_SHOWN]:
        print_line(f"  {_change_text(change)}")
    if len(changes) > _SHOWN:
        print_line(f"  and {len(changes) - _SHOWN} more; --json has all")


def _change_text(change: CaseChange) -> str:
    before, after = ("absent" if value is None else f"{value:.3f}" for value in (change.before, change.after))
    why = f" ({change.why})" if change.why else ""
    return clean(f"{change.suite}/{change.case} {change.metric}: {before} -> {after}{why}")


def print_regressions(fell: Iterable[CaseChange]) -> None:
    """Print the cases that fell against the baseline; nothing where none did."""
    fell = list(fell)
    if fell:
        names = ", ".join(dict.fromkeys(f"{one.suite}/{one.case}" for one in fell))
        print_line(paint(f"regression against the baseline: {clean(names)}", "red"))
        for change in fell[:_SHOWN]:
            print_line(f"  {_change_text(change)}")
        print_line("mend it, or, where it is meant, bless the new figures: flowc eval bless DIR")


def case_rows(case: Case) -> list[str]:
    """A case as a row of the list."""
    formats = dict.fromkeys(Path(one.path).suffix.lstrip(".") for one in case.file.documents)
    return [
        case.slug,
        case.file.language,
        case.file.split,
        " ".join(formats),
        str(len(case.procedures)),
        str(sum(len(procedure.steps) for procedure in case.procedures)),
        str(len(case.scenarios)),
        " ".join(case.file.features),
    ]


def metric_rows() -> list[list[str]]:
    """Each family of metrics with the first sentence of its definition."""
    import sys

    rows = []
    for metric in METRICS:
        text = (sys.modules[metric.__module__].__doc__ or "").strip()
        rows.append([metric.__name__, " ".join(text.split())])
    return rows
