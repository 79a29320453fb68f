"""The questions that a document leaves open, each at the words that leave it."""

from collections.abc import Iterable

from compiler.extract.rules.statements import Statement
from compiler.text.lexicon import Lexicon
from compiler.text.sentences import Piece
from ir.procedure import Constraint, Gap, GapKind
from ir.source import Evidence, Span


class Questions:
    """Gathers open questions; the same words are asked about once for each kind.

    Args:
        cues: words that leave something open, and how the question is put.
    """

    def __init__(self, cues: Lexicon, doc_id: str) -> None:
        self.cues, self.doc_id = cues, doc_id
        self.gaps: list[Gap] = []

    def ask(self, kind: GapKind, question: str, piece: Piece, *about: str) -> None:
        """Add a question; `question` names its wording in the cues."""
        span = Span(doc_id=self.doc_id, block=piece.block, start=piece.start, end=piece.end, quote=piece.text)
        evidence = (Evidence.from_span(span),)
        if any(gap.kind == kind and gap.evidence == evidence for gap in self.gaps):
            return
        text = str(self.cues.table("questions")[question]).format(words=piece.text)
        self.gaps.append(Gap(id=f"g{len(self.gaps) + 1}", kind=kind, question=text, about=about, evidence=evidence))

    def of_statement(self, statement: Statement, step: str) -> None:
        """Deadlines without a value, conditions left to judgement, roles that name nobody, words without a measure."""
        dated = any(deadline.duration for deadline in statement.deadlines)
        for deadline in statement.deadlines:
            if deadline.duration is None and not dated:
                self.ask("missing_parameter", "deadline", deadline.piece, step)
        for condition in statement.conditions:
            if condition.vague:
                self.ask("unclear_condition", "condition", condition.piece, step)
        if statement.actor and statement.actor.text in self.cues.words("vague_roles"):
            self.ask("undefined_role", "role", statement.actor, step)
        for word in self.cues.words("ambiguous"):
            if (place := statement.piece.find(word)) is not None:
                self.ask("ambiguity", "word", place, step)

    def of_constraints(self, constraints: Iterable[Constraint]) -> None:
        """Words without a measure in the rules that bind steps."""
        for constraint in constraints:
            for evidence in constraint.evidence[:1]:
                piece = Piece(evidence.block or "", evidence.start or 0, evidence.end or 0, evidence.quote)
                for word in self.cues.words("ambiguous"):
                    if (place := piece.find(word)) is not None:
                        self.ask("ambiguity", "word", place, *constraint.steps)
