"""A run as data: what it was given and the outcomes it took, from which everything else follows again."""

from pydantic import JsonValue

from ir.base import Model
from ir.codec import digest
from ir.walk.outcome import Outcome
from ir.walk.run import Run, start
from ir.workflow import Workflow


class TakenOutcome(Model):
    """The outcome of one node."""

    node: str
    outcome: Outcome


class RunState(Model):
    """A run, to be stored and resumed; read and written as every form is (`ir.codec`).

    Args:
        workflow: digest of the workflow, since a run stays with its version.
        inputs: as they were given.
        taken: the outcomes in the order in which they came.
    """

    workflow_id: str
    version: str
    workflow: str
    inputs: dict[str, JsonValue]
    taken: tuple[TakenOutcome, ...] = ()


class StateMismatch(ValueError):  # noqa: N818 - named for the fault
    """What is stored of a run is not a run of this workflow."""


def state_of(run: Run) -> RunState:
    """What has to be stored of a run."""
    return RunState(
        workflow_id=run.workflow.workflow_id,
        version=run.workflow.version,
        workflow=digest(run.workflow),
        inputs=dict(run.given),
        taken=tuple(TakenOutcome(node=node, outcome=outcome) for node, outcome in run.taken),
    )


def resume(workflow: Workflow, state: RunState) -> Run:
    """The run that was stored.

    Raises:
        StateMismatch: it is a run of another workflow or version, or its outcomes are none that this one could take.
        ValueError: the graph of the workflow has a cycle.
    """
    if state.workflow != digest(workflow):
        raise StateMismatch(
            f"the run is one of {state.workflow_id} {state.version} with {state.workflow}; "
            f"found {workflow.workflow_id} {workflow.version} with {digest(workflow)}; "
            "resume it with the version that it began with"
        )
    run = start(workflow, state.inputs)
    for one in state.taken:
        if one.node not in run.under_way:
            known = ", ".join(run.under_way) or "no node"
            raise StateMismatch(
                f'the stored run has an outcome of "{one.node}", where {known} could have one; '
                "it was changed after it was stored, and has to be restored from a copy"
            )
        run = run.take(one.node, one.outcome)
    return run
