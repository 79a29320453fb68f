"""The words of an English clause at a place: modals, adverbs, and whether a verb stands there and not a noun."""

import re
from functools import cached_property

from compiler.extract.rules.en.words import (
    BE,
    CONJUNCTIONS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    Token,
    Words,
    role,
    tokens,
    word_set,
    words,
)
from compiler.text.sentences import Piece
from compiler.text.syntax import Tagger
from ir.procedure import Modality

WHOLE_CLAUSE = word_set("whole_clause")
MARKS = frozenset(",;:")
_BETWEEN = word_set("adverbs")
_ARTICLES = word_set("articles")
_NO_COMMANDS = word_set("no_commands")
_FOR_VERBS = word_set("for_verbs")


class Line:
    """The tokens of a clause, and what can be read at each of them.

    Args:
        subjectless: somebody is already known to act, so that `reviews the form` needs no subject.
        stops: the sentence ends with a full stop, which headings and names of things do not.
        tagger: tells verbs from nouns where the word lists do not; None for the lists alone.
    """

    def __init__(
        self, piece: Piece, *, subjectless: bool = False, stops: bool = False, tagger: Tagger | None = None
    ) -> None:
        self.piece = piece
        self.words: Words = words()
        self.toks: list[Token] = tokens(piece.text)
        self.subjectless, self.stops = subjectless, stops
        self._tagger = tagger

    def tag(self, at: int) -> str:
        """The part of speech of a token, empty where nothing tells it."""
        if self._tagger is None or not 0 <= at < len(self.toks):
            return ""
        word = self._tagger.words(self.piece.text).get(self.toks[at].start)
        return word.tag if word else ""

    def lemma(self, at: int) -> str:
        """The plain form of a token's word, as the tagger gives it; the word itself without one."""
        if self._tagger is None or not 0 <= at < len(self.toks):
            return self.lower(at)
        word = self._tagger.words(self.piece.text).get(self.toks[at].start)
        return word.lemma if word else self.lower(at)

    @cached_property
    def _modal_words(self) -> re.Pattern[str]:
        return self.words.cues.pattern("modals")

    def text(self, begin: int, end: int | None = None) -> str:
        """The words from one token to another."""
        return self.part(begin, end).text

    def part(self, begin: int, end: int | None = None) -> Piece:
        """The piece from one token up to another (exclusive)."""
        end = len(self.toks) if end is None else end
        if begin >= end or begin >= len(self.toks):
            return self.piece.part(len(self.piece.text))
        if end == len(self.toks):
            return self.piece.part(self.toks[begin].start)
        stop = self.toks[end - 1].end
        closing = re.match(r"\s*(?:\{\{[^{}]*\}\}|[(\[“\"][^()\[\]“”\"]*[)\]”\"])", self.piece.text[stop:])
        return self.piece.part(self.toks[begin].start, stop + (closing.end() if closing else 0))

    def lower(self, at: int) -> str:
        """The token's text in lower case; empty beyond the end."""
        return self.toks[at].lower if 0 <= at < len(self.toks) else ""

    # --- words at a place -------------------------------------------------------------------------------------------

    def after_adverbs(self, at: int) -> int:
        """The position after adverbs."""
        pattern = self.words.cues.pattern("adverbs")
        while at < len(self.toks):
            match = pattern.match(self.piece.text, self.toks[at].start)
            if match and not self.words.is_base(match[0]):
                at = self._at_offset(match.end())
            elif self.is_adverb(self.lower(at)):
                at += 1
            else:
                break
        return at

    def before_adverbs(self, at: int, begin: int) -> int:
        """The position after the last word before a token that is no adverb."""
        while at - 1 > begin and (self.is_adverb(self.lower(at - 1)) or self.lower(at - 1) in _BETWEEN):
            at -= 1
        return at

    def is_adverb(self, word: str) -> bool:
        """Whether a word is an adverb in -ly."""
        return len(word) > 4 and word.endswith("ly") and not self.words.is_base(word) and word != "family"

    def _at_offset(self, offset: int) -> int:
        return next((i for i, token in enumerate(self.toks) if token.start >= offset), len(self.toks))

    def modal(self, at: int) -> tuple[Modality | None, int] | None:
        """Modality and the position after the modal words that stand at a place; (None, …) for `can` and the like."""
        if at >= len(self.toks):
            return None
        start = self.toks[at].start
        weak = self.words.cues.pattern("weak_modals").match(self.piece.text, start)
        match = self._modal_words.match(self.piece.text, start)
        if weak and not (match and match.end() > weak.end()):
            return None, self._at_offset(weak.end())
        if match is None or (match[0] == "May" and self.lower(at + 1)[:1].isdigit()):
            return None
        return self.words.cues.table("modals")[match[0].lower()], self._at_offset(match.end())

    def is_imperative(self, at: int) -> bool:
        """Whether a sentence that begins at a token begins with a command, not with a noun that looks like one."""
        if at >= len(self.toks) or self.lower(at) in BE - {"be"}:
            return False
        if not self.words.is_base(self.toks[at].text):
            return self._new_command(at)
        word, after = self.lower(at), self.lower(at + 1)
        if after in DETERMINERS:
            return True
        third = self.words.third(after)
        if third and third not in self.words.noun_verbs:
            return False
        if after and not after[0].isalnum() and after not in MARKS | {"'", "’", "$"}:
            return False
        text = self.piece.text[self.toks[at].start :].lower()
        if any(text.startswith(f"{phrase} ") for phrase in self.words.phrases):
            return True
        if after in CONJUNCTIONS | {","}:
            second = self.after_adverbs(at + 2 if self.lower(at + 2) not in CONJUNCTIONS else at + 3)
            return second < len(self.toks) and self.words.is_base(self.toks[second].text) and after != "but"
        if word in self.words.adjective_verbs:
            named = bool(after) and (after[0].isdigit() or self.toks[at + 1].text[0].isupper())
            return named and not self._later_finite(at)
        if word not in self.words.noun_verbs:
            return not (self.modal(at + 1) or after in BE or after in ("of", ":"))
        if self.tag(at) in ("VB", "VBP") and not self._later_finite(at) and after not in ("of", ":"):
            return True
        return self._noun_is_command(at, after)

    def _noun_is_command(self, at: int, after: str) -> bool:
        """Of a word that is a noun as well: whether what follows is its object."""
        word = self.toks[at]
        if not after or after in MARKS or after in BE or after in ("of", "has", "have") or self.modal(at + 1):
            return False
        described = self.words.participle(after) and self.lower(at + 2) in PREPOSITIONS
        if self._later_finite(at) or described:
            return False
        if self.words.third(after) and self.lower(at + 2) in DETERMINERS:
            return False
        if at == 0 and not self.stops and word.text[0].islower() and word.lower in self.words.mostly_nouns:
            return False
        if after in PREPOSITIONS:
            return after == "to" or (after in ("for", "in", "out", "with") and self.lower(at) in _FOR_VERBS)
        if self.is_adverb(after) or after == "that":
            return True
        if self.stops:
            return True
        plural = after.endswith("s") and not after.endswith("ss") and after not in ("results", "rights", "details")
        if after in self.words.heads:
            return plural and self.lower(at + 2) in PREPOSITIONS - {"of"}
        noun_like = re.search(r"(?:tion|ment|ance|ence|ing|ity|sion|ship|ness)$", after)
        return not noun_like and at + 1 < len(self.toks)

    def _later_finite(self, at: int) -> bool:
        """Whether a finite verb follows before any comma, so that what stands before it is a subject."""
        for position in range(at + 1, len(self.toks)):
            word = self.lower(position)
            if word in MARKS or word in RELATIVES | WHOLE_CLAUSE:
                return False
            if word in ("is", "are", "was", "were") or (self.modal(position) and word not in ("need", "have")):
                return True
        return False

    def is_third(self, at: int, begin: int) -> bool:
        """Whether a finite verb in the third person stands at a place (`the clerk reviews the form`)."""
        word = self.toks[at].text
        lemma = self.words.third(word)
        if at == begin or word[0].isupper():
            return False
        if lemma is None:
            return self._new_third(at, begin)
        last = self.before_adverbs(at, begin) - 1
        before, after = self.lower(last), self.lower(at + 1)
        if before in DETERMINERS - PRONOUNS - {"each", "one", "all"} or before in PREPOSITIONS | CONJUNCTIONS | BE:
            return False
        if lemma in self.words.noun_verbs or self.lower(at) in ("needs", "means"):
            if after in DETERMINERS:
                return True
            if self.tag(at) == "VBZ" and after and after != "of" and self.acts(begin, last + 1):
                return True
            known = before in PRONOUNS or self.acts(begin, last + 1)
            leads_on = {"to", "with", "on", "within", "without"}
            barred = after in (PREPOSITIONS - leads_on) | BE | CONJUNCTIONS | MARKS
            return known and bool(after) and not barred and self.modal(at + 1) is None
        return after != "of"

    def _new_third(self, at: int, begin: int) -> bool:
        """Whether a word that no list knows is a verb: between somebody and an object (`the clerk repacks it`)."""
        ends = re.fullmatch(r"[a-z-]{3,}[^su]s", self.toks[at].text) is not None
        if self.tag(at) == "VBZ" and ends and self.lower(at + 1) not in ("of", ""):
            return self.acts(begin, self.before_adverbs(at, begin)) or self.lower(at - 1) in PRONOUNS
        object_follows = self.lower(at + 1) in _ARTICLES | {"it", "them", "him"}
        return ends and object_follows and self.acts(begin, self.before_adverbs(at, begin))

    def _new_command(self, at: int) -> bool:
        """Whether a word that no list knows opens a command: before an article, and no other verb follows."""
        word = self.toks[at].lower
        closed = PREPOSITIONS | DETERMINERS | CONJUNCTIONS | PRONOUNS | BE | RELATIVES | WHOLE_CLAUSE | _NO_COMMANDS
        if self.tag(at) == "VB" and word not in closed and word.isalpha():
            return not self._later_finite(at) and self.lower(at + 1) not in ("of", ":")
        shape = re.fullmatch(r"[a-z-]*(?<!ing)(?<!ly)(?<!ed)(?<![sy]s)(?<!s)", word) is not None and len(word) > 3
        return shape and word not in closed and self.lower(at + 1) in _ARTICLES and not self._later_finite(at)

    def is_plural_verb(self, at: int, begin: int) -> bool:
        """Whether a finite verb in the plural stands at a place (`vendors submit the form`)."""
        word = self.toks[at]
        if at == begin or word.lower in BE | {"have"} or word.text[0].isupper():
            return False
        if not self.words.is_base(word.text):
            return self.tag(at) == "VBP" and word.is_word and self.acts(begin, at) and bool(self.lower(at + 1))
        before, after = self.lower(at - 1), self.lower(at + 1)
        plural = before in ("you", "we", "they", "staff", "personnel", "people", "i") or (
            before.endswith("s")
            and not before.endswith(("ss", "'s", "’s"))
            and before not in BE | {"this", "its", "his"}
        )
        compound = "and" in (self.lower(i) for i in range(begin, at)) and self.acts(at - 1, at)
        if not (plural or compound) or before in PREPOSITIONS:
            return False
        if word.lower in self.words.noun_verbs | self.words.adjective_verbs:
            return after in DETERMINERS
        return self.acts(begin, at) or before in PRONOUNS or after in DETERMINERS

    def acts(self, begin: int, end: int) -> bool:
        """Whether the tokens name somebody who can act."""
        if begin >= len(self.toks):
            return False
        return role(self.part(begin, end), opening=self.piece.text[: self.toks[begin].start].strip() == "") is not None
