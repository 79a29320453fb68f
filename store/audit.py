"""The audit: events in a chain of hashes, whose heads are signed and kept outside the database as well.

Each event holds the hash of the one before, so that a changed, removed or reordered event breaks the chain. A tail that
was cut off, or a chain that was made anew from some event on, is whole in itself: it shows against the heads, which
nobody without the key can sign. What came after the last head is not covered by one. The canonical form
is that of RFC 8785; the idea of signed heads is that of transparency logs (RFC 9162).

An event is always written in the transaction of the change that it tells of. On SQLite, where one transaction follows
the other anyhow, it is chained there as well. On PostgreSQL that would have all transactions wait for each other's
commit, so it stands beside the chain until `chain`, which follows at once (decision 21).
"""

import fcntl
import hashlib
import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import rfc8785
import sqlalchemy as sa
from pydantic import JsonValue

from store import personal
from store.clock import now
from store.keys import Key, is_signed
from store.tables import AUDIT, TOLD, UNCHAINED

FIRST = "sha256:" + "0" * 64
EVERY, LONGEST, AT_ONCE = 32, 4096, 1000
"""Events after which a head is written; bytes that none is longer than; events that are chained in one transaction."""
CHAINED, LEFT = "chained", "left unchained"
"""Where a connection keeps the number of the event that it chained last, and that it wrote some without."""


@dataclass(frozen=True)
class Event:
    """One event.

    Args:
        sequence: from 1, without gaps; of an event that is not chained yet the number that it would have now.
        body: what happened; its form depends on the kind.
        previous, hash: of the event before, and of this one; empty where it is not chained yet.
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
class Chosen:
    """Which events are looked for; None for whatever it is.

    Args:
        since, until: moments: of events then or later, and of events before.
    """

    kind: str | None = None
    execution: str | None = None
    principal: str | None = None
    since: str | None = None
    until: str | None = None


@dataclass(frozen=True)
class Fault:
    """Where the audit is not as it was written.

    Args:
        code: what kind of fault it is.
        sequence: of the event; None where the whole is concerned.
    """

    code: str
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
) -> None:
    """Write an event, in the caller's transaction; none of it is personal."""
    extend(connection, [Note(kind, principal, body, execution)])


def extend(connection: sa.Connection, notes: Sequence[Note]) -> None:
    """Write events, in the caller's transaction: on SQLite at the end of the chain, on PostgreSQL beside it."""
    if not notes:
        return
    parts = [personal.sealed(_writable(note.body), note.sealed) for note in notes]
    rows = [
        {
            "at": now(), "kind": note.kind, "execution": note.execution, "principal": note.principal,
            "body": rfc8785.dumps(cast("dict[str, JsonValue]", body)).decode(),
        }
        for note, (body, _) in zip(notes, parts, strict=True)
    ]  # fmt: skip
    for note, (_, kept) in zip(notes, parts, strict=True):
        personal.keep(connection, kept, note.execution)
    if connection.dialect.name == "sqlite":
        _chain(connection, rows)
    else:
        connection.execute(UNCHAINED.insert(), rows)
        connection.info[LEFT] = True


def left_unchained(connection: sa.Connection) -> bool:
    """Whether this connection wrote events since it was last asked that are to be chained once they are committed."""
    return bool(connection.info.pop(LEFT, False))


def chain(connection: sa.Connection) -> bool:
    """Put events that are not chained yet at the end of the chain, in their order; nobody else does meanwhile.

    Returns:
        whether there may be more.
    """
    if connection.execute(sa.select(UNCHAINED.c.id).limit(1)).first() is None:
        return False
    connection.execute(sa.text("LOCK TABLE audit IN EXCLUSIVE MODE"))
    found = connection.execute(sa.select(UNCHAINED).order_by(UNCHAINED.c.id).limit(AT_ONCE)).mappings().all()
    if not found:
        return False
    connection.execute(UNCHAINED.delete().where(UNCHAINED.c.id.in_([row["id"] for row in found])))
    _chain(connection, [{name: row[name] for name in row if name != "id"} for row in found])
    return len(found) == AT_ONCE


