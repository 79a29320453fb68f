"""What people and programs do to executions: begin, answer, pause, cancel. Each is one transaction."""

import secrets
from collections.abc import Mapping
from typing import cast

import sqlalchemy as sa
from pydantic import JsonValue

from ir.errors import BadSetting
from ir.walk import start, state_of
from ir.workflow import InputSpec, Workflow
from registry.versions import called_by, checked, version_of, versions
from runtime.errors import AlreadyEnded, BadAnswer, BadInputs, KeyReused, NotPublished, UnknownExecution
from runtime.executions import execution_of, insert, open_task, put, save, set_task, task_of
from runtime.forms import Execution, Progress, Task
from runtime.governance.own_part import own_part
from runtime.governance.restoring import restored_since
from runtime.host import Host
from runtime.people import admission_task, start_task
from runtime.permission import must_be_allowed, right_of
from runtime.privacy.classes import PERSONAL
from runtime.values import described, faults, missing_inputs, oversize, storable, wrong_inputs
from store import audit
from store.alone import one_by_one
from store.clock import now
from store.tables import REQUESTS
from store.users import AGENT, OPERATOR, START, User


def begin(
    host: Host, user: User, workflow_id: str, number: int, inputs: Mapping[str, JsonValue], *, ask: bool = False,
    key: str | None = None, key_made: str | None = None, request: str | None = None,
) -> Execution:  # fmt: skip
    """Begin an execution of a published version; nothing is carried out yet.

    Where an agent begins one that may not begin without a person, it waits for somebody to let it begin.

    Args:
        ask: wait for a person where inputs are missing, rather than refuse.
        key: the same key begins the same execution; None for a new one.
        key_made: the moment from which on the key can have been used; None where nobody knows.
        request: digest of all that is asked for under the key; None where the key says it.

    Raises:
        NotPublished: the version is not published, or deprecated.
        BadInputs: what is missing or does not fit, all of it.
        NotAllowed: the user is no operator, or an agent that may not begin this one, or came with a token for less.
        NotAutomatic: an agent would begin what may not begin without a person, and the settings refuse that.
        BadSetting: `[privacy]` tells of a field that no version of the workflow has.
        KeyReused: something else was asked for under the key.
    """
    user.must_hold(START, workflow_id)
    user.must("begin an execution", OPERATOR, AGENT)
    version = host.version(workflow_id, number)
    workflow = version.definition
    held = host.agency.held(user, workflow)
    missing = missing_inputs(workflow, inputs)
    _must_fit(version.name, workflow, inputs, {} if ask else missing)
    name = f"e-{secrets.token_hex(6)}" if key is None else f"e-{key}"
    progress = Progress(run=state_of(start(workflow, dict(inputs))), asked=tuple(missing), held=held)
    begun = now()
    execution = Execution(
        id=name, workflow_id=workflow_id, number=number, digest=version.digest, status="pending", paused=False,
        principal=user.name, progress=progress, revision=1, began_at=begun, changed_at=begun,
    )  # fmt: skip
    with host.workspace.transaction() as connection:
        _must_begin(host, connection, workflow_id, number)
        if key is not None:
            one_by_one(connection, name)
            if (known := begun_under(connection, key, request)) is not None:
                return known
        if key is not None and restored_since(connection, key_made):
            execution = execution.model_copy(update={"progress": progress.model_copy(update={"doubted": ()})})
        insert(connection, execution)
        if request is not None:
            connection.execute(REQUESTS.insert().values(execution=name, digest=request))
        put(connection, name, "start", user.name, {}, "start")
        told_inputs = {
            "workflow": version.name,
            "digest": version.digest,
            "inputs": dict(inputs),
            "asked": list(missing),
            **({"held": list(held)} if held else {}),
        }
        tell(host, connection, user, "began", cast("dict[str, JsonValue]", told_inputs), execution)
        _ask_first(host, connection, execution, workflow, missing)
    return execution


def _must_begin(host: Host, connection: sa.Connection, workflow_id: str, number: int) -> None:
    """Stop where a version is not published at this moment, or not all of its fields are known; see `begin`."""
    fresh = checked(version_of(connection, workflow_id, number), host.workspace.key)
    if fresh.state != "published":
        raise NotPublished(f"{fresh.name} is {fresh.state}; begin another version (`flowc registry list`)")
    for one in (fresh, *called_by(connection, fresh).values()):
        _must_know_fields(host, connection, one.workflow_id, one.number)


def _must_fit(name: str, workflow: Workflow, inputs: Mapping[str, JsonValue], needed: Mapping[str, InputSpec]) -> None:
    """Stop where inputs are missing or do not fit; see `begin`.

    Args:
        needed: those that are missing and nobody is asked for.
    """
    wrong = wrong_inputs(workflow, inputs)
    if not storable(dict(inputs)):
        wrong.append("the inputs hold characters that cannot be stored")
    if (told := oversize(inputs)) is not None:
        wrong.append(f"the inputs are too large: {told}")
    wrong += [f"{one}: missing; it takes {described(spec)}" for one, spec in needed.items()]
    if wrong:
        raise BadInputs(f"{name} cannot begin:\n" + "\n".join(f"- {one}" for one in wrong))


def _ask_first(
    host: Host, connection: sa.Connection, execution: Execution, workflow: Workflow, missing: Mapping[str, InputSpec]
) -> None:
    """Open the task that a run waits for before its first node: what is missing, else that somebody lets it begin."""
    name, principal, progress = execution.id, execution.principal, execution.progress
    if missing:
        open_task(connection, start_task(name, workflow, missing, principal))
    elif progress.held:
        sealed = host.classes_in(execution, connection).highest in PERSONAL
        task = admission_task(name, workflow, progress.run.inputs, progress.held, principal)
        open_task(connection, task, sealed=sealed)


