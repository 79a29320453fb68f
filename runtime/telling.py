"""What became of an execution: told from the record alone, replayed, and asked what would have been."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from ir.predicate import Ref
from ir.walk import ERROR_KEY, Outcome, RecordedOutput, Run, Walk, resume, start, walk
from ir.workflow import Workflow
from runtime.answer import answer_text
from runtime.errors import BadInputs
from runtime.executions import execution_of, tasks
from runtime.forms import Execution
from runtime.host import Host
from store import audit

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
        "pending": "it has not begun",
        "person": "the workflow has a person there",
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
        "pending": "尚未开始",
        "person": "按流程规定由人工处理",
    },
}


@dataclass(frozen=True)
class Replayed:
    """A run walked again over what was recorded.

    Args:
        differences: what is not as the record says, each in a sentence; empty where all is.
    """

    walk: Walk
    differences: tuple[str, ...]


def run_of(host: Host, execution: Execution) -> Run:
    """The run that an execution is, from what it took."""
    return resume(host.version(execution.workflow_id, execution.number).definition, execution.progress.run)


def replay(host: Host, execution_id: str) -> Replayed:
    """Walk again over the audit's record, calling nothing, and hold the end against what was told then.

    Raises:
        UnknownExecution: there is none such.
    """
    with host.workspace.database.transaction() as connection:
        execution = execution_of(connection, execution_id)
        told = [*audit.events(connection, execution_id)]
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
    return Replayed(found, tuple(_differences(found, path, ended, execution)))


def _as_far_as_told(workflow: Workflow, inputs: Mapping[str, JsonValue], records: Mapping[str, RecordedOutput]) -> Run:
    """The run that took what is recorded and nothing else; a walk goes on past that."""
    run = start(workflow, inputs)
    while (name := next((one.node for one in run.ready if one.node in records), None)) is not None:
        run = run.take(name, Outcome.read(records[name]))
    return run


def _differences(
    found: Walk, path: tuple[str, ...], ended: Mapping[str, Any] | None, execution: Execution
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
            yield f"{what}: {recorded} was recorded, {now} is found now"


def what_if(host: Host, execution_id: str, changes: Mapping[str, JsonValue]) -> Walk:
    """What would have been with other values: walked over the record, with some of it changed.

    Args:
        changes: by reference, `$.inputs.quantity_kg` or `$.outputs.filing.has_filing`.

    Raises:
        UnknownExecution: there is none such.
    """
    with host.workspace.database.transaction() as connection:
        execution = execution_of(connection, execution_id)
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


def explain(host: Host, execution_id: str) -> dict[str, Any]:
    """What an execution came to and why, in the document's language, with the words that it rests on.

    Raises:
        UnknownExecution: there is none such.
    """
    with host.workspace.database.transaction() as connection:
        execution = execution_of(connection, execution_id)
        told = [*audit.events(connection, execution_id)]
        open_ = tasks(connection, execution=execution_id)
    run = run_of(host, execution)
    language = run.workflow.metadata.language or "en"
    words = WORDS.get(language, WORDS["en"])
    result = run.result
    status = result.status if execution.status in ("completed", "failed") else execution.status
    return {
        "execution": execution.id,
        "workflow": f"{execution.workflow_id}@v{execution.number}",
        "status": execution.status,
        "answer": words[status],
        "text": answer_text(host, run, words[status]),
        "reason_code": result.reason_code if execution.ended else None,
        "outputs": dict(result.outputs),
        "because": list(dict.fromkeys(one.quote for one in result.evidence)) if execution.ended else [],
        "steps": [_step(run, one.node) for one in run.steps],
        "people": [
            {"node": e.body["node"], "by": e.principal, "why": words["person"]} for e in told if e.kind == "answered"
        ],
        "waits": [{"task": one.id, "for": list(one.roles), "title": one.title} for one in open_],
        "not_retried": [{"node": e.body["node"], "why": e.body["why"]} for e in told if e.kind == "not-retried"],
        "again": [{"node": name, "at": at} for name, at in execution.progress.again_at.items()],
        "parked": [{"node": e.body["node"], "why": e.body["why"]} for e in told if e.kind == "call-parked"],
    }


def _step(run: Run, node: str) -> dict[str, Any]:
    step = next(one for one in run.steps if one.node == node)
    outcome = step.outcome
    return {
        "node": node,
        "label": run.workflow.nodes[node].label or node,
        "state": step.state,
        "gave": outcome.output if outcome is not None and not outcome.failed else None,
        "error": outcome.error if outcome is not None else None,
        "message": outcome.message if outcome is not None else None,
        "words": list(dict.fromkeys(one.quote for one in step.evidence)),
    }
