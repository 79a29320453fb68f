"""Any endpoint that speaks the `/embeddings` call of the OpenAI interface."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from catalog.embedders.errors import EmbedderError
from catalog.embedders.normal import clean, unit_rows

if TYPE_CHECKING:
    from openai import OpenAI


class OpenAICompatibleEmbedder:
    """A model behind an endpoint.

    Args:
        model: the name that the endpoint knows.
        base_url: None means what `OPENAI_BASE_URL` says.
        api_key: None means what `OPENAI_API_KEY` says; endpoints that need none get a placeholder.
        batch_size: texts per request.
        timeout: seconds per request.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        batch_size: int = 64,
        timeout: float = 60.0,
    ) -> None:
        self._model, self._base_url, self._api_key = model, base_url, api_key
        self._batch_size, self._timeout = batch_size, timeout
        host = urlsplit(base_url or "").hostname
        self.model_id = f"openai:{model}@{host}" if host else f"openai:{model}"

    @cached_property
    def _client(self) -> "OpenAI":
        import os

        from openai import OpenAI

        key = self._api_key or os.environ.get("OPENAI_API_KEY") or "none"
        return OpenAI(base_url=self._base_url, api_key=key, timeout=self._timeout)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, in requests of `batch_size`; see `Embedder.embed`."""
        rows: list[list[float]] = []
        for start in range(0, len(texts), self._batch_size):
            rows += self._request([clean(text) or " " for text in texts[start : start + self._batch_size]])
        if not rows:
            return np.zeros((0, 1), dtype=np.float32)
        if len({len(row) for row in rows}) != 1:
            raise EmbedderError(f"{self._model!r} gave vectors of unequal length; use another model")
        return unit_rows(rows, texts)

    def _request(self, texts: list[str]) -> list[list[float]]:
        from openai import OpenAIError

        try:
            # Many servers know only the plain format, and the client would ask for base64.
            reply = self._client.embeddings.create(model=self._model, input=texts, encoding_format="float")
        except OpenAIError as error:
            where = self._base_url or "the default endpoint"
            raise EmbedderError(
                f"{where} gave no embeddings with {self._model!r}: {error}; check endpoint, key and model"
            ) from error
        items = sorted(reply.data, key=lambda item: item.index)
        if [item.index for item in items] != list(range(len(texts))):
            raise EmbedderError(f"{self._model!r} gave {len(items)} vectors for {len(texts)} texts; use another model")
        return [item.embedding for item in items]
