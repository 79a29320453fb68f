"""`flowc config`: every setting, its value, and what set it; and what is decided about findings."""

from typing import Annotated

import typer

from flowc import terminal
from flowc.commands.options import AsJson, settings


def config_command(
    as_json: AsJson = False,
    trusted: Annotated[
        str | None,
        typer.Option("--trust", metavar="URL", help="Note that keys may be sent there, though a file found names it."),
    ] = None,
) -> None:
    """Show each setting, its value and which source won. Keys are never printed."""
    if trusted is not None:
        from compiler.build.endpoints import trust

        terminal.print_line(f"keys may be sent to {trust(trusted)}")
        return
    found = settings()
    rows = list(found.settings.values())
    if as_json:
        listed = [
            {
                "name": one.known.name,
                "value": one.shown,
                "source": one.source,
                "flag": one.known.flag,
                "variables": list(one.known.variables),
                "meaning": one.known.meaning,
            }
            for one in rows
        ]
        file = str(found.file) if found.file else None
        terminal.print_json({"file": file, "settings": listed, "diagnostics": found.rules.to_json()})
        return
    terminal.print_line(f"settings file: {found.file or 'none'}")
    terminal.print_line()
    terminal.table(
        ["setting", "value", "set by", "meaning"],
        [[one.known.name, one.shown or "-", one.source, one.known.meaning] for one in rows],
        wrapped=["value", "set by", "meaning"],
    )
    if not found.rules.severities and not found.rules.ignores:
        return
    terminal.print_line()
    rows_of_rules = [[code, f"counts as {severity}", ""] for code, (severity, _) in found.rules.severities.items()]
    rows_of_rules += [[one.code, f"set aside{one.only}", one.reason] for one in found.rules.ignores]
    terminal.table(["findings", "decision", "reason"], rows_of_rules, wrapped=["decision", "reason"])
