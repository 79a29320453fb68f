"""Does each edge and each guard say something: can it be taken, and can it not be; can it be broken?"""

import math
from collections.abc import Iterator

from ir.diagnostics import Diagnostic, Related
from ir.predicate import Tree, references
from validator.analysis.locations import at_edge, at_workflow, edge_name
from validator.analysis.wording import condition_words
from validator.check_input import CheckInput, error, warning
from validator.contradicted_edges import contradicting_conditions
from validator.fixes.removal import removals
from validator.proofs.branches import Branches
from validator.split_nodes import Edges, splits, success_edges


def dead_branch(given: CheckInput) -> Iterator[Diagnostic]:
    """A condition can never be true.

    What: no value of the fields that it reads makes the condition of an edge true. A condition that reads none is told
        of as a constant comparison.
    Why: what the edge leads to is never done there; mostly a border or a joining word is wrong.
    Bad: `amount > 50000 and amount < 10000`
    Good: `amount > 50000 or amount < 10000`, if that is meant.
    """
    for index, proved in _edges(given):
        if index in proved.contradictory and any(references(given.workflow.edges[index].condition)):
            yield warning(
                "dead-branch",
                f"{_condition(given, index)} can never be true, whatever the values; the edge is never taken",
                at_edge(given.workflow, index, "condition"),
            )


def shadowed_branch(given: CheckInput) -> Iterator[Diagnostic]:
    """A condition that can be true never decides, since another of smaller priority always is then.

    What: wherever the condition of an edge holds, one of a smaller priority number holds as well.
    Why: the edge is never taken; the priorities or the conditions are the wrong way round.
    Bad: priority 1 on `amount > 1000`, priority 2 on `amount > 5000`.
    Good: priority 1 on `amount > 5000`, priority 2 on `amount > 1000`.
    """
    for index, proved in _edges(given):
        if index in proved.shadowed:
            edge = given.workflow.edges[index]
            above = [i for i, other in _before(given, index).items() if isinstance(other.condition, Tree)]
            yield warning(
                "shadowed-branch",
                f"{_condition(given, index)} is never reached: an edge of smaller priority always holds then; "
                f"{edge_name(edge)} is never taken",
                at_edge(given.workflow, index, "priority"),
                related=tuple(
                    Related(message=_condition(given, i), location=at_edge(given.workflow, i)) for i in above
                ),
            )


def certain_condition(given: CheckInput) -> Iterator[Diagnostic]:
    """A condition can never be false.

    What: the condition of an edge holds for all values (a null apart, which has its own checks).
    Why: it decides nothing; either words were lost or the edge is meant to be taken always.
    Bad: `amount > 1000 or amount <= 5000`
    Good: no condition, or the one that is meant.
    """
    for index, proved in _edges(given):
        if index in proved.certain:
            yield warning(
                "certain-condition",
                f"{_condition(given, index)} can never be false, so it decides nothing",
                at_edge(given.workflow, index, "condition"),
            )


def idle_otherwise(given: CheckInput) -> Iterator[Diagnostic]:
    """An `otherwise` can never be taken.

    What: for all values some condition beside the `otherwise` holds. Where one compares what cannot be compared,
        nothing is said.
    Why: a reader takes it for a case that may come; what is behind it is never done.
    Bad: `approved == true`, `approved == false` and `otherwise`.
    Good: the two conditions alone; or one of them and `otherwise`.
    """
    for index, proved in _edges(given):
        if index in proved.idle and not proved.meaningless:
            edge = given.workflow.edges[index]
            yield warning(
                "idle-otherwise",
                f"{edge_name(edge)} (otherwise) is never taken: the conditions beside it leave no case",
                at_edge(given.workflow, index, "condition"),
                fixes=removals(given.workflow, index),
            )


def idle_guard(given: CheckInput) -> Iterator[Diagnostic]:
    """A guard lets every run start.

    What: no values break a guard of the workflow.
    Why: what the guard is to forbid is forbidden to nobody; mostly a border or a joining word is wrong.
    Bad: `not (hazard_level == 1 and hazard_level == 2)`
    Good: `not (hazard_level in [1, 2])`
    """
    for index, guard in enumerate(given.workflow.guards):
        if guard.condition in given.analysis.proofs.unbreakable_guards:
            yield error(
                "idle-guard",
                f"no values break the guard {condition_words(guard.condition)}: it keeps no run from starting",
                at_workflow(given.workflow, "guards", index, "condition"),
            )


def impossible_edge(given: CheckInput) -> Iterator[Diagnostic]:
    """No run can take an edge, since earlier conditions contradict it.

    What: the condition can be true by itself, but not in a run that came this far.
    Why: the step that the edge leads to is never done from here; an earlier condition or this one is wrong.
    Bad: `amount > 5000` leads to `review`, and `review` asks for `amount < 1000`.
    Good: the border that is meant, or no edge.
    """
    for index, proved in _edges(given):
        local = (*proved.contradictory, *proved.shadowed, *proved.idle, *proved.meaningless)
        edge = given.workflow.edges[index]
        if index in local or index not in given.analysis.proofs.never_taken:
            continue
        if not all(map(given.analysis.proofs.can_be_reached, (edge.source, edge.target))):
            continue  # the node that never runs is told of
        yield warning(
            "impossible-edge",
            f"{edge_name(edge)} ({condition_words(edge.condition)}) is never taken: no run that comes to "
            f'"{edge.source}" has such values',
            at_edge(given.workflow, index, "condition"),
            related=tuple(contradicting_conditions(given, index)),
        )


def _edges(given: CheckInput) -> Iterator[tuple[int, Branches]]:
    """The edges of all splits with what is proved of their node's choice."""
    for name, edges in splits(given):
        proved = given.analysis.proofs.branches(name)
        if proved is not None:
            yield from ((index, proved) for index in edges)


def _before(given: CheckInput, index: int) -> Edges:
    """The edges of the same node with a smaller priority number."""
    edge = given.workflow.edges[index]
    rank = math.inf if edge.priority is None else edge.priority
    beside = success_edges(given, edge.source)
    return {i: other for i, other in beside.items() if other.priority is not None and other.priority < rank}


def _condition(given: CheckInput, index: int) -> str:
    edge = given.workflow.edges[index]
    return f"{condition_words(edge.condition)} ({edge_name(edge)})"


CHECKS = (dead_branch, shadowed_branch, certain_condition, idle_otherwise, idle_guard, impossible_edge)
