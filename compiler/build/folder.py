"""Writes a build's folder: pages for people, JSON for programs, all of it or nothing."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from compiler.build.beside import folder_beside
from compiler.build.earlier import MANIFEST, Kept, on_disk, read_earlier
from compiler.build.files import OutputError
from compiler.build.making import FolderInMaking
from compiler.build.reading import FILE as READING
from compiler.build.reading import Reading
from compiler.build.recorded_settings import path_from, settings_json
from compiler.build.results import Build, DocumentResult
from compiler.draft.compiled import Compiled
from compiler.report.index.page import BuildIndex, DocumentRow, ProcedureRow, WorkRow, render_index
from compiler.report.review.page import Review, render_review
from compiler.text.act_words import head_words
from compiler.text.names import safe_name
from compiler.trace import PassRecord
from ir.base import Model
from ir.codec import write_json
from ir.decisions.decision import FILE as DECISIONS
from ir.decisions.decision import decision_line
from ir.diagnostics import Severity
from ir.document import Document
from ir.source import Language
from ir.version import VERSION

SUMMARY = "summary.json"
DECIDED = "decided.json"
"""What became of the decisions about a document."""
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Written:
    """What was written of a build.

    Args:
        build: the build, with the time that writing took in its records.
        kept: files that a person had changed, and that are as they were.
    """

    build: Build
    files: tuple[Path, ...]
    kept: tuple[Kept, ...]


def write_build(
    build: Build, out: Path, *, force: bool = False, progress: Progress = lambda stage, done, total: None
) -> Written:
    """Write a build's folder, which appears whole or not at all; what an earlier build left there goes.

    A file that a person changed, or put there, stays; what was compiled stands beside it. Other files stay too. A page
    is written as soon as it is made, and forgotten: of hundreds only one is in memory.

    Args:
        force: write over files that a person changed.
        progress: told how many documents and procedures have been written.

    Raises:
        OutputError: the folder or a file cannot be written; what was there is as it was.
    """
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out} is a file; name a folder for the output")
    place = out.resolve()
    with folder_beside(place) as made:
        folder = FolderInMaking(read_earlier(place, SUMMARY), made, force=force)
        folders = document_folders(build)
        build = _write_parts(build, folders, folder, progress)
        for name, content in _of_the_whole(build, folders):
            folder.write(name, content)
        folder.keep_the_rest(SUMMARY)
        names = sorted([*folder.names, SUMMARY, MANIFEST])
        folder.write(SUMMARY, _json(summary(build, folders, names, folder.kept, out)))
        folder.finish(SUMMARY)
    return Written(build, tuple(out / on_disk(name) for name in folder.names), tuple(folder.kept))


def _write_parts(build: Build, folders: dict[str, str], folder: FolderInMaking, progress: Progress) -> Build:
    """Write the files of every document and procedure; the build with a record of each."""
    started = time.perf_counter()
    parts, records = [*_parts(build, folders)], [*build.records]
    for number, (subject, made) in enumerate(parts):
        progress("write", number, len(parts))
        begun, used = time.perf_counter(), time.process_time()
        for name, content in made:
            folder.write(name, content)
        took = time.perf_counter() - begun, time.process_time() - used
        records.append(PassRecord("write_build", subject, (), None, (), took[0], processor=took[1]))
    progress("write", len(parts), len(parts))
    return replace(build, records=tuple(records), seconds=build.seconds + time.perf_counter() - started)


def document_folders(build: Build) -> dict[str, str]:
    """The folder of each document in the build's folder, by document id."""
    return folders_of(result.doc_id for result in build.documents)


def folders_of(doc_ids: Iterable[str]) -> dict[str, str]:
    """The folders of documents in their order: the name of each without what a system may refuse, none twice."""
    folders: dict[str, str] = {}
    for doc_id in doc_ids:
        base = safe_name(doc_id.rsplit(".", 1)[0])
        name, number = base, 2
        while name in folders.values() or name == "references":
            name, number = f"{base}-{number}", number + 1
        folders[doc_id] = name
    return folders


