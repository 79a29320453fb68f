"""A workspace with users, in which workflows are published and run with recorded answers."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from catalog.load import Catalog, load_catalog
from ir.scenario import Scenario
from ir.workflow import Workflow
from registry.forms import Version
from registry.versions import publish, review, submit
from runtime.advance import advance
from runtime.commands import answer, begin
from runtime.executions import execution_of, tasks
from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.registry import Executors
from runtime.forms import Execution
from runtime.host import Host
from store.users import User, add_user
from store.workspace import Workspace, make_workspace

CATALOG = load_catalog()
ROLES = {"wen": {"owner"}, "li": {"author", "operator"}, "zhao": {"approver", "operator"}}


@dataclass
class Recorded:
    """An executor that gives what it is told, and notes what it was asked.

    Args:
        gives: by node the outputs; `{"$error": "CODE"}` for a failure, a fault as it is.
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
    """The same in a workspace that is there already."""
    with workspace.transaction() as connection:
        for name, roles in ROLES.items():
            add_user(connection, name, frozenset(roles), "wen")
    bound = {name: {"kind": "recorded", "allow": ["*"], **settings} for name in catalog.node_types}
    return Host(workspace, catalog, Executors(bound, {"recorded": recorded}))


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


def played(host: Host, version: Version, scenario: Scenario) -> Execution:
    """Run a scenario to its end, people answering as it says."""
    found = begin(host, user(host, "li"), version.workflow_id, version.number, scenario.inputs)
    while True:
        found = advance(host, found.id)
        waiting = open_tasks(host, found.id)
        if found.ended or not waiting:
            return found
        for task in waiting:
            record = scenario.outputs.get(task.node)
            if record is None:
                return found
            given = {name: record[name] for name in task.fields if name in record}
            answer(host, user(host, "wen"), task.id, given, task.digest)


def open_tasks(host: Host, execution: str) -> list[Any]:
    """What people have to do in an execution."""
    with host.workspace.transaction() as connection:
        return tasks(connection, execution=execution)


def now_of(host: Host, execution: str) -> Execution:
    """An execution as it stands."""
    with host.workspace.transaction() as connection:
        return execution_of(connection, execution)


def until(told: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait for something to be so."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if told():
            return
        time.sleep(0.05)
    raise AssertionError("it never came")
