"""Vectors of texts that seldom change, kept on disk by model and text, so that the model need not even be loaded."""

import contextlib
import hashlib
import os
import re
import zipfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catalog.embedders.protocol import Embedder
from ir.files import replacing

_MOST_KEPT = 20_000


class VectorCache:
    """One file of vectors per model, in one folder; a cache that cannot be read or written costs time and no more.

    Args:
        folder: None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def vectors(self, embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of texts, from the cache where it has them, else from the embedder, and then kept.

        Returns:
            float32 array of shape (texts, dimensions).

        Raises:
            EmbedderError: the embedder was needed and failed.
        """
        if not texts:
            return embedder.embed([])
        wanted = {_key(text): text for text in texts}
        known = self._load_vectors(embedder.model_id)
        missing = {key: text for key, text in wanted.items() if key not in known}
        if missing:
            fresh = embedder.embed(list(missing.values()))
            if any(vector.shape != fresh.shape[1:] for vector in known.values()):  # the model changed under its name
                known, missing = {}, wanted
                fresh = embedder.embed(list(missing.values()))
            known |= dict(zip(missing, fresh, strict=True))
            kept = known if len(known) <= _MOST_KEPT else {key: known[key] for key in wanted}
            self._write(embedder.model_id, kept)
        return np.stack([known[_key(text)] for text in texts])

    def _file(self, model_id: str) -> Path | None:
        if self._folder is None:
            return None
        slug = re.sub(r"[^A-Za-z0-9._-]+", "-", model_id)[:60]
        return self._folder / f"{slug}-{_key(model_id)[:16]}.npz"

    def _load_vectors(self, model_id: str) -> dict[str, NDArray[np.float32]]:
        path = self._file(model_id)
        try:
            return {} if path is None else dict(_read(path, path.stat().st_mtime_ns))
        except (OSError, ValueError, KeyError, EOFError, TypeError, NotImplementedError, zipfile.BadZipFile):
            # absent, cut off or not ours
            return {}

    def _write(self, model_id: str, vectors: dict[str, NDArray[np.float32]]) -> None:
        path = self._file(model_id)
        if path is None:
            return
        with contextlib.suppress(OSError), replacing(path) as file:
            np.savez(file, keys=np.array(list(vectors)), vectors=np.stack(list(vectors.values())))


@lru_cache(maxsize=2)
def _read(path: Path, _written: int) -> Mapping[str, NDArray[np.float32]]:
    """The vectors of a file by key, read once for each time that it was written; none where they are not sound."""
    with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        keys, vectors = stored["keys"], stored["vectors"]
    sound = vectors.dtype == np.float32 and vectors.ndim == 2 and keys.shape == vectors.shape[:1]
    if not sound or not np.isfinite(vectors).all():
        return {}
    return dict(zip((str(key) for key in keys), vectors, strict=True))


def user_cache() -> VectorCache:
    """The cache in the user's cache folder: `$XDG_CACHE_HOME/flowc/vectors`, or `~/.cache/flowc/vectors`."""
    base = os.environ.get("XDG_CACHE_HOME") or ""
    if not Path(base).is_absolute():  # the XDG standard says to ignore a relative one
        try:
            base = str(Path.home() / ".cache")
        except RuntimeError:
            return VectorCache(None)
    return VectorCache(Path(base) / "flowc" / "vectors")


def _key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
