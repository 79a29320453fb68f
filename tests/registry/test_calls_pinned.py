"""Calls of other workflows in the registry: pinned to published versions, in no ring, not too deep."""

import json
from pathlib import Path

import pytest
import sqlalchemy as sa

from catalog.load import load_catalog
from ir.workflow import Workflow
from registry.calls import DEEPEST
from registry.errors import NotPublishable, Tampered
from registry.forms import Version
from registry.versions import checked, deprecate, publish, review, submit, version_of
from store.tables import VERSIONS
from store.users import add_user
from store.workspace import Workspace, make_workspace

CATALOG = load_catalog()


def calling(name: str, of: str | None = None, version: str = "v1", risk: str = "medium") -> Workflow:
    """A workflow that calls another, or checks an amount."""
    step = {"type": "control.call", "call": {"workflow_id": of, "version": version}}
    last = {"type": "decision.check_threshold", "inputs": {"value": 1, "limit": 100}}
    raw = {
        "workflow_id": name, "version": "v1", "inputs": {},
        "outputs": {"within_limit": "$.outputs.step.within_limit"},
        "nodes": {"step": step if of else last, "done": {"type": "control.end", "status": "completed"}},
        "edges": [{"from": "step", "to": "done"}],
        "execution_policy": {"risk_level": risk},
    }  # fmt: skip
    return Workflow.model_validate(raw)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """One with an author and an approver."""
    found = make_workspace(tmp_path)
    with found.transaction() as connection:
        for name, roles in (("wen", {"owner"}), ("li", {"author"}), ("zhao", {"approver"})):
            add_user(connection, name, frozenset(roles), "wen")
    return found


def handed_in(workspace: Workspace, workflow: Workflow) -> Version:
    """Submitted and under review."""
    found = submit(workspace, workspace.user("li"), workflow, CATALOG, "0.1")
    return review(workspace, workspace.user("li"), found.workflow_id, found.number)


def published(workspace: Workspace, found: Version) -> Version:
    """A version under review, published."""
    zhao = workspace.user("zhao")
    return publish(workspace, zhao, found.workflow_id, found.number, CATALOG, lambda *_: "tried")


def refusal(workspace: Workspace, found: Version) -> str:
    """Why a version is not published."""
    with pytest.raises(NotPublishable) as stopped:
        published(workspace, found)
    return str(stopped.value)


def test_a_call_is_pinned_by_digest(workspace: Workspace) -> None:
    """To the version that is called, signed with the rest; another digest is noticed."""
    inner = published(workspace, handed_in(workspace, calling("inner")))
    outer = published(workspace, handed_in(workspace, calling("outer", "inner")))
    (pin,) = outer.calls
    assert (pin.workflow_id, pin.number, pin.digest) == ("inner", 1, inner.digest)
    assert outer.executors == {"step": "workflow"} and inner.calls == ()
    assert "control.call" in {one.type for one in outer.pins}
    with workspace.transaction() as connection:
        chosen = VERSIONS.c.workflow_id == "outer"
        pins = json.loads(connection.execute(sa.select(VERSIONS.c.pins).where(chosen)).scalar_one())
        pins[-1]["digest"] = outer.digest
        connection.execute(VERSIONS.update().where(chosen).values(pins=json.dumps(pins)))
        with pytest.raises(Tampered):
            checked(version_of(connection, "outer", 1), workspace.key)


def test_only_published_versions_are_called(workspace: Workspace) -> None:
    """One that is not there, a draft, one under review and one that is deprecated are not."""
    outer = handed_in(workspace, calling("outer", "inner"))
    assert "which the registry does not have" in refusal(workspace, outer)
    submit(workspace, workspace.user("li"), calling("inner"), CATALOG, "0.1")
    assert "which is draft; publish it first" in refusal(workspace, outer)
    inner = review(workspace, workspace.user("li"), "inner", 1)
    assert "which is review" in refusal(workspace, outer)
    published(workspace, inner)
    deprecate(workspace, workspace.user("zhao"), "inner", 1, "a new law")
    assert "which is deprecated" in refusal(workspace, outer)
    published(workspace, handed_in(workspace, calling("inner")))
    assert "which the registry" in refusal(workspace, handed_in(workspace, calling("other", "inner", "v3")))
    assert published(workspace, handed_in(workspace, calling("third", "inner", "v2"))).calls[0].number == 2


def test_a_ring_over_builds_is_refused(workspace: Workspace) -> None:
    """Workflows of different builds that call each other in a ring: each is an error, whichever is published first."""
    ring = [("a", "b"), ("b", "c"), ("c", "a")]
    found = [handed_in(workspace, calling(name, of)) for name, of in ring]
    assert [one.error_code for one in found[2].report.findings if one.severity == "error"] == ["call-cycle"]
    for one in found:
        assert "call-cycle" in refusal(workspace, one)
    again = handed_in(workspace, calling("d", "d"))
    assert "call-cycle" in refusal(workspace, again)


def test_an_older_version_of_itself_is_no_ring(workspace: Workspace) -> None:
    """What is published calls what was published before it."""
    published(workspace, handed_in(workspace, calling("a")))
    published(workspace, handed_in(workspace, calling("b", "a")))
    assert published(workspace, handed_in(workspace, calling("a", "b"))).name == "a@v2"


def test_what_is_called_is_looked_at(workspace: Workspace) -> None:
    """A caller is no way round the policy of what it calls."""
    published(workspace, handed_in(workspace, calling("inner")))
    assert "relaxed-call" in refusal(workspace, handed_in(workspace, calling("outer", "inner", risk="low")))


def test_calls_within_calls_have_an_end(workspace: Workspace) -> None:
    """So many of them can be published, one more cannot."""
    published(workspace, handed_in(workspace, calling("w0")))
    for depth in range(1, DEEPEST + 1):
        published(workspace, handed_in(workspace, calling(f"w{depth}", f"w{depth - 1}")))
    told = refusal(workspace, handed_in(workspace, calling("last", f"w{DEEPEST}")))
    assert f"more than {DEEPEST} deep" in told
