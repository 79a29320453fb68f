"""`flowc parse`: what a document says, block by block."""

from pathlib import Path
from typing import Annotated

import typer

from cli import terminal
from cli.options import AsJson
from cli.stopping import FINDINGS, Stop, existing


def parse_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="PDF, Word, HTML, Markdown or text.")],
    as_json: AsJson = False,
) -> None:
    """Read one document and list its blocks, with their addresses, labels and pages."""
    from cli.views.document import listing
    from cli.views.findings import Text, tell_findings
    from compiler.parsers.worker import parse_apart
    from compiler.sources import InputFile
    from ir.codec import write_json

    if existing(file).is_dir():
        raise Stop(f"{file} is a folder; name one document in it", "bad-input-file")
    parsed = parse_apart(InputFile(file, file.name, named=True).read(), file.name)
    tell_findings(Text(str(file)), parsed.diagnostics)
    if parsed.document is None:
        raise typer.Exit(FINDINGS)
    if as_json:
        terminal.say(write_json(parsed.document).rstrip("\n"))
    else:
        listing(parsed.document)
