"""What became of the run of a row: how it ended or for whom it waits, and how long each stage took."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from ir.base import Model
from ir.walk import Run
from ir.workflow import CONTROL_END, Workflow
from runtime.forms import Execution, Task
from runtime.host import Host
from runtime.subworkflows import open_tasks_of, waits_for_people, with_called
from runtime.telling import run_of
from runtime.veil import Veil, veil_of
from store import audit
from store.users import User

RowStatus = Literal[
    "completed", "returned", "rejected", "cancelled", "failed", "undecided", "waiting", "running", "paused", "refused",
    "changed",
]  # fmt: skip
Verdict = Literal["pass", "fail", "unsure"]


_Of = tuple[str | None, str]
"""A task or a node with the execution that it is of."""


class BatchRow(Model):
    """One line of the table; its fields are the columns.

    Args:
        run: the execution; None where none began.
        status: how the run ended, or why it has not; `refused`: no run began; `changed`: its run began with other
            values than the row has now.
        outcome: `pass`: the run came to an end that completes; `fail`: to one that does not, or a guard turned it away;
            `unsure`: it waits, was called off, a node failed without leading on, no way on could be told, or a result
            that every run gives has no value.
        code: of the end, of the fault, or of the error.
        asks: what is asked of whom; empty where nobody is asked.
        path: the nodes that ran.
        seconds_people: in which it waited for a person.
        seconds_systems: in which a system was called.
        seconds_pauses: in which it waited to call again.
        seconds_flowc: all else.
    """

    id: str
    run: str | None = None
    status: RowStatus
    outcome: Verdict
    code: str | None = None
    reason: str = ""
    asks: str = ""
    path: str = ""
    seconds_people: float | None = None
    seconds_systems: float | None = None
    seconds_pauses: float | None = None
    seconds_flowc: float | None = None


def row_of(host: Host, name: str, execution: Execution, reader: User | None = None) -> BatchRow:
    """What the table says of an execution.

    Args:
        reader: whose table it is; None for flowc itself, from which nothing is hidden.
    """
    with host.workspace.database.transaction() as connection:
        told = [*audit.events(connection, execution.id)]
        asked = open_tasks_of(connection, execution)
        waits = waits_for_people(connection, execution)
        below = with_called(connection, execution.id)[1:]
        along = [event for one in below for event in audit.events(connection, one.id)]
        veil = veil_of(host, connection, execution, reader)
    seconds = {f"seconds_{stage}": round(one, 3) for stage, one in stages([*told, *along]).items()}
    if execution.progress.deleted_at is not None:
        return _forgotten(host, name, execution, told, seconds)
    run = run_of(host, execution)
    status = _status(execution, run, waits)
    code, reason = _reason(execution, run, told, veil)
    return BatchRow(
        id=name,
        run=execution.id,
        status=status,
        outcome=_outcome(execution, run),
        code=code,
        reason=" ".join(reason.split()),
        asks="; ".join(_asked(one, execution) for one in asked),
        path=" ".join(run.path),
        **seconds,
    )


def _forgotten(
    host: Host, name: str, execution: Execution, told: list[audit.Event], seconds: Mapping[str, float]
) -> BatchRow:
    """Of a run whose values were deleted, from the audit alone."""
    ended = next(one.body for one in told if one.kind == "ended")
    cancelled, workflow = (
        execution.status == "cancelled",
        host.version(execution.workflow_id, execution.number).definition,
    )
    return BatchRow(
        id=name,
        run=execution.id,
        status="cancelled" if cancelled else ended["end"],
        outcome="unsure" if cancelled else _verdict(workflow, ended["end"], ended["node"], ended["outputs"]),
        code="cancelled" if cancelled else ended["reason_code"],
        reason=f"its personal values were deleted at {execution.progress.deleted_at}",
        path=" ".join(ended["path"]),
        **seconds,
    )


def _status(execution: Execution, run: Run, waits: bool) -> RowStatus:
    if execution.status in ("completed", "failed"):
        return run.result.status
    if execution.status == "cancelled":
        return "cancelled"
    if execution.paused:
        return "paused"
    return "waiting" if waits else "running"


def _outcome(execution: Execution, run: Run) -> Verdict:
    if execution.status == "cancelled" or not execution.ended:
        return "unsure"
    return _verdict(run.workflow, run.result.status, run.result.node, run.result.outputs)


def _verdict(workflow: Workflow, end: str, node: str | None, outputs: Mapping[str, Any]) -> Verdict:
    """Of a run that came to an end."""
    if end == "completed":
        return "unsure" if _valueless(workflow, outputs) else "pass"
    at_an_end = end != "undecided" and (node is None or workflow.nodes[node].type == CONTROL_END)
    return "fail" if at_an_end else "unsure"


def _valueless(workflow: Workflow, given: Mapping[str, Any]) -> list[str]:
    """Results that every completed run gives, and this one did not."""
    return [name for name, spec in workflow.results.items() if spec.is_required and given.get(name) is None]


def _reason(execution: Execution, run: Run, told: Iterable[audit.Event], veil: Veil) -> tuple[str | None, str]:
    """The code and the words: of the end, the node that failed, what no value is known of, who called it off."""
    result = run.result
    if execution.status == "cancelled":
        last = [event for event in told if event.kind == "cancelled"][-1]
        return "cancelled", f"called off by {last.principal}" + (
            f": {veil.message(last.body['reason'])}" if last.body["reason"] else ""
        )
    if not execution.ended:
        again = [f"{name} is tried again at {at[:19]}" for name, at in execution.progress.again_at.items()]
        return None, "; ".join(again)
    if run.undecided is not None:
        unknown = ", ".join(run.undecided.unknown)
        where = f"the way out of {run.undecided.node}" if run.undecided.node else "a guard"
        return "undecided", f"{where} is open" + (
            f": no value is known of {unknown}" if unknown else f" ({run.undecided.why})"
        )
    failed = run.outcomes.get(result.node or "")
    if failed is not None and failed.failed:
        return failed.error, f"{result.node}: {veil.message(failed.message or '') or failed.error}"
    if result.status == "completed" and (valueless := _valueless(run.workflow, result.outputs)):
        return "no-value", f"no value is known of {', '.join(valueless)}"
    return result.reason_code, "; ".join(dict.fromkeys(one.quote for one in result.evidence))


def _asked(task: Task, execution: Execution) -> str:
    of = "" if task.execution == execution.id else f" of {task.execution}, which it called"
    who = " or ".join((*task.roles, *task.escalated)) or "anybody"
    return f"{who}: {' '.join(task.title.split())} ({task.id}{of})"


def stages(told: Iterable[audit.Event]) -> dict[str, float]:
    """Seconds from the first event to the last, by what went on between them.

    Args:
        told: of a run and of what it called.
    """
    found = {"people": 0.0, "systems": 0.0, "pauses": 0.0, "flowc": 0.0}
    tasks_open, calling, paused = set[_Of](), set[_Of](), set[_Of]()
    before = None
    for event in sorted(told, key=lambda one: one.sequence):
        at, node = datetime.fromisoformat(event.at), (event.execution, str(event.body.get("node")))
        if before is not None:
            stage = "systems" if calling else "people" if tasks_open else "pauses" if paused else "flowc"
            found[stage] += max((at - before).total_seconds(), 0.0)
        before = at
        match event.kind:
            case "task-opened":
                tasks_open.add((event.execution, event.body["task"]))
            case "answered":
                tasks_open.discard((event.execution, event.body["task"]))
            case "call-intended" | "call-repeated":
                calling.add(node)
                paused.discard(node)
            case "call-answered" | "call-parked":
                calling.discard(node)
            case "call-delayed":
                paused.add(node)
            case "ended":
                for kind in (tasks_open, calling, paused):
                    kind -= {one for one in kind if one[0] == event.execution}
            case _:
                pass
    return found