def _parts(build: Build, folders: dict[str, str]) -> Iterator[tuple[str, Iterator[tuple[str, str]]]]:
    """The documents and procedures of a build, each with its files, made one after the other."""
    for result in build.documents:
        if result.document is not None:
            yield result.doc_id, _document_files(build, result, result.document, folders[result.doc_id])
    for compiled in build.procedures:
        yield compiled.procedure.id, _procedure_files(build, compiled, procedure_path(compiled, folders))


def _document_files(build: Build, result: DocumentResult, document: Document, folder: str) -> Iterator[tuple[str, str]]:
    yield f"{folder}/document.json", _form(document)
    own = [c.procedure.to_json() for c in build.procedures if c.procedure.doc_id == result.doc_id]
    yield f"{folder}/procedures.json", _json(own)
    yield f"{folder}/{READING}", _form(result.reading or Reading())
    decisions = [decision_line(one) for one in build.decisions if one.document == result.doc_id]
    if decisions:
        yield f"{folder}/{DECISIONS}", "".join(decisions)
        yield f"{folder}/{DECIDED}", _json([one.to_json() for one in result.decided])


def _of_the_whole(build: Build, folders: dict[str, str]) -> Iterator[tuple[str, str]]:
    for reference in build.references:
        yield f"references/{safe_name(reference.id)}.json", _form(reference)
    yield "gaps.yaml", yaml.safe_dump(catalog_gaps(build), allow_unicode=True, sort_keys=False)
    yield "ledger.jsonl", "".join(json.dumps(record.row(), ensure_ascii=False) + "\n" for record in build.records)
    yield "index.html", render_index(_index(build, folders))


def procedure_path(compiled: Compiled, folders: dict[str, str]) -> str:
    """Where a procedure's files stand, without their endings."""
    return f"{folders[compiled.procedure.doc_id]}/{safe_name(compiled.procedure.id)}"


def _procedure_files(build: Build, compiled: Compiled, path: str) -> Iterator[tuple[str, str]]:
    yield f"{path}.workflow.json", _form(compiled.workflow)
    for number, bindings in enumerate(compiled.bindings):
        suffix = f".{safe_name(bindings.form or str(number))}" if len(compiled.bindings) > 1 else ""
        yield f"{path}{suffix}.bindings.json", _form(bindings)
    yield f"{path}.diagnostics.json", _json([diagnostic.to_json() for diagnostic in compiled.diagnostics])
    cited = _cited(build, compiled)
    review = Review(
        workflow=compiled.workflow,
        procedure=compiled.procedure,
        documents=tuple(r.document for r in build.documents if r.document and r.doc_id in cited),
        diagnostics=compiled.diagnostics,
        bindings=compiled.bindings,
        catalog=build.catalog,
        notes=build.notices,
        statements=compiled.statements,
        verdict=compiled.verdict,
    )
    yield f"{path}.statements.json", _json([one.to_json() for one in compiled.statements])
    yield f"{path}.review.html", render_review(review)


def _cited(build: Build, compiled: Compiled) -> set[str]:
    """The documents that a procedure's page shows: its own, and those its bindings quote."""
    cited = {compiled.procedure.doc_id}
    for bindings in compiled.bindings:
        cited |= {evidence.doc_id for item in bindings.bindings for evidence in item.evidence}
        cited |= {evidence.doc_id for item in bindings.found for evidence in item.evidence}
    return cited & {result.doc_id for result in build.documents}


def catalog_gaps(build: Build) -> list[dict[str, Any]]:
    """The steps that no Node Type fits, as gaps of the catalog: what is to be done, where, what came near."""
    return [
        {
            "step": step.text,
            "act": head_words(step, compiled.procedure.language),
            "kind": step.kind,
            "document": compiled.procedure.doc_id,
            "procedure": compiled.procedure.id,
            "block": step.evidence[0].block if step.evidence else None,
            "nearest": list(compiled.alignment[step.id].nearest),
        }
        for compiled in build.procedures
        for step in compiled.procedure.steps
        if step.id in compiled.alignment and compiled.alignment[step.id].disposition == "unmapped"
    ]


