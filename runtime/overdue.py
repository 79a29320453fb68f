"""Tasks whose time is over: noted once, and given to further roles where `flowc.toml` says so under `[escalation]`.

[escalation]
"安全总监" = ["总经理"]

That it is noted once follows from the inbox, which takes a key once, whatever the clock does.
"""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from pydantic import JsonValue

from ir.errors import BadSetting
from runtime.executions import execution_of, mark_task, put
from runtime.forms import Task
from store.clock import now
from store.tables import INBOX, TASKS
from store.workspace import Workspace

MOST = 100
"""Tasks that one look hands in; it must not hold up what is to be done besides."""
Escalation = Mapping[str, tuple[str, ...]]
"""By role the roles that may answer its tasks as well, once their time is over."""


def read_escalation(given: Any) -> Escalation:
    """What the table `[escalation]` says.

    Args:
        given: None where there is no such table.

    Raises:
        BadSetting: it is no table of lists of roles.
    """
    table = {} if given is None else given
    if not isinstance(table, Mapping):
        raise BadSetting('[escalation] in flowc.toml is no table; write "ROLE" = ["ROLE"] under it')
    for role, others in table.items():
        if not isinstance(others, list) or not others or not all(isinstance(one, str) and one for one in others):
            raise BadSetting(f'[escalation] in flowc.toml: "{role}" takes a list of roles, as ["总经理"]')
    return {str(role): tuple(others) for role, others in table.items()}


def hand_in_overdue(workspace: Workspace) -> int:
    """Put the moments of tasks whose time is over into the inboxes of their executions, unless they were.

    Returns:
        how many; those that have been due longest, where there are more than `MOST`.
    """
    noted = sa.exists().where(
        INBOX.c.execution == TASKS.c.execution, INBOX.c.key == sa.literal("overdue:").concat(TASKS.c.id)
    )
    open_ = TASKS.c.status.in_(("open", "claimed"))
    late = sa.select(TASKS.c.execution, TASKS.c.id).where(TASKS.c.due_at <= now(), open_, ~noted)
    with workspace.database.transaction() as connection:
        found = [*connection.execute(late.order_by(TASKS.c.due_at).limit(MOST))]
    for one in found:
        with workspace.transaction() as connection:
            execution_of(connection, one.execution, lock=True)
            put(connection, one.execution, "moment", "flowc", {"task": one.id}, f"overdue:{one.id}")
    return len(found)


def mark_overdue(connection: sa.Connection, task: Task, escalation: Escalation) -> dict[str, JsonValue] | None:
    """Mark a task whose time is over, and let further roles answer it; it is answered by nobody.

    Returns:
        what the audit tells; None where it was answered or closed meanwhile.
    """
    if task.status in ("done", "closed"):
        return None
    further = [other for role in task.roles for other in escalation.get(role, ()) if other not in task.roles]
    roles = tuple(dict.fromkeys(further))
    mark_task(connection, task.id, {"overdue": True, "escalated": [*roles]})
    return {"task": task.id, "node": task.node, "due": task.due_at, "roles": [*task.roles], "escalated": [*roles]}
