"""The nodes at which a run ends, one for each status."""

from ir.procedure import EndStatus
from ir.source import Evidence, Language
from ir.workflow import CONTROL_END, Node

_LABELS: dict[EndStatus, tuple[str, str]] = {
    "completed": ("办结", "Completed"), "rejected": ("驳回", "Rejected"), "returned": ("退回", "Returned"),
    "failed": ("失败", "Failed"), "cancelled": ("取消", "Cancelled"),
}  # fmt: skip


def end_name(status: EndStatus) -> str:
    """The id of the node."""
    return f"end_{status}"


def end_node(
    status: EndStatus,
    language: Language | None,
    origin: str,
    evidence: tuple[Evidence, ...] = (),
    label: str | None = None,
) -> Node:
    """The node.

    Args:
        label: in place of the status's own.
    """
    said = label or _LABELS[status][language != "zh"]
    return Node(
        type=CONTROL_END, type_version="^1.0.0", status=status, label=said, evidence=evidence, origin=origin
    )  # fmt: skip
