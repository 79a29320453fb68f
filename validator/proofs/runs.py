"""All runs of a workflow as one set of formulas: which nodes run, succeed or fail, and which edges are taken.

Unlike `validator.runs.workflow_analysis`, which lets each node choose freely, this knows that a value is the
same wherever it is read: two conditions of different nodes that exclude each other do so here. An answer "it can
happen" comes with a run that the walk confirms; "it cannot" is a proof.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import z3
from pydantic import JsonValue

from ir.predicate import Ref, Tree, references
from ir.walk import ERROR_KEY, OpenChoice, walk
from ir.workflow import CONTROL_END, Edge, Node, Workflow
from validator.analysis.branch_outcomes import conditions
from validator.analysis.graph import Graph, Link
from validator.analysis.tables import judged_fields, tables
from validator.analysis.types import Scope
from validator.proofs.choice import Choice, choice
from validator.proofs.encode import Encoder
from validator.proofs.formulas import Formula, both, disjunction, either, holds_in, negation
from validator.proofs.judging import table_formulas
from validator.proofs.kinds import Opaque
from validator.proofs.prover import Prover


class Contradiction(Exception):  # noqa: N818 - it says what was found
    """The walk does not confirm what the solver found: a fault of flowc.

    Args:
        question: what was asked.
        example: the run for which they differ.
    """

    def __init__(self, question: str, example: "Example") -> None:
        self.question, self.example = question, example
        super().__init__(question)


@dataclass(frozen=True)
class Example:
    """A run, as far as it matters.

    Args:
        inputs: of the workflow.
        outputs: by node what it gives, or `{"$error": …}` where it fails.
        path: the nodes that run.
        came_by: for each of them that edges entered, those that were taken.
        succeeded: those of them that succeeded.
        stuck: the edges among which a node cannot choose, by index, and why; None where every node can.
        node: the node that cannot choose.
        rounded: a number is not the one that the solver found, since no JSON number is, or it was only told bounds.
    """

    inputs: dict[str, JsonValue]
    outputs: dict[str, dict[str, JsonValue]]
    path: tuple[str, ...]
    came_by: Mapping[str, tuple[Link, ...]]
    succeeded: frozenset[str]
    stuck: OpenChoice | None
    node: str | None
    rounded: bool

    def route(self, node: str) -> tuple[str, ...]:
        """One way that the run takes to a node."""
        way = [node]
        while way[-1] in self.came_by:
            way.append(self.came_by[way[-1]][0].source)
        return tuple(reversed(way))

    def value(self, ref: Ref) -> JsonValue:
        """What a reference reads; None where it is null or nothing gave it."""
        here: JsonValue = self.inputs if ref.root == "inputs" else dict(self.outputs)
        for name in ref.path:
            here = here.get(name) if isinstance(here, dict) else None
        return here

    def values(self, first: Iterable[Ref] = ()) -> dict[str, JsonValue]:
        """The values by reference, those that are asked for first.

        >>> Example({"a": 1}, {"n": {"b": {"c": None}}}, ("n",), {}, frozenset("n"), None, None, False).values()
        {'$.inputs.a': 1, '$.outputs.n.b.c': None}
        """
        found: dict[str, JsonValue] = {}
        for root, tree in (("$.inputs", self.inputs), ("$.outputs", self.outputs)):
            _flatten(root, tree, found)
        front = [ref.text for ref in first]
        known = {text: value for text in front for key, value in found.items() if key == text}
        return known | found


def _flatten(name: str, value: Any, found: dict[str, JsonValue]) -> None:
    if isinstance(value, dict):
        for key, part in value.items():
            _flatten(f"{name}.{key}", part, found)
    else:
        found[name] = value


class RunVariables:
    """What the formulas about runs speak of: nodes that run and succeed, edges that are taken, fields that are null."""

    def __init__(self, graph: Graph, scope: Scope, ctx: z3.Context | None) -> None:
        self.ctx = ctx or z3.Context()
        self._graph, self._scope = graph, scope
        self._named: dict[str, Formula] = {}

    def _bool(self, name: str) -> Formula:
        if name not in self._named:
            self._named[name] = z3.Bool(name, self.ctx)
        return self._named[name]

    def runs(self, node: str) -> Formula:
        """That a node runs."""
        return self._bool(f"{node} runs")

    def succeeds(self, node: str) -> Formula:
        """That a node runs and succeeds."""
        return self._bool(f"{node} succeeds")

    def taken(self, index: int) -> Formula:
        """That an edge is taken."""
        return self._bool(f"edge {index}")

    def null(self, source: Ref) -> Formula:
        """That a field which may be null is."""
        return self._bool(f"{source.text} is null")

    def reads_null(self, ref: Ref) -> Formula | None:
        """When a reference gives null; None: never."""
        parts = [self.null(source) for source in self._scope.null_sources(ref)]
        if ref.node is not None and ref.node in self._graph.position:
            parts.append(negation(self.succeeds(ref.node)))
        return disjunction(parts, self.ctx) if parts else None


class Runs:
    """The runs of a workflow.

    Args:
        graph: its graph, without broken edges and cycles.
        scope: its types.
        ctx: the solver's context; None: a new one, so that no answer hangs on what was asked before.
        asked: conditions that no edge has and that will be asked about.
        unjudged: a node of whose own outputs nothing is said, since it is asked what its rule pack gives.
    """

    def __init__(
        self,
        workflow: Workflow,
        graph: Graph,
        scope: Scope,
        ctx: z3.Context | None = None,
        asked: Iterable[Tree] = (),
        unjudged: str | None = None,
    ) -> None:
        self.workflow, self.graph, self.scope = workflow, graph, scope
        trees = [*asked, *(edge.condition for edge in workflow.edges if isinstance(edge.condition, Tree))]
        trees += [guard.condition for guard in workflow.guards]
        self.tables = {table.node: table for table in tables(scope)}
        judged = {ref for tree in trees for ref in references(tree)}
        judged |= {ref for table in self.tables.values() if table.formulas for ref in table.reads}
        self.unjudged = unjudged
        self._judged = {name: judged_fields(table, judged) for name, table in self.tables.items()}
        trees += [tree for table in self.tables.values() for tree in (*table.trees.values(), *table.admitted)]
        self.names = RunVariables(graph, scope, ctx)
        self.encoder = Encoder(trees, scope, self.names.reads_null, self.names.ctx)
        self.whole = Prover(self.encoder)
        self._choices: dict[str, Choice | None] = {}
        self._moves: dict[str, Formula] = {}
        self._judgements: dict[str, list[Formula]] = {}
        self.opaque: dict[str, str] = {}
        self._defined: set[str] = set()
        self._told: dict[Ref, int] = {}
        self._begun = False

    # --- one node -----------------------------------------------------------------------------------------------------

    def edges(self, node: str) -> dict[int, Edge]:
        """The edges of a node for success, by index."""
        ends = self.workflow.nodes[node].type == CONTROL_END
        return {} if ends else {link.index: link.edge for link in self.graph.out[node] if link.on_success}

    def may_leave(self, link: Link) -> bool:
        """Whether an edge leaves a node that ends nothing."""
        return self.workflow.nodes[link.source].type != CONTROL_END

    def choice(self, node: str) -> Choice | None:
        """How a node chooses; None where the solver cannot be asked, or a condition reads what is not known before."""
        if node not in self._choices:
            self._choices[node] = self._choice(node)
        return self._choices[node]

    def _choice(self, node: str) -> Choice | None:
        edges = self.edges(node)
        upstream = self.graph.ancestors[node] | {node}
        read = {ref for tree in conditions(edges).values() for ref in references(tree)}
        if any(ref.node not in upstream for ref in read if ref.root == "outputs"):
            return None
        try:
            return choice(self.encoder, edges, self.workflow.nodes[node].split or "exclusive")
        except Opaque as fault:
            self.opaque[node] = fault.why
            return None

    def alone(self, node: str, passed: Iterable[str]) -> Prover:
        """A prover for the choice of a node by itself, whatever came before.

        Args:
            passed: nodes that every path to it passes on success, which succeeded as the node did.
        """
        read = dict.fromkeys(ref for tree in self.trees(node) for ref in references(tree))
        prover = Prover(self.encoder)
        succeeded = sorted({ref.node for ref in read if ref.node in {node, *passed} and ref.node is not None})
        prover.add(*self.encoder.facts(read), *(self.names.succeeds(name) for name in succeeded))
        return prover

    # --- whole runs ---------------------------------------------------------------------------------------------------

    def define(self, nodes: Iterable[str]) -> None:
        """Tell the solver how nodes, and all that lead to them, come to run."""
        if not self._begun:
            self._begun = True
            for tree in self.guards():
                self.whole.add(self.encoder.truths(tree).true, *self._facts(references(tree)))
        wanted = set(nodes)
        wanted |= set().union(*(self.graph.ancestors[node] for node in wanted)) if wanted else set()
        for node in sorted(wanted - self._defined, key=self.graph.position.__getitem__):
            self._define(node)
            self._defined.add(node)

    @contextmanager
    def coming_to(self, node: str) -> Iterator[Prover]:
        """A prover over the runs that come to a node, as far as is known; over all values where none does."""
        self.define([node])
        self.whole.solver.push()
        try:
            if not self.graph.back:
                before = sorted(name for name in self.graph.ancestors[node] if self.choice(name) is not None)
                self.whole.add(self.names.runs(node), *(self.moves_on(name) for name in before))
            none = self.whole.can_hold() is False
            yield Prover(self.encoder) if none else self.whole
        finally:
            self.whole.solver.pop()

    def guards(self) -> Iterator[Tree]:
        """The conditions under which a run starts, but for those that the solver cannot be asked about."""
        for guard in self.workflow.guards:
            try:
                self.encoder.truths(guard.condition)
            except Opaque as fault:
                self.opaque["guards"] = fault.why
            else:
                yield guard.condition

    def _define(self, node: str) -> None:
        entering = [self.names.taken(link.index) for link in self.graph.into[node]]
        runs, succeeds = self.names.runs(node), self.names.succeeds(node)
        self.whole.add(runs == (self.encoder.any(entering) if entering else self.encoder.yes))
        failing = [link.index for link in self.graph.out[node] if not link.on_success]
        self.whole.add(either(negation(succeeds), runs) if failing else succeeds == runs)
        for index in failing:
            self.whole.add(self.names.taken(index) == both(runs, negation(succeeds)))
        known = self.choice(node)
        for index in self.edges(node):
            if known is None:  # nothing is known of the choice: any edge may be taken
                self.whole.add(either(negation(self.names.taken(index)), succeeds))
            else:
                self.whole.add(self.names.taken(index) == both(succeeds, known.taken[index]))
        if self.workflow.nodes[node].type == CONTROL_END:
            for link in self.graph.out[node]:
                self.whole.add(negation(self.names.taken(link.index)))
        self.whole.add(*self.judgements(node), *self._facts(self.reads(node)))

    def judgements(self, node: str) -> list[Formula]:
        """What the rule pack of a node says of its outputs, as far as conditions read them."""
        if node not in self.tables or node == self.unjudged or not self._says_something(node):
            return []
        if node not in self._judgements:
            fields, succeeds = self._judged[node], self.names.succeeds(node)
            self._judgements[node] = table_formulas(self.encoder, self.tables[node], fields, succeeds)
        return self._judgements[node]

    def _says_something(self, node: str) -> bool:
        """Whether conditions read what a rule pack says, or it computes something, and so may fail."""
        return bool(self._judged[node] or self.tables[node].formulas)

    def reads(self, node: str) -> tuple[Ref, ...]:
        """What the choice of a node hangs on, and what it says of the choices of others."""
        told = node in self.tables and self._says_something(node)
        table = (*self.tables[node].reads, *self._judged[node]) if told else ()
        return tuple(dict.fromkeys((*(ref for tree in self.trees(node) for ref in references(tree)), *table)))

    def _facts(self, refs: Iterable[Ref]) -> list[Formula]:
        """What holds for references, as far as the solver was not told yet."""
        new: list[Formula] = []
        for ref in dict.fromkeys(refs):
            facts = self.encoder.facts([ref])
            new += facts[self._told.get(ref, 0) :]
            self._told[ref] = len(facts)
        return new

    def moves_on(self, node: str) -> Formula:
        """That the choice of a node, if it comes to it, is neither open nor of several."""
        if node not in self._moves:
            known = self.choice(node)
            open_choice = self.encoder.no if known is None else either(known.unknown, known.overlap, known.gap)
            self._moves[node] = negation(both(self.names.succeeds(node), open_choice))
        return self._moves[node]

    def _before(self, nodes: Iterable[str]) -> set[str]:
        return set().union(*(self.graph.ancestors[node] for node in nodes))

    def can(self, nodes: Iterable[str], formulas: Iterable[Formula]) -> bool | None:
        """Whether there is a run for which formulas hold, as `find` looks for one; None where that is not known."""
        nodes = tuple(nodes)
        before = self._before(nodes)
        self.define(nodes)
        if self.graph.back or "guards" in self.opaque or any(self.choice(node) is None for node in before):
            return None
        return self.whole.can_hold(*formulas, *(self.moves_on(node) for node in sorted(before)))

    def find(
        self, question: str, nodes: Iterable[str], formulas: Iterable[Formula], confirmed: Callable[[Example], bool]
    ) -> Example | bool | None:
        """A run for which formulas hold.

        Args:
            question: what is asked, in words.
            nodes: those that the formulas speak of; only they and what leads to them is looked at, and nothing that
                leads to them is stuck.
            confirmed: whether the walk through a run shows what was asked.

        Returns:
            The run; False where it is proved that there is none; None where that is not known.

        Raises:
            Contradiction: the walk does not confirm the run.
        """
        nodes, formulas = tuple(nodes), tuple(formulas)
        found = self.can(nodes, formulas)
        if not found:
            return found
        before = self._before(nodes)
        given = [*formulas, *(self.moves_on(node) for node in sorted(before))]
        example = self._example([node for node in self.graph.order if node in before or node in nodes], given)
        if confirmed(example):
            return example
        if example.rounded:
            return None
        raise Contradiction(question, example)

    def _example(self, near: list[str], given: list[Formula]) -> Example:
        model = self.whole.model()

        def holds(formula: Formula) -> bool:
            return holds_in(model, formula)

        running = [node for node in near if holds(self.names.runs(node))]
        way = [self.names.taken(link.index) for node in running for link in self.graph.out[node]]
        same = [taken if holds(taken) else negation(taken) for taken in way]
        read = dict.fromkeys(ref for node in running for ref in self.reads(node))
        return self._replayed(self.whole.plain_model([*given, *same], read) or model, near)

    def trees(self, node: str) -> Iterator[Tree]:
        """The conditions among which a node chooses."""
        yield from conditions(self.edges(node)).values()

    def _replayed(self, model: Any, near: list[str]) -> Example:
        def holds(formula: Formula) -> bool:
            return holds_in(model, formula)

        running = [node for node in near if holds(self.names.runs(node))]
        read = [ref for node in running for ref in self.reads(node)]
        read += [ref for guard in self.workflow.guards for ref in references(guard.condition)]
        inputs: dict[str, JsonValue] = {}
        outputs: dict[str, dict[str, JsonValue]] = {}
        for node in running:
            if self.workflow.nodes[node].type != CONTROL_END:
                outputs[node] = {} if holds(self.names.succeeds(node)) else {ERROR_KEY: "FAILED"}
        for ref in dict.fromkeys(read):
            if ref.root == "inputs":
                self._put(inputs, ref, ref.path, model)
            elif ref.node in outputs and ERROR_KEY not in outputs[ref.node]:
                self._put(outputs[ref.node], ref, ref.path[1:], model)
        part, kept = restrict_to(self.workflow, near)
        gone = walk(part, inputs, outputs)
        stuck, came_by = gone.undecided, dict[str, tuple[Link, ...]]()
        for index, edge, state in zip(kept, part.edges, gone.edges, strict=True):
            if state == "taken":
                came_by[edge.target] = (*came_by.get(edge.target, ()), Link(index, edge))
        return Example(
            inputs,
            outputs,
            path=tuple(node for node in gone.path if node in near),
            came_by=came_by,
            succeeded=frozenset(node for node, state in gone.nodes.items() if state in ("succeeded", "undecided")),
            stuck=OpenChoice(stuck.why, tuple(kept[index] for index in stuck.edges)) if stuck else None,
            node=stuck.node if stuck else None,
            rounded=self.encoder.rounded or self.encoder.loose,
        )

    def _put(self, into: dict[str, JsonValue], ref: Ref, path: tuple[str, ...], model: Any) -> None:
        """Set what a reference reads; null as high up as it begins, left out where null is not legal there."""
        lead = len(ref.path) - len(path)
        for source in self.scope.null_sources(ref):
            if not holds_in(model, self.names.null(source)):
                continue
            path = source.path[lead:]
            spec = self.scope.spec(source)
            if not path or spec is None or not spec.nullable:
                return
            _set(into, path, None)
            return
        if path:
            _set(into, path, self.encoder.value(ref, model))


def _set(into: dict[str, JsonValue], path: tuple[str, ...], value: JsonValue) -> None:
    for name in path[:-1]:
        below_ = into.get(name)
        if not isinstance(below_, dict):
            below_ = {}
            into[name] = below_
        into = below_
    if value != {} or path[-1] not in into:
        into[path[-1]] = value


def restrict_to(workflow: Workflow, nodes: Iterable[str]) -> tuple[Workflow, tuple[int, ...]]:
    """The part of a workflow that some nodes make up; where they lead to others, it ends.

    Returns:
        The part, and for each of its edges the index in the whole.
    """
    kept = set(nodes)
    indexes = tuple(
        index for index, edge in enumerate(workflow.edges) if edge.source in kept and edge.target in workflow.nodes
    )
    edges = tuple(workflow.edges[index] for index in indexes)
    beyond = {edge.target for edge in edges} - kept
    ends = {name: Node(type=CONTROL_END) for name in workflow.nodes if name in beyond}
    own = {name: ends.get(name, node) for name, node in workflow.nodes.items() if name in kept | beyond}
    return workflow.model_copy(update={"nodes": own, "edges": edges, "outputs": {}}), indexes
