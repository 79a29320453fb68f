"""GOV-1 to GOV-9 of the requirements, a test named after each."""

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hazmat import INPUTS, NOT_FILED, gold, scenario
from plant import CATALOG, Recorded, host_in, now_of, open_tasks, played, published, user

from ir.workflow import NodePolicy, Workflow
from registry.errors import NotPublishable, Tampered
from registry.versions import deprecate, publish, review, submit
from runtime.advance import advance
from runtime.commands import answer, begin
from runtime.dry_run import dry_run, still_bound
from runtime.errors import NotPublished
from runtime.exporting import exported
from runtime.governance.agency import Agency
from runtime.host import Host
from runtime.privacy.settings import Privacy
from runtime.telling import explain, replay
from store import audit
from store.errors import NotAllowed, OutOfScope
from store.tables import AUDIT, VERSIONS
from store.users import AGENT, READ, START, Grant, User, add_user

ROOT = Path(__file__).resolve().parents[2]
ID, FILING = "transport-compliance", "io.check_filing_status"


def plant(folder: Path, workflow: Workflow | None = None, **settings: object) -> tuple[Host, Recorded]:
    """The first case, published, and its systems; `settings` are those of each binding."""
    recorded = Recorded(scenario(NOT_FILED).outputs)
    host = host_in(folder, recorded, **settings)
    published(host, workflow or gold())
    return host, recorded


def with_policy(node: str, policy: NodePolicy) -> Workflow:
    """The first case with another policy of a node."""
    found = gold()
    return found.model_copy(
        update={"nodes": {**found.nodes, node: found.nodes[node].model_copy(update={"policy": policy})}}
    )


def found_in(host: Host, workflow: Workflow) -> set[str]:
    """The codes of errors that a draft has, with which it is not published."""
    draft = submit(host.workspace, user(host, "li"), workflow, CATALOG, "0.1")
    review(host.workspace, user(host, "li"), ID, draft.number)
    codes = {one.error_code for one in draft.report.findings if one.severity == "error"}
    if codes:
        with pytest.raises(NotPublishable):
            publish(host.workspace, user(host, "zhao"), ID, draft.number, CATALOG, host.executors.bind)
    return codes


def events(host: Host, execution: str) -> list[audit.Event]:
    """What the audit tells of an execution."""
    with host.workspace.transaction() as connection:
        return [*audit.events(connection, execution)]


@pytest.mark.parametrize(("who", "called"), [("li", False), ("zhao", True)])
def test_gov_1_an_external_system_is_called_for_those_who_are_allowed(tmp_path: Path, who: str, called: bool) -> None:
    """By the installation's list of each Type; for anybody else the node fails, and the system hears nothing."""
    host, recorded = plant(tmp_path, allow=["zhao"])
    run = advance(host, begin(host, user(host, who), ID, 1, INPUTS).id)
    assert (FILING in {call.type for call in recorded.calls}) is called
    failed = [one.body["error"] for one in events(host, run.id) if one.kind == "node-failed"]
    assert failed == ([] if called else ["NOT_ALLOWED"])


def test_gov_2_a_high_risk_begins_with_a_person_and_ends_with_one(tmp_path: Path) -> None:
    """What says otherwise is not published; what is published waits for an approval, an agent's before it begins."""
    host, recorded = plant(tmp_path)
    policy = gold().execution_policy
    assert policy.risk_level == "high"
    loose = policy.model_copy(update={"allow_auto": True, "require_approval": False})
    told = found_in(host, gold().model_copy(update={"execution_policy": loose}))
    assert told == {"auto-with-high-risk", "approval-not-required"}
    with host.workspace.transaction() as connection:
        add_user(connection, "bot", frozenset({AGENT}), "wen")
    lets = replace(host, agency=Agency(allow={"bot": frozenset({ID})}))
    run = advance(lets, begin(lets, user(host, "bot"), ID, 1, INPUTS).id)
    (task,) = open_tasks(host, run.id)
    assert (run.status, task.kind, task.roles, recorded.calls) == ("waiting_human", "approval", ("operator",), [])
    own = advance(host, begin(host, user(host, "li"), ID, 1, INPUTS).id)
    assert [one.node for one in open_tasks(host, own.id)] == ["approve"]


