"""Words that decide something and were read into nothing: each sentence that holds some becomes a question.

Quantities with a comparison, conditions, exceptions, negations, deadlines and words for order decide what a sentence
prescribes. Where the procedure rests on a sentence (a step was read from it, or it forbids or demands) and none of its
conditions, deadlines, rules and questions covers such words, the draft would be silently wrong.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiler.extract.rules.questions import Questions
from compiler.extract.rules.readings import ProvisionReading
from compiler.extract.rules.statements import Act, End, Jump, Skip
from compiler.grounding.coverage import Spans, overlaps, spans_of
from compiler.text.lexicon import Lexicon
from compiler.text.limits import limits_in, numbers_told
from compiler.text.sentences import Piece, is_overlong, sentences
from ir.procedure import Constraint, Flow, Procedure
from ir.quantities.numerals import find_numbers
from ir.quantities.units import find_quantities
from ir.source import Evidence, Span

NORMED = 0.3
"""Share of the sentences that forbid or demand, from which on a text is one of rules, although nobody acts in it."""
FEW_SENTENCES = 3
"""Sentences of a text so short that each of them matters."""
_WITHIN = re.compile(r"\s*(?:之?内|以内)")
_ORDER = re.compile(r"before|after|once|prior to|until|之?前|后", re.IGNORECASE)
_QUOTED = re.compile(r"《[^》]*》|“[^”]*”|\"[^\"]*\"|[(（][^)）]*[)）]")


@dataclass(frozen=True)
class Unread:
    """A sentence with the words in it that decide something and were read into nothing."""

    sentence: Piece
    words: tuple[Piece, ...]


def ask_about_unread(
    procedure: Procedure, told: Sequence[ProvisionReading], cues: Lexicon, texts: dict[str, str]
) -> Procedure:
    """The procedure with a question for each sentence that it rests on and does not carry as a whole, and for tables.

    Args:
        told: what its provisions say.
        texts: of the blocks, by address.
    """
    acting = {
        (s.sentence.block, s.sentence.start)
        for t in told
        for s in t.statements
        if isinstance(s, Act | Jump | Skip | End)
    }
    known = list(dict.fromkeys(piece for each in told for piece in _sentences(each, cues.language)))
    whole = not procedure.steps or len(known) <= FEW_SENTENCES
    rests: list[tuple[Piece, bool]] = []
    for piece in known:
        before = rests[-1] if rests and rests[-1][0].block == piece.block and rests[-1][1] else None
        goes_on = before is not None and (before[0].text[-1:] in ";；" or _opens_with_condition(piece, cues))
        rests.append((piece, whole or goes_on or (piece.block, piece.start) in acting))
    questions = Questions(cues, procedure.doc_id, procedure.gaps)
    for cell, words_of_table in (unclear for each in told for unclear in each.unclear):
        questions.ask("unclear_condition", "table", cell, words=words_of_table)
    cues_of = ((s.sentence, cue.piece) for t in told for s in t.statements for cue in s.conditions)
    for sentence, condition in cues_of:
        if cues.patterns("unread").swallows.search(condition.text):
            questions.ask("unclear_condition", "unread", sentence, words=condition.text)
    for unread in unread_words(rests, procedure, cues, texts, whole=whole):
        words = "”、“".join(piece.text for piece in unread.words)
        questions.ask("unclear_condition", "unread", unread.sentence, words=words)
    return procedure.model_copy(update={"gaps": tuple(questions.gaps)})


def _sentences(told: ProvisionReading, language: str) -> Iterator[Piece]:
    """The sentences of a provision, in the order of the words; a table has none."""
    if told.provision.block.kind != "table":
        found = sentences(told.provision.piece, language)
        yield from (sentence for sentence in found if not is_overlong(sentence.text))  # listed as not read


def unread_words(
    sentences: Iterable[tuple[Piece, bool]],
    procedure: Procedure,
    cues: Lexicon,
    texts: dict[str, str],
    *,
    whole: bool,
) -> Iterator[Unread]:
    """The sentences that a procedure rests on with deciding words that none of its elements covers.

    Args:
        sentences: those of its provisions; whether it rests on each.
        texts: of the blocks, by address.
        whole: these sentences are all that there is, so that one of which nothing was read is asked about as a whole.
    """
    occasions = _occasions(procedure)
    covered = _covered(procedure, cues)
    if whole:  # what only starts the procedure decides, where there is nothing else
        covered = {block: [run for run in runs if (block, *run) not in occasions] for block, runs in covered.items()}
    carried = list(_carried(procedure, cues, texts))
    told = spans_of(procedure.steps)
    for sentence, rests in sentences:
        if not rests:
            continue
        beside = covered.get(sentence.block, ())
        inside = any(begin <= sentence.start and sentence.end <= end for begin, end in beside)
        if whole and not inside and not overlaps(sentence, told):
            yield Unread(sentence, (sentence,))
            continue
        left = [
            p
            for p in _deciding(sentence, cues)
            if (p.block, p.start, p.end) not in carried
            and not (
                _in_order(p, procedure, cues, texts, whole=whole)
                if _ORDER.fullmatch(p.text)
                else _stands_in(p, beside, cues, texts) or _follows(p, sentence, procedure, cues)
            )
        ]
        left += [
            p
            for p in _kinds(sentence, cues)
            if not any(b < p.end and p.start < e for b, e in beside if (p.block, b, e) not in occasions)
        ]
        if left:
            yield Unread(sentence, tuple(dict.fromkeys(left)))


def _opens_with_condition(sentence: Piece, cues: Lexicon) -> bool:
    """Whether a sentence begins with a case, so that it goes on from the one before."""
    pattern = cues.patterns("unread").opens
    return pattern.match(sentence.text) is not None


def binds(text: Piece, cues: Lexicon) -> bool:
    """Whether a text forbids, demands or limits anything, by its words alone."""
    pattern = cues.patterns("unread").deciding
    said = pattern.search(text.text) is not None or cues.modal(text.text) is not None
    timed = any(q.duration and _WITHIN.match(text.text, q.end) for q in find_quantities(text.text))
    return said or timed or bool(limits_in(text.text, cues))


def may_bind(text: Piece, cues: Lexicon) -> bool:
    """Whether a text so short that it is all there is may prescribe something: it binds, has numbers or orders."""
    if binds(text, cues):
        return True
    past = cues.patterns("unread").past.search(text.text) is not None
    return not past and (cues.patterns("unread").loose.search(text.text) is not None or bool(find_numbers(text.text)))


def _deciding(sentence: Piece, cues: Lexicon) -> Iterator[Piece]:
    aside = [match.span() for match in _QUOTED.finditer(sentence.text)]
    for quantity in find_quantities(sentence.text):
        if quantity.duration:
            yield sentence.part(quantity.start, quantity.end)
    limits = limits_in(sentence.text, cues)
    for limit in limits:
        yield sentence.part(limit.start, limit.end)
    for begin, end in numbers_told(sentence.text, cues):
        if not any(limit.start < end and begin < limit.end for limit in limits):
            yield sentence.part(begin, end)
    led = cues.patterns("unread").led.match(sentence.text)
    if led is not None:
        yield sentence.part(led.start("what"), led.end("what"))
    for match in cues.patterns("unread").deciding.finditer(sentence.text):
        if not any(begin <= match.start() < end for begin, end in aside):
            yield sentence.part(match.start(), match.end())


def _kinds(sentence: Piece, cues: Lexicon) -> Iterator[Piece]:
    """The words that say of what kind the thing is that is acted upon."""
    aside = [match.span() for match in _QUOTED.finditer(sentence.text)]
    for match in cues.patterns("unread").kind.finditer(sentence.text):
        if not any(begin <= match.start() < end for begin, end in aside):
            yield sentence.part(match.start(match.lastgroup or 0), match.end(match.lastgroup or 0))


def _occasions(procedure: Procedure) -> frozenset[tuple[str | None, int | None, int | None]]:
    """Where the words stand that only start the procedure: a kind named there decides nothing once it runs."""
    told = (trigger.evidence for trigger in procedure.triggers if trigger.condition is None)
    return frozenset((e.block, e.start, e.end) for several in told for e in several)


def _covered(procedure: Procedure, cues: Lexicon) -> dict[str, list[tuple[int, int]]]:
    """By block the runs of words that conditions, flows, rules, deadlines, triggers and questions rest on."""
    found: dict[str, list[tuple[int, int]]] = {}
    acts = spans_of(procedure.steps)
    verbs = {step.id: [action.verb for action in step.actions] for step in procedure.steps}
    elements: Sequence[tuple[Evidence, ...]] = [
        *(condition.evidence for condition in procedure.conditions if condition.predicate is not None),
        *(flow.evidence for flow in procedure.flows if flow.condition is not None and not _is_own(flow, verbs)),
        *(rule.evidence for rule in procedure.constraints if _speaks(rule, acts)),
        *(step.deadline.evidence for step in procedure.steps if step.deadline is not None),
        *(
            trigger.evidence
            for trigger in procedure.triggers
            if not cues.patterns("unread").finite.search(trigger.text)
            and (trigger.condition or not limits_in(trigger.text, cues))
        ),
        *(gap.evidence for gap in procedure.gaps if gap.kind != "undefined_exception"),
        *(text.evidence for text in procedure.unplaced),
    ]
    for evidence in (item for several in elements for item in several):
        if evidence.block is not None and evidence.start is not None and evidence.end is not None:
            found.setdefault(evidence.block, []).append((evidence.start, evidence.end))
    return found


def _is_own(flow: Flow, verbs: Mapping[str, Sequence[Span]]) -> bool:
    """Whether a way is taken `otherwise` only since the others have conditions: its words are those of its step."""
    return flow.condition == "otherwise" and any(
        e.block == verb.block and (e.start or 0) <= verb.start < (e.end or 0)
        for e in flow.evidence
        for verb in verbs.get(flow.target, ())
    )


def _speaks(rule: Constraint, acts: Spans) -> bool:
    """Whether a rule carries the words of its sentence: it is definite, or asked about whole where not enforced."""
    places = [Piece(e.block, e.start or 0, e.end or 0, e.quote) for e in rule.evidence if e.block is not None]
    beside = any(overlaps(place, acts) for place in places)
    return rule.predicate is not None or (rule.modality in ("must", "must_not") and not beside)


def _carried(procedure: Procedure, cues: Lexicon, texts: dict[str, str]) -> Iterator[tuple[str, int, int]]:
    """The quantities that only say how a step is done (`obtain at least three quotations`): its words carry them."""
    for step in procedure.steps:
        verbs = [action.verb for action in step.actions]
        if step.kind in ("approval", "decision", "check") or not verbs:
            continue
        for evidence in step.evidence:
            if evidence.block is None or evidence.start is None:
                continue
            limits = [
                (limit.start, limit.end) for limit in limits_in(evidence.quote, cues) if not limit.quantity.duration
            ]
            told = [
                (begin, end)
                for begin, end in numbers_told(evidence.quote, cues, known=True)
                if not any(a < end and begin < b for a, b in limits)
            ]
            for first, last in (*limits, *told):
                begin, end = evidence.start + first, evidence.start + last
                modal = cues.modal(evidence.quote) if cues.language == "zh" else None
                after = any(
                    verb.block == evidence.block
                    and verb.end <= begin + 1
                    and (cues.language == "zh" or _is_how_many(evidence.quote, verb.end - evidence.start, first))
                    for verb in verbs
                )
                after = after or (modal is not None and modal.end() <= first)
                if after:
                    yield evidence.block, begin, end


def _is_how_many(text: str, verb_end: int, limit_start: int) -> bool:
    """Whether a limit says how many of what an act gets or gives, and not of which things it is done.

    `obtains at least three quotations`, and not `submits receipts for expenses over $25`.
    """
    between = text[max(0, verb_end) : limit_start]
    return re.search(r"\b(?:for|of|on|in|with|to)\b", between) is None


def _in_order(words: Piece, procedure: Procedure, cues: Lexicon, texts: dict[str, str], *, whole: bool) -> bool:
    """Whether `before` or `after` stands in an occasion, deadline or question, or leads to words of another step."""
    elements = (
        *(t.evidence for t in procedure.triggers if not whole and not cues.patterns("unread").finite.search(t.text)),
        *(rule.evidence for rule in procedure.constraints),
        *(step.deadline.evidence for step in procedure.steps if step.deadline is not None),
        *(gap.evidence for gap in procedure.gaps if gap.kind != "undefined_exception"),
    )
    spans = [(e.start or 0, e.end or 0) for evidence in elements for e in evidence if e.block == words.block]
    if any(begin <= words.end + 1 and words.start <= end for begin, end in spans):
        return True
    acted = [(e.start or 0, e.end or 0) for step in procedure.steps for e in step.evidence if e.block == words.block]
    text = texts.get(words.block, "")
    if cues.language == "zh":  # what is done first stands before the word
        clause = max(text.rfind(mark, 0, words.start) for mark in "，。；,;") + 1
        return any(clause <= begin < words.start for begin, _ in acted)
    after = re.search(r"[,.;]", text[words.end :])
    return any(words.end <= begin < words.end + (after.start() if after else len(text)) for begin, _ in acted)


def _follows(words: Piece, sentence: Piece, procedure: Procedure, cues: Lexicon) -> bool:
    """Whether words by which one act follows another (`核对后方可发货`) stand between two steps, each read alone."""
    match = cues.patterns("unread").once_done.search(sentence.text[: words.start - sentence.start])
    if match is None:
        return False
    first, then = sentence.start + match.start(), sentence.start + match.end()
    places = [e for step in procedure.steps for e in step.evidence if e.block == words.block and e.start is not None]
    done = any(sentence.start <= (e.start or 0) and (e.end or 0) <= first + 1 for e in places)
    return done and any(first < (e.start or 0) <= then for e in places)


def _stands_in(words: Piece, covered: Sequence[tuple[int, int]], cues: Lexicon, texts: dict[str, str]) -> bool:
    """Whether words stand in, or open or close, a run that something rests on."""
    for begin, end in covered:
        if begin <= words.start and words.end <= end:
            return True
        between = texts.get(words.block, "")[words.end : begin] if words.end <= begin else None
        if between is not None and len(between) <= 12 and not re.search(r"[.;；。,，]", between):
            return True
        if cues.language == "zh" and words.text.startswith("的") and end <= words.start <= end + 3:
            return True
        if words.start < end and begin < words.end and words.end - words.start > 2:
            return True
    return False
