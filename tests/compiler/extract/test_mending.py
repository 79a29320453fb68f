"""What a model may mend of a draft, and what it may not touch."""

from typing import Any

import pytest
from scripted import Scripted
from test_choosing_types import CATALOG, INDEX, PRIMERS, PROCEDURE, drafted

from compiler.context import Context
from compiler.draft.repair_with_model import repair_with_model
from ir.diagnostics import Diagnostic, Severity
from ir.predicate import ALWAYS, OTHERWISE, Compare
from ir.workflow import HUMAN_APPROVAL, Workflow
from validator.analysis.locations import at_edge

DRAFT = drafted()[0]


def mended(*patch: dict[str, Any]) -> tuple[Workflow | None, Context, str]:
    """The draft after a patch, and what the model was asked."""
    number = next(n for n, edge in enumerate(DRAFT.edges) if isinstance(edge.condition, Compare))
    fault = Diagnostic(
        error_code="branch-gap", severity=Severity.ERROR, message="a case is left", location=at_edge(DRAFT, number),
        witness={"outcome": "fail"},
    )  # fmt: skip
    model = Scripted(lambda request: {"patch": list(patch)})
    ctx = Context(CATALOG, PRIMERS, lambda: INDEX, "p.md")
    after = repair_with_model(ctx, DRAFT, (fault,), PROCEDURE, model)
    return after, ctx, model.asked[0].messages[-1][1]


def numbered(condition: object) -> int:
    """The number of the edge with such a condition."""
    return next(n for n, edge in enumerate(DRAFT.edges) if edge.condition == condition)


def test_a_condition_is_given_as_text() -> None:
    """The model sees the fault with its example and the edges around it; what it gives becomes a tree."""
    number = numbered(OTHERWISE)
    said = '$.outputs.task_s1.outcome == "fail"'
    after, ctx, asked = mended({"op": "replace", "path": f"/edges/{number}/condition", "value": said})
    assert not ctx.diagnostics
    assert after is not None
    assert isinstance(after.edges[number].condition, Compare)
    assert "[branch-gap]" in asked
    assert '{"outcome": "fail"}' in asked


def test_a_new_edge_says_that_it_is_a_repair() -> None:
    """Nobody takes it for the document's."""
    after, _, _ = mended({"op": "add", "path": "/edges/-", "value": {"from": "task_s2", "to": "end_rejected"}})
    assert after is not None
    assert (after.edges[-1].origin, after.edges[-1].evidence) == ("repair", ())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/execution_policy/risk_level", "low"),
        ("/nodes/approval/approvers", []),
        ("/nodes/approval/type", "human.task"),
        ("/nodes/task_s1/evidence", []),
        ("/rule_packs", {}),
        ("/edges/99/condition", "always"),
        (
            f"/edges/{next(n for n, e in enumerate(DRAFT.edges) if isinstance(e.condition, Compare))}/condition",
            "always",
        ),
        (f"/edges/{numbered(OTHERWISE)}/condition", "import os"),
        ("/edges/-", {"from": "task_s1", "to": "approval", "evidence": [{"doc_id": "p.md", "quote": "made up"}]}),
        ("/edges/-", {"from": "task_s1", "to": "approval", "origin": "document"}),
    ],
)
def test_what_may_not_be_changed(path: str, value: object) -> None:
    """Policy, approvals, types, evidence and the document's conditions stay; the build says that nothing was mended."""
    after, ctx, _ = mended({"op": "replace" if not path.endswith("-") else "add", "path": path, "value": value})
    assert after is None
    assert [d.error_code for d in ctx.diagnostics] == ["model-failed"]


def test_no_approval_is_led_past() -> None:
    """An edge around the approval that every way to a node passed is refused; the build says which."""
    approval = next(name for name, node in DRAFT.nodes.items() if node.type == HUMAN_APPROVAL)
    behind = next(edge.target for edge in DRAFT.edges if edge.source == approval)
    before = next(edge.source for edge in DRAFT.edges if edge.target == approval)
    after, ctx, _ = mended({"op": "add", "path": "/edges/-", "value": {"from": before, "to": behind}})
    assert after is None
    assert f"past {approval}" in ctx.diagnostics[0].message


def test_nothing_is_taken_away() -> None:
    """The form has no operation for it."""
    after, ctx, _ = mended({"op": "remove", "path": f"/edges/{numbered(ALWAYS)}"})
    assert after is None
    assert "malformed" in ctx.diagnostics[0].message


def test_a_case_may_be_led_to_an_end() -> None:
    """The ends are listed, with those that the draft does not have yet; one of these is added when it is led to."""
    after, _, asked = mended(
        {"op": "add", "path": "/edges/-", "value": {"from": "task_s2", "to": "end_returned", "condition": "otherwise"}}
    )
    assert "Ends: end_rejected (rejected), end_completed (completed), end_returned, end_cancelled, end_failed" in asked
    assert after is not None
    assert (after.nodes["end_returned"].status, after.nodes["end_returned"].origin) == ("returned", "repair")


def test_no_end_that_completes_is_added() -> None:
    """A way to it could lead past what the document asks for."""
    nodes = {name: node for name, node in DRAFT.nodes.items() if name != "end_completed"}
    edges = tuple(edge for edge in DRAFT.edges if edge.target != "end_completed")
    short = DRAFT.model_copy(update={"nodes": nodes, "edges": edges})
    fault = Diagnostic(error_code="x", severity=Severity.ERROR, message="m", location=at_edge(short, 0))
    patch = [{"op": "add", "path": "/edges/-", "value": {"from": "task_s2", "to": "end_completed"}}]
    ctx = Context(CATALOG, PRIMERS, lambda: INDEX, "p.md")
    after = repair_with_model(ctx, short, (fault,), PROCEDURE, Scripted(lambda request: {"patch": patch}))
    assert after is not None and "end_completed" not in after.nodes
    assert after.edges[-1].target == "end_completed"  # a way to nowhere, which validation finds, so that it is not kept
