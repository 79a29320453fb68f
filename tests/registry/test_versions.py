"""Versions from draft to deprecated: who may, what stands in the way, and that nothing published changes."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from catalog.load import load_catalog
from ir.codec import digest, read_workflow
from ir.predicate import Ref
from ir.workflow import Node, Workflow
from registry.errors import NotPublishable, Tampered, UnknownVersion, WrongState
from registry.forms import Version
from registry.publishable import pin_of
from registry.versions import (
    candidate,
    checked,
    deprecate,
    findable,
    last_published,
    publish,
    review,
    submit,
    version_of,
    versions,
)
from registry.waivable import seen, waivable
from store import audit
from store.errors import NotAllowed
from store.tables import VERSIONS
from store.users import add_user, set_roles
from store.workspace import Workspace, make_workspace

CATALOG = load_catalog()
GOLD = (
    Path(__file__).resolve().parents[2]
    / "fixtures" / "cases" / "hazmat-transport" / "gold" / "transport-compliance.workflow.json"
)  # fmt: skip


def bound(node: Node, node_type: object) -> str | None:
    """Everything is carried out by somebody."""
    return "tried"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """One with an author, an approver and an owner."""
    found = make_workspace(tmp_path)
    with found.transaction() as connection:
        for name, roles in (("wen", set()), ("li", {"author"}), ("zhao", {"approver"})):
            add_user(connection, name, frozenset(roles), "wen")
    return found


@pytest.fixture
def workflow() -> Workflow:
    """Gold of the first case: high risk, with an approval."""
    found, faults = read_workflow(GOLD.read_bytes())
    assert found is not None, faults
    return found


def handed_in(workspace: Workspace, workflow: Workflow, questions: tuple[str, ...] = ()) -> Version:
    """Submitted and under review."""
    li = workspace.user("li")
    found = submit(workspace, li, workflow, CATALOG, "0.1", open_questions=questions)
    return review(workspace, li, found.workflow_id, found.number)


def test_from_draft_to_deprecated(workspace: Workspace, workflow: Workflow) -> None:
    """Each change is told with who and why; what is published is pinned, bound and signed."""
    handed_in(workspace, workflow)
    zhao = workspace.user("zhao")
    found = publish(workspace, zhao, workflow.workflow_id, 1, CATALOG, bound)
    assert (found.state, found.name) == ("published", "transport-compliance@v1")
    assert found.definition.status == "published"
    assert all(node.type_version == CATALOG.node_types[node.type].version
               for node in found.definition.nodes.values() if node.type in CATALOG.node_types)  # fmt: skip
    assert {one.type for one in found.pins} == {n.type for n in workflow.nodes.values()} & set(CATALOG.node_types)
    assert {found.executors[name] for name, node in workflow.nodes.items() if node.type.startswith("human.")} == {
        "manual"
    }
    checked(found, workspace.key)
    gone = deprecate(workspace, zhao, workflow.workflow_id, 1, "a new law")
    assert [(one.after, one.by, one.reason) for one in gone.history] == [
        ("draft", "li", ""), ("review", "li", ""), ("published", "zhao", ""), ("deprecated", "zhao", "a new law"),
    ]  # fmt: skip
    with workspace.transaction() as connection:
        told = [(one.kind, one.principal) for one in audit.events(connection) if one.kind.startswith("version")]
        assert audit.verify(connection, workspace.heads.read_text() if workspace.heads.exists() else "", "") == []
    assert told == [("version-draft", "li"), ("version-review", "li"), ("version-published", "zhao"),
                    ("version-deprecated", "zhao")]  # fmt: skip


def test_a_draft_is_replaced_and_a_version_is_not(workspace: Workspace, workflow: Workflow) -> None:
    """Numbers go up once a version is under review; the last published one is what a name without number means."""
    li, zhao = workspace.user("li"), workspace.user("zhao")
    assert submit(workspace, li, workflow, CATALOG, "0.1").number == 1
    assert submit(workspace, li, workflow, CATALOG, "0.1").number == 1
    review(workspace, li, workflow.workflow_id, 1)
    assert submit(workspace, li, workflow, CATALOG, "0.1").number == 2
    publish(workspace, zhao, workflow.workflow_id, 1, CATALOG, bound)
    with workspace.transaction() as connection:
        assert version_of(connection, workflow.workflow_id).number == 1
        assert [(one.number, one.state) for one in versions(connection)] == [(1, "published"), (2, "draft")]


def test_states_and_roles_are_kept(workspace: Workspace, workflow: Workflow) -> None:
    """Nothing is skipped; nobody does what is another's."""
    li, zhao = workspace.user("li"), workspace.user("zhao")
    with pytest.raises(NotAllowed, match="author"):
        submit(workspace, zhao, workflow, CATALOG, "0.1")
    submit(workspace, li, workflow, CATALOG, "0.1")
    with pytest.raises(WrongState, match="is draft, and has to be review"):
        publish(workspace, zhao, workflow.workflow_id, 1, CATALOG, bound)
    review(workspace, li, workflow.workflow_id, 1)
    with pytest.raises(NotAllowed, match="approver"):
        publish(workspace, li, workflow.workflow_id, 1, CATALOG, bound)
    assert review(workspace, zhao, workflow.workflow_id, 1, back="the deadline is wrong").state == "draft"
    with pytest.raises(UnknownVersion, match=r"v1 \(draft\)"), workspace.transaction() as connection:
        version_of(connection, workflow.workflow_id, 7)
    with pytest.raises(UnknownVersion, match=r"no version of .* is published"), workspace.transaction() as connection:
        version_of(connection, workflow.workflow_id)
    with pytest.raises(UnknownVersion, match="registry list"), workspace.transaction() as connection:
        version_of(connection, "nothing")


