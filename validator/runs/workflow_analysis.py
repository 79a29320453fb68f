"""Questions about all runs of a workflow: what can run together, what may be missed, where null arrives.

Every question is answered over the graph by free choice: each node may take any of the sets of edges that its own
conditions allow (`branch_outcomes`), whatever others took. Two conditions of different nodes that exclude each other
are not seen to do so: an answer "it cannot happen" is certain; an answer "it can" is for `validator.proofs` to confirm.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from pydantic import JsonValue

from catalog.load import Catalog
from ir.fields import FieldSpec
from ir.predicate import Operand, Ref, evaluate, references
from ir.workflow import CONTROL_END, HUMAN_APPROVAL, Workflow
from validator.analysis.branch_outcomes import BranchOutcomes, Choice, Fixed, branch_outcomes
from validator.analysis.call_graph import CallGraph, call_nodes, call_reference
from validator.analysis.enumeration import space_of
from validator.analysis.graph import Graph, Link, completing_ends, graph_of
from validator.analysis.types import Scope, below, result_fields, whole_output
from validator.proofs.branches import Answer
from validator.proofs.proofs import Proofs

WithNulls = Literal["none", "possible"]
Reached = Mapping[str, Link | None]


@dataclass(frozen=True, eq=False)
class Analysis:
    """A workflow with its catalog, its graph and what was found out about its runs so far."""

    workflow: Workflow
    catalog: Catalog
    call_graph: CallGraph = field(default_factory=CallGraph)
    _branch_outcomes: dict[tuple[str, str, WithNulls], BranchOutcomes] = field(default_factory=dict)
    _compatible_edges: dict[str, "CompatibleEdges"] = field(default_factory=dict)
    _without: dict[tuple[frozenset[str], bool], Reached] = field(default_factory=dict)
    _null: dict[Ref, frozenset[str]] = field(default_factory=dict)
    _steered: dict[Ref, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def graph(self) -> Graph:
        """The graph, without broken edges and cycles."""
        return graph_of(self.workflow)

    @cached_property
    def scope(self) -> Scope:
        """The types of inputs and outputs; what a called workflow gives is that of its completed runs."""
        known = self.call_graph.outputs
        inner = [self.call_graph.find(call) for _, call in call_nodes(self.workflow)]
        deeper = {call_reference(each): each for one in inner if one for each in self.call_graph.callees_first(one)}
        waiting = {call: each for call, each in deeper.items() if call not in known}
        known |= {call: {} for call in waiting}  # in a ring, what is not known yet gives nothing
        for call, each in waiting.items():
            run = self.analysis_of_called(each)
            outputs = {name: run.completed_field(value) for name, value in each.outputs.items()}
            known[call] = {**outputs, **result_fields(each)}
        return Scope(self.workflow, self.catalog, self.call_graph)

    def analysis_of_called(self, workflow: Workflow) -> "Analysis":
        """The analysis of a workflow that this one calls."""
        return Analysis(workflow, self.catalog, self.call_graph)

    @cached_property
    def has_all_edges(self) -> bool:
        """Whether the graph has every edge of the workflow."""
        return len(self.graph.links) == len(self.workflow.edges)

    @cached_property
    def completing_ends(self) -> frozenset[str]:
        """The nodes with which a run can be completed and which some run enters."""
        return completing_ends(self.workflow) & self.reachable_nodes().keys()

    def completed_field(self, value: Operand) -> FieldSpec | None:
        """The field that holds a value where a run is completed; None where it is not known."""
        spec = self.scope.field_of(value)
        if spec is None or not spec.nullable or not isinstance(value, Ref) or not self.has_all_edges:
            return spec
        surely = all(self._given_by_completion(source) for source in self.scope.null_sources(value))
        return spec.model_copy(update={"nullable": False}) if surely else spec

    def _given_by_completion(self, source: Ref) -> bool:
        """Whether no run is completed in which a field is null: each leads to other ends, and all runs give it."""
        if source.node is not None and not all(source.node in self.dominators[end] for end in self.completing_ends):
            return False
        nulls = self.nodes_running_with_null(source)
        open_ = any(self.branch_outcomes(node, {source: None}).stuck for node in nulls)  # a person leads on from there
        return not open_ and self.completing_ends.isdisjoint(nulls)

    @cached_property
    def proofs(self) -> Proofs:
        """What is proved of the runs, where free choice leaves a doubt."""
        return Proofs(self.workflow, self.graph, self.scope, self.dominators)

    @cached_property
    def dominators(self) -> Mapping[str, frozenset[str]]:
        """For each node those that every path to it passes on success, itself among them."""
        found: dict[str, frozenset[str]] = {}
        for node in self.graph.order:
            before = [
                found[link.source] - (set() if link.on_success else {link.source}) for link in self.graph.into[node]
            ]
            found[node] = (frozenset.intersection(*before) if before else frozenset()) | {node}
        return found

    def branch_outcomes(self, node: str, fixed: Fixed | None = None, nulls: WithNulls = "possible") -> BranchOutcomes:
        """What a node can do.

        Args:
            fixed: references whose value is given.
            nulls: which of the others are tried with null: `none`, or all for which their type or an absent node makes
                it `possible`.
        """
        fixed = fixed or {}
        relevant = {ref: value for ref, value in fixed.items() if node in self._steered_by(ref)}
        key = (node, _key(relevant), nulls)
        if key not in self._branch_outcomes:
            ends = self.workflow.nodes[node].type == CONTROL_END
            links = () if ends else self.graph.out[node]
            split = self.workflow.nodes[node].split or "exclusive"
            asked = {"none": _never, "possible": self.null_sources}[nulls]
            self._branch_outcomes[key] = branch_outcomes(
                links, split, self.scope.spec, relevant, lambda ref: asked(ref, node)
            )
        return self._branch_outcomes[key]

    @cached_property
    def _takeable(self) -> frozenset[int]:
        """The edges, by index, that can be taken where no value is given."""
        outcomes = (self.branch_outcomes(node) for node in self.graph.order)
        return frozenset(index for own in outcomes for choice in own.choices for index in choice.taken)

    def _steered_by(self, ref: Ref) -> frozenset[str]:
        """The nodes whose choice reads a reference, or something below it."""
        if ref not in self._steered:
            steering = self._steering.items()
            self._steered[ref] = frozenset(node for node, read in steering if any(below(one, ref) for one in read))
        return self._steered[ref]

    @cached_property
    def _steering(self) -> Mapping[str, tuple[Ref, ...]]:
        """What the conditions of the edges that leave each node read."""
        return {
            node: tuple(dict.fromkeys(read for link in links for read in references(link.edge.condition)))
            for node, links in self.graph.out.items()
        }

    def null_sources(self, ref: Ref, node: str) -> tuple[Ref, ...]:
        """From where null can come to a reference at a node, by types or an absent node; not whether it does."""
        absent = ref.node is not None and ref.node not in self.dominators.get(node, frozenset((ref.node,)))
        return (*((whole_output(ref),) if absent else ()), *self.scope.null_sources(ref))

    @cached_property
    def runs_in_parallel(self) -> bool:
        """Whether a run may take several ways at once."""
        nodes = self.graph.order
        return len(self.graph.entries) > 1 or any(
            len(c.taken) > 1 for node in nodes for c in self.branch_outcomes(node).choices
        )

    def reachable_nodes(
        self, fixed: Fixed | None = None, blocked: Iterable[str] = (), start: Iterable[str] | None = None
    ) -> Reached:
        """The nodes that some run enters, given these values; blocked nodes are entered but, on success, not left.

        Args:
            start: where it is looked from, which succeed; None: the nodes that no edge enters.
        """
        begun = tuple(start or ())
        led = self._leads(fixed or {}, frozenset(blocked), begun)
        return self.graph.reach(self.graph.entries if start is None else begun, led)

    def _leads(self, fixed: Fixed, closed: Set[str], begun: Sequence[str] = ()) -> Callable[[Link], bool]:
        """Whether an edge can be taken, given these values, past nodes that are not left on success or do not fail."""
        steered = frozenset[str]().union(*(self._steered_by(ref) for ref in fixed))

        def led(link: Link) -> bool:
            if link.source in steered:
                possible = self.branch_outcomes(link.source, fixed).possible(link.index)
            else:
                possible = link.index in self._takeable
            return possible and link.source not in (closed if link.on_success else begun)

        return led

    def compatible_edges(self, fixed: Fixed | None = None) -> "CompatibleEdges":
        """Which edges can be taken in one run, given these values."""
        fixed = fixed or {}
        key = _key(fixed)
        if key not in self._compatible_edges:
            self._compatible_edges[key] = CompatibleEdges.from_choices(
                self.graph, {n: self.branch_outcomes(n, fixed).choices for n in self.graph.order}
            )
        return self._compatible_edges[key]

    def runs_together(self, first: str, second: str) -> bool:
        """Whether one run can come to both nodes; False is certain, True may be too cautious."""
        pairs, into = self.compatible_edges(), self.graph.into
        met = (pairs.compatible(left.index, right.index) for left in into[first] for right in into[second])
        reached = self.reachable_nodes()
        return first in reached and second in reached and (not into[first] or not into[second] or any(met))

    def nodes_running_without(self, missing: Iterable[str], *, failed: bool = True) -> Reached:
        """The nodes that run in some run in which none of these nodes gives an output.

        Args:
            failed: a node that fails and is led on by an error edge counts as giving none; False: it may not even run.
        """
        key = (frozenset(missing), failed)
        if key not in self._without:
            self._without[key] = self._reach_without(*key)
        return self._without[key]

    def _reach_without(self, missing: frozenset[str], failed: bool) -> Reached:
        """By turns from the end: a node can do without if some choice of it leads only to nodes that can."""
        leading = missing.union(*(self.graph.ancestors[node] for node in missing if node in self.graph.ancestors))
        allowed: dict[str, tuple[Choice, ...]] = {}
        for node in reversed(self.graph.order):
            choices = self.branch_outcomes(node).choices
            if node in missing:
                choices = tuple(choice for choice in choices if choice.failed and failed)
            targets = {link.index: link.target for link in self.graph.out[node]}
            allowed[node] = tuple(
                choice
                for choice in choices
                if all(allowed[targets[index]] or targets[index] not in leading for index in choice.taken)
            )
        if any(entry in leading and not allowed[entry] for entry in self.graph.entries):
            return {}
        taken = {index for choices in allowed.values() for choice in choices for index in choice.taken}
        return self.graph.reach(self.graph.entries, lambda link: link.index in taken)

    def nodes_running_with_null(self, source: Ref) -> frozenset[str]:
        """The nodes that can run when a field is null; of an output, after its node succeeded with it."""
        if source not in self._null:
            self._null[source] = self._null_reaches(source)
        return self._null[source]

    def _null_reaches(self, source: Ref) -> frozenset[str]:
        fixed: dict[Ref, JsonValue] = {source: None}
        if source.node is None:
            return frozenset(self.reachable_nodes(fixed)) if self._guards_can_hold(fixed) else frozenset()
        reached = self.reachable_nodes(fixed)
        if source.node not in reached:
            return frozenset()
        after = [node for node in reached if source.node in self.graph.ancestors[node]]
        readers = [node for node in after if self._reads(node, source)]
        pairs = self.compatible_edges(fixed) if readers else None
        succeeded = {
            index
            for choice in self.branch_outcomes(source.node, fixed).choices
            if not choice.failed
            for index in choice.taken
        }
        found = {source.node}
        found |= {
            node
            for node in after
            if pairs is None
            or any(pairs.compatible(link.index, index) for link in self.graph.into[node] for index in succeeded)
        }
        return frozenset(found)

    def _guards_can_hold(self, fixed: Fixed) -> bool:
        """Whether a run with these values can pass the guards; none that is false or unknown lets it."""
        for guard in self.workflow.guards:
            space = space_of([guard.condition], self.scope.spec, fixed, self.scope.null_sources)
            if space.small and space.exact and not any(evaluate(guard.condition, values) for values in space):
                return False
        return True

    def _reads(self, node: str, source: Ref) -> bool:
        reads = self.workflow.nodes[node].references.values()
        return node in self._steered_by(source) or any(below(ref, source) for ref in reads)

    @cached_property
    def unread_approvals(self) -> tuple[str, ...]:
        """The approvals whose decision no condition reads."""
        read = {ref.node for edge in self.workflow.edges for ref in references(edge.condition) if _reads_approval(ref)}
        return tuple(
            name for name, node in self.workflow.nodes.items() if node.type == HUMAN_APPROVAL and name not in read
        )

    @cached_property
    def unapproved_nodes(self) -> Reached:
        """The nodes that some run enters though nobody approves anything; an approval that nobody reads holds it up."""
        return self.graph.reach(self.graph.entries, self._leads_unapproved())

    @cached_property
    def unapproved_links(self) -> tuple[Link, ...]:
        """The edges that some run takes though nobody approves anything."""
        entered, led = self.unapproved_nodes, self._leads_unapproved()
        return tuple(link for link in self.graph.links if link.source in entered and led(link))

    def _leads_unapproved(self) -> Callable[[Link], bool]:
        approvals = [name for name, node in self.workflow.nodes.items() if node.type == HUMAN_APPROVAL]
        return self._leads({Ref(f"$.outputs.{name}.approved"): False for name in approvals}, {*self.unread_approvals})

    def unapproved_run(self, node: str) -> Answer:
        """A run that comes to a node though nobody approved anything before."""
        approvals = [name for name, own in self.workflow.nodes.items() if own.type == HUMAN_APPROVAL]
        return self.proofs.unapproved(node, approvals, self.unread_approvals)


def _reads_approval(ref: Ref) -> bool:
    return ref.root == "outputs" and ref.path[1:] == ("approved",)


def _never(ref: Ref, node: str) -> tuple[Ref, ...]:
    return ()


def _key(fixed: Fixed) -> str:
    return ";".join(sorted(f"{ref.text}={value!r}" for ref, value in fixed.items()))


@dataclass(frozen=True)
class CompatibleEdges:
    """For each edge, by index, the edges that can be taken in the same run, as bits of a number."""

    masks: Mapping[int, int]

    @classmethod
    def from_choices(cls, graph: Graph, choices: Mapping[str, tuple[Choice, ...]]) -> "CompatibleEdges":
        """Node by node: an edge goes with what goes with an edge that enters its node, and with its choice."""
        found: dict[int, int] = {}
        earlier = 0
        for node in graph.order:
            entering = [link.index for link in graph.into[node] if link.index in found]
            before = 0 if graph.into[node] else earlier
            for index in entering:
                before |= found[index] | 1 << index
            if graph.into[node] and not entering:
                continue
            leaving: dict[int, int] = {}
            for choice in choices[node]:
                group = sum(1 << index for index in choice.taken)
                for index in choice.taken:
                    leaving[index] = leaving.get(index, 0) | group
            for index, group in leaving.items():
                found[index] = before | (group & ~(1 << index))
            bits = sum(1 << index for index in leaving)
            for index in [index for index in found if before >> index & 1]:
                found[index] |= bits
            earlier |= bits
        return cls(found)

    def compatible(self, left: int, right: int) -> bool:
        """Whether two edges can be taken in the same run."""
        return left in self.masks and (left == right or bool(self.masks[left] >> right & 1))
