"""`flowc schema` and `flowc explain-code`: what the forms and the codes of diagnostics mean."""

import re
from pathlib import Path
from typing import Annotated

import typer

from cli import terminal
from cli.stopping import ENVIRONMENT, Stop

_HEADING = re.compile(r"## `?([a-z][a-z0-9-]*)`?[ \t]*\n")


def schema_command(
    form: Annotated[str | None, typer.Argument(metavar="[FORM]", help="workflow, procedure, document, …")] = None,
) -> None:
    """Print the JSON Schema of a form; without one, the names of all forms."""
    from compiler.schemas import ALL_FORMS
    from compiler.suggest import did_you_mean
    from ir.schema import schema_text

    if form is None:
        terminal.say("\n".join(sorted(ALL_FORMS)))
    elif form in ALL_FORMS:
        terminal.say(schema_text(form, ALL_FORMS[form]).rstrip("\n"))
    else:
        raise Stop(f'"{form}" is no form{did_you_mean(form, sorted(ALL_FORMS))}', "unknown-form")


def explain_code_command(
    code: Annotated[str, typer.Argument(metavar="CODE", help="As a finding shows it: branch-overlap.")],
) -> None:
    """Explain the code of a finding: what it means, why it matters, a bad and a good example."""
    from compiler.suggest import did_you_mean

    sections = code_sections(_page())
    wanted = code.strip("[]` ").lower()
    if wanted not in sections:
        raise Stop(
            f'there is no section on the code "{wanted}"{did_you_mean(wanted, sorted(sections))}', "unknown-code"
        )
    terminal.say(sections[wanted])


def code_sections(page: str) -> dict[str, str]:
    """The sections of the page on diagnostics whose headings are codes, by code.

    >>> code_sections("# Codes\\nText.\\n## cycle\\nOne.\\n\\n## `too-deep`\\nTwo.\\n")
    {'cycle': '## cycle\\nOne.', 'too-deep': '## `too-deep`\\nTwo.'}
    """
    sections = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    return {match[1]: section.rstrip() for section in sections if (match := _HEADING.match(section))}


def _page() -> str:
    """The text of docs/diagnostics.md, which an installed flowc has among the compiler's texts.

    Raises:
        Stop: neither is there.
    """
    import compiler

    package = Path(compiler.__path__[0])
    for path in (package / "texts" / "diagnostics.md", package.parent / "docs" / "diagnostics.md"):
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise Stop(
        "the page on diagnostics is missing from this installation; install flowc again", "broken-install", ENVIRONMENT
    )
