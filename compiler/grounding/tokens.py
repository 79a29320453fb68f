"""The tokens of a text as a guard sees them: numbers by value, quantities by value and unit, guarded words by class."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import yaml

from compiler.grounding.normalise import Normal, is_cjk
from compiler.text.lexicon import lexicon
from ir.quantities.numerals import find_numbers
from ir.quantities.units import find_quantities

GUARDED = (
    "number", "quantity", "date", "sign", "negation", "modality", "comparator", "connective", "condition", "order",
    "time", "class", "role",
)  # fmt: skip
"""Kinds of token that have to be the same in a quote and its place."""
_UNCUT = ("negation", "modality", "comparator", "connective", "class", "role")

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH = "|".join(f"{month[:3]}(?:{month[3:]})?" if month != "may" else "may" for month in _MONTHS)
_NO_MODAL = r"(?:(?<!may)|(?<=may)(?=\s*(?:\d{4}|[,.;:)]|$|(?:the|and|or|to|until|till|in|of|at|each|every)\b)))"
"""What follows a day in May, and not `goods of class 8 may be loaded`."""
DATE = re.compile(
    r"(?P<y>\d{4})\s?年\s?(?P<m>\d{1,2})\s?月(?:\s?(?P<d>\d{1,2})\s?[日号])?"
    r"|(?<![\d./-])(?P<y2>\d{4})(?P<sep>[-/.])(?P<m2>\d{1,2})(?P=sep)(?P<d2>\d{1,2})(?![\d./-]*\d)"
    rf"|\b(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\s?(?P<m3>{_MONTH})\b{_NO_MODAL}\.?,?\s?(?P<y3>\d{{4}})?"
    rf"|\b(?P<m4>{_MONTH})\.?\s?(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s?(?P<y4>\d{{4}}))?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_CODE = re.compile(r"(?<![A-Za-z\d])[A-Za-z]*\d+[A-Za-z][A-Za-z0-9]*")
_ELLIPSIS = re.compile(r"\.{3,}|…+")
_SIGNS = frozenset("<>=≤≥≠≈±+×÷%‰°$€£¥^*~½¼¾√")
_JOINERS = frozenset("-/:.,~")


@dataclass(frozen=True)
class Token:
    """One token.

    Args:
        kind: one of `GUARDED`, or `word`, `harmless`, `mark`, `ellipsis`.
        key: what two tokens have to share to say the same.
        start, end: offsets in the normal form.
    """

    kind: str
    key: str
    start: int
    end: int

    @property
    def guarded(self) -> bool:
        """Whether it has to be the same in a quote and its place."""
        return self.kind in GUARDED

    @property
    def idle(self) -> bool:
        """Whether its presence or absence changes nothing."""
        return self.kind in ("harmless", "mark", "ellipsis")


@cache
def guard_words(language: str) -> dict[str, Any]:
    """The lists of guards.yaml for `zh` or `en`."""
    table = yaml.safe_load(files("compiler.grounding").joinpath("guards.yaml").read_text("utf-8"))
    return dict(table[language])


@cache
def _classes() -> dict[str, str]:
    """Every word of the lists with its kind; of a word in two lists the first kind holds."""
    zh, en, cues = guard_words("zh"), guard_words("en"), lexicon("zh")
    kinds: dict[str, str] = {}
    for shield in (*zh["shields"], *cues.words("not_modal"), *cues.words("conditions", "not_openers")):
        kinds.setdefault(shield, "word")
    for kind in ("negation", "modality", "comparator", "connective", "condition", "order", "time", "class", "role"):
        for word in (*zh.get(kind, ()), *en.get(kind, ())):
            kinds.setdefault(word, kind)
    for word, modality in cues.table("modals").items():
        kinds.setdefault(word, "negation" if modality == "must_not" else "modality")
    for group in ("comparators", "comparators_after"):
        for words in cues.table(group).values():
            kinds |= {word: "comparator" for word in words if word not in kinds and word not in "为是"}
    for path, kind in ((("conditions", "otherwise"), "condition"), (("conditions", "vague"), "condition")):
        kinds |= {word: kind for word in cues.words(*path) if word not in kinds}
    kinds |= {word: "time" for word in cues.words("deadline", "none") if word not in kinds}
    roles = (*cues.words("roles", "endings"), *cues.words("roles", "generic"))
    kinds |= {word: "role" for word in roles if len(word) > 1 and word not in kinds}
    for word in (*zh["harmless"], *en["harmless"]):
        kinds.setdefault(word, "harmless")
    return kinds


@cache
def _by_first_letter() -> dict[str, re.Pattern[str]]:
    """The listed words by their first letter, longest first; Latin ones bounded, and not part of a compound."""
    groups: dict[str, list[str]] = {}
    for word in sorted(_classes(), key=len, reverse=True):
        bounded = rf"(?<![\w-]){re.escape(word)}(?![\w]|-\w|'\w)" if word[0].isascii() else re.escape(word)
        groups.setdefault(word[0], []).append(bounded)
    return {first: re.compile("|".join(words), re.IGNORECASE) for first, words in groups.items()}


def listed_word(text: str, at: int) -> re.Match[str] | None:
    """The longest listed word that begins at `at`."""
    pattern = _by_first_letter().get(text[at].lower())
    return pattern.match(text, at) if pattern else None


def uncut_words(text: str) -> Iterator[tuple[int, int]]:
    """Where the words stand that mean something else when they are cut, left to right, none inside another."""
    at = 0
    while at < len(text):
        match = listed_word(text, at)
        if match and _classes()[match[0].lower()] in _UNCUT:
            yield match.span()
        at = match.end() if match else at + 1


def tokens(normal: Normal) -> tuple[Token, ...]:
    """The tokens of a normal form, left to right; none overlaps another.

    >>> from compiler.grounding.normalise import normalise
    >>> [(t.kind, t.key) for t in tokens(normalise("must pay within 3 days"))]
    [('modality', 'must'), ('word', 'pay'), ('comparator', 'within'), ('quantity', '3 d')]
    """
    text = normal.cased
    measured = _measured(text)
    found: list[Token] = []
    at = 0
    while at < len(text):
        token = measured.get(at) or _word(text, at)
        if token is not None:
            found.append(token)
        at = token.end if token is not None else at + 1
    return tuple(found)


def signature(normal: Normal) -> tuple[tuple[str, str], ...]:
    """What a quote may not change, in order: its guarded tokens as (kind, key).

    >>> from compiler.grounding.normalise import normalise
    >>> signature(normalise("三日内")) == signature(normalise("3 天内")) != signature(normalise("30日内"))
    True
    """
    return tuple((token.kind, token.key) for token in tokens(normal) if token.guarded)


def _measured(text: str) -> dict[int, Token]:
    """Dates, codes, quantities and numbers, by where they begin; the first kind that claims a place holds it."""
    taken: list[Token] = []  # in the order of the text; none overlaps another

    def add(token: Token) -> None:
        at = bisect_left(taken, token.start, key=lambda one: one.start)
        free_before = at == 0 or taken[at - 1].end <= token.start
        if free_before and (at == len(taken) or token.end <= taken[at].start):
            taken.insert(at, token)

    for match in DATE.finditer(text):
        add(Token("date", _date_key(match), match.start(), match.end()))
    quantities = find_quantities(text)
    for quantity in quantities:
        kind_of_day = re.search(r"自然|日历|calendar", quantity.text, re.IGNORECASE)
        unit = quantity.unit.id + (" calendar" if kind_of_day else "")
        add(
            Token(
                "quantity", f"{quantity.value:g} {unit}", quantity.start, _trimmed(text, quantity.start, quantity.end)
            )
        )
    for match in _CODE.finditer(text):
        add(Token("word", match[0].lower(), match.start(), match.end()))
    for number in find_numbers(text):
        end = _trimmed(text, number.start, number.end)
        written = text[number.start : end]
        key = written if _BY_LETTER.fullmatch(written) else f"{number.value!r}"
        add(Token("number", key, number.start, end))
    return {token.start: token for token in taken}


_BY_LETTER = re.compile(r"\d+\.\d+|0\d+")  # `5.20` beside `5.2`, `007`: without a unit more often labels than amounts


def _trimmed(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip())


def _date_key(match: re.Match[str]) -> str:
    year, month, day = (
        next((match[name + n] for n in ("", "2", "3", "4") if name + n in match.re.groupindex and match[name + n]), "")
        for name in "ymd"
    )
    number = month if month.isdigit() else str([m[:3] for m in _MONTHS].index(month[:3].lower()) + 1)
    return "-".join(part.lstrip("0") for part in (year, number, day))


def _word(text: str, at: int) -> Token | None:
    """The word, mark or sign that begins at `at`; None for a blank."""
    char = text[at]
    if char == " ":
        return None
    if (match := listed_word(text, at)) is not None:
        word = match[0].lower()
        kind = _classes()[word]
        if match[0] == "A" and at > 1 and text[at - 2].islower():
            return Token("word", word, at, match.end())  # a name, as in `grade A`, and no article
        return Token(kind, alike_key(word) if kind == "role" else word, at, match.end())
    if is_cjk(char):
        return Token("word", char, at, at + 1)
    if (match := _WORD.match(text, at)) is not None:
        end = next((n for n in range(at, match.end()) if is_cjk(text[n])), match.end())
        return Token("word", _cased_prefix(text, at, end), at, end)
    if (match := _ELLIPSIS.match(text, at)) is not None:
        return Token("ellipsis", "...", at, match.end())
    return Token("sign" if _is_sign(text, at) else "word" if char.isalnum() else "mark", char, at, at + 1)


def _cased_prefix(text: str, at: int, end: int) -> str:
    """A word in lower case, but after a number a unit's `m` or `M` as it stands: milli is not mega."""
    unit = text[at] in "mM" and end - at <= 3 and text[:at].rstrip()[-1:].isdigit()
    return text[at] + text[at + 1 : end].lower() if unit else text[at:end].lower()


