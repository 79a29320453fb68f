"""Makes the cases of gold workflows, takes them for right, and runs them on gold with faults put in."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from catalog.load import Catalog, load_catalog
from evals.cases import Split, read_case
from evals.examples.rows import guard_mutants, row_mutants
from evals.mutation import conditions, constants
from evals.mutation.equivalent import equivalent
from evals.mutation.subject import Mutant, Subject
from ir.codec import read_workflow
from ir.kept_case import Judgement, KeptCase, KeptCases
from ir.workflow import Workflow
from validator.diff.compare import compare
from validator.examples.anchors import anchors_of
from validator.examples.cases import CaseSet, cases
from validator.examples.kept import check_kept, rows_of_run, scenario_of

JUDGED = Judgement(verdict="right", author="gold", time="2026-01-01T00:00:00+00:00")
Fate = str
"""`killed`: some case differs; `survived`; `same`: it is proved that no run shows the fault; `unknown`: no case shows
it, and it was not found out whether any run does."""


@dataclass(frozen=True)
class Killed:
    """What became of one mutant."""

    kind: str
    what: str
    fate: Fate


@dataclass(frozen=True)
class Measured:
    """The cases of one workflow and what they find.

    Args:
        targets: how many there are, of which `unreachable` are proved to be shown by no run and `not_found` are open.
        seconds: to make the cases.
    """

    case: str
    split: Split
    workflow: str
    nodes: int
    targets: int
    unreachable: int
    not_found: int
    cases: int
    seconds: float
    mutants: tuple[Killed, ...] = ()


def measure_case(task: tuple[Path, bool]) -> list[Measured]:
    """The gold workflows of one case.

    Args:
        task: the case's folder, and whether faults are put in.
    """
    folder, mutated = task
    case, catalog = read_case(folder), load_catalog()
    found = []
    for workflow in case.workflows.values():
        began = time.perf_counter()
        made = cases(workflow, catalog)
        seconds = time.perf_counter() - began
        mutants = tuple(_killed(workflow, catalog, made)) if mutated else ()
        found.append(
            Measured(
                case.slug, case.file.split, workflow.workflow_id, len(workflow.nodes), len(made.targets.all),
                len(made.unreachable), len(made.not_found), len(made.cases), seconds, mutants,
            )
        )  # fmt: skip
    return found


def kept_as_right(workflow: Workflow, made: CaseSet) -> KeptCases:
    """The cases of a workflow as though somebody had judged all of them right."""
    every = tuple(
        KeptCase(
            id=f"c{at}",
            told=str(one.point.kind),
            point=str(at),
            scenario=scenario_of(one, made.targets, f"c{at}"),
            by_rows=rows_of_run(one.run),
            judgement=JUDGED,
        )
        for at, one in enumerate(made.cases, 1)
    )
    return KeptCases(workflow=workflow.workflow_id, nodes=anchors_of(workflow, workflow.nodes), cases=every)


def mutants_of(subject: Subject) -> Iterator[tuple[str, Mutant]]:
    """Faults of the conditions of edges, of rows and of guards."""
    for kind in (*conditions.KINDS, *constants.KINDS):
        yield from ((kind.__name__, mutant) for mutant in kind(subject))
    yield from ((f"row: {kind}", mutant) for kind, mutant in row_mutants(subject))
    yield from ((f"guard: {kind}", mutant) for kind, mutant in guard_mutants(subject))


def _killed(workflow: Workflow, catalog: Catalog, made: CaseSet) -> Iterator[Killed]:
    subject, kept = Subject(workflow, catalog), kept_as_right(workflow, made)
    for kind, mutant in mutants_of(subject):
        changed, _ = read_workflow(json.dumps(mutant.raw))
        fate = "killed" if changed is None or _differs(kept, changed) else _unkilled(subject, changed)
        yield Killed(kind, mutant.what, fate)


def _differs(kept: KeptCases, changed: Workflow) -> bool:
    return any(one.outcome != "passed" for one in check_kept(kept, changed))


def _unkilled(subject: Subject, changed: Workflow) -> Fate:
    """Whether some run shows a fault that no case shows: the proofs of two versions side by side are asked."""
    rows = subject.workflow.rule_packs != changed.rule_packs
    if not rows and subject.workflow.guards == changed.guards and equivalent(subject.analysis, changed):
        return "same"
    found = compare(subject.workflow, changed, subject.catalog)
    verdicts = {one.verdict for one in found.choices} | {one.verdict for one in found.judgements}
    if "differs" not in verdicts:
        return "unknown" if "undecided" in verdicts else "same"
    examples = [example for one in found.choices if one.verdict == "differs" for example in one.examples]
    shown = not examples or found.judgements or not all(one.same_steps for one in examples)
    return "survived" if shown else "same"


def kill_rate(mutants: Sequence[Killed]) -> float | None:
    """The share of the faults that some run shows, or may show, which cases find; None where there are none."""
    counted = [one for one in mutants if one.fate != "same"]
    return sum(one.fate == "killed" for one in counted) / len(counted) if counted else None
