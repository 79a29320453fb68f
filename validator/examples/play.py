"""Plays a workflow with given facts, as the runtime would: rule packs are applied, everything else is as given."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from ir.predicate import Ref
from ir.walk import ERROR_KEY, Outcome, Run, rules_outcome, start
from ir.workflow import Workflow

Values = Mapping[Ref, JsonValue]


@dataclass(frozen=True)
class Facts:
    """What a run is given.

    Args:
        values: by reference to an input, or to a field that a node gives; None stands for a null.
        failing: nodes that fail, with the code.
    """

    values: Values = field(default_factory=dict)
    failing: Mapping[str, str] = field(default_factory=dict)

    def with_values(self, values: Values) -> "Facts":
        """The same with other values of some references."""
        return Facts({**self.values, **values}, self.failing)

    @property
    def inputs(self) -> dict[str, JsonValue]:
        """The inputs of the workflow."""
        found: dict[str, JsonValue] = {}
        for ref in self._outer_first():
            if ref.root == "inputs":
                _put(found, ref.path, self.values[ref])
        return found

    @property
    def outputs(self) -> dict[str, dict[str, JsonValue]]:
        """What nodes give, by id; `{"$error": CODE}` where they fail."""
        found: dict[str, JsonValue] = {}
        for ref in self._outer_first():
            if ref.root == "outputs" and len(ref.path) > 1:
                _put(found, ref.path, self.values[ref])
        known = {name: one for name, one in found.items() if isinstance(one, dict) and name not in self.failing}
        return known | {name: {ERROR_KEY: code} for name, code in self.failing.items()}

    def _outer_first(self) -> list[Ref]:
        return sorted(self.values, key=lambda ref: len(ref.path))


def play(workflow: Workflow, facts: Facts) -> Run:
    """The run that a workflow goes with these facts, to where it ends or is open.

    Raises:
        ValueError: the graph has a cycle, or an edge names a node that does not exist.
    """
    return play_recorded(workflow, facts.inputs, facts.outputs)


def play_recorded(
    workflow: Workflow, inputs: Mapping[str, JsonValue], outputs: Mapping[str, Mapping[str, JsonValue]]
) -> Run:
    """The same with what is recorded, by name and node.

    What the rows of a rule pack give stands in the place of what is recorded for the node, but for its failure; what is
    recorded stands where no row holds, since then somebody else has to say it.

    Raises:
        ValueError: the graph has a cycle, an edge names a node that does not exist, or a record is malformed.
    """
    run = start(workflow, inputs)
    while run.ready:
        ready = run.ready[0]
        outcome = Outcome.read(outputs.get(ready.node, {}))
        if ready.performer == "rules" and not outcome.failed:
            by_rules = rules_outcome(run, ready)
            unsaid = by_rules.error == "NO_RULE" and outcome.output
            given = {**(outcome.output or {}), **(by_rules.output or {})}
            outcome = by_rules if by_rules.failed and not unsaid else Outcome(output=given)
        run = run.take(ready.node, outcome)
    return run


def _put(into: dict[str, JsonValue], path: tuple[str, ...], value: JsonValue) -> None:
    for name in path[:-1]:
        inner = into.setdefault(name, {})
        if not isinstance(inner, dict):
            return  # what lies below a null is null
        into = inner
    if value != {} or path[-1] not in into:
        into[path[-1]] = value
