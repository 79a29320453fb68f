"""The audit: events in a chain of hashes, whose heads are signed and kept outside the database as well.

Each event holds the hash of the one before, so that a changed, removed or reordered event breaks the chain. A tail that
was cut off, or a chain that was made anew from some event on, is whole in itself: it shows against the heads, which
nobody without the key can sign. What came after the last head is not covered by one. The canonical form
is that of RFC 8785; the idea of signed heads is that of transparency logs (RFC 9162).
"""

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import SEEK_END
from pathlib import Path
from typing import Any, cast

import rfc8785
import sqlalchemy as sa
from pydantic import JsonValue

from store import personal
from store.clock import now
from store.keys import Key, is_signed
from store.tables import AUDIT

FIRST = "sha256:" + "0" * 64
EVERY, LONGEST, LAST = 32, 4096, "last event"
"""Events after which a head is written; bytes that none is longer than; where a connection keeps what it wrote last."""


@dataclass(frozen=True)
class Event:
    """One event.

    Args:
        sequence: from 1, without gaps.
        body: what happened; its form depends on the kind.
        previous, hash: of the event before, and of this one.
    """

    sequence: int
    at: str
    kind: str
    execution: str | None
    principal: str
    body: dict[str, Any]
    previous: str
    hash: str


@dataclass(frozen=True)
class Fault:
    """Where the audit is not as it was written.

    Args:
        sequence: of the event; None where the whole is concerned.
    """

    sequence: int | None
    message: str


@dataclass(frozen=True)
class Note:
    """What is to become an event; see `Event`.

    Args:
        sealed: places in the body whose values are kept beside the chain, which holds commitments to them.
    """

    kind: str
    principal: str
    body: dict[str, JsonValue]
    execution: str | None = None
    sealed: tuple[personal.Path, ...] = ()


def append(
    connection: sa.Connection, kind: str, principal: str, body: dict[str, JsonValue], execution: str | None = None
) -> Event:
    """Write an event at the end of the chain, in the caller's transaction; none of it is personal."""
    return extend(connection, [Note(kind, principal, body, execution)])[0]


def extend(connection: sa.Connection, notes: Sequence[Note]) -> list[Event]:
    """Write events at the end of the chain, in the caller's transaction.

    Nobody else can until that ends; so what has much to do writes its events last.
    """
    if not notes:
        return []
    parts = [personal.sealed(_writable(note.body), note.sealed) for note in notes]
    bodies = [rfc8785.dumps(cast("dict[str, JsonValue]", body)).decode() for body, _ in parts]
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("LOCK TABLE audit IN EXCLUSIVE MODE"))
    last = connection.execute(
        sa.select(AUDIT.c.sequence, AUDIT.c.hash).order_by(AUDIT.c.sequence.desc()).limit(1)
    ).first()
    sequence, previous = (last.sequence, last.hash) if last else (0, FIRST)
    found, rows = [], []
    for note, text in zip(notes, bodies, strict=True):
        sequence, at, body = sequence + 1, now(), json.loads(text)
        hashed = _hash(sequence, at, note.kind, note.execution, note.principal, body, previous)
        found.append(Event(sequence, at, note.kind, note.execution, note.principal, body, previous, hashed))
        rows.append(vars(found[-1]) | {"body": text})
        previous = hashed
    connection.execute(AUDIT.insert(), rows)
    kept = {event.sequence: of for event, (_, of) in zip(found, parts, strict=True)}
    personal.keep(connection, kept, {event.sequence: event.execution for event in found})
    connection.info[LAST] = sequence
    return found