def _chain(connection: sa.Connection, rows: Sequence[dict[str, Any]]) -> None:
    last = connection.execute(
        sa.select(AUDIT.c.sequence, AUDIT.c.hash).order_by(AUDIT.c.sequence.desc()).limit(1)
    ).first()
    sequence, previous = (last.sequence, last.hash) if last else (0, FIRST)
    chained, holding = [], {}
    for row in rows:
        sequence += 1
        hashed = _hash(sequence, **{**row, "body": json.loads(row["body"])}, previous=previous)
        chained.append({**row, "sequence": sequence, "previous": previous, "hash": hashed})
        if personal.MARK in row["body"]:
            holding[sequence] = json.loads(row["body"])
        previous = hashed
    connection.execute(AUDIT.insert(), chained)
    personal.number(connection, holding)
    connection.info[CHAINED] = sequence


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
    chosen = sa.select(TOLD).order_by(TOLD.c.sequence)
    for row in connection.execute(chosen if execution is None else chosen.where(TOLD.c.execution == execution)):
        yield _event(connection, row, as_stored=as_stored)


def latest(connection: sa.Connection, chosen: Chosen, *, before: int | None = None, most: int) -> list[Event]:
    """The last events that are looked for, the newest first.

    Args:
        before: only events with smaller numbers; None for all.
    """
    of = TOLD.c if unchained(connection) else AUDIT.c
    wanted = {of.kind: chosen.kind, of.execution: chosen.execution, of.principal: chosen.principal}
    found = sa.select(of.sequence, of.at, of.kind, of.execution, of.principal, of.body, of.previous, of.hash)
    found = found.where(*(column == value for column, value in wanted.items() if value is not None))
    found = found if chosen.since is None else found.where(of.at >= chosen.since)
    found = found if chosen.until is None else found.where(of.at < chosen.until)
    found = found if before is None else found.where(of.sequence < before)
    rows = connection.execute(found.order_by(of.sequence.desc()).limit(most)).all()
    return [_event(connection, row) for row in rows]


def kinds(connection: sa.Connection) -> list[str]:
    """The kinds of events that there are, by name."""
    return [*connection.execute(sa.select(AUDIT.c.kind).distinct().order_by(AUDIT.c.kind)).scalars()]


def unchained(connection: sa.Connection) -> int:
    """How many events are not in the chain yet."""
    return int(connection.execute(sa.select(sa.func.count()).select_from(UNCHAINED)).scalar_one())


def _event(connection: sa.Connection, row: Any, *, as_stored: bool = False) -> Event:
    body = json.loads(row.body)
    if not as_stored and personal.MARK in row.body:
        body = personal.opened(connection, body)
    return Event(row.sequence, row.at, row.kind, row.execution, row.principal, body, row.previous, row.hash)


def _hash(sequence: int, at: str, kind: str, execution: str | None, principal: str, body: object, previous: str) -> str:
    record = {
        "sequence": sequence, "at": at, "kind": kind, "execution": execution, "principal": principal, "body": body,
        "previous": previous,
    }  # fmt: skip
    return "sha256:" + hashlib.sha256(rfc8785.dumps(record)).hexdigest()  # type: ignore[arg-type]


# --- heads ------------------------------------------------------------------------------------------------------------


def head_is_due(connection: sa.Connection, file: Path) -> bool:
    """Whether enough events came since the last head, by those that this connection chained last."""
    last: int | None = connection.info.pop(CHAINED, None)
    return last is not None and last - _counted(_end(file)[0]) >= EVERY


