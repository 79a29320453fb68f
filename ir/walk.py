"""The walk: from inputs and recorded node outputs to the path that a workflow takes, and the result.

Nothing is executed here. The same function serves dry runs, gold scenarios, proofs of witnesses and, later, replay.
"""

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from math import inf
from typing import Literal, cast

from pydantic import JsonValue

from ir.predicate import Always, AnyCondition, Operand, Otherwise, Ref, Tree, Truth, evaluate, references
from ir.procedure import EndStatus
from ir.workflow import CONTROL_END, Edge, Workflow

NodeState = Literal["succeeded", "failed", "skipped", "undecided", "pending"]
EdgeState = Literal["taken", "dead", "unresolved"]
RunStatus = EndStatus | Literal["undecided"]
Why = Literal["unknown", "overlap", "no-way-on"]
ERROR_KEY = "$error"
_GRAVITY: dict[RunStatus, int] = {"completed": 0, "returned": 1, "rejected": 2, "cancelled": 3, "failed": 4}


@dataclass(frozen=True)
class Recorded:
    """What one node gave in a run: an output object, or the error code with which it failed; neither: no output.

    A plain mapping may stand in its place, as in scenarios: `{"level": 2}` is an output, `{"$error": "TIMEOUT"}` a
    failure.
    """

    output: Mapping[str, JsonValue] | None = None
    error: str | None = None

    def __post_init__(self) -> None:
        if self.output is not None and self.error is not None:
            raise ValueError("a node either gives an output or fails")

    @classmethod
    def read(cls, record: "RecordedOutput") -> "Recorded":
        """The record as such, whichever of the two forms it has.

        Raises:
            ValueError: `$error` is no text, or stands beside outputs.

        >>> Recorded.read({"$error": "TIMEOUT"})
        Recorded(output=None, error='TIMEOUT')
        """
        if isinstance(record, Recorded):
            return record
        if ERROR_KEY not in record:
            return cls(output=record)
        error = record[ERROR_KEY]
        if len(record) > 1 or not isinstance(error, str):
            raise ValueError(f"{ERROR_KEY} holds an error code and stands alone")
        return cls(error=error)


RecordedOutput = Recorded | Mapping[str, JsonValue]


@dataclass(frozen=True)
class Undecided:
    """Where the walk stopped, and why.

    Args:
        node: the node whose way out is open; None where a guard is (then `guard` is its index).
        why: `unknown` values matter, edges `overlap`, or there is `no-way-on`.
        edges: indexes of the edges that are unknown, that overlap, or that are all false.
        unknown: the references without a value that the unknown conditions read.
    """

    node: str | None
    why: Why
    edges: tuple[int, ...] = ()
    guard: int | None = None
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class WalkResult:
    """How the run ended: the worst end reached, the first of equals.

    Args:
        reason_code: of that end, of the guard that rejected, or the error code of the node that failed.
        outputs: the workflow's outputs; null where what they refer to has no value.
        details: the value of that end's input `details`.
    """

    status: RunStatus
    reason_code: str | None = None
    outputs: Mapping[str, JsonValue] = field(default_factory=dict)
    details: JsonValue = None


@dataclass(frozen=True)
class Walk:
    """One walk through a workflow.

    Args:
        path: ids of the nodes that ran, in their order: topological, ties by the order in the file.
        nodes: the state of each node; `pending` was not reached because the walk stopped.
        edges: the state of each edge, by index.
        missing_inputs: required inputs without a value; the walk goes on, with null in their place.
        undeclared: inputs given and outputs recorded that the workflow does not know, as references; none is read.
    """

    path: tuple[str, ...]
    nodes: Mapping[str, NodeState]
    edges: tuple[EdgeState, ...]
    result: WalkResult
    undecided: Undecided | None = None
    missing_inputs: tuple[str, ...] = ()
    undeclared: tuple[str, ...] = ()


def walk(workflow: Workflow, inputs: Mapping[str, JsonValue], outputs: Mapping[str, RecordedOutput]) -> Walk:
    """Walk a workflow with these inputs, each node giving what is recorded for it.

    A node without a record counts as succeeded with every output missing; a `control.end` needs none. Inputs that are
    absent take their default; a null that is given stays null. References to nodes that did not succeed give null.
    A failure that no error edge leads on stops the walk, as does a node whose way out is undecided.

    Args:
        outputs: by node id.

    Raises:
        ValueError: the graph has a cycle, an edge names a node that does not exist, or a record is malformed.
    """
    order = topological_order(workflow)
    return _Walker(workflow, inputs, outputs).walk(order)


