"""Passages to search: their raw texts and their normal forms, each joined once so that a search is one scan."""

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz, process

from compiler.grounding.normalise import Normal, normalise
from compiler.grounding.tokens import Token, tokens
from ir.document import Passage

_BREAK = "\x00"
_BEHIND = 15.0


@dataclass(frozen=True, order=True)
class Place:
    """A run of raw characters in a passage; places are ordered as the document is read.

    Args:
        passage: index of the passage in the document.
        start, end: code points of its raw text.
        address: of the block or cell.
    """

    passage: int
    start: int
    end: int
    address: str


@dataclass(frozen=True)
class IndexedPassage:
    """One passage with its index in the document."""

    index: int
    passage: Passage

    def place(self, start: int, end: int) -> Place:
        """A place in this passage."""
        return Place(self.index, start, end, self.passage.address)


class PassageIndex:
    """Some passages of a document, in reading order; normal forms and tokens are made when first asked for.

    Args:
        texts: the passages with their indices in the document.
    """

    def __init__(self, texts: Sequence[IndexedPassage]) -> None:
        self.texts = tuple(texts)
        self._tokens: dict[int, tuple[Token, ...]] = {}

    @cached_property
    def _raw(self) -> tuple[str, "array[int]"]:
        return _join([text.passage.text for text in self.texts])

    @cached_property
    def normals(self) -> tuple[Normal, ...]:
        """The normal form of each passage."""
        return tuple(normalise(text.passage.text) for text in self.texts)

    @cached_property
    def _normal(self) -> tuple[str, "array[int]"]:
        return _join([normal.text for normal in self.normals])

    def tokens(self, at: int) -> tuple[Token, ...]:
        """The tokens of the passage at position `at` of `texts`."""
        if at not in self._tokens:
            self._tokens[at] = tokens(self.normals[at])
        return self._tokens[at]

    def exact(self, quote: str) -> Iterator[tuple[IndexedPassage, int, int]]:
        """Every place of the raw words, left to right, not overlapping: the passage with raw offsets."""
        for at, start in _hits(self._raw, quote):
            yield self.texts[at], start, start + len(quote)

    def normalised(self, quote: Normal) -> Iterator[tuple[IndexedPassage, int, int]]:
        """Every place of the same normal form: the passage with raw offsets."""
        for at, start in _hits(self._normal, quote.text):
            normal, end = self.normals[at], start + len(quote.text)
            raw = normal.raw(start, end)
            if raw is not None and same_prefixes(quote.cased, normal.cased[start:end]):
                yield self.texts[at], *raw

    def alike(self, quote: Normal, limit: int, cutoff: float) -> list[tuple[int, float]]:
        """The passages with the letters most like the quote's, none far behind the best: position and likeness."""
        least = len(quote.text) // 2
        choices = {at: normal.text for at, normal in enumerate(self.normals) if len(normal.text) >= max(2, least)}
        found = process.extract(quote.text, choices, scorer=fuzz.partial_ratio, limit=limit, score_cutoff=cutoff)
        best = max((score for _, score, _ in found), default=0.0)
        near = [(at, score) for _, score, at in found if score > best - _BEHIND]
        return sorted(near, key=lambda pair: (-pair[1], pair[0]))

    def window(self, quote: Normal, at: int) -> tuple[tuple[Token, ...], tuple[int, int]]:
        """The tokens of a passage around the letters most like the quote's, and which of them hold these letters."""
        normal = self.normals[at]
        lie = fuzz.partial_ratio_alignment(quote.text, normal.text)
        begin, end = (lie.dest_start, lie.dest_end) if lie else (0, len(normal.text))
        room = max(40, len(quote.text) // 2)
        window = [token for token in self.tokens(at) if token.end > begin - room and token.start < end + room]
        held = [n for n, token in enumerate(window) if token.end > begin and token.start < end]
        return tuple(window), (held[0], held[-1] + 1) if held else (0, 0)

    def across(self, quote: Normal) -> tuple[IndexedPassage, IndexedPassage] | None:
        """The neighbouring passages that hold the quote only together, or None."""
        for joint in ("", " "):
            text, starts = _join([normal.text for normal in self.normals], joint)
            at = text.find(quote.text)
            if at >= 0:
                first, last = (bisect_right(starts, n) - 1 for n in (at, at + len(quote.text) - 1))
                if first < last:
                    return self.texts[first], self.texts[last]
        return None


def same_prefixes(left: str, right: str) -> bool:
    """Whether two texts that differ in case alone give units the same prefix: `5 mW` is not `5 MW`.

    >>> same_prefixes("5 kg MAX", "5 KG max"), same_prefixes("5 MW", "5 mW")
    (True, False)
    """
    if left == right:
        return True
    for at, (a, b) in enumerate(zip(left, right, strict=True)):
        if {a, b} == {"m", "M"} and left[:at].rstrip()[-1:].isdigit():
            rest = [text[at + 1 :] for text in (left, right)]
            word = [text[: next((n for n, c in enumerate(text) if not c.isalpha()), len(text))] for text in rest]
            if word[0] == word[1] and len(word[0]) <= 2:
                return False
    return True


def _join(parts: Sequence[str], joint: str = _BREAK) -> tuple[str, "array[int]"]:
    starts, at = array("l"), 0
    for part in parts:
        starts.append(at)
        at += len(part) + len(joint)
    return joint.join(parts), starts


def _hits(joined: tuple[str, "array[int]"], words: str) -> Iterator[tuple[int, int]]:
    """Places of some words, each inside one part: the part's position and the offset in it."""
    text, starts = joined
    at = text.find(words) if words else -1
    while at >= 0:
        part = bisect_right(starts, at) - 1
        inside = part + 1 == len(starts) or at + len(words) < starts[part + 1]
        if inside:
            yield part, at - starts[part]
        at = text.find(words, at + (len(words) if inside else 1))
