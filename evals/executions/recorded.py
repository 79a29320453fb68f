"""A workspace with users in which workflows are published, and whose systems give what is recorded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from catalog.load import Catalog, load_catalog
from ir.predicate import Literally
from ir.walk import Walk, resume
from ir.workflow import Workflow
from registry.forms import Version
from registry.versions import publish, review, submit
from runtime.executions import tasks
from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.registry import Executors
from runtime.forms import Execution, Task
from runtime.host import Host
from store.users import User, add_user
from store.workspace import Workspace, make_workspace

CATALOG = load_catalog()
ROLES = {"wen": {"owner"}, "li": {"author", "operator"}, "zhao": {"approver", "operator"}}


@dataclass
class Recorded:
    """An executor that gives what it is told, and notes what it was asked.

    Args:
        gives: by node the outputs; `{"$error": "CODE"}` for a failure, a fault as it is; a list for several in turn.
    """

    gives: Mapping[str, Any] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)

    def carry_out(self, call: Call) -> dict[str, JsonValue]:
        """What is recorded for the node."""
        self.calls.append(call)
        given = self.gives.get(call.node, {})
        given = given.pop(0) if isinstance(given, list) else given
        if isinstance(given, ExecutorFault):
            raise given
        if "$error" in given:
            raise ExecutorFault(str(given["$error"]), "as recorded")
        return dict(given)


def host_in(folder: Path, recorded: Recorded, catalog: Catalog = CATALOG, **settings: Any) -> Host:
    """A workspace in a folder, with all Types bound to what is recorded.

    Args:
        settings: more of each binding.
    """
    return bound_in(make_workspace(folder), recorded, catalog, **settings)


def bound_in(workspace: Workspace, recorded: Recorded, catalog: Catalog = CATALOG, **settings: Any) -> Host:
    """The same in a workspace that is there, and has no users yet."""
    with workspace.transaction() as connection:
        for name, roles in ROLES.items():
            add_user(connection, name, frozenset(roles), "wen")
    return Host(workspace, catalog, executors_of(recorded, catalog, **settings))


def executors_of(recorded: Recorded, catalog: Catalog = CATALOG, **settings: Any) -> Executors:
    """All Types bound to what is recorded."""
    bound = {name: {"kind": "recorded", "allow": ["*"], **settings} for name in catalog.node_types}
    return Executors(bound, {"recorded": recorded})


def user(host: Host, name: str) -> User:
    """One of the users."""
    return host.workspace.user(name)


def published(host: Host, workflow: Workflow, **more: Any) -> Version:
    """A workflow, submitted by one and published by another."""
    found = submit(host.workspace, user(host, "li"), workflow, host.catalog, "0.1", **more)
    review(host.workspace, user(host, "li"), found.workflow_id, found.number)
    return publish(
        host.workspace, user(host, "wen"), found.workflow_id, found.number, host.catalog, host.executors.bind
    )


def giving_something(workflow: Workflow) -> Workflow:
    """The workflow, which has to give something to be published: a word, where it says nothing."""
    if workflow.outputs or workflow.results:
        return workflow
    return workflow.model_copy(update={"outputs": {"given": Literally("nothing", status="quoted")}})


def open_tasks(host: Host, execution: str) -> list[Task]:
    """What people have to do in an execution."""
    with host.workspace.transaction() as connection:
        return tasks(connection, execution=execution)


def differences(host: Host, found: Execution, expected: Walk) -> list[str]:
    """What in an execution is not as in the walk: path, states of nodes and edges, how it ended.

    Of what comes after the node at which a walk stopped it says nothing; a run may know already that it is skipped.
    """
    version = host.version(found.workflow_id, found.number)
    run = resume(version.definition, found.progress.run)
    unsaid: dict[str, str] = {"pending": "skipped", "unresolved": "dead"} if run.stopped else {}
    states = (
        *((f"node {name}", state, run.nodes[name]) for name, state in expected.nodes.items()),
        *((f"edge {at}", state, run.edges[at]) for at, state in enumerate(expected.edges)),
    )
    told = [
        f"{what}: {right} in the walk, {got} in the run"
        for what, right, got in (
            ("path", expected.path, run.path),
            *((what, right, got) for what, right, got in states if got != unsaid.get(right)),
            ("status", expected.result.status, run.result.status),
            ("reason", expected.result.reason_code, run.result.reason_code),
            ("end", expected.result.node, run.result.node),
        )
        if right != got
    ]
    status = "failed" if expected.result.status in ("failed", "undecided") else "completed"
    if found.status != status:
        told.append(f"the execution is {found.status} where the walk is {expected.result.status}")
    return told
