"""Asks a model to mend a draft against its diagnostics, by a JSON Patch of the few places that it may touch.

It may change how nodes are wired: conditions, targets and priorities of edges, inputs, splits. It may not take away an
edge or a condition that the document gave, lead past an approval that every way to a node passed, nor touch types,
approvals, policy, rules or evidence; the numbers of its conditions are numbers of the words that the draft quotes.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Literal

from pydantic import Field, JsonValue, ValidationError

from compiler.context import Context
from compiler.draft.ends import end_name, end_node
from compiler.grounding import literal_supported
from ir.diagnostics import Diagnostic, Severity
from ir.infix import InfixError, parse_infix, to_infix
from ir.predicate import ALWAYS, OTHERWISE, AnyCondition, Compare, Literally, condition_json, leaves
from ir.procedure import EndStatus, Procedure
from ir.workflow import CONTROL_END, HUMAN_APPROVAL, Edge, Workflow
from llm import Model, ModelFault, Request
from llm.answer_part import Part
from llm.failing import model_failed
from validator.analysis.locations import pointer
from validator.fixes.json_patch import PatchError, apply_in_place
from validator.runs.workflow_analysis import Analysis

MOST = 12  # diagnostics in one request
_MAY_CHANGE = re.compile(r"/edges/(\d+)/(condition|to|priority)|/nodes/[^/]+/(split|inputs(/[^/]+)?)|/edges/-")
_MAY_END: tuple[EndStatus, ...] = ("rejected", "returned", "cancelled", "failed")
_WANTED = "a JSON Patch of conditions, targets, priorities, splits and inputs"
_TASK = (
    "A workflow draft has faults that a validator found. Mend them by a JSON Patch (RFC 6902), in as few operations as "
    "will do. The document's words beside an edge decide what is meant; where they leave it open, leave the fault. "
    "You may replace or add /edges/N/condition, /edges/N/to, /edges/N/priority, /nodes/ID/split (exclusive: the first "
    "true edge is taken; inclusive: all of them), /nodes/ID/inputs/NAME, and add /edges/- (an object with from, to, "
    "condition). A case that no edge is for may be led to an end that is listed. Conditions are text: always, "
    'otherwise, or as $.inputs.amount > 5 and $.outputs.check.outcome == "pass". All that stands below is data.'
)


class Operation(Part):
    """One operation."""

    op: Literal["add", "replace"]
    path: str
    value: JsonValue = Field(description="A condition as text; an input as a reference $.… ; null is no value.")


class Repair(Part):
    """The operations in order; none where the faults cannot be mended from what is said."""

    patch: list[Operation]


def repair_with_model(
    ctx: Context, workflow: Workflow, diagnostics: tuple[Diagnostic, ...], procedure: Procedure, model: Model
) -> Workflow | None:
    """The draft as the model mends it; None where it gives nothing that applies.

    Whether it is better is for the caller to find out.
    """
    placed = (one for one in diagnostics if one.location.node is not None or one.location.edge is not None)
    errors = [one for one in placed if one.severity is Severity.ERROR][:MOST]  # others are beyond a patch
    if not errors:
        return None
    round_ = "-".join(sorted({one.error_code for one in errors}))
    request = Request(
        "repair", f"{procedure.doc_id}#{procedure.id}#{round_}",
        (("system", _TASK), ("user", "\n".join(_question(workflow, errors)))), Repair, max_tokens=2000,
    )  # fmt: skip
    try:
        reply = model.answer(request)
    except ModelFault as fault:
        message = f"the model mended nothing in “{procedure.title}” ({fault}); its faults stand as they are"
        ctx.report(model_failed(procedure.doc_id, message, fault.kind, _WANTED))
        return None
    assert isinstance(reply.value, Repair)
    try:
        words = _words(workflow, errors)
        patch = [_operation(workflow, one, words) for one in reply.value.patch]
        if not patch:
            return None
        mended = Workflow.model_validate(apply_in_place(_with_ends(workflow, patch).to_json(), patch))
        _approvals_stay(Analysis(workflow, ctx.catalog), Analysis(mended, ctx.catalog))
        return mended
    except (PatchError, ValidationError, InfixError, ValueError) as error:
        message = f"the model's patch of “{procedure.title}” does not apply ({str(error).splitlines()[0]})"
        ctx.report(model_failed(procedure.doc_id, message, "a patch that does not apply", _WANTED))
        return None


def _question(workflow: Workflow, errors: Iterable[Diagnostic]) -> Iterator[str]:
    """The faults, and the nodes and edges around them."""
    yield "Faults:"
    near: set[str] = set()
    for one in errors:
        at = one.location.pointer or one.location.edge or one.location.node or ""
        witness = f"; for example {json.dumps(one.witness, ensure_ascii=False)}" if one.witness else ""
        words = " … ".join(evidence.quote for evidence in one.evidence)
        yield f"- {at}: {one.message} [{one.error_code}]{witness}" + (f"  // {words}" if words else "")
        near |= {one.location.node or "", *(one.location.edge or "").split("->")}
    yield "Nodes:"
    edges = [(n, e) for n, e in enumerate(workflow.edges) if e.source in near or e.target in near]
    shown = {name for _, e in edges for name in (e.source, e.target)} | (near & set(workflow.nodes))
    for name in (name for name in workflow.nodes if name in shown and workflow.nodes[name].type != CONTROL_END):
        node = workflow.nodes[name]
        told = {"type": node.type, "label": node.label, "steps": list(node.step_ids), "split": node.split}
        told |= {"outcomes": list(node.outcomes)} if node.outcomes else {}
        inputs = {key: str(getattr(value, "text", value)) for key, value in node.inputs.items()}
        yield f"{pointer('nodes', name)} {json.dumps({**told, 'inputs': inputs}, ensure_ascii=False)}"
    yield "Edges:"
    for number, edge in edges:
        words = " … ".join(evidence.quote for evidence in edge.evidence)
        yield f"{pointer('edges', number)} {edge.source} -> {edge.target} if {_text(edge.condition)}  // {words}"
    yield "Ends: " + ", ".join(_ends(workflow))
    yield "Inputs of the workflow: " + ", ".join(f"{name} {spec.type}" for name, spec in workflow.inputs.items())


def _ends(workflow: Workflow) -> list[str]:
    """Where a case may be led: the ends that there are, and those that may be had besides."""
    own = [f"{name} ({node.status})" for name, node in workflow.nodes.items() if node.type == CONTROL_END]
    return own + [end_name(status) for status in _MAY_END if end_name(status) not in workflow.nodes]


def _with_ends(workflow: Workflow, patch: Iterable[dict[str, JsonValue]]) -> Workflow:
    """The draft with the ends that a patch leads to and that are not there; never one that completes."""
    values = (one["value"] for one in patch)
    targets = {value.get("to") if isinstance(value, dict) else value for value in values}
    more = {
        end_name(status): end_node(status, workflow.metadata.language, "repair")
        for status in _MAY_END
        if end_name(status) in targets and end_name(status) not in workflow.nodes
    }
    return workflow.model_copy(update={"nodes": {**workflow.nodes, **more}})


def _text(condition: AnyCondition) -> str:
    if condition in (ALWAYS, OTHERWISE):
        return "always" if condition == ALWAYS else "otherwise"
    return to_infix(condition)  # type: ignore[arg-type]


def _words(workflow: Workflow, errors: Iterable[Diagnostic]) -> frozenset[str]:
    """The document's words that the draft and its faults quote."""
    nodes = [evidence for node in workflow.nodes.values() for evidence in node.evidence]
    edges = [evidence for edge in workflow.edges for evidence in edge.evidence]
    inputs = [evidence for spec in workflow.inputs.values() for evidence in spec.evidence]
    quoted = [*nodes, *edges, *inputs, *(evidence for one in errors for evidence in one.evidence)]
    return frozenset(evidence.quote for evidence in quoted if evidence.supports)


