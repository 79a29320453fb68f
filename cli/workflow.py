"""`flowc validate`, `flowc explain` and `flowc graph`: what reads a workflow."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import terminal
from cli.options import AsJson, CatalogFolder, WorkflowFile, loaded_catalog, settings
from cli.stopping import FINDINGS, Stop, existing

if TYPE_CHECKING:
    from catalog.load import Catalog
    from ir.diagnostics import Diagnostic, Severity
    from ir.workflow import Workflow

SUFFIX = ".workflow.json"


class FindingsFormat(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


class GraphFormat(StrEnum):
    """How a graph is drawn."""

    SVG = "svg"
    MERMAID = "mermaid"


GRAPH_SUFFIXES = {".svg": GraphFormat.SVG, ".mmd": GraphFormat.MERMAID, ".mermaid": GraphFormat.MERMAID}


def validate_command(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help=f"Workflows, JSON or YAML; of a folder, every *{SUFFIX} below it."),
    ],
    format_: Annotated[
        FindingsFormat, typer.Option("--format", help="text for people, json for programs, github for annotations.")
    ] = FindingsFormat.TEXT,
    catalog: CatalogFolder = None,
) -> None:
    """Check workflows: structure, types, branches, governance. Older forms are read, with warnings."""
    from cli.views.findings import Text, as_annotations, as_text, counted, plural
    from ir.diagnostics import has_errors

    paths = _workflows(files)
    known = loaded_catalog(settings(catalog=catalog))
    found: list[Diagnostic] = []
    for path in paths:
        own = _findings(path, known)
        found += own
        if format_ is FindingsFormat.TEXT:
            terminal.say(as_text(Text.read(path), own) + ("" if own else f"{path}: valid"))
        elif format_ is FindingsFormat.GITHUB and own:
            terminal.say(as_annotations(Text.read(path), own).rstrip("\n"))
    if format_ is FindingsFormat.JSON:
        terminal.say_json([one.to_json() for one in found])
    elif format_ is FindingsFormat.TEXT and (found or len(paths) > 1):
        terminal.say(f"{counted(found)} in {plural(len(paths), 'file')}")
    if has_errors(found):
        raise typer.Exit(FINDINGS)


def explain_command(file: WorkflowFile, as_json: AsJson = False, catalog: CatalogFolder = None) -> None:
    """Say before a run: which steps there are, which routes, where people are needed, what decides."""
    from compiler.explain import explain
    from compiler.explain_text import render_text
    from ir.codec import write_json

    known = loaded_catalog(settings(catalog=catalog))
    explanation = explain(_workflow(file, known), known)
    terminal.say((write_json(explanation) if as_json else terminal.clean(render_text(explanation))).rstrip("\n"))


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
    from compiler.emit.files import write_whole
    from compiler.emit.mermaid import render_mermaid
    from compiler.emit.svg import render_svg

    to_file = out is not None and str(out) != "-"
    form = format_ or (GRAPH_SUFFIXES.get(out.suffix.lower()) if to_file and out else GraphFormat.MERMAID)
    if form is None:
        raise Stop(f"{out}: no picture has this suffix; expected .svg or .mmd, or --format", "bad-setting")
    if to_file and out and out.is_dir():
        raise Stop(f"{out} is a folder; name a file such as {out / 'graph.svg'}", "bad-setting")
    known = loaded_catalog(settings(catalog=catalog))
    workflow = _workflow(file, known)
    if form is GraphFormat.SVG:
        drawn = str(render_svg(workflow, catalog=known, faults=_gravest(workflow, file, known)))
    else:
        drawn = render_mermaid(workflow, catalog=known)
    if to_file and out:
        write_whole(out, drawn)
    else:
        terminal.say(drawn.rstrip("\n"))


def _workflows(files: list[Path]) -> list[Path]:
    """The files named, and the workflows below the folders named."""
    paths: list[Path] = []
    for file in files:
        if existing(file).is_dir():
            below = sorted(path for path in file.rglob(f"*{SUFFIX}") if path.is_file())
            if not below:
                raise Stop(f"{file}: no *{SUFFIX} below this folder; name a workflow", "bad-input-file")
            paths += below
        else:
            paths.append(file)
    return paths


def read_file(path: Path, catalog: "Catalog") -> tuple["Workflow | None", tuple["Diagnostic", ...]]:
    """The workflow of a file, older forms included, and what reading it found."""
    from ir.codec import read_workflow

    def resolve(name: str) -> str | None:
        node_type = catalog.resolve(name)
        return node_type.type if node_type else None

    return read_workflow(path, resolve=resolve)


def _check(workflow: "Workflow", path: Path, catalog: "Catalog") -> tuple["Diagnostic", ...]:
    """What the checks find, errors first, with the file; in a build folder, held against its document too."""
    from cli.reading import beside, cited_documents
    from compiler.checks import CheckInput, validate

    drawn_from = beside(path, cited_documents(workflow))
    return tuple(
        one.model_copy(update={"location": one.location.model_copy(update={"file": str(path)})})
        for one in validate(CheckInput(workflow, catalog, drawn_from.procedures, drawn_from.documents))
    )


def _findings(path: Path, catalog: "Catalog") -> tuple["Diagnostic", ...]:
    """All that is wrong with a file, errors first."""
    workflow, found = read_file(path, catalog)
    order = ["error", "warning", "info"]
    checked = _check(workflow, path, catalog) if workflow else ()
    return tuple(sorted([*found, *checked], key=lambda one: order.index(one.severity)))


def _workflow(path: Path, catalog: "Catalog") -> "Workflow":
    """The workflow of a file that must be one; what is wrong with its form goes to stderr.

    Raises:
        Exit: it is none.
    """
    from cli.views.findings import Text, tell_findings

    if existing(path).is_dir():
        raise Stop(f"{path} is a folder; name one workflow in it", "bad-input-file")
    workflow, found = read_file(path, catalog)
    tell_findings(Text.read(path), found)
    if workflow is None:
        raise typer.Exit(FINDINGS)
    return workflow


def _gravest(workflow: "Workflow", path: Path, catalog: "Catalog") -> "dict[str, Severity]":
    """The gravest severity of the findings on each node."""
    gravest: dict[str, Severity] = {}
    for one in _check(workflow, path, catalog):
        if one.location.node is not None:
            gravest.setdefault(one.location.node, one.severity)
    return gravest
