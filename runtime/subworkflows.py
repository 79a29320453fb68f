"""Calls of other workflows: a run of the called version of its own, whose end is the outcome of the node that calls."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import sqlalchemy as sa
from pydantic import JsonValue

from ir.errors import CompilerError
from ir.walk import Outcome, Ready, start, state_of
from ir.workflow import Node
from registry.forms import Version
from registry.versions import version_of
from runtime.errors import NotPublished
from runtime.executions import active, execution_of, insert, put, tasks, untaken
from runtime.forms import Execution, Parent, Progress, Task
from runtime.host import Host
from runtime.privacy.classes import PERSONAL
from runtime.values import described, missing_inputs, wrong_inputs
from store import audit
from store.clock import now

FLOWC = "flowc"


@dataclass(frozen=True)
class Begun:
    """A run that a node called.

    Args:
        notes: what the audit is to tell of it, in the run that called it and in its own.
    """

    execution: str
    notes: tuple[audit.Note, ...]


def begin_called(
    host: Host, connection: sa.Connection, caller: Execution, version: Version, ready: Ready, node: Node
) -> Begun | Outcome:
    """Begin the run that a node calls; the failure of the node where that cannot be begun.

    Args:
        version: of the caller, which says what its calls are pinned to.
    """
    try:
        called = _pinned(host, connection, version, node)
    except CompilerError as error:
        return Outcome(error="NOT_PUBLISHED", message=str(error))
    workflow = called.definition
    nullable = {one for one, spec in workflow.inputs.items() if spec.nullable}
    given = {one: value for one, value in ready.inputs.items() if value is not None or one in nullable}
    missing = missing_inputs(workflow, given)
    wrong = wrong_inputs(workflow, given) + [f"{one}: missing; it takes {described(missing[one])}" for one in missing]
    if wrong:
        return Outcome(error="BAD_INPUT", message="; ".join(wrong))
    name, begun = child_id(caller.id, ready.node), now()
    doubted = None if caller.progress.doubted is None else ()  # the caller may have come as far after the backup
    parent = Parent(execution=caller.id, node=ready.node)
    progress = Progress(run=state_of(start(workflow, given)), parent=parent, doubted=doubted)
    execution = Execution(
        id=name, workflow_id=called.workflow_id, number=called.number, digest=called.digest, status="pending",
        paused=False, principal=caller.principal, progress=progress, revision=1, began_at=begun, changed_at=begun,
    )  # fmt: skip
    insert(connection, execution)
    put(connection, name, "start", caller.principal, {}, "start")
    about: dict[str, JsonValue] = {"node": ready.node, "execution": name, "workflow": called.name}
    told: dict[str, JsonValue] = {
        "workflow": called.name, "digest": called.digest, "inputs": given, "asked": [],
        "parent": {"execution": caller.id, "node": ready.node},
    }  # fmt: skip
    classes = host.classes_in(execution, connection)
    places = classes.sealed_in("began", told, classes.words(progress.run.inputs, (), PERSONAL))
    began = audit.Note("began", caller.principal, told, name, places)
    notes = audit.Note("run-called", FLOWC, about, caller.id), began
    return Begun(name, notes)


def _pinned(host: Host, connection: sa.Connection, version: Version, node: Node) -> Version:
    """The version that a node calls, as it was when the caller was published.

    Raises:
        CompilerError: it is not what the caller was published with, or no run of it may begin any more.
    """
    named = (node.call.workflow_id, node.call.version) if node.call is not None else None
    pins = [one for one in version.calls if (one.workflow_id, f"v{one.number}") == named]
    if not pins:
        raise NotPublished(f"{version.name} was published without what it calls")
    called = host.version(pins[0].workflow_id, pins[0].number, connection)
    state = version_of(connection, called.workflow_id, called.number).state
    if called.digest != pins[0].digest or state != "published":
        raise NotPublished(f"{called.name} is {state}; publish a version that calls another")
    return called


def child_id(caller: str, node: str) -> str:
    """The id of the run that a node calls, the same whenever it is asked for.

    >>> child_id("e-1", "check") == child_id("e-1", "check") != child_id("e-2", "check")
    True
    """
    return f"e-{hashlib.sha256(f'{caller}:{node}'.encode()).hexdigest()[:24]}"


def tell_caller(connection: sa.Connection, child: Execution, status: str, end: Mapping[str, Any]) -> None:
    """Hand the end of a called run to the run that called it."""
    parent = child.progress.parent
    if parent is None:
        return
    payload = {"node": parent.node, "execution": child.id, "status": status, **end}
    put(connection, parent.execution, "child", FLOWC, payload, f"child:{parent.node}")


def outcome_of(payload: Mapping[str, Any]) -> Outcome:
    """What the end of a called run is for the node that called it: it succeeds where that completed, else it fails.

    >>> outcome_of({"status": "completed", "end": "rejected", "reason_code": "NO_PERMIT", "execution": "e-2"}).error
    'NO_PERMIT'
    >>> outcome_of({"status": "cancelled", "end": "completed", "reason_code": None, "execution": "e-2"}).error
    'CALL_CANCELLED'
    """
    end = payload["status"] if payload["status"] == "cancelled" else payload["end"]
    if end == "completed":
        return Outcome(output=cast("dict[str, JsonValue]", dict(payload["outputs"])))
    code = payload["reason_code"] if payload["status"] != "cancelled" else None
    return Outcome(error=code or f"CALL_{end.upper()}", message=f"{payload['execution']} ended as {end}")


def steer_called(connection: sa.Connection, child: str, what: str, by: str, reason: str, key: str) -> None:
    """Hand a cancellation or a pause of the caller to a called run, unless it ended."""
    if not execution_of(connection, child, lock=True).ended:
        put(connection, child, what, by, {"reason": reason}, f"{what}:{key}")


def locked(connection: sa.Connection, execution: str, known: Execution | None = None) -> Execution:
    """An execution that nobody else changes until the transaction ends; its caller is locked before it.

    Who locks several goes from callers to what they call, so that nobody waits for somebody who waits for him.

    Args:
        known: the execution as it was at any time, since its caller stays the same; None where it was not read yet.
    """
    parent = (known or execution_of(connection, execution)).progress.parent
    if parent is not None:
        execution_of(connection, parent.execution, lock=True)
    return execution_of(connection, execution, lock=True)


def top_of(connection: sa.Connection, execution: str) -> Execution:
    """The execution that somebody began, of which another is a part by calls; itself where it is none."""
    top = execution_of(connection, execution)
    while top.progress.parent is not None:
        top = execution_of(connection, top.progress.parent.execution)
    return top


def called_runs(connection: sa.Connection, execution: str) -> dict[str, str]:
    """By id the node of all that an execution itself called, in the order of the calls, whether it ended or not."""
    events = audit.events(connection, execution, as_stored=True)
    return {one.body["execution"]: one.body["node"] for one in events if one.kind == "run-called"}


def with_called(connection: sa.Connection, execution: str) -> list[Execution]:
    """An execution and all that it called, directly or not, callers first."""
    found, left = list[Execution](), [execution]
    while left:
        found.append(execution_of(connection, left.pop(0)))
        left += called_runs(connection, found[-1].id)
    return found


def family(connection: sa.Connection, execution: str) -> set[str]:
    """An execution with those that called it and all that these called and that have not ended."""
    found, left = {execution}, [top_of(connection, execution).id]
    while left:
        name = left.pop()
        found.add(name)
        left += execution_of(connection, name).progress.children.values()
    return found


def goes_on(connection: sa.Connection, execution: str) -> bool:
    """Whether an execution, what called it or what these called has something to do by itself now."""
    return bool(family(connection, execution) & {*untaken(connection), *active(connection)})


def open_tasks_of(connection: sa.Connection, execution: Execution) -> list[Task]:
    """The open tasks of an execution and of all that it called, its own first."""
    runs = [execution] if execution.ended else with_called(connection, execution.id)
    return [task for one in runs for task in tasks(connection, execution=one.id)]


def waits_for_people(connection: sa.Connection, execution: Execution) -> bool:
    """Whether an execution goes on by nobody but a person, who may be asked in a run that it called."""
    if execution.ended or not execution.progress.children:
        return execution.status == "waiting_human"
    below = [one for one in with_called(connection, execution.id) if not one.ended]
    if any(one.progress.again_at for one in below) or {one.id for one in below} & {
        *untaken(connection),
        *active(connection),
    }:
        return False
    return any(tasks(connection, execution=one.id) for one in below)
