"""Builds files and folders: which work is begun when, whose account pays for it, and what a failure costs."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from compiler import pipeline
from compiler.budget import OverBudget
from compiler.build.bindings import bind
from compiler.build.isolation import internal_error, over_budget, refusal
from compiler.build.reading import Aligned, Reading
from compiler.build.results import Build, DocumentResult
from compiler.build.scheduler import Scheduler, Settings
from compiler.build.sources import LARGEST, InputFile, collect, skipped_files_notice
from compiler.context import Context
from compiler.decisions.correct_draft import refused_decision
from compiler.decisions.decided import ByHand
from compiler.decisions.fitting import check_corrected
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
from ir.decisions.decision import Decision, in_force
from ir.diagnostics import Diagnostic
from ir.document import Document
from ir.errors import CompilerError, UnreadableFile
from ir.procedure import DETERMINISTIC, Procedure
from llm.budget import Spent
from llm.failing import model_failed, nothing_answered

MOST_JOBS, WORTH_JOBS = 8, 8  # processes without being asked, and files from which on they are worth their start
Progress = Callable[[str, int, int], None]
Waiting = Callable[[], Compiled | Diagnostic]
Begun = tuple[Procedure, ByHand, Waiting]
_Read = tuple[DocumentResult, tuple[Procedure, ...]]
Reads = Callable[[], _Read]


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
    settings, given = settings or Settings(), tuple(procedures)
    check_corrected(given)
    named = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    files, left = collect(named), skipped_files_notice(named)
    beside = 1 if settings.model is not None else _jobs(jobs, len(files))  # threads share the way to the endpoint
    if beside == 1:
        WORKER.start()  # it gets ready while the catalog is read

    def begin(work: Scheduler) -> list[Reads]:
        own = [tuple(one for one in given if one.doc_id == file.doc_id) for file in files]
        return [
            work.begin(_read_document, file.doc_id, file, mine, settings.syntax, settings.revisions)
            for file, mine in zip(files, own, strict=True)
        ]

    home = (named[0] if named[0].is_dir() else named[0].parent).resolve()
    build = _built(settings, begin, beside, progress, whole=bool(given))
    return replace(build, notices=(*build.notices, *([left] if left else [])), home=home)


def redraft(
    documents: Sequence[tuple[str, Document | None, Reading]],
    settings: Settings,
    *,
    only: str | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Build:
    """Make the drafts of a build again from what was read, with the decisions of the settings; no file is read.

    What comes of it is what `compile_documents` makes of the same documents with the same decisions.

    Args:
        documents: id, document and reading of each, in the order of the build.
        only: id of the document whose drafts are made; the others are only held against them. None makes all.

    Raises:
        CompilerError: the catalog or a primer is malformed.
    """

    def begin(work: Scheduler) -> list[Reads]:
        return [partial(_taken, doc_id, document, reading) for doc_id, document, reading in documents]

    whole = any(reading.whole for _, _, reading in documents)
    return _built(replace(settings, model=None), begin, 1, progress, whole=whole, only=only)


def _taken(doc_id: str, document: Document | None, reading: Reading) -> _Read:
    ids = tuple(one.id for one in reading.procedures)
    result = DocumentResult(doc_id, document, reading.role, ids, reading.diagnostics, reading=reading)
    return result, reading.procedures


def _built(
    settings: Settings,
    begin: Callable[[Scheduler], list[Reads]],
    jobs: int,
    progress: Progress,
    *,
    whole: bool,
    only: str | None = None,
) -> Build:
    """A build of documents whose reading is begun by a function."""
    started = time.perf_counter()
    records: list[PassRecord] = []
    with Scheduler(settings, jobs, records.append) as work:
        before = work.opened.accounts.whole.spent if work.opened else Spent()
        results, found, begun = _read_all(work, begin(work), progress, whole=whole, only=only)
        documents = tuple(result.document for result in results if result.document)
        linking = work.context("all documents")
        roles = tuple(result.role for result in results if result.role)
        linked = pipeline.link(linking, documents, roles, tuple(found))
        compiled, failures = _compiled(work, begun, found, linked, documents, progress)
        failures = [*linking.diagnostics, *failures]
        results = _with_readings(results, compiled, work.opened.model.name if work.opened else None)
        compiled = _judged(work, compiled, results, begun)
        return Build(
            catalog=work.catalog,
            documents=tuple(_with(result, failures, work) for result in results),
            procedures=tuple(compiled),
            references=linked.references,
            records=tuple(records),
            notices=(*work.notices, *_elsewhere(settings.decisions, results)),
            seconds=time.perf_counter() - started,
            spent=work.opened.accounts.whole.spent.since(before) if work.opened else None,
            decisions=settings.decisions,
            settings=settings,
            no_answer=_no_answer(work, settings),
        )


def _elsewhere(decisions: Sequence[Decision], results: Sequence[DocumentResult]) -> Iterator[str]:
    """That decisions are about documents which the build does not have."""
    known = {result.doc_id for result in results}
    others = [one for one in in_force(decisions) if one.document not in known]
    if others:
        named = ", ".join(sorted({one.document or "no document" for one in others}))
        yield f"decisions about documents that are not in this build: {len(others)} ({named})"


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
    work: Scheduler, reads: Sequence[Reads], progress: Progress, *, whole: bool, only: str | None
) -> tuple[list[DocumentResult], list[Procedure], list[Begun]]:
    """Every document with its procedures, as people corrected them; the work on each is begun as soon as it is found.

    Args:
        whole: people put the procedures in as a whole, which may rest on words of any document.
        only: id of the document whose procedures are drafted.
    """
    results: list[DocumentResult] = []
    found: list[Procedure] = []
    later: list[tuple[Procedure, ByHand]] = []
    begun: list[Begun] = []
    for number, read in enumerate(reads):
        progress("read", number, len(reads))
        result, of_document = read()
        named = named_apart(of_document, {procedure.id for procedure in found})
        result, own = _decided(work, result, tuple(named))
        found += [procedure for procedure, _ in own]
        results.append(result)
        if result.document is not None and only in (None, result.doc_id):
            later += own if whole else []
            begun += [] if whole else [_begin(work, *one, (result.document,)) for one in own]
    progress("read", len(reads), len(reads))
    documents = tuple(result.document for result in results if result.document)
    begun += [_begin(work, *one, _cited(one[0], documents)) for one in later]
    return results, found, begun


def _decided(
    work: Scheduler, result: DocumentResult, read: tuple[Procedure, ...]
) -> tuple[DocumentResult, list[tuple[Procedure, ByHand]]]:
    """A document with what became of decisions about it, and its procedures with what people have a part in."""
    reading = result.reading or Reading(role=result.role, diagnostics=result.diagnostics)
    reading = reading.model_copy(update={"procedures": read})
    ids = tuple(procedure.id for procedure in read)
    if result.document is None:
        return replace(result, procedures=ids, reading=reading), []
    context = work.context(result.doc_id)
    decided = pipeline.decide(context, read, result.document)
    hands = [decided.by_hand(number) for number in range(len(read))]
    hands = [
        replace(hand, whole=reading.whole, aligned=said.steps, sources=said.sources)
        if (said := reading.aligned.get(name)) is not None
        else replace(hand, whole=reading.whole)
        for hand, name in zip(hands, ids, strict=True)
    ]
    told = (*result.diagnostics, *context.diagnostics)
    result = replace(result, procedures=ids, diagnostics=told, reading=reading, decided=decided.fates)
    return result, list(zip(decided.procedures, hands, strict=True))


def _begin(work: Scheduler, procedure: Procedure, by_hand: ByHand, documents: tuple[Document, ...]) -> Begun:
    return procedure, by_hand, work.begin(_compile_procedure, procedure.id, procedure, documents, by_hand)


def _read_document(
    ctx: Context, file: InputFile, corrected: tuple[Procedure, ...], syntax: bool, revisions: Revisions
) -> _Read:
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
    ids, told = tuple(procedure.id for procedure in procedures), tuple(ctx.diagnostics)
    reading = Reading(role=role, procedures=procedures, diagnostics=told, whole=bool(corrected))
    return DocumentResult(file.doc_id, document, role, ids, told, reading=reading), procedures


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
    ctx: Context, procedure: Procedure, documents: tuple[Document, ...], by_hand: ByHand
) -> Compiled | Diagnostic:
    """The procedure's draft, settled; where flowc stumbles over it, what is said of that."""
    ctx.decisions = by_hand.decisions
    ctx.charge(procedure.doc_id)
    ctx.allow(documents)
    try:
        return pipeline.compile_procedure(ctx, procedure, documents, by_hand)
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
        return _compile_procedure(ctx, procedure, documents, by_hand)


