"""Reads an account of a process, `The clerk checks the claim. If it is complete, …`, from the parse of its sentences.

Policies prescribe, in duties, lists and numbered clauses, and cue words find their steps (`extract`). An account says
what is done, in plain present tense; who does what to which thing then stands in the syntax alone.
"""

from collections.abc import Iterator

from compiler.extract.narrative import words
from compiler.extract.narrative.acts import Act, SentenceContent
from compiler.extract.narrative.clauses import SentenceReader
from compiler.extract.narrative.phrases import doers
from compiler.text.dependencies import Tree
from compiler.text.names import safe_name
from compiler.text.sentences import Piece, sentences
from compiler.text.syntax import Parser, parser
from evals.pet.narrative_flows import FlowBuilder
from ir.document import Document
from ir.procedure import Action, Constraint, Procedure, Step, StepKind
from ir.source import Evidence, Span


def read_narrative(document: Document, using: Parser | None = None) -> Procedure:
    """The process that an English document tells of; without steps where it tells of none.

    A step is one verb, with an action for each of its objects and people. What an act is done into, and to what
    purpose, are constraints on its step.

    Args:
        using: the parser; that of the `syntax` extra.

    Raises:
        BadSetting: the `syntax` extra is not installed.
    """
    tellings = tuple(_tellings(document, using or parser()))
    builder = FlowBuilder()
    steps: list[Step] = []
    constraints: list[Constraint] = []
    for telling in tellings:
        named = [(f"s{len(steps) + at}", act) for at, act in enumerate(telling.acts, start=1)]
        builder.take(telling, named)
        for name, act in named:
            steps.append(_step(name, act, telling.sentence, document))
            constraints += _manners(name, act, len(constraints))
    builder.finish()
    return Procedure(
        id=safe_name(document.title),
        title=document.title,
        doc_id=document.doc_id,
        language="en",
        extent=tuple(dict.fromkeys(telling.sentence.block for telling in tellings)),
        steps=tuple(steps),
        conditions=tuple(builder.conditions),
        flows=tuple(builder.flows) if steps else (),
        constraints=tuple(constraints),
        method="syntax",
    )


def _tellings(document: Document, using: Parser) -> Iterator[SentenceContent]:
    parsed: list[tuple[Piece, Tree]] = []
    for block in document.body():
        if block.kind in ("paragraph", "list_item"):
            whole = Piece(block.address, block.body_start, len(block.text), block.body)
            parsed += [(piece, using.tree(piece.text)) for piece in sentences(whole, "en")]
    acting = doers(tree for _, tree in parsed)
    for piece, tree in parsed:

        def place(start: int, end: int, piece: Piece = piece) -> Span:
            return document.span(piece.block, piece.start + start, piece.start + end)

        telling = SentenceReader(tree, place, acting).read()
        if telling is not None:
            yield telling


def _step(name: str, act: Act, sentence: Span, document: Document) -> Step:
    mentioned = (act.verb, *act.objects, *act.recipients)
    first, last = min(span.start for span in mentioned), max(span.end for span in mentioned)
    kinds = words.kind_of_verb()
    kind: StepKind = kinds.get(act.verb.quote.lower(), kinds.get(act.lemma, "task"))
    return Step(
        id=name,
        text=document.span(sentence.block, first, last).quote,
        kind=kind,
        actor=act.actors[0].quote if act.actors else None,
        object=act.objects[0].quote if act.objects else None,
        recipient=act.recipients[0].quote if act.recipients else None,
        actions=tuple(_actions(act)),
        evidence=(Evidence.from_span(sentence),),
    )


def _actions(act: Act) -> Iterator[Action]:
    """As many actions as the longest list of the act's objects or people has; a shorter list stays at its last."""

    def nth(spans: tuple[Span, ...], at: int) -> Span | None:
        return spans[min(at, len(spans) - 1)] if spans else None

    for at in range(max(1, len(act.actors), len(act.objects), len(act.recipients))):
        yield Action(
            verb=act.verb, object=nth(act.objects, at), actor=nth(act.actors, at), recipient=nth(act.recipients, at)
        )


def _manners(step: str, act: Act, known: int) -> Iterator[Constraint]:
    for number, span in enumerate(act.manners, start=known + 1):
        yield Constraint(
            id=f"k{number}", text=span.quote, modality="must", steps=(step,), evidence=(Evidence.from_span(span),)
        )
