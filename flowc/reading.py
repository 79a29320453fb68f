"""Reads what lies beside a workflow in a build folder, and the procedures that a person corrected."""

from collections.abc import Sequence
from dataclasses import dataclass
from glob import escape
from pathlib import Path

from pydantic import JsonValue

from compiler.text.names import safe_name
from ir.codec import read_form, read_json, read_yaml
from ir.decisions.decision import FILE as DECISIONS
from ir.decisions.decision import Decision, read_decisions
from ir.diagnostics import Diagnostic
from ir.document import Document
from ir.errors import BadInputFile
from ir.procedure import Procedure
from ir.workflow import Workflow

_SUFFIXES = (".workflow.json", ".workflow.yaml", ".workflow.yml")


@dataclass(frozen=True)
class BuildSources:
    """What a workflow of a build folder was drawn from, as far as it lies there; empty elsewhere."""

    procedures: tuple[Procedure, ...] = ()
    documents: tuple[Document, ...] = ()
    decisions: tuple[Decision, ...] = ()


def sources_beside(path: Path, cited: frozenset[str]) -> BuildSources:
    """The procedure and the document in the folder of a `*.workflow.json`.

    Args:
        cited: ids of the documents that the workflow quotes; where one of them is not there, no document is given,
            since its quotes could not be looked for.
    """
    if not path.name.endswith(_SUFFIXES):
        return BuildSources()
    name = workflow_name(path)
    listed = _json(path.with_name("procedures.json"))
    procedures = [read_form(Procedure, item)[0] for item in listed] if isinstance(listed, list) else []
    document = read_form(Document, _json(path.with_name("document.json")))[0]
    return BuildSources(
        procedures=tuple(one for one in procedures if one and safe_name(one.id) == name),
        documents=(document,) if document and cited <= {document.doc_id} else (),
        decisions=decisions_in(path.with_name(DECISIONS)),
    )


def decisions_in(path: Path) -> tuple[Decision, ...]:
    """The decisions of a file; none where there is no file.

    Raises:
        BadInputFile: a line is none.
    """
    return read_decisions(path.read_text("utf-8"), str(path)) if path.is_file() else ()


def decisions_for(paths: Sequence[Path], named: Path | None = None) -> tuple[Decision, ...]:
    """What people decided about documents: a file that was named, else those beside the documents, the older first.

    Raises:
        BadInputFile: the named file is not there; a line of a file is no decision.
    """
    if named is not None:
        if not named.is_file():
            raise BadInputFile(f"{named}: there is no such file; `flowc review accept` writes one")
        return decisions_in(named)
    beside = dict.fromkeys(decisions_beside(path).resolve() for path in paths)
    return tuple(one for file in beside for one in decisions_in(file))


def decisions_beside(path: Path) -> Path:
    """The file of decisions about a document or a folder of them."""
    return (path if path.is_dir() else path.parent) / DECISIONS


def workflows_below(folder: Path, *, below: str = "**", broken: bool = False) -> tuple[Path, ...]:
    """The workflow files below a folder, by name.

    Args:
        below: in which of its folders, as a glob; by default in all.
        broken: whether links that lead nowhere are among them.
    """
    found = (path for suffix in _SUFFIXES for path in folder.glob(f"{below}/*{suffix}"))
    return tuple(sorted(path for path in found if path.is_file() or (broken and not path.exists())))


def workflow_name(path: Path) -> str:
    """The name of a workflow's file without what says that it is one."""
    return next((path.name.removesuffix(suffix) for suffix in _SUFFIXES if path.name.endswith(suffix)), path.stem)


def workflows_beside(path: Path) -> tuple[Path, ...]:
    """The workflow files in the folder of one, and in the whole build where it lies in a build's folder."""
    from compiler.build.folder import SUMMARY

    folder = path.resolve().parent
    if (folder.parent / SUMMARY).is_file():
        return workflows_below(folder.parent, below="*")
    return workflows_below(folder, below=".")


def documents_beside(path: Path, doc_ids: frozenset[str]) -> tuple[Document, ...]:
    """The documents of these ids that lie in the folder of a workflow, or in those beside it of the same build."""
    folders = [path.absolute().parent]
    for doc_id in sorted(doc_ids):
        base = safe_name(doc_id.rsplit(".", 1)[0])
        folders += sorted(folders[0].parent.glob(f"{escape(base)}*"))
    found: dict[str, Document] = {}
    for folder in dict.fromkeys(folders):
        if doc_ids <= found.keys():
            break
        document = read_form(Document, _json(folder / "document.json"))[0]
        if document and document.doc_id in doc_ids:
            found.setdefault(document.doc_id, document)
    return tuple(found.values())


def _json(path: Path) -> JsonValue:
    """The value of a JSON file; None where there is none."""
    try:
        return read_json(path.read_bytes())[0]
    except OSError:
        return None


def cited_documents(workflow: Workflow) -> frozenset[str]:
    """The ids of the documents that a workflow quotes."""
    waiting: list[JsonValue] = [workflow.to_json()]
    found: set[str] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if "quote" in value and isinstance(value.get("doc_id"), str):
                found.add(str(value["doc_id"]))
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return frozenset(found)


def read_procedures(path: Path) -> tuple[Procedure, ...]:
    """The procedures of a JSON or YAML file: a list, or one.

    Raises:
        BadInputFile: the file holds something else; the message lists every fault.
        OSError: it cannot be read.
    """
    if path.is_dir():
        raise BadInputFile(f"{path} is a folder; name a file of procedures")
    text = path.read_bytes()
    raw, faults = (read_yaml if path.suffix.lower() in (".yaml", ".yml") else read_json)(text)
    if faults:
        raise _bad(path, [(None, fault) for fault in faults])
    procedures: list[Procedure] = []
    found: list[tuple[int | None, Diagnostic]] = []
    for index, item in enumerate(raw if isinstance(raw, list) else [raw]):
        procedure, faults = read_form(Procedure, item)
        found += [(index if isinstance(raw, list) else None, fault) for fault in faults]
        procedures += [procedure] if procedure else []
    ids = [procedure.id for procedure in procedures]
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if found:
        raise _bad(path, found)
    if twice:
        raise BadInputFile(f"{path}: the id {', '.join(twice)} is there twice; ids are unique in a build")
    if not procedures:
        raise BadInputFile(f"{path}: the list is empty; give at least one procedure or leave --from out")
    return tuple(procedures)


def _bad(path: Path, faults: list[tuple[int | None, Diagnostic]]) -> BadInputFile:
    lines = [f"{path}: no procedures can be read from it; correct these, `flowc schema procedure` shows the form:"]
    for index, fault in faults:
        pointer = ("" if index is None else f"/{index}") + (fault.location.pointer or "")
        lines.append(f"{pointer or '/'}: {fault.message} [{fault.error_code}]")
    return BadInputFile("\n".join(lines))
