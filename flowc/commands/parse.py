"""`flowc parse`: what a document says, block by block."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flowc import terminal
from flowc.commands.options import AsRevised, Revised
from flowc.missing import existing_document
from flowc.stopping import FINDINGS, Stop

if TYPE_CHECKING:
    from ir.document import Document

PICTURED = 60  # pages that the HTML view shows as pictures


class Format(StrEnum):
    """How a document is shown."""

    text = "text"
    json = "json"
    html = "html"


def parse_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="PDF, Word, HTML, Markdown or text.")],
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            help="text: a list for people; json: for programs; html: a page with the boxes of the blocks over the PDF.",
        ),
    ] = Format.text,
    revisions: AsRevised = Revised.accepted,
    out: Annotated[Path | None, typer.Option("-o", "--out", metavar="FILE", help="Write it there.")] = None,
) -> None:
    """Read one document and show its blocks, with their addresses, labels and pages."""
    from compiler.build.files import write_whole
    from compiler.build.sources import InputFile
    from compiler.parsers.worker import parse_apart
    from flowc.source_text import SourceText
    from flowc.views.document import listing
    from flowc.views.findings import tell_findings

    if existing_document(file).is_dir():
        raise Stop(f"{file} is a folder; name one document in it", "bad-input-file")
    if out is not None and form is Format.text:
        raise typer.BadParameter("--out goes with --format json or html", param_hint="--out")
    source = InputFile.of(file)
    data = source.read()
    parsed = parse_apart(data, source.doc_id, revisions=revisions.value)
    tell_findings(SourceText(str(file)), parsed.diagnostics)
    if parsed.document is None:
        raise typer.Exit(FINDINGS)
    if form is Format.text:
        listing(parsed.document)
        return
    shown = _json(parsed.document) if form is Format.json else _page(parsed.document, data)
    if out is None:
        terminal.print_line(shown)
    else:
        write_whole(out, shown + "\n")
        terminal.print_notice(f"Look at {out}" if form is Format.html else f"Written to {out}")


def _json(document: Document) -> str:
    from compiler.parsers.references.cross_references import cross_references
    from ir.codec import write_json
    from ir.document import ReadDocument

    fields = {name: getattr(document, name) for name in type(document).model_fields}
    return write_json(ReadDocument(**fields, references=cross_references(document))).rstrip("\n")


def _page(document: Document, data: bytes) -> str:
    from compiler.parsers.pdf.pictures import page_pictures
    from compiler.parsers.references.cross_references import cross_references
    from compiler.report.document_page import inline_picture, render_document

    pictures = page_pictures(data, PICTURED) if document.source.kind == "pdf" else ()
    return render_document(document, [inline_picture(*picture) for picture in pictures], cross_references(document))
