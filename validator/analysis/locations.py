"""Places in a workflow, for diagnostics: a name that people read and a JSON pointer that programs follow."""

from collections.abc import Iterable

from ir.diagnostics import Location
from ir.workflow import Edge, Workflow


def pointer(*parts: str | int) -> str:
    """A JSON pointer (RFC 6901).

    >>> pointer("nodes", "a/b", "inputs")
    '/nodes/a~1b/inputs'
    """
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def edge_name(edge: Edge) -> str:
    """`FROM->TO`."""
    return f"{edge.source}->{edge.target}"


def at_workflow(workflow: Workflow, *parts: str | int) -> Location:
    """Some part of the workflow that is neither node nor edge."""
    field = str(parts[1]) if len(parts) > 1 and parts[0] in ("inputs", "outputs") else None
    return Location(workflow=workflow.workflow_id, field=field, pointer=pointer(*parts) if parts else None)


def at_node(workflow: Workflow, node: str, *parts: str | int) -> Location:
    """A node, or a part of it."""
    field = str(parts[1]) if len(parts) > 1 and parts[0] in ("inputs", "requested_fields") else None
    return Location(workflow=workflow.workflow_id, node=node, field=field, pointer=pointer("nodes", node, *parts))


def at_edge(workflow: Workflow, index: int, *parts: str | int) -> Location:
    """An edge, or a part of it; in the pointer it is known by its index, in words by its ends."""
    edge = workflow.edges[index]
    return Location(workflow=workflow.workflow_id, edge=edge_name(edge), pointer=pointer("edges", index, *parts))


def arrows(nodes: Iterable[str]) -> str:
    """Nodes one after the other.

    >>> arrows(["a", "b"])
    'a→b'
    """
    return "→".join(nodes)
