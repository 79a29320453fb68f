"""Does each node bear the keys of its kind, and only those?"""

from collections.abc import Iterator

from ir.diagnostics import Diagnostic, Fix
from ir.workflow import CONTROL_CALL, CONTROL_END, HUMAN_APPROVAL, HUMAN_INPUT, HUMAN_TASK, Node
from validator.analysis.locations import at_node
from validator.check_input import CheckInput, error

_BELONGS: dict[str, tuple[str, ...]] = {
    "requested_fields": (HUMAN_INPUT,),
    "approvers": (HUMAN_APPROVAL,),
    "question": (HUMAN_INPUT, HUMAN_APPROVAL),
    "assignee": (HUMAN_TASK, HUMAN_INPUT),
    "instruction": (HUMAN_TASK, HUMAN_INPUT),
    "outcomes": (HUMAN_TASK,),
    "status": (CONTROL_END,),
    "reason_code": (CONTROL_END,),
    "results": (CONTROL_END,),
    "call": (CONTROL_CALL,),
}
_NEEDS: dict[str, tuple[str, ...]] = {
    HUMAN_INPUT: ("requested_fields",),
    HUMAN_APPROVAL: ("approvers",),
    HUMAN_TASK: ("instruction", "label"),
    CONTROL_END: ("status",),
    CONTROL_CALL: ("call",),
}
_WHAT = {
    HUMAN_INPUT: "what the person is asked for",
    HUMAN_APPROVAL: "who may approve",
    HUMAN_TASK: "what the person is to do",
    CONTROL_END: "how the run ends there",
    CONTROL_CALL: "which workflow is run",
}


def misplaced_node_field(given: CheckInput) -> Iterator[Diagnostic]:
    """A node bears a key that belongs to another kind of node.

    What: `requested_fields` only on `human.input`, `approvers` on `human.approval`, `outcomes` on `human.task`,
        `status` on `control.end`, `call` on `control.call`.
    Why: a key that means nothing where it stands hides what was meant, mostly a wrong `type`.
    Bad: `{"type": "io.check_filing_status", "approvers": ["safety director"]}`
    Good: a `human.approval` node of its own.
    """
    for name, node in given.workflow.nodes.items():
        for key, types in _BELONGS.items():
            if getattr(node, key) is None or node.type in types:
                continue
            place = at_node(given.workflow, name, key)
            patch = {"op": "remove", "path": place.pointer}
            yield error(
                "misplaced-node-field",
                f'"{key}" belongs to {" or ".join(types)}, and "{name}" is a {node.type}',
                place,
                found=key,
                expected=list(types),
                fixes=(Fix(title=f'remove "{key}"', patch=(patch,)),),
            )


def missing_node_field(given: CheckInput) -> Iterator[Diagnostic]:
    """A human or control node lacks the key that makes it one.

    What: `human.input` needs `requested_fields`, `human.approval` `approvers`, `human.task` an `instruction` or at
        least a `label`, `control.end` a `status`, `control.call` a `call`. Approvers that are all blank or `?` are
        nobody, unless a gap `undefined_role` asks who they are.
    Why: nobody could carry it out.
    Bad: `{"type": "human.input"}`
    Good: `{"type": "human.input", "requested_fields": {"amount": {"type": "number"}}}`
    """
    for name, node in given.workflow.nodes.items():
        needed = _NEEDS.get(node.type, ())
        if needed and not any(_given(node, key) for key in needed) and not _asks_who(given, name):
            yield error(
                "missing-node-field",
                f'"{name}" is a {node.type} without "{needed[0]}": it does not say {_WHAT[node.type]}',
                at_node(given.workflow, name),
                expected=needed[0],
            )


def _given(node: Node, key: str) -> bool:
    value = getattr(node, key)
    if key == "approvers":
        return any(who.strip(" ?？") for who in value or ())
    return bool(value.strip() if isinstance(value, str) else value)


def _asks_who(given: CheckInput, name: str) -> bool:
    """Whether the draft asks who approves, so that nobody is named for now."""
    node = given.workflow.nodes[name]
    meant = {name, *node.step_ids}
    asks = any(gap.kind == "undefined_role" and meant & set(gap.about) for gap in given.workflow.gaps)
    return asks and bool(node.approvers) and given.workflow.status == "draft"


CHECKS = (misplaced_node_field, missing_node_field)
