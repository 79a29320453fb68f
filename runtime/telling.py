"""What became of an execution: told from the record alone, replayed, and asked what would have been."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from ir.predicate import Ref
from ir.source import Evidence
from ir.walk import ERROR_KEY, Outcome, RecordedOutput, Run, Walk, resume, start, walk
from ir.workflow import Workflow
from runtime.answer import answer_text, words_of_choice
from runtime.errors import BadInputs
from runtime.executions import execution_of, tasks
from runtime.forget import there
from runtime.forms import Execution, Task
from runtime.governance.own_part import OwnPart, title_in
from runtime.host import Host
from runtime.privacy.classes import Shape
from runtime.subworkflows import called_runs
from runtime.veil import Veil, veil_of
from store import audit
from store.users import READ, User

WORDS = {
    "en": {
        "completed": "it ended as completed",
        "returned": "it was given back",
        "rejected": "it was refused",
        "cancelled": "it was called off",
        "failed": "it failed",
        "undecided": "no way on could be told",
        "running": "it is under way",
        "waiting_human": "it waits for a person",
        "calling": "it waits for a run that it called",
        "pending": "it has not begun",
        "person": "the workflow has a person there",
        "deleted": "its personal values were deleted at",
    },
    "zh": {
        "completed": "已办结",
        "returned": "已退回",
        "rejected": "未予通过",
        "cancelled": "已终止",
        "failed": "执行失败",
        "undecided": "无法确定下一步",
        "running": "正在执行",
        "waiting_human": "正在等待人工处理",
        "calling": "正在等待其调用的流程",
        "pending": "尚未开始",
        "person": "按流程规定由人工处理",
        "deleted": "其个人信息已删除，时间为",
    },
}


@dataclass(frozen=True)
class Replayed:
    """A run walked again over what was recorded.

    Args:
        differences: what is not as the record says, each in a sentence; empty where all is.
        outputs: what the run gives, as the reader may see it.
    """

    walk: Walk
    differences: tuple[str, ...]
    outputs: Mapping[str, JsonValue]


def run_of(host: Host, execution: Execution) -> Run:
    """The run that an execution is, from what it took.

    Raises:
        ValuesDeleted: its personal values were deleted.
    """
    there(execution)
    return resume(host.version(execution.workflow_id, execution.number).definition, execution.progress.run)


def replay(host: Host, execution_id: str, reader: User | None = None) -> Replayed:
    """Walk again over the audit's record, calling nothing, and hold the end against what was told then.

    Args:
        reader: who is told of outputs and differences; None for flowc itself, from which nothing is hidden.

    Raises:
        UnknownExecution: there is none such.
        OutOfScope: the reader came with a token that does not reach it.
        ValuesDeleted: the personal values were deleted, and a walk without them would tell something else.
    """
    with host.workspace.database.transaction() as connection:
        execution = execution_of(connection, execution_id)
        if reader is not None:
            reader.must_hold(READ, execution.workflow_id)
        there(execution)
        told = [*audit.events(connection, execution_id)]
        veil = veil_of(host, connection, execution, reader)
    version = host.version(execution.workflow_id, execution.number)
    inputs: dict[str, JsonValue] = {}
    records: dict[str, RecordedOutput] = {}
    ended: dict[str, Any] | None = None
    for event in told:
        if event.kind in ("began", "inputs-given"):
            inputs |= {name: value for name, value in event.body["inputs"].items() if value is not None}
        elif event.kind in ("node-succeeded", "node-failed"):
            body = event.body
            records[body["node"]] = Outcome(output=body["output"], error=body["error"], message=body["message"])
        elif event.kind == "ended":
            ended = event.body
    found = walk(version.definition, inputs, records)
    path = found.path if execution.status != "cancelled" else _as_far_as_told(version.definition, inputs, records).path
    seen = _outputs_seen(veil)
    return Replayed(found, tuple(_differences(found, path, ended, execution, seen)), seen(found.result.outputs))


Seen = Callable[[Any], Any]


def _outputs_seen(veil: Veil) -> Seen:
    return lambda outputs: veil.over(dict(outputs), veil.classes.outputs)


def outputs_seen(host: Host, execution_id: str, found: Walk, reader: User) -> dict[str, JsonValue]:
    """What a walk over the record of an execution gives, as a reader may see it."""
    with host.workspace.database.transaction() as connection:
        veil = veil_of(host, connection, execution_of(connection, execution_id), reader)
    outputs: dict[str, JsonValue] = _outputs_seen(veil)(found.result.outputs)
    return outputs


def _as_far_as_told(workflow: Workflow, inputs: Mapping[str, JsonValue], records: Mapping[str, RecordedOutput]) -> Run:
    """The run that took what is recorded and nothing else; a walk goes on past that."""
    run = start(workflow, inputs)
    while (name := next((one.node for one in run.ready if one.node in records), None)) is not None:
        run = run.take(name, Outcome.read(records[name]))
    return run


def _differences(
    found: Walk, path: tuple[str, ...], ended: Mapping[str, Any] | None, execution: Execution, seen: Seen
) -> Iterator[str]:
    if ended is None:
        yield f"{execution.id} is {execution.status}: it has not ended, and there is nothing to compare with"
        return
    if execution.status == "cancelled":
        if ended["path"] != [*path]:
            yield f"path: {ended['path']} was recorded, {[*path]} is found now"
        return
    for what, recorded, now in (
        ("path", ended["path"], [*path]),
        ("end", ended["end"], found.result.status),
        ("reason code", ended["reason_code"], found.result.reason_code),
        ("outputs", ended["outputs"], dict(found.result.outputs)),
    ):
        if recorded != now:
            first, second = (seen(one) if what == "outputs" else one for one in (recorded, now))
            yield f"{what}: {first} was recorded, {second} is found now"


def what_if(host: Host, execution_id: str, changes: Mapping[str, JsonValue]) -> Walk:
    """What would have been with other values: walked over the record, with some of it changed.

    Args:
        changes: by reference, `$.inputs.quantity_kg` or `$.outputs.filing.has_filing`.

    Raises:
        UnknownExecution: there is none such.
        ValuesDeleted: the personal values were deleted.
    """
    with host.workspace.database.transaction() as connection:
        execution = execution_of(connection, execution_id)
    there(execution)
    version = host.version(execution.workflow_id, execution.number)
    inputs = dict(execution.progress.run.inputs)
    records: dict[str, Any] = {}
    for one in execution.progress.run.taken:
        records[one.node] = dict(one.outcome.output or {}) if not one.outcome.failed else {ERROR_KEY: one.outcome.error}
    for name, value in changes.items():
        ref = _known(name, version.definition)
        if ref.root == "inputs":
            inputs[ref.path[0]] = value
        elif ref.node is not None:
            record = records.setdefault(ref.node, {})
            record.pop(ERROR_KEY, None)
            for key in ref.path[1:-1]:
                record = record.setdefault(key, {})
            record[ref.path[-1]] = value
    return walk(version.definition, inputs, records)


def _known(name: str, workflow: Workflow) -> Ref:
    """A reference to an input, or to what a node gives.

    Raises:
        BadInputs: it is none; the message tells what there is.
    """
    inputs, nodes = (", ".join(names) for names in (workflow.inputs, workflow.nodes))
    parts = name.split(".")
    places: dict[str, Collection[str]] = {"inputs": workflow.inputs, "outputs": workflow.nodes}
    known = places.get(parts[1] if len(parts) > 2 else "", ())
    if parts[0] != "$" or len(parts) < 3 or parts[2] not in known or (parts[1] == "outputs" and len(parts) < 4):
        raise BadInputs(
            f"{name}: expected $.inputs.NAME or $.outputs.NODE.FIELD; "
            f"there are the inputs {inputs} and the nodes {nodes}"
        )
    return Ref(name)


def explain(host: Host, execution_id: str, reader: User | None = None) -> dict[str, Any]:
    """What an execution came to and why, in the document's language, with the words that it rests on.

    What it called is told in the same way below it, `called`, in the order of the calls.

    Args:
        reader: who is told; None for flowc itself, from which nothing is hidden.

    Raises:
        UnknownExecution: there is none such.
        OutOfScope: the reader came with a token that does not reach it.
    """
    with host.workspace.database.transaction() as connection:
        execution = execution_of(connection, execution_id)
        if reader is not None:
            reader.must_hold(READ, execution.workflow_id)
        told = [*audit.events(connection, execution_id)]
        open_ = tasks(connection, execution=execution_id)
        veil = veil_of(host, connection, execution, reader)
        called = called_runs(connection, execution_id)
    version = host.version(execution.workflow_id, execution.number)
    words = WORDS.get(version.definition.metadata.language or "en", WORDS["en"])
    if execution.progress.deleted_at is None:
        came_to = _came_to(host, execution, veil, words)
    else:
        came_to = _left(version.definition, execution, told, veil, words)
    parent = execution.progress.parent
    return {
        "execution": execution.id,
        "called_by": parent.to_json() if parent is not None else None,
        "workflow": f"{execution.workflow_id}@v{execution.number}",
        "status": execution.status,
        "end": execution.end,
        "deleted_at": execution.progress.deleted_at,
        **came_to,
        "people": _people(version.definition, told, words),
        **_along_the_way(execution, told, open_, veil),
        "called": [{"node": node, **explain(host, one, reader)} for one, node in called.items()],
    }


def _came_to(host: Host, execution: Execution, veil: Veil, words: Mapping[str, str]) -> dict[str, Any]:
    """From the run itself."""
    run = run_of(host, execution)
    result = run.result
    stands = "calling" if execution.status == "running" and execution.progress.children else execution.status
    answer = words[result.status if execution.status in ("completed", "failed") else stands]
    gives = veil.classes.gives
    return {
        "answer": answer,
        "text": veil.text(answer_text(host, run, answer, lambda node, output: veil.over(output, gives[node]))),
        "reason_code": result.reason_code if execution.ended else None,
        "outputs": veil.over(dict(result.outputs), veil.classes.outputs),
        "because": _because(run.workflow, _took(run), result.evidence) if execution.ended else [],
        "grounds": [*_grounds(run, dict(result.outputs), veil)] if execution.ended else [],
        "steps": [_step(run, one.node, veil) for one in run.steps],
    }


def _left(
    workflow: Workflow, execution: Execution, told: list[audit.Event], veil: Veil, words: Mapping[str, str]
) -> dict[str, Any]:
    """From the audit alone, once the run's own values were deleted."""
    ended = next(one.body for one in told if one.kind == "ended")
    answer = words[ended["end"] if execution.status in ("completed", "failed") else execution.status]
    by_node = {one.body["node"]: one for one in told if one.kind in ("node-succeeded", "node-failed")}
    took = [at for event in by_node.values() for at in event.body["took"]]
    last = workflow.nodes[ended["node"]].evidence if ended["node"] else ()
    title = workflow.metadata.title or workflow.workflow_id
    return {
        "answer": answer,
        "text": f"{title}: {answer}; {words['deleted']} {execution.progress.deleted_at}",
        "reason_code": ended["reason_code"],
        "outputs": veil.over(ended["outputs"], veil.classes.outputs),
        "because": _because(workflow, took, last),
        "grounds": [],
        "steps": [_step_left(workflow, node, by_node.get(node), veil) for node in ended["path"]],
    }


