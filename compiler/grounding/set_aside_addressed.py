"""Sets aside what a document says to the programs that read it: it is no statement, and no model is shown it."""

from compiler.context import Context
from compiler.grounding.redaction import redacted
from compiler.text.addressed import find_addressed
from ir.diagnostics import Diagnostic, Location, Severity
from ir.document import Document
from ir.source import Evidence

_LONGEST = 160  # characters of the words in a message


def set_aside_addressed(ctx: Context, document: Document) -> Document:
    """The document as it is read from here on, see `compiler.grounding.redaction.redacted`.

    Reports `addressed-to-machine` for each run of such words, with its place.
    """
    pages = {passage.address: passage.page for passage in document.passages()}
    for each in find_addressed(document):
        words = " ".join(each.piece.text.split())
        shown = words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
        span = document.span(each.piece.block, each.piece.start, each.piece.end)
        ctx.report(
            Diagnostic(
                error_code="addressed-to-machine",
                severity=Severity.WARNING,
                message=(
                    f"“{shown}” speaks to a program that reads the document, not to the people who follow it; "
                    "it is set aside: it prescribes nothing, and no model is shown it; a person should look"
                ),
                location=Location(file=document.doc_id, block=each.piece.block, page=pages.get(each.piece.block)),
                evidence=(Evidence.from_span(span),),
                found=each.piece.text,
            )
        )
    return redacted(document)
