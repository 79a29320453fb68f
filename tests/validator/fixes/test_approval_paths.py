"""Which ways out an approval is given where its decision is not read at once."""

from typing import Any

import pytest

from catalog.load import load_catalog
from evals.growth import big_workflow
from ir.predicate import ALWAYS, OTHERWISE, condition_json
from ir.workflow import Workflow
from primers.load import load_primers
from validator.check_input import CheckInput
from validator.checks import validate
from validator.fixes.approval_paths import ApprovalInsertion

DECISION = "$.outputs.decide.approved"


def completed(edges: list[dict[str, Any]], *tasks: str) -> Workflow:
    """A workflow of an approval and tasks, with the ways out that the approval lacks."""
    task = {"type": "human.task", "type_version": "^1.0.0", "assignee": "clerk", "instruction": "do it"}
    workflow = {
        "dsl_version": "1.0", "workflow_id": "permit", "version": "v1",
        "metadata": {"title": "Permit", "language": "en"}, "inputs": {}, "outputs": {},
        "nodes": {
            "decide": {"type": "human.approval", "type_version": "^1.0.0", "approvers": ["office"],
                       "question": "Grant it?"},
            **{name: {**task, "label": name} for name in tasks},
            "done": {"type": "control.end", "type_version": "^1.0.0", "status": "completed"},
            "refused": {"type": "control.end", "type_version": "^1.0.0", "status": "rejected"},
        },
        "edges": edges,
        "execution_policy": {"risk_level": "low"},
    }  # fmt: skip
    insertion = ApprovalInsertion(load_primers(), load_catalog(), Workflow.model_validate(workflow))
    insertion.read_decisions()
    return insertion.workflow


def test_a_decision_may_be_read_after_both_were_told() -> None:
    """`The applicant is told in writing`, granted or not; the ways part after it, and a refusal is told as well."""
    workflow = completed(
        [
            {"from": "decide", "to": "tell"},
            {"from": "tell", "to": "done", "condition": {"eq": [DECISION, True]}},
            {"from": "tell", "to": "refused", "condition": {"eq": [DECISION, False]}},
        ],
        "tell",
    )
    assert [edge.condition for edge in workflow.edges_from("decide")] == [ALWAYS]
    found = {one.error_code for one in validate(CheckInput(workflow, load_catalog()))}
    assert not found & {"unread-approval", "rejection-leads-on", "unreachable-node"}


def test_a_decision_that_nothing_reads_later_is_read_at_once() -> None:
    """Going on whatever is decided is no reading of it."""
    workflow = completed([{"from": "decide", "to": "tell"}, {"from": "tell", "to": "done"}], "tell")
    assert {edge.target for edge in workflow.edges_from("decide")} == {"tell", "end_rejected"}


def test_a_way_on_that_does_not_speak_of_the_decision_is_for_what_is_approved() -> None:
    """Beside ways that read the decision, one under another condition leads on nothing that was refused."""
    large, spoiled = {"gt": ["$.inputs.amount", 5]}, {"eq": ["$.inputs.spoiled", True]}
    workflow = completed(
        [
            {"from": "decide", "to": "tell", "condition": {"eq": [DECISION, True]}},
            {"from": "decide", "to": "director", "condition": large},
            {"from": "decide", "to": "burn", "condition": spoiled},
            {"from": "decide", "to": "refused", "condition": "otherwise"},
            {"from": "burn", "to": "refused"},
            {"from": "director", "to": "done"},
            {"from": "tell", "to": "done"},
        ],
        "tell", "director", "burn",
    )  # fmt: skip
    out = {edge.target: condition_json(edge.condition) for edge in workflow.edges_from("decide")}
    assert out["director"] == {"and": [{"eq": [DECISION, True]}, large]}
    assert out["burn"] == spoiled
    assert out["refused"] == "otherwise"


def test_the_rest_that_joins_the_granted_way_is_no_refusal() -> None:
    """`Approved, a stand-in is named for ward staff; the employee is told to go`: who is refused is not."""
    ward = {"eq": ["$.inputs.ward", True]}
    workflow = completed(
        [
            {"from": "decide", "to": "stand_in", "condition": {"and": [{"eq": [DECISION, True]}, ward]}},
            {"from": "decide", "to": "tell", "condition": "otherwise"},
            {"from": "stand_in", "to": "tell"},
            {"from": "tell", "to": "done"},
        ],
        "stand_in", "tell",
    )  # fmt: skip
    ways = {edge.target: condition_json(edge.condition) for edge in workflow.edges_from("decide")}
    assert ways["end_rejected"] == {"eq": [DECISION, False]}
    assert ways["tell"] == "otherwise"


def test_the_rest_that_leads_elsewhere_is_the_refusal() -> None:
    """`Granted, it is registered first; otherwise the applicant is told`."""
    edges = [
        {"from": "decide", "to": "register", "condition": {"eq": [DECISION, {"value": True, "quote": "Granted"}]}},
        {"from": "decide", "to": "tell", "condition": "otherwise"},
        {"from": "register", "to": "tell"},
        {"from": "tell", "to": "done"},
    ]
    assert len(completed(edges, "register", "tell").edges_from("decide")) == 2