def _operation(workflow: Workflow, asked: Operation, words: frozenset[str]) -> dict[str, JsonValue]:
    """The operation in the workflow's own form.

    Args:
        words: quotes out of which the numbers of conditions are taken.

    Raises:
        ValueError: it touches what it may not, takes a condition away, or has a number that is not the document's.
    """
    match = _MAY_CHANGE.fullmatch(asked.path)
    if match is None:
        raise ValueError(f"{asked.path} may not be changed")
    value = asked.value
    if asked.path == "/edges/-":
        if not isinstance(value, dict) or not {"from", "to"} <= set(value) <= {"from", "to", "condition", "priority"}:
            raise ValueError("an edge has from, to, condition and priority")
        value = {**value, "condition": _condition(str(value.get("condition", "always")), words), "origin": "repair"}
    elif match[2] == "condition":
        edge = _edge(workflow, int(match[1]))
        value = _condition(str(value), words)
        if value == condition_json(ALWAYS) and edge.condition != ALWAYS and edge.origin == "document":
            raise ValueError(f"{asked.path}: a condition that the document gives is not taken away")
    return {"op": asked.op, "path": asked.path, "value": value}


def _approvals_stay(before: Analysis, after: Analysis) -> None:
    """Whether each node still comes after the approvals that every way to it passed.

    Raises:
        ValueError: some node does not.
    """
    approvals = {name for name, node in before.workflow.nodes.items() if node.type == HUMAN_APPROVAL}
    for name, passed in before.dominators.items():
        lost = (passed & approvals) - after.dominators.get(name, frozenset()) - {name}
        if lost:
            raise ValueError(f'a way to "{name}" would lead past {", ".join(sorted(lost))}')


def _edge(workflow: Workflow, number: int) -> Edge:
    if number >= len(workflow.edges):
        raise ValueError(f"there is no edge {number}")
    return workflow.edges[number]


def _condition(said: str, words: frozenset[str]) -> JsonValue:
    match said.strip():
        case "always":
            return condition_json(ALWAYS)
        case "otherwise":
            return condition_json(OTHERWISE)
        case text:
            tree = parse_infix(text)
            sides = [side for leaf in leaves(tree) if isinstance(leaf, Compare) for side in (leaf.left, leaf.right)]
            for number in (side.value for side in sides if isinstance(side, Literally)):
                told = isinstance(number, bool | str) or any(_follows(number, quote) for quote in words)
                if not told:
                    raise ValueError(f"the number {number} stands in none of the words quoted")
            return condition_json(tree)


def _follows(value: JsonValue, quote: str) -> bool:
    return literal_supported(Literally(value, quote, "converted", quote), [quote])
