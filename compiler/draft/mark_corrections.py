"""Marks what a person put into a procedure before it was drafted, so that a reviewer sees whose words they are."""

from compiler.context import Context
from compiler.extract.rules.rule_reader import RuleReader
from ir.document import Document
from ir.procedure import DETERMINISTIC, Procedure, Step
from ir.workflow import Workflow


def mark_corrections(
    ctx: Context, draft: Workflow, procedure: Procedure, documents: tuple[Document, ...]
) -> Workflow:  # fmt: skip
    """The draft of a procedure that a person corrected: nodes of steps that are not as they were read are a person's.

    What a model had read is not at hand any more; then only the draft as a whole is said to be a person's.
    """
    before = _read_before(ctx, procedure, documents)
    if before == _bare(procedure):
        return draft
    changed = {step.id for step in procedure.steps if before is not None and _step(before, step.id) != step}
    nodes = {
        name: node.model_copy(update={"origin": "person"}) if changed & set(node.step_ids) else node
        for name, node in draft.nodes.items()
    }
    told = {"mode": "person", "author": ctx.author}
    made = draft.provenance and draft.provenance.model_copy(update=told)
    return draft.model_copy(update={"nodes": nodes, "provenance": made})


def _read_before(ctx: Context, procedure: Procedure, documents: tuple[Document, ...]) -> Procedure | None:
    """The procedure as the rules read it; None where a model did."""
    document = next((one for one in documents if one.doc_id == procedure.doc_id), None)
    if document is None or procedure.method not in DETERMINISTIC:
        return None
    alone = ctx.on(procedure.doc_id)
    alone.model, alone.observers = None, ()
    read = RuleReader(syntax=True).extract_procedures(alone, document)
    return next((_bare(one) for one in read if one.id == procedure.id), None)


def _bare(procedure: Procedure) -> Procedure:
    """Without what is found out anew for each build."""
    return procedure.model_copy(update={"unplaced": (), "gaps": (), "method": ""})


def _step(procedure: Procedure, step_id: str) -> Step | None:
    return next((step for step in procedure.steps if step.id == step_id), None)
