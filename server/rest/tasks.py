"""Tasks of people, by the scope `task`: seen, claimed, given back, delegated, answered by a program of theirs."""

from typing import Annotated, Literal

import sqlalchemy as sa
from fastapi import Depends, Query

from ir.fields import object_schema
from runtime.claiming import claim, delegate, give_back
from runtime.commands import answer
from runtime.errors import TaskClosed
from runtime.executions import execution_of, task_of, tasks_after
from runtime.forms import Execution, Task
from runtime.permission import must_be_allowed
from runtime.veil import task_seen
from server.access import Shown
from server.rest.call import Calling, TaskId, operations
from server.rest.forms import Delegation, TaskAnswer, TaskListed, TaskShown
from server.rest.paging import Cursor, Limit, Page, cursor_of, place_of
from server.site import Site
from store.errors import NotAllowed
from store.tables import TASKS
from store.users import AGENT, TASK, User

router = operations("tasks", (404, 409))
LOOKED_AT = 500
"""Tasks that are looked at for one page; where more have to be, the page is short and names the next one."""


def _person(user: Calling) -> User:
    """A person who may come for tasks.

    Raises:
        NotAllowed: the user is an agent, or came with a token for less.
    """
    if AGENT in user.roles:
        raise NotAllowed(f"{user.name} is an agent, and tasks are for people")
    user.must_hold(TASK)
    return user


Person = Annotated[User, Depends(_person)]
Which = Annotated[
    Literal["open", "mine"], Query(description="all that the caller may answer, or those that the caller has claimed")
]


@router.get("/tasks")
def list_tasks(
    site: Shown, user: Person, which: Which = "open", limit: Limit = 50, cursor: Cursor = None
) -> Page[TaskListed]:  # fmt: skip
    """Open tasks that the caller may answer, the first to be opened first."""
    chosen: list[sa.ColumnElement[bool]] = [TASKS.c.status.in_(("open", "claimed"))]
    if which == "mine":
        chosen.append(TASKS.c.claimed_by == user.name)
    after, items = place_of(cursor), list[TaskListed]()
    with site.workspace.database.transaction() as connection:
        found = tasks_after(connection, after, LOOKED_AT + 1, *chosen)
        last: Task | None = None
        for task in found[:LOOKED_AT]:
            if len(items) == limit:
                break
            last, run = task, execution_of(connection, task.execution)
            if _may(site, connection, user, task, run):
                items.append(_listed(task, run, user))
    left = last is not None and last.id != found[-1].id
    return Page(items=tuple(items), next_page=cursor_of((last.opened_at, last.id)) if left and last else None)


def _may(site: Site, connection: sa.Connection, user: User, task: Task, run: Execution) -> bool:
    try:
        must_be_allowed(site.host, connection, user, task, run)
    except NotAllowed:
        return False
    return True


@router.get("/tasks/{task}")
def see_task(site: Shown, user: Person, task: TaskId) -> TaskShown:
    """A task with its form, what is shown beside it, and the digest of that, which an approval has to name."""
    with site.workspace.database.transaction() as connection:
        found = task_of(connection, task)
        run = execution_of(connection, found.execution)
        user.must_hold(TASK, run.workflow_id)
        try:
            must_be_allowed(site.host, connection, user, found, run)
        except (NotAllowed, TaskClosed):  # others of the role may look at what one of them has
            if found.roles:
                user.must(f"see {task}", *found.roles, *found.escalated)
    return _shown(site, found, run, user)


@router.post("/tasks/{task}/claim")
def claim_task(site: Shown, user: Person, task: TaskId) -> TaskShown:
    """Claim a task, so that nobody else answers it."""
    return _after(site, claim(site.host, user, task), user)


@router.post("/tasks/{task}/give-back")
def give_task_back(site: Shown, user: Person, task: TaskId) -> TaskListed:
    """Give a task back, so that everybody who has its role may answer it."""
    return _told(site, give_back(site.host, user, task), user)


@router.post("/tasks/{task}/delegate")
def delegate_task(site: Shown, user: Person, task: TaskId, asked: Delegation) -> TaskListed:
    """Give a task to somebody, who may answer it without having its role."""
    return _told(site, delegate(site.host, user, task, asked.to, asked.reason), user)


@router.post("/tasks/{task}/answer")
def answer_task(site: Shown, user: Person, task: TaskId, given: TaskAnswer) -> TaskListed:
    """Answer a task. An approval names the digest of what was seen; what was changed meanwhile has another."""
    answer(site.host, user, task, given.values, given.shown)
    with site.workspace.database.transaction() as connection:
        found = task_of(connection, task)
    return _told(site, found, user)


def _after(site: Site, task: Task, user: User) -> TaskShown:
    with site.workspace.database.transaction() as connection:
        run = execution_of(connection, task.execution)
    return _shown(site, task, run, user)


def _told(site: Site, task: Task, user: User) -> TaskListed:
    with site.workspace.database.transaction() as connection:
        run = execution_of(connection, task.execution)
    return _listed(task, run, user)


def _shown(site: Site, task: Task, run: Execution, user: User) -> TaskShown:
    seen = task_seen(site.host, task, user)
    return TaskShown(
        **dict(_listed(task, run, user)),
        answer=object_schema(dict(task.fields), required_by_default=True),
        shown={name: value for name, value in seen.shown.items() if name != "before"},
        before=seen.before,
        digest=seen.digest or None,
    )


def _listed(task: Task, run: Execution, user: User) -> TaskListed:
    return TaskListed(
        task=task.id, run=run.id, workflow=f"{run.workflow_id}@v{run.number}", kind=task.kind, title=task.title,
        status=task.status, for_roles=(*task.roles, *task.escalated), claimed_by=task.claimed_by,
        opened_at=task.opened_at, due_at=task.due_at, overdue=task.overdue, mine=task.claimed_by == user.name,
    )  # fmt: skip