def write_head(connection: sa.Connection, key: Key, file: Path, *, least: int = EVERY) -> bool:
    """Sign where the chain stands and add it to the file of heads, unless fewer events came since the last one.

    A line that was cut off while it was written is no head yet; the next one takes its place.

    Returns:
        whether a head was written.
    """
    last = connection.execute(
        sa.select(AUDIT.c.sequence, AUDIT.c.hash).order_by(AUDIT.c.sequence.desc()).limit(1)
    ).first()
    if last is None:
        return False
    with file.open("a+b", buffering=0) as out:
        fcntl.flock(out, fcntl.LOCK_EX)
        whole, torn = _end(file)
        if last.sequence - _counted(whole) < least:
            return False
        head: dict[str, JsonValue] = {"count": last.sequence, "hash": last.hash, "at": now()}
        line = rfc8785.dumps({**head, "signature": key.sign(head)}) + b"\n"
        out.truncate(out.seek(0, os.SEEK_END) - len(torn))
        out.write(line if not whole or whole.endswith(b"\n") else b"\n" + line)
    return True


def _end(file: Path) -> tuple[bytes, bytes]:
    """The end of the heads, and what of a line that was cut off stands after it; the file grows for ever."""
    if not file.is_file():
        return b"", b""
    with file.open("rb") as heads:
        heads.seek(max(0, heads.seek(0, os.SEEK_END) - LONGEST))
        end = heads.read()
    last = end.rpartition(b"\n")[2]
    torn = last if last and not _is_whole(last) else b""
    return end.removesuffix(torn), torn


def _is_whole(line: str | bytes) -> bool:
    """Whether a line without its end is a head nevertheless, as in a copy that was pasted.

    >>> _is_whole('{"count":32}'), _is_whole('{"count":3')
    (True, False)
    """
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _counted(end: bytes) -> int:
    """The events up to the last head, by the end of the file."""
    lines = end.splitlines()
    try:
        return int(json.loads(lines[-1])["count"]) if lines else 0
    except (ValueError, KeyError, TypeError):
        return 0


def verify(connection: sa.Connection, heads: str, public: str) -> list[Fault]:
    """Whether the chain is whole and agrees with the heads; empty where all is as it was written.

    Of events that are not chained yet it only says whether their personal values are as they were written.

    Args:
        heads: the text of the file of heads, from wherever a copy was kept.
        public: the key's public half.
    """
    faults: list[Fault] = []
    hashes: dict[int, str] = {}
    expected, previous = 1, FIRST
    for row in connection.execute(sa.select(AUDIT).order_by(AUDIT.c.sequence)):
        at = row.sequence
        if at != expected:
            faults.append(Fault("event-missing", at, f"event {expected} is missing; the next one is {at}"))
        if row.previous != previous:
            faults.append(Fault("event-not-next", at, f"event {at} does not follow the one before it"))
        try:
            own = _hash(at, row.at, row.kind, row.execution, row.principal, json.loads(row.body), row.previous)
        except ValueError:
            own = ""
        if own != row.hash:
            faults.append(Fault("event-changed", at, f"event {at} is not as it was written"))
        expected, previous = at + 1, row.hash
        hashes[at] = row.hash
    beside = [Fault("value-changed", *one) for one in personal.faults(connection)] if not faults else []
    return [*faults, *beside, *_against(heads, hashes, public)]


def _against(heads: str, hashes: dict[int, str], public: str) -> Iterator[Fault]:
    lines = heads.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n") and not _is_whole(lines[-1]):
        yield Fault(
            "torn-head",
            None,
            f"line {len(lines)} of the heads was cut off while it was written; those before it count, and the next "
            "head takes its place (`flowc audit head` writes one now)",
        )
        lines.pop()
    for number, line in enumerate(lines, 1):
        try:
            head = json.loads(line)
            signature = str(head.pop("signature"))
            count, found = int(head["count"]), str(head["hash"])
        except (ValueError, KeyError, TypeError, AttributeError):
            yield Fault("no-head", None, f"line {number} of the heads is no head")
            continue
        if not is_signed(head, signature, public):
            yield Fault("head-unsigned", None, f"line {number} of the heads was not signed by this workspace")
        elif count not in hashes:
            yield Fault("chain-cut-off", count, f"the chain ends before event {count}, which a head counted")
        elif hashes[count] != found:
            told = f"event {count} is another one than the head of line {number} was signed over"
            yield Fault("chain-made-anew", count, told)
