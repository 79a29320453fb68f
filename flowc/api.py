"""What flowc offers to programs; `import flowc` has all of it by name."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import JsonValue

from catalog.load import Catalog, load_catalog
from compiler.build.builder import Progress, compile_documents
from compiler.build.folder import write_build
from compiler.build.results import Build
from compiler.build.scheduler import Settings
from compiler.build.sources import InputFile
from compiler.conformance import ConformanceInput, validate_with_sources
from compiler.parsers import DEFAULT_LIMITS, Limits, Parsed
from compiler.parsers.worker import parse_apart
from flowc.checking import CheckContext, check_file
from ir.diagnostics import Diagnostic
from ir.document import Document
from ir.errors import NoAnswer
from ir.procedure import Procedure
from ir.walk import RecordedOutput, Walk
from ir.walk import walk as walk_workflow
from ir.workflow import Workflow
from llm.choice import ModelChoice
from validator.checks import CheckInput
from validator.checks import validate as validate_alone
from validator.diff import Difference, compare
from validator.explain.explanation import Explanation
from validator.explain.explanation import explain as explain_workflow
from validator.suggest import did_you_mean

Paths = str | Path | Sequence[str | Path]


def compile(  # noqa: A001 - as the command is called
    paths: Paths,
    settings: Settings | None = None,
    *,
    model: str | ModelChoice | None = None,
    procedures: Sequence[Procedure] = (),
    jobs: int | None = 1,
    progress: Progress | None = None,
) -> Build:
    """Compile files and folders into workflow drafts, each validated and tied to the words it came from.

    Args:
        paths: one path, or several.
        settings: what shapes the build; None reads without a model, with the catalog that comes with flowc.
        model: the language model that reads the documents, by name as on the command line, or chosen with its limits;
            None for the one of the settings, if there is one.
        procedures: procedures that a person corrected; they stand for those of their documents.
        jobs: how many processes work side by side, None for as many as are worth it.
        progress: told the stage, how many of its items are done, and how many there are.

    Raises:
        CompilerError: a path is missing, there is nothing to read, the catalog or a primer is malformed, the model
            cannot be asked.
    """
    settings = settings or Settings()
    if isinstance(model, str):
        model = ModelChoice(name=model, base_url=settings.base_url, api_key=settings.api_key)
    if model is not None:
        settings = replace(settings, model=model)
    return compile_documents(
        paths, settings, procedures=procedures, jobs=jobs, progress=progress or (lambda stage, done, total: None)
    )


def parse(path: str | Path, limits: Limits = DEFAULT_LIMITS) -> Parsed:
    """Read one document: its blocks with their addresses, or the diagnostic that says why it cannot be read.

    Raises:
        CompilerError: it is no file, or the system does not let it be read.
    """
    file = InputFile.of(Path(path))
    return parse_apart(file.read(), file.doc_id, limits)


def validate(
    workflow: Workflow | str | Path,
    *,
    catalog: Catalog | None = None,
    procedures: Sequence[Procedure] = (),
    documents: Sequence[Document] = (),
) -> tuple[Diagnostic, ...]:
    """What is wrong with a workflow, errors first.

    Args:
        workflow: as read, or its file; with a file what lies beside it in a build folder is held against it too.
        catalog: None for the one that comes with flowc.
        procedures, documents: what the workflow was drawn from; with them it is held against its words as well.
    """
    catalog = load_catalog() if catalog is None else catalog
    if not isinstance(workflow, Workflow):
        return check_file(Path(workflow), CheckContext(catalog)).found
    if procedures or documents:
        given = ConformanceInput(workflow, catalog, (), tuple(procedures), tuple(documents))
        return validate_with_sources(given)
    return validate_alone(CheckInput(workflow, catalog))


def explain(workflow: Workflow, catalog: Catalog | None = None) -> Explanation:
    """What a workflow does, said before it is run: steps, routes, where people are needed, what decides."""
    return explain_workflow(workflow, load_catalog() if catalog is None else catalog)


def diff(before: Workflow, after: Workflow, catalog: Catalog | None = None) -> Difference:
    """What changed from one version to another: what it is made of, and which way runs take."""
    return compare(before, after, load_catalog() if catalog is None else catalog)


def walk(
    workflow: Workflow,
    inputs: Mapping[str, JsonValue],
    outputs: Mapping[str, RecordedOutput] | None = None,
) -> Walk:
    """Walk a workflow over one imagined run, without an engine.

    Args:
        outputs: what nodes give, by node id; a node without a record succeeds with every output missing.

    Raises:
        ValueError: an input is none of the workflow's, a record is of none of its nodes or malformed, or the graph has
            a cycle.
    """
    known = {"input": list(workflow.inputs), "node": list(workflow.nodes)}
    for what, given in (("input", inputs), ("node", outputs or {})):
        for name in given:
            if name not in known[what]:
                raise ValueError(f'the workflow has no {what} "{name}"{did_you_mean(name, known[what])}')
    return walk_workflow(workflow, inputs, outputs or {})


def write(build: Build, folder: str | Path, *, force: bool = False) -> tuple[Path, ...]:
    """Write a build's folder: pages for people, JSON for programs; it appears whole or not at all.

    A file that a person changed since an earlier build is kept; what was compiled stands beside it (`NAME.new.json`).

    Args:
        force: write over such files.

    Raises:
        CompilerError: it cannot be written; `NoAnswer` where a model was to read and answered nothing.
    """
    if build.no_answer:
        raise NoAnswer(build.no_answer)
    return write_build(build, Path(folder), force=force).files
