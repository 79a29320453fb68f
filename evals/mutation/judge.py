"""Whether the validator sees a fault: what it finds in the mutant that it did not find before."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from compiler.conformance import ConformanceInput, validate_with_sources
from evals.mutation.equivalent import equivalent
from evals.mutation.kinds import KINDS
from evals.mutation.subject import Mutant, Subject
from ir.codec import read_workflow
from ir.diagnostics import Diagnostic, Severity
from ir.workflow import Workflow

Verdict = Literal["error", "warning", "survived", "equivalent"]
Findings = Counter[tuple[Severity, str, str]]
_EDGE = re.compile(r"/edges/(\d+)")


@dataclass(frozen=True)
class Judged:
    """A mutant and what became of it.

    Args:
        verdict: `error` or `warning`, the gravest finding that is new; `survived` where nothing is; `equivalent` where
            the fault is proved to change nothing.
        codes: of the new findings.
    """

    kind: str
    mutant: Mutant
    verdict: Verdict
    codes: tuple[str, ...]


def judge(subject: Subject, kinds: Iterable[str], at_most: int | None = None) -> Iterator[Judged]:
    """Each mutant of some kinds with what the validator makes of it.

    Args:
        at_most: so many of a kind, spread evenly over all; None means all.
    """
    whole = tuple(range(len(subject.workflow.edges)))
    known = findings(_validated(subject, Mutant("nothing", subject.raw, whole))[1], whole)
    for kind in kinds:
        mutants = list(KINDS[kind](subject))
        count = len(mutants) if at_most is None else min(at_most, len(mutants))
        for mutant in (mutants[place * len(mutants) // count] for place in range(count)):
            workflow, found = _validated(subject, mutant)
            new = findings(found, mutant.origin) - known
            yield Judged(kind, mutant, _verdict(subject, mutant, workflow, new), tuple(sorted({key[1] for key in new})))


def _verdict(subject: Subject, mutant: Mutant, workflow: Workflow | None, new: Findings) -> Verdict:
    if any(severity is Severity.ERROR for severity, _, _ in new):
        return "error"
    if any(severity is Severity.WARNING for severity, _, _ in new):
        return "warning"
    same = workflow is not None and mutant.procedures is None and equivalent(subject.analysis, workflow)
    return "equivalent" if same else "survived"


def _validated(subject: Subject, mutant: Mutant) -> tuple[Workflow | None, tuple[Diagnostic, ...]]:
    """The mutant as read, None where it cannot be, and all that reading and validating it finds."""
    workflow, faults = read_workflow(json.dumps(mutant.raw))
    if workflow is None:
        return None, faults
    procedures = subject.procedures if mutant.procedures is None else mutant.procedures
    given = ConformanceInput(workflow, subject.catalog, procedures=procedures, documents=subject.documents)
    return workflow, (*faults, *validate_with_sources(given))


def findings(found: Iterable[Diagnostic], origin: tuple[int | None, ...]) -> Findings:
    """How often each code is found at each place; an edge's place goes by the index that it had before the fault."""

    def before(match: re.Match[str]) -> str:
        index = int(match[1])
        return f"/edges/{origin[index] if index < len(origin) else None}"

    return Counter((one.severity, one.error_code, _EDGE.sub(before, one.location.pointer or "")) for one in found)
