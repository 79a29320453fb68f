"""What somebody may do to the audit who can write the database, but has not the key."""

import json
from collections.abc import Callable
from random import Random

import sqlalchemy as sa

from store import audit
from store.audit import FIRST, Event
from store.tables import AUDIT

Tampering = Callable[[sa.Connection, int, Random], None]
"""Does something to the chain from an event on; the last event is never meant, but by what adds one."""


def _field(name: str) -> Tampering:
    def changed(connection: sa.Connection, at: int, rng: Random) -> None:
        value = _other_body(connection, at, rng) if name == "body" else f"other {rng.randrange(10**6)}"
        connection.execute(AUDIT.update().where(AUDIT.c.sequence == at).values({name: value}))

    return changed


def _other_body(connection: sa.Connection, at: int, rng: Random) -> str:
    """The body of an event with one of its values, or one more, otherwise."""
    body = json.loads(connection.execute(sa.select(AUDIT.c.body).where(AUDIT.c.sequence == at)).scalar_one())
    name = rng.choice([*body, "more"])
    return json.dumps({**body, name: f"other {rng.randrange(10**6)}"})


def _removed(connection: sa.Connection, at: int, _: Random) -> None:
    connection.execute(AUDIT.delete().where(AUDIT.c.sequence == at))


def _exchanged(connection: sa.Connection, at: int, rng: Random) -> None:
    """An event and a later one change places."""
    other = rng.randint(at + 1, _last(connection))
    for before, after in ((at, -1), (other, at), (-1, other)):
        connection.execute(AUDIT.update().where(AUDIT.c.sequence == before).values(sequence=after))


def _cut(connection: sa.Connection, at: int, _: Random) -> None:
    connection.execute(AUDIT.delete().where(AUDIT.c.sequence >= at))


def _rebuilt(connection: sa.Connection, at: int, rng: Random) -> None:
    """An event is changed, and all hashes from it on are made right."""
    _field("body")(connection, at, rng)
    _make_right(connection, at)


def _left_out(connection: sa.Connection, at: int, rng: Random) -> None:
    """An event is removed, and numbers and hashes of those after it are made right."""
    _removed(connection, at, rng)
    _make_right(connection, at)


def _added(connection: sa.Connection, at: int, rng: Random) -> None:
    """An event that never was is put before another, and numbers and hashes after it are made right."""
    rows = _cut_off(connection, at)
    audit.append(connection, "answered", "wen", {"forged": rng.randrange(10**6)})
    audit.chain(connection)
    _put(connection, rows)


def _make_right(connection: sa.Connection, at: int) -> None:
    _put(connection, _cut_off(connection, at))


def _cut_off(connection: sa.Connection, at: int) -> list[Event]:
    rows = [one for one in audit.events(connection) if one.sequence >= at]
    _cut(connection, at, Random(0))  # noqa: S311 - no secret
    return rows


def _put(connection: sa.Connection, rows: list[Event]) -> None:
    """Write events at the end of the chain, with the moments that they had."""
    for one in rows:
        sequence = _last(connection) + 1
        previous = connection.execute(sa.select(AUDIT.c.hash).where(AUDIT.c.sequence == sequence - 1)).scalar() or FIRST
        own = audit._hash(sequence, one.at, one.kind, one.execution, one.principal, one.body, previous)
        connection.execute(
            AUDIT.insert().values(
                sequence=sequence, at=one.at, kind=one.kind, execution=one.execution, principal=one.principal,
                body=json.dumps(one.body), previous=previous, hash=own,
            )
        )  # fmt: skip


def _last(connection: sa.Connection) -> int:
    return connection.execute(sa.select(sa.func.max(AUDIT.c.sequence))).scalar() or 0


FIELDS = ("at", "kind", "execution", "principal", "body", "previous", "hash")
TAMPERINGS: dict[str, Tampering] = {
    **{f"{name} changed": _field(name) for name in FIELDS},
    "removed": _removed,
    "exchanged": _exchanged,
    "cut off": _cut,
    "changed, chain made anew": _rebuilt,
    "removed, chain made anew": _left_out,
    "added, chain made anew": _added,
}
UNSEEN = frozenset(name for name in TAMPERINGS if name == "cut off" or name.endswith("made anew"))
"""What leaves a chain that is whole in itself: after the last head it is not told apart."""
