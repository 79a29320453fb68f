"""`flowc trace`: what became of some words of a document, and which lines of flowc made it."""

from pathlib import Path
from typing import Annotated

import typer

from flowc import terminal
from flowc.commands.options import AsJson, CatalogFolder, EmbedderName, PrimersFolder, settings
from flowc.missing import existing_document
from flowc.stopping import FINDINGS, Stop, setup_faults


def trace_command(
    document: Annotated[Path, typer.Argument(metavar="DOCUMENT", help="PDF, Word, HTML, Markdown or text.")],
    words: Annotated[str, typer.Argument(metavar="WORDS", help="As they stand in the document.")],
    catalog: CatalogFolder = None,
    primers: PrimersFolder = None,
    embedder: EmbedderName = None,
    model: Annotated[str | None, typer.Option("--model", metavar="NAME", help="Read by this model.")] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", metavar="DIR", help="Read by recorded answers of a model.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Follow words of a document: which rule or answer made what of them, and through which passes it went."""
    from compiler.build.scheduler import Settings
    from compiler.build.tracing import trace_words
    from flowc.commands.asking import chosen_model
    from flowc.views.trace import print_tracing, tracing_json
    from ir.errors import NoAnswer

    if existing_document(document).is_dir():
        raise Stop(f"{document} is a folder; name one document in it", "bad-input-file")
    if not words.strip():
        raise Stop("which words? give some, as they stand in the document", "bad-setting")
    configuration = settings(catalog=catalog, primers=primers, embedder=embedder, model=model)
    asked = chosen_model(configuration, replay, None, None, None, None) if model or replay else None
    chosen = Settings(
        catalogs=configuration.items("catalog") or (),
        domain=configuration.text("domain"),
        permissions=configuration.items("permissions"),
        primers=configuration.folder("primers"),
        embedder=configuration.text("embedder") or "default",
        base_url=configuration.text("base_url"),
        api_key=configuration.embedder_key(),
        model=asked,
    )
    with setup_faults(configuration):
        build, tracing = trace_words(document, words, chosen)
    if build.no_answer:
        raise NoAnswer(build.no_answer)
    if not tracing.passages:
        parts = f"; `flowc parse {document}` shows what was read of it"
        raise Stop(f"{document}: the words “{words}” do not stand in it{parts}", "unknown-words", FINDINGS)
    if as_json:
        terminal.print_json(tracing_json(tracing))
    else:
        print_tracing(tracing)
