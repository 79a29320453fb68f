"""A draft as a reviewer has it: what was read, what people decided, and what comes of both."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from catalog.load import Catalog, load_catalog
from compiler.build.builder import redraft
from compiler.build.folder import SUMMARY
from compiler.build.reading import Reading
from compiler.decisions.anchoring import Anchoring
from compiler.decisions.apply_decisions import replaces
from compiler.decisions.decided import DecisionFate
from compiler.decisions.elements import Element
from compiler.fates.verdict import verdict
from compiler.report.review.parts import Page
from ir.decisions.decision import Decision, decision_line, in_force, read_decisions
from ir.diagnostics import Diagnostic, Severity
from ir.document import Document
from ir.errors import BadInputFile
from ir.procedure import Procedure
from ir.verdict import StatementFate, Verdict
from ir.workflow import Workflow
from review.drafted import Drafted
from review.folder import BuildFolder, BuiltDraft, decisions_file, drafts_of, read_build
from review.rulings import holding, parted
from review.worked_out import KEPT, WorkedOut, key_of

__all__ = ["ReviewDraft", "drafts_of", "open_draft", "seen_by"]
_OPEN = 32  # drafts that are kept at hand


@dataclass(frozen=True)
class ReviewDraft:
    """A draft under review.

    Args:
        build: the folder of its build.
        drafted: what is the same whatever was ruled on it.
        documents: all of the build that could be read.
        decisions: every line about the document, those that were taken back too.
        fates: what became of those in force.
        text: of the file of decisions.
        revision: how many decisions it has; by it is seen that somebody else decided meanwhile.
        reader: whose decisions alone it has; None where it has everybody's.
        key: of what was worked out for it; None where it is as the build wrote it.
    """

    build: BuildFolder
    drafted: Drafted
    documents: tuple[Document, ...]
    verdict: Verdict
    decisions: tuple[Decision, ...]
    fates: tuple[DecisionFate, ...]
    text: str
    revision: int
    reader: str | None = None
    key: str | None = None

    @property
    def folder(self) -> Path:
        """The build's folder."""
        return self.build.root

    @property
    def catalog(self) -> Catalog:
        """The Types that it was drafted with."""
        return self.drafted.catalog

    @property
    def document(self) -> Document:
        """The document that it was drawn from."""
        return self.drafted.document

    @property
    def reading(self) -> Procedure:
        """The procedure as it was read, before anybody decided anything."""
        return self.drafted.reading

    @property
    def procedure(self) -> Procedure:
        """The procedure as it is drafted."""
        return self.drafted.procedure

    @property
    def workflow(self) -> Workflow:
        """The workflow."""
        return self.drafted.workflow

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What validation found."""
        return self.drafted.diagnostics

    @property
    def statements(self) -> tuple[StatementFate, ...]:
        """Of the document, those that are this draft's own."""
        return self.drafted.statements

    @cached_property
    def build_decisions(self) -> tuple[Decision, ...]:
        """Every line of the file of decisions, those about other documents too."""
        return read_decisions(self.text, str(self.build.decisions))

    @property
    def anchoring(self) -> Anchoring:
        """Makes and finds anchors in the document."""
        return self.drafted.anchoring

    @property
    def elements(self) -> dict[tuple[str, str], Element]:
        """What of the procedure can be decided on, by kind and id."""
        return self.drafted.elements

    @cached_property
    def in_force(self) -> dict[str, Decision]:
        """The decisions that nobody took back, by id."""
        return {one.id: one for one in in_force(self.decisions)}

    @cached_property
    def page(self) -> Page:
        """The review page's view of the draft as people ruled on it."""
        return Page(replace(self.drafted.page.review, verdict=self.verdict))


def open_draft(
    build_folder: Path, workflow_id: str, decisions: Path | None = None, reader: str | None = None
) -> ReviewDraft:  # fmt: skip
    """A draft of a build's folder with all that was decided about it until now.

    Args:
        decisions: another file of decisions than the one beside the documents.
        reader: who is not to see what others decided; None for all of it.

    Raises:
        BadInputFile: the folder is no build's, it has no such draft, or a line of the decisions is none.
    """
    root = build_folder.resolve()
    file = decisions or decisions_file(root)
    text = file.read_text("utf-8") if file.is_file() else ""
    return _opened(root, workflow_id, _stamp(root), text, file, reader)


def with_lines(draft: ReviewDraft, lines: str) -> ReviewDraft:
    """The draft as it would be with more lines in the file of decisions.

    Raises:
        BadInputFile: no draft can be made with them.
    """
    text, stamp = ended(draft.text) + lines, _stamp(draft.folder)
    return _opened(draft.folder, draft.workflow.workflow_id, stamp, text, draft.build.decisions, draft.reader)


def is_worked_out(draft: ReviewDraft, decision: Decision) -> bool:
    """Whether what a draft comes to with one more correction is at hand."""
    listed = in_force((*read_decisions(draft.text, str(draft.build.decisions)), decision))
    key = key_of(draft.folder, _stamp(draft.folder), draft.procedure.id, draft.build.settings, listed)
    return KEPT.find(key) is not None


def seen_by(draft: ReviewDraft, author: str) -> ReviewDraft:
    """The draft as it is with the decisions of one author alone, for a reader who is not to see those of others.

    Raises:
        BadInputFile: no draft can be made with them.
    """
    stamp = _stamp(draft.folder)
    return _opened(draft.folder, draft.workflow.workflow_id, stamp, draft.text, draft.build.decisions, author)


def ended(text: str) -> str:
    """A text whose last line is ended."""
    return text if not text or text.endswith("\n") else text + "\n"


