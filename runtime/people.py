"""Tasks of people: the form that a node asks for, and what an answer means for the node."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from ir.fields import Fields, FieldSpec
from ir.walk import Ready, Run
from ir.workflow import HUMAN_APPROVAL, HUMAN_INPUT, InputSpec, Node, Workflow
from runtime.calendars import OfficeCalendar
from runtime.executions import digest_of
from runtime.forms import StepBefore, Task, TaskKind
from store.clock import now
from store.users import OPERATOR

COMMENT = FieldSpec(type="string", required=False, description="why, or what else there is to say")


def task_for(
    run: Run, ready: Ready, execution: str, outputs: Fields | None, calendar: OfficeCalendar | None = None,
    before: Sequence[StepBefore] = (),
) -> Task:  # fmt: skip
    """The task of a node of a person, or of one that is bound to a person here.

    Args:
        outputs: of the Type of a node that a person carries out in place of a system; None for a node of a person.
        calendar: by which its deadline is counted; None for Monday to Friday.
        before: what came before it in the run (`runtime.views.before`).
    """
    node = run.workflow.nodes[ready.node]
    kind: TaskKind = "approval" if node.type == HUMAN_APPROVAL else "input" if node.type == HUMAN_INPUT else "task"
    roles = tuple(node.approvers or ()) or tuple(one for one in (node.assignee, node.actor) if one)[:1]
    fields = fields_of(node) if outputs is None else by_hand(outputs)
    title = node.question or node.instruction or node.label or ready.node
    opened = now()
    shown: dict[str, JsonValue] = {
        "workflow": f"{run.workflow.workflow_id}@{run.workflow.version}",
        "inputs": {name: value for name, value in run.inputs.items() if value is not None},
        "given": dict(ready.inputs),
        "words": [one.quote for one in node.evidence],
    }
    if before:
        shown["before"] = [one.model_dump(mode="json") for one in before]
    due_at = None
    if node.deadline is not None:
        due_at, shown["due"] = (calendar or OfficeCalendar()).due(opened, node.deadline, run.workflow.calendars)
    return _task(execution, ready.node, kind, roles, title, fields, shown, opened, due_at)


def start_task(execution: str, workflow: Workflow, missing: Mapping[str, InputSpec], principal: str) -> Task:
    """Asks for the inputs that are missing before the first node."""
    fields = {name: FieldSpec(**spec.model_dump(include=set(FieldSpec.model_fields))) for name, spec in missing.items()}
    title = {"zh": "请补充开始所需的信息"}.get(workflow.metadata.language or "", "Give what is needed to begin")
    shown: dict[str, JsonValue] = {"workflow": f"{workflow.workflow_id}@{workflow.version}", "asked by": principal}
    return _task(execution, "", "start", (OPERATOR,), title, fields, shown, now(), None)


def admission_task(
    execution: str, workflow: Workflow, inputs: Mapping[str, JsonValue], roles: Sequence[str], principal: str
) -> Task:
    """Asks whether a run may begin that an agent asked for, and that may not begin without a person."""
    fields = {"approved": FieldSpec(type="boolean", required=True), "comment": COMMENT}
    told = {"zh": "智能体请求启动本流程，是否准许？"}.get(
        workflow.metadata.language or "", "An agent asks for this to begin; may it?"
    )
    shown: dict[str, JsonValue] = {
        "workflow": f"{workflow.workflow_id}@{workflow.version}",
        "asked by": principal,
        "inputs": {name: value for name, value in inputs.items() if value is not None},
    }
    title = f"{workflow.metadata.title or workflow.workflow_id}: {told}"
    return _task(execution, "", "approval", tuple(roles), title, fields, shown, now(), None)


def settle_task(execution: str, ready: Ready, outputs: Fields, key: str, attempt: int, why: str) -> Task:
    """Asks what became of a call of which nobody here knows whether it was made.

    Args:
        why: nobody knows.
    """
    fields = {
        "what": FieldSpec(type="string", enum=("done", "not_done", "give_up"), required=True),
        "outputs": FieldSpec(type="object", required=False, properties=dict(outputs), description="where it was done"),
    }
    shown: dict[str, JsonValue] = {"type": ready.type, "inputs": dict(ready.inputs), "key": key, "attempt": attempt}
    title = f"Was {ready.type} of {ready.node} carried out? {why}"
    return _task(execution, f"{ready.node}#{attempt}", "settle", (OPERATOR,), title, fields, shown, now(), None)


def _task(
    execution: str, node: str, kind: TaskKind, roles: tuple[str, ...], title: str, fields: Fields,
    shown: dict[str, JsonValue], opened: str, due_at: str | None,
) -> Task:  # fmt: skip
    return Task(
        id=f"t-{secrets.token_hex(6)}", execution=execution, node=node, kind=kind, roles=roles, title=title,
        fields=fields, shown=shown, digest=digest_of(title, fields, shown), status="open", due_at=due_at,
        opened_at=opened,
    )  # fmt: skip


def fields_of(node: Node) -> Fields:
    """What a person is asked for at a node."""
    if node.type == HUMAN_INPUT:
        return dict(node.requested_fields or {})
    if node.type == HUMAN_APPROVAL:
        return {"approved": FieldSpec(type="boolean", required=True), "comment": COMMENT}
    outcomes: tuple[Any, ...] = node.outcomes or ("done",)
    return {"outcome": FieldSpec(type="string", enum=outcomes, required=True), "comment": COMMENT}


def by_hand(outputs: Fields) -> Fields:
    """What a person gives in place of a system: all that its Type gives but the evidence, which is the person's act."""
    return {
        name: spec.model_copy(update={"required": spec.required is True and not spec.nullable})
        for name, spec in outputs.items()
        if name != "evidence"
    }


def output_of(task: Task, answer: Mapping[str, JsonValue], by: str) -> dict[str, JsonValue]:
    """What a node gives for an answer that fits."""
    if task.kind == "approval":
        return {"approved": answer["approved"], "approver": by, "comment": answer.get("comment"), "at": now()}
    return {name: answer.get(name) for name in task.fields}
