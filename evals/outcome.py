"""What the compiler made of a case, or what gold would be if the compiler had made it."""

from collections.abc import Mapping
from dataclasses import dataclass

from compiler.build.builder import compile_documents
from compiler.build.results import Build
from compiler.build.scheduler import Settings
from compiler.conformance import ConformanceInput, validate_with_sources
from compiler.context import Context
from compiler.grounding.locate import QuoteFinder
from compiler.grounding.order import ground_procedure
from compiler.parsers.parse_document import parse_document
from evals.cases import Case
from ir.diagnostics import has_errors
from ir.document import Document
from ir.procedure import Procedure
from ir.workflow import CONTROL_END, Workflow


@dataclass(frozen=True)
class Draft:
    """One procedure with its workflow.

    Args:
        candidates: by step id the Node Types that search gave, best first.
        valid_at_first: whether the completed draft had no error before any repair.
        valid: whether the settled one has none.
    """

    procedure: Procedure
    workflow: Workflow
    candidates: Mapping[str, tuple[str, ...]]
    valid_at_first: bool
    valid: bool


@dataclass(frozen=True)
class Usage:
    """What a compile took; None means unknown, which is never shown as zero.

    Args:
        seconds: wall time of the compile alone.
        calls: answers of a model, those from a recording or a cache included.
        tokens: sent and received for all of these, as they were counted when they were given.
        money: US dollars that were paid now; an answer that was kept costs nothing.
    """

    seconds: float
    calls: int = 0
    tokens: int | None = 0
    money: float | None = 0.0


@dataclass(frozen=True)
class Outcome:
    """What came of a case.

    Args:
        documents: by id, those that could be read.
        refused: ids of the documents that were refused with a code.
    """

    documents: Mapping[str, Document]
    drafts: tuple[Draft, ...]
    refused: tuple[str, ...]
    usage: Usage


def compile_case(case: Case, settings: Settings) -> Outcome:
    """Compile the documents of a case, by themselves and in this process."""
    build = compile_documents([case.folder / one.path for one in case.file.documents], settings)
    return outcome_of_build(build)


def outcome_of_build(build: Build) -> Outcome:
    """The outcome that a build is."""
    first: dict[str, bool] = {}
    for record in build.records:
        if record.name == "validate_workflow":
            first.setdefault(record.subject, not has_errors(record.output))
    drafts = tuple(
        Draft(
            one.procedure,
            one.workflow,
            {step: tuple(c.type for c in found) for step, found in one.candidates.items()},
            first.get(one.procedure.id, one.clean),
            one.clean,
        )
        for one in build.procedures
    )
    documents = {d.doc_id: d.document for d in build.documents if d.document is not None}
    refused = tuple(d.doc_id for d in build.documents if d.refused is not None)
    return Outcome(documents, drafts, refused, _usage(build))


def _usage(build: Build) -> Usage:
    if build.spent is None:
        return Usage(build.seconds)
    money = None if build.spent.uncounted else build.spent.cost
    return Usage(build.seconds, build.spent.calls + build.spent.kept, build.spent.tokens, money)


def outcome_of_gold(
    case: Case,
    ctx: Context,
    procedures: tuple[Procedure, ...] | None = None,
    workflows: dict[str, Workflow] | None = None,
    *,
    documents: dict[str, Document] | None = None,
) -> Outcome:
    """Gold as if the compiler had made it: the upper end of every metric, and what faults are planted in.

    Args:
        procedures, workflows: take the place of the case's own.
        documents: as read; None to read them.
    """
    documents = read_documents(case, ctx) if documents is None else documents
    libraries = {name: QuoteFinder(document) for name, document in documents.items()}
    drafts = []
    for procedure in case.procedures if procedures is None else procedures:
        workflow = (workflows or case.workflows)[procedure.id]
        grounded = procedure
        if procedure.doc_id in libraries:
            grounded, _ = ground_procedure(procedure, libraries[procedure.doc_id])
        given = ConformanceInput(workflow, ctx.catalog, (), (grounded,), tuple(documents.values()))
        valid = not has_errors(validate_with_sources(given))
        drafts.append(Draft(grounded, workflow, _candidates(workflow), valid, valid))
    refused = tuple(documents) if not case.procedures else ()
    return Outcome(documents, tuple(drafts), refused, Usage(0.0))


def read_documents(case: Case, ctx: Context) -> dict[str, Document]:
    """The documents of a case as the parser reads them, by id."""
    read: dict[str, Document] = {}
    for one in case.file.documents:
        path = case.folder / one.path
        document = parse_document(ctx, path.read_bytes(), str(path.relative_to(case.documents).as_posix()))
        if document is not None:
            read[document.doc_id] = document
    return read


def _candidates(workflow: Workflow) -> dict[str, tuple[str, ...]]:
    return {
        step: (node.type,) for node in workflow.nodes.values() if node.type != CONTROL_END for step in node.step_ids
    }
