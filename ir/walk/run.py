"""The stepper: a run of a workflow, one outcome at a time.

A `Run` says which nodes are ready, with their inputs resolved; `take` gives the run after the outcome of one of them;
when nothing is ready, `ending` says how it ended. Nothing is executed here, nothing waits, and there is no clock:
whoever drives a run (a dry run, an eval, a replay, an engine) brings the outcomes. A run can be stored as what it was
given and what it took (`ir.walk.state`), and everything else follows from that again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import cast

from pydantic import JsonValue

from ir.predicate import Always, AnyCondition, Operand, Otherwise, Ref, evaluate, references
from ir.source import Evidence
from ir.walk.choice import OpenChoice, choose
from ir.walk.forms import (
    GRAVITY,
    EdgeState,
    NodeState,
    Performer,
    Ready,
    Step,
    Undecided,
    WalkResult,
)
from ir.walk.order import topological_order
from ir.walk.outcome import Outcome
from ir.walk.results import given_by, values
from ir.workflow import CONTROL_CALL, CONTROL_END, CONTROL_START, Edge, Node, Workflow


@dataclass(frozen=True)
class _Plan:
    """What every step needs of a workflow's graph."""

    order: tuple[str, ...]
    rank: Mapping[str, int]
    entering: Mapping[str, tuple[int, ...]]
    leaving: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Run:
    """A run of a workflow so far.

    Args:
        inputs: of the workflow, with the defaults of those that were not given.
        given: as they were given.
        taken: the outcomes, in the order in which they came.
        nodes: the state of each node; `pending` is not reached, or ready.
        edges: the state of each edge, by index.
        stopped: nothing will become ready any more: a guard did not hold, a node failed without an error edge, or a
            choice is open.
    """

    workflow: Workflow = field(repr=False)
    given: Mapping[str, JsonValue]
    inputs: Mapping[str, JsonValue]
    taken: tuple[tuple[str, Outcome], ...]
    nodes: Mapping[str, NodeState]
    edges: tuple[EdgeState, ...]
    stopped: bool
    undecided: Undecided | None
    _entered: frozenset[str] = field(repr=False)
    _closed: int = field(repr=False)
    _ends: tuple[WalkResult, ...] = field(repr=False)
    _plan: _Plan = field(repr=False)

    @cached_property
    def outcomes(self) -> Mapping[str, Outcome]:
        """The outcomes by node."""
        return dict(self.taken)

    @cached_property
    def ready(self) -> tuple[Ready, ...]:
        """The nodes that wait for their outcomes, in topological order; none once the run stopped."""
        return () if self.stopped else tuple(map(self._ready, self._waiting))

    @property
    def under_way(self) -> tuple[str, ...]:
        """The nodes whose outcomes are still taken: those that are ready, or were when the run stopped."""
        return tuple(self._waiting)

    @property
    def order(self) -> tuple[str, ...]:
        """All nodes in topological order, ties by the order in the file."""
        return self._plan.order

    @property
    def path(self) -> tuple[str, ...]:
        """The nodes that ran, in topological order."""
        return tuple(name for name in self._plan.order if self.nodes[name] not in ("pending", "skipped"))

    @property
    def missing_inputs(self) -> tuple[str, ...]:
        """Required inputs without a value; null stands in their place."""
        return tuple(
            name
            for name, spec in self.workflow.inputs.items()
            if self.inputs[name] is None and spec.is_required and not (spec.nullable and name in self.given)
        )

    @property
    def ending(self) -> WalkResult | None:
        """How the run ended; None as long as nodes are ready."""
        return None if self.ready else self.result

    @property
    def result(self) -> WalkResult:
        """How the run would end if nothing more came: the worst end so far, with the outputs as they are."""
        ends = sorted(self._ends, key=lambda end: self._plan.rank.get(end.node or "", -1))
        given = given_by(self.workflow, () if self.undecided else ends, self._value, self._words)
        if self.undecided:
            end = WalkResult("undecided", node=self.undecided.node)
        else:
            end = max(ends, key=lambda end: GRAVITY[end.status], default=WalkResult("completed"))
        return replace(end, outputs=values(given), evidence=end.evidence or self._words(end.node), given=given)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The nodes that the run came to, in topological order, with what became of them."""
        came = [name for name in self._plan.order if self.nodes[name] != "skipped" and self._came_to(name)]
        return tuple(
            Step(
                name,
                self.nodes[name],
                self._by(self._plan.entering[name]),
                self.outcomes.get(name),
                self._by(self._plan.leaving[name]),
                self._words(name),
            )
            for name in came
        )

    def take(self, node: str, outcome: Outcome) -> "Run":
        """The run after the outcome of a node that is under way.

        Once a run stopped, what is still under way may end; its outcome is kept and leads nowhere.

        Raises:
            ValueError: the node is not under way.
        """
        if node not in self._waiting:
            known = ", ".join(self._waiting) or "no node"
            raise ValueError(f"{node!r} waits for no outcome; what does: {known}")
        return _Progress(self).take(node, outcome).run()

    def lookup(self, ref: Ref) -> JsonValue:
        """The value of a reference now; None where it is null or there is none."""
        return _lookup(ref, self.inputs, self.nodes, self.outcomes)

    @cached_property
    def _waiting(self) -> tuple[str, ...]:
        waiting = (name for name in self._entered if self.workflow.nodes[name].type != CONTROL_END)
        return tuple(sorted(waiting, key=self._plan.rank.__getitem__))

    def _ready(self, name: str) -> Ready:
        node = self.workflow.nodes[name]
        inputs = {key: self._value(value) for key, value in node.inputs.items()}
        return Ready(name, node.type, inputs, performer(node))

    def _came_to(self, name: str) -> bool:
        return self.nodes[name] != "pending" or name in self._entered

    def _by(self, edges: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(index for index in edges if self.edges[index] == "taken")

    def _words(self, name: str | None) -> tuple[Evidence, ...]:
        if name is None:
            return ()
        edges = (self.workflow.edges[index] for index in self._by(self._plan.entering[name]))
        return (*self.workflow.nodes[name].evidence, *(one for edge in edges for one in edge.evidence))

    def _value(self, operand: Operand) -> JsonValue:
        return self.lookup(operand) if isinstance(operand, Ref) else operand.value


def start(workflow: Workflow, inputs: Mapping[str, JsonValue]) -> Run:
    """A run that begins.

    Inputs that are absent take their default; a null that is given stays null. Guards are looked at first: the first
    that does not hold stops the run.

    Args:
        inputs: those that the workflow does not declare are not read.

    Raises:
        ValueError: the graph has a cycle, or an edge names a node that does not exist.
    """
    order = topological_order(workflow)
    entering: dict[str, list[int]] = {name: [] for name in order}
    leaving: dict[str, list[int]] = {name: [] for name in order}
    for index, edge in enumerate(workflow.edges):
        entering[edge.target].append(index)
        leaving[edge.source].append(index)
    plan = _Plan(
        order,
        {name: index for index, name in enumerate(order)},
        {name: tuple(found) for name, found in entering.items()},
        {name: tuple(found) for name, found in leaving.items()},
    )
    nodes: dict[str, NodeState] = dict.fromkeys(workflow.nodes, "pending")
    edges: list[EdgeState] = ["unresolved"] * len(workflow.edges)
    blank = Run(
        workflow=workflow,
        given=dict(inputs),
        inputs={name: inputs.get(name, spec.default) for name, spec in workflow.inputs.items()},
        taken=(),
        nodes=nodes,
        edges=tuple(edges),
        stopped=False,
        undecided=None,
        _entered=frozenset(),
        _closed=0,
        _ends=(),
        _plan=plan,
    )
    return _Progress(blank).begin().run()


def performer(node: Node) -> Performer:
    """Who carries a node out."""
    if node.type.startswith("human."):
        return "person"
    if node.rule_pack is not None:
        return "rules"
    if node.type == CONTROL_CALL:
        return "workflow"
    return "nobody" if node.type in (CONTROL_START, CONTROL_END) else "system"


def _lookup(
    ref: Ref, inputs: Mapping[str, JsonValue], nodes: Mapping[str, NodeState], outcomes: Mapping[str, Outcome]
) -> JsonValue:
    value: object = inputs if ref.root == "inputs" else None
    path = ref.path
    if ref.node is not None and nodes.get(ref.node) in ("succeeded", "undecided"):
        value, path = outcomes.get(ref.node, Outcome()).output, path[1:]
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return cast(JsonValue, value)


class _Progress:
    """A run while one outcome is worked into it."""

    def __init__(self, run: Run) -> None:
        self._run, self.workflow, self.plan = run, run.workflow, run._plan
        self.taken, self.outcomes = list(run.taken), dict(run.outcomes)
        self.nodes, self.edges = dict(run.nodes), list(run.edges)
        self.entered, self.closed, self.ends = set(run._entered), run._closed, list(run._ends)
        self.stopped, self.undecided = run.stopped, run.undecided

    def run(self) -> Run:
        """The run that came of it."""
        return Run(
            workflow=self.workflow,
            given=self._run.given,
            inputs=self._run.inputs,
            taken=tuple(self.taken),
            nodes=self.nodes,
            edges=tuple(self.edges),
            stopped=self.stopped,
            undecided=self.undecided,
            _entered=frozenset(self.entered),
            _closed=self.closed,
            _ends=tuple(self.ends),
            _plan=self.plan,
        )

    def begin(self) -> "_Progress":
        """Look at the guards; where all hold, the nodes that no edge enters are reached."""
        for index, guard in enumerate(self.workflow.guards):
            truth = evaluate(guard.condition, self._lookup)
            if truth is None:
                self.undecided = Undecided(None, "unknown", guard=index, unknown=self._unknown(guard.condition))
            if truth is False:
                self.ends.append(WalkResult("rejected", guard.error_code, evidence=guard.evidence))
            if not truth:
                self.stopped = True
                return self
        self.entered |= {name for name, edges in self.plan.entering.items() if not edges}
        self._close_ends()
        return self

    def take(self, name: str, outcome: Outcome) -> "_Progress":
        """Let a node succeed or fail, and what follows from that."""
        self.taken.append((name, outcome))
        self.outcomes[name] = outcome
        self.entered.discard(name)
        self.nodes[name] = "failed" if outcome.failed else "succeeded"
        if self.stopped:
            return self
        on = "error" if outcome.failed else "success"
        ways = {index: edge for index in self.plan.leaving[name] if (edge := self.workflow.edges[index]).on == on}
        chosen = self._choose(name, ways) if ways else frozenset[int]()
        if isinstance(chosen, OpenChoice):
            conditions = [ways[index].condition for index in chosen.edges] if chosen.why == "unknown" else []
            self.undecided = Undecided(name, chosen.why, chosen.edges, unknown=self._unknown(*conditions))
            self.nodes[name], self.stopped = "undecided", True
            return self
        if not ways:
            self.ends.append(WalkResult("failed" if outcome.failed else "completed", outcome.error, node=name))
            self.stopped = outcome.failed
        self._resolve(name, chosen)
        self._close_ends()
        return self

    def _choose(self, name: str, ways: Mapping[int, Edge]) -> frozenset[int] | OpenChoice:
        split = self.workflow.nodes[name].split or "exclusive"
        return choose(ways, split, lambda tree: evaluate(tree, self._lookup))

    def _resolve(self, name: str, taken: frozenset[int]) -> None:
        """Settle the edges that leave a node; what they lead to is reached or skipped once all into it are settled."""
        settled = [(name, taken)]
        while settled:
            source, chosen = settled.pop()
            for index in self.plan.leaving[source]:
                self.edges[index] = "taken" if index in chosen else "dead"
            if self.stopped:
                return
            for target in dict.fromkeys(self.workflow.edges[index].target for index in self.plan.leaving[source]):
                states = {self.edges[index] for index in self.plan.entering[target]}
                if states == {"dead"}:
                    self.nodes[target] = "skipped"
                    settled.append((target, frozenset()))
                elif "unresolved" not in states:
                    self.entered.add(target)

    def _close_ends(self) -> None:
        """Close the ends whose turn it is: all nodes before them in topological order are settled."""
        while not self.stopped and self.closed < len(self.plan.order):
            name = self.plan.order[self.closed]
            node = self.workflow.nodes[name]
            if self.nodes[name] == "pending":
                if node.type != CONTROL_END or name not in self.entered:
                    return
                self.entered.discard(name)
                self.nodes[name] = "succeeded"
                details = self._value(node.inputs["details"]) if "details" in node.inputs else None
                gives = {key: self._value(value) for key, value in (node.results or {}).items()}
                self.ends.append(WalkResult(node.status or "completed", node.reason_code, gives, details, name))
                self._resolve(name, frozenset())
            self.closed += 1

    def _unknown(self, *conditions: AnyCondition) -> tuple[str, ...]:
        trees = (one for one in conditions if not isinstance(one, Always | Otherwise))
        read = (ref for tree in trees for ref in references(tree))
        return tuple(dict.fromkeys(ref.text for ref in read if self._lookup(ref) is None))

    def _value(self, operand: Operand) -> JsonValue:
        return self._lookup(operand) if isinstance(operand, Ref) else operand.value

    def _lookup(self, ref: Ref) -> JsonValue:
        return _lookup(ref, self._run.inputs, self.nodes, self.outcomes)