def topological_order(workflow: Workflow) -> tuple[str, ...]:
    """The ids of the nodes, each after all that lead to it; ties by the order in the file.

    Raises:
        ValueError: the graph has a cycle, or an edge names a node that does not exist.
    """
    for edge in workflow.edges:
        for end in (edge.source, edge.target):
            if end not in workflow.nodes:
                raise ValueError(f"edge {edge.source}->{edge.target}: there is no node {end!r}")
    order = in_order(list(workflow.nodes), [(edge.source, edge.target) for edge in workflow.edges])
    if len(order) < len(workflow.nodes):
        left = sorted(set(workflow.nodes) - set(order))
        raise ValueError("the graph has a cycle through some of " + ", ".join(left))
    return order


def in_order(names: Sequence[str], pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The names, each after all that lead to it, ties in their own order (Kahn 1962); those of a cycle are left out.

    Args:
        pairs: (source, target), both among the names.

    >>> in_order(["c", "a", "b"], [("a", "c")])
    ('a', 'c', 'b')
    """
    rank = {name: index for index, name in enumerate(names)}
    waiting = dict.fromkeys(names, 0)
    after: dict[str, list[str]] = {name: [] for name in names}
    for source, target in pairs:
        waiting[target] += 1
        after[source].append(target)
    ready = [rank[name] for name, count in waiting.items() if not count]
    order: list[str] = []
    while ready:
        name = names[heapq.heappop(ready)]
        order.append(name)
        for target in after[name]:
            waiting[target] -= 1
            if not waiting[target]:
                heapq.heappush(ready, rank[target])
    return tuple(order)


@dataclass(frozen=True)
class OpenChoice:
    """The edges of a node cannot be chosen, and why; `edges` are the indexes concerned."""

    why: Why
    edges: tuple[int, ...]


def choose(
    edges: Mapping[int, Edge], split: Literal["exclusive", "inclusive"], truth: Callable[[Tree], Truth]
) -> frozenset[int] | OpenChoice:
    """Which of the edges that leave a node are taken.

    Edges without condition always are. `inclusive` adds every true edge; `exclusive` the one true edge of the smallest
    priority number (none comes last). `otherwise` is for when all conditional edges are false.

    Args:
        edges: at least one, by index, all for the same outcome of the node.
        truth: gives the truth of a condition.

    Returns:
        The indexes; or Open where an unknown could change the choice, where more than one true edge has the smallest
        priority number, or where no edge at all is taken.
    """
    truths = {
        index: truth(edge.condition)
        for index, edge in edges.items()
        if not isinstance(edge.condition, Always | Otherwise)
    }
    true = {index for index, value in truths.items() if value}
    unknown = {index for index, value in truths.items() if value is None}
    return choose_among(edges, split, true, unknown, edges_without_test(edges))


def edges_without_test(edges: Mapping[int, Edge]) -> tuple[frozenset[int], frozenset[int]]:
    """The edges without condition, and those for the rest, by index."""
    always = frozenset(index for index, edge in edges.items() if isinstance(edge.condition, Always))
    return always, frozenset(index for index, edge in edges.items() if isinstance(edge.condition, Otherwise))


def choose_among(
    edges: Mapping[int, Edge],
    split: Literal["exclusive", "inclusive"],
    true: Set[int],
    unknown: Set[int],
    untested: tuple[frozenset[int], frozenset[int]],
) -> frozenset[int] | OpenChoice:
    """As `choose`, where it is known which conditions are true, and which are unknown.

    Args:
        untested: see `edges_without_test`.
    """
    always, otherwise = untested
    if split == "exclusive" and true:
        first = min(_rank(edges[index]) for index in true)
        true = {index for index in true if _rank(edges[index]) == first}
        if len(true) > 1:
            return OpenChoice("overlap", tuple(sorted(true)))
        unknown = {index for index in unknown if _rank(edges[index]) < first}
    if unknown:
        return OpenChoice("unknown", tuple(sorted(unknown)))
    taken = always | (true or otherwise)
    return taken if taken else OpenChoice("no-way-on", tuple(edges))


def _rank(edge: Edge) -> float:
    return inf if edge.priority is None else edge.priority


class _Walker:
    """The state of one walk while it is under way."""

    def __init__(
        self, workflow: Workflow, inputs: Mapping[str, JsonValue], outputs: Mapping[str, RecordedOutput]
    ) -> None:
        self.workflow = workflow
        self.inputs = {name: inputs.get(name, spec.default) for name, spec in workflow.inputs.items()}
        self.missing = tuple(
            name
            for name, spec in workflow.inputs.items()
            if self.inputs[name] is None and spec.is_required and not (spec.nullable and name in inputs)
        )
        self.undeclared = tuple(f"$.inputs.{name}" for name in inputs if name not in workflow.inputs)
        self.undeclared += tuple(f"$.outputs.{name}" for name in outputs if name not in workflow.nodes)
        self.records = {name: Recorded.read(record) for name, record in outputs.items()}
        self.leaving: dict[str, list[tuple[int, Edge]]] = {name: [] for name in workflow.nodes}
        for index, edge in enumerate(workflow.edges):
            self.leaving[edge.source].append((index, edge))
        self.states: dict[str, NodeState] = dict.fromkeys(workflow.nodes, "pending")
        self.edges: list[EdgeState] = ["unresolved"] * len(workflow.edges)
        self.path: list[str] = []
        self.ends: list[WalkResult] = []
        self.undecided: Undecided | None = None

    def walk(self, order: tuple[str, ...]) -> Walk:
        """Take the nodes in turn until all are resolved or the walk must stop."""
        if self._guards_hold():
            entered = {edge.target for edge in self.workflow.edges}
            reached = set(order) - entered
            for name in order:
                if name not in reached:
                    self.states[name] = "skipped"
                    self._resolve(name, frozenset())
                    continue
                self.path.append(name)
                taken = self._run(name)
                if taken is None:
                    break
                self._resolve(name, taken)
                reached |= {self.workflow.edges[index].target for index in taken}
        return Walk(
            path=tuple(self.path),
            nodes=self.states,
            edges=tuple(self.edges),
            result=self._result(),
            undecided=self.undecided,
            missing_inputs=self.missing,
            undeclared=self.undeclared,
        )

    def _guards_hold(self) -> bool:
        """Whether all guards hold; the first that does not decides what becomes of the run."""
        for index, guard in enumerate(self.workflow.guards):
            truth = evaluate(guard.condition, self.lookup)
            if truth is None:
                self.undecided = Undecided(None, "unknown", guard=index, unknown=self._unknown(guard.condition))
            if truth is False:
                self.ends.append(WalkResult("rejected", guard.error_code))
            if not truth:
                return False
        return True

    def _run(self, name: str) -> frozenset[int] | None:
        """Let a node succeed or fail as recorded; the edges then taken, or None where the walk stops."""
        node = self.workflow.nodes[name]
        if node.type == CONTROL_END:
            self.states[name] = "succeeded"
            details = self._value(node.inputs["details"]) if "details" in node.inputs else None
            self.ends.append(WalkResult(node.status or "completed", node.reason_code, details=details))
            return frozenset()
        error = self.records.get(name, Recorded()).error
        self.states[name] = "succeeded" if error is None else "failed"
        side = "success" if error is None else "error"
        ways = {index: edge for index, edge in self.leaving[name] if edge.on == side}
        if not ways:
            self.ends.append(WalkResult("completed") if error is None else WalkResult("failed", error))
            if error is not None:
                self._resolve(name, frozenset())
            return frozenset() if error is None else None
        chosen = choose(ways, node.split or "exclusive", lambda tree: evaluate(tree, self.lookup))
        if isinstance(chosen, OpenChoice):
            conditions = [ways[index].condition for index in chosen.edges] if chosen.why == "unknown" else []
            self.undecided = Undecided(name, chosen.why, chosen.edges, unknown=self._unknown(*conditions))
            self.states[name] = "undecided"
            return None
        return chosen

    def _resolve(self, name: str, taken: frozenset[int]) -> None:
        """Mark the edges that leave a node."""
        for index, _ in self.leaving[name]:
            self.edges[index] = "taken" if index in taken else "dead"

    def _result(self) -> WalkResult:
        """The worst end reached; outputs that refer to nodes without an output are null."""
        outputs = {name: self._value(value) for name, value in self.workflow.outputs.items()}
        if self.undecided:
            return WalkResult("undecided", outputs=outputs)
        worst = max(self.ends, key=lambda end: _GRAVITY[end.status], default=WalkResult("completed"))
        return replace(worst, outputs=outputs)

    def _value(self, operand: Operand) -> JsonValue:
        return self.lookup(operand) if isinstance(operand, Ref) else operand.value

    def _unknown(self, *conditions: AnyCondition) -> tuple[str, ...]:
        read = (ref for condition in conditions for ref in references(condition))
        return tuple(dict.fromkeys(ref.text for ref in read if self.lookup(ref) is None))

    def lookup(self, ref: Ref) -> JsonValue:
        """The value of a reference now; None where it is null or there is none."""
        value: object = self.inputs if ref.root == "inputs" else None
        path = ref.path
        if ref.node is not None and self.states.get(ref.node) in ("succeeded", "undecided"):
            value, path = self.records.get(ref.node, Recorded()).output, path[1:]
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return cast(JsonValue, value)