def _compiled(
    work: Scheduler,
    begun: Sequence[Begun],
    found: Sequence[Procedure],
    linked: FolderFacts,
    documents: tuple[Document, ...],
    progress: Progress,
) -> tuple[list[Compiled], list[Diagnostic]]:
    """The drafts, each joined with what the other documents say, and what kept others from being drafted."""
    compiled, failures = list[Compiled](), list[Diagnostic]()
    for number, (procedure, by_hand, wait) in enumerate(begun):
        progress("compile", number, len(begun))
        outcome = wait()
        if isinstance(outcome, Diagnostic):
            failures.append(outcome)
            continue
        others = tuple(other for other in found if other.doc_id != procedure.doc_id)
        context = work.context(procedure.id)
        context.decisions = by_hand.decisions
        one = pipeline.join(context, outcome, linked, others, documents)
        compiled.append(replace(one, bindings=bind(one.workflow, linked)))
    progress("compile", len(begun), len(begun))
    return compiled, failures


def _with_readings(
    results: Sequence[DocumentResult], compiled: Sequence[Compiled], model: str | None
) -> list[DocumentResult]:  # fmt: skip
    """The documents with what a model said of their drafts, and with what became of decisions about these."""
    made = []
    for result in results:
        own = [one for one in compiled if one.procedure.doc_id == result.doc_id]
        refused = {name: one for each in own for one in each.diagnostics if (name := refused_decision(one))}
        fates = tuple(
            fate.model_copy(update=_refusal(why)) if (why := refused.get(fate.id)) is not None else fate
            for fate in result.decided
        )
        reading = result.reading
        if reading is not None and model is not None:
            asked = [one for one in own if one.procedure.method not in DETERMINISTIC]
            said = {one.procedure.id: Aligned(steps=one.alignment, sources=one.sources) for one in asked}
            reading = reading.model_copy(update={"model": model, "aligned": said})
        made.append(replace(result, decided=fates, reading=reading))
    return made


