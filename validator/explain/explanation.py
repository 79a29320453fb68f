"""What a workflow does, said before it is run: its steps, its routes, where people are needed, and what decides."""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Literal

from pydantic import JsonValue

from catalog.load import Catalog
from ir.base import Model
from ir.duration import Calendar
from ir.formulas.evaluate import FormulaFault
from ir.formulas.infix import to_formula
from ir.predicate import Always, Literally, Operand, Otherwise, Ref, evaluate, references
from ir.procedure import EndStatus
from ir.walk import ERROR_KEY
from ir.workflow import (
    CONTROL_CALL,
    CONTROL_END,
    HUMAN_APPROVAL,
    HUMAN_INPUT,
    CalledWorkflow,
    Node,
    RiskLevel,
    Workflow,
)
from validator.analysis.call_graph import CallGraph, call_nodes
from validator.analysis.graph import Link, completing_ends, exits
from validator.analysis.policy import node_risk
from validator.analysis.tables import Table, given_by_row, tables
from validator.analysis.types import Scope
from validator.analysis.wording import condition_words
from validator.proofs.runs import Example
from validator.runs.example_runs import Run, run_along_path, run_with
from validator.runs.routes import GraphPath, Routes
from validator.runs.workflow_analysis import Analysis

SHOWN, ATTEMPTS = 50, 20


class Step(Model):
    """One node.

    Args:
        who: the role that carries it out; None where the system does and no role answers for it.
        by: whether a person or the system carries it out, or nobody, as it only ends or calls.
    """

    node: str
    type: str
    label: str | None = None
    by: Literal["person", "system", "control"]
    who: str | None = None
    risk: RiskLevel


class Route(Model):
    """One way through the graph; where a workflow forks, a run takes several.

    Args:
        edges: their indexes in the workflow.
        conditions: what must hold on it, in order; `X fails` where it leaves X by an error edge.
        ends: the status of the end it comes to; a path that merely stops counts as completed.
        people: the nodes on it that need a person.
    """

    nodes: tuple[str, ...]
    edges: tuple[int, ...]
    conditions: tuple[str, ...]
    ends: EndStatus
    people: tuple[str, ...]


class PersonNeeded(Model):
    """A node that waits for a person, what is wanted of them, and why it is there."""

    node: str
    who: str | None
    what: str
    why: str


class Deciding(Model):
    """A workflow input that decides the way.

    Args:
        directly: a condition or guard reads it; else a node reads it whose output a condition reads.
        at: the nodes at which it decides; `start` for a guard.
    """

    input: str
    directly: bool
    at: tuple[str, ...]


class PossibleResult(Model):
    """Something that a run gives, as the document names it.

    Args:
        can_be: the values that it may have, where they are listed.
        default: what stands where neither an end nor an output gives it.
        given: by end what it gives, a literal as JSON or a reference; `output` where every run reads it there.
    """

    name: str
    type: str
    report: str | None
    always: bool
    can_be: tuple[JsonValue, ...]
    default: JsonValue
    given: dict[str, str]


class Computed(Model):
    """What a node computes.

    Args:
        when: the condition of the row that computes it; None where it has none.
        quotes: the words that say so.
    """

    node: str
    output: str
    formula: str
    when: str | None = None
    quotes: tuple[str, ...] = ()


class Explanation(Model):
    """The answers that can be given before a run.

    Args:
        steps: which steps exist, in an order in which they could run.
        routes: which routes are legal, as many as were asked for; those that contradict themselves are left out.
        route_count: how many there are.
        exact: the count leaves out the routes that contradict themselves; False where not all of them could be told,
            so that there may be fewer.
        side_by_side: a run may take several of them at once.
        routes_with_person: how many of them pass a person.
        people: which nodes need a person, and why.
        completes_without_person: whether some run completes and needs nobody; None where that was not found out.
        without_person: such a run.
        may_start_by_itself: whether the policy lets it start without a person.
        deciding: which workflow inputs decide.
        learnt: outputs of nodes that decide.
        results: what comes out, as the document names it.
        computed: what nodes compute, and how.
    """

    workflow_id: str
    title: str | None
    risk_level: RiskLevel
    steps: tuple[Step, ...]
    routes: tuple[Route, ...]
    route_count: int
    exact: bool
    side_by_side: bool
    routes_with_person: int
    people: tuple[PersonNeeded, ...]
    completes_without_person: bool | None
    without_person: Run | None = None
    may_start_by_itself: bool
    deciding: tuple[Deciding, ...]
    learnt: tuple[str, ...]
    results: tuple[PossibleResult, ...] = ()
    computed: tuple[Computed, ...] = ()


