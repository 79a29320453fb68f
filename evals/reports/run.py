"""A run of suites: its report, and the pictures that belong to it."""

from dataclasses import dataclass

from evals.reports.pictures import Picture
from evals.reports.report import Report


@dataclass(frozen=True)
class Run:
    """A report with the pictures that belong to it, by SUITE/CASE."""

    report: Report
    pictures: dict[str, tuple[Picture, ...]]
