"""The questions that a document leaves open, each at the words that leave it."""

from collections.abc import Iterable

from compiler.extract.rules.flows import Route
from compiler.extract.rules.statements import Statement
from compiler.text.lexicon import Lexicon
from compiler.text.sentences import Piece
from ir.predicate import Compare, Literally, Ref, leaves
from ir.procedure import Constraint, Gap, GapKind
from ir.source import Evidence, Span


class Questions:
    """Gathers open questions; the same words are asked about once for each kind.

    Args:
        cues: words that leave something open, and how the question is put.
    """

    def __init__(self, cues: Lexicon, doc_id: str, gaps: Iterable[Gap] = ()) -> None:
        self.cues, self.doc_id = cues, doc_id
        self.gaps: list[Gap] = list(gaps)

    def ask(self, kind: GapKind, question: str, piece: Piece, *about: str, words: str | None = None) -> None:
        """Add a question; `question` names its wording in the cues.

        Args:
            words: those that it is about, where they are fewer than the piece.
        """
        span = Span(doc_id=self.doc_id, block=piece.block, start=piece.start, end=piece.end, quote=piece.text)
        evidence = (Evidence.from_span(span),)
        if any(gap.kind == kind and gap.evidence == evidence for gap in self.gaps):
            return
        text = str(self.cues.table("questions")[question]).format(
            words=piece.text if words is None else words, sentence=piece.text
        )
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

    def of_rests(self, routes: list[Route]) -> None:
        """Cases that are taken for what the others leave over, and may be more or less."""
        for evidence in dict.fromkeys(one for route in routes for one in route.unsure):
            if evidence.block is not None:
                piece = Piece(evidence.block, evidence.start or 0, evidence.end or 0, evidence.quote)
                self.ask("unclear_condition", "unread", piece, words=evidence.quote)

    def of_borders(self, routes: list[Route]) -> None:
        """Limits that a rule below and a rule above both include: which of them applies there?"""
        met: dict[tuple[Ref, str], set[str]] = {}
        for route in routes:
            for leaf in leaves(route.condition) if route.condition else ():
                if not (isinstance(leaf, Compare) and isinstance(leaf.left, Ref) and isinstance(leaf.right, Literally)):
                    continue
                seen = met.setdefault((leaf.left, repr(leaf.right.value)), set())
                seen.add(leaf.op)
                if {"lte", "gte"} <= seen and route.evidence and route.evidence[0].block is not None:
                    where = route.evidence[0]
                    piece = Piece(where.block or "", where.start or 0, where.end or 0, where.quote)
                    self.ask("ambiguity", "border", piece, route.target)
