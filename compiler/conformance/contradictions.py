"""Clauses of a document that cannot both be followed, as far as their words or conditions decide it.

Of acts: two sentences that demand the same act of the same people, by different times, or that demand and forbid it.
Of conditions: a way that leads to an act in cases in which it is forbidden, and two limits for one quantity. What may
be an exception, a stage of its own or a second signature is none: sentences under different conditions, with different
beginnings, or by different people.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from compiler.extract.rules.repeats import finished_act, says_again
from compiler.extract.rules.required_approvals import statements_of
from compiler.extract.rules.statements import Act, Duty, Rule, Statement
from compiler.grounding.coverage import carrying_elements, overlaps, spans_of
from compiler.text.lexicon import lexicon
from ir.document import Document
from ir.duration import duration_length
from ir.procedure import Procedure
from ir.source import Evidence

_SHORTEST = {"zh": 4, "en": 8}  # letters of an act that tell it from others


@dataclass(frozen=True)
class Contradiction:
    """Two passages that contradict each other.

    Args:
        what: in what, in words.
        sides: for each of the two, what it says and its words.
        steps: ids of the steps concerned.
        witness: values for which both hold, where it depends on values.
    """

    what: str
    sides: tuple[tuple[str, tuple[Evidence, ...]], tuple[str, tuple[Evidence, ...]]]
    steps: tuple[str, ...] = ()
    witness: dict[str, object] | None = None


@dataclass(frozen=True)
class _Act:
    """What a statement demands, so that it can be compared; `ended`: its words only say that it is finished."""

    statement: Statement
    who: str
    what: str
    ended: bool
    when: frozenset[str]
    begin: str
    lengths: frozenset[tuple[float, str]]
    deadline_words: str


def contradicting_acts(procedures: Iterable[Procedure], document: Document) -> Iterator[Contradiction]:
    """Sentences of which the procedures speak that demand one act by two times, or demand and forbid it."""
    told = spans_of(element for p in procedures if p.doc_id == document.doc_id for element in carrying_elements(p))
    acts = [
        act
        for statement in statements_of(document)
        if overlaps(statement.sentence, told) and (act := _act(statement, document.language)) is not None
    ]
    alike: dict[tuple[str, str], list[_Act]] = {}
    for act in acts:
        alike.setdefault((act.who, act.what), []).append(act)
    for one, other in (pair for several in alike.values() for pair in combinations(several, 2)):
        if one.statement.sentence.block != other.statement.sentence.block and _same(one, other):
            what = _difference(one, other)
            if what is not None:
                yield Contradiction(what, (_side(one, document), _side(other, document)))


def _act(statement: Statement, language: str) -> _Act | None:
    """The act of a statement; None where nobody or nothing definite is named."""
    if statement.actor is None or not isinstance(statement, Act | Rule | Duty):
        return None
    words = lexicon(language)
    text = statement.piece.text
    parts = [one.text for one in statement.after]
    parts += [one.piece.text for one in statement.deadlines]
    parts += [one.piece.text for one in statement.conditions]
    for part in (*sorted(parts, key=len, reverse=True), statement.actor.text):
        text = text.replace(part, "", 1)
    for modal in list(words.modals(text))[:1]:
        text = text[: modal.start()] + text[modal.end() :]
    core = _normalised(text)
    ended = finished_act(core)
    if ended is None and len(core) < _SHORTEST.get(language, 8):
        return None
    begins = [_normalised(deadline.start) for deadline in statement.deadlines if deadline.start]
    begins += [_normalised(one.text) for one in statement.after]
    spans = [deadline.duration for deadline in statement.deadlines if deadline.duration]
    lengths = frozenset(length for span in spans if (length := duration_length(span)) is not None)
    when = frozenset(_normalised(one.piece.text) for one in statement.conditions)
    said = ", ".join(deadline.piece.text for deadline in statement.deadlines if deadline.duration)
    return _Act(
        statement,
        _normalised(statement.actor.text),
        ended or core,
        ended is not None,
        when,
        "".join(begins),
        lengths,
        said,
    )


def _same(one: _Act, other: _Act) -> bool:
    """Whether two acts are one, under the same conditions and counted from the same.

    What only says that an act is finished (`审核完毕`) names it too briefly: then both must say after what.
    """
    if (one.who, one.what, one.when) != (other.who, other.what, other.when):
        return False
    if one.begin and other.begin:
        return says_again(one.begin, other.begin) or says_again(other.begin, one.begin)
    return not (one.ended or other.ended)


def _difference(one: _Act, other: _Act) -> str | None:
    """In what two statements of one act contradict each other."""
    forbidden = [act.statement.modality == "must_not" for act in (one, other)]
    if forbidden[0] != forbidden[1]:
        demanded = other if forbidden[0] else one
        return "one forbids what the other demands" if demanded.statement.modality == "must" else None
    if len(one.lengths) == 1 and len(other.lengths) == 1 and one.lengths != other.lengths and not forbidden[0]:
        return f"by when: “{one.deadline_words}” and “{other.deadline_words}”"
    return None


def _side(act: _Act, document: Document) -> tuple[str, tuple[Evidence, ...]]:
    sentence = act.statement.sentence
    span = document.span(sentence.block, sentence.start, sentence.end)
    return span.quote, (Evidence.from_span(span),)


def _normalised(words: str) -> str:
    """Words without case, spaces and punctuation."""
    return "".join(re.findall(r"\w+", words.lower()))
