"""What is to be told to whom: made from the audit, in which each event stands by the transaction of its change.

For each endpoint it is kept up to which event that was done; both are one transaction, so that a process may end
anywhere and nothing is left out or made twice. What is told are ids, states and addresses: no value of a run.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from pydantic import JsonValue
from sqlalchemy.exc import IntegrityError

from ir.base import canonical_json
from runtime.executions import execution_of, tasks
from runtime.forms import Execution, Task
from runtime.webhooks.endpoints import Endpoint, Endpoints, EventType
from store.clock import now
from store.tables import AUDIT, DELIVERIES, ENDPOINTS
from store.workspace import Workspace

AT_ONCE = 200
"""Events that are gone through in one transaction."""
_TOLD: dict[str, EventType] = {"ended": "run.ended", "task-opened": "task.opened", "overdue": "task.overdue"}
_MOVED = (
    "inputs-given",
    "node-succeeded",
    "node-failed",
    "call-answered",
    "call-parked",
    "called-run-ended",
    "resumed",
)
"""Kinds of events after which a run may have come to wait, beside the opening of a task."""


@dataclass(frozen=True)
class _Message:
    """What an endpoint may be told.

    Args:
        source: what it comes from, the same however often it is made.
    """

    event: EventType
    source: str
    at: str
    execution: Execution
    data: dict[str, JsonValue]


def register(workspace: Workspace, endpoints: Endpoints) -> None:
    """Note endpoints that are new: they are told of what happens from now on."""
    for name in endpoints:
        with workspace.database.transaction() as connection:
            if _read_to(connection, name) is not None:
                continue
        workspace.seal()
        try:
            with workspace.database.transaction() as connection:
                connection.execute(ENDPOINTS.insert().values(name=name, read_to=_last(connection)))
        except IntegrityError:  # somebody else did meanwhile
            continue


def gather(workspace: Workspace, name: str, endpoint: Endpoint, address: str | None) -> bool:
    """Put into the outbox what an endpoint has to be told of the events that came since it was last done.

    Args:
        address: of a task's page, with `{task}` in it; None where there is none.

    Returns:
        whether there may be more.
    """
    with workspace.database.transaction() as connection:
        before, last = _read_to(connection, name, lock=True), _last(connection)
        if before is None or before >= last:
            return False
        chosen = sa.select(AUDIT).where(AUDIT.c.sequence > before, AUDIT.c.kind.in_((*_TOLD, *_MOVED)))
        rows = connection.execute(chosen.order_by(AUDIT.c.sequence).limit(AT_ONCE)).all()
        for message in _messages(connection, rows, address):
            if endpoint.wants(message.event, message.execution.workflow_id):
                _put(connection, name, message)
        more = len(rows) == AT_ONCE
        to = rows[-1].sequence if more else last
        connection.execute(ENDPOINTS.update().where(ENDPOINTS.c.name == name).values(read_to=to))
    return more


def _read_to(connection: sa.Connection, name: str, *, lock: bool = False) -> int | None:
    chosen = sa.select(ENDPOINTS.c.read_to).where(ENDPOINTS.c.name == name)
    return connection.execute(chosen.with_for_update() if lock else chosen).scalar_one_or_none()


def _last(connection: sa.Connection) -> int:
    found: int | None = connection.execute(sa.select(sa.func.max(AUDIT.c.sequence))).scalar_one()
    return found or 0


def _messages(connection: sa.Connection, rows: Sequence[Any], address: str | None) -> Iterator[_Message]:
    """What events say; of runs that came to wait, as they stand now."""
    for row in rows:
        if row.kind in _TOLD and row.execution is not None:
            execution, body = execution_of(connection, row.execution), json.loads(row.body)
            data = _of_end(body) if row.kind == "ended" else _of_task(body, address)
            yield _Message(_TOLD[row.kind], str(row.sequence), row.at, execution, data)
    moved = {row.execution: row.at for row in rows if row.kind == "task-opened" or row.kind in _MOVED}
    for name, at in moved.items():
        execution = execution_of(connection, name)
        waits = execution.status == "waiting_human" or (execution.progress.waits_to_begin and not execution.ended)
        open_ = tasks(connection, execution=name) if waits and not execution.paused else []
        if open_:
            data = {"state": "waiting", "tasks": [_shown(one, address) for one in open_]}
            yield _Message("run.waiting", f"{name}:{execution.revision}", at, execution, data)


def _of_end(body: dict[str, Any]) -> dict[str, JsonValue]:
    code = body["reason_code"]
    return {"state": body["status"], "end": body["end"], "reason_code": code if isinstance(code, str) else None}


def _of_task(body: dict[str, Any], address: str | None) -> dict[str, JsonValue]:
    """By the event of its opening, or that its time is over."""
    told = {"task": body["task"], "kind": body.get("kind"), "roles": [*body["roles"], *body.get("escalated", ())]}
    return {**told, "due_at": body["due"], "address": _address(body["task"], address)}


def _shown(task: Task, address: str | None) -> dict[str, JsonValue]:
    roles: list[JsonValue] = [*task.roles, *task.escalated]
    where = _address(task.id, address)
    return {"task": task.id, "kind": task.kind, "roles": roles, "due_at": task.due_at, "address": where}


def _address(task: str, address: str | None) -> str | None:
    return address.replace("{task}", task) if address is not None else None


def _put(connection: sa.Connection, endpoint: str, message: _Message) -> None:
    """Put a message into the outbox, unless it was."""
    digits = hashlib.sha256(f"{endpoint}:{message.event}:{message.source}".encode()).hexdigest()
    name, run = f"msg_{digits[:32]}", message.execution
    if connection.execute(sa.select(DELIVERIES.c.id).where(DELIVERIES.c.id == name)).first() is not None:
        return
    parent = run.progress.parent
    data: dict[str, JsonValue] = {
        "run": run.id, "workflow": f"{run.workflow_id}@v{run.number}",
        "called_by": parent.execution if parent is not None else None, **message.data,
    }  # fmt: skip
    body = canonical_json({"type": message.event, "timestamp": message.at, "data": data})
    made = now()
    connection.execute(
        DELIVERIES.insert().values(
            id=name, endpoint=endpoint, event=message.event, execution=run.id, body=body, state="waiting", tries=0,
            due_at=made, made_at=made,
        )
    )  # fmt: skip
