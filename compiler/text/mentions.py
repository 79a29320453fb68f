"""Where a text names a concept of the catalog, or one of its values."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from catalog.concept import Concept
from catalog.load import Catalog
from ir.quantities.numerals import han_number

Scalar = str | int | bool
KEPT = 20_000  # texts whose mentions are remembered


@dataclass(frozen=True)
class Mention:
    """A name of a concept in a text, or (with `value`) words for one of its values; by code points."""

    start: int
    end: int
    concept: str
    value: Scalar | None = None
    text: str = ""


@lru_cache(maxsize=4)
def mentions_of(catalog: Catalog) -> "Mentions":
    """What finds the concepts of a catalog, made once for each."""
    return Mentions(catalog)


class Mentions:
    """Finds the names and value words of a catalog's concepts, longest first."""

    def __init__(self, catalog: Catalog) -> None:
        self.concepts: dict[str, Concept] = dict(catalog.concepts)
        self._found: dict[str, tuple[Mention, ...]] = {}  # the same words are asked about by several passes
        self.names: dict[str, list[tuple[str, Scalar | None]]] = {}
        for concept in self.concepts.values():
            for name in concept.names():
                self._add(name, concept.id, None)
            for item in concept.values:
                for words in item.words.values():
                    for word in words:
                        self._add(word, concept.id, item.value)
        self._pattern = re.compile(_any_of(self.names), re.IGNORECASE)

    def _add(self, word: str, concept: str, value: Scalar | None) -> None:
        entries = self.names.setdefault(word.lower(), [])
        if (concept, value) not in entries:
            entries.append((concept, value))

    def find(self, text: str) -> tuple[Mention, ...]:
        """Every mention, left to right, none inside another; enumerations such as `一、二类` value by value."""
        if text not in self._found:
            if len(self._found) > KEPT:
                self._found.clear()
            self._found[text] = self._find(text)
        return self._found[text]

    def named_in(self, text: str) -> tuple[str, ...]:
        """The ids of the concepts of which a text names one, each once."""
        found = (mention for mention in self.find(text) if len(self.names.get(mention.text.lower(), ())) < 2)
        return tuple(dict.fromkeys(mention.concept for mention in found))

    def _find(self, text: str) -> tuple[Mention, ...]:
        found: list[Mention] = []
        for start, end, expanded in _enumerations(text):
            for word in expanded:
                found += [
                    Mention(start, end, concept, value, text[start:end])
                    for concept, value in self.names.get(word.lower(), ())
                    if value is not None
                ]
        taken = [(m.start, m.end) for m in found]
        for match in self._pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            found += [
                Mention(match.start(), match.end(), concept, value, match[0])
                for concept, value in self.names.get(match[0].lower(), ())
            ]
        return tuple(sorted(found, key=lambda m: (m.start, m.end)))


@lru_cache(maxsize=4)
def _mentions(catalog: Catalog) -> Mentions:
    return Mentions(catalog)


def value_readings(catalog: Catalog) -> Callable[[str], tuple[Scalar, ...]]:
    """What the words of a text can mean among the values of the catalog's concepts."""
    mentions = _mentions(catalog)
    return lambda text: tuple(m.value for m in mentions.find(text) if m.value is not None)


def _any_of(words: Iterable[str]) -> str:
    """A pattern for words, at each place the longest; by common beginnings, so that few are tried.

    >>> re.findall(_any_of(["class 2", "class 2.1", "甲类", "甲"]), "class 2.1, class 20, 甲类")
    ['class 2.1', '甲类']
    """
    begun: dict[str, list[str]] = {}
    for word in sorted(words):
        begun.setdefault(word[0], []).append(word)
    kinds: dict[str, list[str]] = {}
    for first, some in begun.items():
        kinds.setdefault(_left_border(first), []).append(_beginning_alike(some, 0))
    return "|".join(f"{border}(?:{'|'.join(some)})" for border, some in kinds.items()) or r"(?!)"


def _beginning_alike(words: Sequence[str], at: int) -> str:
    """A pattern for what follows `at` characters that sorted words have in common, longer ones before shorter."""
    if len(words) == 1:
        return re.escape(words[0][at:]) + _right_border(words[0][-1])
    ended = [word for word in words if len(word) == at]
    parts = [
        re.escape(letter) + _beginning_alike([*some], at + 1)
        for letter, some in groupby((word for word in words if len(word) > at), key=lambda word: word[at])
    ]
    parts += [_right_border(word[-1]) for word in ended]
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


def _left_border(first: str) -> str:
    border = r"(?<![A-Za-z0-9])" if first.isascii() and first.isalnum() else ""
    return border + (r"(?<![0-9]\.)" if first.isdigit() else "")  # class 2 is not in class 2.1


def _right_border(last: str) -> str:
    border = r"(?![A-Za-z0-9])" if last.isascii() and last.isalnum() else ""
    return border + (r"(?!\.[0-9])" if last.isdigit() else "")


_NUMERAL = r"(?:[一二三四五六七八九十]+|(?<![0-9.])[0-9０-９]+(?!\.[0-9])|[ⅠⅡⅢⅣⅤIV]+)"
_JOIN = r"(?:\s*[、，,/]\s*|或者?|和|与|及|以及|[至到~～\-—])"
_ENUMERATION = re.compile(rf"(?P<pre>第)?(?P<list>{_NUMERAL}(?:{_JOIN}第?{_NUMERAL})+)(?P<suffix>[类级档等型])")
_EN_ENUMERATION = re.compile(
    r"\b(?P<noun>class|level|category|tier|grade|type)(?:es|s)?\s+(?P<list>\d+(?:(?:\s*,\s*|\s*,?\s+(?:or|and|to)\s+|\s*[-–]\s*)\d+)+)(?!\.?\d)",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def _enumerations(text: str) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
    """Spans of `一、二类`, `一至三级`, `classes 1 and 2`, each with its members written out (`一类`, `二类`)."""
    found = []
    for match in _ENUMERATION.finditer(text):
        numerals = re.findall(_NUMERAL, match["list"])
        if re.search(r"[至到~～\-—]", match["list"]) and len(numerals) == 2:
            low, high = (han_number(n) or (int(n) if n.isdigit() else 0) for n in numerals)
            numerals = [_like(numerals[0], n) for n in range(low, high + 1)] if 0 < low < high < 20 else numerals
        found.append((match.start(), match.end(), tuple(n + match["suffix"] for n in numerals)))
    for match in _EN_ENUMERATION.finditer(text):
        numbers = [int(n) for n in re.findall(r"\d+", match["list"])]
        if re.search(r"to|[-–]", match["list"]) and len(numbers) == 2:
            numbers = list(range(numbers[0], numbers[1] + 1))
        found.append((match.start(), match.end(), tuple(f"{match['noun'].lower()} {n}" for n in numbers)))
    return tuple(found)


def _like(sample: str, number: int) -> str:
    return (
        str(number)
        if sample.isdigit()
        else "零一二三四五六七八九十"[number]
        if number <= 10
        else "十" + "零一二三四五六七八九"[number - 10]
    )
