"""Findings of several files for people: each with its lines, then what was decided about them, then the sum."""

from collections.abc import Iterator, Sequence

from flowc.report import Report
from flowc.terminal import clean, one_line, paint, print_line
from flowc.views.findings import as_text, counted, headline, plural
from validator.suppressions import JudgedFinding


def print_reports(reports: Sequence[Report]) -> None:
    """Print all findings; a trace of each that was set aside or counts otherwise than its check gave."""
    for report in reports:
        print_line(as_text(report.text, report.shown, report.documents) + _verdict(report))
    print_sum(reports)


def print_sum(reports: Sequence[Report]) -> None:
    """Print the trace of decisions, and how many findings there are."""
    aside = [line for report in reports for line in _aside(report)]
    changed = [line for report in reports for line in _changed(report)]
    for head, lines in (("set aside:", aside), ("counted otherwise than their checks gave:", changed)):
        if lines:
            print_line(paint(head, "bold"))
        for line in lines:
            print_line(f"  {line}")
    if any(report.judged or report.left_out for report in reports) or len(reports) > 1:
        found = counted([one for report in reports for one in report.shown])
        print_line(f"{found}{_besides(reports)} in {plural(len(reports), 'file')}")


def _verdict(report: Report) -> str:
    """That nothing is wrong, as far as that was asked; nothing where something is."""
    if report.shown:
        return ""
    name = clean(report.text.name)
    if report.left_out:
        return f"{name}: nothing of the selected codes"
    aside = [one.finding.model_copy(update={"severity": one.severity_given}) for one in report.set_aside]
    return f"{name}: sound" + (f" with {counted(aside)} set aside" if aside else "")


def _besides(reports: Sequence[Report]) -> str:
    aside = sum(len(report.set_aside) for report in reports)
    left_out = sum(report.left_out for report in reports)
    parts = [f"{aside} set aside"] if aside else []
    parts += [f"{left_out} of other codes left out"] if left_out else []
    return "".join(f", {part}" for part in parts)


def _aside(report: Report) -> Iterator[str]:
    for one in report.set_aside:
        if one.ignored:
            why = f"{one_line(clean(one.ignored.reason))} ({clean(one.ignored.by)})"
            yield f"{headline(report.text, one.finding)}: {why}"


def _changed(report: Report) -> Iterator[str]:
    for one in report.judged:
        if one.changed:
            yield f"{headline(report.text, one.finding)}: {_was(one)}"


def _was(judged: JudgedFinding) -> str:
    return f"{judged.severity_given} counts as {judged.finding.severity} ({clean(judged.given_by or '')})"
