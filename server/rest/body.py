"""The body of a request: bounded, JSON, without what cannot be stored or would be lost."""

import json
import math
from collections.abc import Sequence
from typing import Any

from fastapi import Request
from pydantic import JsonValue

from agents.errors import BadArguments, TooLarge
from runtime.values import storable
from server.errors import WrongMediaType

DEEPEST = 100
"""How far objects and lists may stand in each other."""


async def body_of(request: Request, most: int) -> bytes:
    """The body, looked at; empty where there is none.

    Args:
        most: bytes that it may have.

    Raises:
        TooLarge: it has more; the rest is not read.
        WrongMediaType: it is not said to be JSON.
        BadArguments: it is no JSON, names a key twice, goes too deep, or holds what cannot be stored.
    """
    body = await _bounded(request, most)
    if not body:
        return body
    media_type = request.headers.get("content-type", "")
    if media_type.split(";")[0].strip().lower() != "application/json":
        raise WrongMediaType(f"this takes application/json, and was sent {media_type or 'a body that says nothing'}")
    _checked(body)
    return body


async def _bounded(request: Request, most: int) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise TooLarge(f"this takes {most} bytes at most ([agents] most_bytes in flowc.toml)")
        parts.append(part)
    return b"".join(parts)


def _checked(body: bytes) -> None:
    try:
        text = body.decode("utf-8")
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise BadArguments(f"the body is no UTF-8: {error.reason} at byte {error.start}") from None
    except RecursionError:
        raise BadArguments(f"the body goes deeper than {DEEPEST} objects and lists in each other") from None
    except ValueError as error:
        raise BadArguments(f"the body is no JSON: {error}") from None
    if _depth(value) > DEEPEST:
        raise BadArguments(f"the body goes deeper than {DEEPEST} objects and lists in each other")
    if not isinstance(value, dict):
        raise BadArguments("the body is no object of JSON")
    if not storable(value):
        raise BadArguments("the body holds characters or numbers that cannot be stored")


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"an object names {next(one for one in names if names.count(one) > 1)!r} twice")
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    found = float(text)
    if not math.isfinite(found):
        raise ValueError(f"{text} is larger than a number can be")
    return found


def _depth(value: JsonValue) -> int:
    """How far objects and lists stand in each other.

    >>> _depth(1), _depth([]), _depth({"a": [{}]})
    (0, 1, 3)
    """
    level, found = 0, [value]
    while found := [one for one in found if isinstance(one, dict | list)]:
        level += 1
        found = [inner for one in found for inner in (one.values() if isinstance(one, dict) else one)]
    return level
