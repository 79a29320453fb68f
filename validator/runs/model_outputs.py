"""Which outputs rest on a model whose judgement nobody and nothing has explained since."""

from ir.predicate import Ref
from ir.workflow import CONTROL_CALL
from validator.runs.workflow_analysis import Analysis

EXPLAINS = frozenset({"reason_code", "evidence"})
"""Outputs with which a decision says why."""


def model_behind(analysis: Analysis, ref: Ref) -> tuple[str, tuple[str, ...]] | None:
    """The Type that is not deterministic on which an output rests, with the nodes on the way there; None without any.

    The first node is the one that is read; of a called workflow the node that gives the output is followed.
    """
    return _behind(analysis, ref, set())


def _behind(analysis: Analysis, ref: Ref, seen: set[str]) -> tuple[str, tuple[str, ...]] | None:
    """The same; nodes that were looked at, by whatever way, are not looked at again."""
    name = ref.node
    node = analysis.workflow.nodes.get(name or "")
    if name is None or node is None or f"{analysis.workflow.workflow_id}.{ref.text}" in seen:
        return None
    seen.add(f"{analysis.workflow.workflow_id}.{ref.text}")
    if node.type == CONTROL_CALL:
        return _through_call(analysis, ref, name, seen)
    node_type = analysis.scope.type_of(name)
    if node_type is None or node_type.human:
        return None
    if not node_type.capabilities.deterministic:
        return node.type, (name,)
    if node_type.category == "decision" and set(node_type.outputs_schema) >= EXPLAINS:
        return None
    for read in node.references.values():
        found = _behind(analysis, read, seen)
        if found is not None:
            return found[0], (name, *found[1])
    return None


def _through_call(analysis: Analysis, ref: Ref, name: str, seen: set[str]) -> tuple[str, tuple[str, ...]] | None:
    inner = analysis.call_graph.find(analysis.workflow.nodes[name].call)
    if inner is None or len(ref.path) < 2:
        return None
    ends = ((node.results or {}).get(ref.path[1]) for node in inner.nodes.values())
    for given in (inner.outputs.get(ref.path[1]), *ends):
        if isinstance(given, Ref) and (found := _behind(analysis.analysis_of_called(inner), given, seen)):
            return found[0], (name, *(f"{inner.workflow_id}.{one}" for one in found[1]))
    return None