def _stamp(root: Path) -> str:
    if not (root / SUMMARY).is_file():
        raise BadInputFile(f"{root}: no build stands here; name a folder that `flowc compile` wrote")
    return hashlib.sha256((root / SUMMARY).read_bytes()).hexdigest()


@lru_cache(maxsize=_OPEN)
def _opened(
    root: Path, workflow_id: str, built_as: str, text: str, file: Path, reader: str | None
) -> ReviewDraft:  # fmt: skip
    if reader is not None:
        text = "".join(decision_line(one) for one in read_decisions(text, str(file)) if one.author == reader)
    listed = read_decisions(text, str(file))
    built = _built(root, built_as, workflow_id)
    doc_id, procedure = built.procedure.doc_id, built.procedure.id
    force = in_force(listed)
    drafted, later = parted(force, frozenset(fate.id for fate in built.decided))
    rulings = tuple(one for one in later if one.document == doc_id)
    made = None
    if all(one.procedure in (procedure, None) for one in rulings):
        made = _ruled(_drafted(root, workflow_id, built_as, drafted, file), rulings)
    own = tuple(one for one in listed if one.document in (doc_id, None))
    made = made or _drafted(root, workflow_id, built_as, force, file)
    return replace(made, decisions=own, text=text, revision=len(listed), reader=reader)


@lru_cache(maxsize=_OPEN)
def _folder(root: Path, _built_as: str) -> BuildFolder:
    return read_build(root)


@lru_cache(maxsize=_OPEN)
def _built(root: Path, built_as: str, workflow_id: str) -> BuiltDraft:
    return _folder(root, built_as).draft(workflow_id)


@lru_cache(maxsize=_OPEN)
def _drafted(root: Path, workflow_id: str, built_as: str, force: tuple[Decision, ...], file: Path) -> ReviewDraft:
    """A draft with decisions about its document: as the build wrote it where it knew them all, else made again."""
    folder, built = replace(_folder(root, built_as), decisions=file), _built(root, built_as, workflow_id)
    own = {one.id for one in force if one.document == built.procedure.doc_id}
    if own != {fate.id for fate in built.decided}:
        return _made_again(folder, built_as, built.procedure.id, force)
    return _review(folder, force, load_catalog(*folder.settings.catalogs), built)


def _ruled(draft: ReviewDraft, added: Sequence[Decision]) -> ReviewDraft | None:
    """A draft with more decisions that leave it as it is; None where it would begin or cease to start by itself."""
    replaced = [any(replaces(later, one) for later in added[at:]) for at, one in enumerate(added, 1)]
    ruled = (draft.drafted.fate(one, replaced=gone) for one, gone in zip(added, replaced, strict=True))
    fates = (*draft.fates, *ruled)
    held = holding((*draft.in_force.values(), *added), {one.id: one for one in fates})
    said = verdict(draft.workflow, draft.diagnostics, draft.statements, held, draft.verdict.read_by)
    return replace(draft, fates=fates, verdict=said) if said.settled == draft.verdict.settled else None


def _made_again(folder: BuildFolder, built_as: str, procedure: str, force: tuple[Decision, ...]) -> ReviewDraft:
    """The draft of a procedure made again with decisions, as it was worked out already where it was.

    Raises:
        BadInputFile: no draft can be made of it any more; the message says why.
    """
    key = key_of(folder.root, built_as, procedure, folder.settings, force)
    made = KEPT.find(key)
    if made is None:
        made = _worked_out(key, folder, procedure, force)
        KEPT.keep((made,))
    return _review(folder, force, load_catalog(*folder.settings.catalogs), made)


def _worked_out(key: str, folder: BuildFolder, procedure: str, force: tuple[Decision, ...]) -> WorkedOut:
    doc_id = next((name for name, _, reading in folder.readings if procedure in _ids(reading)), None)
    if doc_id is None:
        raise BadInputFile(f"{folder.root}: no procedure {procedure!r} was read; compile the documents again")
    build = redraft(folder.readings, replace(folder.settings, decisions=force), only=doc_id)
    made = next((one for one in build.procedures if one.procedure.id == procedure), None)
    if made is None:
        why = next((str(one) for one in build.diagnostics if one.severity is Severity.ERROR), "nothing was drafted")
        raise BadInputFile(f"{folder.root}: {procedure}: {why}; take the last decision back")
    decided = next(one.decided for one in build.documents if one.doc_id == doc_id)
    return WorkedOut(
        key, made.procedure, made.workflow, made.verdict, made.diagnostics, made.statements, decided
    )  # fmt: skip


def _review(
    folder: BuildFolder, force: tuple[Decision, ...], catalog: Catalog, made: BuiltDraft | WorkedOut
) -> ReviewDraft:  # fmt: skip
    procedure = made.procedure
    documents = {name: document for name, document, _ in folder.readings if document is not None}
    reading = next(one for _, _, read in folder.readings for one in read.procedures if one.id == procedure.id)
    own = tuple(one for one in force if one.document in (procedure.doc_id, None))
    drafted = Drafted(
        catalog, documents[procedure.doc_id], reading, procedure, made.workflow, made.verdict, made.diagnostics,
        made.statements,
    )  # fmt: skip
    return ReviewDraft(
        build=folder, drafted=drafted, documents=tuple(documents.values()), verdict=made.verdict, decisions=own,
        fates=made.decided, revision=len(force), text="", key=made.key if isinstance(made, WorkedOut) else None,
    )  # fmt: skip


def _ids(reading: Reading) -> frozenset[str]:
    return frozenset(one.id for one in reading.procedures)
