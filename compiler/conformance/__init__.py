"""The second tier of validation: a workflow held against its procedure and its documents."""

from collections.abc import Callable, Iterator

from compiler.conformance import (
    agreement,
    agreement_conditions,
    agreement_flows,
    agreement_words,
    approval_paths,
    approvals,
    conflicts,
    dropped_guards,
    duties,
    evidence,
    prohibitions,
)
from compiler.conformance.conformance_input import ConformanceInput
from ir.diagnostics import Diagnostic
from validator import checks
from validator.checks import run_checks

__all__ = ["ALL_CHECKS", "CHECKS", "ConformanceCheck", "ConformanceInput", "check_conformance", "validate_with_sources"]

ConformanceCheck = Callable[[ConformanceInput], Iterator[Diagnostic]]

CHECKS: tuple[ConformanceCheck, ...] = (
    *approvals.CHECKS,
    *approval_paths.CHECKS,
    *dropped_guards.CHECKS,
    *evidence.CHECKS,
    *duties.CHECKS,
    *prohibitions.CHECKS,
    *conflicts.CHECKS,
    *agreement.CHECKS,
    *agreement_flows.CHECKS,
    *agreement_conditions.CHECKS,
    *agreement_words.CHECKS,
)
ALL_CHECKS: tuple[ConformanceCheck, ...] = (*checks.CHECKS, *CHECKS)
"""Those of both tiers."""


def check_conformance(given: ConformanceInput) -> tuple[Diagnostic, ...]:
    """The findings of this tier alone, errors first."""
    return run_checks(CHECKS, given)


def validate_with_sources(given: ConformanceInput) -> tuple[Diagnostic, ...]:
    """The findings of both tiers, errors first: the workflow alone, and held against what it was drawn from."""
    return run_checks(ALL_CHECKS, given)
