"""Chooses an embedder by name; where it has to fall back to another, it says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from catalog.embedders.errors import EmbedderError
from catalog.embedders.protocol import Embedder

NAMES = "default, lexical, sentence-transformers:NAME, openai:MODEL, or a folder with a model"


@dataclass(frozen=True)
class LoadedEmbedder:
    """An embedder, and what the person must be told of how it was come by.

    Args:
        notices: one sentence for each fallback; empty where the embedder is the one asked for.
    """

    embedder: Embedder
    notices: tuple[str, ...] = ()


def load_embedder(
    name: str = "default",
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    allow_download: bool = False,
    fallback: bool = True,
) -> LoadedEmbedder:
    """The embedder of this name, or the next best with a notice: the default one, then the lexical.

    Args:
        name: `default`, `lexical`, `sentence-transformers:NAME` (a folder or hub name), `openai:MODEL`, or a folder.
        base_url: endpoint for `openai:MODEL`.
        api_key: key for `openai:MODEL`.
        allow_download: a sentence-transformers model may be fetched from the hub.
        fallback: False raises instead of falling back.

    Raises:
        EmbedderError: the name is of no known form, or `fallback` is off and the embedder cannot be used.
    """
    asked = _maker(name, base_url, api_key, allow_download)
    makers = [(name, asked), ("default", _default), ("lexical", _lexical)]
    notices: list[str] = []
    for position, (label, make) in enumerate(makers):
        if position and label == name:
            continue
        try:
            embedder = make()
        except EmbedderError as error:
            if not fallback:
                raise
            notices.append(f"embedder {label!r} is not used: {error}")
            continue
        if notices:
            notices.append(f"search uses {embedder.model_id} instead" + _weakness(label))
        return LoadedEmbedder(embedder, tuple(notices))
    raise EmbedderError("; ".join(notices))


def _maker(name: str, base_url: str | None, api_key: str | None, allow_download: bool) -> Callable[[], Embedder]:
    kind, _, rest = name.partition(":")
    if name == "default":
        return _default
    if name == "lexical":
        return _lexical
    if kind == "openai" and rest:
        return lambda: _openai(rest, base_url, api_key)
    if kind == "sentence-transformers" and rest:
        return lambda: _sentence_transformer(rest, allow_download)
    if Path(name).expanduser().is_dir():
        return lambda: _sentence_transformer(name, allow_download)
    raise EmbedderError(f"unknown embedder {name!r}; expected {NAMES}")


def _default() -> Embedder:
    from catalog.embedders.default import DefaultEmbedder

    return DefaultEmbedder()


def _lexical() -> Embedder:
    from catalog.embedders.lexical import LexicalEmbedder

    return LexicalEmbedder()


def _openai(model: str, base_url: str | None, api_key: str | None) -> Embedder:
    from catalog.embedders.openai_compatible import OpenAICompatibleEmbedder

    return OpenAICompatibleEmbedder(model, base_url=base_url, api_key=api_key)


def _sentence_transformer(name: str, allow_download: bool) -> Embedder:
    from catalog.embedders.sentence_transformers import SentenceTransformerEmbedder

    embedder = SentenceTransformerEmbedder(name, allow_download=allow_download)
    embedder.check()  # whether a hub model is on this machine shows only when it is loaded
    return embedder


def _weakness(label: str) -> str:
    return "; it finds nothing across languages" if label == "lexical" else ""
