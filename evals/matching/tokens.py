"""How many tokens a case has a right to, and what one plain prompt would take."""

from functools import lru_cache

from catalog.load import Catalog
from ir.base import canonical_json
from ir.document import Document

FACTOR, FLOOR, EACH = 2.5, 7_000, 8_000
"""A document may take so many times its own tokens, so many more, and so many for each procedure that it holds."""


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has: one for each Chinese character, one for four others.

    >>> estimate_tokens("任务单 is filed")
    6
    """
    wide = sum(1 for char in text if "\u3000" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff")
    return wide + (len(text) - wide + 3) // 4


def document_tokens(document: Document) -> int:
    """The tokens of a document's text."""
    return sum(estimate_tokens(passage.text) for passage in document.passages())


def token_allowance(tokens: int, procedures: int = 1) -> int:
    """The most that reading a document of so many tokens may take, sent and received together.

    Args:
        procedures: that were found in it; each is asked about by itself.
    """
    return int(FACTOR * tokens) + FLOOR + EACH * max(1, procedures)


def plain_prompt(document: Document, catalog: Catalog) -> int:
    """What one prompt with the whole document and the whole catalog would send, without any answer."""
    return document_tokens(document) + _catalog(catalog)


@lru_cache(maxsize=4)
def _catalog(catalog: Catalog) -> int:
    return sum(estimate_tokens(canonical_json(one.model_dump(mode="json"))) for one in catalog.node_types.values())