def _is_sign(text: str, at: int) -> bool:
    """Whether a mark has a meaning of its own: a relation, a currency, or what joins or precedes digits."""
    char, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if char in _SIGNS:
        return True
    if char not in _JOINERS or not after.isdigit():
        return False
    return char in "-/~." or before.isdigit()


@lru_cache(maxsize=65536)
def alike_key(word: str) -> str:
    """A Latin word without plural or third-person s and with British and American spelling folded.

    >>> alike_key("labour") == alike_key("labors"), alike_key("employer") == alike_key("employee")
    (True, False)
    >>> alike_key("goods") == alike_key("good")
    False
    """
    if word in guard_words("en")["never_alike"] or len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for pattern, into in _SPELLINGS:
        word = pattern.sub(into, word)
    return word


_SPELLINGS = tuple(
    (re.compile(pattern), into)
    for pattern, into in (
        (r"(?<=...)our(?=$|ed$|ing$|able$)", "or"),
        (r"(?<=..)is(?=(?:e|ed|es|ing|ation)$)", "iz"),
        (r"(?<=..)ys(?=(?:e|ed|es|ing)$)", "yz"),
        (r"(?<=..)tre$", "ter"),
        (r"ogue$", "og"),
        (r"ll(?=(?:ed|ing|er|ment)?$)", "l"),
        (r"ense$", "ence"),
        (r"mme$", "m"),
        (r"dgement$", "dgment"),
    )
)
