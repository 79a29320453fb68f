"""Scenarios: the inputs and recorded outputs of one imagined run, and the path and result that it must have."""

from pydantic import JsonValue, field_validator

from ir.base import Model
from ir.walk import Outcome, RunStatus, Walk, walk
from ir.workflow import Workflow


class ExpectedResult(Model):
    """How the run must end.

    Args:
        status: an end's status, or `undecided` where the walk must stop for a person.
        undecided_at: for `undecided`, the node whose way out is open.
        outputs: those of the workflow's outputs that matter; the others may be anything.
    """

    status: RunStatus
    reason_code: str | None = None
    undecided_at: str | None = None
    outputs: dict[str, JsonValue] = {}


class Scenario(Model):
    """One imagined run of a workflow.

    Args:
        name: says what is special about it.
        workflow: id of the workflow, where a file speaks of several.
        outputs: by node id the object that the node gives, or `{"$error": "CODE"}` where it fails.
        path: ids of the nodes that run, in their order; None where the order is of no matter.
    """

    name: str
    workflow: str | None = None
    inputs: dict[str, JsonValue] = {}
    outputs: dict[str, dict[str, JsonValue]] = {}
    path: tuple[str, ...] | None = None
    result: ExpectedResult

    @field_validator("outputs")
    @classmethod
    def _readable(cls, outputs: dict[str, dict[str, JsonValue]]) -> dict[str, dict[str, JsonValue]]:
        for record in outputs.values():
            Outcome.read(record)
        return outputs

    def walk(self, workflow: Workflow) -> Walk:
        """The walk that the workflow takes; ValueError where its graph has a cycle."""
        return walk(workflow, self.inputs, self.outputs)

    def differences(self, workflow: Workflow) -> tuple[str, ...]:
        """What in the walk is not as expected, each in a sentence; empty where all is.

        Raises:
            ValueError: the graph has a cycle or an edge that leads nowhere.
        """
        taken = self.walk(workflow)
        stop = taken.undecided.node if taken.undecided else None
        pairs: list[tuple[str, object, object]] = [
            ("status", self.result.status, taken.result.status),
            ("reason code", self.result.reason_code, taken.result.reason_code),
            ("undecided node", self.result.undecided_at, stop),
        ]
        if self.path is not None:
            pairs.insert(0, ("path", list(self.path), list(taken.path)))
        for name, value in self.result.outputs.items():
            pairs.append((f"output {name}", value, taken.result.outputs.get(name)))
        wrong = [f"{what}: expected {right!r}, found {found!r}" for what, right, found in pairs if right != found]
        return (*wrong, *(f"{name} is not in the workflow" for name in taken.undeclared))


class Scenarios(Model):
    """A file of scenarios: `scenarios.yaml` of a case."""

    scenarios: tuple[Scenario, ...]
