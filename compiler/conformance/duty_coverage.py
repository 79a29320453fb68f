"""Which sentences of a document a workflow and its procedures speak of."""

from collections.abc import Iterable, Iterator, Sequence

from compiler.grounding.coverage import Spans, carrying_elements, duty_sentences, overlaps
from compiler.grounding.redaction import redacted
from compiler.text.sentences import Piece
from ir.document import Document
from ir.procedure import Element, Procedure, Step
from ir.source import Evidence
from ir.workflow import Workflow


def uncovered_duties(workflow: Workflow, procedures: tuple[Procedure, ...], document: Document) -> Iterator[Piece]:
    """The duty sentences of a workflow's part of a document of which neither it nor its procedures say anything.

    Its part are the blocks that a procedure was read from, and those that it and the workflow quote; what stands
    between them may be another procedure's.
    """
    read = redacted(document)
    drawn = tuple(procedure for procedure in procedures if procedure.doc_id == document.doc_id)
    told = (*evidence_of_workflow(workflow), *(one for procedure in drawn for one in _evidence_of_procedure(procedure)))
    here = [one for one in told if one.doc_id == document.doc_id]
    if not here:
        return
    spans = _spans(here)
    loose = {without_spaces(one.quote) for one in here if one.span is None}
    silent = [piece for piece in duty_sentences(read) if not (overlaps(piece, spans) or _among(piece, loose))]
    part = _part(read, drawn, spans, loose) if silent else set()
    yield from (piece for piece in silent if piece.block in part)


def evidence_of_workflow(workflow: Workflow) -> Iterator[Evidence]:
    """All that a workflow quotes."""
    for said in (workflow.triggers, workflow.guards, workflow.edges, workflow.gaps):
        yield from (one for bearer in said for one in bearer.evidence)
    for spec in workflow.inputs.values():
        yield from spec.evidence
    for node in workflow.nodes.values():
        yield from (*node.evidence, *(node.deadline.evidence if node.deadline else ()))
    for pack in workflow.rule_packs.values():
        yield from (one for rule in pack.rules for one in rule.quotes)


def evidence_of_step(step: Step) -> tuple[Evidence, ...]:
    """All that a step quotes."""
    return (*step.evidence, *(step.deadline.evidence if step.deadline else ()))


def overlap(quotes: Iterable[Evidence], others: Sequence[Evidence]) -> bool:
    """Whether any two quotes stand in one block, or one holds the other."""
    return any(_near(one, other) for one in quotes for other in others if one.doc_id == other.doc_id)


def _near(one: Evidence, other: Evidence) -> bool:
    left, right = without_spaces(one.quote), without_spaces(other.quote)
    return (one.block is not None and one.block == other.block) or left in right or right in left


def without_spaces(quote: str) -> str:
    """Words without white space, which differs between a document and quotes from it.

    >>> without_spaces("within  3\\ndays")
    'within3days'
    """
    return "".join(quote.split())


def _evidence_of_procedure(procedure: Procedure) -> Iterator[Evidence]:
    """What a procedure quotes, be it carried, asked or listed as without a place."""
    told: tuple[Element, ...] = (*carrying_elements(procedure), *procedure.facts, *procedure.gaps, *procedure.unplaced)
    for element in told:
        yield from evidence_of_step(element) if isinstance(element, Step) else element.evidence


def _spans(evidence: Iterable[Evidence]) -> Spans:
    found: Spans = {}
    for one in evidence:
        if one.span is not None:
            found.setdefault(one.span.block, []).append((one.span.start, one.span.end))
    return found


def _among(piece: Piece, quotes: set[str]) -> bool:
    """Whether a quote that nobody has placed has words of a sentence, or the sentence those of the quote."""
    text = without_spaces(piece.text)
    return any(quote in text or text in quote for quote in quotes)


def _part(document: Document, procedures: tuple[Procedure, ...], spans: Spans, loose: set[str]) -> set[str]:
    """The addresses of the passages that are the workflow's to answer for."""
    texts = {passage.address: without_spaces(passage.text) for passage in document.passages() if passage.tag is None}
    part = {address for address, text in texts.items() if address in spans or any(quote in text for quote in loose)}
    read = {address for procedure in procedures for address in procedure.extent}
    for block in document.body():
        if block.address in read:
            part |= {block.address, *(cell.address for cell in block.cells)}
    return part
