"""What shuts an edge off, for people: the conditions before it that contradict it by themselves."""

from collections.abc import Iterator

from ir.diagnostics import Related
from validator.analysis.locations import at_edge, at_workflow, edge_name
from validator.analysis.wording import condition_words
from validator.check_input import CheckInput


def contradicting_conditions(given: CheckInput, index: int) -> Iterator[Related]:
    """The guards and the earlier edges that cannot hold in one run with an edge; none where several do so together."""
    found = given.analysis.proofs.excluding(index)
    for at, guard in enumerate(given.workflow.guards):
        if guard.condition in found.guards:
            message = f"contradicts the guard {condition_words(guard.condition)}"
            yield Related(message=message, location=at_workflow(given.workflow, "guards", at))
    for other in found.edges:
        edge = given.workflow.edges[other]
        message = f"contradicts {condition_words(edge.condition)} ({edge_name(edge)})"
        yield Related(message=message, location=at_edge(given.workflow, other))
