"""The walk: from inputs and recorded node outputs to the path that a workflow takes, and the result.

It drives a run with what is recorded. The same function serves dry runs, gold scenarios and proofs of witnesses.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from ir.walk.forms import EdgeState, NodeState, Undecided, WalkResult
from ir.walk.outcome import Outcome, RecordedOutput
from ir.walk.rules import outcome_by_rules
from ir.walk.run import Run, start
from ir.workflow import Workflow


@dataclass(frozen=True)
class Walk:
    """One walk through a workflow.

    Args:
        path: ids of the nodes that ran, in their order: topological, ties by the order in the file.
        nodes: the state of each node; `pending` was not reached because the walk stopped.
        edges: the state of each edge, by index.
        missing_inputs: required inputs without a value; the walk goes on, with null in their place.
        computed: by node what the rows of its rule pack gave, where that follows from the rows alone.
        undeclared: inputs given and outputs recorded that the workflow does not know, as references; none is read.
    """

    path: tuple[str, ...]
    nodes: Mapping[str, NodeState]
    edges: tuple[EdgeState, ...]
    result: WalkResult
    undecided: Undecided | None = None
    missing_inputs: tuple[str, ...] = ()
    undeclared: tuple[str, ...] = ()
    computed: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict)


def walk(workflow: Workflow, inputs: Mapping[str, JsonValue], outputs: Mapping[str, RecordedOutput]) -> Walk:
    """Walk a workflow with these inputs, each node giving what is recorded for it.

    A node without a record counts as succeeded with every output missing; a `control.end` needs none. Inputs that are
    absent take their default; a null that is given stays null. References to nodes that did not succeed give null.
    What a node computes by the rows of its rule pack is what they come to, whatever is recorded; where a formula has no
    value, as in a division by zero, the node fails. A failure that no error edge leads on stops the walk, as does a
    node whose way out is undecided.

    Args:
        outputs: by node id.

    Raises:
        ValueError: the graph has a cycle, an edge names a node that does not exist, or a record is malformed.
    """
    records = {name: Outcome.read(record) for name, record in outputs.items()}
    run = start(workflow, inputs)
    computed: dict[str, Mapping[str, JsonValue]] = {}
    while run.ready:
        name = run.ready[0].node
        by_rules = outcome_by_rules(run, name, records.get(name))
        if by_rules is not None and by_rules.output is not None:
            computed[name] = by_rules.output
        run = run.take(name, by_rules or records.get(name, Outcome()))
    nodes, edges = _up_to_the_stop(run)
    undeclared = [f"$.inputs.{name}" for name in inputs if name not in workflow.inputs]
    undeclared += [f"$.outputs.{name}" for name in outputs if name not in workflow.nodes]
    return Walk(
        path=run.path,
        nodes=nodes,
        edges=edges,
        result=run.result,
        undecided=run.undecided,
        missing_inputs=run.missing_inputs,
        undeclared=tuple(undeclared),
        computed=computed,
    )


def _up_to_the_stop(run: Run) -> tuple[Mapping[str, NodeState], tuple[EdgeState, ...]]:
    """The states, where of nodes that come after the one at which the run stopped nothing is said.

    A run knows at once what a choice skips, a walk when the turn comes to it.
    """
    if not run.stopped or not run.taken:
        return run.nodes, run.edges
    later = frozenset(run.order[run.order.index(run.taken[-1][0]) + 1 :])
    nodes: dict[str, NodeState] = {name: "pending" if name in later else state for name, state in run.nodes.items()}
    edges = zip(run.workflow.edges, run.edges, strict=True)
    return nodes, tuple("unresolved" if edge.source in later else state for edge, state in edges)
