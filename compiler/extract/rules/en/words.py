"""English words for the reader: tokens with offsets, the forms of verbs, and the heads of what can act."""

import re
from dataclasses import dataclass
from functools import cache

from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.sentences import Piece
from ir.procedure import StepKind

PATTERN = lexicon("en").patterns("words")


def word_set(name: str) -> frozenset[str]:
    """The small words of one kind.

    >>> "whether" in word_set("determiners")
    True
    """
    return frozenset(lexicon("en").words("small_words", name))


_OPEN, _CLOSE = "([{“«", ")]}”»"

DETERMINERS = word_set("determiners")
PREPOSITIONS = word_set("prepositions")
CONJUNCTIONS = word_set("conjunctions")
RELATIVES = word_set("relatives")
PRONOUNS = word_set("pronouns")
BE = word_set("be")


@dataclass(frozen=True)
class Token:
    """A word, number or mark of a piece, by its offsets there."""

    start: int
    end: int
    text: str

    @property
    def lower(self) -> str:
        """The text in lower case; `IT` and `US` stay, since they are no pronouns."""
        return self.text if self.text in ("IT", "US") else self.text.lower()

    @property
    def is_word(self) -> bool:
        """Whether it is made of letters."""
        return self.text[0].isalpha()


def tokens(text: str) -> list[Token]:
    """The tokens of a text that stand outside brackets and quotation marks.

    >>> [t.text for t in tokens("Log the (open) call, e.g. by 5 p.m.")][:4]
    ['Log', 'the', 'call', ',']
    """
    found, depth, quoted = [], 0, False
    for match in PATTERN.token.finditer(text):
        mark = match[0]
        if mark == '"':
            quoted = not quoted
        elif mark in _OPEN:
            depth += 1
        elif mark in _CLOSE:
            depth = max(0, depth - 1)
        elif depth == 0 and not quoted:
            found.append(Token(match.start(), match.end(), mark))
    return found


class Words:
    """The verbs, roles and lists of the English lexicon, in the shapes that reading needs."""

    def __init__(self, cues: Lexicon) -> None:
        self.cues = cues
        self.kinds: dict[str, StepKind] = {
            verb: kind  # type: ignore[misc]  # keys of `kinds` are step kinds
            for kind in cues.table("kinds")
            for verb in cues.words("kinds", kind)
        }
        self._by_object: list[tuple[StepKind, re.Pattern[str]]] = [
            (kind, cues.pattern("kinds_by_object", kind))  # type: ignore[misc]  # keys are step kinds
            for kind in cues.table("kinds_by_object")
        ]
        listed = (word for letter in cues.table("verbs") for word in cues.words("verbs", letter))
        groups = (self.kinds, listed, cues.words("content_verbs"), cues.words("stative_verbs"), cues.table("irregular"))
        known = {verb for group in groups for verb in group}
        self.base = {verb for verb in known if " " not in verb}
        self.phrases = tuple(sorted((verb for verb in known if " " in verb), key=len, reverse=True))
        self.noun_verbs = frozenset(cues.words("noun_verbs"))
        self.mostly_nouns = frozenset(cues.words("mostly_nouns"))
        self.adjective_verbs = frozenset(cues.words("adjective_verbs"))
        self.heads = frozenset(cues.words("compound_heads"))
        self._light = frozenset(cues.words("light_verbs"))
        self.stative = cues.words("stative_verbs")
        self._thirds = {form: verb for verb in self.base for form in (self._form(verb, 0) or (_third(verb),))}
        self._participles = {form: verb for verb in self.base for form in self._form(verb, 2) or self._regular(verb)}
        self._endings = frozenset(cues.words("roles", "endings"))
        self.role_phrases = cues.words("roles", "phrases")
        self._things = frozenset(cues.words("roles", "not_people"))
        self._suffix = re.compile(f".+(?:{'|'.join(cues.words('roles', 'suffixes'))})s?$")

    def _form(self, verb: str, at: int) -> tuple[str, ...]:
        forms = self.cues.table("irregular").get(verb)
        return (forms[at],) if forms else ()

    def _regular(self, verb: str) -> tuple[str, ...]:
        """Past participles of a regular verb, in both spellings where there are two."""
        if verb.endswith("e"):
            return (verb + "d",)
        if verb.endswith("y") and verb[-2] not in "aeiou":
            return (verb[:-1] + "ied",)
        if verb in self.cues.words("doubling"):
            return (verb + verb[-1] + "ed", verb + "ed")
        return (verb + verb[-1] + "ed",) if PATTERN.one_syllable.fullmatch(verb) else (verb + "ed",)

    def is_base(self, word: str) -> bool:
        """Whether a word is a verb's plain form."""
        return word.lower().split("/")[0] in self.base

    def third(self, word: str) -> str | None:
        """The verb of which a word is the third person (`reviews`)."""
        return self._thirds.get(word.lower().split("/")[0])

    def participle(self, word: str) -> str | None:
        """The verb of which a word is the past participle (`reviewed`)."""
        return self._participles.get(word.lower().split("/")[0])

    def kind(self, lemma: str, rest: str) -> StepKind:
        """What kind of step a verb with the words after it makes."""
        whole = f"{lemma} {rest.lower()}"
        for kind, pattern in self._by_object:
            if pattern.match(whole):
                return kind
        for verb, kind in self.kinds.items():
            if " " in verb and whole.startswith(verb):
                return kind
        if self.checks(lemma, rest):
            return "check"
        return self._named_act(lemma, rest) or self.kinds.get(lemma, "task")

    def checks(self, lemma: str, rest: str) -> bool:
        """Whether a command makes sure of how a thing is (`Ensure that the valve is closed`), which is a check."""
        sure = f"{lemma} {rest}".lower()
        return re.match(r"(?:ensure|make (?:sure|certain))\b.*\b(?:is|are|has|have|can)\b", sure) is not None

    def _named_act(self, lemma: str, rest: str) -> StepKind | None:
        """The kind that the object of a light verb names: `performs a review` is a check."""
        if lemma not in self._light:
            return None
        object_ = re.split(r"\b(?:of|for|to|by|with|in|on|from|within|before|after|and)\b", rest.lower(), maxsplit=1)[0]
        plain = re.sub(r"\([^)]*\)", " ", object_).strip(" .,;:")
        for name in self.cues.table("act_nouns"):
            if re.search(rf"(?:^|\s)(?:{'|'.join(map(re.escape, self.cues.words('act_nouns', name)))})$", plain):
                return next(kind for kind in set(self.kinds.values()) if kind == name)
        return None

    def is_stative(self, lemma: str, rest: str) -> bool:
        """Whether a verb with the words after it states how things are or a general duty, not an act."""
        if lemma == "follow" and re.match(r"(?:it|them|this|these|that) up\b|up\b", rest):
            return False
        if lemma == "meet" and any(self.is_role_word(word) for word in re.findall(r"[A-Za-z-]+", rest)[:3]):
            return False  # somebody, not a requirement
        if lemma in self.kinds and not any(
            " " in verb and f"{lemma} {rest.lower()}".startswith(verb) for verb in self.stative
        ):
            return False
        return any(re.match(rf"{re.escape(verb)}\b", f"{lemma} {rest.lower()}") for verb in self.stative)

    def is_listed_role(self, word: str) -> bool:
        """Whether the word is in the lexicon's list of what acts."""
        return word.lower() in self._endings

    def is_role_word(self, word: str) -> bool:
        """Whether a noun names somebody who can act (`manager`, `team`, `CISO`)."""
        lower = re.sub(r"['’]s?$", "", word.lower()).split("/")[-1].split("-")[-1]
        acronym = word.isupper() and 2 <= len(word) <= 6
        person = len(lower) > 4 and self._suffix.match(lower) and not {lower, lower.removesuffix("s")} & self._things
        return lower in self._endings or acronym or bool(person)


