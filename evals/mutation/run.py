"""Puts every fault into the gold workflows of cases, and asks the validator."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from catalog.load import load_catalog
from evals.cases import Split, read_case
from evals.gold import gold_of
from evals.mutation.judge import Verdict, judged
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


def measured(folders: Iterable[Path], kinds: Iterable[str], jobs: int = 1) -> Iterator[Outcome]:
    """The outcomes of all mutants of the gold workflows of cases.

    Args:
        folders: each of one case.
        kinds: names of kinds.
        jobs: processes that work beside each other.
    """
    tasks = [(folder, tuple(kinds)) for folder in folders]
    if jobs == 1:
        for task in tasks:
            yield from measured_case(task)
        return
    with ProcessPoolExecutor(jobs) as pool:
        for outcomes in pool.map(measured_case, tasks):
            yield from outcomes


def measured_case(task: tuple[Path, tuple[str, ...]]) -> list[Outcome]:
    """The outcomes of all mutants of one case.

    Args:
        task: the case's folder, and names of kinds.
    """
    case, catalog = read_case(task[0]), load_catalog()
    outcomes = []
    for gold in gold_of(case):
        subject = Subject(gold.workflow, catalog, gold.procedures, gold.documents)
        name, split = subject.workflow.workflow_id, case.file.split
        outcomes += [
            Outcome(one.kind, case.slug, split, name, one.mutant.what, one.verdict, one.codes)
            for one in judged(subject, task[1])
        ]
    return outcomes
