"""Where a run stands: of each node what becomes of it now, and the edges that were taken, to be drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from runtime.executions import execution_of, tasks
from runtime.forms import Execution, Status
from runtime.host import Host
from runtime.telling import run_of
from store import audit
from store.tables import EXECUTIONS

NodeStands = Literal[
    "succeeded", "failed", "skipped", "undecided", "waiting", "calling", "delayed", "running", "pending"
]


@dataclass(frozen=True)
class Standing:
    """Where a run stands.

    Args:
        revision: goes up with each change of the run.
        nodes: by node whether it was done, waits for a person or for a run that it called, is tried again later, is
            being carried out, or was not come to.
        taken: indexes of the edges that were taken.
    """

    status: Status
    paused: bool
    ended: bool
    revision: int
    nodes: Mapping[str, NodeStands]
    taken: frozenset[int]


def revision_of(connection: sa.Connection, execution: str) -> int:
    """What goes up with each change of a run; 0 where there is no such run."""
    chosen = sa.select(EXECUTIONS.c.revision).where(EXECUTIONS.c.id == execution)
    return connection.execute(chosen).scalar_one_or_none() or 0


def standing(host: Host, execution_id: str) -> Standing:
    """Where a run stands; from the audit alone, once its values were deleted.

    Raises:
        UnknownExecution: there is none such.
        NotPublished: its version cannot be read with the catalog here.
    """
    with host.workspace.database.transaction() as connection:
        execution = execution_of(connection, execution_id)
        asked = {one.node.partition("#")[0] for one in tasks(connection, execution=execution_id)}
        deleted = execution.progress.deleted_at is not None
        told = [*audit.events(connection, execution_id, as_stored=True)] if deleted else []
    nodes, taken = _from_audit(host, execution, told) if deleted else _from_run(host, execution, asked)
    return Standing(execution.status, execution.paused, execution.ended, execution.revision, nodes, taken)


def _from_run(host: Host, execution: Execution, asked: set[str]) -> tuple[dict[str, NodeStands], frozenset[int]]:
    run, progress = run_of(host, execution), execution.progress
    nodes: dict[str, NodeStands] = {**run.nodes}
    going = not execution.ended and not progress.waits_to_begin and execution.status != "pending"
    for name in run.under_way if going else ():
        if name in asked:
            nodes[name] = "waiting"
        elif name in progress.children:
            nodes[name] = "calling"
        elif name in progress.again_at:
            nodes[name] = "delayed"
        else:
            nodes[name] = "pending" if execution.paused else "running"
    return nodes, frozenset(at for at, state in enumerate(run.edges) if state == "taken")


def _from_audit(
    host: Host, execution: Execution, told: list[audit.Event]
) -> tuple[dict[str, NodeStands], frozenset[int]]:
    workflow = host.version(execution.workflow_id, execution.number).definition
    nodes: dict[str, NodeStands] = dict.fromkeys(workflow.nodes, "pending")
    taken = set[int]()
    for event in told:
        if event.kind == "ended":
            nodes |= dict.fromkeys((name for name in event.body["path"] if nodes[name] == "pending"), "succeeded")
        elif event.kind in ("node-succeeded", "node-failed"):
            nodes[event.body["node"]] = "succeeded" if event.kind == "node-succeeded" else "failed"
            taken |= {*event.body["took"]}
    return nodes, frozenset(taken)