def _must_know_fields(host: Host, connection: sa.Connection, workflow_id: str, number: int) -> None:
    """Stop where a field is misspelt, whose values would be left unprotected."""
    unknown = host.classes(workflow_id, number, connection).unknown
    for one in versions(connection, workflow_id) if unknown else ():
        unknown &= host.classes(workflow_id, one.number, connection).unknown
    if unknown:
        told = ", ".join(f'"{workflow_id}.{name}"' for name in sorted(unknown))
        raise BadSetting(f"[privacy.fields] in flowc.toml: no version of {workflow_id} has {told}; correct the names")


def tell(
    host: Host, connection: sa.Connection, user: User, kind: str, body: dict[str, JsonValue], execution: Execution
) -> None:
    """Write an event of an execution, its personal values beside the chain."""
    classes = host.classes_in(execution, connection)
    words = classes.words(execution.progress.run.inputs, execution.progress.run.taken, PERSONAL)
    places = classes.sealed_in(kind, body, words)
    audit.extend(connection, [audit.Note(kind, user.name, body, execution.id, places)])


def begun_under(connection: sa.Connection, key: str, request: str | None = None) -> Execution | None:
    """The execution that was begun under a key; None where none was.

    Args:
        request: digest of all that is asked for; None where the key says it.

    Raises:
        KeyReused: it was begun by asking for something else.
    """
    try:
        found = execution_of(connection, f"e-{key}")
    except UnknownExecution:
        return None
    asked = connection.execute(
        sa.select(REQUESTS.c.digest).where(REQUESTS.c.execution == found.id)
    ).scalar_one_or_none()
    if asked != request:
        raise KeyReused(f"{found.id} was begun under this key by asking for something else; take a key of its own")
    return found


def answer(host: Host, user: User, task_id: str, given: Mapping[str, JsonValue], shown: str | None = None) -> Task:
    """Answer a task.

    Args:
        shown: digest of what the person was shown; None where it is not an approval.

    Raises:
        UnknownTask: there is none such.
        TaskClosed: it is answered, or its execution ended.
        NotAllowed: the user has none of its roles, somebody else claimed it, or it is for another person by rule.
        BadAnswer: it does not fit; once, and it may be given again. Or it is too large, which does not count.
    """
    if (told_size := oversize(given)) is not None:
        raise BadAnswer(f"{task_id}: the answer is too large: {told_size}")
    with host.workspace.transaction() as connection:
        execution = execution_of(connection, task_of(connection, task_id).execution, lock=True)
        task = task_of(connection, task_id)
        must_be_allowed(host, connection, user, task, execution)
        told = [*faults(given, task.fields), *_unsettled(task, given)]
        if not storable(dict(given)):
            told.append("the answer holds characters that cannot be stored")
        if task.kind == "approval" and shown != task.digest:
            about = f"is about {shown}" if shown else "does not say what was seen (--shown DIGEST)"
            raise BadAnswer(
                f"{task_id} is shown as {task.digest}, and the answer {about}; "
                f"look at it again: flowc task show {task_id}"
            )
        refused = execution.progress.invalid.get(task_id, 0)
        again = bool(told) and (task.kind == "settle" or not task.node or refused == 0 or not storable(dict(given)))
        if again:
            progress = execution.progress.model_copy(
                update={"invalid": {**execution.progress.invalid, task_id: refused + 1}}
            )
            save(connection, execution, execution.status, progress, paused=execution.paused)
            body: dict[str, JsonValue] = {"task": task_id, "faults": cast("list[JsonValue]", told)}
            tell(host, connection, user, "answer-refused", body, execution)
        else:
            put(
                connection,
                task.execution,
                "answer",
                user.name,
                {"task": task_id, "answer": dict(given)},
                f"answer:{task_id}",
            )
            body = {
                "task": task_id, "node": task.node, "answer": dict(given), "shown": task.digest, **right_of(user, task),
            }  # fmt: skip
            if part := own_part(connection, user.name, task, execution):
                body["same_person"] = part.to_json()
            tell(host, connection, user, "answered", body, execution)
            set_task(connection, task_id, "done", user.name)
    if again:
        raise BadAnswer(f"{task_id}:\n" + "\n".join(f"- {one}" for one in told))
    return task


def _unsettled(task: Task, given: Mapping[str, JsonValue]) -> list[str]:
    """What is wanting where a call is said to have been done: its outputs, as its Type gives them."""
    if task.kind != "settle" or given.get("what") != "done":
        return []
    outputs, spec = given.get("outputs"), task.fields["outputs"]
    if not isinstance(outputs, dict):
        return ["outputs: missing; say what it gave"]
    return [f"outputs.{one}" for one in faults(outputs, spec.properties or {}, of_type=True)]


def steer(host: Host, user: User, execution_id: str, what: str, reason: str = "") -> Execution:
    """Pause, resume or cancel an execution.

    Args:
        what: `pause`, `resume` or `cancel`.

    Raises:
        UnknownExecution: there is none such.
        AlreadyEnded: it ended.
        NotAllowed: the user is no operator, or an agent that did not begin it, or came with a token for less.
    """
    user.must(f"{what} an execution", OPERATOR, AGENT)
    with host.workspace.transaction() as connection:
        execution = execution_of(connection, execution_id, lock=True)
        user.must_hold(START, execution.workflow_id)
        host.agency.must_own(user, execution)
        if execution.ended:
            raise AlreadyEnded(f"{execution_id} is {execution.status}; nothing can be done to it any more")
        put(connection, execution_id, what, user.name, {"reason": reason}, f"{what}:{secrets.token_hex(6)}")
        tell(host, connection, user, f"{what}-asked", {"reason": reason}, execution)
    return execution