def test_gov_3_what_is_personal_is_masked_where_it_is_told_and_sealed_where_it_is_kept(tmp_path: Path) -> None:
    """By the class of its concept: for who may not read it, in the export, and in the chain."""
    host, _ = plant(tmp_path)
    secret = "王小明-4711"
    veiled = replace(host, privacy=Privacy(concepts={"shipment_id": "personal"}))
    run = begin(veiled, user(host, "li"), ID, 1, {**INPUTS, "shipment_id": secret})
    advance(veiled, run.id)
    with host.workspace.transaction() as connection:
        stored = str([*audit.events(connection, run.id, as_stored=True)])
    assert secret not in stored and secret not in str(exported(veiled, run.id))
    assert secret not in str(explain(veiled, run.id, user(host, "zhao")))
    assert secret in str(events(host, run.id))


def test_gov_4_versions_of_workflows_and_types_change_by_rules(tmp_path: Path) -> None:
    """A version is judged against the one before; a Type that moved on stops it, and so does its own end."""
    host, _ = plant(tmp_path)
    more = {**gold().inputs, "carrier": gold().inputs["shipment_id"]}
    second = published(host, gold().model_copy(update={"inputs": more}))
    held = second.report.compatibility
    assert held is not None and (held.against, held.verdict) == (f"{ID}@v1", "incompatible")
    other = CATALOG.node_types[FILING].model_copy(update={"version": "9.0.0"})
    moved = replace(CATALOG, node_types={**CATALOG.node_types, FILING: other})
    with pytest.raises(NotPublished, match=f"pinned to {FILING}"):
        begin(Host(host.workspace, moved, host.executors), user(host, "li"), ID, 1, INPUTS)
    deprecate(host.workspace, user(host, "wen"), ID, 1, "a new law")
    with pytest.raises(NotPublished, match="deprecated"):
        begin(Host(host.workspace, CATALOG, host.executors), user(host, "li"), ID, 1, INPUTS)


def test_gov_5_key_events_are_in_the_audit(tmp_path: Path) -> None:
    """Who began it, each call and its answer, each choice and by what, each task and answer, the end; each by whom."""
    host, recorded = plant(tmp_path)
    run = played(host, host.version(ID, 1), scenario(NOT_FILED))
    told = events(host, run.id)
    kinds = [one.kind for one in told]
    assert kinds[0] == "began" and told[0].principal == "li" and kinds[-1] == "ended"
    calls = [one.body["node"] for one in told if one.kind == "call-intended"]
    assert calls == [one.body["node"] for one in told if one.kind == "call-answered"]
    assert calls == [call.node for call in recorded.calls]
    choices = {one.body["node"]: one.body["by"] for one in told if one.kind == "node-succeeded"}
    assert choices["filing"] == {"$.outputs.filing.has_filing": False}
    (opened,) = (one for one in told if one.kind == "task-opened")
    (answered,) = (one for one in told if one.kind == "answered")
    assert opened.body["roles"] == ["安全总监"] and answered.principal == "wen"
    assert answered.body["shown"] == opened.body["shown"] and answered.body["answer"]["approved"] is True


def test_gov_6_a_node_may_ask_for_a_list_that_its_type_does_not(tmp_path: Path) -> None:
    """And not the other way round: what the Type asks for is not dropped."""
    assert not CATALOG.node_types["ontology.identify_substance"].governance.requires_allowlist
    assert CATALOG.node_types[FILING].governance.requires_allowlist
    host, recorded = plant(tmp_path, with_policy("identify", NodePolicy(requires_allowlist=True)), allow=["zhao"])
    advance(host, begin(host, user(host, "li"), ID, 1, INPUTS).id)
    assert recorded.calls == []
    assert found_in(host, with_policy("filing", NodePolicy(requires_allowlist=False))) == {"relaxed-policy"}


