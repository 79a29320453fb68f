"""The inbox: what people have to do, by who looks; what is due first stands first."""

import json
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from runtime.executions import task_of
from runtime.forms import Task
from runtime.permission import may_answer
from store.tables import EXECUTIONS, TASKS
from store.users import OPERATOR, User

Which = Literal["mine", "claimable", "all"]


@dataclass(frozen=True)
class InboxEntry:
    """A task, with the run that waits for it."""

    task: Task
    workflow_id: str
    number: int
    principal: str


@dataclass(frozen=True)
class Inbox:
    """A page of the inbox.

    Args:
        total: how many there are on all pages.
    """

    entries: tuple[InboxEntry, ...]
    total: int


def inbox(connection: sa.Connection, user: User, which: Which, *, most: int = 50, skip: int = 0) -> Inbox:
    """The open tasks that somebody claimed or was given (`mine`), that they may claim, or all.

    Args:
        most, skip: how many are read, after how many.

    Raises:
        NotAllowed: all of them are for operators.
    """
    if which == "all":
        user.must("look at the tasks of others", OPERATOR)
    columns = (TASKS.c.id, TASKS.c.kind, TASKS.c.roles, TASKS.c.claimed_by)
    run = (EXECUTIONS.c.workflow_id, EXECUTIONS.c.number, EXECUTIONS.c.principal)
    escalated = TASKS.c.body.like('%"escalated":["%').label("escalated")
    chosen = (
        sa.select(*columns, *run, escalated)
        .join(EXECUTIONS, EXECUTIONS.c.id == TASKS.c.execution)
        .where(TASKS.c.status.in_(("open", "claimed")))
        .order_by(TASKS.c.due_at.is_(None), TASKS.c.due_at, TASKS.c.opened_at, TASKS.c.id)
    )
    rows = [row for row in connection.execute(chosen) if which == "all" or _is_in(connection, user, which, row)]
    entries = (
        InboxEntry(task_of(connection, row.id), row.workflow_id, row.number, row.principal)
        for row in rows[skip : skip + most]
    )
    return Inbox(tuple(entries), len(rows))


def _is_in(connection: sa.Connection, user: User, which: Which, row: Any) -> bool:
    if row.claimed_by == user.name or which == "mine":
        return which == "mine" and row.claimed_by == user.name
    if row.escalated:
        task = task_of(connection, row.id)
        return may_answer(user, task) and (row.claimed_by is None or user.may(*task.escalated))
    if row.claimed_by is not None:
        return False
    roles = json.loads(row.roles)
    return not roles or user.may(*roles) or (row.kind == "start" and row.principal == user.name)
