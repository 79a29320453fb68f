"""What a document's sentences say and demand, read from cue words: what other readings are held against."""

import re
from collections.abc import Iterable
from functools import lru_cache

from compiler.extract.rules.document_reader import provision_readings
from compiler.extract.rules.statements import Act, Statement
from compiler.grounding.coverage import carrying_elements, overlaps, spans_of
from compiler.grounding.redaction import redacted
from compiler.text.addressed import DOCUMENTS_AT_HAND
from compiler.text.lexicon import lexicon
from compiler.text.punctuation import punctuated
from ir.document import Document
from ir.procedure import Procedure, Step, UnplacedText
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


AROUND = 2  # blocks


def approvals_elsewhere(said: Statement, approvals: Iterable[Step], document: Document) -> list[Step]:
    """Approvals told in other sentences: by the one whom the words name, or in the blocks around them.

    `报总监审批。总监应当在3日内决定`; `The request needs approval. The director decides within 3 days.`
    """
    order = {passage.address: at for at, passage in enumerate(document.passages())}
    here, who = order[said.sentence.block], plain_words(said.actor.text) if said.actor is not None else ""
    found = []
    for step in approvals:
        named = plain_words(step.actor or "")
        places = (order[evidence.block] for evidence in step.evidence if evidence.block in order)
        if (who and named and (who in named or named in who)) or any(abs(at - here) <= AROUND for at in places):
            found.append(step)
    return found


def plain_words(text: str) -> str:
    """Words without case, spaces, punctuation and the plural's mark, to be compared."""
    return "".join(re.findall(r"\w+", text.lower())).rstrip("s")


_CONSENT = "consent"  # is given by the person concerned and obtained by whoever needs it; nobody's authority


@lru_cache(maxsize=DOCUMENTS_AT_HAND)
def statements_of(document: Document) -> tuple[Statement, ...]:
    """What the sentences of a document say, in reading order, without what it says to machines."""
    return tuple(
        statement for each in provision_readings(punctuated(redacted(document))) for statement in each.statements
    )


@lru_cache(maxsize=DOCUMENTS_AT_HAND)
def demanded_approvals(document: Document) -> tuple[Act, ...]:
    """The acts of approving, in reading order, that have to be.

    Without those of tables, whose words are put together, consents, powers (`may approve`, `可以批准`), and what only
    mentions an approval (`审批通过的合同`, `批复单自印发之日起…`).
    """
    return tuple(
        statement
        for statement in statements_of(document)
        if isinstance(statement, Act) and statement.step_kind == "approval" and not statement.words
        if statement.modality != "may" and not _mentions(statement)
    )


_ATTRIBUTE = re.compile(
    r"(?:通过|完成|同意|合格)?后?的(?!决定|意见|结论|结果|建议)"
    r"|(?:单|书|表|证|文件|手续|权限|流程|通知|资料|材料|记录|日期)"
    r"|[、和与及][^，。；]{0,10}的?(?:全部)?(?:资料|材料|文件|记录|手续)"
    r"|[、并且][^，。；]{2,60}的[^，。；的]{2,40}[，（]"
)
"""What follows an approving word that only says of which thing something is told."""


def _mentions(statement: Statement) -> bool:
    """Whether the approving word demands nothing: a consent, part of a name, or said of a thing."""
    verb, sentence = statement.verb, statement.sentence
    if verb is None:
        return False
    after = sentence.text[verb.end - sentence.start :] if verb.block == sentence.block else ""
    return verb.text.lower().startswith(_CONSENT) or _in_title(statement) or _ATTRIBUTE.match(after) is not None


def _in_title(statement: Statement) -> bool:
    """Whether the approving word only stands in the name of a paper: `凭《批准通知书》采购`."""
    verb, sentence = statement.verb, statement.sentence
    before = sentence.text[: verb.start - sentence.start] if verb is not None else ""
    return before.rfind("《") > before.rfind("》")
