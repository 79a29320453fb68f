"""A workflow with a patch applied, of which only what the patch touches is read anew."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from ir.workflow import Edge, Node, Workflow
from validator.fixes.json_patch import apply_in_place


def patched(workflow: Workflow, patch: Sequence[Mapping[str, JsonValue]]) -> Workflow:
    """The workflow with a JSON Patch applied.

    Raises:
        PatchError: an operation does not apply.
        ValidationError: what comes of it is no workflow.
    """
    places = _touched(patch)
    if places is None:
        return Workflow.model_validate(apply_in_place(workflow.to_json(), patch))
    nodes = {name: workflow.nodes[name].to_json() for name in places.nodes if name in workflow.nodes}
    edges = [edge.to_json() if place in places.edges else None for place, edge in enumerate(workflow.edges)]
    apply_in_place({"nodes": nodes, "edges": edges}, patch)  # type: ignore[dict-item]
    kept = [
        workflow.edges[place] if edge is None and place < len(workflow.edges) else Edge.model_validate(edge)
        for place, edge in enumerate(edges)
    ]
    read = {name: Node.model_validate(node) for name, node in nodes.items()}
    return workflow.model_copy(update={"nodes": {**workflow.nodes, **read}, "edges": tuple(kept)})


@dataclass(frozen=True)
class _Places:
    """The nodes, and of the edges that are there the places, that a patch writes into."""

    nodes: frozenset[str]
    edges: frozenset[int]


def _touched(patch: Iterable[Mapping[str, JsonValue]]) -> _Places | None:
    """What a patch writes into; None where it does more than to write into nodes and edges and to add some."""
    nodes, edges = set[str](), set[int]()
    for operation in patch:
        of, part, *inside = (*str(operation.get("path")).split("/")[1:], "", "")[:3]
        if operation.get("op") not in ("add", "replace") or "~" in part:
            return None
        if of == "nodes" and part:
            nodes.add(part)
        elif of == "edges" and part.isdecimal() and inside != [""]:
            edges.add(int(part))
        elif (of, part, inside) != ("edges", "-", [""]):
            return None
    return _Places(frozenset(nodes), frozenset(edges))