def summary(build: Build, folders: dict[str, str], files: list[str], kept: Sequence[Kept], out: Path) -> dict[str, Any]:
    """The build in figures, as `summary.json` has it; `decisions` is where those about its documents stand."""
    return {
        "flowc": VERSION,
        "clean": build.clean,
        "model": build.spent and build.spent.to_json(),
        "seconds": round(build.seconds, 3),
        "documents": [_document_summary(result, build) for result in build.documents],
        "procedures": [_procedure_summary(compiled, folders) for compiled in build.procedures],
        "references": [{"id": r.id, "document": r.doc_id, "rows": len(r.rows)} for r in build.references],
        "notices": list(build.notices),
        "decisions": path_from(out, build.home / DECISIONS) if build.home else None,
        "settings": settings_json(build.settings, out),
        "files": files,
        "kept": [asdict(one) for one in kept],
    }


def _document_summary(result: DocumentResult, build: Build) -> dict[str, Any]:
    refused = result.refused
    counted = build.statements_of(result.doc_id)
    return {
        "document": result.doc_id,
        "kind": result.document.source.kind if result.document else None,
        "pages": result.document.pages if result.document else None,
        "role": result.role.role if result.role else None,
        "reason": result.role.reason if result.role else None,
        "status": "refused" if refused else "ok",
        "code": refused.error_code if refused else None,
        "procedures": list(result.procedures),
        "model": result.spent and result.spent.to_json(),
        "statements": counted and counted.model_dump(),
        "diagnostics": [diagnostic.to_json() for diagnostic in result.diagnostics],
    }


def _procedure_summary(compiled: Compiled, folders: dict[str, str]) -> dict[str, Any]:
    path = procedure_path(compiled, folders)
    return {
        "procedure": compiled.procedure.id,
        "title": compiled.procedure.title,
        "document": compiled.procedure.doc_id,
        "verdict": compiled.verdict.model_dump(),
        "errors": _count(compiled, Severity.ERROR),
        "warnings": _count(compiled, Severity.WARNING),
        "risk": compiled.workflow.execution_policy.risk_level,
        "workflow": f"{path}.workflow.json",
        "review": f"{path}.review.html",
        "statements": f"{path}.statements.json",
    }


def _index(build: Build, folders: dict[str, str]) -> BuildIndex:
    languages = [r.document.language for r in build.documents if r.document]
    language: Language = "zh" if languages.count("zh") * 2 > len(languages) else "en"
    documents = tuple(
        DocumentRow(
            name=r.doc_id,
            kind=r.document.source.kind if r.document else None,
            pages=r.document.pages if r.document else None,
            role=r.role.role if r.role else None,
            procedures=len(r.procedures),
            refused=r.refused.message if r.refused else None,
            code=r.refused.error_code if r.refused else None,
            folder=folders[r.doc_id] if r.document else None,
        )
        for r in build.documents
    )
    procedures = tuple(
        ProcedureRow(
            title=c.procedure.title,
            document=c.procedure.doc_id,
            review=f"{procedure_path(c, folders)}.review.html",
            errors=_count(c, Severity.ERROR),
            warnings=_count(c, Severity.WARNING),
            verdict=c.verdict,
            risk=c.workflow.execution_policy.risk_level,
        )
        for c in build.procedures
    )
    seconds: dict[str, float] = {}
    for record in build.records:
        seconds[record.name] = seconds.get(record.name, 0.0) + record.seconds
    return BuildIndex(
        title=f"flowc {VERSION}",
        language=language,
        documents=documents,
        procedures=procedures,
        work=tuple(WorkRow(name, spent) for name, spent in seconds.items()),
        seconds=build.seconds,
    )


def _count(compiled: Compiled, severity: Severity) -> int:
    return sum(1 for diagnostic in compiled.diagnostics if diagnostic.severity is severity)


def _form(form: Model) -> str:
    return write_json(form)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
