"""What a document's sentences say and demand, read from cue words: what other readings are held against."""

from collections.abc import Iterable
from functools import lru_cache

from compiler.extract.rules.document_reader import DocumentReader
from compiler.extract.rules.statements import Act, Statement
from compiler.grounding.coverage import carrying_elements, overlaps, spans_of
from compiler.grounding.redaction import redacted
from compiler.text.lexicon import lexicon
from ir.document import Document
from ir.procedure import Procedure, UnplacedText
from ir.source import Evidence


def silent_approvals(document: Document, procedures: Iterable[Procedure]) -> tuple[UnplacedText, ...]:
    """The sentences that demand an approval and of which no procedure speaks, to be listed as texts without a place."""
    carried = spans_of(element for procedure in procedures for element in carrying_elements(procedure))
    reason = str(lexicon(document.language).table("reasons")["act"])
    silent = dict.fromkeys(
        said.sentence for said in demanded_approvals(document) if not overlaps(said.sentence, carried)
    )
    spans = (document.span(piece.block, piece.start, piece.end) for piece in silent)
    return tuple(UnplacedText(text=span.quote, reason=reason, evidence=(Evidence.from_span(span),)) for span in spans)


_CONSENT = "consent"  # is given by the person concerned and obtained by whoever needs it; nobody's authority


@lru_cache(maxsize=8)
def statements_of(document: Document) -> tuple[Statement, ...]:
    """What the sentences of a document say, in reading order, without what it says to machines."""
    return tuple(statement for each in DocumentReader(redacted(document)).read() for statement in each.statements)


@lru_cache(maxsize=8)
def demanded_approvals(document: Document) -> tuple[Act, ...]:
    """The acts of approving, in reading order; without those of tables, whose words are put together, and consents."""
    return tuple(
        statement
        for statement in statements_of(document)
        if isinstance(statement, Act) and statement.step_kind == "approval" and not statement.words
        if statement.verb is None or not (statement.verb.text.lower().startswith(_CONSENT) or _in_title(statement))
    )


def _in_title(statement: Statement) -> bool:
    """Whether the approving word only stands in the name of a paper: `凭《批准通知书》采购`."""
    verb, sentence = statement.verb, statement.sentence
    before = sentence.text[: verb.start - sentence.start] if verb is not None else ""
    return before.rfind("《") > before.rfind("》")
