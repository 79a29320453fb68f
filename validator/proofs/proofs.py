"""The questions that checks ask about whole runs. Every "yes" comes with a run that the walk went through."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import z3

from ir.predicate import Compare, Literally, Ref, Tree, evaluate, references
from ir.workflow import Workflow
from validator.analysis.graph import Graph, Link
from validator.analysis.types import Scope
from validator.proofs.branches import Answer, Branches, prove_branches
from validator.proofs.formulas import Formula, both, conjunction, disjunction, negation
from validator.proofs.kinds import Opaque
from validator.proofs.prover import Prover
from validator.proofs.reach import never_taken
from validator.proofs.runs import Contradiction, Example, Runs


@dataclass(frozen=True)
class ExcludingConditions:
    """What cannot hold in one run with an edge: edges before it, by index, and guards."""

    edges: tuple[int, ...] = ()
    guards: tuple[Tree, ...] = ()


class Proofs:
    """What is proved of a workflow; each question is asked once.

    Args:
        passed: for each node those that every path to it passes on success.
        ctx: the solver's context; None: a new one.
        asked: conditions of no edge that `reached_although` will be asked about.

    Attributes:
        contradictions: runs that the solver found and the walk does not confirm; each is a fault of flowc.
    """

    def __init__(
        self,
        workflow: Workflow,
        graph: Graph,
        scope: Scope,
        passed: Mapping[str, frozenset[str]],
        ctx: z3.Context | None = None,
        asked: Iterable[Tree] = (),
    ) -> None:
        self.graph, self.scope, self._passed = graph, scope, passed
        self.runs = Runs(workflow, graph, scope, ctx, asked)
        self.contradictions: list[Contradiction] = []
        self._branches: dict[str, Branches | None] = {}

    def opaque(self, node: str) -> str | None:
        """Why the solver cannot be asked about the conditions of a node; None where it can."""
        self.runs.choice(node)
        return self.runs.opaque.get(node)

    def branches(self, node: str) -> Branches | None:
        """What is proved of a node's choice; None where the solver cannot be asked about its conditions."""
        if node not in self._branches:
            try:
                self._branches[node] = prove_branches(self.runs, node, self._passed[node])
            except Contradiction as fault:
                self.contradictions.append(fault)
                self._branches[node] = Branches(undecided=(fault.question,))
        return self._branches[node]

    def can_be_reached(self, node: str) -> bool:
        """Whether it is not proved that no run comes to a node."""
        entering = self.graph.into[node]
        return not entering or any(link.index not in self.never_taken for link in entering)

    @cached_property
    def can_start(self) -> bool:
        """Whether it is not proved that no values meet all guards."""
        guards = [*self.runs.guards()]
        read = sorted({ref for tree in guards for ref in references(tree)}, key=lambda ref: ref.text)
        met = [self.runs.encoder.truths(tree).true for tree in guards]
        return Prover(self.runs.encoder).can_hold(*met, *self.runs.encoder.facts(read)) is not False

    @cached_property
    def unbreakable_guards(self) -> tuple[Tree, ...]:
        """The guards that no values break."""
        encoder, found = self.runs.encoder, []
        for tree in self.runs.guards():
            facts = encoder.facts(sorted(_refs(tree), key=lambda ref: ref.text))
            if Prover(encoder).can_hold(encoder.truths(tree).false, *facts) is False:
                found.append(tree)
        return tuple(found)

    @cached_property
    def never_taken(self) -> frozenset[int]:
        """The edges, by index, that no run takes: their conditions contradict each other or those before them."""
        if self.graph.back:
            return frozenset()
        proved = (self.branches(node) for node in self.graph.order if any(self.runs.trees(node)))
        return never_taken(self.runs, {index for one in proved if one for index in one.never})

    def reached_without(self, at: str, missing: str, beside: Iterable[str] = ()) -> Answer:
        """A run that comes to a node though another has given nothing.

        Args:
            beside: nodes to which it does not come.
        """
        names, beside = self.runs.names, tuple(beside)
        return self._find(
            f"{at} without {missing}",
            [at, missing, *beside],
            [names.runs(at), negation(names.succeeds(missing)), *(negation(names.runs(other)) for other in beside)],
            lambda run: at in run.path and missing not in run.succeeded and not set(beside) & set(run.path),
        )

    def excluding(self, index: int) -> ExcludingConditions:
        """The guards and the earlier edges that by their conditions alone cannot hold in one run with an edge."""
        source = next(link.source for link in self.graph.links if link.index == index)
        own = self.runs.choice(source)
        if own is None or index not in own.taken:
            return ExcludingConditions()
        mine = self._refs_of_choice(source)

        def excluded(formula: Formula, read: frozenset[Ref]) -> bool:
            if mine.isdisjoint(read):
                return False
            facts = self.runs.encoder.facts(sorted(mine | read, key=lambda ref: ref.text))
            return Prover(self.runs.encoder).can_hold(own.taken[index], formula, *facts) is False

        edges: list[int] = []
        for node in self.graph.order:
            known = self.runs.choice(node) if node in self.graph.ancestors[source] else None
            if known is not None and known.truths:
                edges += [edge for edge, taken in known.taken.items() if excluded(taken, self._refs_of_choice(node))]
        guards = [tree for tree in self.runs.guards() if excluded(self.runs.encoder.truths(tree).true, _refs(tree))]
        return ExcludingConditions(tuple(edges), tuple(guards))

    def _refs_of_choice(self, node: str) -> frozenset[Ref]:
        return frozenset(ref for tree in self.runs.trees(node) for ref in _refs(tree))

    def all_can_run(self, nodes: Sequence[str], succeeding: Sequence[str] = ()) -> Answer:
        """A run that comes to several nodes; where one could not lead on, the walk would stop before another.

        Args:
            succeeding: others that it comes to and that succeed.
        """
        names, every = self.runs.names, (*nodes, *succeeding)
        given = [formula for node in every for formula in (names.runs(node), self.runs.moves_on(node))]
        return self._find(
            " and ".join(every),
            list(every),
            given + [names.succeeds(node) for node in succeeding],
            lambda run: set(every) <= set(run.path) and run.succeeded.issuperset(succeeding),
        )

    def mutually_exclusive(self, pairs: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
        """Those of some pairs of nodes of which it is proved that no run comes to both and goes on from them."""
        asked, names = tuple(pairs), self.runs.names
        if not asked or self.graph.back:
            return frozenset()
        nodes = {node for pair in asked for node in pair}
        self.runs.define(nodes)
        nodes = nodes.union(*(self.graph.ancestors[node] for node in nodes))
        given = [self.runs.moves_on(node) for node in sorted(nodes)]
        wanted = {pair: both(names.runs(pair[0]), names.runs(pair[1])) for pair in asked}
        can, unknown = self.runs.whole.possible(wanted, *given)
        return frozenset(asked) - can - unknown

    def ends_without(self, ends: Sequence[str], avoided: Iterable[str]) -> Answer:
        """A run that comes to one of some ends and to no node that is to be avoided."""
        names, avoided = self.runs.names, tuple(avoided)
        none = [negation(names.runs(one)) for one in avoided]
        return self._find(
            f"one of {', '.join(ends)} without {', '.join(avoided)}",
            [*ends, *avoided],
            [disjunction([names.runs(end) for end in ends], names.ctx), *none],
            lambda run: bool(set(ends) & set(run.path)) and not set(avoided) & set(run.path),
        )

    def reached_without_paths(self, at: str, ways: Iterable[Iterable[int]]) -> Answer:
        """A run that comes to a node and of each way that leads there, given by its edges, leaves some edge out."""
        wanted, names = [frozenset(way) for way in ways], self.runs.names
        missing = [disjunction([negation(names.taken(edge)) for edge in sorted(way)], names.ctx) for way in wanted]

        def confirmed(run: Example) -> bool:
            taken = {link.index for own in run.came_by.values() for link in own}
            return at in run.path and not any(way <= taken for way in wanted)

        return self._find(f"{at} by other ways", [at], [names.runs(at), *missing], confirmed)

    def reached_although(self, at: Sequence[str], condition: Tree, unless: Tree | None = None) -> Answer:
        """A run that comes to one of some nodes though a condition holds.

        Args:
            condition, unless: over inputs and outputs; both are among those that were announced as `asked`.
            unless: runs in which it holds are not looked for.
        """
        runs, names = self.runs, self.runs.names
        read = sorted({*_refs(condition), *(_refs(unless) if unless else ())}, key=lambda ref: ref.text)
        nodes = [*at, *dict.fromkeys(ref.node for ref in read if ref.node is not None)]
        if any(node not in self.graph.ancestors for node in nodes):
            return None
        try:
            given = [runs.encoder.truths(condition).true, *runs.encoder.facts(read)]
            given += [negation(runs.encoder.truths(unless).true)] if unless is not None else []
        except Opaque:
            return None

        def confirmed(run: Example) -> bool:
            held = evaluate(condition, run.value) is True and not (unless and evaluate(unless, run.value) is True)
            return held and bool(set(at) & set(run.path))

        reached = disjunction([names.runs(node) for node in at], names.ctx)
        return self._find(f"one of {', '.join(at)} although", nodes, [*given, reached], confirmed)

    def reached_with_null(self, at: str, source: Ref) -> Answer:
        """A run that comes to a node with a field null; an output, given by a node that succeeded."""
        given = [self.runs.names.runs(at), self.runs.names.null(source)]
        given += [self.runs.names.succeeds(source.node)] if source.node is not None else []
        return self._find(f"{at} with {source.text} null", [at], given, lambda run: at in run.path)

    def stuck_on_null(self, at: str, source: Ref) -> Answer:
        """A run in which a node cannot choose, as a field is null that its conditions read."""
        return self._stuck_when(f"{at} unknown for {source.text}", at, self.runs.names.null(source))

    def stuck_without(self, at: str, missing: str) -> Answer:
        """A run in which a node cannot choose, as its conditions read what another has not given."""
        absent = negation(self.runs.names.succeeds(missing))
        return self._stuck_when(f"{at} unknown without {missing}", at, absent, beside=missing)

    def stuck_unknown(self, at: str) -> Answer:
        """A run in which a node cannot choose, as something is null or missing that its conditions read."""
        return self._stuck_when(f"{at} unknown", at)

    def _stuck_when(self, question: str, at: str, *formulas: Formula, beside: str | None = None) -> Answer:
        choice = self.runs.choice(at)
        if choice is None:
            return None
        given = [*formulas, self.runs.names.succeeds(at), choice.unknown, negation(choice.overlap)]
        nodes = [at] if beside is None else [at, beside]
        return self._find(question, nodes, given, lambda run: _stuck(run, at))

    def unapproved(
        self, at: str, approvals: Iterable[str], unread: Iterable[str], where: Tree | None = None
    ) -> Answer:  # fmt: skip
        """A run that comes to a node though none of the approvals before it was given.

        Args:
            unread: approvals whose decision nothing reads, past which no run is looked for.
            where: what holds in the run besides.
        """
        approvals = tuple(name for name in approvals if name in self.graph.ancestors[at])
        passed = [name for name in unread if name in self.graph.ancestors[at]]
        try:
            given = [negation(self._decided(name, True)) for name in approvals]
            given += [self.runs.names.runs(at), *(negation(self.runs.names.succeeds(name)) for name in passed)]
            given += self._holding(where)
        except Opaque:
            return None

        def confirmed(run: Example) -> bool:
            given = [run.outputs.get(name, {}).get("approved") for name in approvals if name in run.succeeded]
            return at in run.path and True not in given

        return self._find(f"{at} unapproved", [at], given, confirmed)

    def past_some(self, at: str, cases: Iterable[tuple[str, Tree | None]]) -> bool | None:
        """Whether a run comes to a node past some of several approvals; None where that is not known.

        Args:
            cases: each an approval that was not given, and what holds in the run besides.
        """
        try:
            each = [
                conjunction([negation(self._decided(name, True)), *self._holding(where)], self.runs.names.ctx)
                for name, where in cases
            ]
        except Opaque:
            return None
        return self.runs.can([at], [disjunction(each, self.runs.names.ctx), self.runs.names.runs(at)])

    def overruled(self, refusing: str, granting: str | None, nodes: Iterable[str]) -> Answer:
        """A run in which one approval is refused and that comes to one of some nodes by what another grants.

        Args:
            granting: None: by whatever way.
        """
        names, wanted = self.runs.names, tuple(nodes)
        ways = [link for node in wanted for link in self.graph.into[node] if granting in (None, *self._before(link))]
        decided = {refusing: False} | ({} if granting is None else {granting: True})
        try:
            given = [self._decided(*one) for one in decided.items()]
        except Opaque:
            return None

        def confirmed(run: Example) -> bool:
            taken = {link.index for node in wanted for link in run.came_by.get(node, ())}
            found = {name: run.outputs.get(name, {}).get("approved") for name in decided}
            return found == decided and not taken.isdisjoint(link.index for link in ways)

        came = disjunction([names.taken(link.index) for link in ways], names.ctx)
        question = f"one of {', '.join(wanted)} by {granting or 'any way'} although {refusing} refused"
        return self._find(question, [*decided, *wanted], [*given, came], confirmed)

    def _before(self, link: Link) -> frozenset[str]:
        """The node that an edge leaves, and all that lead to it."""
        return self.graph.ancestors[link.source] | {link.source}

    def _decided(self, name: str, approved: bool) -> Formula:
        """That an approval was asked and decided so."""
        decided = Compare("eq", Ref(f"$.outputs.{name}.approved"), Literally(approved))
        return both(self.runs.names.succeeds(name), self.runs.encoder.truths(decided).true)

    def _holding(self, tree: Tree | None) -> list[Formula]:
        """That a condition holds, with what its references can be."""
        if tree is None:
            return []
        return [self.runs.encoder.truths(tree).true, *self.runs.encoder.facts(dict.fromkeys(references(tree)))]

    def _find(
        self, question: str, nodes: list[str], formulas: list[Formula], confirmed: Callable[[Example], bool]
    ) -> Answer:
        try:
            return self.runs.find(question, nodes, formulas, confirmed)
        except Contradiction as fault:
            self.contradictions.append(fault)
            return None


def _refs(tree: Tree) -> frozenset[Ref]:
    return frozenset(references(tree))


def _stuck(run: Example, at: str) -> bool:
    return run.node == at and run.stuck is not None and run.stuck.why == "unknown"
