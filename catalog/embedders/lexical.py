"""The last resort: texts compared by their letters, with no model at all; it finds nothing across languages."""

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from catalog.embedders.normal import clean, unit_rows

_WORD = re.compile(r"[^\W_]+")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
_COMMON = re.compile(
    "an?|and|are|as|at|be|by|for|from|has|have|if|in|into|is|its?|must|of|on|or|shall|should|that|the|their|they|this|to"
    "|under|was|were|whether|which|who|will|with"
)


class LexicalEmbedder:
    """Hashed character n-grams and words, the rarer kinds weighted higher.

    Args:
        dimensions: length of the vectors; more means fewer n-grams that share a place.
    """

    def __init__(self, dimensions: int = 2048) -> None:
        self._dimensions = dimensions
        self.model_id = f"lexical-1-{dimensions}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts; see `Embedder.embed`."""
        return unit_rows(self.counts(texts), texts)

    def counts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The weighted n-gram counts, damped by the logarithm but not normalised: shape (texts, dimensions)."""
        rows = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            weights: Counter[str] = Counter()
            times: Counter[str] = Counter()
            for gram, weight in grams(text):
                weights[gram] = max(weights[gram], weight)
                times[gram] += 1
            for gram, count in times.items():
                row[zlib.crc32(gram.encode()) % self._dimensions] += weights[gram] / 4 * (1 + np.log(count))
        return rows


def grams(text: str) -> Iterator[tuple[str, int]]:
    """The n-grams of a text with their weights: Han characters and pairs, words and their trigrams.

    >>> sorted(grams("查等级"))
    [('查', 1), ('查等', 4), ('等', 1), ('等级', 4), ('级', 1)]
    >>> [gram for gram, _ in grams("the Fees")]
    ['the', 'fees', ' fe', 'fee', 'ees', 'es ']
    """
    for run in _WORD.findall(clean(text).casefold()):
        for han in _HAN.findall(run):
            yield from ((character, 1) for character in han)
            yield from ((han[i : i + 2], 4) for i in range(len(han) - 1))
        for word in _HAN.sub(" ", run).split():
            if _COMMON.fullmatch(word):
                yield word, 1
                continue
            padded = f" {word} "
            yield word, 4
            yield from ((padded[i : i + 3], 2) for i in range(len(padded) - 2))
