"""Behaviour: gold's scenarios walked over a draft, through a matching of what stands for what."""

from dataclasses import dataclass

from pydantic import JsonValue

from evals.matching import Matching, match, translate
from ir.predicate import Ref
from ir.scenario import Scenario
from ir.walk import Walk, walk
from ir.workflow import Workflow


@dataclass(frozen=True)
class Behaved:
    """How a draft did in one scenario.

    Args:
        differences: what was not as in gold, each in a sentence; empty where all was.
        walk: the draft's own walk.
    """

    scenario: str
    differences: tuple[str, ...]
    walk: Walk

    @property
    def passed(self) -> bool:
        """Whether path and result are gold's."""
        return not self.differences


def _same_output(name: str, gold: Workflow, draft: Workflow, known: Matching, found: Walk) -> JsonValue:
    """What the draft gives for a gold output: the output that reads the same field of the matched node."""
    wanted = gold.outputs[name]
    if not isinstance(wanted, Ref) or wanted.node not in known.nodes:
        return None
    path = ".".join((known.nodes[wanted.node], *wanted.path[1:]))
    own = next((key for key, ref in draft.outputs.items() if ref == Ref(f"$.outputs.{path}")), None)
    return found.result.outputs.get(own) if own is not None else None


def behave(scenario: Scenario, gold: Workflow, draft: Workflow, matching: Matching | None = None) -> Behaved:
    """Walk one of gold's scenarios over a draft: inputs and recorded outputs are carried over by the matching.

    Nodes of the draft that match none of gold's count as differences where they stand on the path; a workflow output is
    the same where it is read from matched nodes and has the same value.
    """
    known = matching or match(gold, draft)
    inputs = {known.inputs[name]: value for name, value in scenario.inputs.items() if name in known.inputs}
    outputs: dict[str, dict[str, JsonValue]] = {
        known.nodes[name]: translate(record, gold.nodes[name], draft.nodes[known.nodes[name]])
        for name, record in scenario.outputs.items()
        if name in known.nodes
    }
    expected, found = scenario.walk(gold), walk(draft, inputs, outputs)
    back = {draft_node: gold_node for gold_node, draft_node in known.nodes.items()}
    path = tuple(back.get(node, f"({node})") for node in found.path)
    wrong = []
    if path != expected.path:
        wrong.append(f"path: gold {' → '.join(expected.path)}, draft {' → '.join(path)}")
    for what, right, got in (
        ("status", expected.result.status, found.result.status),
        ("reason code", expected.result.reason_code, found.result.reason_code),
    ):
        if right != got:
            wrong.append(f"{what}: gold {right}, draft {got}")
    for name, value in expected.result.outputs.items():
        if value is not None and value != _same_output(name, gold, draft, known, found):
            wrong.append(f"output {name}: gold {value!r} is not what the draft gives in its place")
    return Behaved(scenario.name, tuple(wrong), found)
