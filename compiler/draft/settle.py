"""Complete, validate and repair a draft until it is clean or nothing makes it better."""

from collections.abc import Iterator

from compiler.conformance.validate_workflow import validate_workflow
from compiler.context import Context
from compiler.draft.complete_draft import complete_draft
from compiler.draft.repair_draft import repair_draft
from compiler.draft.repair_with_model import repair_with_model
from ir.diagnostics import Diagnostic, Severity, has_errors
from ir.document import Document
from ir.procedure import Procedure
from ir.workflow import Workflow

ROUNDS = 3


def settle(
    ctx: Context, draft: Workflow, procedure: Procedure, documents: tuple[Document, ...]
) -> tuple[Workflow, tuple[Diagnostic, ...]]:
    """Complete, validate and repair until there is no error or nothing gets better; the best is kept."""
    workflow = ctx.run(complete_draft, draft, procedure)
    findings = ctx.run(validate_workflow, workflow, (procedure,), documents)
    for _ in range(ROUNDS):
        if not has_errors(findings):
            break
        better = _improved(ctx, workflow, findings, procedure, documents)
        if better is None:
            break
        workflow, findings = better
    return workflow, findings


def _improved(
    ctx: Context,
    workflow: Workflow,
    findings: tuple[Diagnostic, ...],
    procedure: Procedure,
    documents: tuple[Document, ...],
) -> tuple[Workflow, tuple[Diagnostic, ...]] | None:
    """A better draft with its findings: by the diagnostics' own fixes, else by a model; None where neither helps."""
    for repaired in _repairs(ctx, workflow, findings, procedure):
        completed = ctx.run(complete_draft, repaired, procedure)
        after = ctx.run(validate_workflow, completed, (procedure,), documents)
        if _badness(completed, after, procedure) < _badness(workflow, findings, procedure):
            return completed, after
    return None


def _repairs(
    ctx: Context, workflow: Workflow, findings: tuple[Diagnostic, ...], procedure: Procedure
) -> Iterator[Workflow]:
    repaired = ctx.run(repair_draft, workflow, findings)
    if repaired is not None:
        yield repaired
    model = ctx.model_for(procedure)
    if model is not None:
        repaired = ctx.run(repair_with_model, workflow, findings, procedure, model)
        if repaired is not None:
            yield repaired


def _badness(workflow: Workflow, findings: tuple[Diagnostic, ...], procedure: Procedure) -> tuple[int, int, int, int]:
    """Errors, document steps lost, warnings, gaps: the smaller the better, in this order."""
    kept = {step for node in workflow.nodes.values() for step in node.step_ids}
    lost = sum(1 for step in procedure.steps if step.id not in kept)
    count = [sum(1 for d in findings if d.severity is severity) for severity in (Severity.ERROR, Severity.WARNING)]
    return count[0], lost, count[1], len(workflow.gaps)
