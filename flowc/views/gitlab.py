"""Findings as a GitLab Code Quality report."""

from typing import Any

from flowc.report import Report
from flowc.source_text import SourceText
from flowc.views.places import fingerprints, relative
from ir.diagnostics import Severity
from validator.suppressions import JudgedFinding

_WORDS = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.INFO: "info"}


def as_code_quality(report: Report) -> list[dict[str, Any]]:
    """The findings on one file that are not set aside, which the form cannot show; line 1 where no place is known."""
    path = relative(report.checked.path)
    return [
        _entry(report.text, path, one, print_)
        for one, print_ in zip(report.judged, fingerprints(report.judged, seed=path), strict=True)
        if one.ignored is None
    ]


def _entry(file: SourceText, path: str, judged: JudgedFinding, print_: str) -> dict[str, Any]:
    finding = judged.finding
    region = file.region_of(finding)
    lines = {"begin": region.line, "end": region.end_line} if region else {"begin": 1}
    return {
        "description": f"{finding.message} [{finding.error_code}]",
        "check_name": finding.error_code,
        "fingerprint": print_,
        "severity": _WORDS[finding.severity],
        "location": {"path": path, "lines": lines},
    }
