"""What a run of the evaluation found: figures by suite, case and metric, and what is needed to compare two runs."""

from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from evals.errors import MalformedSuite
from evals.reports.statistics import Interval, interval, spread
from evals.tally import Tally, pooled
from ir.base import Model
from ir.codec import write_json

REPORT_FILE = "report.json"
BY_MODEL = " by model"
"""What the name of a suite ends in that a model read, beside the one that was read offline."""
HEADLINES = ("extraction.step", "workflow.order", "behaviour", "pet.mention", "pet.relation", "pet.activity_graph")


class Cost(Model):
    """What the compile of a case took; None means unknown, which is never shown as zero.

    Args:
        seconds: wall time, mean over repetitions.
        calls: answers of a model, those from a recording included.
        documents, steps: by how much to divide for a figure per document and per step.
        tokens: sent and received together, as the endpoint counted them; in replay as recorded.
        allowed: tokens that reading the policies may take (`evals.matching.tokens`).
        plain: tokens that one prompt with the whole of them and the whole catalog would send.
    """

    seconds: float
    calls: int = 0
    tokens: int | None = 0
    money: float | None = 0.0
    documents: int = 0
    steps: int = 0
    allowed: int = 0
    plain: int = 0


class ScenarioResult(Model):
    """One walk that was not as in gold.

    Args:
        differences: what was not, each in a sentence.
    """

    workflow: str
    scenario: str
    differences: tuple[str, ...]


class CaseResult(Model):
    """The figures of one case.

    Args:
        metrics: by name; a metric that does not apply is absent.
        spread: by name how far the values of repetitions lie apart, where they do.
        crash: what ended the compile or the measuring of it; every metric that gold has then counts as missed.
        failures: scenarios that did not go as in gold.
    """

    slug: str
    title: str
    language: str
    split: str
    features: tuple[str, ...] = ()
    metrics: dict[str, Tally]
    spread: dict[str, float] = {}
    cost: Cost
    crash: str | None = None
    failures: tuple[ScenarioResult, ...] = ()

    @property
    def worth(self) -> float:
        """The mean of its headline metrics, by which the worst cases come first."""
        values = [self.metrics[name].value for name in HEADLINES if name in self.metrics]
        return sum(values) / len(values) if values else 1.0


class Figure(Model):
    """One metric over all cases of a suite.

    Args:
        cases: in how many it applies.
        interval: at 95 %, over cases; None for fewer than two.
    """

    name: str
    tally: Tally
    cases: int
    interval: Interval | None = None

    @property
    def value(self) -> float:
        """The pooled value."""
        return self.tally.value


class SuiteResult(Model):
    """The figures of one suite.

    Args:
        name: `cases` for the folder of that name, `pet:pet-dev` for the benchmark's file.
    """

    name: str
    cases: tuple[CaseResult, ...]

    @cached_property
    def figures(self) -> dict[str, Figure]:
        """Each metric pooled over the cases in which it applies, by name."""
        found = {}
        for name in dict.fromkeys(name for case in self.cases for name in case.metrics):
            tallies = [case.metrics[name] for case in self.cases if name in case.metrics]
            found[name] = Figure(name=name, tally=pooled(tallies), cases=len(tallies), interval=interval(tallies))
        return found

    @property
    def worst_first(self) -> tuple[CaseResult, ...]:
        """The cases, crashed ones first, then by their headline metrics."""
        return tuple(sorted(self.cases, key=lambda case: (case.crash is None, case.worth, case.slug)))


class Made(Model):
    """By what a report was made; what decides whether two are comparable, and what a reader needs to make it again.

    Args:
        commit: of the repository that flowc ran from; None outside of one.
        mode: `offline`, or the model's name.
        method: `cues`, or `syntax` where that extra took part.
        split: None for all.
        versions: of Python, and of the packages that bear on results.
    """

    commit: str | None = None
    flowc: str
    mode: str
    method: Literal["cues", "syntax"]
    catalog: str
    embedder: str
    primers: tuple[str, ...]
    split: str | None = None
    limit: int | None = None
    repeat: int = 1
    versions: dict[str, str] = {}


class Report(Model):
    """A whole run.

    Args:
        seconds: wall time of the run.
    """

    made: Made
    suites: tuple[SuiteResult, ...]
    seconds: float

    def suite(self, name: str) -> SuiteResult | None:
        """The suite of that name, None where there is none."""
        return next((suite for suite in self.suites if suite.name == name), None)

    @property
    def crashed(self) -> tuple[str, ...]:
        """The cases that crashed, as SUITE/CASE."""
        return tuple(f"{suite.name}/{case.slug}" for suite in self.suites for case in suite.cases if case.crash)

    def text(self) -> str:
        """The report as JSON."""
        return write_json(self)


def read_report(path: Path) -> Report:
    """A report from its file, or from the folder that a run wrote.

    Raises:
        MalformedSuite: there is none, or it is not of this form.
    """
    file = path / REPORT_FILE if path.is_dir() else path
    if not file.is_file():
        raise MalformedSuite(
            f"{path}: there is no {REPORT_FILE} here; name a folder that `flowc eval run -o` wrote, or a file"
        )
    try:
        return Report.model_validate_json(file.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "no report of `flowc eval run`"
        raise MalformedSuite(f"{file}: {where}: {first['msg']}") from error


def repeated(results: list[CaseResult]) -> CaseResult:
    """The repetitions of one case as one: tallies added, so that values are means; with the spread of each metric."""
    first = results[0]
    names = dict.fromkeys(name for one in results for name in one.metrics)
    apart = {name: spread([one.metrics[name].value for one in results if name in one.metrics]) for name in names}
    cost = first.cost.model_copy(update={"seconds": sum(one.cost.seconds for one in results) / len(results)})
    return first.model_copy(
        update={
            "metrics": {name: pooled(one.metrics[name] for one in results if name in one.metrics) for name in names},
            "spread": {name: value for name, value in apart.items() if value > 0},
            "crash": next((one.crash for one in results if one.crash), None),
            "cost": cost,
        }
    )
