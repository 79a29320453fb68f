"""Whether a run comes to two nodes, shown by a walk."""

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import JsonValue

from compiler.analysis import Analysis
from compiler.enumerate import Assignment, space_of
from ir.predicate import Ref, Tree
from ir.walk import walk
from ir.workflow import Workflow

LIMIT = 2_000


@dataclass(frozen=True)
class Meeting:
    """A run that comes to two nodes.

    Args:
        certain: False where there were too many values to try, and no run was found.
        values: with which it does.
    """

    certain: bool
    values: dict[str, JsonValue]


def meeting(analysis: Analysis, first: str, second: str) -> Meeting | None:
    """A run in which two nodes both run, if values of what the conditions before them read can be found.

    None where none of the values that can be told apart leads to both.
    """
    graph = analysis.graph
    before = graph.ancestors[first] | graph.ancestors[second]
    trees = [
        link.edge.condition for name in before for link in graph.out[name] if isinstance(link.edge.condition, Tree)
    ]
    space = space_of(trees, analysis.scope.spec, may_be_null=lambda ref: bool(analysis.scope.null_sources(ref)))
    if graph.back or space.size > LIMIT:
        return Meeting(certain=False, values={})
    plain = analysis.workflow.model_copy(
        update={"edges": tuple(link.edge for link in graph.links), "guards": (), "outputs": {}}
    )
    for values in space:
        if {first, second} <= set(_path(plain, values, space.domains)):
            return Meeting(certain=True, values=values.witness())
    return None if space.exact else Meeting(certain=False, values={})


def _path(workflow: Workflow, values: Assignment, refs: Iterable[Ref]) -> tuple[str, ...]:
    """The nodes that run with these values, in their order."""
    roots: dict[str, dict[str, JsonValue]] = {"inputs": {}, "outputs": {}}
    for ref in refs:
        place = roots.get(ref.root, {})
        for name in ref.path[:-1]:
            inner = place.setdefault(name, {})
            place = inner if isinstance(inner, dict) else {}
        place.setdefault(ref.path[-1], values(ref))
    outputs = {name: given for name, given in roots["outputs"].items() if isinstance(given, dict)}
    return walk(workflow, roots["inputs"], outputs).path
