"""The benchmark's rows in the runtime: a draft is published in a workspace made for it, and run there as a batch.

What the tools give is what the stepper is given (`evals.sopbench.drive`), through an executor. A task that can only be
done is answered as done, as there. Of nodes that the benchmark has no system for, those that something reads are a
person's, and those that nothing reads give an example of what their Type gives. What became of a row is told from the
workspace alone, so that a batch which was ended anywhere goes on where it was; of a call that was cut off the answer is
that it was not done, since tools hold nothing from call to call.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from catalog.node_type import NodeType
from evals.sopbench.drive import UNCALLED, Driver, Given, Ran, Record, Told, by_nobody, fault_of, row_name
from evals.sopbench.true_path import tool_name
from ir.codec import digest
from ir.version import VERSION
from ir.walk import Ready, performer
from ir.workflow import Node, Workflow
from registry.errors import NotPublishable
from registry.publishable import Bind
from registry.versions import last_published, publish, review, submit, versions
from runtime.advance import advance
from runtime.batches.batch import open_batch, run_batch, run_id
from runtime.batches.rows import InputRow
from runtime.commands import answer
from runtime.executions import execution_of, tasks
from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.registry import MANUAL, Executors
from runtime.forms import Execution, Task
from runtime.host import Host
from runtime.telling import run_of
from store.users import AUTHOR, OPERATOR, OWNER, add_user, users
from store.workspace import FOLDER, find_workspace, make_workspace
from validator.analysis.uses import uses
from validator.runs.example_runs import sample

KIND = "sopbench"
HELD_BACK = UNCALLED | {"BAD_INPUT", "NOT_ALLOWED"}
"""Faults for which a tool is not called: the tools' own, and those of the runtime's own look before each call."""
DIGITS = 12
"""Of a draft's digest, in the name of the folder of its workspace."""


@dataclass
class ToolExecutor:
    """Carries nodes out with the benchmark's tools.

    Args:
        rows: by execution the name of its row.
    """

    driver: Driver
    workflow: Workflow
    rows: Mapping[str, str] = field(default_factory=dict)

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """See `Executor`."""
        record, ready = Record(), Ready(call.node, call.type, call.inputs, "system")
        outcome = self.driver.by_system(self.workflow, ready, self.rows[call.execution], record)
        if outcome is None:
            raise ExecutorFault("NO_TOOL", f"the benchmark has no tool for {call.type}", made=False)
        if outcome.error is not None:
            raise ExecutorFault(outcome.error, outcome.message or outcome.error)
        if record.noted:
            return {name: sample(spec) for name, spec in call.outputs.items() if spec.required}
        return dict(outcome.output or {})


@dataclass(frozen=True)
class Runtime:
    """Runs drafts in workspaces.

    Args:
        place: folder in which each draft has a workspace of its own; one that is there is gone on with.
    """

    driver: Driver
    place: Path

    def run(self, workflow: Workflow, given: Given, told: Told, batch: str) -> dict[str, Ran]:
        """Publish a draft, where it is not yet, and run it as a batch.

        A draft that the registry does not publish runs no row; each says what stands in the way.

        Args:
            told: called after each run.
            batch: name of the folder of its table.
        """
        place = self.place / digest(workflow).removeprefix("sha256:")[:DIGITS]
        with _opened(place, workflow, self.driver) as (host, executor):
            try:
                number = _published(host, workflow, self.driver)
            except NotPublishable as refused:
                why = "it cannot be published: " + "; ".join(map(str, refused.blockers))
                return {name: Ran(refused=why) for name in given}
            li = host.workspace.user("li")
            opened = open_batch(host, li, place / batch, workflow.workflow_id, number)
            rows = [InputRow(name, inputs) for name, inputs in given.items()]
            executor.rows = {run_id(opened.about, row): row_name(row.id) for row in rows}
            came = run_batch(host, li, opened, rows, lambda one: _gone_on(host, one), told=lambda *_: told(), ask=True)
            return {
                one.id: Ran(refused=f"{one.code}: {one.reason}")
                if one.run is None
                else _came_to(host, one.run, self.driver)
                for one in came
            }


