"""Finds the nodes that kept cases name in a workflow that was compiled anew."""

from collections.abc import Callable, Iterable, Mapping

from ir.kept_case import NodeAnchor
from ir.workflow import Node, Workflow


def anchor_of(node: Node) -> NodeAnchor:
    """What a node is found again by."""
    quotes = tuple("".join(one.quote.split()) for one in node.evidence)
    return NodeAnchor(type=node.type, label=node.label, quotes=quotes, status=node.status, reason_code=node.reason_code)


def found_again(anchors: Mapping[str, NodeAnchor], workflow: Workflow) -> dict[str, str]:
    """By the kept id of a node its id in the workflow; those that are gone, or cannot be told apart, are left out.

    The words that a node rests on come first, then its label, and only then its id: an id may have become another's.

    >>> from ir.workflow import ExecutionPolicy
    >>> nodes = {"s2": Node(type="human.task", label="check"), "s3": Node(type="human.task", label="pay")}
    >>> policy = ExecutionPolicy(risk_level="low")
    >>> now = Workflow(workflow_id="w", version="v1", inputs={}, nodes=nodes, edges=(), execution_policy=policy)
    >>> found_again({"s1": NodeAnchor(type="human.task", label="check")}, now)
    {'s1': 's2'}
    """
    now = {name: anchor_of(node) for name, node in workflow.nodes.items()}
    found: dict[str, str] = {}
    for fits in _WAYS:
        for name, anchor in anchors.items():
            if name in found:
                continue
            left = [other for other in now if other not in found.values() and fits(anchor, now[other])]
            same = [other for other in left if other == name]
            chosen = left if len(left) == 1 else same
            if chosen:
                found[name] = chosen[0]
    for name, anchor in anchors.items():
        bare = not anchor.quotes and anchor.label is None
        if bare and name not in found and name in now and now[name].type == anchor.type:
            found[name] = name
    return found


def _whole(one: NodeAnchor, other: NodeAnchor) -> bool:
    return one == other and bool(one.quotes or one.label)


def _quoted(one: NodeAnchor, other: NodeAnchor) -> bool:
    return one.type == other.type and one.status == other.status and bool(set(one.quotes) & set(other.quotes))


def _named(one: NodeAnchor, other: NodeAnchor) -> bool:
    alike = (one.type, one.label, one.status, one.reason_code) == (
        other.type,
        other.label,
        other.status,
        other.reason_code,
    )
    return alike and one.label is not None


_WAYS: tuple[Callable[[NodeAnchor, NodeAnchor], bool], ...] = (_whole, _quoted, _named)


def anchors_of(workflow: Workflow, names: Iterable[str]) -> dict[str, NodeAnchor]:
    """The anchors of some nodes, in the order of the workflow."""
    wanted = set(names)
    return {name: anchor_of(node) for name, node in workflow.nodes.items() if name in wanted}
