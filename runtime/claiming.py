"""Who has a task: claimed, delegated to somebody, given back."""

import sqlalchemy as sa
from pydantic import JsonValue

from runtime.commands import tell
from runtime.executions import execution_of, mark_task, set_task, task_of
from runtime.forms import Execution, Task
from runtime.host import Host
from runtime.permission import has_by_delegation, must_be_allowed, must_be_another
from store import audit
from store.errors import NotAllowed
from store.users import User, user_named


def claim(host: Host, user: User, task_id: str) -> Task:
    """Claim a task, so that nobody else answers it.

    Raises:
        UnknownTask, TaskClosed, NotAllowed: see `commands.answer`.
    """
    with host.workspace.transaction() as connection:
        task, execution = _locked(connection, task_id)
        must_be_allowed(host, connection, user, task, execution)
        if not has_by_delegation(user, task):
            mark_task(connection, task_id, {"delegated_by": None})
        set_task(connection, task_id, "claimed", user.name)
        audit.append(connection, "task-claimed", user.name, {"task": task_id}, task.execution)
        return task_of(connection, task_id)


def give_back(host: Host, user: User, task_id: str) -> Task:
    """Give a task back, so that everybody who has its role may answer it; who delegated it may take it back.

    Raises:
        UnknownTask, TaskClosed, NotAllowed: see `commands.answer`.
    """
    with host.workspace.transaction() as connection:
        task, execution = _locked(connection, task_id)
        if task.status in ("done", "closed") or task.delegated_by != user.name:
            must_be_allowed(host, connection, user, task, execution)
        mark_task(connection, task_id, {"delegated_by": None})
        set_task(connection, task_id, "open")
        audit.append(connection, "task-given-back", user.name, {"task": task_id}, task.execution)
        return task_of(connection, task_id)


def delegate(host: Host, user: User, task_id: str, to: str, reason: str = "") -> Task:
    """Give a task to somebody, who may answer it without having its role, until it is given back.

    Args:
        to: name of a user.

    Raises:
        UnknownUser: nobody of that name.
        UnknownTask: there is none such.
        TaskClosed: it is answered, or its execution ended.
        NotAllowed: the user may not answer it, or has it by delegation only; or the other may not by rule.
    """
    with host.workspace.transaction() as connection:
        task, execution = _locked(connection, task_id)
        must_be_allowed(host, connection, user, task, execution)
        other = user_named(connection, to)
        if other.name == user.name:
            raise NotAllowed(f"{task_id} cannot be delegated to oneself; `flowc task claim {task_id}` keeps it")
        if has_by_delegation(user, task):
            told = f"{task.delegated_by} delegated {task_id} to {user.name}; give it back rather than on"
            raise NotAllowed(f"{told} (`flowc task claim {task_id} --back`)")
        must_be_another(host, connection, other, task, execution)
        mark_task(connection, task_id, {"delegated_by": user.name})
        set_task(connection, task_id, "claimed", other.name)
        body: dict[str, JsonValue] = {"task": task_id, "node": task.node, "to": other.name, "reason": reason}
        tell(host, connection, user, "task-delegated", body, execution)
        return task_of(connection, task_id)


def _locked(connection: sa.Connection, task_id: str) -> tuple[Task, Execution]:
    """A task with its execution, which nobody else changes meanwhile."""
    execution = execution_of(connection, task_of(connection, task_id).execution, lock=True)
    return task_of(connection, task_id), execution