def _step_left(workflow: Workflow, name: str, event: audit.Event | None, veil: Veil) -> dict[str, Any]:
    """A node of the path by its event; an end has none, and gives nothing."""
    node, body = workflow.nodes[name], event.body if event is not None else {}
    return {
        "node": name,
        "label": node.label or name,
        "state": event.kind.removeprefix("node-") if event is not None else "succeeded",
        "gave": veil.over(body.get("output"), veil.classes.gives[name]),
        "error": body.get("error"),
        "message": body.get("message"),
        "words": list(dict.fromkeys(one.quote for one in node.evidence)),
    }


def _took(run: Run) -> list[int]:
    """The edges on which a run went on, in its order."""
    return [index for step in run.steps for index in step.took]


def _because(workflow: Workflow, took: Sequence[int], last: Sequence[Evidence]) -> list[str]:
    """The words of the choices that were made on the way, in its order, and those of its end."""
    quotes = (quote for index in took for quote in words_of_choice(workflow, index))
    return list(dict.fromkeys((*quotes, *(one.quote for one in last))))


def _grounds(run: Run, outputs: JsonValue, veil: Veil) -> Iterator[dict[str, Any]]:
    """What the references in outputs stand for: `{"ref": "$.outputs.NODE.FIELD"}`, with the words that the node has."""
    if isinstance(outputs, dict) and isinstance(ref := outputs.get("ref"), str) and ref.startswith("$.outputs."):
        node, _, field = ref.removeprefix("$.outputs.").partition(".")
        outcome = run.outcomes.get(node)
        if outcome is not None and not outcome.failed:
            gave = veil.over(outcome.output, veil.classes.gives[node])
            quotes = list(dict.fromkeys(one.quote for one in run.workflow.nodes[node].evidence))
            yield {"ref": ref, "value": (gave or {}).get(field), "words": quotes}
        return
    for one in outputs.values() if isinstance(outputs, dict) else outputs if isinstance(outputs, list) else ():
        yield from _grounds(run, one, veil)