def _third(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"


@cache
def words() -> Words:
    """The words of `cues/en.yaml`."""
    return Words(lexicon("en"))


def role(piece: Piece, *, opening: bool = False) -> Piece | None:
    """The role that a noun phrase names, with its modifiers and without its article; None where it names none.

    Args:
        opening: the phrase begins a sentence, so that its first capital letter says nothing.
    """
    found = _from_last_article(piece)
    toks = tokens(found.text)
    begin = 0
    while begin < len(toks) and (toks[begin].lower in DETERMINERS or toks[begin].lower in ("other", "relevant's")):
        begin += 1
    end = _head_end(toks, begin)
    if begin >= end:
        return None
    head = toks[end - 1]
    names = [t for t in toks[begin:end] if t.is_word and t.lower not in ("and", "or", "of", "the")]
    after_first = names[1:] if opening and begin == 0 else names
    proper = bool(after_first) and all(t.text[0].isupper() for t in names) and head.is_word
    whole = found.text[toks[begin].start : head.end]
    called = next((phrase for phrase in words().role_phrases if whole.lower().endswith(phrase)), "")
    if called and whole[0].islower() and whole[-len(called)].isupper():  # `at the end Internal Audit …`
        return found.part(head.end - len(called), head.end)
    if not head.is_word or not (words().is_role_word(head.text) or called != "" or proper):
        return None
    charge = re.match(r"\s+(?:in charge|on duty|on call|on-call)\b", found.text[head.end :], re.IGNORECASE)
    if charge:
        return found.part(toks[begin].start, head.end + charge.end())
    if end < len(toks) - 1 and toks[end].lower == "of":
        end = _head_end(toks, end + 1) or end
    return found.part(toks[begin].start, toks[end - 1].end)


def noun_phrase(piece: Piece) -> Piece | None:
    """A noun phrase without its article and what follows it; None for pronouns."""
    toks = tokens(piece.text)
    begin = 0
    while begin < len(toks) and toks[begin].lower in DETERMINERS | PRONOUNS:
        begin += 1
    end = _head_end(toks, begin)
    return piece.part(toks[begin].start, toks[end - 1].end) if begin < end else None


def _from_last_article(piece: Piece) -> Piece:
    """Leave out a phrase that leads in (`during the review the manager`, `two days before the visit the guard`)."""
    first = re.match(r"\w+", piece.text)
    if not first or (first[0].lower() not in PREPOSITIONS and not PATTERN.timed.match(piece.text)):
        return piece
    articles = list(re.finditer(r"\b(?:the|each|an?)\b", piece.text, re.IGNORECASE))
    return piece.part(articles[-1].start()) if articles else piece


def _head_end(toks: list[Token], begin: int) -> int:
    """Where the core of a noun phrase ends: before its prepositions, relative clauses and participles."""
    at = begin
    while at < len(toks) and toks[at].lower in DETERMINERS:
        at += 1
    start = at
    while at < len(toks):
        token = toks[at]
        follows = (
            at > start and words().participle(token.text) and token.lower.endswith("ed") and not token.text[0].isupper()
        )
        last = at == len(toks) - 1
        if token.lower in PREPOSITIONS | RELATIVES or (not token.is_word and token.text not in "&-/'’"):
            break
        if (follows and (last or toks[at + 1].lower in PREPOSITIONS)) or token.lower in ("responsible", "then", "will"):
            break
        at += 1
    return at
