"""The benchmark's rows in the runtime: a draft is published in a workspace made for it, and run there as a batch.

What the tools give is what the stepper is given (`evals.sopbench.drive`), through an executor. A task that can only be
done is answered as done, as there. Of nodes that the benchmark has no system for, those that something reads are a
person's, and those that nothing reads give an example of what their Type gives.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from catalog.node_type import NodeType
from compiler.version import VERSION
from evals.sopbench.drive import Driver, Record, by_nobody
from ir.walk import Ready, WalkResult
from ir.workflow import HUMAN_TASK, Node, Workflow
from registry.errors import NotPublishable
from registry.publishable import Bind
from registry.versions import publish, review, submit
from runtime.advance import advance
from runtime.batches.batch import open_batch, run_batch, run_id
from runtime.batches.rows import InputRow
from runtime.commands import answer
from runtime.executions import execution_of, tasks
from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.registry import MANUAL, Executors
from runtime.forms import Execution
from runtime.host import Host
from runtime.telling import run_of
from store.users import AUTHOR, OPERATOR, OWNER, add_user
from store.workspace import make_workspace
from validator.analysis.uses import uses
from validator.runs.example_runs import sample

KIND = "sopbench"


@dataclass
class Ran:
    """What became of a row.

    Args:
        result: None where it waits for a person.
        refused: why no run began; empty where one did.
    """

    record: Record = field(default_factory=Record)
    result: WalkResult | None = None
    refused: str = ""


@dataclass
class ToolExecutor:
    """Carries nodes out with the benchmark's tools.

    Args:
        rows: by execution the name of its row.
        ran: by row what became of it.
    """

    driver: Driver
    workflow: Workflow
    rows: Mapping[str, str] = field(default_factory=dict)
    ran: Mapping[str, Ran] = field(default_factory=dict)

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        row = self.rows[call.execution]
        record = self.ran[row].record
        outcome = self.driver.by_system(self.workflow, Ready(call.node, call.type, call.inputs, "system"), row, record)
        if outcome is None:
            raise ExecutorFault("NO_TOOL", f"the benchmark has no tool for {call.type}", made=False)
        if outcome.error is not None:
            record.faults[call.node] = f"{outcome.error}: {outcome.message or ''}".rstrip(": ")
            raise ExecutorFault(outcome.error, outcome.message or outcome.error)
        if call.node in record.noted:
            return {name: sample(spec) for name, spec in call.outputs.items() if spec.required}
        return dict(outcome.output or {})


def run_rows(workflow: Workflow, rows: Mapping[str, Mapping[str, JsonValue]], driver: Driver) -> dict[str, Ran]:
    """Publish a draft and run rows of it, by their names.

    A draft that the registry does not publish runs no row; each says what stands in the way.
    """
    ran = {name: Ran() for name in rows}
    with tempfile.TemporaryDirectory(prefix="flowc-sopbench-run-") as place:
        host, executor = _host(Path(place), workflow, driver)
        li, wen = host.workspace.user("li"), host.workspace.user("wen")
        try:
            found = submit(host.workspace, li, workflow, driver.catalog, VERSION)
            review(host.workspace, li, found.workflow_id, found.number)
            bind = _binding(workflow, driver)
            publish(host.workspace, wen, found.workflow_id, found.number, driver.catalog, bind, accepted="measured")
        except NotPublishable as refused:
            return {
                name: Ran(refused="it cannot be published: " + "; ".join(map(str, refused.blockers))) for name in rows
            }
        batch = open_batch(host, li, Path(place) / "out", found.workflow_id, found.number)
        given = [InputRow(name, inputs) for name, inputs in rows.items()]
        executor.rows, executor.ran = {run_id(batch.about, row): row.id for row in given}, ran
        for told in run_batch(host, li, batch, given, lambda one: _gone_on(host, one, ran[executor.rows[one]].record)):
            if told.run is None:
                ran[told.id].refused = f"{told.code}: {told.reason}"
            elif told.status not in ("waiting", "running"):
                ran[told.id].result = _result(host, told.run, ran[told.id].record)
        host.workspace.database.close()
    return ran


def _host(place: Path, workflow: Workflow, driver: Driver) -> tuple[Host, ToolExecutor]:
    workspace = make_workspace(place)
    with workspace.transaction() as connection:
        for name, roles in (("wen", {OWNER}), ("li", {AUTHOR, OPERATOR})):
            add_user(connection, name, frozenset(roles), "wen")
    executor = ToolExecutor(driver, workflow)
    bound = {node.type: {"kind": KIND, "allow": ["*"]} for node in workflow.nodes.values()}
    return Host(workspace, driver.catalog, Executors(bound, {KIND: executor})), executor


def _binding(workflow: Workflow, driver: Driver) -> Bind:
    """Who carries nodes out: the tools; a person where there is none and something reads what the node gives."""
    told = {"output"} if workflow.results else set()  # as the stepper has it
    read = {one.ref.node for one in uses(workflow) if one.by not in told}
    by_person = {
        workflow.nodes[name].type for name in read if name is not None and not _has_tool(workflow.nodes[name], driver)
    }

    def bind(node: Node, node_type: NodeType | None) -> str | None:
        return MANUAL if node.type in by_person else KIND

    return bind


def _has_tool(node: Node, driver: Driver) -> bool:
    found = driver.catalog.resolve(node.type)
    return found is not None and found.type in driver.bound


def _gone_on(host: Host, execution: str, record: Record) -> Execution:
    """Let a run go on, and say of tasks that can only be done that they are."""
    while True:
        found = advance(host, execution)
        with host.workspace.database.transaction() as connection:
            waiting = tasks(connection, execution=execution)
        workflow = host.version(found.workflow_id, found.number).definition
        done = False
        for task in waiting:
            if task.node in record.asked:
                continue
            node = workflow.nodes[task.node]
            outcome = by_nobody(workflow, task.node, record)
            if outcome is not None and node.type == HUMAN_TASK:
                answer(host, host.workspace.user("wen"), task.id, {"outcome": (outcome.output or {})["outcome"]})
                done = True
        if not done:
            return found


def _result(host: Host, execution: str, record: Record) -> WalkResult:
    """How a run ended, with the messages of the nodes that failed."""
    with host.workspace.database.transaction() as connection:
        run = run_of(host, execution_of(connection, execution))
    for node, outcome in run.outcomes.items():
        if outcome.failed:
            record.faults.setdefault(node, f"{outcome.error}: {outcome.message or ''}".rstrip(": "))
    return run.result
