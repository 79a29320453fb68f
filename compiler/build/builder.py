"""Builds files and folders: which work is begun when, whose account pays for it, and what a failure costs."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from compiler import pipeline
from compiler.budget import OverBudget
from compiler.build.bindings import bind
from compiler.build.corrections import check_corrected
from compiler.build.isolation import internal_error, over_budget, refusal
from compiler.build.results import Build, DocumentResult
from compiler.build.scheduler import Scheduler, Settings
from compiler.build.sources import LARGEST, InputFile, collect, skipped_files_notice
from compiler.context import Context
from compiler.draft.compiled import Compiled
from compiler.draft.judge_drafts import held
from compiler.extract.forms.folder_facts import FolderFacts
from compiler.extract.naming import named_apart
from compiler.extract.readers import reader_for
from compiler.grounding.coverage import carrying_elements
from compiler.parsers.faults import oversize
from compiler.parsers.limits import Revisions
from compiler.parsers.worker import WORKER
from compiler.trace import PassRecord
from ir.diagnostics import Diagnostic
from ir.document import Document
from ir.errors import CompilerError, UnreadableFile
from ir.procedure import Procedure
from llm.budget import Spent
from llm.failing import model_failed, nothing_answered

MOST_JOBS, WORTH_JOBS = 8, 8  # processes without being asked, and files from which on they are worth their start
Progress = Callable[[str, int, int], None]
Waiting = Callable[[], Compiled | Diagnostic]


def compile_documents(
    paths: str | Path | Sequence[str | Path],
    settings: Settings | None = None,
    *,
    procedures: Sequence[Procedure] = (),
    jobs: int | None = 1,
    progress: Progress = lambda stage, done, total: None,
) -> Build:
    """Compile files and folders into workflow drafts, each validated and tied to the words it came from.

    Args:
        paths: one path, or several.
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
    named = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    files, left = collect(named), skipped_files_notice(named)
    records: list[PassRecord] = []
    beside = 1 if settings.model is not None else _jobs(jobs, len(files))  # threads share the way to the endpoint
    if beside == 1:
        WORKER.start()  # it gets ready while the catalog is read
    with Scheduler(settings, beside, records.append) as work:
        before = work.opened.accounts.whole.spent if work.opened else Spent()
        results, found, begun = _read_all(work, settings, files, tuple(procedures), progress)
        documents = tuple(result.document for result in results if result.document)
        linking = work.context("all documents")
        roles = tuple(result.role for result in results if result.role)
        linked = pipeline.link(linking, documents, roles, tuple(found))
        compiled, failures = _compiled(work, begun, found, linked, documents, progress)
        failures = [*linking.diagnostics, *failures]
        compiled = _judged(work, compiled, documents)
        return Build(
            catalog=work.catalog,
            documents=tuple(_with(result, failures, work) for result in results),
            procedures=tuple(compiled),
            references=linked.references,
            records=tuple(records),
            notices=(*work.notices, *([left] if left else [])),
            seconds=time.perf_counter() - started,
            spent=work.opened.accounts.whole.spent.since(before) if work.opened else None,
            decisions=settings.decisions,
            no_answer=_no_answer(work, settings),
            home=(named[0] if named[0].is_dir() else named[0].parent).resolve(),
        )


def _no_answer(work: Scheduler, settings: Settings) -> str | None:
    """Why nothing is to be written: not one request of the build was answered."""
    if work.opened is None or work.opened.counting or settings.fallback:
        return None
    whole = work.opened.accounts.whole
    if not whole.spent.unanswered:
        return None
    return nothing_answered(whole.spent.asked, whole.fault, work.opened.where or work.opened.model.name)


def _jobs(wanted: int | None, files: int) -> int:
    if wanted is None:
        wanted = min(os.cpu_count() or 1, MOST_JOBS) if files >= WORTH_JOBS else 1
    return max(1, min(wanted, files))


# --- reading ----------------------------------------------------------------------------------------------------------


def _read_all(
    work: Scheduler,
    settings: Settings,
    files: Sequence[InputFile],
    corrected: tuple[Procedure, ...],
    progress: Progress,
) -> tuple[list[DocumentResult], list[Procedure], list[Waiting]]:
    """Every document with its procedures; the work on each procedure is begun as soon as it is found."""
    own = [tuple(one for one in corrected if one.doc_id == file.doc_id) for file in files]
    reads = [
        work.begin(_read_document, file.doc_id, file, mine, settings.syntax, settings.revisions)
        for file, mine in zip(files, own, strict=True)
    ]
    results: list[DocumentResult] = []
    found: list[Procedure] = []
    begun: list[Waiting] = []
    for number, read in enumerate(reads):
        progress("read", number, len(files))
        result, of_document = read()
        renamed = named_apart(of_document, {procedure.id for procedure in found})
        found += renamed
        results.append(replace(result, procedures=tuple(procedure.id for procedure in renamed)))
        if result.document is not None and not corrected:
            begun += [work.begin(_compile_procedure, p.id, p, (result.document,)) for p in renamed]
    progress("read", len(files), len(files))
    if corrected:  # a person's procedures may rest on words of any document
        documents = tuple(result.document for result in results if result.document)
        begun = [work.begin(_compile_procedure, p.id, p, _cited(p, documents), corrected=True) for p in found]
    return results, found, begun


