"""The one thing that search needs of an embedder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]
else:
    Vectors = object  # numpy is imported only where vectors are made


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def model_id(self) -> str:
        """Names the model and everything that shapes its vectors, known without loading it; keys the vector cache."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts.

        Returns:
            float32 array of shape (texts, dimensions); each row has length 1, or is all zero for an empty text.

        Raises:
            EmbedderError: the model cannot be loaded or reached.
        """
