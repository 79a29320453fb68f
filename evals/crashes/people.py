"""Who answers the tasks of the runs: approvers as it was drawn, operators by what stands in the server's book."""

import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from pydantic import JsonValue

from evals.crashes.book import Desk
from evals.crashes.shapes import Plan
from runtime.commands import answer
from runtime.errors import TaskClosed
from runtime.executions import tasks
from runtime.forms import Task
from runtime.host import Host
from store.clock import moment

LATER = timedelta(seconds=1)
"""How long an operator waits before looking into the book: a call that was sent may still be on its way there."""


def answer_tasks(host: Host, desk: Desk, plans: Mapping[str, Plan]) -> int:
    """Answer what can be answered now; how many were."""
    with host.workspace.database.transaction() as connection:
        found = tasks(connection)
    done = 0
    for task in found:
        if task.kind == "settle":
            ripe = task.opened_at < moment(datetime.now(UTC) - LATER)
            done += ripe and _settled(host, desk, task)
        elif (approves := plans[task.execution].approves) is not None:
            with contextlib.suppress(TaskClosed):
                answer(host, host.workspace.user("zhao"), task.id, {"approved": approves}, task.digest)
                done += 1
    return done


def _settled(host: Host, desk: Desk, task: Task) -> bool:
    """Say of a call that was cut off what the book says of it."""
    number = next((one.number for one in desk.arrivals() if one.key == task.shown["key"] and one.number), None)
    given: dict[str, JsonValue] = {"what": "not_done"}
    if number is not None:
        given = {"what": "done", "outputs": {"number": number}}
    with contextlib.suppress(TaskClosed):
        answer(host, host.workspace.user("li"), task.id, given)
        return True
    return False
