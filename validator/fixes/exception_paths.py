"""The exception path of a node that may find nothing: a person is asked for the facts, and the run is returned.

`N --is_null, priority 1--> ask (human.input) --> end (control.end, returned)`; the graph stays acyclic, and
resubmitting with the facts is a new run. Used by the fix of `null-unguarded`, and by whatever else puts in such a path.
"""

from pydantic import JsonValue

from ir.fields import FieldSpec
from ir.predicate import ALWAYS, Junction, Null, Otherwise, Ref, Tree, condition_json, conjoin, leaves
from ir.workflow import CONTROL_END, HUMAN_INPUT, Edge, Workflow
from validator.analysis.locations import pointer
from validator.analysis.types import Scope

PRIMER = "primer:exception-paths"
ORIGIN = f"{PRIMER}@1.0.0"
REASON = "FACTS_NOT_FOUND"
Operation = dict[str, JsonValue]
_QUESTIONS = {
    "zh": "“{node}”未得到所需信息，请补充：{fields}。",
    "en": '"{node}" did not give what is needed; please supply: {fields}.',
}


def exception_patch(scope: Scope, field: Ref) -> tuple[Operation, ...]:
    """A JSON Patch that leads a null field of a node's output to a person.

    A guard that the node has already is widened, an edge on just this null that comes too late is put first; else the
    path is new, the node's unconditional edges become `otherwise` (where nothing else is conditional), and its
    conditional edges come after the guard.

    Args:
        field: `$.outputs.NODE.FIELD` of a node that exists.
    """
    workflow, node = scope.workflow, field.path[0]
    requested = requested_fields(scope, field)
    guard = _guard(workflow, node)
    leaving = [(i, edge) for i, edge in enumerate(workflow.edges) if edge.source == node and edge.on == "success"]
    inclusive = workflow.nodes[node].split == "inclusive"
    opened = [_exists_first(i, edge, field) for i, edge in leaving if inclusive and i != guard and _open(edge)]
    if guard is not None:
        return (*_widened(workflow, guard, field, requested), *opened)
    used = [edge.priority for _, edge in leaving if edge.priority is not None]
    first = min(1, min(used, default=2) - 1)
    if not inclusive and (late := next((i for i, edge in leaving if edge.condition == Null(field)), None)) is not None:
        return ({"op": "add", "path": pointer("edges", late, "priority"), "value": first},)
    asked = field.path[-1]
    ask, end = _free(workflow, f"ask_{asked}"), _free(workflow, f"returned_for_{asked}")
    to_ask: Operation = {"from": node, "to": ask, "condition": {"is_null": field.text}, "origin": ORIGIN}
    if not inclusive:
        to_ask["priority"] = first
    return (
        {"op": "add", "path": pointer("nodes", ask), "value": _ask(workflow, node, requested)},
        {"op": "add", "path": pointer("nodes", end), "value": _end(ask)},
        *opened,
        *(_otherwise(index) for index, edge in leaving if not inclusive and _alone(edge, leaving)),
        {"op": "add", "path": "/edges/-", "value": to_ask},
        {"op": "add", "path": "/edges/-", "value": {"from": ask, "to": end, "origin": ORIGIN}},
    )


def requested_fields(scope: Scope, field: Ref) -> dict[str, FieldSpec]:
    """What a person is asked for in place of a field: the field itself, or the required parts of an object."""
    spec = scope.spec(field) or FieldSpec(type="string")
    parts = {name: part for name, part in (spec.properties or {}).items() if part.required}
    return {
        name: part.model_copy(update={"nullable": False, "required": True, "default": None})
        for name, part in (parts or {field.path[-1]: spec}).items()
    }


def _guard(workflow: Workflow, node: str) -> int | None:
    """The edge that already leads null fields of the node to a person."""
    for index, edge in enumerate(workflow.edges):
        target = workflow.nodes.get(edge.target)
        if edge.source != node or target is None or target.type != HUMAN_INPUT:
            continue
        tests = list(leaves(edge.condition))
        ours = edge.origin.startswith(f"{PRIMER}@")
        if ours and tests and all(isinstance(test, Null) and not test.negated for test in tests):
            return index
    return None


def _widened(workflow: Workflow, guard: int, field: Ref, requested: dict[str, FieldSpec]) -> tuple[Operation, ...]:
    edge = workflow.edges[guard]
    tests: list[Tree] = [*leaves(edge.condition), Null(field)]
    fields = workflow.nodes[edge.target].requested_fields or {}
    condition = condition_json(Junction("or", tuple(dict.fromkeys(tests))))
    added: list[Operation] = [
        {"op": "add", "path": pointer("nodes", edge.target, "requested_fields", name), "value": spec.to_json()}
        for name, spec in requested.items()
        if name not in fields
    ]
    return ({"op": "replace", "path": pointer("edges", guard, "condition"), "value": condition}, *added)


def _open(edge: Edge) -> bool:
    return not isinstance(edge.condition, Otherwise)


def _alone(edge: Edge, leaving: list[tuple[int, Edge]]) -> bool:
    """Whether an edge is unconditional and no edge beside it is conditional."""
    return edge.condition == ALWAYS and all(other.condition == ALWAYS for _, other in leaving)


def _exists_first(index: int, edge: Edge, field: Ref) -> Operation:
    tree = edge.condition if isinstance(edge.condition, Tree) else None
    condition = conjoin(Null(field, negated=True), tree)
    return {"op": "add", "path": pointer("edges", index, "condition"), "value": condition_json(condition or ALWAYS)}


def _otherwise(index: int) -> Operation:
    return {"op": "add", "path": pointer("edges", index, "condition"), "value": "otherwise"}


def _ask(workflow: Workflow, node: str, requested: dict[str, FieldSpec]) -> Operation:
    language = workflow.metadata.language or "en"
    said = _QUESTIONS.get(language, _QUESTIONS["en"])
    names = [spec.description or name for name, spec in requested.items()]
    question = said.format(node=workflow.nodes[node].label or node, fields=", ".join(names))
    fields: dict[str, JsonValue] = {name: spec.to_json() for name, spec in requested.items()}
    return {"type": HUMAN_INPUT, "question": question, "requested_fields": fields, "origin": ORIGIN}


def _end(ask: str) -> Operation:
    details: Operation = {"details": f"$.outputs.{ask}"}
    return {"type": CONTROL_END, "inputs": details, "status": "returned", "reason_code": REASON, "origin": ORIGIN}


def _free(workflow: Workflow, name: str) -> str:
    number = 1
    while name + ("" if number == 1 else f"_{number}") in workflow.nodes:
        number += 1
    return name + ("" if number == 1 else f"_{number}")
