"""Example runs: inputs and node outputs that lead a workflow along a way, to be walked and shown."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from compiler.analysis import Analysis
from compiler.demands import TRUE, Constraint, Demand, TooMany, demands, fulfil
from compiler.enumerate import Assignment, Values, space_of
from compiler.graph import Link
from compiler.typing_of import below
from compiler.ways import Split, conditions, truth_for
from ir.base import Model
from ir.fields import FieldSpec
from ir.predicate import Ref, Tree, references
from ir.walk import ERROR_KEY, Open, Recorded, Walk, choose, walk
from ir.workflow import Edge, Workflow

FAILED = "FAILED"
"""The error code of a node that fails in an example."""
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

    def walk(self, workflow: Workflow) -> Walk:
        """The walk that a workflow takes in this run; ValueError where its graph has a cycle."""
        known = {name: Recorded.read(record) for name, record in self.outputs.items() if name in workflow.nodes}
        return walk(workflow, {name: value for name, value in self.inputs.items() if name in workflow.inputs}, known)


@dataclass(frozen=True)
class Wanted:
    """What an example run is to fulfil.

    Args:
        trees: the conditions about which it says something; they give the values that are tried.
        exact: whether these values stand for all, so that finding none proves that there is none.
    """

    constraints: tuple[Constraint, ...]
    domains: Mapping[Ref, Values]
    failing: frozenset[str]
    exact: bool

    def values(self) -> Assignment | None:
        """Values that fulfil it; None where there are none. TooMany where that was not found out."""
        return fulfil(self.domains, self.constraints)


def along(
    analysis: Analysis, links: Sequence[Link], trees: Iterable[Tree] = (), constraints: Iterable[Constraint] = ()
) -> Wanted:
    """What a run along these edges must fulfil, the guards among it.

    Args:
        trees, constraints: what else it must fulfil, and the conditions that this is about.
    """
    workflow, graph = analysis.workflow, analysis.graph
    needed = [Demand(guard.condition, TRUE) for guard in workflow.guards]
    for link in links:
        needed += demands(link, graph.out[link.source], workflow.nodes[link.source].split or "exclusive")
    failing = frozenset(link.source for link in links if not link.on_success)
    passed = {link.source for link in links} - failing
    last = links[-1].target if links else None
    asked = (*(demand.tree for demand in needed), *trees)

    def nullable(ref: Ref) -> bool:
        if ref.node is None or ref.node in passed or ref.node == last:
            return bool(analysis.scope.null_sources(ref))
        return ref.node not in failing

    gone = {Ref(f"$.outputs.{name}"): None for name in failing}
    space = space_of(asked, analysis.scope.spec, gone, nullable)
    domains = {ref: tuple(sorted(values, key=_oddness)) for ref, values in space.domains.items()}
    return Wanted((*map(Constraint.of, needed), *constraints), domains, failing, space.exact)


def _oddness(value: JsonValue) -> int:
    """Plain values first, negative numbers later, null last."""
    if value is None:
        return 2
    return int(isinstance(value, int | float) and value < 0)


def run_of(analyses: Sequence[Analysis], values: Assignment, failing: frozenset[str]) -> Run:
    """A run with these values in which each workflow also finds its way on, as far as values are found for it.

    Args:
        analyses: of one workflow or of several versions of it.
        failing: nodes that fail.
    """
    held: dict[Ref, JsonValue] = {ref: values(ref) for ref in values.values}
    for analysis in analyses:
        for _ in analysis.graph.order:
            stop = _stop(analysis, built(analyses, held, failing))
            more = _settled(analysis, stop, held) if stop else None
            if more is None:
                break
            held |= {ref: more(ref) for ref in more.values}
    return built(analyses, held, failing)


def _stop(analysis: Analysis, run: Run) -> str | None:
    """The node at which a run stops for want of values."""
    try:
        stop = run.walk(analysis.workflow).undecided
    except ValueError:
        return None
    return stop.node if stop else None


def _settled(analysis: Analysis, node: str, held: Mapping[Ref, JsonValue]) -> Assignment | None:
    """Values with which a node finds its way, keeping those that are held; None where none are found."""
    edges = {link.index: link.edge for link in analysis.graph.out[node] if link.on_success}
    trees = tuple(conditions(edges).values())
    split: Split = analysis.workflow.nodes[node].split or "exclusive"
    ran = {*analysis.graph.ancestors[node], node}
    space = space_of(trees, analysis.scope.spec, held)
    free = {ref: values for ref, values in space.domains.items() if ref not in held}
    domains = {ref: ((held[ref],) if ref in held else _likely(values)) for ref, values in space.domains.items()}
    if not any(ref.node is None or ref.node in ran for ref in free):
        return None
    refs = tuple(domains)
    decided = Constraint(refs, lambda values: not isinstance(choose(edges, split, truth_for(values)), Open))
    try:
        return fulfil(domains, (decided,))
    except TooMany:
        return None


def _likely(values: Values) -> Values:
    """The order in which values are tried where any will do: what is plain and affirmative first."""
    return tuple(sorted(values, key=lambda value: (_oddness(value), value is False)))


def built(analyses: Sequence[Analysis], held: Mapping[Ref, JsonValue], failing: frozenset[str]) -> Run:
    """The run with these values; required inputs that none of them is about get an example of their type."""
    inputs: dict[str, JsonValue] = {}
    outputs: dict[str, dict[str, JsonValue]] = {name: {ERROR_KEY: FAILED} for name in sorted(failing)}
    for ref in sorted(held, key=lambda one: len(one.path)):
        nulls = any(below(ref, other) and ref != other and held[other] is None for other in held)
        if not nulls and ref.node not in failing:
            _put(inputs if ref.node is None else outputs, ref.path, held[ref])
    for analysis in analyses:
        for name, spec in analysis.workflow.inputs.items():
            if spec.is_required:
                inputs.setdefault(name, sample(spec))
    return Run(inputs=inputs, outputs=outputs)


def _put(target: dict[str, JsonValue] | dict[str, dict[str, JsonValue]], path: Sequence[str], value: JsonValue) -> None:
    place: dict[str, JsonValue] = target  # type: ignore[assignment]
    for name in path[:-1]:
        inner = place.get(name)
        if not isinstance(inner, dict):
            inner = place[name] = {}
        place = inner
    if len(path) > 1 or isinstance(value, dict) or target is not place or not isinstance(place.get(path[-1]), dict):
        place[path[-1]] = value


def sample(spec: FieldSpec) -> JsonValue:
    """Some value of a field.

    >>> sample(FieldSpec(type="string", enum=("road", "rail"))), sample(FieldSpec(type="integer"))
    ('road', 1)
    """
    if spec.enum:
        return next((value for value in spec.enum if value is not None), None)
    if spec.properties:
        return {name: sample(inner) for name, inner in spec.properties.items() if inner.required}
    return _SAMPLES[spec.type]


def edges_of(edges: Iterable[Edge]) -> Iterator[Tree]:
    """The conditions of some edges."""
    yield from conditions(dict(enumerate(edges))).values()
