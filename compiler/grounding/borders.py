"""Where a quote may begin and end: inside no number, date or (guarded) word, nor right after what negates it."""

import re
from functools import cache

from compiler.grounding.normalise import is_cjk
from compiler.grounding.tokens import DATE, guard_words, uncut_words
from ir.quantities.numerals import find_numbers

_AROUND = 32
_DOTTED = re.compile(r"\d+(?:(?:[.:]|,(?=\d{3}(?!\d)))\d+)+")


def cut_words(text: str, start: int, end: int, *, bound: bool = True) -> tuple[int, int] | None:
    """The wider run that the non-empty run `start` to `end` was cut out of, or None where its borders are sound.

    A verbatim quote can still say something else than the document: `3 days` stands in `13 days`, `得转包` in
    `不得转包`, `comply` in `not comply`, `经理` in `副经理`. A modal such as `must not` may be left off, as the
    shortest words for the action do without it.

    Args:
        bound: whether a negation or a rank that stands before the run belongs to it.

    >>> cut_words("within 13 days", 8, 14), cut_words("within 13 days", 7, 14)
    ((7, 14), None)
    """
    left, right = _left(text, start), _right(text, end)
    if bound and left == start:
        left = _bound(text, start)
    return (left, right) if (left, right) != (start, end) else None


def _left(text: str, at: int) -> int:
    return min((begin for begin, _ in _crossing(text, at)), default=at)


def _right(text: str, at: int) -> int:
    furthest = max((end for _, end in _crossing(text, at)), default=at)
    negated = re.compile(r"['’]t\b").match(text, furthest)
    return negated.end() if negated and furthest else furthest


def _crossing(text: str, at: int) -> list[tuple[int, int]]:
    """The numbers, dates, words and guarded words that the border `at` cuts in two."""
    if at == 0 or at == len(text):
        return []
    base = max(0, at - _AROUND)
    window = text[base : at + _AROUND]
    runs = [(number.start, number.start + len(number.text.rstrip())) for number in find_numbers(window)]
    runs += [match.span() for pattern in (_DOTTED, DATE) for match in pattern.finditer(window)]
    runs += [(begin, end) for begin, end in uncut_words(window) if end - begin > 1]
    found = [(base + begin, base + end) for begin, end in runs if base + begin < at < base + end]
    word = _word_around(text, at)
    return [*found, word] if word else found


def _word_around(text: str, at: int) -> tuple[int, int] | None:
    if not (_same_word(text[at - 1], text[at])):
        return None
    begin, end = at - 1, at + 1
    while begin > 0 and _same_word(text[begin - 1], text[begin]):
        begin -= 1
    while end < len(text) and _same_word(text[end - 1], text[end]):
        end += 1
    return begin, end


def _same_word(left: str, right: str) -> bool:
    if left.isdigit() or right.isdigit():
        return left.isdigit() and right.isdigit()
    return left.isalpha() and right.isalpha() and not is_cjk(left) and not is_cjk(right)


@cache
def _bound_before() -> re.Pattern[str]:
    """What, directly before a quote, belongs to it: a negation or a rank."""
    zh, en = guard_words("zh"), guard_words("en")
    chinese = "|".join(sorted(map(re.escape, zh["bound_before"]), key=len, reverse=True))
    english = "|".join(map(re.escape, en["bound_before"]))
    return re.compile(rf"(?:{chinese})$|\b(?:{english})(?:\s+|-)$|n['’]t\s+$", re.IGNORECASE)


def _bound(text: str, start: int) -> int:
    """Where the words begin that belong to the quote although they stand before it; `start` where there are none."""
    base = max(0, start - _AROUND)
    before = text[base:start]
    zh, en = guard_words("zh"), guard_words("en")
    if before.endswith("总") and re.match(zh["ranks"], text[start - 1 :]):
        return start - 1
    match = _bound_before().search(before)
    if match is None or any(before.endswith(word) for word in zh["not_bound"]):
        return start
    modal = "|".join(en["modal_before"])
    if re.search(rf"\b(?:{modal})\s+$", before[: match.start()], re.IGNORECASE):
        return start
    return base + match.start()