def explain(
    workflow: Workflow, catalog: Catalog, shown: int = SHOWN, workflows: tuple[Workflow, ...] = ()
) -> Explanation:
    """Explain a workflow, sound or not.

    Args:
        shown: the most routes to list.
        workflows: others that it may call; one that needs a person needs one here.
    """
    analysis = Analysis(workflow, catalog, CallGraph.from_workflows(workflow, workflows))
    called = {name: _called_without_person(analysis, call) for name, call in call_nodes(workflow)}
    people = [
        name for name in analysis.graph.order if _by(analysis.scope, name) == "person" or called.get(name) is False
    ]
    routes = Routes(analysis, frozenset(exits(workflow)), people=frozenset(people))
    without, example = _without_person(analysis, frozenset(people))
    if without and None in called.values():
        without, example = None, None  # what a called workflow needs is not known
    return Explanation(
        workflow_id=workflow.workflow_id,
        title=workflow.metadata.title,
        risk_level=workflow.execution_policy.risk_level,
        steps=tuple(_step(analysis, name) for name in analysis.graph.order),
        routes=tuple(_route(analysis, way, people) for way in islice(routes, shown)),
        route_count=routes.count.routes,
        exact=routes.count.exact,
        side_by_side=analysis.runs_in_parallel,
        routes_with_person=routes.count.with_person,
        people=tuple(_person(analysis, name) for name in people),
        completes_without_person=without,
        without_person=example,
        may_start_by_itself=workflow.execution_policy.allow_auto,
        deciding=tuple(_deciding(workflow, people)),
        learnt=tuple(dict.fromkeys(ref.text for ref, _ in _decided(workflow) if ref.root == "outputs")),
        results=tuple(_results(workflow)),
        computed=tuple(_computed(workflow)),
    )


def _results(workflow: Workflow) -> Iterator[PossibleResult]:
    for name, spec in workflow.results.items():
        given = {end: (node.results or {}).get(name) for end, node in workflow.nodes.items()}
        given["output"] = workflow.outputs.get(name)
        yield PossibleResult(
            name=name,
            type=spec.type,
            report=spec.report,
            always=spec.is_required,
            can_be=spec.enum or (spec.items.enum if spec.items else None) or (),
            default=spec.default,
            given={by: _operand_words(value) for by, value in given.items() if value is not None},
        )


def _operand_words(value: Operand) -> str:
    return value.text if isinstance(value, Ref) else json.dumps(value.value, ensure_ascii=False)


def _called_without_person(analysis: Analysis, call: CalledWorkflow) -> bool | None:
    """Whether a called workflow can complete without a person; None where that is not known."""
    inner = analysis.call_graph.find(call)
    others = tuple(one for one in analysis.call_graph.workflows if one is not analysis.workflow and one is not inner)
    if inner is None or inner is analysis.workflow:
        return None
    return explain(inner, analysis.catalog, 0, others).completes_without_person


def _by(scope: Scope, name: str) -> Literal["person", "system", "control"]:
    node_type = scope.type_of(name)
    kind = node_type.category if node_type else scope.workflow.nodes[name].type.split(".")[0]
    return "person" if kind == "human" else "control" if kind == "control" else "system"


def _who(node: Node) -> str | None:
    return ", ".join(node.approvers or ()) or node.assignee or node.actor


def _step(analysis: Analysis, name: str) -> Step:
    node = analysis.workflow.nodes[name]
    risk = node_risk(node, analysis.scope.type_of(name))
    return Step(node=name, type=node.type, label=node.label, by=_by(analysis.scope, name), who=_who(node), risk=risk)


def _route(analysis: Analysis, way: GraphPath, people: list[str]) -> Route:
    words = [_words(link) for link in way.links]
    end = analysis.workflow.nodes[way.nodes[-1]]
    status: EndStatus = end.status or "completed" if end.type == CONTROL_END else "completed"
    passed = tuple(name for name in way.nodes if name in people)
    return Route(
        nodes=way.nodes,
        edges=tuple(link.index for link in way.links),
        conditions=tuple(word for word in words if word != "always"),
        ends=status,
        people=passed,
    )


def _words(link: Link) -> str:
    if not link.on_success:
        return f"{link.source} fails"
    otherwise = isinstance(link.edge.condition, Otherwise)
    return f"otherwise at {link.source}" if otherwise else condition_words(link.edge.condition)


def _person(analysis: Analysis, name: str) -> PersonNeeded:
    node = analysis.workflow.nodes[name]
    if node.type == HUMAN_APPROVAL:
        what = "approves or rejects" + (f": {node.question}" if node.question else "")
    elif node.type == HUMAN_INPUT:
        what = "supplies " + ", ".join(node.requested_fields or ()) + (f": {node.question}" if node.question else "")
    elif node.type == CONTROL_CALL and node.call:
        what = f"{node.call.workflow_id} {node.call.version}, which it calls, needs a person"
    else:
        what = node.instruction or node.label or "carries out the step"
    return PersonNeeded(node=name, who=_who(node), what=what, why=_why(analysis, name))


def _why(analysis: Analysis, name: str) -> str:
    """Where a node comes from, and under which conditions it is reached."""
    workflow = analysis.workflow
    node = workflow.nodes[name]
    origins = {"document": "the document says so", "repair": "put in to mend the draft", "person": "put in by a person"}
    why = origins.get(node.origin) or f"demanded by the {node.origin.removeprefix('primer:').split('@')[0]} primer"
    words = [condition_words(link.edge.condition) for link in analysis.graph.into[name] if link.on_success]
    failing = [f"{link.source} fails" for link in analysis.graph.into[name] if not link.on_success]
    when = list(dict.fromkeys([word for word in words if word != "always"] + failing))
    return why + (f"; when {' or '.join(when)}" if when and "always" not in words else "")


