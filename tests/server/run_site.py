"""What tests of tasks and runs share: the first case published with its systems done by people, and a worker's turn."""

from typing import Any

from conftest import CASE

from ir.codec import read_form, read_workflow, read_yaml
from ir.scenario import Scenario, Scenarios
from registry.versions import publish, review, submit
from runtime.advance import advance
from runtime.commands import answer, begin
from runtime.executions import active, tasks, untaken
from runtime.forms import Execution, Task
from server.site import Site
from store.users import add_user, set_password

HAZMAT = "transport-compliance"
SYSTEMS = ["ontology.identify_substance", "ontology.lookup_hazard_level", "decision.check_transport_mode",
           "io.check_filing_status", "utility.compliance_summary"]  # fmt: skip
INPUTS = {"shipment_id": "SHIP-2026-00019", "substance_name": "硫酸", "quantity_kg": 5000, "transport_mode": "公路"}
TYPED = {f"field/{name}": str(value) for name, value in INPUTS.items()}
KEY = "0123456789abcdef"
HOSTILE_TEXT = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
DIRECTOR, LOGISTICS, SAFETY = "安全总监", "物流部", "安全环保部"


def publish_hazmat(site: Site, password: str) -> None:
    """Publish the first case, with the people that it names."""
    workflow, faults = read_workflow((CASE / "gold" / f"{HAZMAT}.workflow.json").read_bytes())
    assert workflow is not None, faults
    host, user = site.host, site.workspace.user
    made = submit(site.workspace, user("li"), workflow, host.catalog, "0.1")
    review(site.workspace, user("li"), made.workflow_id, made.number)
    publish(
        site.workspace, user("zhao"), made.workflow_id, made.number, host.catalog, host.binder(frozenset(SYSTEMS))
    )  # fmt: skip
    add_people(site, password)


def add_people(site: Site, password: str) -> None:
    """Have the people of the first case: dan is its director, han and ma its logistics, sun its safety department."""
    with site.workspace.transaction() as connection:
        for name, role in (("dan", DIRECTOR), ("han", LOGISTICS), ("ma", LOGISTICS), ("sun", SAFETY)):
            add_user(connection, name, frozenset({role}), "wen")
            set_password(connection, name, password, "wen")


def work(site: Site) -> None:
    """Carry out what there is to do, as a worker does."""
    while True:
        with site.workspace.database.transaction() as connection:
            todo = [*dict.fromkeys([*untaken(connection), *active(connection)])]
        if not todo:
            return
        for one in todo:
            advance(site.host, one)


def begun(site: Site, **inputs: Any) -> Execution:
    """A run that oda began, as far as it goes."""
    found = begin(site.host, site.workspace.user("oda"), HAZMAT, 1, {**INPUTS, **inputs})
    work(site)
    return found


def filed() -> Scenario:
    """The first case where the transport is filed, so that it is compliant."""
    raw, _ = read_yaml((CASE / "scenarios.yaml").read_text("utf-8"))
    read, faults = read_form(Scenarios, raw)
    assert read is not None, faults
    return next(one for one in read.scenarios if one.name.startswith("class 2 by road, filed"))


def done(site: Site, task: Task) -> None:
    """A task is done by whoever may, as the scenario has it, and the run goes on."""
    record = filed().outputs[task.node]
    assert isinstance(record, dict)
    by = {DIRECTOR: "dan", SAFETY: "sun"}.get((*task.roles, "")[0], "han")
    given = {name: record[name] for name in task.fields if record.get(name) is not None}
    answer(site.host, site.workspace.user(by), task.id, given, task.digest)
    work(site)


def ended(site: Site, execution: str) -> None:
    """All tasks of a run are done until its end."""
    while True:
        with site.workspace.database.transaction() as connection:
            left = tasks(connection, execution=execution)
        if not left:
            return
        done(site, left[0])


def open_task(site: Site, execution: str) -> Task:
    """The one task that a run waits for."""
    with site.workspace.database.transaction() as connection:
        (found,) = tasks(connection, execution=execution)
    return found
