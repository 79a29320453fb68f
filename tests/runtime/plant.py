"""What tests of runs share: the workspace of `evals.executions`, scenarios played in it, and waiting."""

import time
from collections.abc import Callable

from evals.executions.recorded import CATALOG, ROLES, Recorded, bound_in, host_in, open_tasks, published, user
from ir.scenario import Scenario
from registry.forms import Version
from runtime.advance import advance
from runtime.commands import answer, begin
from runtime.executions import execution_of
from runtime.forms import Execution
from runtime.host import Host

__all__ = [
    "CATALOG", "ROLES", "Recorded", "bound_in", "host_in", "now_of", "open_tasks", "played", "published", "until",
    "user",
]  # fmt: skip


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
