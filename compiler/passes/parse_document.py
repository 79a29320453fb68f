"""Reads one file into a Document."""

from compiler.context import Context
from compiler.parsers import Limits, parse
from ir.document import Document


def parse_document(ctx: Context, data: bytes, path: str, limits: Limits | None = None) -> Document | None:
    """The document, or None where nothing can be read; then an error says why."""
    parsed = parse(data, path, limits or Limits())
    for diagnostic in parsed.diagnostics:
        ctx.report(diagnostic)
    return parsed.document
