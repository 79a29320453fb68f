"""The fix of an edge that says nothing: to remove it."""

from ir.diagnostics import Fix
from ir.workflow import Workflow
from validator.analysis.locations import pointer


def removals(workflow: Workflow, index: int) -> tuple[Fix, ...]:
    """The fix that removes an edge; none where nothing else leads to its target, and runs would start there as well."""
    others = [edge for at, edge in enumerate(workflow.edges) if at != index and edge.source in workflow.nodes]
    entered = {edge.target for edge in others if edge.source != edge.target}
    starts = workflow.nodes.keys() - entered
    if workflow.edges[index].target in starts and len(starts) > 1:
        return ()
    return (Fix(title="remove the edge", patch=({"op": "remove", "path": pointer("edges", index)},)),)
