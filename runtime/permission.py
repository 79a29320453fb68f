"""Who may answer a task: by role, by claim, by delegation, by escalation once its time is over."""

import sqlalchemy as sa

from ir.workflow import HUMAN_APPROVAL
from runtime.errors import TaskClosed
from runtime.forms import Execution, Task
from runtime.host import Host
from store.errors import NotAllowed
from store.users import AGENT, OPERATOR, START, TASK, User


def must_be_allowed(host: Host, connection: sa.Connection, user: User, task: Task, execution: Execution) -> None:
    """Stop where a user may not answer a task.

    Raises:
        TaskClosed: it is answered, or its execution ended.
        NotAllowed: the user has none of its roles, or came with a token for less; somebody else claimed it; or it is
            for another person by rule.
    """
    if task.status in ("done", "closed"):
        raise TaskClosed(f"{task.id} is {task.status}; nothing is left to answer")
    began = user.name == execution.principal
    user.must_hold(START if task.kind == "start" and began else TASK, execution.workflow_id)
    if AGENT in user.roles and not (began and task.kind == "start"):
        raise NotAllowed(
            f"{user.name} is an agent, and {task.id} is for a person: {' or '.join(task.roles) or 'anybody'}"
        )
    escalated = bool(task.escalated) and user.may(*task.escalated)
    if task.claimed_by is not None and task.claimed_by != user.name and not escalated:
        raise NotAllowed(f"{task.claimed_by} claimed {task.id}; let it be given back first")
    if task.kind == "start" and began:
        return
    if task.roles and not escalated and not has_by_delegation(user, task):
        user.must(f"answer {task.id}", *task.roles)
    must_be_another(host, connection, user, task, execution)


def must_be_another(host: Host, connection: sa.Connection, user: User, task: Task, execution: Execution) -> None:
    """Stop where a user began what asks for the approval, and its risk is high or it may not begin without a person.

    Raises:
        NotAllowed: so it is.
    """
    if task.kind != "approval" or user.name != execution.principal:
        return
    if not task.node:
        raise NotAllowed(f"{user.name} asked for {execution.id}; somebody else has to let it begin")
    workflow = host.version(execution.workflow_id, execution.number, connection).definition
    high = workflow.execution_policy.risk_level == "high"
    if high and workflow.nodes[task.node].type == HUMAN_APPROVAL:
        raise NotAllowed(f"{user.name} began {execution.id}, whose risk is high; somebody else has to approve")


def may_answer(user: User, task: Task) -> bool:
    """Whether a task is for the user: by role, for everybody, by delegation, by escalation."""
    if AGENT in user.roles:
        return False
    escalated = bool(task.escalated) and user.may(*task.escalated)
    return not task.roles or user.may(*task.roles) or escalated or has_by_delegation(user, task)


def must_see(user: User, task: Task, execution: Execution) -> None:
    """Stop where a user may not look at a task: it is not for them, they do not steer runs, nor gave it to anybody.

    Raises:
        NotAllowed: so it is.
    """
    concerned = (task.claimed_by, task.delegated_by, execution.principal)
    if AGENT in user.roles or not (may_answer(user, task) or user.name in concerned or user.may(OPERATOR)):
        user.must(f"look at {task.id}", OPERATOR, *task.roles)
        raise NotAllowed(f"{user.name} is an agent, and {task.id} is for a person")


def has_by_delegation(user: User, task: Task) -> bool:
    """Whether somebody gave the task to the user."""
    return task.delegated_by is not None and task.claimed_by == user.name


def right_of(user: User, task: Task) -> dict[str, str]:
    """What the audit tells of an answer that was not given by role: who delegated it, or that it was escalated."""
    if has_by_delegation(user, task):
        return {"delegated_by": str(task.delegated_by)}
    if task.roles and not user.may(*task.roles):
        return {"escalated_to": " or ".join(task.escalated)}
    return {}
