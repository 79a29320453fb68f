"""Any sentence-transformers model, from a local folder or the hub; needs the extra of that name."""

import hashlib
import importlib
import importlib.util
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.embedders.errors import EmbedderError
from catalog.embedders.normal import clean, unit_rows

EXTRA = "pip install 'flowc[sentence-transformers]'"
_EDGE = 1 << 16


class SentenceTransformerEmbedder:
    """A sentence-transformers model, loaded at the first text.

    Args:
        name: a local folder, or a hub name such as `BAAI/bge-m3`.
        allow_download: the hub may be asked; otherwise only what is on this machine is used, and the process is set
            offline before the package is imported, because an unreachable hub takes over a minute to fail.

    Raises:
        EmbedderError: the package is not installed.
    """

    def __init__(self, name: str, *, allow_download: bool = False) -> None:
        if importlib.util.find_spec("sentence_transformers") is None:
            raise EmbedderError(f"sentence-transformers is not installed; run: {EXTRA}")
        self._name, self._allow_download = name, allow_download
        folder = Path(name).expanduser()
        self._source = str(folder) if folder.is_dir() else name
        known_as = f"{folder.name}@{_fingerprint(folder)}" if folder.is_dir() else name
        self.model_id = f"sentence-transformers:{known_as}"

    def check(self) -> None:
        """Load the model now, to learn whether it can be used.

        Raises:
            EmbedderError: it cannot.
        """
        _ = self._model

    @cached_property
    def _model(self) -> Any:  # imported lazily: the package brings torch
        if not self._allow_download:
            os.environ["HF_HUB_OFFLINE"] = "1"
            os.environ["TRANSFORMERS_OFFLINE"] = "1"
        try:
            from sentence_transformers import SentenceTransformer

            importlib.import_module("transformers.utils.logging").disable_progress_bar()
            return SentenceTransformer(self._source, local_files_only=not self._allow_download)
        except Exception as error:  # the package raises whatever its layers raise; the cause is kept
            hint = "check the name" if self._allow_download else "give a local folder, or allow the download"
            raise EmbedderError(f"the model {self._name!r} cannot be loaded: {_first_line(error)}; {hint}") from error

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts; see `Embedder.embed`."""
        if not texts:
            return np.zeros((0, 1), dtype=np.float32)
        raw = self._model.encode([clean(text) for text in texts], convert_to_numpy=True, show_progress_bar=False)
        return unit_rows(raw, texts)


def _fingerprint(folder: Path) -> str:
    """Digest of a model folder: names, sizes and both edges of each file, so that a model trained on differs."""
    digest = hashlib.sha256()
    for path in sorted(item for item in folder.rglob("*") if item.is_file()):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()}:{size}:".encode())
        with path.open("rb") as file:
            digest.update(file.read(_EDGE))
            file.seek(max(0, size - _EDGE))
            digest.update(file.read(_EDGE))
    return digest.hexdigest()[:16]


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
