"""Finds the procedures of a document, deterministically, from cue words."""

from collections.abc import Iterator, Sequence
from typing import Literal

from compiler.context import Context
from compiler.extract.rules.procedures import Extractor
from compiler.extract.rules.readings import ProvisionReading
from compiler.extract.rules.segments import Segment, segments
from compiler.extract.rules.unread import NORMED, may_bind
from compiler.grounding.coverage import list_uncovered
from compiler.text.lexicon import lexicon
from compiler.text.mentions import mentions_of
from compiler.text.names import safe_name
from compiler.text.sentences import sentences
from ir.diagnostics import Diagnostic, Location, Severity
from ir.document import Document
from ir.procedure import Procedure, UnplacedText
from ir.source import Evidence

FEW_BLOCKS = 3
"""Blocks of a text so short that a single act makes it a procedure."""
ReadingMethod = Literal["syntax", "cues"]
"""With parts of speech, or by cue words alone."""


def extract_procedures(
    ctx: Context, document: Document, told: Sequence[ProvisionReading], method: ReadingMethod
) -> tuple[Procedure, ...]:
    """The procedures that a document prescribes, each element with the words it came from.

    Reports `no-procedure` where there is none, and `unplaced-text` for duties that found no place.

    Args:
        told: what its provisions say.
        method: what its sentences were read by.
    """
    parts = segments(document, told)
    small = [part for part in parts if (len(parts) > 1 and not part.stands(document.language)) or not part.prescribes]
    if len(parts) == 1 and sum(1 for _ in document.body()) <= FEW_BLOCKS:
        small = []  # a text as short as this is all there is to read
    drawn = [
        Extractor(mentions_of(ctx.catalog), document).procedure(safe_name(part.title), part, method)
        for part in parts
        if part not in small
    ]
    found = tuple(procedure for procedure in drawn if procedure.steps)
    if not found:
        found = tuple(_rules_alone(ctx, document, parts, method))
    if not found:
        rules = sum(len(procedure.constraints) for procedure in drawn)
        ctx.report(
            Diagnostic(
                error_code="no-procedure",
                severity=Severity.ERROR,
                message="no step was found that somebody must carry out; nothing to compile",
                location=Location(file=document.doc_id),
                expected="sentences that say who does what",
                found=f"{sum(1 for _ in document.body())} blocks, {rules} rules without an act",
            )
        )
        return ()
    aside = [text for p in drawn if not p.steps for text in p.unplaced]
    kept = list_uncovered(document, found, (*aside, *(text for part in small for text in _alone(document, part))))
    for text in (text for procedure in kept for text in procedure.unplaced):
        block = text.evidence[0].block if text.evidence else None
        ctx.warn("unplaced-text", f"{text.reason}: “{text.text}”", Location(file=document.doc_id, block=block))
    return kept


def _rules_alone(
    ctx: Context, document: Document, parts: Sequence[Segment], method: ReadingMethod
) -> Iterator[Procedure]:
    """The parts of a document in which nobody acts, that forbid, demand or leave questions all the same."""
    few = sum(1 for _ in document.body()) <= FEW_BLOCKS
    for part in parts:
        length = sum(len(sentences(told.provision.piece, document.language)) for told in part.told)
        norms = sum(len(told.norms) for told in part.told)
        bound = few and any(may_bind(told.provision.piece, lexicon(document.language)) for told in part.told)
        if bound or (norms and norms >= NORMED * length):
            yield Extractor(mentions_of(ctx.catalog), document).procedure(safe_name(part.title), part, method)


def _alone(document: Document, part: Segment) -> Iterator[UnplacedText]:
    """What a part says that has too few acts to be a procedure beside the others."""
    reason = str(lexicon(document.language).table("reasons")["alone"])
    for told in part.told:
        pieces = dict.fromkeys(statement.sentence for statement in told.statements)
        said = (*((piece, reason) for piece in pieces), *told.unplaced)
        for piece, why in said:
            span = document.span(piece.block, piece.start, piece.end)
            yield UnplacedText(text=piece.text, reason=why, evidence=(Evidence.from_span(span),))
