"""The flow on one page: files, documents, procedures, drafts, settled workflows."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from catalog.embedders import load_embedder
from catalog.index import NodeIndex
from catalog.load import Catalog, load_catalog
from compiler.binding import bind
from compiler.build import Build, Compiled, DocumentResult
from compiler.context import Context
from compiler.corrected import check_corrected
from compiler.errors import BadInputFile, UnreadableFile
from compiler.linked import Linked
from compiler.passes.align_steps import align_steps
from compiler.passes.classify_document import classify_document
from compiler.passes.complete_draft import complete_draft
from compiler.passes.extract_procedures import extract_procedures
from compiler.passes.ground_evidence import ground_evidence
from compiler.passes.link_documents import link_documents
from compiler.passes.parse_document import parse_document
from compiler.passes.recall_node_types import recall_node_types
from compiler.passes.repair_draft import repair_draft
from compiler.passes.synthesize_draft import synthesize_draft
from compiler.passes.validate_workflow import validate_workflow
from compiler.primer_check import check_primers
from compiler.sources import InputFile, collect, passed_over
from compiler.trace import PassRecord
from ir.diagnostics import Diagnostic, Location, Severity, has_errors
from ir.document import Document
from ir.procedure import Procedure
from ir.workflow import DocumentRef, Workflow
from primers.load import Primers, load_primers

ROUNDS = 3
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Settings:
    """What shapes a build.

    Args:
        catalog: folder of another catalog; None for the one that comes with flowc.
        primers: folder of other primers.
        embedder: name of the embedder, see `catalog.embedders.load_embedder`.
        base_url, api_key: endpoint of an `openai:MODEL` embedder and its key; None for what `OPENAI_*` says.
    """

    catalog: Path | None = None
    primers: Path | None = None
    embedder: str = "default"
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)


def compile_documents(
    paths: Sequence[str | Path],
    settings: Settings | None = None,
    *,
    procedures: Sequence[Procedure] = (),
    progress: Progress = lambda stage, done, total: None,
) -> Build:
    """Compile files and folders into workflow drafts, each validated and tied to the words it came from.

    Args:
        procedures: procedures that a person corrected; they stand for those of their documents.
        progress: told the stage, how many of its items are done, and how many there are.

    Raises:
        CompilerError: a path is missing, there is nothing to read, the catalog or a primer is malformed.
    """
    started = time.perf_counter()
    settings = settings or Settings()
    check_corrected(procedures)
    named = [Path(path) for path in paths]
    files, left = collect(named), passed_over(named)
    catalog, primers = load_catalog(settings.catalog), load_primers(settings.primers)
    if settings.primers is not None:  # those that come with flowc are held by its tests
        _sound(primers, catalog)
    loaded = load_embedder(settings.embedder, base_url=settings.base_url, api_key=settings.api_key)
    records: list[PassRecord] = []
    ctx = Context(catalog, primers, lambda: NodeIndex(catalog, loaded.embedder), observers=(records.append,))

    results = []
    for number, file in enumerate(files):
        progress("read", number, len(files))
        results.append(_read(ctx.on(file.doc_id), file, _corrected(procedures, file.doc_id)))
    progress("read", len(files), len(files))
    documents = tuple(r.document for r, _ in results if r.document)
    linking = ctx.on("all documents")
    linked = linking.run(link_documents, documents, tuple(r.role for r, _ in results if r.role))

    compiled = []
    found = _named_apart([procedure for _, of_document in results for procedure in of_document])
    results = [(_renamed(r, found), of_document) for r, of_document in results]
    for number, procedure in enumerate(found):
        progress("compile", number, len(found))
        compiled.append(_compile_procedure(ctx.on(procedure.id), procedure, documents, linked))
    progress("compile", len(found), len(found))
    return Build(
        catalog=catalog,
        documents=tuple(_with(r, linking.diagnostics) for r, _ in results),
        procedures=tuple(compiled),
        references=linked.references,
        records=tuple(records),
        notices=(*loaded.notices, *([left] if left else [])),
        seconds=time.perf_counter() - started,
    )


def _named_apart(procedures: list[Procedure]) -> list[Procedure]:
    """The procedures with ids of their own: two documents of one title would else share one."""
    taken: set[str] = set()
    kept = []
    for procedure in procedures:
        name, number = procedure.id, 2
        while name in taken:
            name, number = f"{procedure.id}-{number}", number + 1
        taken.add(name)
        kept.append(procedure if name == procedure.id else procedure.model_copy(update={"id": name}))
    return kept


def _renamed(result: DocumentResult, procedures: list[Procedure]) -> DocumentResult:
    return replace(result, procedures=tuple(p.id for p in procedures if p.doc_id == result.doc_id))


def _sound(primers: Primers, catalog: Catalog) -> None:
    """Refuse primers whose worked examples the validator rejects: a build would obey what it may not produce."""
    faults = [d for d in check_primers(primers, catalog) if d.severity is Severity.ERROR]
    if faults:
        raise BadInputFile("; ".join(str(fault) for fault in faults) + "; correct them, see `flowc primers check`")


def _read(
    ctx: Context, file: InputFile, corrected: tuple[Procedure, ...]
) -> tuple[DocumentResult, tuple[Procedure, ...]]:
    """Parse, classify and extract one document; a fault of one document never costs another."""
    procedures: tuple[Procedure, ...] = ()
    role = document = None
    try:
        data = file.read()
    except UnreadableFile as error:
        if file.named:
            raise
        ctx.report(_refusal("unreadable-file", str(error), file.doc_id))
    else:
        document = ctx.run(parse_document, data, file.doc_id)
    if document is not None:
        role = ctx.run(classify_document, document)
        if corrected:
            procedures = corrected
        elif role.role == "policy":
            procedures = ctx.run(extract_procedures, document)
        elif role.role == "none":
            ctx.report(_refusal("no-procedure", role.reason, file.doc_id))
        procedures = tuple(ctx.run(ground_evidence, procedure, document) for procedure in procedures)
    ids = tuple(procedure.id for procedure in procedures)
    return DocumentResult(file.doc_id, document, role, ids, tuple(ctx.diagnostics)), procedures


def _compile_procedure(ctx: Context, procedure: Procedure, documents: tuple[Document, ...], linked: Linked) -> Compiled:
    candidates = ctx.run(recall_node_types, procedure)
    alignment = ctx.run(align_steps, procedure, candidates)
    draft = ctx.run(synthesize_draft, procedure, alignment)
    cited = tuple(
        DocumentRef(doc_id=d.doc_id, sha256=d.source.sha256) for d in documents if d.doc_id == procedure.doc_id
    )
    provenance = draft.provenance and draft.provenance.model_copy(
        update={"documents": cited, "embedder": ctx.index.embedder.model_id}
    )
    draft = draft.model_copy(update={"provenance": provenance})
    workflow, findings = settle(ctx, draft, procedure, documents)
    return Compiled(procedure, candidates, alignment, workflow, bind(workflow, linked), (*findings, *ctx.diagnostics))


def settle(
    ctx: Context, draft: Workflow, procedure: Procedure, documents: tuple[Document, ...]
) -> tuple[Workflow, tuple[Diagnostic, ...]]:
    """Complete, validate and repair until there is no error or nothing gets better; the best is kept."""
    workflow = ctx.run(complete_draft, draft, procedure)
    findings = ctx.run(validate_workflow, workflow, (procedure,), documents)
    for _ in range(ROUNDS):
        if not has_errors(findings):
            break
        repaired = ctx.run(repair_draft, workflow, findings)
        if repaired is None:
            break
        repaired = ctx.run(complete_draft, repaired, procedure)
        after = ctx.run(validate_workflow, repaired, (procedure,), documents)
        if _badness(repaired, after, procedure) >= _badness(workflow, findings, procedure):
            break
        workflow, findings = repaired, after
    return workflow, findings


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


def _with(result: DocumentResult, diagnostics: list[Diagnostic]) -> DocumentResult:
    """The document's result with what linking found in it."""
    own = tuple(d for d in diagnostics if d.location.file == result.doc_id)
    return DocumentResult(result.doc_id, result.document, result.role, result.procedures, (*result.diagnostics, *own))
