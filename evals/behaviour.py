"""Behaviour: gold's scenarios walked over a draft, through a matching of what stands for what."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from evals.matching.nodes import Matching
from ir.base import canonical_json
from ir.predicate import Always, Compare, Literally, Operand, Otherwise, Ref, leaves
from ir.scenario import ExpectedResult, Scenario
from ir.walk import Walk, walk
from ir.workflow import CONTROL_END, CONTROL_START, HUMAN_APPROVAL, HUMAN_TASK, Node, Workflow
from validator.analysis.enumeration import points

MOST_GENERATED = 100
Records = dict[str, dict[str, JsonValue]]


@dataclass(frozen=True)
class ScenarioRun:
    """How a draft did in one scenario.

    Args:
        expected, found: the walks of gold and of the draft, both without unasked nodes.
        path: whether the same steps ran, none before one that gold has earlier.
        decisions: at how many of gold's branchings on the path the draft leads on to the partners of gold's steps.
        branchings: how many there are on the path.
        result: whether the run ended alike, with the same outputs.
        steps: how many steps ran in gold, in the draft, and in both.
        missing: facts that steer gold and have no partner.
        differences: what was not as in gold, each in a sentence.
    """

    scenario: str
    expected: Walk
    found: Walk
    path: bool
    decisions: int
    branchings: int
    result: bool
    steps: tuple[int, int, int]
    missing: tuple[str, ...]
    differences: tuple[str, ...]

    @cached_property
    def passed(self) -> bool:
        """Whether decisions, path and result are gold's."""
        return self.path and self.result and self.decisions == self.branchings and not self.missing


def walk_scenario(scenario: Scenario, known: Matching) -> ScenarioRun:
    """Walk one of gold's scenarios over a draft: inputs and recorded outputs are carried over by the matching.

    Raises:
        ValueError: the graph of one of the two has a cycle.
    """
    gold, draft = known.gold, known.draft
    expected = walk(gold, scenario.inputs, _of_kept(scenario.outputs, gold))
    inputs, outputs = transfer_scenario(scenario, known)
    found = walk(draft, inputs, outputs)
    wanted, got = steps_of_walk(expected, gold), tuple(known.back.get(n, f"({n})") for n in steps_of_walk(found, draft))
    differences = list(path_differences(wanted, got, gold))
    path = not differences
    right, branchings = _decisions(expected, found, known)
    if right < branchings:
        differences.append(f"decisions: {branchings - right} of {branchings} lead elsewhere")
    status = expected.result.status == found.result.status
    if not status:
        differences.append(f"status: gold {expected.result.status}, draft {found.result.status}")
    outputs_differ = [
        name
        for name, value in expected.result.outputs.items()
        if value is not None and value != _same_output(name, known, found)
    ]
    differences += [f"output {name}: the draft gives no such value in its place" for name in outputs_differ]
    missing = tuple(ref.text for ref in _steering(expected, gold) if ref not in known.facts)
    differences += [f"fact {name}: steers gold, and the draft has no partner of it" for name in missing]
    return ScenarioRun(
        scenario.name,
        expected,
        found,
        path,
        right,
        branchings,
        status and not outputs_differ,
        (len(wanted), len(got), len(set(wanted) & set(got))),
        missing,
        tuple(differences),
    )


def steps_of_walk(taken: Walk, workflow: Workflow) -> tuple[str, ...]:
    return tuple(name for name in taken.path if workflow.nodes[name].type not in (CONTROL_END, CONTROL_START))


def path_differences(wanted: tuple[str, ...], got: tuple[str, ...], gold: Workflow) -> Iterator[str]:
    """What differs between two runs; the order counts only where gold has one."""
    missing, extra = [n for n in wanted if n not in got], [n for n in got if n not in wanted]
    if missing or extra:
        yield f"path: gold {' → '.join(wanted)}, draft {' → '.join(got) or 'nothing'}"
        return
    pairs = [(edge.source, edge.target) for edge in gold.edges if edge.source in got and edge.target in got]
    before = {name: {b for a, b in pairs if a == name} for name in got}
    for at, name in enumerate(got):
        earlier = [other for other in got[:at] if other in before[name]]
        if earlier:
            yield f"path: {earlier[0]} runs before {name}"
            return