def _writable(value: JsonValue) -> JsonValue:
    """The value as RFC 8785 can write it: whole numbers beyond what every reader holds, and no numbers, as text."""
    match value:
        case bool() | None | str():
            return value
        case int():
            return value if abs(value) < 2**53 else str(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case dict():
            return {str(key): _writable(item) for key, item in value.items()}
        case list() | tuple():
            return [_writable(item) for item in value]
    return str(value)


def events(connection: sa.Connection, execution: str | None = None, *, as_stored: bool = False) -> Iterator[Event]:
    """The events in their order, of one execution or all, with the personal values that are still kept.

    Args:
        as_stored: with the commitments that the chain holds in place of personal values.
    """
    chosen = sa.select(AUDIT).order_by(AUDIT.c.sequence)
    for row in connection.execute(chosen if execution is None else chosen.where(AUDIT.c.execution == execution)):
        body = json.loads(row.body)
        if not as_stored and personal.MARK in row.body:
            body = personal.opened(connection, body)
        yield Event(row.sequence, row.at, row.kind, row.execution, row.principal, body, row.previous, row.hash)


def _hash(sequence: int, at: str, kind: str, execution: str | None, principal: str, body: object, previous: str) -> str:
    record = {
        "sequence": sequence, "at": at, "kind": kind, "execution": execution, "principal": principal, "body": body,
        "previous": previous,
    }  # fmt: skip
    return "sha256:" + hashlib.sha256(rfc8785.dumps(record)).hexdigest()  # type: ignore[arg-type]


# --- heads ------------------------------------------------------------------------------------------------------------


def head_is_due(connection: sa.Connection, file: Path) -> bool:
    """Whether enough events came since the last head, by those that this connection wrote last."""
    last: int | None = connection.info.pop(LAST, None)
    return last is not None and last - _counted(file) >= EVERY


def write_head(connection: sa.Connection, key: Key, file: Path, *, least: int = EVERY) -> bool:
    """Sign where the chain stands and add it to the file of heads, unless fewer events came since the last one.

    Returns:
        whether a head was written.
    """
    last = connection.execute(
        sa.select(AUDIT.c.sequence, AUDIT.c.hash).order_by(AUDIT.c.sequence.desc()).limit(1)
    ).first()
    if last is None or last.sequence - _counted(file) < least:
        return False
    head: dict[str, JsonValue] = {"count": last.sequence, "hash": last.hash, "at": now()}
    line = rfc8785.dumps({**head, "signature": key.sign(head)}).decode()
    with file.open("a", encoding="utf-8") as out:
        out.write(line + "\n")
    return True


def _counted(file: Path) -> int:
    """The events up to the last head; only the end of the file is read, which grows for ever."""
    if not file.is_file():
        return 0
    with file.open("rb") as heads:
        heads.seek(max(0, heads.seek(0, SEEK_END) - LONGEST))
        lines = heads.read().splitlines()
    try:
        return int(json.loads(lines[-1])["count"]) if lines else 0
    except (ValueError, KeyError, TypeError):
        return 0


def verify(connection: sa.Connection, heads: str, public: str) -> list[Fault]:
    """Whether the chain is whole and agrees with the heads; empty where all is as it was written.

    Args:
        heads: the text of the file of heads, from wherever a copy was kept.
        public: the key's public half.
    """
    faults: list[Fault] = []
    hashes: dict[int, str] = {}
    expected, previous = 1, FIRST
    for row in connection.execute(sa.select(AUDIT).order_by(AUDIT.c.sequence)):
        if row.sequence != expected:
            faults.append(Fault(row.sequence, f"event {expected} is missing; the next one is {row.sequence}"))
        if row.previous != previous:
            faults.append(Fault(row.sequence, f"event {row.sequence} does not follow the one before it"))
        try:
            own = _hash(
                row.sequence, row.at, row.kind, row.execution, row.principal, json.loads(row.body), row.previous
            )
        except ValueError:
            own = ""
        if own != row.hash:
            faults.append(Fault(row.sequence, f"event {row.sequence} is not as it was written"))
        expected, previous = row.sequence + 1, row.hash
        hashes[row.sequence] = row.hash
    beside = [Fault(*one) for one in personal.faults(connection)] if not faults else []
    return [*faults, *beside, *_against(heads, hashes, public)]


def _against(heads: str, hashes: dict[int, str], public: str) -> Iterator[Fault]:
    for number, line in enumerate(heads.splitlines(), 1):
        try:
            head = json.loads(line)
            signature = str(head.pop("signature"))
            count, found = int(head["count"]), str(head["hash"])
        except (ValueError, KeyError, TypeError, AttributeError):
            yield Fault(None, f"line {number} of the heads is no head")
            continue
        if not is_signed(head, signature, public):
            yield Fault(None, f"line {number} of the heads was not signed by this workspace")
        elif count not in hashes:
            yield Fault(count, f"the chain ends before event {count}, which a head counted")
        elif hashes[count] != found:
            yield Fault(count, f"event {count} is another one than the head of line {number} was signed over")
