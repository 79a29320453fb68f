"""What a build gives: documents with their fate, procedures with their workflows, and the record of how."""

from collections.abc import Iterable
from dataclasses import dataclass

from catalog.load import Catalog
from compiler.draft.compiled import Compiled
from compiler.grounding.coverage import Coverage, coverage
from compiler.trace import PassRecord
from ir.diagnostics import Diagnostic, Severity, has_errors
from ir.document import Document
from ir.facts import DocumentRole, Reference
from ir.procedure import Procedure
from llm.budget import Spent


@dataclass(frozen=True)
class DocumentResult:
    """What became of one document.

    Args:
        document: None where it could not be read; then a diagnostic says why.
        procedures: ids of the procedures found in it.
        spent: what a model was asked about it, its procedures included; None without a model.
    """

    doc_id: str
    document: Document | None
    role: DocumentRole | None
    procedures: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    spent: Spent | None = None

    def coverage(self, procedures: Iterable[Procedure]) -> Coverage | None:
        """What became of the document's duty sentences; None where it was not read or is no policy."""
        if self.document is None or self.role is None or self.role.role != "policy":
            return None
        return coverage(self.document, (p for p in procedures if p.doc_id == self.doc_id))

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
    """

    catalog: Catalog
    documents: tuple[DocumentResult, ...]
    procedures: tuple[Compiled, ...]
    references: tuple[Reference, ...]
    records: tuple[PassRecord, ...]
    notices: tuple[str, ...]
    seconds: float
    spent: Spent | None = None

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Every finding, of documents first."""
        return (*_all(self.documents), *_all(self.procedures))

    @property
    def clean(self) -> bool:
        """Whether no document was refused and every workflow is valid."""
        return not has_errors(self.diagnostics)

    def document(self, doc_id: str) -> Document | None:
        """The document of this id, None where there is none or it could not be read."""
        return next((d.document for d in self.documents if d.doc_id == doc_id), None)


def _all(parts: Iterable[DocumentResult | Compiled]) -> Iterable[Diagnostic]:
    return (diagnostic for part in parts for diagnostic in part.diagnostics)
