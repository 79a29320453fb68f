"""The checks of a workflow: each finds one fault, has one code, and knows no other check."""

from compiler.check_input import Check, CheckInput, error
from compiler.checks import (
    agreement,
    agreement_conditions,
    agreement_flows,
    agreement_words,
    approvals,
    branches,
    calls,
    conflicts,
    dead_edges,
    deadlines,
    declarations,
    duties,
    edges,
    effects,
    evidence,
    governance,
    node_fields,
    nulls,
    references,
    rules,
    structure,
    tables,
    types,
)
from compiler.place import at_workflow
from compiler.proofs.runs import Contradiction
from ir.diagnostics import Diagnostic, Severity

__all__ = ["CHECKS", "Check", "CheckInput", "code_of", "validate"]

CHECKS: tuple[Check, ...] = (
    *structure.CHECKS,
    *edges.CHECKS,
    *references.CHECKS,
    *declarations.CHECKS,
    *calls.CHECKS,
    *node_fields.CHECKS,
    *types.CHECKS,
    *nulls.CHECKS,
    *branches.CHECKS,
    *dead_edges.CHECKS,
    *governance.CHECKS,
    *approvals.CHECKS,
    *deadlines.CHECKS,
    *effects.CHECKS,
    *evidence.CHECKS,
    *duties.CHECKS,
    *tables.CHECKS,
    *rules.CHECKS,
    *conflicts.CHECKS,
    *agreement.CHECKS,
    *agreement_flows.CHECKS,
    *agreement_conditions.CHECKS,
    *agreement_words.CHECKS,
)
_GRAVITY = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


def code_of(check: Check) -> str:
    """The code that a check reports; its name says it.

    >>> code_of(structure.no_entry)
    'no-entry'
    """
    return check.__name__.replace("_", "-")


def validate(given: CheckInput) -> tuple[Diagnostic, ...]:
    """All findings, errors first, each kind in the order of the places in the file.

    A check that raises is a bug of ours, and does; a proof that the walk contradicts is one as well, and is told.
    """
    found = [diagnostic for check in CHECKS for diagnostic in check(given)]
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
