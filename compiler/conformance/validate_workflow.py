"""Runs every check over a workflow."""

from compiler.conformance import ConformanceInput, validate_with_sources
from compiler.context import Context
from ir.diagnostics import Diagnostic
from ir.document import Document
from ir.procedure import Procedure
from ir.workflow import Workflow


def validate_workflow(
    ctx: Context, workflow: Workflow, procedures: tuple[Procedure, ...] = (), documents: tuple[Document, ...] = ()
) -> tuple[Diagnostic, ...]:
    """All findings, errors first."""
    given = ConformanceInput(workflow, ctx.catalog, procedures=procedures, documents=documents, decisions=ctx.decisions)
    return validate_with_sources(given)
