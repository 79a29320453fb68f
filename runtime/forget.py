"""Deletes the personal values of runs that ended; the chain of the audit stays whole, since it holds commitments alone.

What is deleted is every value that the chain commits to, and the copies that the runtime worked with: the state of the
run, what was handed in, what tasks showed, what calls gave, what executors keep. What the chain tells in clear stays:
the path, the choices, the end, the values that are not personal. A run of whose personal values the chain tells one in
clear, because it was not of that class when it was written, is refused: the chain cannot be changed. What a run called
goes with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from pydantic import JsonValue

from ir.base import canonical_json
from ir.duration import CALENDARS
from ir.errors import BadSetting
from runtime.due import due
from runtime.errors import CalledRun, NotDeleted, NotEnded, UnsealedValues, ValuesDeleted
from runtime.executions import execution_of, save
from runtime.forms import ENDED, Execution
from runtime.host import Host
from runtime.privacy.classes import PERSONAL, found
from runtime.privacy.settings import Class
from runtime.subworkflows import top_of, with_called
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
    """Delete the personal values of a run that ended, and of all that it called.

    Raises:
        UnknownExecution: there is none such.
        NotAllowed: the user does not own the workspace.
        CalledRun: another run called it.
        NotEnded: it goes on, or a run that it called does.
        ValuesDeleted: they were deleted before.
        UnsealedValues: the chain tells some of them in clear.
        NotDeleted: what an executor keeps cannot be deleted.
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
        if execution.progress.parent is not None:
            raise CalledRun(f"{top_of(connection, execution_id).id} called {execution_id} and holds its values too; "
                            "name that one, what it called goes with it")  # fmt: skip
        there(execution)
        runs = with_called(connection, execution_id)
        for one in runs:
            if not one.ended:
                raise NotEnded(f"{one.id} is {one.status} and needs its values; let it end, or cancel it")
        _must_be_sealed(host, connection, runs, reason)
        at, count = now(), 0
        for one in runs:
            values = personal.delete(connection, one.id)
            if values:
                _clear(connection, execution_of(connection, one.id, lock=True), at)
                body: dict[str, JsonValue] = {"values": values, "because": reason}
                audit.append(connection, personal.DELETION, user.name, body, one.id)
            count += values
        if count:
            _forgotten_by_executors(host, [one.id for one in runs])
    return Forgotten(execution_id, count, at)


def _forgotten_by_executors(host: Host, executions: Sequence[str]) -> None:
    """Within the transaction, so that nothing is told as deleted that is still there."""
    try:
        host.executors.forget(executions)
    except OSError as error:
        told = f"{error.filename}: {error.strerror}"
        raise NotDeleted(f"{told}; nothing in the database was deleted: make it writable, and do it again") from error


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


def _must_be_sealed(host: Host, connection: sa.Connection, runs: Sequence[Execution], reason: str) -> None:
    """Stop where the chain tells a value of a run in clear, or one of a run that it called or that called it."""
    classes = {one.id: host.classes_in(one, connection) for one in runs}
    words = dict[str, Class]()
    for one in runs:
        words |= classes[one.id].words(one.progress.run.inputs, one.progress.run.taken, PERSONAL)
    if any(word in reason for word in words):
        raise BadSetting("the reason names a value that is to be deleted, and stays in the audit; say it without")
    clear = [
        f"event {event.sequence}: {'.'.join(str(key) for key in place)}"
        for one in runs
        for event in audit.events(connection, one.id, as_stored=True)
        for place in found(event.body, classes[one.id].of_event(event.kind, event.body), PERSONAL, words)
    ]
    if clear:
        raise UnsealedValues(
            f"the audit of {runs[0].id} tells personal values in clear, which were not personal by [privacy] when "
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
        except (NotDeleted, NotEnded, UnsealedValues, ValuesDeleted) as fault:
            refused[name] = str(fault.args[0])
    if done or user is not KEEPER:
        host.workspace.database.purge()
    return Retained(tuple(done), refused)


def _kept_long_enough(host: Host) -> list[str]:
    """The runs that somebody began whose values, or values of what they called, are there for longer than they may."""
    keep = host.privacy.keep_personal
    if keep is None:
        return []
    holding = sa.select(EXECUTIONS.c.id).where(
        EXECUTIONS.c.status.in_(ENDED), EXECUTIONS.c.id.in_(sa.select(VALUES.c.execution))
    )
    with host.workspace.database.transaction() as connection:
        tops = {top.id: top for row in connection.execute(holding) for top in [top_of(connection, row.id)]}
    return [
        one.id
        for one in sorted(tops.values(), key=lambda one: one.changed_at)
        if one.ended and (end := due(one.changed_at, keep, CALENDARS["weekdays@1"])) is not None and end <= now()
    ]
