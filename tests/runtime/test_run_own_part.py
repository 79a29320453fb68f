"""Who approves what they began, or approved before, is told so: beforehand, in the audit, and in the explanation."""

from pathlib import Path

import pytest
from plant import Recorded, host_in, open_tasks, published, user

from ir.codec import read_workflow
from ir.workflow import Workflow
from runtime.advance import advance
from runtime.commands import answer, begin
from runtime.executions import execution_of
from runtime.governance.own_part import OwnPart, own_part
from runtime.host import Host
from runtime.telling import explain
from store import audit

FILE = Path(__file__).with_name("two-approvals.workflow.json")


def twice_approved(language: str) -> Workflow:
    """A head and then a manager approve; the risk is low."""
    found, faults = read_workflow(FILE.read_bytes())
    assert found is not None, faults
    return found.model_copy(update={"metadata": found.metadata.model_copy(update={"language": language})})


def approved(host: Host, execution: str, by: str) -> OwnPart:
    """What somebody is told before they approve what waits, which they then do."""
    (task,) = open_tasks(host, execution)
    with host.workspace.database.transaction() as connection:
        part = own_part(connection, by, task, execution_of(connection, execution))
    answer(host, user(host, by), task.id, {"approved": True}, task.digest)
    advance(host, execution)
    return part


@pytest.mark.parametrize(
    ("language", "began", "also"),
    [
        ("en", "also began this run", "also answered the approval “部门审批”"),
        ("zh", "也是本次运行的发起人", "也作出了审批“部门审批”"),
    ],
)
def test_one_person_for_all_is_told(tmp_path: Path, language: str, began: str, also: str) -> None:
    """The owner begins a run and gives both approvals; nothing is refused, and nothing of it is hidden."""
    host = host_in(tmp_path, Recorded())
    published(host, twice_approved(language))
    run = begin(host, user(host, "wen"), "purchase", 1, {"amount": 3}).id
    advance(host, run)
    assert approved(host, run, "wen") == OwnPart(began=True)
    assert approved(host, run, "wen") == OwnPart(began=True, approved=("head",))
    told = explain(host, run)
    assert told["status"] == "completed"
    assert [one["also"] for one in told["people"]] == [[began], [began, also]]
    with host.workspace.transaction() as connection:
        bodies = [one.body for one in audit.events(connection, run) if one.kind == "answered"]
    assert [one["same_person"] for one in bodies] == [{"began": True}, {"began": True, "approved": ["head"]}]


def test_several_people_are_not(tmp_path: Path) -> None:
    """Who did nothing else of the run is told nothing, and the audit has no word of it."""
    host = host_in(tmp_path, Recorded())
    published(host, twice_approved("en"))
    run = begin(host, user(host, "li"), "purchase", 1, {"amount": 3}).id
    advance(host, run)
    assert not approved(host, run, "wen")
    assert explain(host, run)["people"][0]["also"] == []
    with host.workspace.transaction() as connection:
        assert not any("same_person" in one.body for one in audit.events(connection, run))
