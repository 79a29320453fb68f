"""Runs of a draft on rows: the stepper, driven with the benchmark's tools."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from catalog.load import Catalog
from catalog.node_type import NodeType
from evals.sopbench.names import plain
from evals.sopbench.tools import RESULT, Tools
from evals.sopbench.true_path import system_names, tool_name
from evals.sopbench.values import Unfit, typed
from ir.predicate import Ref
from ir.walk import Outcome, Ready, Run, WalkResult, rules_outcome, start
from ir.workflow import HUMAN_TASK, Workflow
from runtime.executors.renamed import here
from runtime.values import missing_inputs
from validator.analysis.uses import uses

NOBODY = "nobody, since no person is asked here"
UNCALLED = frozenset({"UNFIT_ARGUMENT", "MISSING_ARGUMENT"})
"""Faults for which a tool is not called."""
_DEEPEST = 20


@dataclass
class Record:
    """What happened in a run.

    Args:
        called: tools in the order in which they were called, those of called workflows among them.
        asked: nodes at which a person would have been asked.
        noted: nodes whose system the benchmark does not have and whose outputs nothing reads; they were passed over.
        faults: what tools failed with, by node.
        wanting: inputs that nothing gave and without which no run begins; a person is asked for them first.
    """

    called: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    noted: list[str] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)
    wanting: list[str] = field(default_factory=list)


@dataclass
class Ran:
    """What became of a run.

    Args:
        result: None where it waits for a person.
        refused: why no run began; empty where one did.
    """

    record: Record = field(default_factory=Record)
    result: WalkResult | None = None
    refused: str = ""


Given = Mapping[str, Mapping[str, JsonValue]]
"""By name of a run its inputs; the name is that of its row, which the tools' chance hangs on, or that and `/` more."""
Told = Callable[[], None]


def row_name(run: str) -> str:
    """Of which row a run is."""
    return run.partition("/")[0]


@dataclass(frozen=True)
class Driver:
    """Drives runs with tools.

    Args:
        tools: whose names the Types' bindings have.
        bound: by name of a Type the Types that the tools carry out.
        workflows: those that drafts may call, by id.
    """

    catalog: Catalog
    tools: Tools
    bound: Mapping[str, NodeType]
    workflows: Mapping[str, Workflow]

    def step(self, workflow: Workflow, given: Given, told: Told) -> dict[str, Ran]:
        """What runs come to; one that lacks an input waits for a person, and nothing of it is done.

        Args:
            told: called after each run.
        """
        found = {}
        for name, inputs in given.items():
            ran = found[name] = Ran(Record(wanting=[*missing_inputs(workflow, inputs)]))
            if not ran.record.wanting:
                ran.result = self.drive(workflow, inputs, row_name(name), ran.record)
            told()
        return found

    def drive(
        self, workflow: Workflow, inputs: Mapping[str, JsonValue], seed: str, record: Record, depth: int = 0
    ) -> WalkResult | None:
        """Step a run to its end; None where it waits for a person.

        A task that can only be done counts as asked and goes on as if it had been done; whatever a person would have to
        say (a fact, a decision, how something ended) is waited for, while all that does not need it goes on.
        """
        run, waiting = start(workflow, inputs), set[str]()
        while ready := next((one for one in run.ready if one.node not in waiting), None):
            outcome = self._outcome(run, ready, seed, record, depth)
            if outcome is None:
                waiting.add(ready.node)
                continue
            if outcome.failed:
                record.faults[ready.node] = fault_of(outcome)
            run = run.take(ready.node, outcome)
        return None if run.ready else run.result

    def _outcome(self, run: Run, ready: Ready, seed: str, record: Record, depth: int) -> Outcome | None:
        match ready.performer:
            case "nobody":
                return Outcome()
            case "person":
                return by_nobody(run.workflow, ready.node, record)
            case "workflow":
                return self._call(run.workflow, ready, seed, record, depth)
            case "rules":
                return rules_outcome(run, ready)
            case "system":
                return self.by_system(run.workflow, ready, seed, record)

    def by_system(self, workflow: Workflow, ready: Ready, seed: str, record: Record) -> Outcome | None:
        """What the tool behind a node gives; None where a person would have to say it."""
        found = self.catalog.resolve(ready.type)
        node_type = self.bound.get(found.type) if found is not None else None
        if node_type is None:
            told = {"output"} if workflow.results else set()  # beside the document's results nobody looks at outputs
            if any(one.ref.node == ready.node and one.by not in told for one in uses(workflow)):
                record.asked.append(ready.node)
                return None
            record.noted.append(ready.node)
            return Outcome()
        names, arguments = system_names(node_type), dict[str, JsonValue]()
        for key, spec in node_type.inputs_schema.items():
            try:
                value = typed(ready.inputs.get(key), spec.model_copy(update={"enum": None}))
            except Unfit as fault:
                return Outcome(error="UNFIT_ARGUMENT", message=f"{key}: {fault}")
            if value is None and spec.required:
                return Outcome(error="MISSING_ARGUMENT", message=f"{key} has no value")
            if value is not None:
                arguments[names.get(key, key)] = value
        tool = tool_name(node_type)
        record.called.append(tool)
        outcome = self.tools.call(tool, arguments, seed)
        return outcome if outcome.output is None else _as_declared(workflow, ready.node, node_type, outcome)

    def _call(self, workflow: Workflow, ready: Ready, seed: str, record: Record, depth: int) -> Outcome | None:
        call = workflow.nodes[ready.node].call
        inner = self.workflows.get(call.workflow_id) if call is not None else None
        if inner is None or depth >= _DEEPEST:
            record.asked.append(ready.node)
            return None
        result = self.drive(inner, ready.inputs, seed, record, depth + 1)
        if result is None:
            return None
        if result.status != "completed":
            return Outcome(error=result.reason_code or result.status.upper(), message=f"{inner.workflow_id} ended so")
        return Outcome(output=dict(result.outputs))