@contextmanager
def _opened(place: Path, workflow: Workflow, driver: Driver) -> Iterator[tuple[Host, ToolExecutor]]:
    """The workspace of a draft, made where there is none, with who acts in it."""
    workspace = find_workspace(place) if (place / FOLDER).exists() else make_workspace(place)
    try:
        with workspace.transaction() as connection:
            known = {one.name for one in users(connection)}
            for name, roles in (("wen", {OWNER}), ("li", {AUTHOR, OPERATOR})):
                if name not in known:
                    add_user(connection, name, frozenset(roles), "wen")
        executor = ToolExecutor(driver, workflow)
        bound = {node.type: {"kind": KIND, "allow": ["*"]} for node in workflow.nodes.values()}
        yield Host(workspace, driver.catalog, Executors(bound, {KIND: executor})), executor
    finally:
        workspace.database.close()


def _published(host: Host, workflow: Workflow, driver: Driver) -> int:
    """The number under which a draft is published.

    Raises:
        NotPublishable: with all that stands in the way.
    """
    with host.workspace.database.transaction() as connection:
        known = last_published(versions(connection, workflow.workflow_id))
    if known is not None:
        return known.number
    li, wen = host.workspace.user("li"), host.workspace.user("wen")
    found = submit(host.workspace, li, workflow, driver.catalog, VERSION)
    review(host.workspace, li, found.workflow_id, found.number)
    bind = _binding(workflow, driver)
    publish(host.workspace, wen, found.workflow_id, found.number, driver.catalog, bind, accepted="measured")
    return found.number


def _binding(workflow: Workflow, driver: Driver) -> Bind:
    """Who carries nodes out: the tools; a person where there is none and something reads what the node gives."""
    told = {"output"} if workflow.results else set()  # as the stepper has it
    read = {one.ref.node for one in uses(workflow) if one.by not in told}
    by_person = {
        workflow.nodes[name].type
        for name in read
        if name is not None and _tool(workflow.nodes[name].type, driver) is None
    }

    def bind(node: Node, node_type: NodeType | None) -> str | None:
        return MANUAL if node.type in by_person else KIND

    return bind


def _tool(name: str, driver: Driver) -> str | None:
    """The tool behind a Type; None where there is none."""
    found = driver.catalog.resolve(name)
    bound = driver.bound.get(found.type) if found is not None else None
    return tool_name(bound) if bound is not None else None


def _gone_on(host: Host, execution: str) -> Execution:
    """Let a run go on, and say of tasks that can only be done that they are."""
    while True:
        found = advance(host, execution)
        workflow = host.version(found.workflow_id, found.number).definition
        said = [(task, _said(workflow, task)) for task in _open(host, execution)]
        for task, given in said:
            if given is not None:
                answer(host, host.workspace.user("wen"), task.id, given)
        if all(given is None for _, given in said):
            return found


def _open(host: Host, execution: str) -> list[Task]:
    with host.workspace.database.transaction() as connection:
        return tasks(connection, execution=execution)


def _said(workflow: Workflow, task: Task) -> dict[str, JsonValue] | None:
    """What is answered without a person; None where one is needed."""
    if task.kind == "settle":
        return {"what": "not_done"}
    outcome = by_nobody(workflow, task.node, Record()) if task.node in workflow.nodes else None
    return {"outcome": outcome.output["outcome"]} if outcome is not None and outcome.output else None


def _came_to(host: Host, name: str, driver: Driver) -> Ran:
    """What the workspace tells of a run."""
    with host.workspace.database.transaction() as connection:
        execution = execution_of(connection, name)
    run, record = run_of(host, execution), Record(wanting=[*execution.progress.asked])
    for one in execution.progress.run.taken:
        node, outcome = run.workflow.nodes[one.node], one.outcome
        tool = _tool(node.type, driver)
        if outcome.failed:
            record.faults[one.node] = fault_of(outcome)
        if outcome.answered_by is not None:
            record.asked.append(one.node)
        elif performer(node) == "system" and tool is None:
            record.noted.append(one.node)
        elif performer(node) == "system" and outcome.error not in HELD_BACK:
            record.called.append(str(tool))
    record.asked += [task.node for task in _open(host, name) if task.node in run.workflow.nodes]
    return Ran(record, run.result if execution.ended else None)
