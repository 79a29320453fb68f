"""Reads one file into a Document."""

from compiler.context import Context
from compiler.parsers.limits import Revisions
from compiler.parsers.worker import WORKER, parse_apart
from ir.document import Document


def parse_document(ctx: Context, data: bytes, path: str, revisions: Revisions = "accepted") -> Document | None:
    """The document, or None where nothing can be read; then an error says why.

    It is read in a process of its own, which is ended when it takes too long or too much.
    """
    before = WORKER.processor
    parsed = parse_apart(data, path, revisions=revisions)
    ctx.add_processor(WORKER.processor - before)
    for diagnostic in parsed.diagnostics:
        ctx.report(diagnostic)
    return parsed.document