def fault_of(outcome: Outcome) -> str:
    """What a node failed with."""
    return f"{outcome.error}: {outcome.message or ''}".rstrip(": ")


def by_nobody(workflow: Workflow, name: str, record: Record) -> Outcome | None:
    """What a person need not say: that a task which can only be done was done; None for all else."""
    node = workflow.nodes[name]
    record.asked.append(name)
    outcomes = node.outcomes or ("done",)
    if node.type != HUMAN_TASK or len(outcomes) != 1:
        return None
    return Outcome(output={"outcome": outcomes[0], "comment": None}, answered_by=NOBODY)


def _as_declared(workflow: Workflow, name: str, node_type: NodeType, outcome: Outcome) -> Outcome:
    """A tool's result under the names and with the types that the Type declares, or the workflow reads."""
    assert outcome.output is not None
    renamed = node_type.binding.names if node_type.binding is not None else {}
    declared = here(outcome.output, node_type.outputs_schema, "outputs", renamed)
    there = {renamed.get(f"outputs.{key}", key) for key in declared}
    output = {key: value for key, value in outcome.output.items() if key not in there} | declared
    if set(outcome.output) == {RESULT}:
        output = {_whole(workflow, name, node_type): outcome.output[RESULT]}
    for key in workflow.nodes[name].assumed_outputs or {}:
        alike = [given for given in output if _same_words(key, given)]
        if key not in output and len(alike) == 1:  # nobody has said what the tool calls it
            output[key] = output[alike[0]]
    for key, spec in node_type.outputs_schema.items():
        try:
            output[key] = typed(output.get(key), spec)
        except Unfit as fault:
            return Outcome(error="UNFIT_RESULT", message=f"{key}: {fault}")
    return Outcome(output=output)


def _same_words(name: str, other: str) -> bool:
    """Whether all words of one name are in the other (`updated_resolution_status`, `resolution_status`)."""
    one, two = set(plain(name).split()), set(plain(other).split())
    return one <= two or two <= one


def _whole(workflow: Workflow, name: str, node_type: NodeType) -> str:
    """Under which name a result that is no object is read: as the Type says, else the only one that is read."""
    if node_type.binding is not None and node_type.binding.result:
        return node_type.binding.result
    if len(node_type.outputs_schema) == 1:
        return next(iter(node_type.outputs_schema))
    read = {one.ref.path[1] for one in uses(workflow) if _reads(one.ref, name)}
    return read.pop() if len(read) == 1 else RESULT


def _reads(ref: Ref, name: str) -> bool:
    return ref.node == name and len(ref.path) > 1
