"""What a build gives: documents with their fate, procedures with their workflows, and the record of how."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from catalog.load import Catalog
from compiler.build.reading import Reading
from compiler.build.scheduler import Settings
from compiler.decisions.decided import DecisionFate
from compiler.draft.compiled import Compiled
from compiler.trace import PassRecord
from ir.decisions.decision import Decision
from ir.diagnostics import Diagnostic, Severity, has_errors
from ir.document import Document
from ir.facts import DocumentRole, Reference
from ir.verdict import StatementCounts, count_statements
from llm.budget import Spent


@dataclass(frozen=True)
class DocumentResult:
    """What became of one document.

    Args:
        document: None where it could not be read; then a diagnostic says why.
        procedures: ids of the procedures found in it.
        spent: what a model was asked about it, its procedures included; None without a model.
        reading: what was read of it, from which its drafts can be made again; None where it was not read.
        decided: what became of the decisions about it.
    """

    doc_id: str
    document: Document | None
    role: DocumentRole | None
    procedures: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    spent: Spent | None = None
    reading: Reading | None = None
    decided: tuple[DecisionFate, ...] = ()

    @property
    def refused(self) -> Diagnostic | None:
        """Why nothing came of the document, None where something did."""
        errors = [d for d in self.diagnostics if d.severity is Severity.ERROR]
        return errors[0] if errors else None


@dataclass(frozen=True)
class Build:
    """One run of the compiler over a set of documents.

    Args:
        spent: what a model was asked, the trial of the endpoint included; None without a model.
        decisions: what people had decided about earlier drafts.
        settings: what shaped it.
        no_answer: why there is nothing to write: a model was asked, answered nothing, and nothing else was to read.
        home: the folder of the first path that was named, where decisions about its documents stand.
    """

    catalog: Catalog
    documents: tuple[DocumentResult, ...]
    procedures: tuple[Compiled, ...]
    references: tuple[Reference, ...]
    records: tuple[PassRecord, ...]
    notices: tuple[str, ...]
    seconds: float
    spent: Spent | None = None
    decisions: tuple[Decision, ...] = ()
    home: Path | None = None
    settings: Settings = field(default_factory=Settings)
    no_answer: str | None = None

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Every finding, of documents first."""
        return (*_all(self.documents), *_all(self.procedures))

    @property
    def clean(self) -> bool:
        """Whether no document was refused and no draft has an error."""
        return not has_errors(self.diagnostics)

    def statements_of(self, doc_id: str) -> StatementCounts | None:
        """What became of the statements of a document; None where no procedure was drawn from it."""
        own = [one.statements for one in self.procedures if one.procedure.doc_id == doc_id]
        return count_statements(tuple(each for fates in own for each in fates)) if own else None

    def document(self, doc_id: str) -> Document | None:
        """The document of this id, None where there is none or it could not be read."""
        return next((d.document for d in self.documents if d.doc_id == doc_id), None)


def _all(parts: Iterable[DocumentResult | Compiled]) -> Iterable[Diagnostic]:
    return (diagnostic for part in parts for diagnostic in part.diagnostics)
