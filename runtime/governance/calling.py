"""What is looked at before each call, whatever the definition says: for whom it is made, and with what."""

from collections.abc import Collection

from catalog.node_type import NodeType
from ir.walk import Outcome, Ready
from ir.workflow import Node
from runtime.values import faults


def call_refused(
    ready: Ready, node: Node, node_type: NodeType | None, principal: str, allowed: Collection[str]
) -> Outcome | None:
    """Why a call may not be made here; None where it may.

    Args:
        principal: who began the run.
        allowed: for whom the installation lets the Type be called; `*` for everybody.
    """
    listed = node.policy.requires_allowlist or (node_type is not None and node_type.governance.requires_allowlist)
    if listed and "*" not in allowed and principal not in allowed:
        why = f"{principal} is not among those for whom {ready.type} is called (`allow` in flowc.toml)"
        return Outcome(error="NOT_ALLOWED", message=why)
    missing = [*faults(ready.inputs, node_type.inputs_schema, of_type=True)] if node_type is not None else []
    return Outcome(error="BAD_INPUT", message="; ".join(missing)) if missing else None
