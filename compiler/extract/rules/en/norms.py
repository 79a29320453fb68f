"""English norms: `No employee may accept …`, `… shall not exceed …`, `Only … may …`, `… are refused if …`."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from compiler.extract.rules.classes import in_a_row
from compiler.extract.rules.en.words import word_set
from compiler.extract.rules.statements import ConditionCue, Norm, distinct
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.limits import Limit, limits_a_part, limits_in
from compiler.text.measures import quantities_in
from compiler.text.sentences import Piece
from ir.predicate import CompareOp

PATTERN = lexicon("en").patterns("norms")

_I = re.IGNORECASE
_PREPOSITIONS = word_set("only_prepositions")


class EnglishNorms:
    """Cuts English sentences that forbid, demand or allow."""

    def __init__(self, cues: Lexicon) -> None:
        self.cues = cues

    def read(self, sentence: Piece, before: Piece | None = None) -> Norm | None:
        """The norm that a sentence is; None where it is none, or not understood as a whole.

        Args:
            before: the sentence before it, to which `such vehicles` goes back.
        """
        body = sentence.part(0, len(sentence.text.rstrip(" .;!")))
        if not body.text or ";" in body.text or PATTERN.keeps.search(body.text) or limits_a_part(body.text):
            return None
        scope: list[ConditionCue] = []
        held: list[ConditionCue] = []
        if PATTERN.back.match(body.text):
            known = self._restrictions(before.part(0, len(before.text.rstrip(" .;")))) if before is not None else []
            if not known:
                return None
            scope += known
        main, never = self._opened(body, scope)
        if main is None:
            return None
        if never and (turned := re.match(r"(?:is|are|may|must|shall|should|can|will)\s+", main.text, _I)):
            if re.search(r"\bto\s+be\s+\w+\s+(?:in|by|with|for|on|at|from)\b", main.text, _I):
                return None  # how it is done is told after `to be …`, inside what it is done to
            core = self._closed(main.part(turned.end()), scope, held)
            return self._forbidding(sentence, core, scope, held) if core is not None else None
        core = self._closed(main, scope, held)
        if core is None:
            return None
        return self._core(sentence, core, scope, held)

    def exempted(self, sentence: Piece) -> ConditionCue | None:
        """The case in which what the sentence before says does not hold (`This does not apply to fire engines`)."""
        match = PATTERN.exempt.match(sentence.text)
        words = sentence.part(match.end(), len(sentence.text.rstrip(" .;"))) if match else None
        return ConditionCue(words, "unless") if words is not None and words.text else None

    # --- adjuncts ---------------------------------------------------------------------------------------------------

    def _opened(self, body: Piece, scope: list[ConditionCue]) -> tuple[Piece | None, bool]:
        """The sentence without the conditions that open it; whether it opens with `under no circumstances`."""
        match = PATTERN.opening.match(body.text)
        if match is None:
            return body, False
        if match["never"]:
            rest = body.part(match.end())
            return rest.part(1) if rest.text.startswith(",") else rest, True
        comma = _comma(body.text, match.end())
        if comma is None:
            return body, False
        words = body.part(match.end(), comma)
        if match["unless"]:
            scope.append(self._clause(words, "unless"))
        elif match["when"]:
            if match["when"].lower() in ("until", "before"):
                return None, False
            occasion = re.match(r"[a-z]+ing\b", words.text) is not None and match["when"].lower() in ("when", "while")
            if match["when"].lower() != "during" and not occasion:
                scope.append(self._clause(words))
        elif match["at"] and match["at"].lower() == "without":
            scope.append(ConditionCue(body.part(match.start("at"), comma)))
        return body.part(comma + 1), False

    def _closed(self, main: Piece, scope: list[ConditionCue], held: list[ConditionCue]) -> Piece | None:
        """The main clause without the conditions and exceptions after it; None where it goes on behind them."""
        for match in PATTERN.closing.finditer(main.text):
            core, words = main.part(0, match.start()), main.part(match.end())
            norm = PATTERN.deontic.search(core.text) or PATTERN.starts.search(core.text)
            if match.start() < 8 or not words.text or not norm:
                continue
            if match["unless"] is None and _in_relative(main.text, match.start()):
                continue
            if match["only"] is not None:
                return self._closed_by_only(main, core, match, held)
            alone = (
                match["without"] is not None and "," not in words.text and PATTERN.closing.search(words.text) is None
            )
            if alone and limits_in(words.text, self.cues):
                scope.append(ConditionCue(words, "unless", measured=True))  # `without a break of at least 45 minutes`
            elif match["without"] is not None:
                scope.append(ConditionCue(main.part(match.start("without"))))
            elif match["unless"] is not None or match["when"].lower() == "until":
                scope.append(self._clause(words, "unless"))
            elif match["when"].lower() == "before":
                return None
            elif match["when"].lower() == "during":
                continue
            else:
                scope.append(self._clause(words))
            return self._closed(core, scope, held)
        return main

    def _closed_by_only(self, main: Piece, core: Piece, match: re.Match[str], held: list[ConditionCue]) -> Piece | None:
        """What has to hold where something is allowed `only if …`, `only with …`, `only to …`."""
        word = match["only"].lower().split()
        if word[-2:] == ["up", "to"]:
            return main
        phrase = word[0] == "only" and word[-1] in _PREPOSITIONS
        words = main.part(match.end("only") - len(word[-1]) if phrase else match.end())
        held += (self._restrictions(words) if phrase else []) or [self._clause(words)]
        return core

    def _clause(self, words: Piece, mode: Literal["when", "unless"] = "when") -> ConditionCue:
        """A condition that is a clause of its own."""
        return ConditionCue(words, mode, measured=bool(limits_in(words.text, self.cues)))

    # --- the main clause --------------------------------------------------------------------------------------------

    def _core(self, sentence: Piece, core: Piece, scope: list[ConditionCue], held: list[ConditionCue]) -> Norm | None:
        text = core.text
        if (match := PATTERN.never.match(text)) is not None or (match := PATTERN.forbidden_to.match(text)) is not None:
            return self._forbidding(sentence, core.part(match.end()), scope, held)
        deontic = next((m for m in PATTERN.deontic.finditer(text) if not _in_relative(text, m.start())), None)
        if (extreme := PATTERN.extreme.match(text)) is not None and (given := quantities_in(text[extreme.end() :])):
            number = core.part(extreme.end() + given[0].start, extreme.end() + given[0].end)
            op: CompareOp = "gte" if extreme["which"].lower() in ("minimum", "lowest", "smallest", "least") else "lte"
            held.append(ConditionCue(number, heading=core.part(extreme.start("what"), extreme.end("what")), op=op))
            return self._demanding(sentence, "must", scope, held)
        limited = PATTERN.limited.search(text)
        if limited is not None and not _in_relative(text, limited.start()):
            subject = core.part(0, limited.start())
            measured = bool(limits_in(core.text, self.cues))
            held.append(ConditionCue(core if measured else core.part(limited.end()), measured=measured))
            scope += self._restrictions(subject, names=True)
            return self._demanding(sentence, "must", scope, held)
        if deontic is None:
            return None
        subject, rest = core.part(0, deontic.start()), core.part(deontic.end())
        if PATTERN.nobody.match(text) or PATTERN.no_noun.match(text) or PATTERN.neither.match(text):
            if deontic["forbid"] or deontic["refuse"]:
                return None
            who = subject
            if (neither := PATTERN.neither.match(text)) is not None:
                scope.append(ConditionCue(subject.part(neither.end())))
            else:
                opened = PATTERN.nobody.match(text) or PATTERN.no_noun.match(text)
                assert opened is not None
                who = subject.part(opened.end())
                scope += self._restrictions(who)
            return self._forbidding(sentence, rest, scope, held)
        if (only := PATTERN.only_who.match(subject.text)) is not None:
            who = subject.part(only.end())
            held += [ConditionCue(c.piece, c.mode, measured=c.measured) for c in self._restrictions(who)] or [
                ConditionCue(who)
            ]
            scope += self._restrictions(rest, act=True)
            return self._demanding(sentence, "may", scope, held)
        if deontic["forbid"] and held and not re.search(r"\bnot\b|\bnever\b|cannot|n't", deontic[0], _I):
            return None
        if deontic["forbid"] and (thing := PATTERN.origin.search(deontic[0])) and not re.match(r"\w+ing\b", rest.text):
            scope += [*self._restrictions(subject), *([ConditionCue(rest)] if thing and rest.text else [])]
            return self._finished(sentence, scope)
        if deontic["forbid"]:
            governs = _governs(rest, self.cues)
            scope += self._restrictions(subject, names=governs)
            return self._forbidding(sentence, rest, scope, held, core if governs else None)
        if deontic["refuse"]:
            scope += self._restrictions(subject)
            whom = PATTERN.to_whom.match(rest.text)
            scope += self._restrictions(rest.part(whom.end())) if whom else []
            return self._finished(sentence, scope) if not held else None
        return self._granting(sentence, core, deontic, scope, held)

    def _granting(
        self, sentence: Piece, core: Piece, deontic: re.Match[str], scope: list[ConditionCue], held: list[ConditionCue]
    ) -> Norm | None:
        """What is allowed within limits, or demanded in some measure; None where it is an act like any other."""
        subject, rest = core.part(0, deontic.start()), core.part(deontic.end())
        limits = [m for m in limits_in(core.text, self.cues) if m.start >= deontic.start()]
        if held:
            scope += [*self._restrictions(subject), *self._restrictions(rest, act=True)]
            return self._demanding(sentence, "may" if deontic["allow"] else "must", scope, held)
        upper = [m for m in limits if m.op in ("lte", "lt", "gte", "gt")]
        if not upper or any(_is_time(m) and deontic["demand"] and not _states(rest.text) for m in upper):
            return None
        if deontic["allow"] and not all(m.op in ("lte", "lt") for m in upper):
            return None
        most = all(m.op in ("lte", "lt") for m in upper) and not any(map(_is_time, upper))
        if deontic["demand"] and not _states(rest.text) and not most:
            return None
        if deontic["demand"] and any(PATTERN.of_which.search(core.text[: m.start]) for m in upper):
            return None
        if deontic["allow"] and re.search(
            r"\b(?:approve|sign|authori[sz]e|decide|grant|release|award)\b", rest.text, _I
        ):
            return None
        held.append(ConditionCue(core, measured=True))
        scope += self._restrictions(subject, names=True)
        return self._demanding(sentence, "may" if deontic["allow"] else "must", scope, held)

    def _forbidding(
        self,
        sentence: Piece,
        act: Piece,
        scope: list[ConditionCue],
        held: list[ConditionCue],
        whole: Piece | None = None,
    ) -> Norm | None:
        """What must not be: the act with its limits and manners, in the cases of the scope."""
        if held:
            return None
        if whole is not None:
            scope.append(ConditionCue(whole, measured=True))
        narrowed = any(cue.measured for cue in scope)
        scope += [cue for cue in self._restrictions(act, act=True, names=narrowed) if whole is None or not cue.measured]
        told = self._finished(sentence, scope)
        if told is None or whole is not None:
            return told
        return replace(told, unsure=(*told.unsure, *self._left(act, scope)))

    @staticmethod
    def _left(act: Piece, scope: list[ConditionCue]) -> Iterator[Piece]:
        """The phrases of an act for place, manner and purpose that are in no restriction."""
        for match in PATTERN.phrase.finditer(act.text):
            phrase = act.part(match.start(), match.end())
            if not any(cue.piece.start < phrase.end and phrase.start < cue.piece.end for cue in scope):
                yield phrase

    def _finished(self, sentence: Piece, scope: list[ConditionCue]) -> Norm | None:
        stops = PATTERN.stops.search(
            sentence.text
        )  # what is going on is stopped, or may not be begun: either may be meant
        unsure = (sentence.part(stops.start(), stops.end()),) if stops is not None else ()
        return Norm(sentence, "must_not", tuple(distinct(scope)), unsure=unsure) if scope else None

    def _demanding(
        self, sentence: Piece, modality: str, scope: list[ConditionCue], held: list[ConditionCue]
    ) -> Norm | None:
        own = [cue for cue in distinct(scope) if not any(cue.piece == other.piece for other in held)]
        return Norm(sentence, "may" if modality == "may" else "must", tuple(own), tuple(held)) if held else None

    # --- restrictions -----------------------------------------------------------------------------------------------

    def _restrictions(self, chunk: Piece, *, act: bool = False, names: bool = False) -> list[ConditionCue]:
        """What narrows a noun phrase or an act: limits, classes, relative clauses, `without …`, participles, manners.

        Beside a limit, the other words only say what is measured.

        Args:
            act: the chunk is an act; else it is a noun phrase.
            names: the noun phrase names what a limit elsewhere measures.
        """
        text = chunk.text
        found: list[tuple[int, int, ConditionCue]] = []

        def add(begin: int, end: int, **marks: bool) -> None:
            if not any(start < end and begin < stop for start, stop, _ in found):
                found.append((begin, end, ConditionCue(chunk.part(begin, end), **marks)))  # type: ignore[arg-type]

        limits = limits_in(text, self.cues)
        relative = PATTERN.relative.search(text)
        if relative is not None:
            begin = relative.start() if relative[0].lower() == "whose" else relative.end()
            begin = begin + len("whose") if relative[0].lower() == "whose" else begin
            inside = chunk.part(begin)
            found.append(
                (relative.start(), len(text), ConditionCue(inside, measured=bool(limits_in(inside.text, self.cues))))
            )
        elif limits:
            add(0, limits[-1].end, measured=True)
        for match in PATTERN.without.finditer(text):
            add(match.start(), len(text))
        for begin, end in in_a_row((match.span() for match in PATTERN.classes.finditer(text)), text):
            add(begin, end, classed=True)
        if not limits and not names:
            for match in PATTERN.means.finditer(text):
                add(match.start(), match.end())
            part = None if act else PATTERN.participle.search(text)
            if part is not None:
                add(part.start(), len(text))
            elif not act and (with_ := PATTERN.accompanied.search(text)) is not None:
                add(with_.start(), len(text))
            elif not act and not found and PATTERN.listed.search(text):
                add(0, len(text))
        return [cue for _, _, cue in sorted(found, key=lambda each: each[0])]


def _comma(text: str, begin: int) -> int | None:
    """Where the clause that opens a sentence ends: the last comma before the main clause."""
    for match in re.finditer(r",(?=\s)", text[begin:]):
        after = text[begin + match.end() :].strip()
        if re.match(r"(?:and|or|but)\b", after, _I) and not PATTERN.deontic.search(after):
            continue
        return begin + match.start()
    return None


def _in_relative(text: str, at: int) -> bool:
    """Whether a place stands inside a relative clause of the subject (`that the laboratory has placed …`)."""
    before = list(PATTERN.relative.finditer(text[:at]))
    if not before:
        return False
    inside = text[before[-1].end() : at]
    if re.match(r"(?:must|may|shall|should|can|will)", text[at:], _I):
        return len(inside.split()) < 2
    return not PATTERN.tells.search(inside)


def _governs(rest: Piece, cues: Lexicon) -> bool:
    """Whether the forbidden verb is the comparison itself (`must not exceed …`, `must not be longer than …`)."""
    limits = limits_in(rest.text, cues)
    return bool(limits) and PATTERN.governed.fullmatch(rest.text[: limits[0].start]) is not None


def _is_time(limit: Limit) -> bool:
    return limit.quantity.unit.dimension == "duration"


def _states(rest: str) -> bool:
    """Whether the verb after a modal says how something is, and is no act."""
    return PATTERN.states.match(rest) is not None
