"""Personal values of the audit: the chain holds commitments to them, and the values stand beside it, to be deleted.

A commitment is an HMAC of the value under a salt of its own, so that what remains after value and salt are deleted
tells nothing of the value, not even to somebody who guesses it; until then it shows that the value is the one that was
recorded.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from pydantic import JsonValue

from ir.base import canonical_json
from store.tables import PERSONAL, TOLD

MARK, BY = "$personal", "hmac-sha256:"
"""The one key of what stands for a value in the chain, and how what it says begins."""
GONE: dict[str, JsonValue] = {"deleted": "personal"}
"""What a reader is given for a value that was deleted."""
DELETION = "personal-deleted"
"""The kind of the event that tells of a deletion."""
UNNUMBERED = 0
"""The event of a value whose event is not in the chain yet."""
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Kept:
    """A value that is kept beside the chain.

    Args:
        mark: the commitment to it, which stands in the chain.
    """

    mark: str
    salt: str
    value: str


def put(value: JsonValue, places: Mapping[Path, JsonValue]) -> JsonValue:
    """A value with others at some places in it.

    >>> put({"a": [1, 2], "b": 3}, {("a", 1): 0})
    {'a': [1, 0], 'b': 3}
    """
    if () in places:
        return places[()]
    below: dict[str | int, dict[Path, JsonValue]] = {}
    for path, given in places.items():
        below.setdefault(path[0], {})[path[1:]] = given
    if isinstance(value, dict):
        return {key: put(item, below[key]) if key in below else item for key, item in value.items()}
    if isinstance(value, list):
        return [put(item, below[at]) if at in below else item for at, item in enumerate(value)]
    return value


def sealed(body: JsonValue, places: Sequence[Path]) -> tuple[JsonValue, list[Kept]]:
    """A body with commitments in place of the values at some places, and these values.

    What somebody gave that looks like a commitment is sealed as well, so that all that are found later are ours.
    """
    chosen = {path: _at(body, path) for path in (*places, *_lookalikes(body))}
    outermost = {path: value for path, value in chosen.items() if not any(path[:n] in chosen for n in range(len(path)))}
    kept = {path: _kept(value) for path, value in outermost.items()}
    return put(body, {path: {MARK: one.mark} for path, one in kept.items()}), [*kept.values()]


def _at(value: Any, path: Path) -> JsonValue:
    for key in path:
        value = value[key]
    return value  # type: ignore[no-any-return]


def _kept(value: JsonValue) -> Kept:
    salt, text = secrets.token_hex(32), canonical_json(value)
    return Kept(_commitment(salt, text), salt, text)


def _commitment(salt: str, text: str) -> str:
    return BY + hmac.new(bytes.fromhex(salt), text.encode(), hashlib.sha256).hexdigest()


def _lookalikes(value: JsonValue, path: Path = ()) -> Iterator[Path]:
    if is_mark(value):
        yield path
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _lookalikes(item, (*path, key))


def is_mark(value: object) -> bool:
    """Whether it stands for a value: a commitment, as the chain has it."""
    return isinstance(value, dict) and [*value] == [MARK] and str(value[MARK]).startswith(BY)


def marks(body: JsonValue) -> dict[Path, str]:
    """The commitments of a body by their places."""
    return {path: str(_at(body, path)[MARK]) for path in _lookalikes(body)}  # type: ignore[call-overload,index]


def opened(connection: sa.Connection, body: dict[str, Any]) -> dict[str, Any]:
    """A body with the values that are kept; a value that was deleted is told as that, never as no value."""
    found = marks(body)
    kept = _rows(connection, [*found.values()])
    values: dict[Path, JsonValue] = {
        path: json.loads(kept[mark].value) if mark in kept else {**GONE} for path, mark in found.items()
    }
    return put(body, values)  # type: ignore[return-value]


def _rows(connection: sa.Connection, wanted: Sequence[str]) -> dict[str, Kept]:
    rows = connection.execute(sa.select(PERSONAL).where(PERSONAL.c.mark.in_(wanted)))
    return {row.mark: Kept(row.mark, row.salt, row.value) for row in rows}


def keep(connection: sa.Connection, kept: Sequence[Kept], execution: str | None) -> None:
    """Write values of an event; which one it is, `number` says once it is in the chain."""
    if kept:
        rows = [{"event": UNNUMBERED, "execution": execution or "", **vars(one)} for one in kept]
        connection.execute(PERSONAL.insert(), rows)


def number(connection: sa.Connection, bodies: Mapping[int, JsonValue]) -> None:
    """Say of values which event holds them.

    Args:
        bodies: of events that were put into the chain, by their numbers.
    """
    rows = [{"of": mark, "event": number} for number, body in bodies.items() for mark in marks(body).values()]
    if rows:
        connection.execute(PERSONAL.update().where(PERSONAL.c.mark == sa.bindparam("of")), rows)


def delete(connection: sa.Connection, execution: str) -> int:
    """Delete the values of an execution; gives how many there were. Whoever does tells of it by an event."""
    return connection.execute(PERSONAL.delete().where(PERSONAL.c.execution == execution)).rowcount


def faults(connection: sa.Connection) -> Iterator[tuple[int, str]]:
    """By event what is not as the audit says: values that are others, are gone untold, or came from elsewhere."""
    told = sa.select(TOLD.c.execution, sa.func.max(TOLD.c.sequence)).where(TOLD.c.kind == DELETION)
    deleted = {row[0]: row[1] for row in connection.execute(told.group_by(TOLD.c.execution))}
    kept = {row.mark: row for row in connection.execute(sa.select(PERSONAL))}
    holding = sa.select(TOLD.c.sequence, TOLD.c.execution, TOLD.c.body, TOLD.c.hash).where(TOLD.c.body.contains(MARK))
    for event in connection.execute(holding.order_by(TOLD.c.sequence)):
        numbered = event.sequence if event.hash else UNNUMBERED
        for mark in marks(json.loads(event.body)).values():
            row = kept.pop(mark, None)
            if row is None:
                if event.sequence > deleted.get(event.execution, 0):
                    yield (
                        event.sequence,
                        f"a value of event {event.sequence} is gone, and no event tells of it",
                    )
            elif _commitment(row.salt, row.value) != mark:
                yield event.sequence, f"a value of event {event.sequence} is not the one that was recorded"
            elif row.event != numbered or row.execution != (event.execution or ""):
                yield event.sequence, f"a value of event {event.sequence} is kept as another event's"
    for row in kept.values():
        yield row.event, f"a value is kept for event {row.event} that it does not hold"