def _decisions(expected: Walk, found: Walk, known: Matching) -> tuple[int, int]:
    """Gold's branchings on the path at which the draft's partner leads to the partners; and all of them."""
    right = branchings = 0
    for name in expected.path:
        edges = known.gold.edges_from(name)
        if len({edge.target for edge in edges}) < 2 or all(isinstance(edge.condition, Always) for edge in edges):
            continue
        branchings += 1
        partner = known.nodes.get(name) or _start(known, name)
        if partner is None or partner not in found.path:
            continue
        theirs = {known.as_gold(n) for n in _taken(found, known.draft, partner)}
        right += _taken(expected, known.gold, name) == theirs
    return right, branchings


def _start(known: Matching, name: str) -> str | None:
    """The start of the draft, for gold's: a choice before the first step."""
    if known.gold.nodes[name].type != CONTROL_START:
        return None
    return next((other for other, node in known.draft.nodes.items() if node.type == CONTROL_START), None)


def _taken(walked: Walk, workflow: Workflow, node: str) -> set[str]:
    """Where a run went on from a node; ends of one status are one."""
    targets = [e.target for i, e in enumerate(workflow.edges) if e.source == node and walked.edges[i] == "taken"]
    found = [(t, workflow.nodes[t]) for t in targets]
    return {f"end:{end.status}" if end.type == CONTROL_END else name for name, end in found}


def _steering(expected: Walk, gold: Workflow) -> tuple[Ref, ...]:
    """The facts that the conditions on gold's path read."""
    found: list[Ref] = []
    for edge in gold.edges:
        if edge.source in expected.path and not isinstance(edge.condition, Always | Otherwise):
            for leaf in leaves(edge.condition):
                sides = (leaf.left, leaf.right) if isinstance(leaf, Compare) else (leaf.ref,)
                found += [side for side in sides if isinstance(side, Ref) and side.node not in _gone(side, gold)]
    return tuple(dict.fromkeys(found))


def _gone(ref: Ref, gold: Workflow) -> tuple[str | None, ...]:
    return (ref.node,) if ref.node is not None and ref.node not in gold.nodes else ()


def _same_output(name: str, known: Matching, found: Walk) -> JsonValue:
    """What the draft gives for a gold output: that reads the partner of what gold's reads, or its literal."""
    wanted: Operand = known.gold.outputs[name]
    if isinstance(wanted, Ref) and wanted in known.facts:
        wanted = known.facts[wanted].ref
    elif isinstance(wanted, Ref):
        if wanted.node not in known.nodes:
            return None
        wanted = Ref(".".join(("$.outputs", known.nodes[wanted.node], *wanted.path[1:])))
    own = next((key for key, operand in known.draft.outputs.items() if operand == wanted), None)
    return found.result.outputs.get(own) if own is not None else None


def _of_kept(outputs: Mapping[str, dict[str, JsonValue]], workflow: Workflow) -> Records:
    return {name: record for name, record in outputs.items() if name in workflow.nodes}


# --- carrying values over ---------------------------------------------------------------------------------------------


def transfer_scenario(scenario: Scenario, known: Matching) -> tuple[dict[str, JsonValue], Records]:
    """The scenario's inputs and recorded outputs, as the draft would have been given them."""
    inputs: dict[str, JsonValue] = {}
    outputs: Records = {}
    for name, record in scenario.outputs.items():
        if name in known.nodes:
            partner = known.nodes[name]
            outputs[partner] = (
                record if "$error" in record else _record(record, known.gold.nodes[name], known.draft.nodes[partner])
            )
    failed = {name for name, record in scenario.outputs.items() if "$error" in record}
    for ref, fact in known.facts.items():
        if ref.node in failed:
            continue
        value = known.values[ref](_value(ref, scenario))
        if value is None and not _given(ref, scenario):
            continue
        if fact.ref.root == "inputs":
            inputs[fact.ref.path[0]] = value
        elif fact.ref.node is not None:
            _set(outputs.setdefault(fact.ref.node, {}), fact.ref.path[1:], value)
    return inputs, outputs


def _record(record: dict[str, JsonValue], gold: Node, draft: Node) -> dict[str, JsonValue]:
    """A partner's record before its facts are set: the same fields for one Type, nothing for a task without choice."""
    if "$error" in record or (gold.type == draft.type and gold.type != HUMAN_TASK):
        return dict(record)
    if draft.type == HUMAN_TASK and len(draft.outcomes or ("done",)) == 1:
        return {"outcome": (draft.outcomes or ("done",))[0], "comment": None}
    return {}


