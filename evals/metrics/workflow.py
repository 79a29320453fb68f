"""Workflow: nodes, edges and order, without the nodes that no document asked for.

A node counts where it has a partner; an edge where both its ends have partners and the draft has an edge between them
(ends of one status are one); order over the transitive closure: of all pairs of nodes of which one must be done before
the other, those that the draft orders so too.
"""

from collections.abc import Iterable, Mapping

from evals.matching.contraction import contract
from evals.matching.nodes import steps_of
from evals.matching.view import Pair, View
from evals.tally import Tally, pooled
from ir.workflow import CONTROL_END, CONTROL_START, Workflow

Arcs = set[tuple[str, str]]


def workflow(view: View) -> Mapping[str, Tally]:
    """Tallies of a case: node, edge, order."""
    alone = [contract(draft.workflow) for draft in view.extra]
    extra = {
        "workflow.node": Tally(found=sum(len(steps_of(one)) for one in alone)),
        "workflow.edge": Tally(found=sum(len(arcs(one)) for one in alone)),
        "workflow.order": Tally(found=sum(len(closure(one)) for one in alone)),
    }
    each = [_of_pair(pair) for pair in view.pairs]
    return {name: pooled([tally, *(one[name] for one in each)]) for name, tally in extra.items()}


def _of_pair(pair: Pair) -> dict[str, Tally]:
    gold = pair.matching.gold if pair.matching else contract(pair.gold)
    if pair.matching is None:
        return {
            "workflow.node": Tally(wanted=len(steps_of(gold))),
            "workflow.edge": Tally(wanted=len(arcs(gold))),
            "workflow.order": Tally(wanted=len(closure(gold))),
        }
    draft, to = pair.matching.draft, pair.matching.nodes
    return {
        "workflow.node": Tally(right=len(to), wanted=len(steps_of(gold)), found=len(steps_of(draft))),
        "workflow.edge": agreement(arcs(gold), arcs(draft), to),
        "workflow.order": agreement(closure(gold), closure(draft), to),
    }


def agreement(gold: Arcs, draft: Arcs, to: Mapping[str, str]) -> Tally:
    """Arcs of gold that are in the draft too, both ends carried over; ends bear their own names.

    >>> agreement({("a", "b"), ("b", "end:completed")}, {("x", "y")}, {"a": "x", "b": "y"})
    Tally(right=1.0, wanted=2.0, found=1.0)
    """
    carried = {(to.get(a), b if b.startswith("end:") else to.get(b)) for a, b in gold}
    return Tally(right=len(carried & set(draft)), wanted=len(gold), found=len(draft))


def name_of(workflow: Workflow, node: str) -> str:
    """The name that a node is compared by: an end's status, else its id."""
    found = workflow.nodes[node]
    return f"end:{found.status}" if found.type == CONTROL_END else node


def arcs(workflow: Workflow) -> Arcs:
    """The edges as pairs of names; those that leave a start are left out."""
    return {
        (edge.source, name_of(workflow, edge.target))
        for edge in workflow.edges
        if workflow.nodes[edge.source].type != CONTROL_START
    }


def closure(workflow: Workflow) -> Arcs:
    """All pairs of steps of which the first comes before the second on some path."""
    after = {name: {e.target for e in workflow.edges_from(name)} for name in workflow.nodes}
    steps = set(steps_of(workflow))
    return {(name, other) for name in steps for other in _downstream(name, after) if other in steps}


def _downstream(name: str, after: Mapping[str, Iterable[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(after[name])
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            waiting += after[here]
    return found
