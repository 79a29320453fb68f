"""Governance: the nodes that no document asked for. Are those of gold there, at the same place, and no others?

An unasked node is the same where it has the Type of gold's and stands beside the partner of a step that gold's stands
beside. Counted only for workflows whose gold has such nodes: else gold is silent about them.
"""

from collections.abc import Mapping

from evals.matching.assignment import assign
from evals.matching.contraction import unasked
from evals.matching.view import Pair, View
from evals.tally import Tally
from ir.workflow import Workflow


def governance(view: View) -> Mapping[str, Tally]:
    """Tally of a case: unasked nodes."""
    total = Tally()
    for pair in view.pairs:
        gold = [name for name, node in pair.gold.nodes.items() if unasked(node)]
        if gold:
            total += _of_pair(pair, gold)
    return {"governance.node": total}


def steps_beside(gold: set[str], draft: set[str], to: Mapping[str, str]) -> int:
    """How many of the steps beside a gold node have partners beside the draft's.

    >>> steps_beside({"check", "pay"}, {"task_1", "task_9"}, {"check": "task_1", "pay": "task_2"})
    1
    """
    return len({to[name] for name in gold if name in to} & draft)


def _of_pair(pair: Pair, gold: list[str]) -> Tally:
    if pair.draft is None or pair.matching is None:
        return Tally(wanted=len(gold))
    draft = pair.draft.workflow
    found = [name for name, node in draft.nodes.items() if unasked(node)]
    weights = [[_likeness(pair.gold, g, draft, d, pair.matching.nodes) for d in found] for g in gold]
    return Tally(right=len(assign(weights)), wanted=len(gold), found=len(found))


def _likeness(gold: Workflow, g: str, draft: Workflow, d: str, to: Mapping[str, str]) -> float:
    if gold.nodes[g].type != draft.nodes[d].type:
        return 0.0
    before = steps_beside({e.source for e in gold.edges_to(g)}, {e.source for e in draft.edges_to(d)}, to)
    after = steps_beside({e.target for e in gold.edges_from(g)}, {e.target for e in draft.edges_from(d)}, to)
    return float(before + after)
