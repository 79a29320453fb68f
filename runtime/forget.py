"""Deletes the personal values of runs that ended; the chain of the audit stays whole, since it holds commitments alone.

What is deleted is every value that the chain commits to, and the copies that the runtime worked with: the state of the
run, what was handed in, what tasks showed, what calls gave. What the chain tells in clear stays: the path, the choices,
the end, the values that are not personal. A run of whose personal values the chain tells one in clear, because
it was not of that class when it was written, is refused: the chain cannot be changed.
"""

from dataclasses import dataclass

import sqlalchemy as sa
from pydantic import JsonValue

from ir.base import canonical_json
from ir.duration import CALENDARS
from ir.errors import BadSetting
from runtime.due import due
from runtime.errors import NotEnded, UnsealedValues, ValuesDeleted
from runtime.executions import execution_of, save
from runtime.forms import ENDED, Execution
from runtime.host import Host
from runtime.privacy.classes import PERSONAL, found
from store import audit, personal
from store.clock import now
from store.tables import CALLS, EXECUTIONS, INBOX, TASKS
from store.tables import PERSONAL as VALUES
from store.users import OWNER, User

KEEPER = User("flowc", frozenset({OWNER}))
"""Who deletes what was kept long enough."""


@dataclass(frozen=True)
class Forgotten:
    """What was deleted.

    Args:
        values: how many; with none nothing was done.
    """

    execution: str
    values: int
    at: str


@dataclass(frozen=True)
class Retained:
    """What was done about values that were kept long enough.

    Args:
        refused: why, by execution.
    """

    forgotten: tuple[Forgotten, ...]
    refused: dict[str, str]


def forget(host: Host, user: User, execution_id: str, reason: str = "") -> Forgotten:
    """Delete the personal values of a run that ended.

    Raises:
        UnknownExecution: there is none such.
        NotAllowed: the user does not own the workspace.
        NotEnded: it goes on.
        ValuesDeleted: they were deleted before.
        UnsealedValues: the chain tells some of them in clear.
        BadSetting: the reason names one of them, and it would stay.
        DatabaseUnavailable: see `Database.purge`.
    """
    done = _forgotten(host, user, execution_id, reason)
    host.workspace.database.purge()
    return done


def _forgotten(host: Host, user: User, execution_id: str, reason: str) -> Forgotten:
    user.must("delete the personal values of a run", OWNER)
    with host.workspace.transaction() as connection:
        execution = execution_of(connection, execution_id, lock=True)
        if not execution.ended:
            raise NotEnded(f"{execution_id} is {execution.status} and needs its values; let it end, or cancel it")
        there(execution)
        _must_be_sealed(host, connection, execution, reason)
        count, at = personal.delete(connection, execution_id), now()
        if count:
            _clear(connection, execution, at)
            body: dict[str, JsonValue] = {"values": count, "because": reason}
            audit.append(connection, personal.DELETION, user.name, body, execution_id)
    return Forgotten(execution_id, count, at)


def there(execution: Execution) -> None:
    """Stop where the values of a run were deleted.

    Raises:
        ValuesDeleted: they were.
    """
    if execution.progress.deleted_at is not None:
        raise ValuesDeleted(
            f"the personal values of {execution.id} were deleted at {execution.progress.deleted_at}; "
            "`flowc run explain` tells what is left"
        )


def _must_be_sealed(host: Host, connection: sa.Connection, execution: Execution, reason: str) -> None:
    classes = host.classes(execution.workflow_id, execution.number, connection)
    words = classes.words(execution.progress.run.inputs, execution.progress.run.taken, PERSONAL)
    if any(word in reason for word in words):
        raise BadSetting("the reason names a value that is to be deleted, and stays in the audit; say it without")
    clear = [
        f"event {event.sequence}: {'.'.join(str(key) for key in place)}"
        for event in audit.events(connection, execution.id, as_stored=True)
        for place in found(event.body, classes.of_event(event.kind, event.body), PERSONAL, words)
    ]
    if clear:
        raise UnsealedValues(
            f"the audit of {execution.id} tells personal values in clear, which were not personal by [privacy] when "
            f"they were written, and it cannot be changed ({'; '.join(clear[:5])}); nothing was deleted"
        )


def _clear(connection: sa.Connection, execution: Execution, at: str) -> None:
    """Empty the runtime's own copies, whole: nothing goes on from them any more."""
    run = execution.progress.run.model_copy(update={"inputs": {}, "taken": ()})
    progress = execution.progress.model_copy(update={"run": run, "deleted_at": at})
    save(connection, execution, execution.status, progress, paused=execution.paused)
    gone: dict[str, JsonValue] = {"deleted": at}
    for row in connection.execute(sa.select(INBOX).where(INBOX.c.execution == execution.id)).all():
        text = canonical_json({"payload": gone, "principal": "flowc"})
        connection.execute(INBOX.update().where(INBOX.c.id == row.id).values(payload=text, taken=True))
    for row in connection.execute(sa.select(TASKS).where(TASKS.c.execution == execution.id)).all():
        text = canonical_json({"title": "", "fields": {}, "shown": gone})
        connection.execute(TASKS.update().where(TASKS.c.id == row.id).values(body=text, digest=""))
    connection.execute(
        CALLS.update().where(CALLS.c.execution == execution.id, CALLS.c.outcome.is_not(None)).values(
            outcome=canonical_json(gone)
        )
    )  # fmt: skip


def retain(host: Host, user: User = KEEPER) -> Retained:
    """Delete the personal values of runs that ended as long ago as `keep_personal` says, and leave nothing of them.

    Raises:
        NotAllowed: the user does not own the workspace.
        DatabaseUnavailable: see `Database.purge`.
    """
    user.must("delete the personal values of runs", OWNER)
    done, refused = [], dict[str, str]()
    for name in _kept_long_enough(host):
        try:
            done.append(_forgotten(host, user, name, f"kept for {host.privacy.keep_personal}"))
        except (UnsealedValues, ValuesDeleted) as fault:
            refused[name] = str(fault.args[0])
    if done or user is not KEEPER:
        host.workspace.database.purge()
    return Retained(tuple(done), refused)


def _kept_long_enough(host: Host) -> list[str]:
    keep = host.privacy.keep_personal
    if keep is None:
        return []
    chosen = sa.select(EXECUTIONS.c.id, EXECUTIONS.c.changed_at).where(
        EXECUTIONS.c.status.in_(ENDED), EXECUTIONS.c.id.in_(sa.select(VALUES.c.execution))
    )
    with host.workspace.database.transaction() as connection:
        rows = connection.execute(chosen.order_by(EXECUTIONS.c.changed_at)).all()
    return [
        row.id
        for row in rows
        if (end := due(row.changed_at, keep, CALENDARS["weekdays@1"])) is not None and end <= now()
    ]
