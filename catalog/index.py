"""Search over the catalog: which Node Types may carry out what a text asks for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from catalog.load import Catalog
from catalog.node_type import Candidate, NodeType

if TYPE_CHECKING:  # numpy and the embedders are loaded when an index is made, not when the module is imported
    import numpy as np
    from numpy.typing import NDArray

    from catalog.embedders.cache import VectorCache
    from catalog.embedders.lexical import LexicalEmbedder
    from catalog.embedders.protocol import Embedder

LEXICAL_WEIGHT = 0.1  # at most 0.15: more harms recall across languages
NEAREST = 5  # texts of a Type whose mean stands beside the best one
NOT_SEARCHED = frozenset({"human", "control"})


@dataclass(frozen=True)
class Scope:
    """Which Node Types may be found at all.

    Args:
        domain: only Types of this business domain and those of any; None for all.
        permissions: what the caller may do: only Types that need no more; None for all.
    """

    domain: str | None = None
    permissions: Collection[str] | None = None

    def admits(self, node_type: NodeType) -> bool:
        """Whether a Type is within it."""
        in_domain = self.domain is None or not node_type.domains or self.domain in node_type.domains
        return in_domain and (self.permissions is None or set(node_type.permissions) <= set(self.permissions))


class NodeIndex:
    """Candidates by meaning, with a little help from the letters.

    A text's similarity is a weighted sum of meaning and letters. A Type's score is half its best text's (summaries,
    aliases, examples) and half the mean of its five best, so that one good match counts and chance matches less.

    Args:
        embedder: gives the meaning of texts.
        cache: keeps the vectors of the catalog's own texts; None means the one in the user's cache folder.
        lexical_weight: share of the letters in the score, 0 to 0.15.
        scope: what every search keeps to, whatever else it is asked.
    """

    def __init__(
        self,
        catalog: Catalog,
        embedder: Embedder,
        cache: VectorCache | None = None,
        lexical_weight: float = LEXICAL_WEIGHT,
        scope: Scope | None = None,
    ) -> None:
        if not 0 <= lexical_weight <= 0.15:
            raise ValueError(f"lexical_weight is {lexical_weight}, expected 0 to 0.15")
        from catalog.embedders.cache import user_cache

        self.catalog, self.embedder, self.scope = catalog, embedder, scope or Scope()
        self._cache = cache or user_cache()
        self._weight = lexical_weight
        self._owners = [
            (node_type, text) for node_type in catalog.node_types.values() for text in searchable_texts(node_type)
        ]

    def search(
        self,
        query: str,
        limit: int = 10,
        domain: str | None = None,
        permissions: Collection[str] | None = None,
        categories: Collection[str] | None = None,
    ) -> tuple[Candidate, ...]:
        """The best Node Types for a text, best first; see `search_many`."""
        return self.search_many([query], limit, domain, permissions, categories)[0]

    def search_many(
        self,
        queries: Sequence[str],
        limit: int = 10,
        domain: str | None = None,
        permissions: Collection[str] | None = None,
        categories: Collection[str] | None = None,
    ) -> tuple[tuple[Candidate, ...], ...]:
        """The best Node Types for each text, best first; texts in one batch cost far less than one by one.

        Deprecated Types are not found.

        Args:
            queries: a step in the document's words; a blank one finds nothing.
            limit: how many candidates at most for each.
            domain: only Types of this business domain and those of any; None for all.
            permissions: what the caller may do: only Types that need no more; None for all.
            categories: only these; None for all but `human` and `control`, which no text should find by chance.

        Raises:
            EmbedderError: the embedder failed.
        """
        asked_for = Scope(domain, permissions)
        allowed = {
            node_type.type
            for node_type in self.catalog.node_types.values()
            if node_type.lifecycle != "deprecated"
            and _of_category(node_type, categories)
            and self.scope.admits(node_type)
            and asked_for.admits(node_type)
        }
        asked = list(dict.fromkeys(query for query in queries if query.strip()))
        if not asked or not allowed:
            return tuple(() for _ in queries)
        dense, lexical = self.embedder.embed([plain(query) for query in asked]) @ self._dense.T, self._lexical(asked)
        found = dict(zip(asked, self._ranked(dense, lexical, allowed, limit), strict=True))
        return tuple(found.get(query, ()) for query in queries)

    def _ranked(
        self, dense: NDArray[np.float32], lexical: NDArray[np.float32], allowed: set[str], limit: int
    ) -> Iterator[tuple[Candidate, ...]]:
        """For each query, a row of similarities, the best Types; the rows are worked on together, Type by Type."""
        import numpy as np

        scores = (1 - self._weight) * dense + self._weight * lexical
        places = {name: own for name, own in self._places.items() if name in allowed}
        of_types = [scores[:, own] for own in places.values()]
        several = np.stack([np.sort(own, axis=1)[:, -NEAREST:].mean(axis=1) for own in of_types], axis=1)
        best = np.stack([own.max(axis=1) for own in of_types], axis=1)
        tops = [np.asarray(own)[of_types[at].argmax(axis=1)] for at, own in enumerate(places.values())]
        top = np.stack(tops, axis=1)
        for row in range(len(scores)):
            means = ((float(one) + float(other)) / 2 for one, other in zip(best[row], several[row], strict=True))
            ranked = [(-_share(mean), name, at) for mean, name, at in zip(means, places, top[row], strict=True)]
            yield tuple(
                Candidate(
                    type=name,
                    score=-share,
                    dense=_share(dense[row, at]),
                    lexical=_share(lexical[row, at]),
                    matched=self._owners[at][1],
                )
                for share, name, at in sorted(ranked)[:limit]
            )

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Where the texts of each Type stand among all texts."""
        places: dict[str, list[int]] = {}
        for place, (node_type, _) in enumerate(self._owners):
            places.setdefault(node_type.type, []).append(place)
        return places

    @cached_property
    def _dense(self) -> NDArray[np.float32]:
        """Vectors of the catalog's texts: shape (texts, dimensions)."""
        return self._cache.vectors(self.embedder, [plain(text) for _, text in self._owners])

    def _lexical(self, queries: Sequence[str]) -> NDArray[np.float32]:
        """Similarity of letters: shape (queries, texts)."""
        rows, rarity = self._letters
        counts = self._hasher.counts([plain(query) for query in queries]) * rarity
        return of_length_one(counts) @ rows.T

    @cached_property
    def _letters(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return letters_of(tuple(plain(text) for _, text in self._owners))

    @cached_property
    def _hasher(self) -> LexicalEmbedder:
        from catalog.embedders.lexical import LexicalEmbedder

        return LexicalEmbedder()


@lru_cache(maxsize=2)
def letters_of(texts: tuple[str, ...]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Texts as n-gram vectors, and how rare each place of a vector is among them; counted once for each catalog."""
    import numpy as np

    from catalog.embedders.lexical import LexicalEmbedder

    counts = LexicalEmbedder().counts(texts)
    rarity = (np.log((1 + len(counts)) / (1 + (counts > 0).sum(axis=0))) + 1).astype(np.float32)
    return of_length_one(counts * rarity), rarity


def searchable_texts(node_type: NodeType) -> tuple[str, ...]:
    """All texts by which a Node Type may be found, each once: summaries, aliases, examples."""
    texts = (node_type.summary, *node_type.summary_i18n.values(), *node_type.aliases, *node_type.examples)
    return tuple(dict.fromkeys(text for text in texts if text.strip()))


def plain(text: str) -> str:
    """A text with identifiers as words.

    >>> plain("check_filing_status"), plain("查询 hazard_level")
    ('check filing status', '查询 hazard level')
    """
    return text.replace("_", " ")


def _of_category(node_type: NodeType, categories: Collection[str] | None) -> bool:
    return node_type.category not in NOT_SEARCHED if categories is None else node_type.category in categories


def _share(value: np.float32 | float) -> float:
    """A similarity as a plain number from 0 to 1, rounded so that rankings do not hang on the last bit."""
    return round(min(1.0, max(0.0, float(value))), 6)


def of_length_one(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length one; an empty one stays empty."""
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1, lengths), dtype=np.float32)
