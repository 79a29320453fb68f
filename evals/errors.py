"""Faults of the evaluation's own inputs: suites, reports, baselines."""

from ir.errors import CompilerError


class MalformedSuite(CompilerError):  # noqa: N818 - named for the fault, as the codes are
    """A suite, or a case of it, is not of its form."""

    code, exit_status = "malformed-suite", 2


class NoCases(CompilerError):  # noqa: N818
    """A suite has no case of the split or number that was asked for."""

    code, exit_status = "no-cases", 2


class NotComparable(CompilerError):  # noqa: N818
    """Two reports were made in ways that make their figures no comparison."""

    code, exit_status = "not-comparable", 3
