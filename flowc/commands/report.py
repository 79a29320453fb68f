"""`flowc report`: a short report on a procedure, as Word document and printable page."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flowc import terminal
from flowc.commands.options import CatalogFolder, loaded_catalog, settings
from flowc.stopping import Stop, existing_path

if TYPE_CHECKING:
    from catalog.load import Catalog
    from ir.scenario import Scenario
    from ir.workflow import Workflow
    from review.paper.source import PaperSource


def report_command(
    path: Annotated[Path, typer.Argument(metavar="BUILD|FILE", help="A build folder with one draft, or one workflow.")],
    docx: Annotated[Path | None, typer.Option("--docx", metavar="FILE", help="Write it as a Word document.")] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write it as a printable page.")] = None,
    since: Annotated[
        Path | None,
        typer.Option("--since", metavar="FILE", help="An earlier version, to tell what changed."),
    ] = None,
    tests: Annotated[
        Path | None,
        typer.Option("--tests", metavar="FILE", help="Scenarios, or kept cases; else those kept beside it."),
    ] = None,
    catalog: CatalogFolder = None,
) -> None:
    """Tell a procedure on three to five pages, in its own language: who does what and when, limits, what is open."""
    from compiler.build.files import write_whole
    from review.paper.paper import make_paper
    from review.paper.write_docx import docx_bytes
    from review.paper.write_html import html_page

    if docx is None and html is None:
        raise Stop("name the file to write: --docx FILE, --html FILE, or both", "bad-setting")
    known = loaded_catalog(settings(catalog=catalog))
    file = _workflow_file(existing_path(path))
    earlier = _workflow(since, known) if since else None
    source = replace(_source(file, known, earlier), **_tests(tests, file, known))
    paper = make_paper(source)
    for out, content in ((docx, docx_bytes), (html, html_page)):
        if out is not None:
            write_whole(out, content(paper))
            terminal.print_line(f"report written to {out}")


def _workflow_file(path: Path) -> Path:
    """The workflow that is meant by a file or a build folder.

    Raises:
        Stop: the folder has no draft, or several.
    """
    from flowc.reading import workflows_below

    if not path.is_dir():
        return path
    files = workflows_below(path)
    if len(files) != 1:
        listed = "".join(f"\n{file}" for file in files)
        raise Stop(f"{path}: a report is on one draft, and here are {len(files)}; name one{listed}", "bad-input-file")
    return files[0]


def _source(file: Path, catalog: "Catalog", earlier: "Workflow | None") -> "PaperSource":
    """A draft with what its build and people say of it; of another workflow what can be found out of it alone."""
    from compiler.build.folder import SUMMARY
    from compiler.report.review.parts import Review
    from flowc.checking import CheckContext, check_file
    from flowc.reading import cited_documents, documents_beside
    from flowc.review import draft_at
    from review.paper.source import PaperSource, source_of

    if any((up / SUMMARY).is_file() for up in file.resolve().parents):
        return source_of(draft_at(file), earlier=earlier)
    workflow = _workflow(file, catalog)
    review = Review(
        workflow=workflow,
        documents=documents_beside(file, cited_documents(workflow)),
        diagnostics=tuple(check_file(file, CheckContext(catalog)).found),
        catalog=catalog,
    )
    return PaperSource(review, earlier=earlier)


def _workflow(path: Path, catalog: "Catalog") -> "Workflow":
    """The workflow of a file that must be one; what is wrong with its form goes to stderr."""
    from flowc.checking import resolver
    from flowc.source_text import SourceText
    from flowc.views.findings import tell_findings
    from ir.codec import read_workflow

    workflow, found = read_workflow(existing_path(path), resolve=resolver(catalog))
    tell_findings(SourceText.read(path), found)
    if workflow is None:
        raise Stop(f"{path} holds no workflow that can be read; `flowc validate` says more", "bad-input-file")
    return workflow


def _tests(named: Path | None, file: Path, catalog: "Catalog") -> dict[str, Any]:
    """The test cases of a workflow: those of a file that was named, else the kept ones that belong to it."""
    from flowc.reading import workflow_name
    from ir.kept_case import SUFFIX
    from review.cases.case_file import cases_beside, read_cases

    if named is not None and not named.name.endswith(SUFFIX):
        return {"scenarios": _scenarios(named, file)}
    place = existing_path(named) if named is not None else cases_beside(file, workflow_name(file))
    return {"kept": read_cases(place, _workflow(file, catalog).workflow_id)} if place.is_file() else {}


def _scenarios(path: Path, workflow: Path) -> "tuple[Scenario, ...]":
    """The scenarios of a file that are for a workflow.

    Raises:
        Stop: the file holds no scenarios.
    """
    from ir.codec import read_form, read_json, read_workflow, read_yaml
    from ir.scenario import Scenarios

    text = existing_path(path).read_bytes()
    raw, faults = (read_json if path.suffix.lower() == ".json" else read_yaml)(text)
    listed, more = read_form(Scenarios, raw) if not faults else (None, faults)
    if listed is None:
        said = "".join(f"\n{one.location.pointer or '/'}: {one.message}" for one in more)
        raise Stop(f"{path} holds no scenarios; correct these:{said}", "bad-input-file")
    read = read_workflow(workflow.read_bytes())[0]
    own = read.workflow_id if read is not None else None
    return tuple(one for one in listed.scenarios if one.workflow in (None, own))