def _without_person(analysis: Analysis, people: frozenset[str]) -> tuple[bool | None, Run | None]:
    """Whether some run completes and needs nobody, and one that does; None where that was not found out."""
    ends, reached = completing_ends(analysis.workflow), analysis.nodes_running_without(people, failed=False)
    if not any(name in reached for name in ends - people):
        return False, None
    routes = Routes(analysis, ends - people, avoided=people)
    for way in islice(routes, ATTEMPTS):
        tried = run_along_path(analysis, way)
        if tried and _completes(analysis, tried, people):
            return True, tried
    worse = frozenset(exits(analysis.workflow)) - ends
    found = analysis.proofs.ends_without(sorted(ends - people), sorted(people | worse))
    if isinstance(found, Example):
        run = run_with(analysis, found.values(), frozenset(found.outputs) - found.succeeded)
        if _completes(analysis, run, people):
            return True, run
    return (False if found is False or not routes.count.routes else None), None


def _completes(analysis: Analysis, run: Run, people: frozenset[str]) -> bool:
    """Whether a run completes without people, and nodes that apply rule packs give what their rows say."""
    taken = run.walk(analysis.workflow)
    if taken is None or taken.result.status != "completed" or people & set(taken.path):
        return False
    calendars = analysis.workflow.calendars
    return all(table.node not in taken.path or _judged(run, table, calendars) for table in tables(analysis.scope))


def _judged(run: Run, table: Table, calendars: Mapping[str, Calendar]) -> bool:
    """Whether a run's outputs are those of the rows that hold, as far as it says them."""
    rows = table.rows_holding(lambda tree: evaluate(tree, run.value))
    given = run.outputs.get(table.node, {})
    said = [pair for row in rows for pair in given_by_row(table, row, run.value, calendars).items()]
    if ERROR_KEY in given:
        return True
    return all(
        not isinstance(value, FormulaFault) and Literally(given[name]) == Literally(value)
        for name, value in said
        if name in given
    )


def _computed(workflow: Workflow) -> Iterator[Computed]:
    """The formulas of the rule packs that nodes apply."""
    for node, its in workflow.nodes.items():
        pack = workflow.rule_packs.get(its.rule_pack or "")
        for rule in pack.rules if pack is not None else ():
            for name, formula in rule.formulas.items():
                when = None if isinstance(rule.condition, Always) else condition_words(rule.condition)
                quotes = tuple(one.quote for one in formula.evidence or rule.evidence)
                text = to_formula(formula.formula)
                yield Computed(node=node, output=name, formula=text, when=when, quotes=quotes)


def _decided(workflow: Workflow) -> Iterator[tuple[Ref, str]]:
    """What conditions and guards read, and where it decides."""
    for guard in workflow.guards:
        yield from ((ref, "start") for ref in references(guard.condition))
    for edge in workflow.edges:
        yield from ((ref, edge.source) for ref in references(edge.condition))


def _deciding(workflow: Workflow, people: list[str]) -> Iterator[Deciding]:
    """The inputs that conditions read, and those that the nodes read whose outputs they read."""
    direct: dict[str, list[str]] = {}
    behind: dict[str, list[str]] = {}
    for ref, place in _decided(workflow):
        if ref.root == "inputs":
            direct.setdefault(ref.path[0], []).append(place)
        elif ref.node in workflow.nodes and ref.node not in people:  # what a person decides is theirs
            for name in _fed_by(workflow, ref.node):
                behind.setdefault(name, []).append(place)
    for name in workflow.inputs:
        found: Mapping[str, list[str]] = direct if name in direct else behind
        if name in found:
            yield Deciding(input=name, directly=name in direct, at=tuple(dict.fromkeys(found[name])))


def _fed_by(workflow: Workflow, node: str | None) -> set[str]:
    """The inputs of the workflow that a node's inputs come from, through other nodes too."""
    waiting, seen, found = [node], {node}, set[str]()
    while waiting:
        reader = workflow.nodes.get(waiting.pop() or "")
        for ref in (*reader.references.values(), *_read_by_rows(workflow, reader)) if reader else ():
            if ref.root == "inputs":
                found.add(ref.path[0])
            elif ref.node not in seen:
                seen.add(ref.node)
                waiting.append(ref.node)
    return found


def _read_by_rows(workflow: Workflow, node: Node) -> Iterator[Ref]:
    """What a node reads by the rows that it computes by, besides its inputs."""
    pack = workflow.rule_packs.get(node.rule_pack or "")
    for rule in pack.rules if pack is not None and pack.computes else ():
        read = [ref for formula in rule.formulas.values() for ref in formula.references]
        for ref in (*read, *references(rule.condition)):
            if ref.root == "outputs" or (ref.path[0] not in node.inputs and ref.path[0] in workflow.inputs):
                yield ref
