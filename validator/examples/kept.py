"""Kept cases: made of what the solver found, and run again on the workflow as it is now."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from ir.kept_case import Judgement, KeptCase, KeptCases
from ir.predicate import Ref, evaluate
from ir.scenario import ExpectedResult, Scenario
from ir.walk import Run
from ir.workflow import Workflow
from validator.examples.anchors import found_again
from validator.examples.cases import Case
from validator.examples.play import play_recorded
from validator.examples.targets import Targets

Outcome = Literal["passed", "differs", "mended", "still wrong", "unsure", "not judged", "stale"]
"""What became of a kept case: one judged right `passed` or `differs`; one judged wrong is `mended`, where the run goes
as it should, or `still wrong`; of others nothing is expected; of a `stale` one something that it names is gone."""
FAILING: tuple[Outcome, ...] = ("differs", "stale")


@dataclass(frozen=True)
class Difference:
    """What in a run is not as it was.

    Args:
        what: `end`, `way`, `output`, or what `rows` give at a node.
        name: of an output, of rows as well.
        expected, found: the nodes of a way, how it ends, a value.
        at: where the ways part: the last node that both come to; None at the start.
        edges: the edges that the run takes there now, by index.
    """

    what: Literal["end", "way", "output", "rows"]
    expected: JsonValue
    found: JsonValue
    name: str | None = None
    at: str | None = None
    edges: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class CheckedCase:
    """A kept case and what became of it.

    Args:
        gone: of a stale case, the nodes and inputs that are gone.
        run: None for a stale case.
    """

    case: KeptCase
    outcome: Outcome
    differences: tuple[Difference, ...] = ()
    gone: tuple[str, ...] = ()
    run: Run | None = None


def check_kept(kept: KeptCases, workflow: Workflow) -> Iterator[CheckedCase]:
    """Run the cases of a file, one after the other.

    Raises:
        ValueError: the graph has a cycle, or an edge names a node that does not exist.
    """
    now = found_again(kept.nodes, workflow)
    return (_checked(case, workflow, now) for case in kept.cases)


def _checked(case: KeptCase, workflow: Workflow, now: Mapping[str, str]) -> CheckedCase:
    scenario = case.scenario
    lost = [kept for kept in case.named if kept not in now]
    lost += [f"$.inputs.{name}" for name in scenario.inputs if name not in workflow.inputs]
    if lost:
        return CheckedCase(case, "stale", gone=tuple(lost))
    outputs = {now[name]: record for name, record in scenario.outputs.items()}
    run = play_recorded(workflow, scenario.inputs, outputs)
    path = [now[name] for name in scenario.path or ()]
    stop = scenario.result.undecided_at
    expected = scenario.result.model_copy(update={"undecided_at": now.get(stop, stop) if stop else None})
    given = {now[name]: fields for name, fields in case.by_rows.items() if name in now}
    found = (*_differences(run, path, expected), *_given_otherwise(run, given))
    judged = case.judgement
    if judged is None or judged.verdict == "unsure":
        return CheckedCase(case, "not judged" if judged is None else "unsure", found, run=run)
    if judged.verdict == "right":
        return CheckedCase(case, "differs" if found else "passed", found, run=run)
    mended = _as_it_should(judged, run, now)
    return CheckedCase(case, "mended" if mended else "still wrong", found, run=run)


def _as_it_should(judged: Judgement, run: Run, now: Mapping[str, str]) -> bool:
    """Whether all that should happen does; not where that was said in words alone."""
    ended = [] if judged.result is None else [not [*_differences(run, [], judged.result)]]
    ran = [now[name] in run.path for name in judged.must]
    left_out = [now[name] not in run.path for name in judged.must_not]
    said = (*ended, *ran, *left_out)
    return bool(said) and all(said)


def _differences(run: Run, path: Sequence[str], expected: ExpectedResult) -> Iterable[Difference]:
    if path and list(path) != list(run.path):
        at = _parting(run, frozenset(path))
        yield Difference("way", list(path), list(run.path), at=at, edges=_taken(run, at))
    result = run.result
    ends: list[tuple[str, str | None, str | None]] = [
        ("status", expected.status, result.status),
        ("reason code", expected.reason_code, result.reason_code),
        ("open at", expected.undecided_at, run.undecided.node if run.undecided else None),
    ]
    for name, wanted, found in ends:
        if wanted != found:
            yield Difference("end", wanted, found, name=name, at=result.node)
    for output, value in expected.outputs.items():
        if result.outputs.get(output) != value:
            yield Difference("output", value, result.outputs.get(output), name=output, at=result.node)


def _given_otherwise(run: Run, given: Mapping[str, Mapping[str, JsonValue]]) -> Iterator[Difference]:
    """What rows give now and did not give; a node to which the run does not come any more is told by its way."""
    for node, fields in given.items():
        if node not in run.path:
            continue
        now = given_by_rows(run, node)
        for name in dict.fromkeys((*fields, *now)):
            if fields.get(name) != now.get(name):
                yield Difference("rows", fields.get(name), now.get(name), name=name, at=node)


def given_by_rows(run: Run, node: str) -> dict[str, JsonValue]:
    """What the rows of a node's rule pack gave in a run."""
    pack = run.workflow.rule_packs.get(run.workflow.nodes[node].rule_pack or "")
    found = run.outcomes[node].output if node in run.outcomes else None
    names = {name for rule in pack.rules for name in rule.names} if pack is not None else set()
    return {name: value for name, value in (found or {}).items() if name in names}


