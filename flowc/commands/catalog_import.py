"""`flowc catalog import`: Node Types from the user's own systems."""

import os
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flowc import terminal
from flowc.commands.options import AsJson, CatalogFolder, EmbedderName, loaded_catalog, loaded_embedder, settings
from flowc.stopping import FINDINGS, Stop, ended_by_signal, existing_path, setup_faults

if TYPE_CHECKING:
    from catalog.importing import Import, Merged
    from compiler.build.configuration import Configuration


class SourceKind(StrEnum):
    """What a source is."""

    openapi = "openapi"
    mcp = "mcp"
    functions = "functions"
    table = "table"


def import_command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="An OpenAPI 3 file, function specifications, an MCP server's tools/list, a table in CSV; with "
            "--kind mcp the command of a server, or its address on this machine.",
        ),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="The catalog to write or bring up to date.")],
    kind: Annotated[SourceKind | None, typer.Option("--kind", help="What the source is; by default found out.")] = None,
    namespace: Annotated[
        str | None,
        typer.Option("--namespace", metavar="NAME", help="First half of the names; by default the source's own name."),
    ] = None,
    samples: Annotated[
        Path | None, typer.Option("--samples", metavar="FILE", help="What tools gave, to learn their outputs from.")
    ] = None,
    entry_point: Annotated[
        str | None,
        typer.Option("--entry-point", metavar="MODULE[:CLASS]", help="Where functions of these names stand."),
    ] = None,
    outcome: Annotated[
        list[str] | None, typer.Option("--outcome", metavar="COLUMN", help="Column of a table that holds outcomes.")
    ] = None,
    skip_faulty: Annotated[
        bool, typer.Option("--skip-faulty", help="Leave malformed tools out, and list them; else nothing is imported.")
    ] = False,
    restore: Annotated[bool, typer.Option("--restore", help="Write Types again whose files were removed.")] = False,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="How long a server may take.")
    ] = 30.0,
    catalog: CatalogFolder = None,
    embedder: EmbedderName = None,
    as_json: AsJson = False,
) -> None:
    """Make Node Types of the tools of a system; what a person filled in stays as it is."""
    from catalog.importing import Wanted, import_tools, merge_into, propose_concepts
    from catalog.importing.names import check_entry_point, check_namespace

    check_namespace(namespace)
    check_entry_point(entry_point)
    configuration = settings(catalog=catalog, embedder=embedder)
    known = loaded_catalog(configuration)
    wanted = Wanted(source, kind.value if kind else None, entry_point, tuple(outcome or ()), timeout)
    with ended_by_signal():
        found = import_tools(wanted, namespace, existing_path(samples) if samples else None, skip_faulty=skip_faulty)
        with setup_faults(configuration):
            found = propose_concepts(found, known, loaded_embedder(configuration).embedder)
            merged = merge_into(found, out, restore=restore)
            _write(merged, out, configuration)
    _tell(found, merged, out, as_json=as_json)
    if merged.diagnostics:
        raise typer.Exit(FINDINGS)


def _write(merged: "Merged", out: Path, configuration: "Configuration") -> None:
    """Write the catalog beside the one that stands, see that it loads with the others, and put it in its place."""
    from catalog.errors import CatalogError
    from catalog.importing.record import RECORD
    from catalog.load import BUILTIN, load_catalog
    from compiler.build.beside import folder_beside, keep, take_its_place
    from compiler.build.earlier import read_earlier
    from compiler.build.files import write_new

    if not merged.files:
        return
    place = out.resolve()
    others = [one for one in configuration.items("catalog") or (BUILTIN,) if Path(one).resolve() != place]
    with folder_beside(place) as made:
        for name, text in merged.files.items():
            write_new(made / name, text.encode("utf-8"))
        keep(read_earlier(place, RECORD).others(merged.files, made), place, made)
        try:
            load_catalog(*others, made)
        except CatalogError as error:
            message = str(error).replace(str(made), os.fspath(out))
            raise Stop(message, error.code) from error
        take_its_place(made, place, RECORD)


def _tell(found: "Import", merged: "Merged", out: Path, *, as_json: bool) -> None:
    from flowc.views.findings import plain_lines

    counts = Counter(merged.outcomes.values())
    if as_json:
        terminal.print_json(
            {
                "namespace": found.namespace,
                "types": {
                    name: {"outcome": outcome, "written_by_people": list(merged.written.get(name, ()))}
                    for name, outcome in merged.outcomes.items()
                },
                "to_see_to": {name: list(one.imported.assumed) for name, one in merged.types.items() if one.imported},
                "diagnostics": [one.to_json() for one in merged.diagnostics],
            }
        )
        return
    for name, one in merged.types.items():
        kept = f"; kept: {', '.join(merged.written[name])}" if merged.written.get(name) else ""
        open_ = len(set(one.imported.assumed) - {"/category"}) if one.imported else 0
        terminal.print_line(f"{merged.outcomes[name]:9} {name}{kept}" + (f"; {open_} to see to" if open_ else ""))
    if merged.diagnostics:
        terminal.print_line(plain_lines(merged.diagnostics).rstrip("\n"))
    parts = ", ".join(f"{counts[one]} {one}" for one in ("added", "changed", "unchanged", "left out") if counts[one])
    terminal.print_line(f"{parts} in {out}; `flowc catalog lint --catalog {out} --catalog builtin` says what to see to")
