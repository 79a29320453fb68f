"""Mends a draft by the fixes that its diagnostics carry."""

from pydantic import ValidationError

from compiler.context import Context
from ir.diagnostics import Diagnostic, Severity
from ir.workflow import Workflow
from validator.fixes.json_patch import PatchError
from validator.fixes.patched import patched


def repair_draft(ctx: Context, workflow: Workflow, diagnostics: tuple[Diagnostic, ...]) -> Workflow | None:
    """The draft with the first fix of an error that applies; None where none does."""
    for diagnostic in diagnostics:
        for fix in diagnostic.fixes if diagnostic.severity is Severity.ERROR else ():
            try:
                return patched(workflow, fix.patch)
            except (PatchError, ValidationError):
                continue
    return None
