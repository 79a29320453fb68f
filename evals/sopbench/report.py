"""What came of a benchmark, row by row and in figures."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Literal

from pydantic import JsonValue, computed_field

from ir.base import Model

RowStatus = Literal["right", "wrong", "empty", "asked", "refused", "undecided", "error"]
STATUSES: tuple[RowStatus, ...] = ("right", "wrong", "empty", "asked", "refused", "undecided", "error")


class RowResult(Model):
    """What became of one row.

    Args:
        status: `right`: the run ended without a person and every output column is as the benchmark has it; `wrong`: one
            is not; `empty`: the run ended and gave no value for one; `asked`: it needed a person; `refused`: there is
            no draft, or a guard turned the row away; `undecided`: a choice was open; `error`: a node failed.
        right_when_done: for `asked`, where tasks alone were asked: all is right once people say that they are done.
        why: for whoever looks at the row: the node, the error, the columns that differ.
        found: what the run gave, by output column.
        called, needed: tools.
        noted: nodes that were passed over, since the benchmark has no system for them and nothing reads what they give.
    """

    row: int
    status: RowStatus
    right_when_done: bool = False
    why: str = ""
    found: dict[str, JsonValue] = {}
    called: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()


class BenchmarkResult(Model):
    """What came of one procedure of the benchmark.

    Args:
        workflow: the draft that was run; None where there is none.
        drafts: how many there were.
        refusal: why there is no draft.
        inputs: by input of the workflow the column that gives it.
        unbound: inputs that no column gives.
        unused: columns of the row's inputs that no input takes.
        outputs: by output column the result of the workflow that stands for it.
        unfound: output columns that no result stands for.
        tools: how many there are.
        called_anywhere: tools that some node of the draft calls.
        calls: requests answered by a model, and tokens, None without one.
    """

    name: str
    workflow: str | None
    drafts: int
    refusal: str | None = None
    inputs: dict[str, str] = {}
    unbound: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    outputs: dict[str, str] = {}
    unfound: tuple[str, ...] = ()
    tools: int
    called_anywhere: tuple[str, ...] = ()
    calls: int | None = None
    tokens: int | None = None
    rows: tuple[RowResult, ...]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def counts(self) -> dict[str, int]:
        """How many rows of each status."""
        found = Counter(row.status for row in self.rows)
        return {status: found[status] for status in STATUSES}

    @computed_field  # type: ignore[prop-decorator]
    @property
    def success(self) -> float:
        """The share of all rows that are right without a person."""
        return _share(self.counts["right"], len(self.rows))

    @computed_field  # type: ignore[prop-decorator]
    @property
    def right_when_done(self) -> int:
        """Rows that are right once people say that their tasks are done."""
        return sum(row.right_when_done for row in self.rows)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def needed_calls(self) -> int:
        """Calls of tools that the rows' true paths need."""
        return sum(len(row.needed) for row in self.rows)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def needed_calls_made(self) -> int:
        """Of these, those that were made."""
        return sum(len(set(row.needed) & set(row.called)) for row in self.rows)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def needless_calls(self) -> int:
        """Tools that were called in rows whose true path does not need them."""
        return sum(len(set(row.called) - set(row.needed)) for row in self.rows)


class SopReport(Model):
    """What came of all procedures: by one compilation each, run on every row; not like for like with an agent."""

    method: str
    benchmarks: tuple[BenchmarkResult, ...]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def success(self) -> float:
        """The share of all rows that are right, all procedures together."""
        return _share(
            sum(one.counts["right"] for one in self.benchmarks), sum(len(one.rows) for one in self.benchmarks)
        )

    @computed_field  # type: ignore[prop-decorator]
    @property
    def mean_success(self) -> float:
        """The mean of the procedures' shares, as the benchmark is published."""
        return _share(sum(one.success for one in self.benchmarks), len(self.benchmarks))


def _share(part: float, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


HEADS = (
    "procedure", "rows", "success", "right", "wrong", "empty", "asked", "(right done)", "refused", "undecided", "error",
    "tools needed", "called", "needless",
)  # fmt: skip


def table(report: SopReport) -> list[list[str]]:
    """The figures, a line for each procedure and one for all, under `HEADS`."""
    lines = [_line(one.name, (one,), one.success) for one in report.benchmarks]
    return [*lines, _line("all rows", report.benchmarks, report.success)] if len(lines) > 1 else lines


def _line(name: str, results: Iterable[BenchmarkResult], success: float) -> list[str]:
    results = tuple(results)

    def summed(count: Callable[[BenchmarkResult], int]) -> str:
        return str(sum(count(one) for one in results))

    def status(key: str) -> str:
        return summed(lambda one: one.counts[key])

    return [
        name, summed(lambda one: len(one.rows)), f"{success:.1%}", status("right"), status("wrong"), status("empty"),
        status("asked"), summed(lambda one: one.right_when_done), status("refused"), status("undecided"),
        status("error"), summed(lambda one: one.needed_calls), summed(lambda one: one.needed_calls_made),
        summed(lambda one: one.needless_calls),
    ]  # fmt: skip
