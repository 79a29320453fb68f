"""`flowc review`: what became of each statement of a document, what is open, and accepting it as it is."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from flowc import terminal
from flowc.commands.options import AsJson
from flowc.stopping import FINDINGS, Stop, existing_path

review_app = typer.Typer(
    name="review",
    help="See what became of each statement of a document, and accept what is open.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
BuiltWorkflow = Annotated[Path, typer.Argument(metavar="FILE", help="NAME.workflow.json in a build folder.")]


class Shown(StrEnum):
    """Which statements are listed."""

    OPEN = "open"
    ALL = "all"


@review_app.command("show")
def show_command(
    file: BuiltWorkflow,
    which: Annotated[
        Shown, typer.Option("--which", help="What is open (questions, prohibitions, steps, texts), or all statements.")
    ] = Shown.OPEN,
    as_json: AsJson = False,
) -> None:
    """List what is open in a draft, or what became of every statement of its document."""
    from flowc.review import open_items, read_reviewed
    from flowc.views.review import items_json, print_items, print_statements

    reviewed = read_reviewed(existing_path(file))
    items = open_items(reviewed)
    if as_json:
        found = (
            [one.to_json() for one in reviewed.statements]
            if which is Shown.ALL
            else items_json(items, reviewed.statements)
        )
        terminal.print_json(found)
    elif which is Shown.ALL:
        print_statements(reviewed.statements)
    else:
        print_items(items, reviewed.statements)


@review_app.command("accept")
def accept_command(
    file: BuiltWorkflow,
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help="The id of a question (g3), or words of what is accepted.")
    ],
    reason: Annotated[str, typer.Option("--reason", metavar="WHY", help="Why it may stay as it is.")],
    author: Annotated[
        str | None, typer.Option("--author", metavar="NAME", help="Who decides; by default who is logged in.")
    ] = None,
    decisions: Annotated[
        Path | None,
        typer.Option("--decisions", metavar="FILE", help="By default decisions.jsonl beside the documents."),
    ] = None,
) -> None:
    """Accept a prohibition that nothing enforces, a question or an unmapped step; the next compile goes by it."""
    from flowc.review import accept, open_items, read_reviewed

    if not reason.strip():
        raise Stop("why may it stay as it is? give the reason with --reason", "bad-setting")
    reviewed = read_reviewed(existing_path(file))
    target = decisions or reviewed.decisions
    if target is None:
        raise Stop(f"{file}: its build does not say where its documents are; name --decisions FILE", "bad-setting")
    chosen = [one for one in open_items(reviewed) if one.matches(what)]
    subjects = {one.subject for one in chosen}
    if not chosen or len(subjects) < len(chosen) or not frozenset.intersection(*(one.blocks for one in chosen)):
        fault = "is in nothing that is open" if not chosen else f"is in {len(chosen)} things that are open"
        listed = "".join(f"\n{one.subject} {one.id}: {one.quotes[0][0]}" for one in chosen)
        raise Stop(f"“{what}” {fault}; `flowc review show {file}` lists them{listed}", "unknown-words", FINDINGS)
    for made in accept(reviewed, chosen, reason.strip(), author, target):
        words = made.anchor.text if made.anchor else made.name
        terminal.print_line(f"accepted: {made.subject} “{terminal.one_line(terminal.clean(words))}”")
    terminal.print_line(f"written to {target}; the next `flowc compile` goes by it")
