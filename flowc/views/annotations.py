"""Findings as GitHub workflow commands, which become annotations of a pull request."""

from pathlib import Path

from flowc.report import Report
from flowc.source_text import SourceText
from flowc.terminal import clean
from flowc.views.places import relative
from ir.diagnostics import Diagnostic, Severity

_WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def as_annotations(report: Report) -> str:
    """The findings on one file that count, as GitHub workflow commands, one a line."""
    return "".join(_annotation(report.text, diagnostic) + "\n" for diagnostic in report.shown)


def _annotation(file: SourceText, diagnostic: Diagnostic) -> str:
    properties = {"file": relative(Path(file.name))}
    if region := file.region_of(diagnostic):
        properties |= {"line": str(region.line), "endLine": str(region.end_line)}
        if region.line == region.end_line:  # columns of several lines are refused
            properties |= {"col": str(region.column), "endColumn": str(max(region.column, region.end_column - 1))}
    properties["title"] = diagnostic.error_code
    listed = ",".join(f"{name}={_escaped(clean(value), ':,')}" for name, value in properties.items())
    return f"::{_WORDS[diagnostic.severity]} {listed}::{_escaped(clean(diagnostic.message))}"


def _escaped(text: str, also: str = "") -> str:
    """Text as a workflow command takes it.

    >>> _escaped("50%, see: x", ":,")
    '50%25%2C see%3A x'
    """
    return "".join(f"%{ord(char):02X}" if char in "%\r\n" + also else char for char in text)
