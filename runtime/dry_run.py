"""A dry run: what a run of a workflow would come to, told before it begins. Nothing is called and nothing is written.

With the outputs of its nodes at hand the workflow is walked once, as a run would go. Without them its possible paths
are told, each with an example run that the validator finds for it (`validator.runs`).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import cast

from pydantic import JsonValue

from catalog.load import Catalog
from catalog.node_type import NodeType
from ir.base import Model
from ir.diagnostics import Diagnostic
from ir.fields import FieldSpec
from ir.predicate import Compare, Literally, Otherwise, Ref
from ir.walk import Outcome, Ready, RecordedOutput, Walk, WalkResult, outcome_by_rules, performer, rules_outcome, start
from ir.workflow import CONTROL_END, Node, Workflow
from registry.forms import Version
from runtime.errors import BadInputs
from runtime.executors.registry import MANUAL, Executors
from runtime.forms import Task, TaskKind
from runtime.people import task_for
from runtime.values import described, faults
from validator.analysis.call_graph import CallGraph
from validator.analysis.graph import Link, exits
from validator.analysis.path_conditions import TRUE, PathCondition
from validator.analysis.uses import Use, uses
from validator.analysis.wording import condition_words
from validator.runs.example_runs import Run, path_problem, run_of
from validator.runs.routes import GraphPath, Routes
from validator.runs.solve import UnsolvedError
from validator.runs.workflow_analysis import Analysis

SHOWN, TRIED = 50, 500
"""The most paths that are told, and the most routes of the graph that are looked at for them."""


class Stop(Model):
    """A node at which a run waits for a person.

    Args:
        roles: any of them may answer; none where anybody may.
        asks: what the person reads.
        fields: what is to be given, in words.
    """

    node: str
    kind: TaskKind
    roles: tuple[str, ...]
    asks: str
    fields: dict[str, str]


class PossiblePath(Model):
    """One way that a run can go.

    Args:
        nodes: those that run, in their order.
        when: what must hold on it, in each of the ways in which it may come about; `X fails` where it leaves X by an
            error edge.
        ends: how it ends.
        stops: where it waits for people.
        missing: inputs that are required, were not given, and are read on it.
        nobody: Types on it that nobody carries out here; a call of another workflow is one.
        acts: nodes on it that would change something in another system.
        reads: nodes on it that would only ask another system.
        example: inputs and outputs with which a run goes so; None where none was found, so that it may not be possible.
    """

    nodes: tuple[str, ...]
    when: tuple[tuple[str, ...], ...] = ()
    ends: str
    reason_code: str | None = None
    stops: tuple[Stop, ...]
    missing: tuple[str, ...]
    nobody: tuple[str, ...]
    acts: tuple[str, ...]
    reads: tuple[str, ...]
    example: Run | None = None


class DryRun(Model):
    """What is told of a run before it begins.

    Args:
        errors: what validation finds and a run may not have, each in a sentence.
        missing: required inputs that were not given; a start is refused without them, or asks for them.
        walked: whether outputs were given, so that there is one path: the one that a run would take.
        turned_away: the code of the guard that lets no such run begin.
        paths: as many as are told.
        routes: how many the graph has, whatever the inputs.
        all_told: whether every route was looked at and every path that is left is told.
        side_by_side: a run may take several ways at once; they are told as one path, with one example of each choice.
        outputs: what the walk gives.
        unknown: references without a value, for want of which no way on can be told.
        unrecorded: nodes on the way for which no output was given.
        refused: what a run would not take of what is recorded, or not hand to a system, each in a sentence.
    """

    workflow: str
    title: str | None
    errors: tuple[str, ...]
    missing: dict[str, str]
    walked: bool
    turned_away: str | None = None
    paths: tuple[PossiblePath, ...]
    routes: int = 1
    all_told: bool = True
    side_by_side: bool = False
    outputs: dict[str, JsonValue] = {}
    unknown: tuple[str, ...] = ()
    unrecorded: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def dry_run(
    workflow: Workflow,
    catalog: Catalog,
    executors: Mapping[str, str],
    inputs: Mapping[str, JsonValue],
    outputs: Mapping[str, RecordedOutput] | None = None,
    findings: Iterable[Diagnostic] = (),
    workflows: tuple[Workflow, ...] = (),
) -> DryRun:
    """Say what a run would come to.

    Args:
        executors: by node who carries it out here, as `registry.publishable.executors_of` says.
        outputs: by node what it gives; None for all possible paths.
        findings: of validation.
        workflows: others that it may call.

    Raises:
        BadInputs: an input does not fit, or outputs are given of nodes that there are not; all of it is named.
    """
    wrong = _wrong(workflow, inputs, outputs or {})
    if wrong:
        raise BadInputs(f"{workflow.workflow_id} cannot be run so:\n" + "\n".join(f"- {one}" for one in wrong))
    errors = tuple(f"{one.message} [{one.error_code}]" for one in findings if one.severity == "error")
    told = _Told(workflow, catalog, executors, inputs)
    missing = start(workflow, inputs).missing_inputs if _can_be_walked(workflow) else ()
    found = DryRun(
        workflow=f"{workflow.workflow_id}@{workflow.version}",
        title=workflow.metadata.title,
        errors=errors,
        missing={name: described(workflow.inputs[name]) for name in missing},
        walked=outputs is not None,
        paths=(),
    )
    if not _can_be_walked(workflow):
        return found.model_copy(update={"all_told": False})
    begun = start(workflow, inputs).result
    if begun.status == "rejected" and begun.node is None:
        return found.model_copy(update={"turned_away": begun.reason_code})
    if outputs is not None:
        return found.model_copy(update=told.walked(outputs))
    return found.model_copy(
        update=told.possible(Analysis(workflow, catalog, CallGraph.from_workflows(workflow, workflows)))
    )


def _wrong(workflow: Workflow, inputs: Mapping[str, JsonValue], outputs: Mapping[str, RecordedOutput]) -> list[str]:
    optional = {name: spec.model_copy(update={"required": False}) for name, spec in workflow.inputs.items()}
    told = [*faults(inputs, cast("dict[str, FieldSpec]", optional))]
    known = ", ".join(workflow.nodes)
    unknown = [name for name in outputs if name not in workflow.nodes]
    return told + [f"outputs of {name}: there is no such node; there is {known}" for name in unknown]


def _can_be_walked(workflow: Workflow) -> bool:
    """Whether the graph has neither a cycle nor an edge that leads nowhere; validation tells of both."""
    try:
        start(workflow, {})
    except ValueError:
        return False
    return True


class _Told:
    """What can be said of the nodes of a workflow here."""

    def __init__(
        self, workflow: Workflow, catalog: Catalog, executors: Mapping[str, str], inputs: Mapping[str, JsonValue]
    ) -> None:
        self._workflow, self._catalog, self._executors, self._inputs = workflow, catalog, executors, inputs
        self._uses = tuple(uses(workflow))

    # --- one walk -----------------------------------------------------------------------------------------------------

    def walked(self, outputs: Mapping[str, RecordedOutput]) -> dict[str, object]:
        """The path that a run takes where its nodes give this; rules are applied as a run applies them."""
        run = start(self._workflow, self._inputs)
        unrecorded, refused = list[str](), list[str]()
        while run.ready:
            ready = run.ready[0]
            if ready.performer == "rules":
                outcome = outcome_by_rules(run, ready.node) or rules_outcome(run, ready)
            else:
                outcome = Outcome.read(outputs.get(ready.node, {}))
                if ready.performer != "nobody":
                    unrecorded += [ready.node] if ready.node not in outputs else []
                    refused += self._refused(ready, outcome if ready.node in outputs else None)
            run = run.take(ready.node, outcome)
        result = run.result
        return {
            "paths": (self._path(run.path, (), result),),
            "outputs": dict(result.outputs),
            "unknown": run.undecided.unknown if run.undecided else (),
            "unrecorded": tuple(unrecorded),
            "refused": tuple(refused),
        }

    def _refused(self, ready: Ready, recorded: Outcome | None) -> Iterator[str]:
        """What a run would not hand to a system, or not take from it or from a person."""
        node_type = self._type(ready.node)
        if ready.performer == "system" and node_type is not None:
            for one in faults(ready.inputs, node_type.inputs_schema, of_type=True):
                yield f"{ready.node} would not be called: {one}"
        if recorded is None or recorded.failed:
            return
        if ready.performer == "system" and node_type is not None:
            given = faults(recorded.output or {}, node_type.outputs_schema, of_type=True)
            yield from (f"what {ready.node} gives would fail it: {one}" for one in given)
        elif ready.performer == "person":
            form = self._task(ready.node).fields
            answered = {name: value for name, value in (recorded.output or {}).items() if name in form}
            yield from (f"the answer at {ready.node} would be refused: {one}" for one in faults(answered, form))

    # --- all paths ----------------------------------------------------------------------------------------------------

    def possible(self, analysis: Analysis) -> dict[str, object]:
        """The paths that are left with the inputs given."""
        routes = Routes(analysis, frozenset(exits(self._workflow)))
        found: dict[tuple[object, ...], PossiblePath] = {}
        all_told = False
        for route in islice(routes, TRIED):
            path = self._along(analysis, route)
            if path is None:
                continue
            key = (path.nodes, path.ends, path.reason_code, path.example is None)
            known = found.get(key)
            if known is None and len(found) == SHOWN:
                break
            found[key] = path if known is None else known.model_copy(update={"when": (*known.when, *path.when)})
        else:
            all_told = routes.count.routes <= TRIED
        return {
            "paths": tuple(found.values()),
            "routes": routes.count.routes,
            "all_told": all_told,
            "side_by_side": analysis.runs_in_parallel,
        }

    def _along(self, analysis: Analysis, route: GraphPath) -> PossiblePath | None:
        """The path of a run along a route; None where the inputs given lead no run along it."""
        words = tuple(word for link in route.links if (word := _words(link)) != "always")
        wanted = path_problem(analysis, route)
        read = {ref for ref in wanted.problem.refs if ref.root == "inputs"}
        given = tuple(
            PathCondition(Compare("eq", Ref(f"$.inputs.{name}"), Literally(value)), TRUE)
            for name, value in self._inputs.items()
            if Ref(f"$.inputs.{name}") in read and isinstance(value, str | int | float)
        )
        nulls = {ref for ref in read if len(ref.path) == 1 and self._inputs.get(ref.path[0], ...) is None}
        problem = replace(
            wanted.problem, conditions=(*wanted.problem.conditions, *given), fixed=wanted.problem.fixed | nulls
        )
        end = self._workflow.nodes[route.nodes[-1]]
        ends = WalkResult((end.status if end.type == CONTROL_END else None) or "completed", end.reason_code)
        try:
            values = problem.solve()
        except UnsolvedError:
            return self._path(route.nodes, words, ends)
        if values is None:
            return None
        example = run_of((analysis,), values, wanted.failing)
        example = example.model_copy(update={"inputs": {**example.inputs, **self._inputs}})
        walk = example.walk(self._workflow)
        if walk is None or not set(route.nodes) <= set(walk.path) or self._stumbles(walk):
            return self._path(route.nodes, words, ends)
        return self._path(walk.path, words, walk.result).model_copy(update={"example": example})

    def _stumbles(self, walk: Walk) -> bool:
        """Whether an example stops where a run need not: for want of values that it lacks."""
        stop = walk.result.node
        failed = walk.result.status == "failed" and stop is not None and self._node(stop).type != CONTROL_END
        return walk.undecided is not None or failed

    # --- what a path needs --------------------------------------------------------------------------------------------

    def _path(self, nodes: tuple[str, ...], words: tuple[str, ...], result: WalkResult) -> PossiblePath:
        systems = [name for name in nodes if self._by_system(name)]
        return PossiblePath(
            nodes=nodes,
            when=(words,) if words else (),
            ends=result.status,
            reason_code=result.reason_code,
            stops=tuple(self._stop(name) for name in nodes if self._by_person(name)),
            missing=tuple(self._missing(nodes)),
            nobody=tuple(dict.fromkeys(self._node(name).type for name in nodes if self._by_nobody(name))),
            acts=tuple(name for name in systems if self._acts(name)),
            reads=tuple(name for name in systems if not self._acts(name)),
        )

    def _missing(self, nodes: tuple[str, ...]) -> Iterator[str]:
        packs = {self._node(name).rule_pack for name in nodes}
        read = {use.ref.path[0] for use in self._uses if use.ref.root == "inputs" and _on(use, nodes, packs)}
        return (name for name in start(self._workflow, self._inputs).missing_inputs if name in read)

    def _node(self, name: str) -> Node:
        return self._workflow.nodes[name]

    def _type(self, name: str) -> NodeType | None:
        return self._catalog.node_types.get(self._node(name).type)

    def _by_system(self, name: str) -> bool:
        return performer(self._node(name)) == "system" and self._executors.get(name) != MANUAL

    def _by_nobody(self, name: str) -> bool:
        by = performer(self._node(name))
        return by in ("workflow", "system") and name not in self._executors

    def _by_person(self, name: str) -> bool:
        by = performer(self._node(name))
        return by == "person" or (by == "system" and self._executors.get(name) == MANUAL)

    def _acts(self, name: str) -> bool:
        """Whether carrying a node out changes something elsewhere; where its Type is not known, it may."""
        node_type = self._type(name)
        return node_type is None or node_type.capabilities.side_effect

    def _task(self, name: str) -> Task:
        node, node_type = self._node(name), self._type(name)
        outputs = node_type.outputs_schema if performer(node) == "system" and node_type is not None else None
        run = start(self._workflow, self._inputs)
        return task_for(run, Ready(name, node.type, {}, performer(node)), "", outputs)

    def _stop(self, name: str) -> Stop:
        task = self._task(name)
        fields = {field: described(spec) for field, spec in task.fields.items()}
        return Stop(node=name, kind=task.kind, roles=task.roles, asks=task.title, fields=fields)


def _words(link: Link) -> str:
    if not link.on_success:
        return f"{link.source} fails"
    otherwise = isinstance(link.edge.condition, Otherwise)
    return f"otherwise at {link.source}" if otherwise else condition_words(link.edge.condition)


def _on(use: Use, nodes: tuple[str, ...], packs: set[str | None]) -> bool:
    """Whether something is read on a path: by its nodes, at their ends, by their rules, or wherever a run goes."""
    if use.by == "trigger":
        return False
    if use.by in ("rule", "formula"):
        return use.pack in packs
    return use.by in ("guard", "output") or use.at in nodes


def still_bound(version: Version, executors: Executors) -> dict[str, str]:
    """By node who carries it out: as the version says, where the installation still has it so."""
    return {
        node: kind
        for node, kind in version.executors.items()
        if performer(version.definition.nodes[node]) != "system"
        or kind == MANUAL
        or executors.settings(version.definition.nodes[node].type).get("kind") == kind
    }
