"""Conditions: are the edges of the draft taken for just the values for which gold's are?

Compared by meaning, not by text: `>= 5` is `> 4` over whole numbers, and `otherwise` is what its neighbours leave. For
each step both workflows have, every combination of values that tells conditions apart is tried
(`validator.analysis.enumeration`), translated into the draft's facts, and both sides choose; an edge is right where the
two choose it for the same combinations. An edge that reads a fact without a partner is wrong; where there are more
combinations than can be tried the edge counts as wrong too, since nothing says it is right.
"""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from catalog.load import Catalog
from evals.matching.nodes import Matching
from evals.matching.view import View
from evals.metrics.workflow import name_of
from evals.tally import Tally, pooled
from ir.predicate import Always, Otherwise, Ref, Tree, evaluate, references, substitute
from ir.walk import OpenChoice, choose
from ir.workflow import Edge, Workflow
from validator.analysis.enumeration import Space, space_of
from validator.analysis.types import Scope


def conditions(view: View) -> Mapping[str, Tally]:
    """Tally of a case: conditional edges between matched nodes."""
    found = [_of_pair(pair.matching, view.catalog) for pair in view.pairs if pair.matching]
    return {"workflow.condition": pooled(found)}


def _of_pair(known: Matching, catalog: Catalog) -> Tally:
    """Edges that are conditional on either side, out of those whose both ends have partners."""
    total = Tally()
    for gold, draft in known.nodes.items():
        theirs = {known.as_gold(t) for t in _targets(known.draft, draft)}
        both = _targets(known.gold, gold) & theirs
        if not both or not (_branches(known.gold, gold) or _branches(known.draft, draft)):
            continue
        wanted, found = chosen(known, catalog, gold, draft)
        for target in both:
            same = wanted is not None and found is not None
            total += Tally(right=same and _same(wanted or [], found or [], target), wanted=1, found=1)
    return total


def _same(wanted: list[frozenset[str] | None], found: list[frozenset[str] | None], target: str) -> bool:
    """Whether both sides go to a target for the same combinations; a way that gold leaves open (None) has to be open.

    >>> _same([frozenset("a"), frozenset("b")], [frozenset("a"), frozenset("c")], "a")
    True
    >>> _same([frozenset("a")], [None], "a"), _same([None], [None], "a")
    (False, True)
    """
    return all(
        a is b if a is None or b is None else (target in a) == (target in b) for a, b in zip(wanted, found, strict=True)
    )


def _targets(workflow: Workflow, node: str) -> set[str]:
    return {name_of(workflow, edge.target) for edge in workflow.edges_from(node) if edge.on == "success"}


def _branches(workflow: Workflow, node: str) -> bool:
    return any(not isinstance(edge.condition, Always) for edge in workflow.edges_from(node))


Choices = list[frozenset[str] | None]


def chosen(known: Matching, catalog: Catalog, gold: str, draft: str) -> tuple[Choices | None, Choices | None]:
    """Where gold's node and its partner lead, for each combination of values, as gold's names.

    Returns:
        Two lists of equal length, with None for a combination that leaves a way open; None in place of a list where
        nothing can be said: too many combinations, or a fact of the draft that has no partner.
    """
    partners = {fact.ref: ref for ref, fact in known.facts.items()}
    mine, theirs = _trees(known.gold, gold), _trees(known.draft, draft)
    if any(ref not in partners for tree in theirs for ref in references(tree)):
        return None, None
    carried = [substitute(tree, lambda ref: partners[ref]) for tree in theirs]
    space = _space([*mine, *carried], known, catalog)
    if not space.small:
        return _as_written(known, gold, draft) if mine == carried else (None, None)
    wanted: Choices = []
    found: Choices = []
    for assignment in space:
        values = {ref: assignment(ref) for ref in space.domains}
        said = {known.facts[ref].ref: known.values[ref](value) for ref, value in values.items() if ref in known.facts}
        wanted.append(_choice(known.gold, gold, values))
        taken = _choice(known.draft, draft, said)
        found.append(None if taken is None else frozenset(known.as_gold(name) for name in taken))
    return wanted, found


def _as_written(known: Matching, gold: str, draft: str) -> tuple[Choices, Choices]:
    """Where each edge leads, in their order, where the conditions of both sides are the same, word for word."""
    mine = [frozenset({name_of(known.gold, edge.target)}) for edge in known.gold.edges_from(gold)]
    theirs = [frozenset({known.as_gold(name_of(known.draft, edge.target))}) for edge in known.draft.edges_from(draft)]
    return [*mine], [*theirs] if len(mine) == len(theirs) else [None] * len(mine)


def _space(trees: Sequence[Tree], known: Matching, catalog: Catalog) -> Space:
    """What to try: amounts and times about each constant of either side, labels as gold lists them."""
    space = space_of(trees, Scope(known.gold, catalog).spec)
    domains = {
        ref: fact.values if (fact := known.gold_facts.get(ref)) and fact.listed and fact.values else values
        for ref, values in space.domains.items()
    }
    return Space(domains, space.exact)


def _choice(workflow: Workflow, node: str, values: Mapping[Ref, JsonValue]) -> frozenset[str] | None:
    ways: dict[int, Edge] = {i: e for i, e in enumerate(workflow.edges) if e.source == node and e.on == "success"}
    if not ways:
        return frozenset()
    taken = choose(ways, workflow.nodes[node].split or "exclusive", lambda tree: evaluate(tree, values.get))
    if isinstance(taken, OpenChoice):
        return None
    return frozenset(name_of(workflow, workflow.edges[index].target) for index in taken)


def _trees(workflow: Workflow, node: str) -> list[Tree]:
    found = [edge.condition for edge in workflow.edges_from(node)]
    return [tree for tree in found if not isinstance(tree, Always | Otherwise)]
