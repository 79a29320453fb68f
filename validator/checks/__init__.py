"""The checks of a workflow: each finds one fault, has one code, and knows no other check."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ir.diagnostics import Diagnostic, Severity
from validator.analysis.locations import at_workflow
from validator.check_input import Check, CheckInput, error
from validator.checks import (
    approvals,
    branches,
    calls,
    dead_edges,
    deadlines,
    declarations,
    edges,
    effects,
    evidence,
    formulas,
    governance,
    literals,
    node_fields,
    nulls,
    references,
    results,
    rules,
    structure,
    tables,
    types,
)
from validator.proofs.runs import Contradiction

__all__ = ["CHECKS", "Check", "CheckInput", "code_of", "run_checks", "validate"]

Given = TypeVar("Given", bound=CheckInput)

CHECKS: tuple[Check, ...] = (
    *structure.CHECKS,
    *edges.CHECKS,
    *references.CHECKS,
    *declarations.CHECKS,
    *calls.CHECKS,
    *node_fields.CHECKS,
    *types.CHECKS,
    *literals.CHECKS,
    *nulls.CHECKS,
    *results.CHECKS,
    *branches.CHECKS,
    *dead_edges.CHECKS,
    *governance.CHECKS,
    *approvals.CHECKS,
    *deadlines.CHECKS,
    *effects.CHECKS,
    *evidence.CHECKS,
    *tables.CHECKS,
    *formulas.CHECKS,
    *rules.CHECKS,
)
_GRAVITY = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


def code_of(check: Callable[..., object]) -> str:
    """The code that a check reports; its name says it.

    >>> code_of(structure.no_entry)
    'no-entry'
    """
    return check.__name__.replace("_", "-")


def validate(given: CheckInput) -> tuple[Diagnostic, ...]:
    """All findings on a workflow alone, errors first, each kind in the order of the places in the file."""
    return run_checks(CHECKS, given)


def run_checks(checks: Iterable[Callable[[Given], Iterator[Diagnostic]]], given: Given) -> tuple[Diagnostic, ...]:
    """What checks find, errors first, each kind in the order of the places in the file.

    A check that raises is a bug of ours, and does; a proof that the walk contradicts is one as well, and is told.
    """
    found = [diagnostic for check in checks for diagnostic in check(given)]
    found += [_contradicted(given, fault) for fault in given.analysis.proofs.contradictions]
    return tuple(sorted(found, key=_sort_key))


def _contradicted(given: CheckInput, fault: Contradiction) -> Diagnostic:
    return error(
        "internal-error",
        f"a proof ({fault.question}) is contradicted by the walk; this is a bug of flowc: please report it with the "
        "workflow",
        at_workflow(given.workflow),
        witness=fault.example.values(),
    )


def _sort_key(diagnostic: Diagnostic) -> tuple[int, list[tuple[int, int, str]], str, str]:
    parts = (diagnostic.location.pointer or "").split("/")[1:]
    place = [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]
    return _GRAVITY[diagnostic.severity], place, diagnostic.error_code, diagnostic.message
