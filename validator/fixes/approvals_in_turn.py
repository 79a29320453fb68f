"""Asks approvals one after the other that a split would ask beside each other, so that each refusal ends the run.

`Over 500 the head approves. Over 5000 the director also approves. The buyer places the order.` A join goes on when
one of its ways was taken, so that side by side the one who grants would overrule the one who refuses
(`overruled-refusal`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from catalog.load import Catalog
from ir.predicate import OTHERWISE, Compare, Literally, Ref, Tree, conjoin, evaluate, negate, references
from ir.workflow import HUMAN_APPROVAL, Edge, Workflow
from validator.analysis.graph import Graph, graph_of
from validator.analysis.types import Scope
from validator.proofs.encode import Encoder
from validator.proofs.kinds import Opaque
from validator.proofs.prover import Prover


def ask_in_turn(workflow: Workflow, catalog: Catalog, origin: str) -> Workflow:
    """The workflow with the approvals that inclusive splits reach beside each other asked in the document's order.

    Each case asks just whom it asked before. Only approvals that the split alone leads to, that lead on to one node
    where they grant and to it by no way where they refuse are put in order, and only where the solver shows which of
    their conditions can hold together; all others are left as they are.

    Args:
        origin: of the edges from one approval to the next, which the document does not name.
    """
    for split, node in workflow.nodes.items():
        if node.split == "inclusive":
            workflow = _in_turn(workflow, catalog, split, origin)
    return workflow


@dataclass(frozen=True)
class _Approval:
    """An approval that a split leads to.

    Args:
        asked: the edge that leads to it, under `condition`.
        granted: the edge that it takes where it grants, and only then.
    """

    asked: Edge
    condition: Tree
    granted: Edge

    @property
    def name(self) -> str:
        """The node."""
        return self.asked.target

    @property
    def grants(self) -> Tree:
        """That it granted."""
        return Compare("eq", Ref(f"$.outputs.{self.name}.approved"), Literally(True))


class _Conditions:
    """What can hold together, where nothing is null.

    Args:
        trees: all conditions that will be asked about, or parts of which others are made.

    Raises:
        Opaque: the solver cannot be asked about one of them.
    """

    def __init__(self, trees: Sequence[Tree], workflow: Workflow, catalog: Catalog) -> None:
        self._encoder = Encoder(trees, Scope(workflow, catalog), lambda ref: None)
        self._prover = Prover(self._encoder)
        for tree in trees:
            self._encoder.truths(tree)
        self._prover.add(*self._encoder.facts(dict.fromkeys(ref for tree in trees for ref in references(tree))))

    def may_hold(self, *trees: Tree) -> bool:
        """Whether it is not proved that conditions never hold together."""
        return self._prover.can_hold(*(self._encoder.truths(tree).true for tree in trees)) is not False

    def needed(self, parts: Iterable[Tree], given: Sequence[Tree] = ()) -> list[Tree] | None:
        """Those of some conditions that the others, and what is given, do not imply; None where all never hold."""
        kept: list[Tree] = []
        for part in parts:
            if self.may_hold(*given, *kept, negate(part)):
                kept.append(part)
        return kept if self.may_hold(*given, *kept) else None


def _in_turn(workflow: Workflow, catalog: Catalog, split: str, origin: str) -> Workflow:
    graph = graph_of(workflow)
    found = [one for edge in workflow.edges_from(split) if (one := _approval(workflow, graph, edge)) is not None]
    order = {name: place for place, name in enumerate(workflow.nodes)}
    found.sort(key=lambda one: order[one.name])
    if len(found) < 2 or graph.back:
        return workflow
    trees = [edge.condition for edge in workflow.edges_from(split) if isinstance(edge.condition, Tree)]
    try:
        conditions = _Conditions(trees, workflow, catalog)
    except Opaque:
        return workflow
    for group in _beside(found, conditions):
        workflow = _with_edges(workflow, group, conditions, origin)
    return _exclusive_where_it_is(workflow, split, conditions)


def _approval(workflow: Workflow, graph: Graph, asked: Edge) -> _Approval | None:
    """The approval to which an edge of a split leads; None where it cannot simply be put after others."""
    name, out = asked.target, workflow.edges_from(asked.target)
    decision = Ref(f"$.outputs.{name}.approved")
    if workflow.nodes[name].type != HUMAN_APPROVAL or not isinstance(asked.condition, Tree) or asked.on != "success":
        return None
    if list(workflow.edges_to(name)) != [asked] or len(out) != 2 or any(edge.on != "success" for edge in out):
        return None
    if any(decision in references(edge.condition) for edge in workflow.edges if edge.source != name):
        return None
    granted, refused = (_edge_for(out, decision, said) for said in (True, False))
    if granted is None or refused is None:
        return None
    if granted.target == refused.target or refused.target in graph.ancestors[granted.target]:
        return None
    return _Approval(asked, asked.condition, granted)


def _edge_for(out: Sequence[Edge], decision: Ref, said: bool) -> Edge | None:
    """Of the two edges of an approval the one for a decision; `otherwise` is for what the other is not for."""
    for edge, other in zip(out, reversed(out), strict=True):
        if _said_by(edge, decision) == said or (
            edge.condition == OTHERWISE and _said_by(other, decision) == (not said)
        ):
            return edge
    return None


def _said_by(edge: Edge, decision: Ref) -> bool | None:
    """The one decision for which an edge is taken; None where it hangs on something else."""
    if not isinstance(edge.condition, Tree) or set(references(edge.condition)) != {decision}:
        return None
    granted, refused = (evaluate(edge.condition, {decision: said}.get) for said in (True, False))
    return granted if {granted, refused} == {True, False} else None


def _beside(found: Sequence[_Approval], conditions: _Conditions) -> list[list[_Approval]]:
    """The approvals that one run may ask together and that lead on to one node, in order; those alone are left out."""
    groups: list[list[_Approval]] = []
    for one in found:
        met = [group for group in groups if any(_alike(one, other, conditions) for other in group)]
        groups = [group for group in groups if group not in met]
        groups.append([*(other for group in met for other in group), one])
    order = [one.name for one in found]
    return [sorted(group, key=lambda one: order.index(one.name)) for group in groups if len(group) > 1]


def _alike(one: _Approval, other: _Approval, conditions: _Conditions) -> bool:
    same = (one.asked.priority, one.granted.target) == (other.asked.priority, other.granted.target)
    return same and conditions.may_hold(one.condition, other.condition)


def _with_edges(workflow: Workflow, group: Sequence[_Approval], conditions: _Conditions, origin: str) -> Workflow:
    """The workflow in which the approvals of a group follow each other."""
    new: dict[tuple[str, str, str], list[Edge]] = {}
    for place, one in enumerate(group):
        new[_key(one.asked)] = _narrowed(one.asked, [one.condition], group[:place], [], conditions)
        new[_key(one.granted)] = list(_onward(group, place, conditions, origin))
    edges = [each for edge in workflow.edges for each in new.get(_key(edge), [edge])]
    return workflow.model_copy(update={"edges": tuple(edges)})


def _key(edge: Edge) -> tuple[str, str, str]:
    return edge.source, edge.target, repr(edge.condition)


def _onward(group: Sequence[_Approval], place: int, conditions: _Conditions, origin: str) -> Iterator[Edge]:
    """The edges that an approval takes where it grants: to each that is asked after it, and past all of them."""
    one, later = group[place], group[place + 1 :]
    for number, asked in enumerate(later):
        changes = {"source": one.name, "priority": None, "origin": origin}
        edge = asked.asked.model_copy(update=changes)
        yield from _narrowed(edge, [asked.condition], later[:number], [one], conditions)
    yield from _narrowed(one.granted, [], later, [one], conditions)


def _narrowed(
    edge: Edge,
    tests: Sequence[Tree],
    not_asked: Sequence[_Approval],
    granted: Sequence[_Approval],
    conditions: _Conditions,
) -> list[Edge]:
    """An edge for the cases of some tests in which some approvals are not asked; none where there are no such cases.

    Args:
        granted: the approvals that have been asked and granted.
    """
    held = [one.condition for one in granted]
    needed = conditions.needed([*tests, *(negate(one.condition) for one in not_asked)], held)
    if needed is None:
        return []
    words = [one.asked.evidence for one in not_asked if negate(one.condition) in needed]
    evidence = tuple(dict.fromkeys((*edge.evidence, *chain.from_iterable(words))))
    condition = conjoin(*(one.grants for one in granted), *needed)
    return [edge.model_copy(update={"condition": condition, "evidence": evidence})]


def _exclusive_where_it_is(workflow: Workflow, split: str, conditions: _Conditions) -> Workflow:
    """The workflow with a split that is exclusive if no two of its conditions of one priority can hold together."""
    found = [(edge.priority, edge.condition) for edge in workflow.edges_from(split)]
    trees = [(priority, tree) for priority, tree in found if isinstance(tree, Tree)]
    if any(one[0] == other[0] and conditions.may_hold(one[1], other[1]) for one, other in combinations(trees, 2)):
        return workflow
    node = workflow.nodes[split].model_copy(update={"split": None})
    return workflow.model_copy(update={"nodes": {**workflow.nodes, split: node}})