def _refusal(why: Diagnostic) -> dict[str, object]:
    return {"applied": False, "code": why.error_code, "message": why.message, "field": why.location.field}


def _judged(
    work: Scheduler, compiled: Sequence[Compiled], results: Sequence[DocumentResult], drafted: Sequence[Begun]
) -> list[Compiled]:
    """The drafts with their verdicts; the statements of a document are shared out among its drafts."""
    holding = {procedure.doc_id: by_hand.decisions for procedure, by_hand, _ in drafted}
    begun: list[Callable[[], tuple[Compiled, ...]]] = []
    for result in results:
        own = tuple(one for one in compiled if one.procedure.doc_id == result.doc_id)
        if own and result.document is not None:
            model = result.reading.model if result.reading else None
            decisions = holding.get(result.doc_id, ())
            begun.append(work.begin(_judge, result.doc_id, result.document, own, model, decisions))
    done = {one.procedure.id: one for wait in begun for one in wait()}
    return [done[one.procedure.id] for one in compiled]


def _judge(
    ctx: Context,
    document: Document,
    drafts: tuple[Compiled, ...],
    model: str | None,
    decisions: tuple[Decision, ...],
) -> tuple[Compiled, ...]:
    """The drafts of a document with their verdicts; where that takes too much, none starts by itself."""
    ctx.decisions = decisions
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
