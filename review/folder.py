"""Reads of a build's folder what a review needs."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from compiler.build.folder import DECIDED, SUMMARY
from compiler.build.reading import FILE as READING
from compiler.build.reading import Reading
from compiler.build.recorded_settings import settings_of
from compiler.build.scheduler import Settings
from compiler.decisions.decided import DecisionFate
from ir.base import Model
from ir.codec import read_form, read_json
from ir.decisions.decision import FILE as DECISIONS
from ir.diagnostics import Diagnostic
from ir.document import Document
from ir.errors import BadInputFile
from ir.procedure import Procedure
from ir.verdict import StatementFate, Verdict
from ir.workflow import Workflow

Form = TypeVar("Form", bound=Model)


@dataclass(frozen=True)
class BuiltDraft:
    """A draft as its build wrote it.

    Args:
        procedure: what it was drawn from, as people corrected it.
        decided: what became of the decisions about its document, all that the build knew.
    """

    procedure: Procedure
    workflow: Workflow
    diagnostics: tuple[Diagnostic, ...]
    statements: tuple[StatementFate, ...]
    verdict: Verdict
    decided: tuple[DecisionFate, ...]


@dataclass(frozen=True)
class BuildFolder:
    """A build's folder.

    Args:
        readings: id, document and reading of each document, in the order of the build.
        decisions: the file in which decisions about its documents stand, or would.
    """

    root: Path
    summary: dict[str, Any]
    settings: Settings
    readings: tuple[tuple[str, Document | None, Reading], ...]
    decisions: Path

    def draft(self, workflow_id: str) -> BuiltDraft:
        """The draft of a workflow id.

        Raises:
            BadInputFile: the build has none of that id.
        """
        for row in self.summary["procedures"]:
            path = self.root / str(row["workflow"])
            workflow = _form(Workflow, path)
            if workflow.workflow_id == workflow_id:
                stem = path.name.removesuffix(".workflow.json")
                listed = _forms(Procedure, path.with_name("procedures.json"))
                return BuiltDraft(
                    next(one for one in listed if one.id == row["procedure"]), workflow,
                    _forms(Diagnostic, path.with_name(f"{stem}.diagnostics.json")),
                    _forms(StatementFate, path.with_name(f"{stem}.statements.json")),
                    Verdict.model_validate(row["verdict"]), _forms(DecisionFate, path.with_name(DECIDED)),
                )  # fmt: skip
        there = ", ".join(drafts_of(self.root)) or "none"
        raise BadInputFile(f"{self.root}: there is no draft {workflow_id!r}; there are {there}")


def drafts_of(build_folder: Path) -> tuple[str, ...]:
    """The ids of the workflows that a build drafted, in its order.

    Raises:
        BadInputFile: the folder is no build's.
    """
    rows = _summary(build_folder)["procedures"]
    return tuple(_form(Workflow, build_folder / str(row["workflow"])).workflow_id for row in rows)


def read_build(build_folder: Path) -> BuildFolder:
    """A build's folder.

    Raises:
        BadInputFile: the folder is no build's, or one of its files is not of its form.
    """
    root = build_folder.resolve()
    summary = _summary(root)
    folders = {str(row["document"]): path.parent for path in sorted(root.glob("*/document.json"))
               for row in summary["documents"] if _doc_id(path) == row["document"]}  # fmt: skip
    readings = list[tuple[str, Document | None, Reading]]()
    for row in summary["documents"]:
        doc_id = str(row["document"])
        folder = folders.get(doc_id)
        if folder is None:
            readings.append((doc_id, None, Reading()))
        else:
            readings.append((doc_id, _form(Document, folder / "document.json"), _form(Reading, folder / READING)))
    settings = settings_of(summary.get("settings", {}), root)
    return BuildFolder(root, summary, settings, tuple(readings), decisions_file(root))


def decisions_file(root: Path) -> Path:
    """Where decisions about a build's documents stand: beside the documents, or in the folder where these are gone.

    Raises:
        BadInputFile: the folder is no build's.
    """
    beside = _summary(root).get("decisions")
    file = (root / str(beside)).resolve() if beside else root / DECISIONS
    return file if file.parent.is_dir() else root / DECISIONS


def _summary(root: Path) -> dict[str, Any]:
    file = root / SUMMARY
    value = read_json(file.read_bytes())[0] if file.is_file() else None
    if not isinstance(value, dict) or not isinstance(value.get("procedures"), list):
        raise BadInputFile(f"{root}: no build stands here; name a folder that `flowc compile` wrote")
    return dict(value)


def _doc_id(path: Path) -> str | None:
    value = read_json(path.read_bytes())[0]
    return str(value.get("doc_id")) if isinstance(value, dict) else None


def _form(model: type[Form], path: Path) -> Form:
    if not path.is_file():
        raise BadInputFile(f"{path} is missing; compile the documents again with this version of flowc")
    value, faults = read_json(path.read_bytes())
    form, more = read_form(model, value) if not faults else (None, faults)
    if form is None:
        raise BadInputFile(f"{path}: {more[0]}; compile the documents again")
    return form


def _forms(model: type[Form], path: Path) -> tuple[Form, ...]:
    if not path.is_file():
        return ()
    value = json.loads(path.read_text("utf-8"))
    return tuple(model.model_validate(one) for one in value)
