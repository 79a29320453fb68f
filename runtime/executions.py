"""Executions, their inbox and their tasks as rows."""

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from pydantic import JsonValue, ValidationError

from ir.base import canonical_json
from ir.codec import digest
from ir.fields import Fields, FieldSpec
from ir.version import VERSION
from ir.walk import RunStatus
from runtime.errors import UnknownExecution, UnknownTask
from runtime.forms import ENDED, Execution, Progress, Row, Status, Task
from store import audit
from store.clock import now
from store.errors import StaleWorkspace
from store.tables import CALLS, EXECUTIONS, INBOX, TASKS

NEVER = "9999-12-31T00:00:00.000000Z"
"""The moment of what waits for a row of its inbox alone: the end of a run that it called."""


def execution_of(connection: sa.Connection, execution: str, *, lock: bool = False) -> Execution:
    """An execution.

    Args:
        lock: nobody else changes it until the transaction ends; asked for before anything else is written.

    Raises:
        UnknownExecution: there is none such.
    """
    chosen = sa.select(EXECUTIONS).where(EXECUTIONS.c.id == execution)
    row = connection.execute(chosen.with_for_update() if lock else chosen).first()
    if row is None:
        raise UnknownExecution(f"there is no execution {execution}; `flowc run list` shows what there is")
    return _execution(row)


def executions(
    connection: sa.Connection, *, status: str | None = None, workflow_id: str | None = None,
    principal: str | None = None, end: RunStatus | None = None, most: int = 100, skip: int = 0,
) -> list[Execution]:  # fmt: skip
    """Executions, the last to change first.

    Args:
        principal: who began them; None for anybody.
        end: how they ended; None for however, and for those that go on.
        most, skip: how many are read, after how many.
    """
    chosen = sa.select(EXECUTIONS).order_by(EXECUTIONS.c.changed_at.desc(), EXECUTIONS.c.id).limit(most).offset(skip)
    chosen = chosen if status is None else chosen.where(EXECUTIONS.c.status == status)
    chosen = chosen if workflow_id is None else chosen.where(EXECUTIONS.c.workflow_id == workflow_id)
    chosen = chosen if principal is None else chosen.where(EXECUTIONS.c.principal == principal)
    chosen = chosen if end is None else chosen.where(EXECUTIONS.c.end == end)
    return [_execution(row) for row in connection.execute(chosen)]


def executions_after(
    connection: sa.Connection, after: tuple[str, str] | None, most: int, *chosen_by: sa.ColumnElement[bool]
) -> list[Execution]:
    """Executions, the last to begin first, which stays their order while they change.

    Args:
        after: moment and id of the one that was told last; None for the first ones.
        chosen_by: what has to hold of their rows.
    """
    chosen = sa.select(EXECUTIONS).where(*chosen_by).order_by(EXECUTIONS.c.began_at.desc(), EXECUTIONS.c.id.desc())
    if after is not None:
        began, name = EXECUTIONS.c.began_at, EXECUTIONS.c.id
        chosen = chosen.where(sa.or_(began < after[0], sa.and_(began == after[0], name < after[1])))
    return [_execution(row) for row in connection.execute(chosen.limit(most))]


def _execution(row: Any) -> Execution:
    """The execution of a row.

    Raises:
        StaleWorkspace: a later flowc wrote it, and keeps of it what this one does not know.
    """
    state = json.loads(row.state)
    try:
        progress = Progress.model_validate(state)
    except ValidationError as error:
        named = ", ".join(sorted({".".join(map(str, one["loc"])) for one in error.errors()}))
        writer = state.get("flowc") or "of another version"
        raise StaleWorkspace(
            f"execution {row.id} was written by flowc {writer}, whose state this one ({VERSION}) cannot read "
            f"({named}); upgrade flowc, or restore a backup that was made with this one"
        ) from error
    return Execution(
        id=row.id,
        workflow_id=row.workflow_id,
        number=row.number,
        digest=row.digest,
        status=row.status,
        paused=row.paused,
        principal=row.principal,
        end=row.end,
        progress=progress,
        revision=row.revision,
        began_at=row.began_at,
        changed_at=row.changed_at,
    )


def insert(connection: sa.Connection, execution: Execution) -> None:
    """Write a new execution."""
    connection.execute(
        EXECUTIONS.insert().values(
            id=execution.id, workflow_id=execution.workflow_id, number=execution.number, digest=execution.digest,
            status=execution.status, paused=execution.paused, principal=execution.principal,
            state=_written(execution.progress), revision=execution.revision,
            began_at=execution.began_at, changed_at=execution.changed_at,
        )
    )  # fmt: skip


