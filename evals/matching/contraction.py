"""A workflow without the nodes that no document asked for: approvals granted, exception paths not taken.

Governance puts nodes into a draft that gold, written from the document, may lack, and the other way round. They are
taken out of both before the two are compared, and counted by themselves (`metrics/governance.py`).
"""

from collections.abc import Iterable

from ir.predicate import Always, Junction, Otherwise, Ref, Tree, evaluate, substitute
from ir.walk import topological_order
from ir.workflow import CONTROL_COMPUTE, CONTROL_END, CONTROL_START, HUMAN_APPROVAL, Edge, InputSpec, Node, Workflow


def unasked(node: Node) -> bool:
    """Whether governance or a repair put the node in, or it only computes what others read; ends only close."""
    added = node.origin.startswith("primer:") or node.origin == "repair" or _computes(node)
    return added and node.type not in (CONTROL_END, CONTROL_START)


def contract(workflow: Workflow) -> Workflow:
    """The workflow without its unasked nodes.

    An unasked approval is taken as granted: what leads to it leads on to where the granted one leads. Of a node that
    computes and carries out no step, what leads to it leads on in each of its ways, in their cases, and what it
    computes counts as given at the start. Every other unasked node stands on an exception path, which is not taken: it
    goes, with the edges that lead to it and with all that was reached through it alone. References to what is gone
    stay, and have no value.

    Raises:
        ValueError: the graph has a cycle.
    """
    workflow = _with_computed_given(workflow)
    nodes, edges = dict(workflow.nodes), list(workflow.edges)
    entries = {name for name in nodes if not any(edge.target == name for edge in edges)}
    for name in topological_order(workflow):
        if not unasked(nodes[name]):
            continue
        onward = _granted(nodes[name], name, edges)
        into = [edge for edge in edges if edge.target == name]
        if name in entries:
            entries |= {edge.target for edge in onward}
        rest = [edge for edge in edges if name not in (edge.source, edge.target)]
        edges = [*rest, *(_through(one, other, nodes[name]) for one in into for other in onward)]
        del nodes[name]
    kept = _reached(entries & set(nodes), edges)
    edges = [edge for edge in edges if edge.source in kept and edge.target in kept]
    in_order = {name: node for name, node in nodes.items() if name in kept}
    return workflow.model_copy(update={"nodes": in_order, "edges": tuple(edges)})


def _granted(node: Node, name: str, edges: Iterable[Edge]) -> list[Edge]:
    """The edges that an unasked approval leaves by when it is granted; none of other nodes."""
    if node.type != HUMAN_APPROVAL:
        return [edge for edge in edges if edge.source == name and edge.on == "success"] if _computes(node) else []
    own = [edge for edge in edges if edge.source == name and edge.on == "success"]
    approved = Ref(f"$.outputs.{name}.approved")
    taken = [
        edge
        for edge in own
        if isinstance(edge.condition, Always)
        or (
            not isinstance(edge.condition, Otherwise)
            and evaluate(edge.condition, lambda ref: True if ref == approved else None)
        )
    ]
    return taken or [edge for edge in own if isinstance(edge.condition, Otherwise)]


def _with_computed_given(workflow: Workflow) -> Workflow:
    """The workflow in which conditions read as inputs what nodes compute that carry out no step."""
    given: dict[Ref, Ref] = {}
    inputs = dict(workflow.inputs)
    for name, node in workflow.nodes.items():
        pack = workflow.rule_packs.get(node.rule_pack or "")
        for key, spec in pack.outputs.items() if pack is not None and _computes(node) else ():
            taken = key if key not in inputs else f"{name}_{key}"
            fields = spec.model_dump(exclude_none=True)
            inputs[taken] = InputSpec(**fields, evidence=node.evidence)
            given[Ref(f"$.outputs.{name}.{key}")] = Ref(f"$.inputs.{taken}")
    if not given:
        return workflow
    edges = tuple(
        edge.model_copy(update={"condition": substitute(edge.condition, lambda ref: given.get(ref, ref))})
        if not isinstance(edge.condition, Always | Otherwise) else edge
        for edge in workflow.edges
    )  # fmt: skip
    return workflow.model_copy(update={"inputs": inputs, "edges": edges})


def _computes(node: Node) -> bool:
    return node.type == CONTROL_COMPUTE and not node.step_ids


def _through(into: Edge, onward: Edge, passed: Node) -> Edge:
    condition = into.condition
    if _computes(passed):
        before, after = into.condition, onward.condition
        if isinstance(before, Always):
            condition = after
        elif isinstance(before, Tree) and isinstance(after, Tree):
            condition = Junction("and", (before, after))
    return into.model_copy(update={"target": onward.target, "condition": condition})


def _reached(entries: Iterable[str], edges: Iterable[Edge]) -> set[str]:
    edges, reached = list(edges), set(entries)
    grown = True
    while grown:
        more = {edge.target for edge in edges if edge.source in reached} - reached
        reached |= more
        grown = bool(more)
    return reached
