"""Reports written by hand, for the tests that compare and show them."""

from evals.reports.report import CaseResult, Cost, Made, Report, ScenarioResult, SuiteResult
from evals.tally import Tally

MADE = Made(
    commit="0123456789abcdef+", flowc="0.1.0", mode="offline", method="cues", catalog="c0", embedder="default",
    primers=("governance@1.0.0",), split="dev", versions={"python": "3.11.0"},
)  # fmt: skip


def result(slug: str, crash: str | None = None, title: str = "A case", **metrics: Tally) -> CaseResult:
    """A case; `extraction_step` stands for `extraction.step`."""
    return CaseResult(
        slug=slug,
        title=title,
        language="en",
        split="dev",
        metrics={name.replace("_", "."): tally for name, tally in metrics.items()},
        cost=Cost(seconds=1.5, documents=1, steps=8),
        crash=crash,
    )


def report(*cases: CaseResult, suite: str = "cases", **made: object) -> Report:
    """A report of one suite."""
    return Report(
        made=MADE.model_copy(update=made), suites=(SuiteResult(name=suite, cases=cases),), seconds=12.25
    )  # fmt: skip


def failed(case: CaseResult, scenario: str, *differences: str) -> CaseResult:
    """A case with one run that went otherwise than in gold."""
    one = ScenarioResult(workflow="w", scenario=scenario, differences=differences)
    return case.model_copy(update={"failures": (one,)})
