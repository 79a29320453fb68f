"""How a run is told to the agent that began it: state, result, reason and whose turn it is, but no steps.

Until it ended nothing is told of what it found so far: a conclusion that a person has yet to approve is none.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from agents.forms import AwaitedTask, ExplainedRun, Ground, RunAnswer, State
from runtime.executions import execution_of
from runtime.forms import Execution, Task
from runtime.host import Host
from runtime.subworkflows import open_tasks_of
from runtime.telling import explain
from store.users import User

SEE = "call see_run later; a run goes on by itself"
NEXT: dict[str, str] = {
    "running": SEE,
    "paused": "call resume_run to let it go on",
    "completed": "tell what text says; the run is over",
    "failed": "tell what text says; explain_run says more, and starting it again is a new run",
    "cancelled": "the run is over; nothing that was done is undone",
    "start": "give what is missing with give_value, or have a person do the task at its address",
    "person": "tell who has to do the task and where; call see_run once it is done. No tool does it in their stead",
}


def run_answer(host: Host, agent: User, execution_id: str) -> ExplainedRun:
    """How a run stands, as the agent may see it.

    Raises:
        UnknownExecution: there is none such.
    """
    told = explain(host, execution_id, agent)
    with host.workspace.database.transaction() as connection:
        execution = execution_of(connection, execution_id)
        waits = tuple(_awaited(host, _title(host, execution), one) for one in open_tasks_of(connection, execution))
    state = state_of(execution, waits)
    return ExplainedRun(
        run=execution.id,
        workflow=told["workflow"],
        state=state,
        end=execution.end,
        reason_code=told["reason_code"],
        text=told["text"] if execution.ended else f"{_title(host, execution)}: {told['answer']}",
        because=tuple(told["because"]),
        outputs=told["outputs"] if execution.ended else {},
        waits=waits,
        next=NEXT[turn_of(state, waits)],
        people=tuple(dict.fromkeys(one["by"] for one in told["people"])),
        grounds=tuple(Ground(**one) for one in told["grounds"]),
        not_retried=tuple(one["why"] for one in told["not_retried"]),
    )


def _title(host: Host, execution: Execution) -> str:
    workflow = host.version(execution.workflow_id, execution.number).definition
    return workflow.metadata.title or workflow.workflow_id


def plain(told: ExplainedRun) -> RunAnswer:
    """The same without what only an explanation says."""
    return RunAnswer(**{name: getattr(told, name) for name in RunAnswer.model_fields})


def state_of(execution: Execution, waits: Sequence[AwaitedTask]) -> State:
    """One word for how it stands: it waits where it, or a run that it called, has a task for a person."""
    match execution.status:
        case "completed" | "failed" | "cancelled":
            return execution.status
    if execution.paused:
        return "paused"
    return "waiting" if execution.status == "waiting_human" or waits else "running"


def start_task_of(connection: sa.Connection, execution: Execution) -> Task | None:
    """The task that asks for what a run needs before its first step; None where nothing is asked for."""
    return next((one for one in open_tasks_of(connection, execution) if one.kind == "start"), None)


def turn_of(state: State, waits: Sequence[AwaitedTask]) -> str:
    """What a run is at: its state, and where it waits whether for values to begin with (`start`) or for a `person`."""
    if state != "waiting":
        return state
    return "start" if any(one.kind == "start" for one in waits) else "person"


def _awaited(host: Host, title: str, task: Task) -> AwaitedTask:
    address = host.agency.address
    return AwaitedTask(
        task=task.id,
        kind=task.kind,
        asks=task.title if title in task.title else f"{title}: {task.title}",
        who=(task.claimed_by,) if task.claimed_by else (*task.roles, *task.escalated),
        address=address.replace("{task}", task.id) if address else f"flowc task show {task.id}",
    )
