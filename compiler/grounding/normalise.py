"""The normal form in which a quote and a document are compared, with the way back to the raw text.

Folded are: Unicode compatibility forms (NFKC), case, white space, hyphenation at a line's end, and the variants of
punctuation marks. Digits keep their separators and the white space that parts them: `1, 200` is not `1,200`, and a
raised or circled digit beside another digit is left as it is, so that 10² never becomes 102.
"""

import unicodedata
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_DROPPED = frozenset("\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufe0f")
_SOFT_HYPHEN = "\u00ad"
_VARIANTS = (
    dict.fromkeys("‐‑‒–—―−﹣", "-")
    | dict.fromkeys("“”„‟〝〞「」『』", '"')
    | dict.fromkeys("‘’‛′´`", "'")
    | dict.fromkeys("〈⟨", "《")
    | dict.fromkeys("〉⟩", "》")
    | dict.fromkeys("【〔〖", "[")
    | dict.fromkeys("】〕〗", "]")
    | dict.fromkeys("•‧・∙⋅", "·")
    | dict.fromkeys("〜∼˜", "~")
    | dict.fromkeys("≧⩾", "≥")
    | dict.fromkeys("≦⩽", "≤")
)


@dataclass(frozen=True)
class Normal:
    """A text in normal form.

    Args:
        text: lower case.
        cased: the same with its case kept; of the same length.
        starts, ends: for each character of `text`, where the raw characters that it came from begin and end.
    """

    text: str
    cased: str
    starts: "array[int]"
    ends: "array[int]"

    def raw(self, start: int, end: int) -> tuple[int, int] | None:
        """Raw offsets of the non-empty run `start` to `end`; None where it cuts a raw character such as a ligature."""
        if start and self.starts[start] == self.starts[start - 1]:
            return None
        if end < len(self.text) and self.starts[end] == self.starts[end - 1]:
            return None
        return self.starts[start], self.ends[end - 1]


@dataclass(frozen=True)
class _Char:
    char: str
    start: int
    end: int
    breaks: bool = False


def is_cjk(char: str) -> bool:
    """Whether a character belongs to a script that is written without spaces.

    >>> is_cjk("款"), is_cjk("a"), is_cjk("，")
    (True, False, False)
    """
    code = ord(char)
    return (
        code in (0x3005, 0x3007) or 0x3040 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x3FFFF
    )


def normalise(text: str) -> Normal:
    """The normal form of a text.

    >>> normalise("Ｔｈｅ  Manager（经理） ap-\\nproves，3 个工作日。").text
    'the manager(经理)approves,3个工作日.'
    >>> normalise("1, 200 and 12.5").text
    '1, 200 and 12.5'
    """
    kept = list(_spaced(_folded(text)))
    cased = "".join(char.char for char in kept)
    lower = "".join(low if len(low := char.char.lower()) == 1 else char.char for char in kept)
    return Normal(lower, cased, array("l", (c.start for c in kept)), array("l", (c.end for c in kept)))


def _folded(text: str) -> list[_Char]:
    """Characters in folded form, each run of white space as one blank, soft hyphens as U+00AD."""
    found: list[_Char] = []
    at = 0
    while at < len(text):
        char, start = text[at], at
        at += 1
        if char.isspace():
            while at < len(text) and (text[at].isspace() or text[at] in _DROPPED):
                at += 1
            found.append(_Char(" ", start, at, breaks=any(c in "\n\r\f\v\u2028" for c in text[start:at])))
            continue
        while at < len(text) and unicodedata.combining(text[at]):
            at += 1
        if at == start + 1 and char.isascii():
            found.append(_Char(char if char != "`" else "'", start, at))
        elif char not in _DROPPED:
            for folded in _fold(text[start:at], *_digits_beside(found, text, at)):
                if not (folded == "-" and found and found[-1].char == "-" and found[-1].end == start):
                    found.append(_Char(folded, start, at))
    return found


def _digits_beside(found: list[_Char], text: str, at: int) -> tuple[bool, bool]:
    following = text[at : at + 1]
    return bool(found and found[-1].char.isdigit()), bool(
        following and unicodedata.numeric(following, None) is not None
    )


@lru_cache(maxsize=8192)
def _fold(cluster: str, after_digit: bool, before_digit: bool) -> str:
    """One raw character with its combining marks, folded; a digit that is no plain digit is left beside another one."""
    if cluster in (_SOFT_HYPHEN, "。"):
        return cluster
    folded = unicodedata.normalize("NFKC", _VARIANTS.get(cluster, cluster))
    plain = len(cluster) == 1 and unicodedata.decimal(cluster, None) is not None
    if not plain and (after_digit or before_digit) and any(c.isdigit() for c in folded):
        return cluster
    return "".join(_VARIANTS.get(char, char) for char in folded if not char.isspace())


def _spaced(chars: list[_Char]) -> Iterator[_Char]:
    """The characters that are kept: blanks only where they part words or digits, no hyphens that a line's end made."""
    for at, char in enumerate(chars):
        if char.char == _SOFT_HYPHEN:
            continue
        if char.char == "。":
            yield char if _is_digit(chars, _next(chars, at)) else _Char(".", char.start, char.end)
        elif char.char == " ":
            if _parts(chars, at):
                yield char
        elif not (char.char == "-" and _hyphenates(chars, at)):
            yield char


def _next(chars: list[_Char], at: int) -> int:
    return at + 2 if at + 1 < len(chars) and chars[at + 1].char == " " else at + 1


def _is_digit(chars: list[_Char], at: int) -> bool:
    return 0 <= at < len(chars) and chars[at].char.isdigit()


def _is_letter(chars: list[_Char], at: int) -> bool:
    return 0 <= at < len(chars) and chars[at].char.isalpha() and not is_cjk(chars[at].char)


def _parts(chars: list[_Char], at: int) -> bool:
    """Whether the blank at `at` parts two words, or digits that a separator would join."""
    if at == 0 or at == len(chars) - 1:
        return False
    left, right = chars[at - 1].char, chars[at + 1].char
    if left == _SOFT_HYPHEN or (left == "-" and _hyphenates(chars, at - 1)):
        return False
    words = [char.isalnum() and not is_cjk(char) for char in (left, right)]
    before = left in ",.:" and _is_digit(chars, at - 2) and right.isdigit()
    after = right in ",.:" and left.isdigit() and _is_digit(chars, at + 2)
    return all(words) or before or after


def _hyphenates(chars: list[_Char], at: int) -> bool:
    """Whether the hyphen at `at` stands at a line's end inside a word (`ap-` / `proves`)."""
    if at + 2 >= len(chars) or not chars[at + 1].breaks:
        return False
    return _is_letter(chars, at - 1) and _is_letter(chars, at + 2) and chars[at + 2].char.islower()
