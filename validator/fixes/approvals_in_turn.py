"""Asks approvals one after the other that a split would ask beside each other, so that each refusal ends the run.

`Over 500 the head approves. Over 5000 the director also approves. The buyer places the order.` A join goes on when
one of its ways was taken, so that side by side the one who grants would overrule the one who refuses
(`overruled-refusal`), as would a step that is done in some cases beside an approval (`Where there is an agitator, the
power is cut.`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from catalog.load import Catalog
from ir.predicate import ALWAYS, OTHERWISE, Compare, Literally, Ref, Tree, conjoin, evaluate, negate, references
from ir.workflow import HUMAN_APPROVAL, Edge, Workflow
from validator.analysis.graph import Graph, graph_of
from validator.analysis.remembered import Remembered
from validator.analysis.types import Scope
from validator.proofs.encode import Encoder
from validator.proofs.formulas import Formula, holds_in, negation
from validator.proofs.kinds import Opaque
from validator.proofs.prover import Prover

_MOST_STEPS = 2
"""Steps that are put in order with approvals; each more has an edge to all after it, until nobody reads the graph."""


def ask_in_turn(workflow: Workflow, catalog: Catalog, origin: str) -> Workflow:
    """The workflow with the approvals that inclusive splits reach beside others, or steps, in the document's order.

    Each case asks just whom it asked before, and does the same steps. Only approvals that the split alone leads to,
    that lead on to one node where they grant and to it by no way where they refuse are put in order, with the steps
    that the split alone leads to and that lead on to that node alone, and only where the solver shows which of
    their conditions can hold together; all others are left as they are.

    Args:
        origin: of the edges from one approval to the next, which the document does not name.
    """
    for split, node in workflow.nodes.items():
        if node.split == "inclusive":
            workflow = _in_turn(workflow, catalog, split, origin)
    return workflow


@dataclass(frozen=True)
class _Branch:
    """An approval, or another step, that a split leads to.

    Args:
        asked: the edge that leads to it, under `condition`.
        granted: the edge that it takes where it grants, and only then; of another step its only one.
        approves: whether it is an approval.
    """

    asked: Edge
    condition: Tree
    granted: Edge
    approves: bool

    @property
    def name(self) -> str:
        """The node."""
        return self.asked.target

    @property
    def grants(self) -> Tree | None:
        """That it granted; None where it is nothing that is granted."""
        return Compare("eq", Ref(f"$.outputs.{self.name}.approved"), Literally(True)) if self.approves else None


_MAY_HOLD, _FIRSTS, _NEEDED = Remembered[bool](), Remembered[list[int]](), Remembered[list[int] | None]()


class _Conditions:
    """What can hold together, where nothing is null.

    Args:
        trees: all conditions that will be asked about, or parts of which others are made.

    Raises:
        Opaque: the solver cannot be asked about one of them.
    """

    def __init__(self, trees: Sequence[Tree], workflow: Workflow, catalog: Catalog) -> None:
        scope = Scope(workflow, catalog)
        self._encoder = Encoder(trees, scope, lambda ref: None)
        self._prover = Prover(self._encoder)
        self._told: dict[Tree, Formula] = {}
        self._all(trees)
        read = dict.fromkeys(ref for tree in trees for ref in references(tree))
        self._types = tuple((ref, repr(scope.spec(ref))) for ref in read)  # answers hang on them and what is asked
        self._prover.add(*self._encoder.facts(read))

    def _all(self, trees: Iterable[Tree]) -> list[Formula]:
        trees = list(trees)
        self._told |= {tree: self._encoder.truths(tree).true for tree in trees if tree not in self._told}
        return [self._told[tree] for tree in trees]

    def may_hold(self, *trees: Tree, some: Sequence[Tree] = ()) -> bool:
        """Whether it is not proved that conditions never hold together, nor with any of some others."""
        return _MAY_HOLD.get((self._types, trees, tuple(some)), lambda: self._may_hold(trees, some))

    def _may_hold(self, trees: Sequence[Tree], some: Sequence[Tree]) -> bool:
        others = [self._encoder.any(self._all(some))] if some else []
        return self._prover.can_hold(*self._all(trees), *others) is not False

    def firsts(self, given: Tree, later: Sequence[Tree]) -> list[int]:
        """Places of those of some conditions that may be the first to hold where another does, in order.

        Each model names one of them, so that no more is asked than there are.
        """
        return list(_FIRSTS.get((self._types, given, tuple(later)), lambda: self._firsts(given, later)))

    def _firsts(self, given: Tree, later: Sequence[Tree]) -> list[int]:
        left, found = self._all(later), list[int]()
        asked = [*self._all([given]), self._encoder.any(left)]
        while answer := self._prover.can_hold(*asked):
            model = self._prover.model()
            first = next(at for at, one in enumerate(left) if holds_in(model, one))
            found.append(first)
            asked.append(self._encoder.any([negation(left[first]), *left[:first]]))
        return [*range(len(left))] if answer is None else sorted(found)

    def needed(self, parts: Sequence[Tree], given: Sequence[Tree] = ()) -> list[Tree] | None:
        """Those of some conditions that what is given, and those before them, do not imply; None where all never hold.

        Where the solver does not find out, a condition is kept.
        """
        places = _NEEDED.get((self._types, tuple(parts), tuple(given)), lambda: self._needed(parts, given))
        return None if places is None else [parts[at] for at in places]

    def _needed(self, parts: Sequence[Tree], given: Sequence[Tree]) -> list[int] | None:
        if not self.may_hold(*given, *parts):
            return None
        kept, at = list[int](), 0
        while (next_one := self._first_open([*given, *(parts[one] for one in kept)], parts[at:])) is not None:
            kept.append(at + next_one)
            at += next_one + 1
        return kept

    def _first_open(self, given: Sequence[Tree], parts: Sequence[Tree]) -> int | None:
        """The place of the first of some conditions that others do not imply; each model names an earlier one."""
        told, against = self._all(given), [negation(one) for one in self._all(parts)]
        found = None
        while against and (answer := self._prover.can_hold(*told, self._encoder.any(against))) is not False:
            if answer is None:
                return 0
            model = self._prover.model()
            found = next(at for at, one in enumerate(against) if holds_in(model, one))
            against = against[:found]
        return found


def _in_turn(workflow: Workflow, catalog: Catalog, split: str, origin: str) -> Workflow:
    graph = graph_of(workflow)
    found = [one for edge in workflow.edges_from(split) if (one := _branch(workflow, graph, edge)) is not None]
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


def _branch(workflow: Workflow, graph: Graph, asked: Edge) -> _Branch | None:
    """The approval or step to which an edge of a split leads; None where it cannot simply be put after others."""
    name, out = asked.target, workflow.edges_from(asked.target)
    if not isinstance(asked.condition, Tree) or asked.on != "success" or list(workflow.edges_to(name)) != [asked]:
        return None
    if any(edge.on != "success" for edge in out):
        return None
    if workflow.nodes[name].type != HUMAN_APPROVAL:
        alone = len(out) == 1 and out[0].condition == ALWAYS and workflow.nodes[name].step_ids
        return _Branch(asked, asked.condition, out[0], approves=False) if alone else None
    decision = Ref(f"$.outputs.{name}.approved")
    if len(out) != 2 or any(decision in references(edge.condition) for edge in workflow.edges if edge.source != name):
        return None
    granted, refused = (_edge_for(out, decision, said) for said in (True, False))
    if granted is None or refused is None:
        return None
    if granted.target == refused.target or refused.target in graph.ancestors[granted.target]:
        return None
    return _Branch(asked, asked.condition, granted, approves=True)


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


def _beside(found: Sequence[_Branch], conditions: _Conditions) -> list[list[_Branch]]:
    """What one run may come to together and that leads on to one node, an approval among it, in order."""
    groups: list[list[_Branch]] = []
    for one in found:
        met = [group for group in groups if _meets(one, group, conditions)]
        groups = [group for group in groups if group not in met]
        groups.append([*(other for group in met for other in group), one])
    order = {one.name: place for place, one in enumerate(found)}
    readable = (
        group if sum(not one.approves for one in group) <= _MOST_STEPS else [one for one in group if one.approves]
        for group in groups
    )
    mixed = [group for group in readable if len(group) > 1 and any(one.approves for one in group)]
    return [sorted(group, key=lambda one: order[one.name]) for group in mixed]


def _meets(one: _Branch, group: Sequence[_Branch], conditions: _Conditions) -> bool:
    """Whether a run may ask for one beside any of a group; all of a group lead on alike."""
    led = group[0]
    if (one.asked.priority, one.granted.target) != (led.asked.priority, led.granted.target):
        return False
    return conditions.may_hold(one.condition, some=[other.condition for other in group])


def _with_edges(workflow: Workflow, group: Sequence[_Branch], conditions: _Conditions, origin: str) -> Workflow:
    """The workflow in which the approvals of a group follow each other."""
    new: dict[tuple[str, str, str], list[Edge]] = {}
    for place, one in enumerate(group):
        new[_key(one.asked)] = _narrowed(one.asked, [one.condition], group[:place], [], conditions)
        new[_key(one.granted)] = list(_onward(group, place, conditions, origin))
    edges = [each for edge in workflow.edges for each in new.get(_key(edge), [edge])]
    return workflow.model_copy(update={"edges": tuple(edges)})


def _key(edge: Edge) -> tuple[str, str, str]:
    return edge.source, edge.target, repr(edge.condition)


def _onward(group: Sequence[_Branch], place: int, conditions: _Conditions, origin: str) -> Iterator[Edge]:
    """The edges that an approval takes where it grants: to each that is asked after it, and past all of them."""
    one, later = group[place], group[place + 1 :]
    for number in conditions.firsts(one.condition, [asked.condition for asked in later]):
        changes = {"source": one.name, "priority": None, "origin": origin}
        edge = later[number].asked.model_copy(update=changes)
        yield from _narrowed(edge, [later[number].condition], later[:number], [one], conditions)
    yield from _narrowed(one.granted, [], later, [one], conditions)


def _narrowed(
    edge: Edge,
    tests: Sequence[Tree],
    not_asked: Sequence[_Branch],
    granted: Sequence[_Branch],
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
    condition = conjoin(*(one.grants for one in granted), *needed) or ALWAYS
    return [edge.model_copy(update={"condition": condition, "evidence": evidence})]


def _exclusive_where_it_is(workflow: Workflow, split: str, conditions: _Conditions) -> Workflow:
    """The workflow with a split that is exclusive if no two of its conditions of one priority can hold together."""
    before: dict[int | None, list[Tree]] = {}
    for edge in workflow.edges_from(split):
        if isinstance(edge.condition, Tree):
            others = before.setdefault(edge.priority, [])
            if others and conditions.may_hold(edge.condition, some=others):
                return workflow
            others.append(edge.condition)
    node = workflow.nodes[split].model_copy(update={"split": None})
    return workflow.model_copy(update={"nodes": {**workflow.nodes, split: node}})
