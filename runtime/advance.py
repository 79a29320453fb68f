"""Brings an execution as far as it goes: takes what reached it, walks, and carries out one node of a system at a time.

All that follows from a row or from a call is one transaction; between the intent of a call and its outcome there is
nothing but the call. So a process may end anywhere: whoever takes the execution up again finds either nothing of a step
or all of it, or an intent without an outcome (`docs/semantics.md`, S3 to S6).
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import sqlalchemy as sa
from pydantic import JsonValue

from ir.base import canonical_json
from ir.errors import CompilerError
from ir.predicate import Always, Otherwise, Ref, references
from ir.walk import Outcome, Ready, Run, TakenOutcome, outcome_by_rules, resume, rules_outcome, start, state_of
from registry.forms import Version
from runtime.executions import open_task, save, set_task, taken, task_of, tasks, waiting
from runtime.executors.contract import Call, ExecutorFault
from runtime.forms import Execution, Progress, Row, Status, StepBefore, Task
from runtime.governance.calling import call_refused
from runtime.host import Host, attempts, backoff, idempotent, timeout
from runtime.overdue import mark_overdue
from runtime.people import admission_task, output_of, settle_task, task_for
from runtime.privacy.classes import PERSONAL, Classes
from runtime.subworkflows import begin_called, locked, outcome_of, steer_called, tell_caller
from runtime.values import faults
from runtime.views.before import steps_before
from store import audit
from store.alone import Alone
from store.clock import moment, now
from store.tables import CALLS

FLOWC = "flowc"
RESTORED = "the workspace was restored, and whether it was called after the backup nobody here knows"
DELETED = "it came after the run's personal values were deleted, and is not kept"
RETRIES = (0.1, 0.5, 2.0, 5.0, 10.0)
"""Seconds between the tries to write what a call came to."""


@dataclass(frozen=True)
class Planned:
    """A call whose intent is recorded.

    Args:
        bound: the executor that the version names.
    """

    ready: Ready
    attempt: int
    bound: str
    call: Call


_Came = tuple[Planned, dict[str, JsonValue] | ExecutorFault]


def advance(
    host: Host, execution: str, mine: Alone | None = None, stopping: Callable[[], bool] = bool
) -> Execution:  # fmt: skip
    """Let an execution go on until it waits or ends.

    Args:
        mine: the right to work on it alone; None where nobody else can.
        stopping: whether no call may begin any more; what is left of the execution is for the next worker.

    Raises:
        TakenOver: that was lost to another one, who goes on.
    """
    planned, after = _step(host, execution, mine, stopping)
    while planned is not None:
        came = planned, host.executors.carried_out(planned.call, planned.bound)
        for pause in (*RETRIES, None):
            try:
                planned, after = _step(host, execution, mine, stopping, came, after)
                break
            except (CompilerError, RuntimeError):
                if pause is None:
                    raise
                time.sleep(pause)  # what came back must not be lost for a database that is busy
    return after


# --- walking ----------------------------------------------------------------------------------------------------------


@dataclass
class _State:
    """An execution while a transaction works on it.

    Args:
        stopping: whether no call may be planned any more.
    """

    host: Host
    connection: sa.Connection
    execution: Execution
    version: Version
    run: Run
    progress: Progress
    paused: bool
    classes: Classes
    cancelled: bool = False
    stopping: bool = False
    notes: list[audit.Note] = field(default_factory=list)

    def note(self, kind: str, body: Mapping[str, Any], by: str = FLOWC) -> None:
        """Keep an event of the audit until `tell`, which writes its personal values beside the chain."""
        told, run = cast("dict[str, JsonValue]", dict(body)), self.progress.run
        places = self.classes.sealed_in(kind, told, self.classes.words(run.inputs, run.taken, PERSONAL))
        self.notes.append(audit.Note(kind, by, told, self.execution.id, places))

    def tell(self) -> None:
        """Write the events so far; late, since nobody else can write theirs from then on."""
        audit.extend(self.connection, self.notes)
        self.notes.clear()

    def open_task(self, task: Task) -> None:
        """Open a task, of which the audit tells after what led to it."""
        self.tell()
        open_task(self.connection, task, sealed=self.classes.highest in PERSONAL)

    def before(self, node: str) -> tuple[StepBefore, ...]:
        """What came before a node; its events are written first, since they say when that was."""
        self.tell()
        return steps_before(self.run, node, audit.events(self.connection, self.execution.id, as_stored=True))

    def take(self, node: str, outcome: Outcome, by: str = FLOWC) -> None:
        """The outcome of a node, with the choice that follows from it and the values that made it."""
        before = self.run
        self.run = before.take(node, outcome)
        changed = [at for at, state in enumerate(self.run.edges) if state == "taken" and before.edges[at] != "taken"]
        out = [edge for edge in self.run.workflow.edges if edge.source == node]
        read = {
            ref.text: self.run.lookup(ref)
            for edge in out
            if not isinstance(edge.condition, Always | Otherwise)
            for ref in references(edge.condition)
        }
        body = {"node": node, "output": outcome.output, "error": outcome.error, "message": outcome.message,
                "took": changed, "by": read, "answered_by": outcome.answered_by}  # fmt: skip
        self.note("node-failed" if outcome.failed else "node-succeeded", body, by)
        run = self.progress.run
        taken = (*run.taken, TakenOutcome(node=node, outcome=outcome))
        self.put(run=run.model_copy(update={"taken": taken}))

    def put(self, **fields: object) -> None:
        """Change what is kept beside the run."""
        self.progress = self.progress.model_copy(update=fields)


def _opened(host: Host, connection: sa.Connection, found: Execution) -> _State:
    version = host.version(found.workflow_id, found.number, connection)
    run = resume(version.definition, found.progress.run)
    classes = host.classes_in(found, connection)
    return _State(host, connection, found, version, run, found.progress, found.paused, classes)


def _step(
    host: Host,
    execution: str,
    mine: Alone | None,
    stopping: Callable[[], bool],
    came: _Came | None = None,
    known: Execution | None = None,
) -> tuple[Planned | None, Execution]:
    """Take what a call came to and what is in the inbox, walk as far as it goes without the world, plan the next call.

    Args:
        came: the call and what it came to; None where none was made.
        known: the execution as the step before left it; None before the first.
    """
    with host.workspace.transaction() if mine is None else mine.transaction() as connection:
        state = _opened(host, connection, locked(connection, execution, known))
        state.stopping = stopping()
        if came is not None:
            _record(state, *came)
        for row in waiting(connection, execution):
            if not state.execution.ended:
                _take_row(state, row)
            taken(connection, execution, row)
        if state.execution.ended:
            state.tell()
            return None, state.execution
        planned = None if state.cancelled or state.progress.waits_to_begin else _walked(state)
        after = _saved(state, planned)
        state.tell()
        return planned, after


def _take_row(state: _State, row: Row) -> None:
    match row.kind:
        case "answer":
            _answered(state, task_of(state.connection, row.payload["task"]), row.payload["answer"], row.principal)
        case "child":
            _called_ended(state, row)
        case "cancel":
            state.cancelled = True
            state.note("cancelled", {"reason": row.payload.get("reason", "")}, row.principal)
        case "pause" | "resume":
            state.paused = row.kind == "pause"
            state.note(f"{row.kind}d", {}, row.principal)
            for child in state.progress.children.values():
                key = f"{state.execution.id}:{row.sequence}"
                steer_called(state.connection, child, row.kind, row.principal, "its caller", key)
        case "moment":
            late = mark_overdue(state.connection, task_of(state.connection, row.payload["task"]), state.host.escalation)
            if late is not None:
                state.note("overdue", late)
        case _:
            pass


def _called_ended(state: _State, row: Row) -> None:
    """The end of a run that this one called."""
    node = row.payload["node"]
    children = {one: child for one, child in state.progress.children.items() if one != node}
    state.put(children=children)
    state.note("called-run-ended", {name: row.payload[name] for name in ("node", "execution", "status", "end")})
    if node in state.run.under_way:
        state.take(node, outcome_of(row.payload))


def _answered(state: _State, task: Task, answer: dict[str, JsonValue], by: str) -> None:
    """What an answer means; it was held against the form when it was given, and refused once at most."""
    set_task(state.connection, task.id, "done", by)
    told = [*faults(answer, task.fields)]
    if task.kind == "start":
        inputs = {**state.progress.run.inputs, **{name: value for name, value in answer.items() if value is not None}}
        state.run = start(state.version.definition, inputs)
        state.put(run=state_of(state.run), asked=())
        state.note("inputs-given", {"inputs": answer}, by)
        if state.progress.held:
            who, roles = state.execution.principal, state.progress.held
            state.open_task(admission_task(state.execution.id, state.version.definition, inputs, roles, who))
    elif task.kind == "approval" and not task.node:
        state.put(held=())
        if answer["approved"]:
            state.note("let-begin", {}, by)
        else:
            state.cancelled = True
            state.note("cancelled", {"reason": answer.get("comment") or "it was not let begin"}, by)
    elif task.kind == "settle":
        _settled(state, task, answer, by)
    elif task.node in state.run.under_way:
        outcome = (
            Outcome(error="INVALID_ANSWER", message="; ".join(told), answered_by=by)
            if told
            else Outcome(output=output_of(task, answer, by), answered_by=by)
        )
        state.take(task.node, outcome, by)


def _settled(state: _State, task: Task, answer: dict[str, JsonValue], by: str) -> None:
    """What a person says of a call that was cut off."""
    node = task.node.rsplit("#", 1)[0]
    if node not in state.progress.parked or node not in state.run.under_way:
        return  # what became of it was told meanwhile
    state.put(parked=tuple(one for one in state.progress.parked if one != node))
    state.note("settled", {"node": node, "what": answer["what"]}, by)
    if answer["what"] == "done":
        given = answer.get("outputs")
        state.take(node, Outcome(output=given if isinstance(given, dict) else {}, answered_by=by), by)
    elif answer["what"] == "give_up":
        state.take(node, Outcome(error="UNSETTLED", message="a person gave it up", answered_by=by), by)
    else:
        state.put(attempts={**state.progress.attempts, node: state.progress.attempts.get(node, 1) + 1})


def _walked(state: _State) -> Planned | None:
    """Take the outcomes that need nobody, open the tasks, and plan the first call that can be made now."""
    while True:
        quiet = True
        for ready in state.run.ready:
            outcome = _by_itself(state, ready)
            if outcome is not None:
                state.take(ready.node, outcome)
                quiet = False
                break
        if quiet:
            break
    planned = None
    for ready in state.run.ready:
        if ready.performer == "person" or state.host.is_manual(state.version, ready.node):
            node_type = state.host.node_type(state.run.workflow.nodes[ready.node])
            outputs = node_type.outputs_schema if ready.performer == "system" and node_type is not None else None
            before = state.before(ready.node)
            state.open_task(task_for(state.run, ready, state.execution.id, outputs, state.host.calendar, before))
        elif ready.performer == "system" and planned is None and not state.paused:
            if state.stopping:
                _leave(state, ready)
            else:
                planned = _planned(state, ready)
    return planned


def _by_itself(state: _State, ready: Ready) -> Outcome | None:
    """What a node gives that only applies rows, has nothing to do, or may not be called here."""
    if ready.performer == "nobody":
        return Outcome(output={})
    if ready.performer == "rules":
        return outcome_by_rules(state.run, ready.node) or rules_outcome(state.run, ready)
    if ready.performer == "workflow":
        return _called(state, ready)
    waits = ready.performer == "person" or state.host.is_manual(state.version, ready.node)
    if waits or state.paused or ready.node in state.progress.parked:
        return None
    node, allowed = state.run.workflow.nodes[ready.node], state.host.executors.settings(ready.type).get("allow", ())
    return call_refused(ready, node, state.host.node_type(node), state.execution.principal, allowed)


def _called(state: _State, ready: Ready) -> Outcome | None:
    """Begin the run that a node calls, once; why it failed, where that cannot be begun."""
    if state.paused or ready.node in state.progress.children:
        return None
    node = state.run.workflow.nodes[ready.node]
    found = begin_called(state.host, state.connection, state.execution, state.version, ready, node)
    if isinstance(found, Outcome):
        return found
    state.notes += found.notes
    state.put(children={**state.progress.children, ready.node: found.execution})
    return None


def _leave(state: _State, ready: Ready) -> None:
    """Leave a call to the next worker, whatever else the execution waits for."""
    again = state.progress.again_at
    if ready.node not in (*state.progress.parked, *again):
        state.put(again_at={**again, ready.node: now()})


def _planned(state: _State, ready: Ready) -> Planned | None:
    """The call of a node with its intent recorded; None where it has to wait."""
    progress, node = state.progress, state.run.workflow.nodes[ready.node]
    if ready.node in progress.parked or progress.again_at.get(ready.node, "") > now():
        return None
    node_type = state.host.node_type(node)
    attempt = progress.attempts.get(ready.node, 1)
    key = f"{state.execution.id}:{ready.node}:{attempt}"
    began = ready.node in progress.attempts  # noted with the intent of its first call
    chosen = sa.select(CALLS.c.state).where(CALLS.c.key == key)
    known = state.connection.execute(chosen).first() if began else None
    doubted = known is None and progress.doubts(ready.node)
    if (doubted or known is not None) and not idempotent(node, node_type):
        _park(state, ready, key, attempt, RESTORED if doubted else "the process ended while it was called", doubted)
        return None
    told = {"node": ready.node, "type": ready.type, "key": key, "inputs": dict(ready.inputs), "attempt": attempt}
    if known is None:
        state.connection.execute(
            CALLS.insert().values(
                key=key, execution=state.execution.id, node=ready.node, attempt=attempt, state="intent", at=now()
            )
        )
        state.note("call-intended", told)
    else:
        state.note("call-repeated", {**told, "why": "the process ended while it was called, and it is idempotent"})
    state.put(attempts={**progress.attempts, ready.node: attempt})
    call = Call(
        execution=state.execution.id,
        node=ready.node,
        type=ready.type,
        inputs=ready.inputs,
        key=key,
        timeout=timeout(state.run.workflow, node),
        settings=state.host.executors.settings(ready.type),
        references=state.version.references,
        outputs=node_type.outputs_schema if node_type is not None else {},
        sources={name: given.text for name, given in node.inputs.items() if isinstance(given, Ref)},
    )
    return Planned(ready, attempt, state.version.executors.get(ready.node, ""), call)


def _park(state: _State, ready: Ready, key: str, attempt: int, why: str, doubted: bool = False) -> None:
    """Ask a person what became of a call; one that is doubted was not made by what is known here."""
    node_type = state.host.node_type(state.run.workflow.nodes[ready.node])
    outputs = node_type.outputs_schema if node_type is not None else {}
    state.connection.execute(CALLS.update().where(CALLS.c.key == key).values(state="parked", at=now()))
    state.put(parked=(*state.progress.parked, ready.node), attempts={**state.progress.attempts, ready.node: attempt})
    state.note("call-parked", {"node": ready.node, "key": key, "why": f"{why}, and it must not be done twice"})
    if doubted:
        state.put(doubted=(*(state.progress.doubted or ()), ready.node))
    told = "The workspace was restored from a backup since" if doubted else "Its call was cut off"
    state.open_task(settle_task(state.execution.id, ready, outputs, key, attempt, told))


def _saved(state: _State, planned: Planned | None) -> Execution:
    """Write what became of the execution; where it ended, close what is open."""
    status, end = _status(state, planned), None
    if status in ("completed", "failed", "cancelled"):
        for task in tasks(state.connection, execution=state.execution.id):
            set_task(state.connection, task.id, "closed")
        result = state.run.result
        end = "cancelled" if status == "cancelled" else result.status
        unknown = state.run.undecided.unknown if state.run.undecided else ()
        body = {
            "status": status, "end": result.status, "reason_code": result.reason_code, "node": result.node,
            "outputs": dict(result.outputs), "details": result.details, "path": list(state.run.path),
            "unknown": list(unknown),
        }  # fmt: skip
        state.note("ended", body)
        tell_caller(state.connection, state.execution, status, _end_of(body))
        for child in state.progress.children.values():
            steer_called(state.connection, child, "cancel", FLOWC, "its caller ended", state.execution.id)
    return save(state.connection, state.execution, status, state.progress, paused=state.paused, end=end)


def _end_of(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: body[name] for name in ("end", "reason_code", "outputs")}


def _status(state: _State, planned: Planned | None) -> Status:
    if state.cancelled:
        return "cancelled"
    if planned is not None:
        return "running"
    if state.progress.waits_to_begin:
        return "waiting_human"
    ending = state.run.ending
    if ending is not None:
        return "failed" if ending.status in ("failed", "undecided") else "completed"
    people = any(
        one.performer == "person" or state.host.is_manual(state.version, one.node) or one.node in state.progress.parked
        for one in state.run.ready
    )
    later = [name for name in state.progress.again_at if name in {one.node for one in state.run.ready}]
    return "running" if later or state.progress.children or not people else "waiting_human"


# --- calling ----------------------------------------------------------------------------------------------------------


def _record(state: _State, planned: Planned, found: dict[str, JsonValue] | ExecutorFault) -> None:
    """Write what a call came to, and take it where somebody still waits for it."""
    name, key = planned.ready.node, planned.call.key
    node = state.run.workflow.nodes[name]
    node_type = state.host.node_type(node)
    if not isinstance(found, ExecutorFault):
        wrong = [*faults(found, node_type.outputs_schema, of_type=True)] if node_type is not None else []
        if wrong:
            found = ExecutorFault("BAD_OUTPUT", "; ".join(wrong))
    fault = found if isinstance(found, ExecutorFault) else None
    outcome = {"error": fault.code, "message": fault.message} if fault else {"output": cast("Any", found)}
    if state.progress.deleted_at is not None:
        state.host.executors.forget([state.execution.id])
        outcome = {"error": fault.code, "message": DELETED} if fault else {"output": None}
    told = state.connection.execute(
        CALLS.update()
        .where(CALLS.c.key == key, CALLS.c.state.in_(("intent", "parked")))
        .values(state="failed" if fault else "done", outcome=canonical_json(cast("Any", outcome)), at=now())
    )
    state.note("call-answered", {"node": name, "key": key, **outcome})
    if told.rowcount == 0 or state.execution.ended or name not in state.run.under_way:
        return  # another worker made it again meanwhile, or it came back too late; it leads nowhere
    if name in state.progress.parked:
        _unparked(state, name, planned.attempt)
    state.put(again_at={one: at for one, at in state.progress.again_at.items() if one != name})
    if fault is None:
        state.take(name, Outcome(output=cast("dict[str, JsonValue]", found)))
    elif fault.made is None and not idempotent(node, node_type):
        _park(state, planned.ready, key, planned.attempt, fault.message)
    else:
        _failed(state, planned, fault, attempts(state.run.workflow, node, node_type))


def _unparked(state: _State, node: str, attempt: int) -> None:
    """Nobody has to say any more what became of a call."""
    state.put(parked=tuple(one for one in state.progress.parked if one != node))
    for task in tasks(state.connection, execution=state.execution.id):
        if task.kind == "settle" and task.node == f"{node}#{attempt}":
            set_task(state.connection, task.id, "closed")


def _failed(state: _State, planned: Planned, fault: ExecutorFault, most: int) -> None:
    """Try again later where that is allowed; else the node failed, and the audit says why it was not tried again."""
    name, node = planned.ready.node, state.run.workflow.nodes[planned.ready.node]
    if fault.passing and planned.attempt < most:
        seconds = backoff(state.run.workflow, node, planned.attempt)
        at = moment(datetime.now(UTC) + timedelta(seconds=seconds))
        state.put(
            attempts={**state.progress.attempts, name: planned.attempt + 1},
            again_at={**state.progress.again_at, name: at},
        )
        state.note("call-delayed", {"node": name, "attempt": planned.attempt + 1, "at": at})
        return
    if not fault.passing:
        why = "the failure does not pass by itself"
    elif most == 1:
        why = "it must not be done twice, or policy allows one attempt"
    else:
        why = f"all {most} attempts were made"
    state.note("not-retried", {"node": name, "code": fault.code, "why": why})
    state.take(name, Outcome(error=fault.code, message=fault.message))
