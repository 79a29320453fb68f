"""What stands before or after an English main clause and says whether, after what or by when it holds."""

import re

from compiler.extract.rules.en.predicates import Clause
from compiler.extract.rules.en.time import Times, compares
from compiler.extract.rules.en.words import DETERMINERS, PREPOSITIONS, word_set
from compiler.extract.rules.statements import ConditionCue, Scope
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.sentences import Piece
from compiler.text.syntax import Tagger

PATTERN = lexicon("en").patterns("openers")

_LEADING_IN = word_set("leading_in")


class Openers(Times):
    """Takes conditions and times off a clause.

    Args:
        tagger: tells verbs from nouns, where it is installed.
    """

    def __init__(self, cues: Lexicon, tagger: Tagger | None = None) -> None:
        super().__init__(cues)
        self._tagger = tagger

    def clause(self, piece: Piece, *, subjectless: bool = False, stops: bool = False) -> Clause:
        """A clause to be read; see `Line`."""
        return Clause(piece, subjectless=subjectless, stops=stops, tagger=self._tagger)

    # --- before the main clause -----------------------------------------------------------------------------------

    def openers(self, piece: Piece, scope: Scope, *, subjectless: bool, stops: bool) -> Piece:
        """Take what stands before a main clause off its front, into the scope; gives the rest, perhaps empty."""
        for _ in range(8):
            rest = self._opener(piece, scope, subjectless=subjectless, stops=stops)
            if rest is None:
                return piece
            piece = rest
        return piece

    def _opener(self, piece: Piece, scope: Scope, *, subjectless: bool, stops: bool) -> Piece | None:
        text = piece.text
        if not text:
            return None
        for group, mode in (("otherwise", "otherwise"), ("bare_no", "no"), ("bare_yes", "yes")):
            match = re.match(
                rf"(?:and |but |or )?({self.cues.pattern('conditions', group).pattern})\s*(?:,|:|then\b|(?=\s))",
                text,
                re.IGNORECASE,
            )
            if match and (
                mode == "otherwise" or text[match.end(1) : match.end(1) + 1] in (",", ":") or "then" in match[0]
            ):
                self._bare(piece.part(match.start(1), match.end(1)), mode, scope)
                return piece.part(match.end())
        if (
            match := re.match(rf"(?:{self.cues.pattern('parallel').pattern})\s*,?\s*", text, re.IGNORECASE)
        ) is not None:
            scope.parallel = True
            return piece.part(match.end())
        match = re.match(rf"(?:{self.cues.pattern('continuations').pattern})\s*,?\s+", text, re.IGNORECASE)
        if match is not None and not self.clause(piece, stops=stops).is_imperative(0):
            scope.deadlines += self.deadlines(piece.part(0, match.end()))
            return piece.part(match.end())
        return self._subordinate(piece, scope, subjectless=subjectless, stops=stops)

    def _bare(self, piece: Piece, mode: str, scope: Scope) -> None:
        """`otherwise`, `if not` and `if so`: the conditions of the clause before do not carry on."""
        scope.conditions.clear()
        if mode == "otherwise":
            scope.conditions.append(ConditionCue(piece, "otherwise"))
            return
        word = piece.text.split()[-1]
        scope.conditions.append(ConditionCue(piece.part(len(piece.text) - len(word)), "when"))

    def _subordinate(self, piece: Piece, scope: Scope, *, subjectless: bool, stops: bool) -> Piece | None:
        """A clause or phrase up to a comma: a condition, a time, or something that only leads in."""
        text = piece.text
        opening = self._opening(text)
        clause = self.clause(piece, subjectless=subjectless, stops=stops)
        if opening is None and (clause.predicate(0) is not None or "," not in text):
            return None
        cut, begin = self._extent(piece, opening is not None, subjectless=subjectless)
        if cut is None and opening is None:
            return None
        front = piece.part(0, cut)
        if opening is not None:
            kind, length = opening
            self._take(front, kind, length, scope)
            return piece.part(begin if cut is not None else len(text))
        if self._is_for_condition(front):
            scope.conditions.append(self.condition(front.part(len(front.text.split()[0]))))
        elif not self._leads_in(front.text):
            return None
        scope.recurring = scope.recurring or self.cues.pattern("recurring").search(front.text) is not None
        scope.deadlines += self.deadlines(front)
        return piece.part(begin)

    @staticmethod
    def _leads_in(text: str) -> bool:
        """Whether a phrase before a comma is an adverbial (`during the call`, `using the tool`), not part of a list."""
        first = text.lower().partition(" ")[0].strip(",")
        named = first in PREPOSITIONS | _LEADING_IN or first.endswith(("ly", "ing"))
        return named or PATTERN.participle.match(text) is not None

    def _opening(self, text: str) -> tuple[str, int] | None:
        """What kind of subordinate clause a text opens with, and how long the opening words are."""
        for word in self.cues.words("conditions", "not_openers"):
            if text.lower().startswith(word):
                return None
        if (match := self.cues.pattern("conditions", "except").match(text)) is not None:
            return "unless", match.end()
        after = self.cues.pattern("temporal", "after").match(text)
        if after and not re.match(r"following (?:the )?\w+ (?:is|are)\b|having (?:been )?\w+ is", text, re.IGNORECASE):
            return "after", after.end()
        if self.cues.pattern("temporal", "before").match(text) or self.cues.pattern("temporal", "reason").match(text):
            return "before", 0
        for word in self.cues.words("conditions", "openers"):
            if re.match(rf"{word}\b", text, re.IGNORECASE):
                if word == "should" and not PATTERN.inverted.match(text):
                    return None
                return ("unless" if word == "unless" else "when"), len(word)
        return None

    def _extent(self, piece: Piece, opened: bool, *, subjectless: bool) -> tuple[int | None, int]:
        """Where a leading clause ends and the main one begins: at the comma after which a main clause stands."""
        text = piece.text
        commas = [m.end() for m in re.finditer(r",(?!\d)", text) if _outside(text, m.start())]
        then = re.search(r",?\s+then,?\s+", text) if opened else None
        if then and _outside(text, then.start()) and (not commas or then.start() <= commas[-1]):
            return then.start(), then.end()
        if opened and not commas and PATTERN.without_comma.match(text):
            return self._unmarked(piece, subjectless=subjectless)
        starts = [end for end in commas if self._main_begins(piece.part(end), subjectless=subjectless)]
        if not starts:
            return (commas[0] - 1, commas[0]) if commas and opened and len(commas) == 1 else (None, len(text))
        begin = starts[0]
        for end in commas:
            if opened and end >= begin and re.match(r"\s*(?:or|and)\s+(?:the|an?|if|any|no|is|are|has)\b", text[end:]):
                later = [start for start in starts if start > end]
                if later and not re.match(r"\s*and\s+(?:then|also)\b", text[end:]):
                    begin = later[0]
        return begin - 1, begin

    def _unmarked(self, piece: Piece, *, subjectless: bool) -> tuple[int | None, int]:
        """Where a main clause begins behind a phrase without a comma (`After the repair the workshop tests it`)."""
        for match in reversed(list(re.finditer(r"\s+(?=(?:the|an?|each|this|it|they)\s|[A-Z][a-z]+ )", piece.text))):
            phrase = piece.part(0, match.start())
            verbal = self.clause(phrase.part(phrase.text.find(" ") + 1), subjectless=subjectless).predicate(0)
            named = len(phrase.text.split()) > 1 and verbal is None
            if named and self._main_begins(piece.part(match.end()), subjectless=subjectless):
                return match.start(), match.end()
        return None, len(piece.text)

    def _main_begins(self, rest: Piece, *, subjectless: bool) -> bool:
        if re.match(r"(?:or|and|but|nor|such|including|as well)\b", rest.text, re.IGNORECASE):
            return False
        if self._opening(rest.text) is not None or self.cues.pattern("conditions", "otherwise").match(rest.text):
            return True
        found = self.clause(rest, subjectless=subjectless, stops=True).predicate(0)
        return found is not None

    def _take(self, front: Piece, kind: str, length: int, scope: Scope) -> None:
        inner = front.part(length)
        if not inner.text and kind == "when" and self.cues.pattern("urgent", "case").search(front.text):
            inner = front  # `in an emergency`: the opening words are the condition
        if not inner.text or self.cues.pattern("conditions", "fixed").search(front.text):
            return
        if kind == "before":
            scope.deadlines += self.deadlines(front)
            return
        event = self.cues.pattern("temporal", "event").search(inner.text)
        when = re.match(r"(?:once|when|whenever|as soon as)\b", front.text, re.IGNORECASE)
        receipt = self.cues.pattern("temporal", "receipt").search(inner.text)
        if kind == "after":
            found_out = re.match(r"(?:determin|find|detect|discover|identify)ing\b", inner.text, re.IGNORECASE)
            act = re.match(r"\w+ing\b", inner.text) is not None and found_out is None
            is_event = receipt is not None or act or PATTERN.verdict.search(inner.text) is None
        else:
            is_event = bool(when and event and not re.search(r"\bnot\b|\bno\b", inner.text))
        if is_event:
            scope.after.append(front)
            scope.deadlines += [d for d in self.deadlines(front) if d.duration]
            return
        scope.conditions.append(self.condition(inner, "unless" if kind == "unless" else "when"))

    def _is_for_condition(self, front: Piece) -> bool:
        """`For purchases over $5,000`: a leading phrase that limits what the sentence speaks of."""
        if not self.cues.pattern("conditions", "leading_for").match(front.text) or PATTERN.for_each.match(front.text):
            return False
        return compares(self.cues, front.text) or bool(re.search(r"\b(?:that|which|who) \w+", front.text))

    # --- after the main clause ------------------------------------------------------------------------------------

    def inner(self, clause: Clause, at: int) -> tuple[str, int] | None:
        """Whether a condition follows at a token: its mode and how long its opening words are."""
        text = clause.piece.text[clause.toks[at].start :]
        if (match := re.match(r"where\b\s*", text, re.IGNORECASE)) is not None:
            word = text[match.end() :].split(" ")[0].strip(" ,.;").lower()
            place = clause.lower(at - 1) in self.cues.words("conditions", "places")
            suits = word in self.cues.words("conditions", "where_inner") or (word in DETERMINERS and not place)
            return ("when", match.end()) if suits else None
        if (match := self.cues.pattern("conditions", "unless").match(text)) is not None:
            return "unless", match.end()
        for word in self.cues.words("conditions", "inner"):
            if re.match(rf"{word}\b", text, re.IGNORECASE):
                barred = PATTERN.no_condition.match(text)
                follows_preposition = clause.lower(at - 1) in PREPOSITIONS | {"whether", "and", "or"} and word not in (
                    "unless",
                )
                return None if barred or (follows_preposition and word != "if") else ("when", len(word))
        return None

    def inner_condition(self, piece: Piece, mode: str, scope_after: list[Piece], length: int) -> ConditionCue | None:
        """The condition that stands after a main clause; None for fixed phrases and for mere events."""
        if self.cues.pattern("conditions", "fixed").search(piece.text):
            return None
        inner = piece.part(length)
        event = self.cues.pattern("temporal", "event").search(inner.text)
        occasion = re.match(r"(?:once|when|as soon as)\b", piece.text, re.IGNORECASE)
        if occasion and event and not re.search(r"\bnot?\b", inner.text):
            scope_after.append(piece)
            return None
        return self.condition(inner, mode) if inner.text else None


def _outside(text: str, at: int) -> bool:
    """Whether an offset stands outside brackets."""
    return text.count("(", 0, at) <= text.count(")", 0, at)
