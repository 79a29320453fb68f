"""The effective governance of nodes: the stricter of what the Type says and what the node says."""

from collections.abc import Iterable

from catalog.node_type import NodeType
from ir.workflow import HUMAN_TASK, RISK_ORDER, Node, RiskLevel, Workflow


def highest_risk(risks: Iterable[RiskLevel]) -> RiskLevel:
    """The highest of these risks; `low` of none.

    >>> highest_risk(["low", "high", "medium"])
    'high'
    """
    return max(risks, key=RISK_ORDER.__getitem__, default="low")


def node_risk(node: Node, node_type: NodeType | None) -> RiskLevel:
    """The effective risk of a node."""
    default: RiskLevel = node_type.governance.risk_level_default if node_type else "low"
    return highest_risk((default, node.policy.risk_level or "low"))


def unmapped_tasks(workflow: Workflow) -> frozenset[str]:
    """Each `human.task` that stands for a step that no Type fits: a gap `unmapped_step` names it or its step."""
    named = {name for gap in workflow.gaps if gap.kind == "unmapped_step" for name in gap.about}
    tasks = ((name, node) for name, node in workflow.nodes.items() if node.type == HUMAN_TASK)
    return frozenset(name for name, node in tasks if not named.isdisjoint((name, *node.step_ids)))


def needs_allowlist(node: Node, node_type: NodeType | None) -> bool:
    """Whether a node may run only for callers on an allowlist."""
    return bool((node_type and node_type.governance.requires_allowlist) or node.policy.requires_allowlist)


def has_side_effects(node_type: NodeType | None) -> bool:
    """Whether running a node of the Type changes the world."""
    return bool(node_type and node_type.capabilities.side_effect)


def may_be_retried(node: Node, node_type: NodeType) -> bool:
    """Whether a node may be tried again after a failure."""
    able = node_type.capabilities
    return able.idempotent_default and able.retryable_default and node.policy.idempotent is not False
