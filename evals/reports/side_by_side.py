"""Figures of a model's reading and of the offline one side by side, and what the model took."""

from collections.abc import Iterator
from dataclasses import dataclass

from evals.reports.report import BY_MODEL, CaseResult, Report, SuiteResult
from evals.tally import pooled

COMPARED = (
    "extraction.step", "extraction.condition", "extraction.gap", "workflow.order", "workflow.condition",
    "workflow.mapping", "behaviour", "behaviour.decision", "behaviour.result", "behaviour.node", "validity.final",
    "pet.mention", "pet.relation", "pet.activity_graph",
)  # fmt: skip


@dataclass(frozen=True)
class OfflineAndModel:
    """One metric of one split, pooled; None where one of the two does not have it."""

    suite: str
    split: str
    metric: str
    offline: float | None
    model: float | None


def offline_and_model(report: Report) -> Iterator[OfflineAndModel]:
    """The metrics of each suite that was read twice, split by split."""
    for by_model, offline in _pairs(report):
        for split in dict.fromkeys(case.split for case in by_model.cases):
            for metric in COMPARED:
                values = [_value(suite, split, metric) for suite in (offline, by_model)]
                if values != [None, None]:
                    yield OfflineAndModel(offline.name, split, metric, *values)


def cases_by_model(report: Report) -> Iterator[CaseResult]:
    """The cases that a model read."""
    for by_model, _ in _pairs(report):
        yield from by_model.cases


def _pairs(report: Report) -> Iterator[tuple[SuiteResult, SuiteResult]]:
    for suite in report.suites:
        other = report.suite(suite.name.removesuffix(BY_MODEL))
        if suite.name.endswith(BY_MODEL) and other is not None:
            yield suite, other


def _value(suite: SuiteResult, split: str, metric: str) -> float | None:
    tallies = [case.metrics[metric] for case in suite.cases if case.split == split and metric in case.metrics]
    return pooled(tallies).value if tallies else None
