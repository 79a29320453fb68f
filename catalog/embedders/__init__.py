"""Embedders: texts to vectors whose inner products say how near the texts are in meaning."""

from catalog.embedders.errors import EmbedderError
from catalog.embedders.load import LoadedEmbedder, load_embedder
from catalog.embedders.protocol import Embedder, Vectors

__all__ = ["Embedder", "EmbedderError", "LoadedEmbedder", "Vectors", "load_embedder"]
