"""Example runs: inputs and node outputs that lead a workflow along a path, to be walked and shown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from ir.base import Model
from ir.fields import FieldSpec
from ir.predicate import Ref, Truth, references
from ir.walk import ERROR_KEY, OpenChoice, Outcome, Walk, choose, walk
from ir.workflow import Workflow
from validator.analysis.branch_outcomes import Split, conditions, truth_for
from validator.analysis.enumeration import Assignment, Values, space_of
from validator.analysis.fit import in_range
from validator.analysis.path_conditions import (
    TRUE,
    Constraint,
    PathCondition,
    TooManyValuesError,
    fulfil,
    path_conditions,
)
from validator.analysis.tables import judgements, tables
from validator.analysis.types import Scope, above, whole_output
from validator.runs.routes import GraphPath
from validator.runs.solve import ExtraCondition, Problem, UnsolvedError, oddness
from validator.runs.workflow_analysis import Analysis

NOT_FALSE: frozenset[Truth] = frozenset((True, None))
FAILED = "FAILED"
"""The error code of a node that fails in an example."""
ROUNDS = 10
"""How often an example is fixed that stops on its way."""
_SAMPLES: dict[str, JsonValue] = {
    "boolean": True,
    "integer": 1,
    "number": 1,
    "string": "example",
    "date": "2026-01-01",
    "datetime": "2026-01-01T09:00:00+00:00",
    "duration": "P1D",
    "array": [],
    "object": {},
}


class Run(Model):
    """One imagined run.

    Args:
        inputs: of the workflow, all that are required.
        outputs: by node id what the node gives, as far as conditions read it; or `{"$error": CODE}` where it fails.
    """

    inputs: dict[str, JsonValue]
    outputs: dict[str, dict[str, JsonValue]] = {}

    def value(self, ref: Ref) -> JsonValue:
        """What a reference reads; None where it is null or the run does not say it."""
        here: JsonValue = self.inputs if ref.node is None else dict(self.outputs)
        for name in ref.path:
            here = here.get(name) if isinstance(here, dict) else None
        return here

    def walk(self, workflow: Workflow) -> Walk | None:
        """The walk that a workflow takes in this run; None where its graph cannot be walked."""
        known = {name: Outcome.read(record) for name, record in self.outputs.items() if name in workflow.nodes}
        try:
            return walk(workflow, {name: one for name, one in self.inputs.items() if name in workflow.inputs}, known)
        except ValueError:
            return None


@dataclass(frozen=True)
class PathProblem:
    """Values that are looked for, so that a run goes along a path.

    Args:
        failing: the nodes that fail in it.
    """

    problem: Problem
    failing: frozenset[str]


def path_problem(
    analysis: Analysis,
    path: GraphPath,
    extra: ExtraCondition | None = None,
    scope: Scope | None = None,
    failing: Iterable[str] = (),
) -> PathProblem:
    """What a run along a path must fulfil, the guards among it.

    Args:
        extra: what else it must fulfil.
        scope: the types of references, where they are not the workflow's alone to say.
        failing: nodes that fail, besides those which the path leaves by an error edge.
    """
    workflow, graph = analysis.workflow, analysis.graph
    needed = [PathCondition(guard.condition, TRUE) for guard in workflow.guards]
    for link in path.links:
        needed += path_conditions(link, graph.out[link.source], workflow.nodes[link.source].split or "exclusive")
    failed = frozenset(link.source for link in path.links if not link.on_success).union(failing)
    ran = set(path.nodes) - failed
    trees = (*(one.tree for one in needed), *(extra.trees if extra else ()))
    read = {ref for tree in trees for ref in references(tree)}
    judged = [table for table in tables(analysis.scope) if table.node in ran]
    needed += [PathCondition(tree, NOT_FALSE) for table in judged for tree in judgements(analysis.scope, table, read)]

    def null_sources(ref: Ref) -> tuple[Ref, ...]:
        beside = ref.node is not None and ref.node not in ran
        return (*((whole_output(ref),) if beside else ()), *analysis.scope.null_sources(ref))

    gone = failed if analysis.runs_in_parallel else frozenset(workflow.nodes) - ran
    nulls = frozenset(Ref(f"$.outputs.{name}") for name in gone)
    return PathProblem(Problem(scope or analysis.scope, tuple(needed), extra, nulls, null_sources), failed)


def run_along_path(analysis: Analysis, path: GraphPath) -> Run | None:
    """A run that goes along a path, unless what runs beside it hinders it; None where none was found."""
    wanted = path_problem(analysis, path)
    try:
        values = wanted.problem.solve()
    except UnsolvedError:
        return None
    return None if values is None else run_of((analysis,), values, wanted.failing)


def run_with(analysis: Analysis, values: Mapping[str, JsonValue], failing: frozenset[str]) -> Run:
    """A run with these values, by reference, and others where they leave open how the workflow goes on."""
    given = {Ref(text): value for text, value in values.items() if not text.endswith(ERROR_KEY)}
    return run_of((analysis,), Assignment.from_values(given), failing)


def run_of(analyses: Sequence[Analysis], values: Assignment, failing: frozenset[str]) -> Run:
    """A run with these values, and others where they leave open how a workflow goes on.

    Args:
        analyses: of one workflow or of several versions of it.
        failing: nodes that fail.
    """
    asked: dict[Ref, JsonValue] = {ref: values(ref) for ref in values.values}
    chosen: dict[Ref, JsonValue] = {}
    for analysis in analyses:
        for node in analysis.graph.order:
            chosen |= _settled(analysis, node, chosen | asked)
        for _ in range(ROUNDS):
            taken = build_run(analyses, chosen | asked, failing).walk(analysis.workflow)
            if taken is None or taken.undecided is None or taken.undecided.node is None:
                break
            stop = taken.undecided.node
            read = {ref for link in analysis.graph.out[stop] for ref in references(link.edge.condition)}
            held = {ref: value for ref, value in (chosen | asked).items() if ref not in read or ref in asked}
            absent = {Ref(f"$.outputs.{name}"): None for name, state in taken.nodes.items() if state == "skipped"}
            chosen |= _settled(analysis, stop, absent | held)
    run = build_run(analyses, chosen | asked, failing)
    walks = [run.walk(analysis.workflow) for analysis in analyses]
    ran = {name for taken in walks if taken for name in taken.path}
    return run.model_copy(update={"outputs": {name: one for name, one in run.outputs.items() if name in ran}})


def _settled(analysis: Analysis, node: str, held: Mapping[Ref, JsonValue]) -> dict[Ref, JsonValue]:
    """Values with which a node finds its way, besides those that are held; none where none are found."""
    edges = {link.index: link.edge for link in analysis.graph.out[node] if link.on_success}
    trees = tuple(conditions(edges).values())
    if all(ref in held for tree in trees for ref in references(tree)):
        return {}
    split: Split = analysis.workflow.nodes[node].split or "exclusive"
    domains = {ref: _likely(values) for ref, values in space_of(trees, analysis.scope.spec, held).domains.items()}
    decided = Constraint(
        tuple(domains), lambda values: not isinstance(choose(edges, split, truth_for(values)), OpenChoice)
    )
    try:
        found = fulfil(domains, (decided,))
    except TooManyValuesError:
        return {}
    return {ref: found(ref) for ref in found.values if ref not in held} if found else {}


def _likely(values: Values) -> Values:
    """The order in which values are tried where any will do: what is plain and affirmative first."""
    return tuple(sorted(values, key=lambda value: (oddness(value), value is False)))


def build_run(analyses: Sequence[Analysis], held: Mapping[Ref, JsonValue], failing: frozenset[str]) -> Run:
    """The run with these values; required inputs that none of them is about get an example of their type."""
    inputs: dict[str, JsonValue] = {}
    outputs: dict[str, JsonValue] = {}
    for ref in sorted(held, key=lambda one: len(one.path)):
        if not any(up in held and held[up] is None for up in above(ref)):
            _put(inputs if ref.node is None else outputs, ref.path, held[ref])
    for analysis in analyses:
        for name, spec in analysis.workflow.inputs.items():
            if spec.is_required:
                inputs.setdefault(name, sample(spec))
    records = {name: one for name, one in outputs.items() if isinstance(one, dict)}
    return Run(inputs=inputs, outputs=records | {name: {ERROR_KEY: FAILED} for name in sorted(failing)})


def _put(target: dict[str, JsonValue], path: Sequence[str], value: JsonValue) -> None:
    for name in path[:-1]:
        inner = target.setdefault(name, {})
        target = inner if isinstance(inner, dict) else {}
    target[path[-1]] = value


def sample(spec: FieldSpec) -> JsonValue:
    """Some value of a field.

    >>> sample(FieldSpec(type="string", enum=("road", "rail"))), sample(FieldSpec(type="integer"))
    ('road', 1)
    """
    if spec.enum:
        return next((value for value in spec.enum if value is not None), None)
    if spec.properties:
        return {name: sample(inner) for name, inner in spec.properties.items() if inner.required}
    limit = spec.minimum if spec.minimum is not None else spec.maximum
    return _SAMPLES[spec.type] if limit is None or in_range(_SAMPLES[spec.type], spec) else limit