def _people(workflow: Workflow, told: list[audit.Event], words: Mapping[str, str]) -> list[dict[str, Any]]:
    """Who did what; of an approval also what else of the run its approver did."""
    found = []
    for event in (one for one in told if one.kind == "answered"):
        part = OwnPart.model_validate(event.body.get("same_person", {}))
        also = part.told(lambda node: title_in(workflow, node), workflow.metadata.language)
        found.append({"node": event.body["node"], "by": event.principal, "why": words["person"], "also": list(also)})
    return found


def _along_the_way(execution: Execution, told: list[audit.Event], open_: list[Task], veil: Veil) -> dict[str, Any]:
    """What waits, what was not done again."""
    text = Shape(veil.classes.highest)
    return {
        "waits": [
            {"task": one.id, "for": [*one.roles, *one.escalated], "claimed_by": one.claimed_by, "title": one.title}
            for one in open_
        ],
        "not_retried": [{"node": e.body["node"], "why": e.body["why"]} for e in told if e.kind == "not-retried"],
        "again": [{"node": name, "at": at} for name, at in execution.progress.again_at.items()],
        "parked": [
            {"node": e.body["node"], "why": veil.over(e.body["why"], text)} for e in told if e.kind == "call-parked"
        ],
    }


def _step(run: Run, node: str, veil: Veil) -> dict[str, Any]:
    step = next(one for one in run.steps if one.node == node)
    outcome = step.outcome
    gave = outcome.output if outcome is not None and not outcome.failed else None
    return {
        "node": node,
        "label": run.workflow.nodes[node].label or node,
        "state": step.state,
        "gave": veil.over(gave, veil.classes.gives[node]),
        "error": outcome.error if outcome is not None else None,
        "message": veil.over(outcome.message, Shape(veil.classes.highest)) if outcome is not None else None,
        "words": list(dict.fromkeys(one.quote for one in step.evidence)),
    }
