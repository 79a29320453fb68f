"""Whether a fault changes nothing: the same normal form, or the same graph with the same choices for all values."""

from collections.abc import Iterable, Iterator

from ir.codec import digest
from ir.predicate import Ref
from ir.walk import choose
from ir.workflow import Edge, Workflow
from validator.analysis.branch_outcomes import conditions, truth_for
from validator.analysis.enumeration import space_of
from validator.analysis.types import whole_output
from validator.runs.workflow_analysis import Analysis

Edges = dict[int, Edge]


def equivalent(before: Analysis, after: Workflow) -> bool:
    """Whether it is proved that two workflows say the same; False also where it could not be found out."""
    if digest(before.workflow) == digest(after):
        return True
    if digest(_bare(before.workflow)) != digest(_bare(after)):
        return False
    return all(_same_choices(before, after, name) for name in after.nodes)


def _bare(workflow: Workflow) -> Workflow:
    """A workflow without what decides between edges."""
    nodes = {name: node.model_copy(update={"split": None}) for name, node in workflow.nodes.items()}
    edges = tuple(
        Edge.model_validate(edge.to_json() | {"condition": "always", "priority": None}) for edge in workflow.edges
    )
    return workflow.model_copy(update={"nodes": nodes, "edges": edges})


def _same_choices(before: Analysis, after: Workflow, name: str) -> bool:
    """Whether a node chooses the same edges, or none, for all values that can come to it."""
    old, new = (_leaving(workflow, name) for workflow in (before.workflow, after))
    if old == new and before.workflow.nodes[name].split == after.nodes[name].split:
        return True
    trees = [*conditions(old).values(), *conditions(new).values()]
    space = space_of(trees, before.scope.spec, nulls=lambda ref: _nulls(before, ref, name))
    if not (space.exact and space.small):
        return False
    splits = [workflow.nodes[name].split or "exclusive" for workflow in (before.workflow, after)]
    return all(
        choose(old, splits[0], truth_for(values)) == choose(new, splits[1], truth_for(values)) for values in space
    )


def _nulls(before: Analysis, ref: Ref, name: str) -> Iterator[Ref]:
    """From where a reference can be null in a run that comes to a node."""
    if ref.node in before.graph.ancestors[name] and name in before.nodes_running_without([str(ref.node)]):
        yield whole_output(ref)
    yield from (source for source in before.scope.null_sources(ref) if name in before.nodes_running_with_null(source))


def _leaving(workflow: Workflow, name: str) -> Edges:
    edges: Iterable[tuple[int, Edge]] = enumerate(workflow.edges)
    return {index: edge for index, edge in edges if edge.source == name and edge.on == "success"}