def _read_document(
    ctx: Context, file: InputFile, corrected: tuple[Procedure, ...], syntax: bool, revisions: Revisions
) -> tuple[DocumentResult, tuple[Procedure, ...]]:
    """Parse, classify and extract one document; a fault of one document never costs another."""
    procedures: tuple[Procedure, ...] = ()
    role = document = None
    ctx.charge(file.doc_id)
    data = _bytes_of(ctx, file)
    if data is not None:
        document = pipeline.read_document(ctx, data, file.doc_id, revisions)
    if document is not None:
        reader = reader_for(ctx, syntax=syntax)
        ctx.allow([document])
        try:
            shown, role = pipeline.classify(ctx, document, reader)
            procedures = pipeline.find_procedures(ctx, document, shown, role, reader, corrected)
        except CompilerError:
            raise
        except OverBudget as error:
            ctx.report(over_budget(error, file.doc_id))
            procedures = ()
        except Exception as error:  # noqa: BLE001 - a bug of flowc, which is said; the others are compiled
            ctx.report(internal_error(error, file.doc_id))
            procedures = ()
    ids = tuple(procedure.id for procedure in procedures)
    return DocumentResult(file.doc_id, document, role, ids, tuple(ctx.diagnostics)), procedures


def _bytes_of(ctx: Context, file: InputFile) -> bytes | None:
    """What is in a file; None where it is not read, which is said.

    Raises:
        UnreadableFile: a file that was named itself cannot be read.
    """
    try:
        if file.size > LARGEST:
            ctx.report(oversize(file.doc_id, "bytes", file.size, LARGEST))
            return None
        return file.read()
    except UnreadableFile as error:
        if file.named:
            raise
        ctx.report(refusal("unreadable-file", error.args[0], file.doc_id))
        return None


def _cited(procedure: Procedure, documents: tuple[Document, ...]) -> tuple[Document, ...]:
    """The documents that a procedure's words stand in; all that validation looks at."""
    elements = (*carrying_elements(procedure), *procedure.facts, *procedure.gaps, *procedure.unplaced)
    named = {procedure.doc_id} | {evidence.doc_id for element in elements for evidence in element.evidence}
    return tuple(document for document in documents if document.doc_id in named)


# --- compiling --------------------------------------------------------------------------------------------------------


def _compile_procedure(
    ctx: Context, procedure: Procedure, documents: tuple[Document, ...], *, corrected: bool = False
) -> Compiled | Diagnostic:
    """The procedure's draft, settled; where flowc stumbles over it, what is said of that."""
    ctx.charge(procedure.doc_id)
    ctx.allow(documents)
    try:
        return pipeline.compile_procedure(ctx, procedure, documents, corrected=corrected)
    except CompilerError:
        raise
    except OverBudget as error:
        return over_budget(error, procedure.doc_id)
    except Exception as error:  # noqa: BLE001 - the other procedures are compiled
        if not (ctx.fallback and ctx.model is not None):
            return internal_error(error, procedure.doc_id)
        message = f"“{procedure.title}” cannot be compiled with the model ({type(error).__name__}: {str(error)[:200]})"
        ctx.report(model_failed(procedure.doc_id, message, "an answer that flowc stumbled over", "a usable answer"))
        ctx.model = None  # what it answered set this off
        return _compile_procedure(ctx, procedure, documents, corrected=corrected)


def _compiled(
    work: Scheduler,
    begun: Sequence[Waiting],
    found: Sequence[Procedure],
    linked: FolderFacts,
    documents: tuple[Document, ...],
    progress: Progress,
) -> tuple[list[Compiled], list[Diagnostic]]:
    """The drafts, each joined with what the other documents say, and what kept others from being drafted."""
    compiled, failures = list[Compiled](), list[Diagnostic]()
    for number, wait in enumerate(begun):
        progress("compile", number, len(found))
        outcome = wait()
        if isinstance(outcome, Diagnostic):
            failures.append(outcome)
            continue
        others = tuple(other for other in found if other.doc_id != outcome.procedure.doc_id)
        one = pipeline.join(work.context(found[number].id), outcome, linked, others, documents)
        compiled.append(replace(one, bindings=bind(one.workflow, linked)))
    progress("compile", len(found), len(found))
    return compiled, failures


def _judged(work: Scheduler, compiled: Sequence[Compiled], documents: tuple[Document, ...]) -> list[Compiled]:
    """The drafts with their verdicts; the statements of a document are shared out among its drafts."""
    model = work.opened.model.name if work.opened else None
    begun: dict[str, Callable[[], tuple[Compiled, ...]]] = {}
    for document in documents:
        own = tuple(one for one in compiled if one.procedure.doc_id == document.doc_id)
        if own:
            begun[document.doc_id] = work.begin(_judge, document.doc_id, document, own, model)
    done = {one.procedure.id: one for wait in begun.values() for one in wait()}
    return [done[one.procedure.id] for one in compiled]


def _judge(ctx: Context, document: Document, drafts: tuple[Compiled, ...], model: str | None) -> tuple[Compiled, ...]:
    """The drafts of a document with their verdicts; where that takes too much, none starts by itself."""
    ctx.allow([document])
    try:
        return pipeline.judge(ctx, document, drafts, model)
    except OverBudget as error:
        found = over_budget(error, document.doc_id)
        return tuple(replace(held(one), diagnostics=(found, *one.diagnostics)) for one in drafts)


def _with(result: DocumentResult, diagnostics: Sequence[Diagnostic], work: Scheduler) -> DocumentResult:
    """The document's result with what linking found in it, and what a model was asked about it."""
    own = tuple(d for d in diagnostics if d.location.file == result.doc_id)
    spent = work.opened.accounts.document(result.doc_id).spent if work.opened else None
    return replace(result, diagnostics=(*result.diagnostics, *own), spent=spent)
