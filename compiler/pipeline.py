"""The flow on one page: documents to procedures, procedures to drafts, drafts to what the whole folder says.

Which file is read when, by which process, on whose account, and what a failure costs: see `compiler.build`.
"""

from dataclasses import replace

from compiler.conformance.validate_workflow import validate_workflow
from compiler.context import Context
from compiler.decisions.apply_decisions import apply_decisions
from compiler.decisions.correct_draft import correct_draft, map_types
from compiler.decisions.decided import NOBODY, ByHand, Decided
from compiler.draft.align_steps import align_steps
from compiler.draft.alignment import Sources
from compiler.draft.compiled import Compiled
from compiler.draft.join_documents import join_documents
from compiler.draft.judge_drafts import judge_drafts
from compiler.draft.left_out import ask_of_left_out
from compiler.draft.origin import with_origin
from compiler.draft.recall_node_types import recall_node_types
from compiler.draft.settle import settle
from compiler.draft.synthesize_draft import synthesize_draft
from compiler.draft.synthesize_with_model import synthesize_with_model
from compiler.extract.contract import Reader
from compiler.extract.forms.folder_facts import FolderFacts
from compiler.extract.forms.link_documents import link_documents
from compiler.extract.refusals import put_refusals_first
from compiler.grounding.ground_evidence import ground_evidence
from compiler.grounding.named_people import check_named_people
from compiler.grounding.redaction import redacted, with_addressed, without_addressed
from compiler.grounding.set_aside_addressed import set_aside_addressed
from compiler.parsers.limits import Revisions
from compiler.parsers.parse_document import parse_document
from ir.diagnostics import Diagnostic, Location, Severity
from ir.document import Document
from ir.facts import DocumentRole
from ir.procedure import Procedure


def read_document(ctx: Context, data: bytes, doc_id: str, revisions: Revisions) -> Document | None:
    """A file as a document, None where nothing can be read; then an error says why."""
    return ctx.run(parse_document, data, doc_id, revisions)


def classify(ctx: Context, document: Document, reader: Reader) -> tuple[Document, DocumentRole]:
    """The document as it is shown to readers, without what it says to machines, and what it is for."""
    shown = ctx.run(set_aside_addressed, document)
    if ctx.role is not None:
        return shown, DocumentRole(doc_id=document.doc_id, role=ctx.role, reason=f"told so: {ctx.role}")
    return shown, ctx.run(reader.classify_document, shown)


def find_procedures(
    ctx: Context,
    document: Document,
    shown: Document,
    role: DocumentRole,
    reader: Reader,
    corrected: tuple[Procedure, ...] = (),
) -> tuple[Procedure, ...]:
    """What a policy prescribes, each quote looked up in it.

    Args:
        shown: the document as `classify` gives it.
        corrected: procedures that a person corrected, which stand for those that would be found.
    """
    procedures = ctx.run(check_named_people, corrected, shown) if corrected else ()
    if not corrected and role.role == "policy":
        procedures = ctx.run(reader.extract_procedures, shown)
        procedures = tuple(ctx.run(put_refusals_first, procedure) for procedure in procedures)
    elif not corrected and role.role == "none":
        message, code, place = role.reason, "no-procedure", Location(file=document.doc_id)
        ctx.report(Diagnostic(error_code=code, severity=Severity.ERROR, message=message, location=place))
    bare = (without_addressed(procedure, document) for procedure in procedures)
    return with_addressed([ctx.run(ground_evidence, procedure, shown) for procedure in bare], document)


def decide(ctx: Context, procedures: tuple[Procedure, ...], document: Document) -> Decided:
    """What a document prescribes after what people decided about earlier readings of it."""
    return ctx.run(apply_decisions, procedures, document)


def compile_procedure(
    ctx: Context, procedure: Procedure, documents: tuple[Document, ...], by_hand: ByHand = NOBODY
) -> Compiled:
    """The draft of one procedure: synthesised, completed, validated and repaired; `documents` its words stand in."""
    candidates = ctx.run(recall_node_types, procedure)
    alignment, sources = ctx.run(align_steps, procedure, candidates), Sources()
    model = ctx.model_for(procedure)
    if model is not None:
        alignment, sources = ctx.run(synthesize_with_model, procedure, candidates, alignment, model)
    alignment, sources = ctx.run(map_types, alignment, sources, by_hand)
    draft = ctx.run(synthesize_draft, procedure, alignment, sources)
    draft = ctx.run(correct_draft, draft, procedure, documents, by_hand)
    draft = ctx.run(ask_of_left_out, draft, procedure, documents)
    workflow, findings = settle(ctx, with_origin(ctx, draft, procedure, documents), procedure, documents)
    return Compiled(procedure, candidates, alignment, workflow, (), (*findings, *ctx.diagnostics), sources=sources)


def link(
    ctx: Context, documents: tuple[Document, ...], roles: tuple[DocumentRole, ...], procedures: tuple[Procedure, ...]
) -> FolderFacts:
    """What the forms and tables of all documents say."""
    return ctx.run(link_documents, tuple(map(redacted, documents)), roles, procedures)


def join(
    ctx: Context, one: Compiled, linked: FolderFacts, others: tuple[Procedure, ...], documents: tuple[Document, ...]
) -> Compiled:
    """What was compiled, with what the other documents say of it; validated anew where they say anything."""
    workflow = ctx.run(join_documents, one.workflow, linked, others)
    if workflow is one.workflow:
        return one
    findings = ctx.run(validate_workflow, workflow, (one.procedure,), documents)
    return replace(one, workflow=workflow, diagnostics=(*findings, *ctx.diagnostics))


def judge(ctx: Context, document: Document, drafts: tuple[Compiled, ...], model: str | None) -> tuple[Compiled, ...]:
    """The drafts of one document, each with what became of its statements and what it says of itself."""
    return ctx.run(judge_drafts, document, drafts, model)
