"""What a document is for: rules, data, the facts of one run, or none of them."""

from collections.abc import Sequence

from compiler.context import Context
from compiler.extract.forms.tables import blanks, form_pairs, reference_tables
from compiler.extract.rules.readings import ProvisionReading
from compiler.extract.rules.segments import narrates
from compiler.extract.rules.statements import Act
from compiler.extract.rules.unread import FEW_SENTENCES, NORMED, may_bind
from compiler.text.lexicon import lexicon
from compiler.text.mentions import mentions_of
from compiler.text.sentences import Piece, sentences
from ir.document import Document
from ir.facts import DocumentRole

MIN_DUTIES = 3
MIN_ACTS = 2
MIN_ROWS = 5
MIN_PAIRS = 3
SHORT, SHORT_ACTS = 160, 1
"""Characters of a text so short that one act with a duty word may be all of its matter."""
SCATTERED = 0.1
"""Share of the sentences that bind somebody, below which they are remarks in a text of another kind."""
MIN_LEISURE = 4
LONGEST = 200
"""Sentences beyond which no more acts are asked for."""


def classify_document(ctx: Context, document: Document, told: Sequence[ProvisionReading]) -> DocumentRole:
    """Tell a document's role by what fills it: duties, rows of one kind, or keys with values.

    What looks like data or a form is a policy all the same where its sentences or tables bind somebody to act; what
    speaks of duties is one only where some role is bound, in sentences that do not tell a story. The reason names the
    counts, so that a person can see why.

    Args:
        told: what its provisions say.
    """
    cues = lexicon(document.language)
    text = [block for block in document.body() if block.kind != "table"]
    duties = sum(sum(1 for _ in cues.modals(block.text)) for block in text)
    words = sum(len(block.text) for block in text) or 1
    in_tables = sum(len(cell.text) for block in document.body() for cell in block.cells)
    found = list(form_pairs(document))
    in_pairs = sum(len(pair.key) + len(pair.value) for pair in found)
    pairs = len(found) + blanks(document)
    rows = max((len(table.rows) for table in reference_tables(document, mentions_of(ctx.catalog))), default=0)
    counts = f"{duties} duty words, {pairs} keys with values, {rows} rows of data"

    def role(name: str, why: str) -> DocumentRole:
        return DocumentRole.model_validate({"doc_id": document.doc_id, "role": name, "reason": f"{why}: {counts}"})

    acts, by_rows = _binding(document, told), _rows_of_rules(told)
    counts += f", {acts:g} acts that bind somebody, {by_rows} rows of rules"
    if not by_rows and not _names_roles(document, told) and (words_of := _leisure(document)) is not None:
        return role("none", f"reads as the guide to a game or a kitchen does ({words_of})")
    if (
        rows >= MIN_ROWS
        and in_tables > words
        and by_rows * 2 < rows
        and not (acts >= MIN_ACTS and duties >= MIN_DUTIES)
    ):
        return role("reference", "mostly a table of data")
    mostly_pairs = in_pairs * 2 >= words + in_tables or pairs * 24 >= words
    if pairs >= MIN_PAIRS and mostly_pairs and by_rows < MIN_ACTS and acts < max(MIN_ACTS, pairs / 3):
        return role("form", "mostly keys with values")
    norms = sum(len(each.norms) for each in told)
    counts += f", {norms} rules" if norms else ""
    length = _sentences(document)
    if norms and length < LONGEST and norms >= NORMED * length:
        return role("policy", "sets limits")
    said = any(may_bind(Piece(block.address, 0, len(block.text), block.text), cues) for block in text)
    if length <= FEW_SENTENCES and not in_tables and pairs <= said and (acts or duties or said):
        return role("policy", "prescribes")
    least = SHORT_ACTS if words < SHORT and duties else MIN_ACTS
    if by_rows >= MIN_ACTS or acts >= max(least, SCATTERED * _sentences(document)):
        return role("policy", "prescribes")
    if rows >= 2 and in_tables * (1 if rows < MIN_ROWS else 3) > words:
        return role("reference", "mostly a table of data")
    return role("none", "prescribes nothing")


def _sentences(document: Document) -> int:
    """Sentences of the running text; of long documents only so many as count."""
    blocks = [block for block in document.body() if block.kind not in ("table", "heading")]
    pieces = (Piece(b.address, 0, len(b.text), b.text).part(b.body_start) for b in blocks)  # `1.` is no sentence
    return min(LONGEST, sum(len(sentences(piece, document.language)) for piece in pieces))


def _names_roles(document: Document, told: Sequence[ProvisionReading]) -> bool:
    """Whether somebody is named who acts, or the title calls it a procedure."""
    cues = lexicon(document.language)
    acts = [s.actor.text for each in told for s in each.statements if isinstance(s, Act) and s.actor is not None]
    named = [who for who in acts if not cues.pattern("speakers").fullmatch(who)]
    return len(named) >= MIN_ACTS or cues.pattern("segments", "procedure").search(document.title) is not None


def _leisure(document: Document) -> str | None:
    """The words of games and kitchens in a text that names nobody who must act; None where there are few."""
    cues = lexicon(document.language)
    found = {match[0].lower() for block in document.body() for match in cues.pattern("leisure").finditer(block.text)}
    return ", ".join(sorted(found)[:MIN_LEISURE]) if len(found) >= MIN_LEISURE else None


def _binding(document: Document, told: Sequence[ProvisionReading]) -> float:
    """How many acts bind somebody: a role's act with a duty word or of a telling kind, or a command in a list.

    A role's plain act without a duty word counts half, since stories tell such acts as well; `we` and `you` of
    speeches and advertisements count a quarter.
    """
    kinds = {block.address: block.kind for block in document.blocks}
    acts = [s for each in told if each.provision.block.kind != "table" for s in each.statements if isinstance(s, Act)]
    return sum(_weight(act, kinds.get(act.piece.block) == "list_item", document.language) for act in acts)


def _weight(act: Act, listed: bool, language: str) -> float:
    if narrates(act.sentence.text):
        return 0
    begins = act.verb is not None and act.verb.start == act.piece.start
    if act.actor is None:
        return 1 if listed and begins else 0
    if lexicon(language).pattern("speakers").fullmatch(act.actor.text):
        return 0.25
    duty = lexicon(language).modal(act.sentence.text) is not None
    return 1 if duty or act.step_kind != "task" or act.conditions or act.deadlines else 0.5


def _rows_of_rules(told: Sequence[ProvisionReading]) -> int:
    """How many acts the tables tell."""
    tables = [each for each in told if each.provision.block.kind == "table"]
    return sum(isinstance(statement, Act) for each in tables for statement in each.statements)
