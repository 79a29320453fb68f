"""`flowc diff`: what changed from one version to another."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flowc import terminal
from flowc.commands.options import NOT_VALID, WORKFLOW_NAMES, AsJson, CatalogFolder, loaded_catalog, settings
from flowc.stopping import FINDINGS, Stop, existing_path

if TYPE_CHECKING:
    from catalog.load import Catalog
    from ir.workflow import Workflow
    from validator.diff.changes import Comparison
    from validator.diff.pairing import FolderWorkflow


class DiffFormat(StrEnum):
    """How differences are printed."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


def diff_command(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A workflow, or a folder that compile wrote.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The same later.")],
    format_: Annotated[
        DiffFormat, typer.Option("--format", help="text for people, markdown for a merge request, json for programs.")
    ] = DiffFormat.TEXT,
    as_json: AsJson = False,
    catalog: CatalogFolder = None,
) -> None:
    """Say what changed in a workflow, and which runs take another way now.

    Exit status: 0 nothing changed; 1 something did, if only in words; 2 the words of the command are off, or a file is
    no workflow.
    """
    from flowc.views.diff import as_markdown, as_text
    from validator.diff.pairing import compare_folders

    if existing_path(old).is_dir() != existing_path(new).is_dir():
        raise Stop(f"{old} and {new}: name two workflows or two folders", "bad-input-file")
    known = loaded_catalog(settings(catalog=catalog))
    sides = [_listed(one, known) for one in (old, new)]
    found = compare_folders(sides[0], sides[1], known)
    faulty = [file for file in dict.fromkeys(one.file for side in sides for one in side) if _is_faulty(file, known)]
    if as_json or format_ is DiffFormat.JSON:
        terminal.print_json(_whole(found, faulty))
    else:
        terminal.print_line((as_text if format_ is DiffFormat.TEXT else as_markdown)(found).rstrip("\n"))
    for file in faulty:
        terminal.print_notice(f"{file} {NOT_VALID}")
    if not found.same:
        raise typer.Exit(FINDINGS)


def _is_faulty(file: str, catalog: "Catalog") -> bool:
    from flowc.checking import CheckContext, check_file
    from ir.diagnostics import has_errors

    return has_errors(check_file(Path(file), CheckContext(catalog)).found)


def _whole(found: "Comparison", faulty: list[str]) -> dict[str, object]:
    """The comparison as JSON, with what is the same said as well.

    Args:
        faulty: the files that are not valid.
    """
    whole = found.to_json()
    pairs = [{"same": one.same, **one.to_json()} for one in found.differences]
    return {
        "same": found.same,
        "differences": pairs,
        "added": whole.get("added", []),
        "removed": whole.get("removed", []),
        "not_valid": faulty,
    }


def _listed(path: Path, catalog: "Catalog") -> "list[FolderWorkflow]":
    """The workflow of a file under no name of its own, or those below a folder."""
    from flowc.reading import workflow_name, workflows_below
    from validator.diff.pairing import FolderWorkflow

    if not path.is_dir():
        return [FolderWorkflow(str(path), "", "", _workflow(path, catalog))]
    files = workflows_below(path)
    if not files:
        raise Stop(f"{path}: no {WORKFLOW_NAMES} below this folder; name a folder that compile wrote", "bad-input-file")
    return [
        FolderWorkflow(
            str(file),
            file.parent.relative_to(path).as_posix(),
            workflow_name(file),
            _workflow(file, catalog),
        )
        for file in files
    ]


def _workflow(path: Path, catalog: "Catalog") -> "Workflow":
    """The workflow of a file; what is wrong with its form goes to stderr."""
    from flowc.checking import resolver
    from flowc.source_text import SourceText
    from flowc.views.findings import tell_findings
    from ir.codec import read_workflow

    workflow, found = read_workflow(path, resolve=resolver(catalog))
    tell_findings(SourceText.read(path), found)
    if workflow is None:
        raise Stop(f"{path} holds no workflow that can be read; `flowc validate` says more", "bad-input-file")
    return workflow
