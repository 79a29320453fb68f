"""Pages of a list: each names where the next one goes on."""

import base64
import binascii
import json
from typing import Annotated, Generic, TypeVar

from fastapi import Query

from agents.errors import BadArguments
from ir.base import Model

Item = TypeVar("Item", bound=Model)
Place = tuple[str, str]
Limit = Annotated[int, Query(ge=1, le=200, description="how many a page has at most")]
Cursor = Annotated[str | None, Query(max_length=400, description="`next_page` of the page before")]


class Page(Model, Generic[Item]):
    """A part of a list.

    Args:
        next_page: the cursor of the page after it; None where it is the last. A page may be empty and not the last.
    """

    items: tuple[Item, ...]
    next_page: str | None = None


def cursor_of(place: Place) -> str:
    """A cursor to go on after a place.

    >>> place_of(cursor_of(("2026-11-01", "e-1")))
    ('2026-11-01', 'e-1')
    """
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def place_of(cursor: str | None) -> Place | None:
    """The place that a cursor names.

    Raises:
        BadArguments: it is none that was given out.
    """
    if cursor is None:
        return None
    try:
        found = json.loads(base64.b64decode(cursor.encode() + b"==", b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        found = None
    if not (isinstance(found, list) and len(found) == 2 and all(isinstance(one, str) for one in found)):
        raise BadArguments("cursor: it is none that a page gave; begin without one")
    first, second = found
    if "\x00" in first + second or not (first + second).isprintable():
        raise BadArguments("cursor: it is none that a page gave; begin without one")
    return first, second
