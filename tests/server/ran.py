"""A server's workspace in which the first case ran: some runs ended well, one failed, one waits, one was called off."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from evals.executions.recorded import CATALOG, Recorded, executors_of, open_tasks, published, user
from ir.codec import read_form, read_workflow, read_yaml
from ir.scenario import Scenarios
from runtime.advance import advance
from runtime.commands import answer, begin, steer
from runtime.host import Host
from server.site import Site

CASE = Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "hazmat-transport"
ID = "transport-compliance"
INPUTS: dict[str, Any] = {
    "shipment_id": "SHIP-2026-00019", "substance_name": "硫酸", "quantity_kg": 5000, "transport_mode": "公路",
}  # fmt: skip


def of_runs(site: Site, **settings: Any) -> Site:
    """The site with the first case published, whose systems give what its scenario says.

    Args:
        settings: more of the host, as `privacy`.
    """
    workflow, faults = read_workflow((CASE / "gold" / f"{ID}.workflow.json").read_bytes())
    raw, _ = read_yaml((CASE / "scenarios.yaml").read_text("utf-8"))
    scenarios, more = read_form(Scenarios, raw)
    assert workflow is not None and scenarios is not None, (*faults, *more)
    given = next(one for one in scenarios.scenarios if one.name.startswith("class 2 by road, not filed"))
    host = Host(site.workspace, CATALOG, executors_of(Recorded({**given.outputs})), **settings)
    published(host, workflow)
    return replace(site, host=host)


def run(host: Host, approved: bool | None = True, **inputs: Any) -> str:
    """A run; it waits where nothing is said of its approval."""
    found = begin(host, user(host, "oda"), ID, 1, {**INPUTS, **inputs})
    advance(host, found.id)
    for task in open_tasks(host, found.id) if approved is not None else ():
        answer(host, user(host, "wen"), task.id, {"approved": approved}, task.digest)
        advance(host, found.id)
    return found.id


def failing(host: Host) -> str:
    """A run whose filing system has no file of it."""
    recorded = host.executors.kinds["recorded"]
    assert isinstance(recorded, Recorded)
    before = recorded.gives
    recorded.gives = {**before, "filing": {"$error": "NO_FILE"}}
    found = run(host, None)
    recorded.gives = before
    return found


def some_runs(host: Host) -> None:
    """Three that end well, one that waits, one called off, one that fails."""
    for _ in range(3):
        run(host)
    run(host, None)
    off = run(host, None)
    steer(host, user(host, "wen"), off, "cancel")
    advance(host, off)
    failing(host)