def test_what_was_done_side_by_side_after_an_approval_still_is() -> None:
    """Two ways without condition become two that are taken together once it is granted."""
    edges = [{"from": "decide", "to": name} for name in ("pay", "file")]
    workflow = completed([*edges, *({"from": name, "to": "done"} for name in ("pay", "file"))], "pay", "file")
    assert workflow.nodes["decide"].split == "inclusive"
    assert "branch-overlap" not in {one.error_code for one in validate(CheckInput(workflow, load_catalog()))}


@pytest.mark.parametrize("seed", range(6))
def test_approvals_come_before_what_nobody_approved_yet(seed: int) -> None:
    """Of approvals put in one after the other, each is put in if the workflow so far has a run past all of them."""
    catalog = load_catalog()
    insertion = ApprovalInsertion(load_primers(), catalog, big_workflow(40, 70, seed))
    for name in [*insertion.workflow.nodes][seed % 3 :: 3]:
        before = insertion.workflow
        unapproved = name in CheckInput(before, catalog).analysis.unapproved_nodes
        insertion.approve_before(name)
        assert (insertion.workflow is not before) == unapproved
    before = insertion.workflow
    insertion.approve_completion()
    ends = {name for name, node in before.nodes.items() if node.status == "completed"}
    assert (insertion.workflow is not before) == bool(ends & {*CheckInput(before, catalog).analysis.unapproved_nodes})


def concluded(edges: list[dict[str, object]], *tasks: str, closing: tuple[str, ...] = ()) -> Workflow:
    """A workflow of tasks and perhaps an approval, after an approval was put before its conclusion."""
    task = {"type": "human.task", "type_version": "^1.0.0", "assignee": "clerk", "instruction": "do it"}
    decide = {"type": "human.approval", "type_version": "^1.0.0", "approvers": ["office"], "question": "Grant it?"}
    used = {name for edge in edges for name in (edge["from"], edge["to"])}
    workflow = {
        "dsl_version": "1.0", "workflow_id": "permit", "version": "v1", "metadata": {"title": "Permit"},
        "inputs": {"amount": {"type": "number", "required": True}}, "outputs": {},
        "nodes": {
            **({"decide": decide} if "decide" in used else {}),
            **{name: {**task, "label": name} for name in tasks},
            "done": {"type": "control.end", "type_version": "^1.0.0", "status": "completed"},
        },
        "edges": edges,
        "execution_policy": {"risk_level": "high"},
    }  # fmt: skip
    insertion = ApprovalInsertion(load_primers(), load_catalog(), Workflow.model_validate(workflow))
    insertion.approve_completion(closing)
    return insertion.workflow


def test_runs_that_pass_the_approvals_by_are_approved_beside_them() -> None:
    """Small sums go past the office to the allotment: their approval stands before it, and not after the notice."""
    edges: list[dict[str, object]] = [
        {"from": "ask", "to": "decide", "condition": {"gt": ["$.inputs.amount", 500]}},
        {"from": "ask", "to": "allot", "condition": "otherwise"},
        {"from": "decide", "to": "allot", "condition": {"eq": [DECISION, True]}},
        {"from": "allot", "to": "tell"},
        {"from": "tell", "to": "done"},
    ]
    workflow = concluded(edges, "ask", "allot", "tell", closing=("tell",))
    assert {(e.source, e.target) for e in workflow.edges} == {
        ("ask", "decide"), ("ask", "approve_conclusion"), ("approve_conclusion", "allot"), ("decide", "allot"),
        ("allot", "tell"), ("tell", "done"),
    }  # fmt: skip
    assert [e.condition for e in workflow.edges_from("ask")][1] == OTHERWISE


@pytest.mark.parametrize(("closing", "before"), [(("tell",), "tell"), ((), "done"), (("ask", "tell"), "tell")])
def test_an_approval_comes_before_what_only_tells_of_the_end(closing: tuple[str, ...], before: str) -> None:
    """Where the document has no approval, and never before the first step."""
    edges: list[dict[str, object]] = [{"from": "ask", "to": "tell"}, {"from": "tell", "to": "done"}]
    workflow = concluded(edges, "ask", "tell", closing=closing)
    assert [edge.source for edge in workflow.edges_to(before)] == ["approve_conclusion"]


def test_where_all_runs_are_approved_nothing_is_put_in() -> None:
    """The document's own approval is enough."""
    edges: list[dict[str, object]] = [
        {"from": "ask", "to": "decide"},
        {"from": "decide", "to": "tell", "condition": {"eq": [DECISION, True]}},
        {"from": "tell", "to": "done"},
    ]
    assert "approve_conclusion" not in concluded(edges, "ask", "tell", closing=("tell",)).nodes
