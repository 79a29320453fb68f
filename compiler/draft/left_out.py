"""Conditions that the text has and a model's reading leaves out, as questions for a person."""

from collections.abc import Iterator

from compiler.context import Context
from compiler.extract.rules.required_approvals import statements_of
from compiler.extract.rules.statements import Act, End, Jump
from compiler.fates.bearers import Bearer, Part, concerns
from compiler.grounding.coverage import Spans, overlaps, spans_of
from compiler.text.lexicon import lexicon
from compiler.text.sentences import Piece
from ir.document import Document
from ir.procedure import DETERMINISTIC, Gap, Procedure
from ir.source import Evidence
from ir.workflow import Workflow

_TELLS = ("edge", "guard", "rule", "gap", "trigger", "constraint", "unplaced")
"""What can say on which condition something is done."""


def ask_of_left_out(
    ctx: Context, draft: Workflow, procedure: Procedure, documents: tuple[Document, ...]
) -> Workflow:  # fmt: skip
    """The draft with a question for each condition that the cue words find and nothing of a model's reading rests on.

    Only in sentences that the draft carries out: of the others it is said that they are not carried.
    """
    if procedure.method in DETERMINISTIC:
        return draft
    known = len(draft.gaps)
    asked = [
        Gap(id=f"g{known + number}", kind="unclear_condition", question=text, about=about, evidence=(evidence,))
        for number, (text, about, evidence) in enumerate(_left_out(draft, procedure, documents), 1)
    ]
    return draft.model_copy(update={"gaps": (*draft.gaps, *asked)})


def _left_out(
    draft: Workflow, procedure: Procedure, documents: tuple[Document, ...]
) -> Iterator[tuple[str, tuple[str, ...], Evidence]]:  # fmt: skip
    part = Part(draft, procedure)
    for document in (one for one in documents if one.doc_id == procedure.doc_id):
        bearers = part.bearers(document)
        conditions = spans_of((*procedure.conditions, *procedure.flows))
        question = str(lexicon(document.language).table("questions")["left_out"])
        seen: set[Piece] = set()
        for said in statements_of(document):
            acts = [one for one in bearers.get(said.sentence.block, ()) if _carries(one, said.sentence)]
            if not isinstance(said, Act | Jump | End) or not acts:
                continue
            for cue in said.conditions:
                if cue.piece in seen or _is_told(cue.piece, bearers.get(cue.piece.block, ()), conditions):
                    continue
                seen.add(cue.piece)
                span = document.span(cue.piece.block, cue.piece.start, cue.piece.end)
                names = tuple(dict.fromkeys(one.name.partition(":")[2] for one in acts))
                yield question.format(words=cue.piece.text), names, Evidence.from_span(span)


def _carries(bearer: Bearer, sentence: Piece) -> bool:
    return bearer.name.startswith("node:") and concerns(bearer, sentence)


def _is_told(piece: Piece, bearers: list[Bearer] | tuple[Bearer, ...], conditions: Spans) -> bool:
    """Whether something that can say a condition rests on its words."""
    said = (one for one in bearers if one.name.partition(":")[0] in _TELLS)
    return overlaps(piece, conditions) or any(concerns(one, piece) for one in said)
