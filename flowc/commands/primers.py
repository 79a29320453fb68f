"""`flowc primers`: what generation must obey, and whether the primers themselves are sound."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from flowc import terminal
from flowc.commands.options import AsJson, CatalogFolder, PrimersFolder, loaded_catalog, settings
from flowc.stopping import FINDINGS, Stop, setup_faults

if TYPE_CHECKING:
    from compiler.build.configuration import Configuration
    from primers.load import Primers

primers_app = typer.Typer(
    name="primers",
    help="List, show and check the rules that generation obeys.",
    short_help="List, show, check the generation rules.",
    no_args_is_help=True,
)


@primers_app.command("list")
def list_command(primers: PrimersFolder = None, as_json: AsJson = False) -> None:
    """List the primers."""
    known = _loaded(settings(primers=primers))
    if as_json:
        terminal.print_json([one.to_json() for one in known.by_name.values()])
        return
    terminal.table(
        ["name", "version", "pass", "languages", "rules", "advisory", "examples"],
        [
            [
                one.name,
                one.version,
                one.pass_,
                " ".join(one.languages),
                str(len(one.rules)),
                str(sum(rule.advisory for rule in one.rules)),
                str(len(one.examples)),
            ]
            for one in known.by_name.values()
        ],
        numbers=["rules", "advisory", "examples"],
    )


@primers_app.command("show")
def show_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `flowc primers list` shows it.")],
    language: Annotated[Literal["en", "zh"], typer.Option("--language", help="Of rules and examples.")] = "en",
    primers: PrimersFolder = None,
    as_json: AsJson = False,
) -> None:
    """Show one primer as a model is shown it: rules with the codes that enforce them, then examples."""
    from primers.render import render
    from validator.suggest import did_you_mean

    known = _loaded(settings(primers=primers))
    if name not in known.by_name:
        raise Stop(f'"{name}" is no primer{did_you_mean(name, known.by_name)}', "unknown-primer")
    primer = known.primer(name)
    if as_json:
        terminal.print_json(primer.to_json())
    else:
        terminal.print_line(terminal.clean(render(primer, language)).rstrip("\n"))


@primers_app.command("check")
def check_command(primers: PrimersFolder = None, catalog: CatalogFolder = None, as_json: AsJson = False) -> None:
    """Check that the examples are grounded and valid, and that the rules name codes that exist."""
    from compiler.draft.primer_check import check_primers
    from flowc.views.findings import counted, plain_lines, plural
    from ir.diagnostics import has_errors

    configuration = settings(primers=primers, catalog=catalog)
    known = _loaded(configuration)
    found = check_primers(known, loaded_catalog(configuration))
    if as_json:
        terminal.print_json([one.to_json() for one in found])
    else:
        if found:
            terminal.print_line(plain_lines(found).rstrip("\n"))
        terminal.print_line(f"{counted(found)} in {plural(len(known.by_name), 'primer')}")
    if has_errors(found):
        raise typer.Exit(FINDINGS)


def _loaded(configuration: "Configuration") -> "Primers":
    from primers.load import load_primers

    with setup_faults(configuration):
        return load_primers(configuration.folder("primers"))