def save(
    connection: sa.Connection, before: Execution, status: Status, progress: Progress, *, paused: bool,
    end: RunStatus | None = None,
) -> Execution:  # fmt: skip
    """Write what became of an execution; nothing is written over what somebody else wrote since it was read.

    Args:
        end: how it ended; None where it did not now.

    Raises:
        RuntimeError: somebody did; whoever catches it reads anew.
    """
    if status in ENDED:
        progress = progress.model_copy(update={"again_at": {}, "children": {}})
    after = before.model_copy(
        update={
            "status": status, "progress": progress, "paused": paused, "revision": before.revision + 1,
            "changed_at": now(), "end": end or before.end,
        }
    )  # fmt: skip
    done = connection.execute(
        EXECUTIONS.update()
        .where(EXECUTIONS.c.id == before.id, EXECUTIONS.c.revision == before.revision)
        .values(
            status=after.status, paused=after.paused, end=after.end, state=_written(progress),
            revision=after.revision, changed_at=after.changed_at,
            due_at=min([*progress.again_at.values(), *([NEVER] if progress.children else [])], default=None),
        )
    )  # fmt: skip
    if done.rowcount != 1:
        raise RuntimeError(f"execution {before.id} was changed by somebody else")
    return after


def _written(progress: Progress) -> str:
    """What is kept of it, with the version that writes it."""
    return canonical_json(progress.model_copy(update={"flowc": VERSION}).to_json())


# --- inbox ------------------------------------------------------------------------------------------------------------


def put(
    connection: sa.Connection, execution: str, kind: str, principal: str, payload: Mapping[str, Any], key: str
) -> int | None:
    """Hand something in; None where it was handed in before under the same key."""
    known = connection.execute(sa.select(INBOX.c.id).where(INBOX.c.execution == execution, INBOX.c.key == key)).first()
    if known is not None:
        return None
    last = connection.execute(
        sa.select(sa.func.max(INBOX.c.sequence)).where(INBOX.c.execution == execution)
    ).scalar_one_or_none()
    sequence = (last or 0) + 1
    text = canonical_json({"payload": dict(payload), "principal": principal})
    connection.execute(
        INBOX.insert().values(
            execution=execution, sequence=sequence, kind=kind, payload=text, key=key, taken=False, at=now()
        )
    )
    return sequence


def waiting(connection: sa.Connection, execution: str) -> list[Row]:
    """What was handed in and not taken yet, in its order."""
    chosen = sa.select(INBOX).where(INBOX.c.execution == execution, ~INBOX.c.taken).order_by(INBOX.c.sequence)
    return [Row(sequence=row.sequence, kind=row.kind, **json.loads(row.payload)) for row in connection.execute(chosen)]


def taken(connection: sa.Connection, execution: str, row: Row) -> None:
    """Note that a row was taken."""
    connection.execute(
        INBOX.update().where(INBOX.c.execution == execution, INBOX.c.sequence == row.sequence).values(taken=True)
    )


def untaken(connection: sa.Connection) -> list[str]:
    """The executions that have something in their inbox, or a node whose moment came."""
    rows = connection.execute(sa.select(INBOX.c.execution).where(~INBOX.c.taken).distinct())
    going = EXECUTIONS.c.status.not_in(ENDED)
    due = connection.execute(
        sa.select(EXECUTIONS.c.id).where(EXECUTIONS.c.due_at <= now(), ~EXECUTIONS.c.paused, going)
    )
    return [*dict.fromkeys([row.execution for row in rows] + [row.id for row in due])]


def active(connection: sa.Connection) -> list[str]:
    """The executions that were being worked on, or are to be, whatever is in their inbox.

    Those that only wait for a moment are not among them, unless a call of theirs has no outcome yet.
    """
    going = sa.select(EXECUTIONS.c.id).where(
        EXECUTIONS.c.status.in_(("pending", "running")), EXECUTIONS.c.due_at.is_(None), ~EXECUTIONS.c.paused
    )
    calling = (
        sa.select(CALLS.c.execution)
        .join(EXECUTIONS, EXECUTIONS.c.id == CALLS.c.execution)
        .where(CALLS.c.state == "intent", EXECUTIONS.c.status.not_in(ENDED))
    )
    return [*dict.fromkeys(row[0] for chosen in (going, calling) for row in connection.execute(chosen))]


# --- tasks ------------------------------------------------------------------------------------------------------------


