"""What every embedder does before and after its model: clean texts in, unit vectors out."""

import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from catalog.embedders.errors import EmbedderError


def clean(text: str) -> str:
    """A text as models are given it: compatibility forms folded, space runs and stray surrogates replaced.

    >>> clean("ＣＡＳ号　查询\\n等级")
    'CAS号 查询 等级'
    """
    sound = text.encode("utf-8", "replace").decode("utf-8")
    return " ".join(unicodedata.normalize("NFKC", sound).split())


def unit_rows(raw: ArrayLike, texts: Sequence[str]) -> NDArray[np.float32]:
    """A model's raw output as float32 rows of length 1; a row of an empty text is zero.

    Raises:
        EmbedderError: the output is not one finite row per text.
    """
    rows = np.asarray(raw, dtype=np.float32)
    if rows.ndim != 2 or len(rows) != len(texts):
        raise EmbedderError(f"the model gave an array of shape {rows.shape} for {len(texts)} texts; use another model")
    empty = np.fromiter((not clean(text) for text in texts), dtype=bool, count=len(texts))
    if not np.isfinite(rows[~empty]).all():
        raise EmbedderError("the model gave vectors with values that are no numbers; use another model")
    rows = np.where(empty[:, None], np.float32(0), rows)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1, lengths), dtype=np.float32)
