"""Policy agreement over the sample: three fields a workflow."""

from dataclasses import replace

import pytest
from eval_samples import Drafted, workflow

from evals.matching.view import View
from evals.metrics.policy import policy
from evals.tally import share
from ir.workflow import ExecutionPolicy

pytest_plugins = ("eval_fixtures",)


@pytest.mark.parametrize(
    ("given", "right"),
    [
        (ExecutionPolicy(risk_level="medium", allow_auto=False, require_approval=True), 3),
        (ExecutionPolicy(risk_level="high", allow_auto=False, require_approval=True), 2),
        (ExecutionPolicy(risk_level="medium", allow_auto=True, require_approval=False), 1),
        (ExecutionPolicy(risk_level="low", allow_auto=True, require_approval=False), 0),
    ],
)
def test_each_field_counts_for_one(drafted: Drafted, given: ExecutionPolicy, right: int) -> None:
    """Gold is of medium risk, may not go on by itself and requires approval."""
    flow = workflow().model_copy(update={"execution_policy": given})
    assert policy(drafted(None, flow)) == {"workflow.policy": share(right, 3)}


def test_a_workflow_without_a_draft_has_none_right(drafted: Drafted) -> None:
    """0 of 3."""
    view = drafted()
    assert policy(View(view.case, replace(view.outcome, drafts=()), view.catalog)) == {"workflow.policy": share(0, 3)}
