"""The flow on one page: files, documents, procedures, drafts, settled workflows."""

import os
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from compiler.build.bindings import bind
from compiler.build.corrections import check_corrected
from compiler.build.results import Build, Compiled, DocumentResult
from compiler.build.scheduler import Settings, Workshop
from compiler.build.sources import InputFile, collect, passed_over
from compiler.conformance.validate_workflow import validate_workflow
from compiler.context import Context
from compiler.draft.align_steps import align_steps
from compiler.draft.alignment import Sources
from compiler.draft.complete_draft import complete_draft
from compiler.draft.join_documents import join_documents
from compiler.draft.recall_node_types import recall_node_types
from compiler.draft.repair_draft import repair_draft
from compiler.draft.repair_with_model import repair_with_model
from compiler.draft.synthesize_draft import synthesize_draft
from compiler.draft.synthesize_with_model import synthesize_with_model
from compiler.extract.forms.link_documents import link_documents
from compiler.extract.forms.linked import Linked
from compiler.extract.model.extract_with_model import extract_with_model
from compiler.extract.rules.classify import classify_document
from compiler.extract.rules.extract_procedures import extract_procedures
from compiler.grounding.coverage import carrying
from compiler.grounding.ground_evidence import ground_evidence
from compiler.grounding.redaction import readable, with_addressed, without_addressed
from compiler.grounding.set_aside_addressed import set_aside_addressed
from compiler.parsers.parse_document import parse_document
from compiler.parsers.worker import WORKER
from compiler.trace import PassRecord
from ir.diagnostics import Diagnostic, Location, Severity, has_errors
from ir.document import Document
from ir.errors import CompilerError, UnreadableFile
from ir.facts import DocumentRole
from ir.procedure import DETERMINISTIC, Procedure
from ir.workflow import DocumentRef, Workflow
from llm import Model
from llm.budget import Spent

ROUNDS = 3
MOST_JOBS, WORTH_JOBS = 8, 8  # processes without being asked, and files from which on they are worth their start
Progress = Callable[[str, int, int], None]


def compile_documents(
    paths: Sequence[str | Path],
    settings: Settings | None = None,
    *,
    procedures: Sequence[Procedure] = (),
    jobs: int | None = 1,
    progress: Progress = lambda stage, done, total: None,
) -> Build:
    """Compile files and folders into workflow drafts, each validated and tied to the words it came from.

    Args:
        procedures: procedures that a person corrected; they stand for those of their documents.
        jobs: how many processes work side by side, None for as many as are worth it; what comes of it is the same.
            With a model there is one, with threads: how much is asked at a time stands in the model's limits.
            Beside others a script needs the guard `if __name__ == "__main__"`, as `multiprocessing` says.
        progress: told the stage, how many of its items are done, and how many there are.

    Raises:
        CompilerError: a path is missing, there is nothing to read, the catalog or a primer is malformed.
    """
    started = time.perf_counter()
    settings = settings or Settings()
    check_corrected(procedures)
    named = [Path(path) for path in paths]
    files, left = collect(named), passed_over(named)
    records: list[PassRecord] = []
    beside = 1 if settings.model is not None else _jobs(jobs, len(files))  # threads share the way to the endpoint
    if beside == 1:
        WORKER.start()  # it gets ready while the catalog is read
    with Workshop(settings, beside, records.append) as work:
        before = work.opened.accounts.whole.spent if work.opened else Spent()
        reads = [work.begin(_read, f.doc_id, f, _corrected(procedures, f.doc_id)) for f in files]
        results: list[DocumentResult] = []
        found: list[Procedure] = []
        begun: list[Callable[[], Compiled | Diagnostic]] = []
        for number, read in enumerate(reads):
            progress("read", number, len(files))
            result, of_document = read()
            renamed = _named_apart(of_document, {procedure.id for procedure in found})
            found += renamed
            results.append(replace(result, procedures=tuple(procedure.id for procedure in renamed)))
            if result.document is not None and not procedures:
                begun += [work.begin(_compile_procedure, p.id, p, (result.document,)) for p in renamed]
        progress("read", len(files), len(files))
        documents = tuple(result.document for result in results if result.document)
        if procedures:  # a person's procedures may rest on words of any document
            begun = [work.begin(_compile_procedure, p.id, p, _cited(p, documents)) for p in found]
        linking = work.context("all documents")
        linked = linking.run(
            link_documents,
            tuple(map(readable, documents)),
            tuple(result.role for result in results if result.role),
            tuple(found),
        )
        compiled, failures = [], list(linking.diagnostics)
        for number, wait in enumerate(begun):
            progress("compile", number, len(found))
            outcome = wait()
            if isinstance(outcome, Diagnostic):
                failures.append(outcome)
                continue
            one = _joined(work.context(found[number].id), outcome, linked, tuple(found), documents)
            compiled.append(replace(one, bindings=bind(one.workflow, linked)))
        progress("compile", len(found), len(found))
        return Build(
            catalog=work.catalog,
            documents=tuple(_with(result, failures, work) for result in results),
            procedures=tuple(compiled),
            references=linked.references,
            records=tuple(records),
            notices=(*work.notices, *([left] if left else [])),
            seconds=time.perf_counter() - started,
            spent=work.opened.accounts.whole.spent.since(before) if work.opened else None,
        )


