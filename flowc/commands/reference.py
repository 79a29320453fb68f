"""`flowc schema` and `flowc explain-code`: what the forms and the codes of diagnostics mean."""

from typing import Annotated

import typer

from flowc import terminal
from flowc.commands.options import AsJson
from flowc.stopping import Stop


def schema_command(
    form: Annotated[str | None, typer.Argument(metavar="[FORM]", help="workflow, procedure, document, …")] = None,
) -> None:
    """Print the JSON Schema of a form; without one, the names of all forms."""
    from catalog.schemas import ALL_FORMS
    from ir.schema import schema_text
    from validator.suggest import did_you_mean

    if form is None:
        terminal.print_line("\n".join(sorted(ALL_FORMS)))
    elif form in ALL_FORMS:
        terminal.print_line(schema_text(form, ALL_FORMS[form]).rstrip("\n"))
    else:
        raise Stop(f'"{form}" is no form{did_you_mean(form, sorted(ALL_FORMS))}', "unknown-form")


def explain_code_command(
    code: Annotated[str, typer.Argument(metavar="CODE", help="As a finding shows it: branch-overlap.")],
    as_json: AsJson = False,
) -> None:
    """Explain the code of a finding: what it means, why it matters, a bad and a good example, how to mend it."""
    from dataclasses import asdict

    from flowc.views.code import as_text
    from validator.code_page import catalogue
    from validator.suggest import did_you_mean

    known = catalogue()
    wanted = code.strip("[]` ").lower()
    if wanted not in known:
        raise Stop(f'there is no section on the code "{wanted}"{did_you_mean(wanted, sorted(known))}', "unknown-code")
    if as_json:
        terminal.print_json(asdict(known[wanted]))
    else:
        terminal.print_line(as_text(known[wanted]))
