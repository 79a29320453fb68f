"""Puts every fault into the gold workflows of cases, and asks the validator."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from catalog.load import load_catalog
from evals.cases import Split, read_case
from evals.gold import gold_of
from evals.mutation.judge import Verdict, judge
from evals.mutation.subject import Subject


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant of a case.

    Args:
        what: the fault and its place, in words.
        verdict, codes: as of `Judged`.
    """

    kind: str
    case: str
    split: Split
    workflow: str
    what: str
    verdict: Verdict
    codes: tuple[str, ...] = ()

    @property
    def killed(self) -> bool:
        """Whether the validator saw the fault."""
        return self.verdict in ("error", "warning")


def measure(
    folders: Iterable[Path], kinds: Iterable[str], jobs: int = 1, at_most: int | None = None
) -> Iterator[Outcome]:
    """The outcomes of all mutants of the gold workflows of cases.

    Args:
        folders: each of one case.
        kinds: names of kinds.
        jobs: processes that work beside each other.
        at_most: so many of a kind in a workflow, spread evenly over all; None means all.
    """
    tasks = [(folder, tuple(kinds), at_most) for folder in folders]
    if jobs == 1:
        for task in tasks:
            yield from measure_case(task)
        return
    with ProcessPoolExecutor(jobs) as pool:
        for outcomes in pool.map(measure_case, tasks):
            yield from outcomes


def measure_case(task: tuple[Path, tuple[str, ...], int | None]) -> list[Outcome]:
    """The outcomes of all mutants of one case.

    Args:
        task: the case's folder, names of kinds, and how many of a kind at most.
    """
    case, catalog = read_case(task[0]), load_catalog()
    outcomes = []
    for gold in gold_of(case):
        subject = Subject(gold.workflow, catalog, gold.procedures, gold.documents)
        name, split = subject.workflow.workflow_id, case.file.split
        outcomes += [
            Outcome(one.kind, case.slug, split, name, one.mutant.what, one.verdict, one.codes)
            for one in judge(subject, *task[1:])
        ]
    return outcomes
