"""`flowc explain` and `flowc graph`: what shows a workflow."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flowc import terminal
from flowc.commands.options import NOT_VALID, AsJson, CatalogFolder, WorkflowFile, loaded_catalog, settings
from flowc.stopping import FINDINGS, Stop, existing_path

if TYPE_CHECKING:
    from catalog.load import Catalog
    from ir.diagnostics import Severity
    from ir.workflow import Workflow


class GraphFormat(StrEnum):
    """How a graph is drawn; `compiler.report.graph.formats` has a class for each."""

    SVG = "svg"
    MERMAID = "mermaid"


def explain_command(file: WorkflowFile, as_json: AsJson = False, catalog: CatalogFolder = None) -> None:
    """Say before a run: which steps there are, which routes, where people are needed, what decides."""
    from flowc.checking import CheckContext, check_file
    from ir.codec import write_json
    from ir.diagnostics import has_errors
    from validator.explain.explanation import explain
    from validator.explain.text import render_text

    known = loaded_catalog(settings(catalog=catalog))
    workflow = read_one(file, known)
    context = CheckContext(known)
    explanation = explain(workflow, known, workflows=context.callable_from(workflow, file))
    terminal.print_line((write_json(explanation) if as_json else terminal.clean(render_text(explanation))).rstrip("\n"))
    if has_errors(check_file(file, context).found):
        terminal.print_notice(f"{file} {NOT_VALID}")


def graph_command(
    file: WorkflowFile,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="x.svg or x.mmd; - or nothing for stdout.")
    ] = None,
    format_: Annotated[
        GraphFormat | None, typer.Option("--format", help="By default what the suffix says; mermaid on stdout.")
    ] = None,
    catalog: CatalogFolder = None,
) -> None:
    """Draw a workflow, as a picture or as Mermaid text; nodes with faults are marked in the picture."""
    from compiler.build.files import write_whole
    from compiler.report.graph.formats import drawing_for, drawing_named

    to_file = out is not None and str(out) != "-"
    named = format_ or (None if to_file else GraphFormat.MERMAID)
    form = drawing_named(named) if named else drawing_for(out.suffix) if out else None
    if form is None:
        raise Stop(f"{out}: no picture has this suffix; expected .svg or .mmd, or --format", "bad-setting")
    if to_file and out and out.is_dir():
        raise Stop(f"{out} is a folder; name a file such as {out / 'graph.svg'}", "bad-setting")
    known = loaded_catalog(settings(catalog=catalog))
    workflow = read_one(file, known)
    drawn = form.draw(workflow, known, _gravest(file, known))
    if to_file and out:
        write_whole(out, drawn)
    else:
        terminal.print_line(drawn.rstrip("\n"))


def read_one(path: Path, catalog: "Catalog") -> "Workflow":
    """The workflow of a file that must be one; what is wrong with its form goes to stderr.

    Raises:
        Exit: it is none.
    """
    from flowc.checking import resolver
    from flowc.source_text import SourceText
    from flowc.views.findings import tell_findings
    from ir.codec import read_workflow

    if existing_path(path).is_dir():
        raise Stop(f"{path} is a folder; name one workflow in it", "bad-input-file")
    workflow, found = read_workflow(path, resolve=resolver(catalog))
    tell_findings(SourceText.read(path), found)
    if workflow is None:
        raise typer.Exit(FINDINGS)
    return workflow


def _gravest(path: Path, catalog: "Catalog") -> "dict[str, Severity]":
    """The gravest severity of the findings on each node."""
    from flowc.checking import CheckContext, check_file

    gravest: dict[str, Severity] = {}
    for one in check_file(path, CheckContext(catalog)).found:
        if one.location.node is not None:
            gravest.setdefault(one.location.node, one.severity)
    return gravest
