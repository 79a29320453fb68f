"""Policy agreement, three a workflow: risk level, whether a run may go on by itself, whether approval is required."""

from collections.abc import Mapping

from evals.matching.view import View
from evals.tally import Tally, share
from ir.workflow import ExecutionPolicy

FIELDS = ("risk_level", "allow_auto", "require_approval")


def policy(view: View) -> Mapping[str, Tally]:
    """Tally of a case; a gold workflow without a draft counts as none of its fields right."""
    right = sum(
        agreeing(pair.gold.execution_policy, pair.draft.workflow.execution_policy) for pair in view.pairs if pair.draft
    )
    return {"workflow.policy": share(right, len(FIELDS) * len(view.pairs))}


def agreeing(gold: ExecutionPolicy, draft: ExecutionPolicy) -> int:
    """How many fields are the same.

    >>> agreeing(ExecutionPolicy(risk_level="high"), ExecutionPolicy(risk_level="low"))
    2
    """
    return sum(getattr(gold, field) == getattr(draft, field) for field in FIELDS)
