"""Reads a build's folder back: what its summary says, its documents, and its drafts as their pages show them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import JsonValue, ValidationError

from catalog.load import Catalog
from compiler.build.earlier import on_disk
from compiler.build.folder import SUMMARY, folders_of
from compiler.report.review.parts import Review
from compiler.text.names import safe_name
from ir.base import Model
from ir.codec import read_form, read_json, read_workflow
from ir.diagnostics import Diagnostic
from ir.document import Document
from ir.errors import BadInputFile
from ir.facts import Bindings
from ir.procedure import Procedure
from ir.verdict import StatementFate, Verdict
from ir.workflow import RiskLevel, Workflow

Form = TypeVar("Form", bound=Model)


class ReadDocumentEntry(Model):
    """What a summary says of one document; see `compiler.build.folder`.

    Args:
        status: `refused` where it could not be compiled, for the reason that `diagnostics` tell.
    """

    document: str
    kind: str | None = None
    pages: int | None = None
    role: str | None = None
    reason: str | None = None
    status: Literal["ok", "refused"]
    code: str | None = None
    procedures: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


class ReadDraftEntry(Model):
    """What a summary says of one draft.

    Args:
        document: id of the one that it was drawn from.
        workflow, statements: the files, relative to the build.
    """

    procedure: str
    title: str
    document: str
    verdict: Verdict
    errors: int
    warnings: int
    risk: RiskLevel
    workflow: str
    statements: str


class _Summary(Model):
    clean: bool
    seconds: float
    documents: tuple[ReadDocumentEntry, ...]
    procedures: tuple[ReadDraftEntry, ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReadBuild:
    """A build's folder, read as far as it is asked for.

    Args:
        root: the folder that `flowc compile` wrote.
    """

    root: Path
    clean: bool
    seconds: float
    documents: tuple[ReadDocumentEntry, ...]
    drafts: tuple[ReadDraftEntry, ...]
    notices: tuple[str, ...]

    @cached_property
    def _folders(self) -> dict[str, str]:
        return folders_of(one.document for one in self.documents)

    def document(self, doc_id: str) -> Document | None:
        """A document of the build; None where it was refused.

        Raises:
            BadInputFile: its file is not what was written.
        """
        file = self._path(f"{self._folders[doc_id]}/document.json")
        return _form(Document, _json(file), file) if file.is_file() else None

    def workflow(self, draft: ReadDraftEntry) -> Workflow:
        """The workflow of a draft, as it stands there now.

        Raises:
            BadInputFile: its file holds none.
        """
        file = self._path(draft.workflow)
        found, faults = read_workflow(_bytes(file))
        if found is None:
            raise BadInputFile(f"{file}: {faults[0]}; mend it, or compile again")
        return found

    def workflows(self) -> Iterator[tuple[ReadDraftEntry, Workflow | BadInputFile]]:
        """Each draft with its workflow, or why its file holds none any more."""
        for draft in self.drafts:
            try:
                yield draft, self.workflow(draft)
            except BadInputFile as error:
                yield draft, error

    def draft(self, workflow_id: str) -> ReadDraftEntry | None:
        """The draft whose workflow has this id; None where there is none that can be read."""
        return next(
            (
                one
                for one, found in self.workflows()
                if isinstance(found, Workflow) and found.workflow_id == workflow_id
            ),
            None,
        )

    def review(self, draft: ReadDraftEntry, catalog: Catalog) -> Review:
        """All that a reviewer of a draft is shown.

        Raises:
            BadInputFile: a file of it is not what was written.
        """
        workflow, folder = self.workflow(draft), self._path(draft.workflow).parent
        listed = _list(folder / "procedures.json")
        procedures = (_form(Procedure, one, folder / "procedures.json") for one in listed)
        stem = safe_name(draft.procedure)
        bindings = tuple(
            _form(Bindings, _json(file), file)
            for file in sorted(folder.glob("*.bindings.json"))
            if file.name == f"{stem}.bindings.json" or file.name.startswith(f"{stem}.")
        )
        cited = _cited(draft.document, bindings)
        found = (self.document(one.document) for one in self.documents if one.document in cited)
        diagnostics, statements = folder / f"{stem}.diagnostics.json", self._path(draft.statements)
        return Review(
            workflow=workflow,
            procedure=next((one for one in procedures if one.id == draft.procedure), None),
            documents=tuple(document for document in found if document is not None),
            diagnostics=tuple(_form(Diagnostic, one, diagnostics) for one in _list(diagnostics)),
            bindings=bindings,
            catalog=catalog,
            notes=self.notices,
            statements=tuple(_form(StatementFate, one, statements) for one in _list(statements)),
            verdict=draft.verdict,
        )

    def references(self) -> dict[str, JsonValue]:
        """The tables of data of the build, by the names of their files."""
        return references_in(self.root)

    def _path(self, name: str) -> Path:
        path = self.root / on_disk(name)
        if not path.resolve().is_relative_to(self.root.resolve()):
            raise BadInputFile(f"{self.root / SUMMARY}: {name} leads out of the build; compile again")
        return path


def read_build(root: Path) -> ReadBuild:
    """A build's folder.

    Raises:
        BadInputFile: it is none that this flowc wrote.
    """
    file = root / SUMMARY
    raw: Any = _json(file)
    known = {name: raw[name] for name in _Summary.model_fields if name in raw} if isinstance(raw, dict) else raw
    for name, form in (("documents", ReadDocumentEntry), ("procedures", ReadDraftEntry)):
        listed = known.get(name) if isinstance(known, dict) else None
        if isinstance(listed, list):
            known[name] = [_named(form, one) for one in listed]
    try:
        summary = _Summary.model_validate(known)
    except ValidationError as error:
        raise BadInputFile(f"{file}: {error.errors()[0]['msg']}; compile again with this flowc") from error
    return ReadBuild(
        root, summary.clean, summary.seconds, summary.documents, summary.procedures, summary.notices
    )  # fmt: skip


def references_in(root: Path) -> dict[str, JsonValue]:
    """The tables of data of a build's folder, by the names of their files; none where it is no build.

    Raises:
        BadInputFile: a file is no JSON.
    """
    return {path.stem: _json(path) for path in sorted((root / "references").glob("*.json"))}


def _cited(doc_id: str, bindings: Iterable[Bindings]) -> set[str]:
    """The documents that a draft's page shows: its own, and those its bindings quote."""
    cited = {doc_id}
    for form in bindings:
        cited |= {evidence.doc_id for one in form.bindings for evidence in one.evidence}
        cited |= {evidence.doc_id for one in form.found for evidence in one.evidence}
    return cited


def _named(form: type[Model], raw: Any) -> Any:
    """The members of an object that a form has; a later flowc may write more."""
    return {name: value for name, value in raw.items() if name in form.model_fields} if isinstance(raw, dict) else raw


def _form(form: type[Form], raw: JsonValue, file: Path) -> Form:
    found, faults = read_form(form, raw)
    if found is None:
        raise BadInputFile(f"{file}: {faults[0]}; compile again")
    return found


def _list(file: Path) -> list[JsonValue]:
    raw = _json(file)
    if not isinstance(raw, list):
        raise BadInputFile(f"{file}: expected a list; compile again")
    return raw


def _json(file: Path) -> JsonValue:
    raw, faults = read_json(_bytes(file))
    if faults:
        raise BadInputFile(f"{file}: {faults[0]}; compile again")
    return raw


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise BadInputFile(f"{file}: {error.strerror}; compile again, or name another folder") from error