def test_all_that_stands_in_the_way_is_told(workspace: Workspace, workflow: Workflow) -> None:
    """Open questions, the author's own approval, Types that nobody carries out, errors; all at once."""
    handed_in(workspace, workflow.model_copy(update={"outputs": {"x": Ref("$.outputs.nowhere.x")}}), ("g1", "g3"))
    wen = workspace.user("wen")
    with pytest.raises(NotPublishable) as stopped:
        publish(workspace, wen, workflow.workflow_id, 1, CATALOG, lambda node, node_type: None)
    told = "\n".join(map(str, stopped.value.blockers))
    assert "g1, g3" in told and "nothing here carries out ontology.identify_substance" in told
    assert "unknown-node" in told
    with workspace.transaction() as connection:
        set_roles(connection, "wen", frozenset({"owner"}), "wen")
    submit(workspace, wen, workflow, CATALOG, "0.1")
    review(workspace, wen, workflow.workflow_id, 2)
    with pytest.raises(NotPublishable, match="another user with the role approver"):
        publish(workspace, wen, workflow.workflow_id, 2, CATALOG, bound)


def test_open_questions_may_be_accepted(workspace: Workspace, workflow: Workflow) -> None:
    """With a reason, which is kept with each of them, signed, and in the audit."""
    handed_in(workspace, workflow, ("g1", "g3"))
    found = publish(
        workspace, workspace.user("zhao"), workflow.workflow_id, 1, CATALOG, bound, accepted="asked the ministry"
    )
    assert found.history[-1].reason == "asked the ministry"
    assert [(one.kind, one.id) for one in found.report.waived] == [("question", "g1"), ("question", "g3")]
    with workspace.transaction() as connection:
        event = [*audit.events(connection)][-1]
        stored = connection.execute(sa.select(VERSIONS.c.report)).scalar_one()
        connection.execute(VERSIONS.update().values(report=stored.replace('"g3"', '"g4"')))
    assert event.kind == "version-published" and event.body["reason"] == "asked the ministry"
    assert event.body["waived"] == [one.to_json() for one in found.report.waived]
    with workspace.transaction() as connection, pytest.raises(Tampered):
        checked(version_of(connection, workflow.workflow_id), workspace.key)


def test_a_reason_waives_only_what_was_shown(workspace: Workspace, workflow: Workflow) -> None:
    """Where more is open by then, a reason is needed anew; a version after it needs one of its own."""
    zhao, name = workspace.user("zhao"), workflow.workflow_id
    handed_in(workspace, workflow, ("g1",))
    shown = seen(waivable(candidate(workspace, zhao, name, 1, CATALOG, bound).version.report))
    review(workspace, zhao, name, 1, back="mend it")
    handed_in(workspace, workflow, ("g1", "g2"))
    with pytest.raises(NotPublishable) as stopped:
        publish(workspace, zhao, name, 1, CATALOG, bound, accepted="asked", shown=shown)
    assert [one.kind for one in stopped.value.blockers] == ["unseen"]
    shown = seen(waivable(candidate(workspace, zhao, name, 1, CATALOG, bound).version.report))
    found = publish(workspace, zhao, name, 1, CATALOG, bound, accepted="asked again", shown=shown)
    assert [one.id for one in found.report.waived] == ["g1", "g2"]
    handed_in(workspace, workflow, ("g1",))
    with pytest.raises(NotPublishable, match="g1"):
        publish(workspace, zhao, name, 2, CATALOG, bound)