def rows_of_run(run: Run) -> dict[str, dict[str, JsonValue]]:
    """What rows gave in a run, by the node that applies them."""
    return {node: given_by_rows(run, node) for node in run.path if run.workflow.nodes[node].rule_pack is not None}


def _parting(run: Run, path: frozenset[str]) -> str | None:
    """The first node of a way after which the run does not go on as before; None where it does not begin."""
    for name in (name for name in run.path if name in path):
        led = {run.workflow.edges[index].target for index in _taken(run, name)}
        lost = {edge.target for edge in run.workflow.edges_from(name)} & path - set(run.path)
        if led - path or lost:
            return name
    return run.path[-1] if run.path else None


def _taken(run: Run, name: str | None) -> tuple[int, ...]:
    """The edges by which a run leaves a node."""
    pairs = enumerate(zip(run.workflow.edges, run.edges, strict=True))
    return tuple(index for index, (edge, state) in pairs if edge.source == name and state == "taken")


def in_terms_of(kept: KeptCases, workflow: Workflow) -> KeptCases:
    """Kept cases with the ids that nodes have now; a node that is gone keeps an id that no other node bears."""
    now = found_again(kept.nodes, workflow)
    ids = {name: now.get(name, f"{name}~" if name in workflow.nodes else name) for name in kept.nodes}
    nodes = {ids[name]: anchor for name, anchor in kept.nodes.items()}
    every = []
    for case in kept.cases:
        told = case.scenario
        stop = told.result.undecided_at
        changed = {
            "outputs": {ids.get(name, name): record for name, record in told.outputs.items()},
            "path": tuple(ids.get(name, name) for name in told.path) if told.path is not None else None,
            "result": told.result.model_copy(update={"undecided_at": ids.get(stop, stop) if stop else None}),
        }
        rows = {ids.get(name, name): given for name, given in case.by_rows.items()}
        said = case.judgement
        steps = {} if said is None else {
            "must": tuple(ids.get(name, name) for name in said.must),
            "must_not": tuple(ids.get(name, name) for name in said.must_not),
        }  # fmt: skip
        every.append(case.model_copy(update={
            "scenario": told.model_copy(update=changed), "by_rows": rows,
            "judgement": said.model_copy(update=steps) if said is not None else None,
        }))  # fmt: skip
    return kept.model_copy(update={"nodes": nodes, "cases": tuple(every)})


def scenario_of(case: Case, targets: Targets, name: str) -> Scenario:
    """A case as a scenario: what the run is given, the way that it takes, and how it ends.

    A field that has no value is left out where null is not legal for it, as is what rows give in this run.
    """
    scope, by_rows = targets.analysis.scope, set(_given_by_rows(case.run, targets))
    values = {
        ref: value
        for ref, value in case.facts.values.items()
        if ref not in by_rows and (value is not None or ((spec := scope.spec(ref)) is not None and spec.nullable))
    }
    facts = type(case.facts)(values, case.facts.failing)
    ran = set(case.run.path)
    return Scenario(
        name=name,
        inputs=facts.inputs,
        outputs={node: record for node, record in facts.outputs.items() if node in ran},
        path=case.run.path,
        result=result_of(case.run),
    )


def result_of(run: Run) -> ExpectedResult:
    """How a run ended, as a case expects it."""
    return ExpectedResult(
        status=run.result.status,
        reason_code=run.result.reason_code,
        undecided_at=run.undecided.node if run.undecided else None,
        outputs={name: value for name, value in run.result.outputs.items() if value is not None},
    )


def _given_by_rows(run: Run, targets: Targets) -> Iterator[Ref]:
    for node, table in targets.tables.items():
        for row in table.rows_holding(lambda tree: evaluate(tree, run.lookup)):
            yield from (Ref(f"$.outputs.{node}.{name}") for name in table.rules[row].names)