def _value(ref: Ref, scenario: Scenario) -> JsonValue:
    value: JsonValue = dict(scenario.inputs) if ref.root == "inputs" else scenario.outputs.get(ref.node or "")
    for key in ref.path if ref.root == "inputs" else ref.path[1:]:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _given(ref: Ref, scenario: Scenario) -> bool:
    return ref.path[0] in (scenario.inputs if ref.root == "inputs" else scenario.outputs)


def _set(record: dict[str, JsonValue], path: tuple[str, ...], value: JsonValue) -> None:
    for key in path[:-1]:
        inner = record.setdefault(key, {})
        if not isinstance(inner, dict):
            return
        record = inner
    if path:
        record[path[-1]] = value


# --- generated scenarios ----------------------------------------------------------------------------------------------


def generate_scenarios(gold: Workflow, scenarios: tuple[Scenario, ...], known: Matching) -> tuple[Scenario, ...]:
    """More scenarios, from the given ones: one steering fact at a time takes each value that conditions tell apart.

    A number takes each constant that it is compared with and values beside and between them, a label each of its
    labels. Of those that take one path one is kept, and none whose path a given scenario takes with the same
    deciding values.
    """
    records = _known_records(gold, scenarios)
    seen = {_trace(gold, one) for one in scenarios}
    made: list[Scenario] = []
    for ref, value in _variations(gold, known):
        for base in scenarios:
            one = _varied(base, ref, value, records)
            trace = _trace(gold, one)
            if trace is None or trace in seen or len(made) >= MOST_GENERATED:
                continue
            seen.add(trace)
            made.append(one)
    return tuple(made)


def _known_records(gold: Workflow, scenarios: tuple[Scenario, ...]) -> Records:
    records: Records = {}
    for name, node in gold.nodes.items():
        if node.type == HUMAN_TASK:
            records[name] = {"outcome": (node.outcomes or ("done",))[0], "comment": None}
        elif node.type == HUMAN_APPROVAL:
            records[name] = {"approved": True}
    for scenario in scenarios:
        for name, record in scenario.outputs.items():
            if "$error" not in record:
                records.setdefault(name, record)
    return records


def _variations(gold: Workflow, known: Matching) -> Iterator[tuple[Ref, JsonValue]]:
    for ref, fact in known.gold_facts.items():
        if not fact.steers:
            continue
        values = list(fact.values)
        if not fact.listed:
            constants = [v for v in _constants(gold, ref) if isinstance(v, int | float) and not isinstance(v, bool)]
            beside = [constant + step for constant in constants for step in (-1, 1)]
            values = list(points([*constants, *beside], 1, integer=fact.type == "integer")) if constants else []
        yield from ((ref, value) for value in values)


def _constants(gold: Workflow, ref: Ref) -> Iterator[JsonValue]:
    for edge in gold.edges:
        if isinstance(edge.condition, Always | Otherwise):
            continue
        for leaf in leaves(edge.condition):
            if isinstance(leaf, Compare) and leaf.left == ref and isinstance(leaf.right, Literally):
                given = leaf.right.value
                yield from given if isinstance(given, list) else [given]


def _varied(base: Scenario, ref: Ref, value: JsonValue, records: Records) -> Scenario:
    inputs = dict(base.inputs)
    given = {name: record for name, record in base.outputs.items() if name != ref.node or "$error" not in record}
    outputs = {name: dict(record) for name, record in {**records, **given}.items()}
    if ref.root == "inputs":
        inputs[ref.path[0]] = value
    elif ref.node is not None:
        _set(outputs.setdefault(ref.node, {}), ref.path[1:], value)
    return Scenario(
        name=f"{base.name}; {ref.text} = {canonical_json(value)}",
        workflow=base.workflow,
        inputs=inputs,
        outputs=outputs,
        result=ExpectedResult(status="completed"),
    )


def _trace(gold: Workflow, scenario: Scenario) -> tuple[str, ...] | None:
    """The path and the values that decided it; None where the walk stops."""
    taken = walk(gold, scenario.inputs, _of_kept(scenario.outputs, gold))
    if taken.undecided is not None:
        return None
    values = [f"{ref.text}={canonical_json(_value(ref, scenario))}" for ref in _steering(taken, gold)]
    return (*taken.path, *values)
