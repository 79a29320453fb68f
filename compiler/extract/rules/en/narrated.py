"""Reads sentences of accounts (`The clerk checks the claim. If it is complete, …`) from their syntax, as statements.

Policies prescribe, in duties, lists and numbered clauses, and cue words find their acts. An account says what is done,
in plain present tense; who does what to which thing then stands in the syntax alone.
"""

import re
from collections.abc import Iterator

from compiler.extract.narrative import words
from compiler.extract.narrative.acts import Act as Told
from compiler.extract.narrative.acts import Guard, SentenceContent
from compiler.extract.narrative.clauses import SentenceReader
from compiler.extract.narrative.phrases import doers
from compiler.extract.rules.en.sentences import EnglishReader
from compiler.extract.rules.statements import Act, ConditionCue, End, Statement
from compiler.text.lexicon import Lexicon
from compiler.text.sentences import Piece, is_overlong, sentences
from compiler.text.syntax import Parser
from ir.document import Document
from ir.procedure import StepKind
from ir.source import Span

LEAST_SENTENCES, FEW_DUTIES = 4, 0.5
"""From how many sentences on a text may be an account, and at most which share of them speaks of duties."""

_ARTICLE = re.compile(r"(?:the|an?|each|every|any|our|your)\s+(?=\S)", re.IGNORECASE)


def is_account(document: Document, cues: Lexicon) -> bool:
    """Whether a document is running text in which few sentences speak of duties, and no clause has a number."""
    blocks = [block for block in document.body() if block.kind != "heading"]
    if any(block.kind != "paragraph" or block.label is not None for block in blocks):
        return False
    told = [one for b in blocks for one in sentences(Piece(b.address, 0, len(b.text), b.text), "en")]
    bound = sum(cues.modal(one.text) is not None for one in told)
    return len(told) >= LEAST_SENTENCES and bound <= FEW_DUTIES * len(told)


class NarratedReader(EnglishReader):
    """Reads the sentences of an account; what its syntax tells nothing of is read by cue words.

    Args:
        document: all of it, since who acts anywhere is somebody who can act.
    """

    def __init__(self, document: Document, parser: Parser) -> None:
        super().__init__()
        self._parser = parser
        self._document = document
        whole = (Piece(b.address, 0, len(b.text), b.text) for b in document.body() if b.kind == "paragraph")
        trees = (parser.tree(one.text) for text in whole for one in sentences(text, "en") if not is_overlong(one.text))
        self._acting = doers(trees)

    def read(self, sentence: Piece, block_index: int, actor: Piece | None = None) -> tuple[Statement, ...]:
        """The statements of one sentence; see `EnglishReader.read`."""
        by_cues = super().read(sentence, block_index, actor)
        if is_overlong(sentence.text):
            return by_cues

        def place(start: int, end: int) -> Span:
            return self._document.span(sentence.block, sentence.start + start, sentence.start + end)

        told = SentenceReader(self._parser.tree(sentence.text), place, self._acting).read()
        found = tuple(_statements(told, sentence, block_index, actor)) if told is not None else ()
        by_syntax = sum(isinstance(one, Act) for one in found)
        return found if by_syntax > sum(isinstance(one, Act) for one in by_cues) else by_cues


def _statements(
    told: SentenceContent, sentence: Piece, block_index: int, actor: Piece | None
) -> Iterator[Statement]:  # fmt: skip
    for act in told.acts:
        yield _act(act, told, sentence, block_index, actor)
    if told.stops is not None and (cue := _condition(told.stops, sentence)) is not None:
        yield End(sentence, sentence, block_index, conditions=(cue,), ends="completed")


def _act(told: Told, content: SentenceContent, sentence: Piece, block_index: int, actor: Piece | None) -> Act:
    """An act with its people and things; its words reach from the first of them to the last."""
    mentioned = (told.verb, *told.objects, *told.recipients)
    first, last = min(span.start for span in mentioned), max(span.end for span in mentioned)
    kinds = words.kind_of_verb()
    kind: StepKind = kinds.get(told.verb.quote.lower(), kinds.get(told.lemma, "task"))
    guard = _condition(told.guard, sentence) if told.guard is not None else None
    return Act(
        sentence.part(first - sentence.start, last - sentence.start),
        sentence,
        block_index,
        actor=_without_article(_piece(told.actors, sentence)) or actor,
        verb=_piece((told.verb,), sentence),
        object=_piece(told.objects, sentence),
        recipient=_piece(told.recipients, sentence),
        conditions=(guard,) if guard is not None else (),
        parallel=told.beside is not None or content.meanwhile is not None,
        step_kind=kind,
    )


def _condition(guard: Guard, sentence: Piece) -> ConditionCue | None:
    if guard.condition is None:
        cue = _piece((guard.cue,), sentence)
        return ConditionCue(cue, mode="otherwise") if cue is not None else None
    piece = _piece((guard.condition,), sentence)
    if piece is None:
        return None
    return ConditionCue(piece, mode="unless" if guard.cue.quote.lower() == "unless" else "when")


def _without_article(piece: Piece | None) -> Piece | None:
    match = _ARTICLE.match(piece.text) if piece is not None else None
    return piece.part(match.end()) if piece is not None and match is not None else piece


def _piece(spans: tuple[Span, ...], sentence: Piece) -> Piece | None:
    if not spans:
        return None
    return sentence.part(spans[0].start - sentence.start, spans[0].end - sentence.start)
