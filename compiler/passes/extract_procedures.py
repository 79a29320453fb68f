"""Finds the procedures of a document, deterministically, from cue words."""

from compiler.context import Context
from compiler.coverage import swept
from compiler.emit.files import safe_name
from compiler.offline.extract import Extractor
from ir.diagnostics import Diagnostic, Location, Severity
from ir.document import Document
from ir.procedure import Procedure


def extract_procedures(ctx: Context, document: Document) -> tuple[Procedure, ...]:
    """The procedures that a document prescribes, each element with the words it came from.

    Reports `no-procedure` where there is none, and `unplaced-text` for duties that found no place.
    """
    procedure = Extractor(ctx.mentions, document).procedure(safe_name(document.title))
    if not procedure.steps:
        ctx.report(
            Diagnostic(
                error_code="no-procedure",
                severity=Severity.ERROR,
                message="no step was found that somebody must carry out; nothing to compile",
                location=Location(file=document.doc_id),
                expected="sentences that say who does what",
                found=f"{sum(1 for _ in document.body())} blocks, {len(procedure.constraints)} rules without an act",
            )
        )
        return ()
    procedure = swept(document, procedure)
    for text in procedure.unplaced:
        block = text.evidence[0].block if text.evidence else None
        ctx.warn("unplaced-text", f"{text.reason}: “{text.text}”", Location(file=document.doc_id, block=block))
    return (procedure,)
