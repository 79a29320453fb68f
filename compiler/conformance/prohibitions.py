"""Does the workflow see to what its document forbids?"""

from collections.abc import Iterator

from compiler.conformance.conformance_input import ConformanceInput
from compiler.fates.bearers import Part
from compiler.fates.enforcement import Enforcement
from compiler.fates.fates import fates
from compiler.fates.statements import statements
from ir.diagnostics import Diagnostic, Location, Related, Severity
from ir.document import Document
from ir.procedure import Procedure
from ir.source import Evidence
from ir.verdict import StatementFate
from validator.analysis.locations import at_node, at_workflow
from validator.analysis.wording import cut


def unenforced_prohibition(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A sentence says that something must not be, and the workflow lets it happen.

    What: a sentence of the workflow's part of a document forbids something; no guard, rule, edge, approval or deadline
        of which the solver proves that it keeps it holds it; and nobody accepted that. It is an error where the
        forbidden act is a node of this workflow and no gap asks about the sentence, else a warning: a control that
        somebody has to see to outside.
    Why: a prohibition that is only quoted is broken by the first run that comes to it.
    Bad: “Goods without a label must not be released.”, and a workflow that releases all goods.
    Good: an edge that leads goods without a label elsewhere, a guard, a rule, a gap; or `flowc review accept`.
    """
    for procedure in given.procedures:
        for document in given.documents:
            if document.doc_id == procedure.doc_id:
                yield from _of(given, procedure, document)


def _of(given: ConformanceInput, procedure: Procedure, document: Document) -> Iterator[Diagnostic]:
    part = Part(given.workflow, procedure)
    near = {*procedure.extent, *part.bearers(document)}
    said = {(one.piece.block, one.piece.start): one for one in statements(document) if one.forbids and one.demands}
    if not any(block in near for block, _ in said):
        return
    enforcement = Enforcement(part, given.catalog)
    for told in fates(document, [part], given.catalog, given.decisions)[0]:
        if told.prohibition != "unenforced" or told.block not in near:
            continue
        acts = enforcement.acts_forbidden(said[told.block, told.start])
        yield _unenforced(given, told, document, acts if told.fate != "question" else ())


def _unenforced(
    given: ConformanceInput, told: StatementFate, document: Document, acts: tuple[str, ...]
) -> Diagnostic:  # fmt: skip
    span = document.span(told.block, told.start, told.end)
    place = Location(file=document.doc_id, block=span.block)
    outside = "; a question asks who does" if told.fate == "question" else "; somebody has to see to it outside"
    lets = f", and “{acts[0]}” does what it forbids" if acts else outside
    return Diagnostic(
        error_code="unenforced-prohibition",
        severity=Severity.ERROR if acts else Severity.WARNING,
        message=f"“{cut(span.quote)}” ({document.doc_id}, {span.block}): nothing in the workflow prevents this{lets}",
        location=at_node(given.workflow, acts[0], "type") if acts else at_workflow(given.workflow, "nodes"),
        evidence=(Evidence.from_span(span),),
        related=(Related(message="the sentence", location=place),),
        expected="an edge, guard or rule that keeps it, a gap that asks about it, or a person who accepts it",
    )


CHECKS = (unenforced_prohibition,)