def test_nothing_is_waived_where_nothing_is_open(workspace: Workspace, workflow: Workflow) -> None:
    """A reason for nothing waives nothing."""
    handed_in(workspace, workflow)
    found = publish(workspace, workspace.user("zhao"), workflow.workflow_id, 1, CATALOG, bound, accepted="why not")
    assert found.report.waived == ()


def test_what_has_errors_is_not_published(workspace: Workspace, workflow: Workflow) -> None:
    """The codes are told."""
    policy = workflow.execution_policy.model_copy(update={"require_approval": True})
    nodes = {name: node for name, node in workflow.nodes.items() if node.type != "human.approval"}
    edges = tuple(edge for edge in workflow.edges if edge.source in nodes and edge.target in nodes)
    handed_in(workspace, workflow.model_copy(update={"nodes": nodes, "edges": edges, "execution_policy": policy}))
    with pytest.raises(NotPublishable, match=r"validation finds .* errors"):
        publish(workspace, workspace.user("zhao"), workflow.workflow_id, 1, CATALOG, bound)


@pytest.mark.parametrize("column", ["definition", "executors", "pins", "report"])
def test_what_was_published_cannot_be_changed_unseen(workspace: Workspace, workflow: Workflow, column: str) -> None:
    """In the database either: digest and signature no longer fit."""
    handed_in(workspace, workflow)
    publish(workspace, workspace.user("zhao"), workflow.workflow_id, 1, CATALOG, bound)
    with workspace.transaction() as connection:
        text = connection.execute(sa.select(VERSIONS.c[column])).scalar_one()
        other = {
            "definition": text.replace('"eq"', '"ne"', 1).replace('"risk_level": "high"', '"risk_level": "low"'),
            "executors": text.replace("manual", "none", 1),
            "pins": "[]",
            "report": text.replace('"warnings":', '"warnings":1'),
        }[column]
        assert other != text
        connection.execute(VERSIONS.update().values({column: other}))
    with workspace.transaction() as connection, pytest.raises(Tampered, match="backup"):
        checked(version_of(connection, workflow.workflow_id), workspace.key)


def test_a_pin_is_of_what_a_type_takes_and_gives() -> None:
    """Its words may change; its fields may not."""
    one = next(iter(CATALOG.node_types.values()))
    assert pin_of(one.model_copy(update={"summary": "other words"})) == pin_of(one)
    assert pin_of(one.model_copy(update={"outputs_schema": {}})).schema_hash != pin_of(one).schema_hash
    assert digest(one) != pin_of(one).schema_hash


def test_compatibility_is_signed_with_the_report(workspace: Workspace, workflow: Workflow) -> None:
    """Held against the last version that is published; the first has nothing to be held against."""
    zhao = workspace.user("zhao")
    handed_in(workspace, workflow)
    first = publish(workspace, zhao, workflow.workflow_id, 1, CATALOG, bound)
    assert first.report.compatibility is None and "compatibility" not in first.report.to_json()
    fewer = {name: spec for name, spec in workflow.outputs.items() if name != "decision_code"}
    handed_in(workspace, workflow.model_copy(update={"outputs": fewer}))
    with pytest.raises(NotPublishable, match=r"callers of .*@v1 cannot call it: output decision_code: is not given"):
        publish(workspace, zhao, workflow.workflow_id, 2, CATALOG, bound, compatible=True)
    second = publish(workspace, zhao, workflow.workflow_id, 2, CATALOG, bound)
    held = checked(second, workspace.key).report.compatibility
    assert held is not None and (held.against, held.verdict) == (first.name, "incompatible")
    kind = held.model_copy(update={"verdict": "compatible"})
    forged = second.model_copy(update={"report": second.report.model_copy(update={"compatibility": kind})})
    with pytest.raises(Tampered):
        checked(forged, workspace.key)


def test_what_is_held_against(workspace: Workspace, workflow: Workflow) -> None:
    """The last version that is published, else the last that was; for search the last of each that is published."""
    zhao = workspace.user("zhao")
    for number in (1, 2):
        handed_in(workspace, workflow)
        publish(workspace, zhao, workflow.workflow_id, number, CATALOG, bound)
    handed_in(workspace, workflow)

    def now() -> tuple[int, list[int], list[int]]:
        with workspace.transaction() as connection:
            last = last_published(versions(connection))
            assert last is not None
            found = ([one.number for one in findable(connection, deprecated=said)] for said in (False, True))
            return last.number, *found

    assert now() == (2, [2], [2])
    deprecate(workspace, zhao, workflow.workflow_id, 2, "wrong")
    assert now() == (1, [1], [1, 2])
    deprecate(workspace, zhao, workflow.workflow_id, 1, "wrong")
    assert now() == (2, [], [1, 2])
