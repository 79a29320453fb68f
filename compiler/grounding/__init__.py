"""Grounding: where in a document the words stand that something is said to rest on."""

from compiler.grounding.literals import literal_supported, unsupported_literals
from compiler.grounding.locate import QuoteFinder, SearchResult, locate
from compiler.grounding.order import Grounded, ground_procedure

__all__ = [
    "Grounded",
    "QuoteFinder",
    "SearchResult",
    "ground_procedure",
    "literal_supported",
    "locate",
    "unsupported_literals",
]