def test_gov_7_there_is_one_boundary_whatever_the_way(tmp_path: Path) -> None:
    """People, tokens and agents are refused by the same act; nothing outside the runtime calls or writes runs."""
    host, recorded = plant(tmp_path)
    with host.workspace.transaction() as connection:
        add_user(connection, "bot", frozenset({AGENT}), "wen")
        add_user(connection, "guest", frozenset(), "wen")
    grants = {"reads": Grant("t", frozenset({READ}), frozenset({"*"})),
              "other": Grant("t", frozenset({START}), frozenset({"other"}))}  # fmt: skip
    tries: list[tuple[User, type[Exception]]] = [
        (user(host, "guest"), NotAllowed),
        (user(host, "bot"), NotAllowed),
        *((replace(user(host, "li"), grant=one), OutOfScope) for one in grants.values()),
    ]
    for who, refused in tries:
        with pytest.raises(refused):
            begin(host, who, ID, 1, INPUTS)
    assert recorded.calls == []
    writing = {"insert", "save", "put", "open_task", "set_task", "carry_out"}
    for path in [one for folder in ("agents", "server", "flowc") for one in (ROOT / folder).rglob("*.py")]:
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "runtime.executions":
                assert not {one.name for one in node.names} & writing, path
            assert not (isinstance(node, ast.Attribute) and node.attr == "carry_out"), path


def test_gov_8_the_owner_of_the_workflow_secures_audits_and_replays(tmp_path: Path) -> None:
    """What was published runs as it was signed or not at all; the chain is verified, the run replayed from it."""
    host, _ = plant(tmp_path)
    run = played(host, host.version(ID, 1), scenario(NOT_FILED))
    workspace = host.workspace
    with workspace.transaction() as connection:
        audit.write_head(connection, workspace.key, workspace.heads, least=1)
        assert audit.verify(connection, workspace.heads.read_text("utf-8"), workspace.key.public) == []
    found = replay(host, run.id)
    assert found.differences == () and found.outputs["decision_code"] == "NOT_COMPLIANT_MISSING_FILING"
    with workspace.transaction() as connection:
        connection.execute(VERSIONS.update().values(author="zhao", executors="{}"))
    with pytest.raises(Tampered):
        begin(Host(workspace, CATALOG, host.executors), user(host, "li"), ID, 1, INPUTS)


def _before(host: Host, recorded: Recorded) -> None:
    version = host.version(ID, 1)
    ahead = dry_run(version.definition, CATALOG, still_bound(version, host.executors), INPUTS, None, ())
    people = {role for path in ahead.paths for stop in path.stops for role in stop.roles}
    assert "安全总监" in people and recorded.calls == []


def _during(host: Host, recorded: Recorded) -> None:
    run = advance(host, begin(host, user(host, "li"), ID, 1, INPUTS).id)
    (task,) = open_tasks(host, run.id)
    with pytest.raises(NotAllowed):
        answer(host, user(host, "zhao"), task.id, {"approved": True}, task.digest)
    assert now_of(host, run.id).status == "waiting_human"


def _after(host: Host, recorded: Recorded) -> None:
    played(host, host.version(ID, 1), scenario(NOT_FILED))
    with host.workspace.transaction() as connection:
        connection.execute(AUDIT.update().where(AUDIT.c.kind == "answered").values(principal="zhao"))
        faults = audit.verify(connection, "", host.workspace.key.public)
    assert [one.code for one in faults] == ["event-changed"]


@pytest.mark.parametrize("stage", [_before, _during, _after], ids=["before", "during", "after"])
def test_gov_9_a_run_is_governed_before_during_and_after(
    tmp_path: Path, stage: Callable[[Host, Recorded], None]
) -> None:
    """It is told ahead whom it asks; nobody else answers; afterwards who answered cannot be changed unseen."""
    stage(*plant(tmp_path))