def _jobs(wanted: int | None, files: int) -> int:
    if wanted is None:
        wanted = min(os.cpu_count() or 1, MOST_JOBS) if files >= WORTH_JOBS else 1
    return max(1, min(wanted, files))


def _cited(procedure: Procedure, documents: tuple[Document, ...]) -> tuple[Document, ...]:
    """The documents that a procedure's words stand in; all that validation looks at."""
    elements = (*carrying(procedure), *procedure.facts, *procedure.gaps, *procedure.unplaced)
    named = {procedure.doc_id} | {evidence.doc_id for element in elements for evidence in element.evidence}
    return tuple(document for document in documents if document.doc_id in named)


def _joined(
    ctx: Context, one: Compiled, linked: Linked, others: tuple[Procedure, ...], documents: tuple[Document, ...]
) -> Compiled:
    """What was compiled, with what the other documents say of it; validated anew where they say anything."""
    foreign = tuple(other for other in others if other.doc_id != one.procedure.doc_id)
    workflow = ctx.run(join_documents, one.workflow, linked, foreign)
    if workflow is one.workflow:
        return one
    findings = ctx.run(validate_workflow, workflow, (one.procedure,), documents)
    return replace(one, workflow=workflow, diagnostics=(*findings, *ctx.diagnostics))


def _named_apart(procedures: Iterable[Procedure], taken: set[str]) -> list[Procedure]:
    """The procedures with ids of their own: two documents of one title would else share one."""
    kept = []
    for procedure in procedures:
        name, number = procedure.id, 2
        while name in taken:
            name, number = f"{procedure.id}-{number}", number + 1
        taken.add(name)
        kept.append(procedure if name == procedure.id else procedure.model_copy(update={"id": name}))
    return kept


def _read(
    ctx: Context, file: InputFile, corrected: tuple[Procedure, ...]
) -> tuple[DocumentResult, tuple[Procedure, ...]]:
    """Parse, classify and extract one document; a fault of one document never costs another."""
    procedures: tuple[Procedure, ...] = ()
    role = document = None
    ctx.charge(file.doc_id)
    try:
        data = file.read()
    except UnreadableFile as error:
        if file.named:
            raise
        ctx.report(_refusal("unreadable-file", str(error), file.doc_id))
    else:
        document = ctx.run(parse_document, data, file.doc_id)
    if document is not None:
        try:
            read = ctx.run(set_aside_addressed, document)
            role = ctx.run(classify_document, read)
            procedures = corrected or _extracted(ctx, read, role)
            bare = (without_addressed(procedure, document) for procedure in procedures)
            procedures = with_addressed([ctx.run(ground_evidence, procedure, read) for procedure in bare], document)
        except CompilerError:
            raise
        except Exception as error:  # noqa: BLE001 - a bug of flowc, which is said; the others are compiled
            ctx.report(_bug(error, file.doc_id))
            procedures = ()
    ids = tuple(procedure.id for procedure in procedures)
    return DocumentResult(file.doc_id, document, role, ids, tuple(ctx.diagnostics)), procedures


def _extracted(ctx: Context, document: Document, role: DocumentRole) -> tuple[Procedure, ...]:
    if role.role == "policy":
        read = ctx.run(extract_with_model, document, ctx.model) if ctx.model is not None else None
        return ctx.run(extract_procedures, document) if read is None else read
    if role.role == "none":
        ctx.report(_refusal("no-procedure", role.reason, document.doc_id))
    return ()


def _bug(error: Exception, doc_id: str) -> Diagnostic:
    """What is said of a document that flowc itself stumbled over; the trace ends the build where it was asked for."""
    if os.environ.get("FLOWC_TRACEBACK"):
        raise error
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    message = f"flowc stumbled over this document ({type(error).__name__}: {error}, at {place}); this is a bug of flowc"
    return _refusal("internal-error", f"{message}, please report it with the document", doc_id)


