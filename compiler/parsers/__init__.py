"""Reading documents: bytes of a PDF, Word, HTML, Markdown or text file to blocks with addresses."""

from collections.abc import Iterator

from compiler.parsers import faults
from compiler.parsers.assemble import assemble, has_text
from compiler.parsers.draft import Refused
from compiler.parsers.limits import Limits, Revisions
from compiler.parsers.protocol import ParseOptions
from compiler.parsers.references.cross_references import cross_references
from compiler.parsers.registry import options_for, parser_for
from ir.base import Model
from ir.diagnostics import Diagnostic
from ir.document import Document

__all__ = ["DEFAULT_LIMITS", "Limits", "Parsed", "parse"]

DEFAULT_LIMITS = Limits()


class Parsed(Model):
    """What became of a file.

    Args:
        document: None exactly when one of the diagnostics is an error.
    """

    document: Document | None
    diagnostics: tuple[Diagnostic, ...] = ()


def parse(data: bytes, path: str, limits: Limits = DEFAULT_LIMITS, revisions: Revisions = "accepted") -> Parsed:
    """Read a document, whatever its file is called.

    Args:
        path: relative to the folder that is compiled; becomes the document's id.
        limits: what is larger is refused unread.
        revisions: how tracked changes of Word are read.

    Returns:
        The document with its warnings, or no document and the error that says why. Bad bytes never raise.
    """
    try:
        if len(data) > limits.bytes:
            raise Refused(faults.oversize(path, "bytes", len(data), limits.bytes))
        parser = parser_for(data, path)
        reading = parser.parse(data, path, options_for(path, ParseOptions(limits, revisions)))
        if not has_text(reading.drafts):
            return Parsed(document=None, diagnostics=(faults.empty(path), *reading.diagnostics))
        document = assemble(reading, data, path, parser.kind)
        differs = faults.kind_differs(path, parser.kind)
        told = (*([differs] if differs else []), *reading.diagnostics, *_dangling(document))
        return Parsed(document=document, diagnostics=told)
    except Refused as refused:
        return Parsed(document=None, diagnostics=(refused.diagnostic,))


def _dangling(document: Document) -> Iterator[Diagnostic]:
    """A warning for each clause that the document points to and does not have, where it first does."""
    pages = {passage.address: passage.page for passage in document.passages()}
    told = set[str]()
    for reference in cross_references(document):
        if reference.target is None and reference.text not in told:
            told.add(reference.text)
            page = pages.get(reference.block)
            yield faults.dangling_reference(document.doc_id, reference.text, reference.block, page)