def open_task(connection: sa.Connection, task: Task, *, sealed: bool = False) -> bool:
    """Open a task; False where the node has one of its kind already.

    Args:
        sealed: the digest of what is shown is personal, since who guesses that could tell by it.
    """
    known = connection.execute(
        sa.select(TASKS.c.id).where(
            TASKS.c.execution == task.execution, TASKS.c.node == task.node, TASKS.c.kind == task.kind
        )
    ).first()
    if known is not None:
        return False
    body: dict[str, JsonValue] = {
        "title": task.title,
        "fields": {name: spec.to_json() for name, spec in task.fields.items()},
        "shown": task.shown,
    }
    connection.execute(
        TASKS.insert().values(
            id=task.id, execution=task.execution, node=task.node, kind=task.kind,
            roles=json.dumps(list(task.roles), ensure_ascii=False), body=canonical_json(body), digest=task.digest,
            status=task.status, claimed_by=None, due_at=task.due_at, opened_at=task.opened_at, closed_at=None,
        )
    )  # fmt: skip
    told: dict[str, JsonValue] = {
        "task": task.id, "node": task.node, "kind": task.kind, "roles": [*task.roles], "shown": task.digest,
        "due": task.due_at,
    }  # fmt: skip
    places = (("shown",),) if sealed else ()
    audit.extend(connection, [audit.Note("task-opened", "flowc", told, task.execution, places)])
    return True


def digest_of(title: str, fields: Fields, shown: Mapping[str, Any]) -> str:
    """Of all that a person is shown."""
    return digest(
        {"title": title, "fields": {name: spec.to_json() for name, spec in fields.items()}, "shown": dict(shown)}
    )


def task_of(connection: sa.Connection, task: str) -> Task:
    """A task.

    Raises:
        UnknownTask: there is none such.
    """
    row = connection.execute(sa.select(TASKS).where(TASKS.c.id == task)).first()
    if row is None:
        raise UnknownTask(f"there is no task {task}; `flowc task list` shows what is open")
    return _task(row)


def tasks(connection: sa.Connection, *, execution: str | None = None, open_only: bool = True) -> list[Task]:
    """Tasks, the first to be opened first."""
    chosen = sa.select(TASKS).order_by(TASKS.c.opened_at)
    chosen = chosen if execution is None else chosen.where(TASKS.c.execution == execution)
    chosen = chosen.where(TASKS.c.status.in_(("open", "claimed"))) if open_only else chosen
    return [_task(row) for row in connection.execute(chosen)]


def tasks_after(
    connection: sa.Connection, after: tuple[str, str] | None, most: int, *chosen_by: sa.ColumnElement[bool]
) -> list[Task]:
    """Tasks, the first to be opened first; see `executions_after`."""
    chosen = sa.select(TASKS).where(*chosen_by).order_by(TASKS.c.opened_at, TASKS.c.id)
    if after is not None:
        opened, name = TASKS.c.opened_at, TASKS.c.id
        chosen = chosen.where(sa.or_(opened > after[0], sa.and_(opened == after[0], name > after[1])))
    return [_task(row) for row in connection.execute(chosen.limit(most))]


def set_task(connection: sa.Connection, task: str, status: str, by: str | None = None) -> None:
    """Claim, close or finish a task."""
    closed = now() if status in ("done", "closed") else None
    connection.execute(TASKS.update().where(TASKS.c.id == task).values(status=status, claimed_by=by, closed_at=closed))


def mark_task(connection: sa.Connection, task: str, marks: Mapping[str, JsonValue]) -> None:
    """Write beside what a task asks how it stands: overdue, escalated, delegated."""
    text = connection.execute(sa.select(TASKS.c.body).where(TASKS.c.id == task)).scalar_one()
    body = canonical_json({**json.loads(text), **marks})
    connection.execute(TASKS.update().where(TASKS.c.id == task).values(body=body))


def _task(row: Any) -> Task:
    body = json.loads(row.body)
    return Task(
        id=row.id,
        execution=row.execution,
        node=row.node,
        kind=row.kind,
        roles=tuple(json.loads(row.roles)),
        title=body["title"],
        fields={name: FieldSpec.model_validate(spec) for name, spec in body["fields"].items()},
        shown=body["shown"],
        digest=row.digest,
        status=row.status,
        claimed_by=row.claimed_by,
        due_at=row.due_at,
        opened_at=row.opened_at,
        overdue=body.get("overdue", False),
        escalated=tuple(body.get("escalated", ())),
        delegated_by=body.get("delegated_by"),
    )