def _compile_procedure(ctx: Context, procedure: Procedure, documents: tuple[Document, ...]) -> Compiled | Diagnostic:
    """The procedure's draft, settled; where flowc stumbles over it, what is said of that."""
    ctx.charge(procedure.doc_id)
    try:
        return _drafted(ctx, procedure, documents)
    except CompilerError:
        raise
    except Exception as error:  # noqa: BLE001 - the other procedures are compiled
        return _bug(error, procedure.doc_id)


def _drafted(ctx: Context, procedure: Procedure, documents: tuple[Document, ...]) -> Compiled:
    candidates = ctx.run(recall_node_types, procedure)
    alignment, sources = ctx.run(align_steps, procedure, candidates), Sources()
    model = _asked_on(ctx, procedure)
    if model is not None:
        alignment, sources = ctx.run(synthesize_with_model, procedure, candidates, alignment, model)
    draft = ctx.run(synthesize_draft, procedure, alignment, sources)
    cited = tuple(
        DocumentRef(doc_id=d.doc_id, sha256=d.source.sha256) for d in documents if d.doc_id == procedure.doc_id
    )
    provenance = draft.provenance and draft.provenance.model_copy(
        update={"documents": cited, "embedder": ctx.index.embedder.model_id}
    )
    draft = draft.model_copy(update={"provenance": provenance})
    workflow, findings = settle(ctx, draft, procedure, documents)
    return Compiled(procedure, candidates, alignment, workflow, (), (*findings, *ctx.diagnostics))


def _asked_on(ctx: Context, procedure: Procedure) -> Model | None:
    """The model, where it read the procedure and so goes on with it."""
    return ctx.model if ctx.counting or procedure.method not in DETERMINISTIC else None


def settle(
    ctx: Context, draft: Workflow, procedure: Procedure, documents: tuple[Document, ...]
) -> tuple[Workflow, tuple[Diagnostic, ...]]:
    """Complete, validate and repair until there is no error or nothing gets better; the best is kept."""
    workflow = ctx.run(complete_draft, draft, procedure)
    findings = ctx.run(validate_workflow, workflow, (procedure,), documents)
    for _ in range(ROUNDS):
        if not has_errors(findings):
            break
        better = _mended(ctx, workflow, findings, procedure, documents)
        if better is None:
            break
        workflow, findings = better
    return workflow, findings


def _mended(
    ctx: Context,
    workflow: Workflow,
    findings: tuple[Diagnostic, ...],
    procedure: Procedure,
    documents: tuple[Document, ...],
) -> tuple[Workflow, tuple[Diagnostic, ...]] | None:
    """A better draft with its findings: by the diagnostics' own fixes, else by a model; None where neither helps."""
    for repaired in _repairs(ctx, workflow, findings, procedure):
        completed = ctx.run(complete_draft, repaired, procedure)
        after = ctx.run(validate_workflow, completed, (procedure,), documents)
        if _badness(completed, after, procedure) < _badness(workflow, findings, procedure):
            return completed, after
    return None


def _repairs(
    ctx: Context, workflow: Workflow, findings: tuple[Diagnostic, ...], procedure: Procedure
) -> Iterator[Workflow]:
    repaired = ctx.run(repair_draft, workflow, findings)
    if repaired is not None:
        yield repaired
    model = _asked_on(ctx, procedure)
    if model is not None:
        repaired = ctx.run(repair_with_model, workflow, findings, procedure, model)
        if repaired is not None:
            yield repaired


def _badness(workflow: Workflow, findings: tuple[Diagnostic, ...], procedure: Procedure) -> tuple[int, int, int, int]:
    """Errors, document steps lost, warnings, gaps: the smaller the better, in this order."""
    kept = {step for node in workflow.nodes.values() for step in node.step_ids}
    lost = sum(1 for step in procedure.steps if step.id not in kept)
    count = [sum(1 for d in findings if d.severity is severity) for severity in (Severity.ERROR, Severity.WARNING)]
    return count[0], lost, count[1], len(workflow.gaps)


def _corrected(procedures: Sequence[Procedure], doc_id: str) -> tuple[Procedure, ...]:
    return tuple(procedure for procedure in procedures if procedure.doc_id == doc_id)


def _refusal(code: str, message: str, doc_id: str) -> Diagnostic:
    return Diagnostic(error_code=code, severity=Severity.ERROR, message=message, location=Location(file=doc_id))


def _with(result: DocumentResult, diagnostics: Sequence[Diagnostic], work: Workshop) -> DocumentResult:
    """The document's result with what linking found in it, and what a model was asked about it."""
    own = tuple(d for d in diagnostics if d.location.file == result.doc_id)
    spent = work.opened.accounts.document(result.doc_id).spent if work.opened else None
    return replace(result, diagnostics=(*result.diagnostics, *own), spent=spent)
