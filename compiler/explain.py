"""What a workflow does, said before it is run: its steps, its routes, where people are needed, and what decides."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Literal

from catalog.load import Catalog
from compiler.analysis import Analysis
from compiler.enumerate import space_of
from compiler.governing import node_risk
from compiler.graph import Link, exits
from compiler.place import arrows
from compiler.typing_of import Scope
from compiler.ways import conditions
from compiler.wording import condition_words
from ir.base import Model
from ir.predicate import Otherwise, Ref, Tree, evaluate, references
from ir.procedure import EndStatus
from ir.workflow import CONTROL_END, HUMAN_APPROVAL, HUMAN_INPUT, Node, RiskLevel, Workflow

SHOWN, TRIED = 50, 1000


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
        conditions: what must hold on it, in order; `X fails` where it leaves X by an error edge.
        ends: the status of the end it comes to; a path that merely stops counts as completed.
        people: the nodes on it that need a person.
    """

    nodes: tuple[str, ...]
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


class Explanation(Model):
    """The answers that can be given before a run.

    Args:
        steps: which steps exist, in an order in which they could run.
        routes: which routes are legal, as many as were asked for; those that contradict themselves are left out.
        route_count: how many there are.
        exact: False where there are more than shown: then the count includes routes that contradict themselves.
        routes_with_person: how many of them pass a person.
        people: which nodes need a person, and why.
        completes_without_person: whether some run completes and needs nobody.
        may_start_by_itself: whether the policy lets it start without a person.
        deciding: which workflow inputs decide.
        learnt: outputs of nodes that decide.
    """

    workflow_id: str
    title: str | None
    risk_level: RiskLevel
    steps: tuple[Step, ...]
    routes: tuple[Route, ...]
    route_count: int
    exact: bool
    routes_with_person: int
    people: tuple[PersonNeeded, ...]
    completes_without_person: bool
    may_start_by_itself: bool
    deciding: tuple[Deciding, ...]
    learnt: tuple[str, ...]


def explain(workflow: Workflow, catalog: Catalog, shown: int = SHOWN) -> Explanation:
    """Explain a workflow, valid or not.

    Args:
        shown: the most routes to list.
    """
    analysis = Analysis(workflow, catalog)
    people = [name for name in analysis.graph.order if _by(analysis.scope, name) == "person"]
    total = _count(analysis, frozenset())
    exact = total <= shown
    routes = tuple(islice(_routes(analysis, people), shown))
    with_person = total - _count(analysis, frozenset(people))
    return Explanation(
        workflow_id=workflow.workflow_id,
        title=workflow.metadata.title,
        risk_level=workflow.execution_policy.risk_level,
        steps=tuple(_step(analysis, name) for name in analysis.graph.order),
        routes=routes,
        route_count=len(routes) if exact else total,
        exact=exact,
        routes_with_person=sum(bool(route.people) for route in routes) if exact else with_person,
        people=tuple(_person(analysis, name) for name in people),
        completes_without_person=_completes_without(analysis, people),
        may_start_by_itself=workflow.execution_policy.allow_auto,
        deciding=tuple(_deciding(workflow, people)),
        learnt=tuple(dict.fromkeys(ref.text for ref, _ in _decided(workflow) if ref.root == "outputs")),
    )


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


def _leaving(analysis: Analysis, name: str) -> tuple[Link, ...]:
    """The edges of a node that some run takes."""
    ways = analysis.ways(name)
    return tuple(link for link in analysis.graph.out[name] if ways.possible(link.index))


def _count(analysis: Analysis, avoided: frozenset[str]) -> int:
    """The number of routes that pass none of these nodes, from the end to the start."""
    last = set(exits(analysis.workflow))
    counts: dict[str, int] = {}
    for name in reversed(analysis.graph.order):
        onward = sum(counts[link.target] for link in _leaving(analysis, name))
        counts[name] = 0 if name in avoided else onward + (name in last)
    return sum(counts[name] for name in analysis.graph.entries)


def _routes(analysis: Analysis, people: list[str]) -> Iterator[Route]:
    """Routes in the order of the file, those that contradict themselves left out."""
    last, tried = set(exits(analysis.workflow)), 0
    stack: list[tuple[str, tuple[Link, ...]]] = [(name, ()) for name in reversed(analysis.graph.entries)]
    while stack and tried < TRIED:
        name, links = stack.pop()
        tried += name in last
        if name in last and _can_hold(analysis, links):
            yield _route(analysis, name, links, people)
        stack += [(link.target, (*links, link)) for link in reversed(_leaving(analysis, name))]


def _route(analysis: Analysis, last: str, links: tuple[Link, ...], people: list[str]) -> Route:
    nodes = (*(link.source for link in links), last)
    words = [_words(link) for link in links]
    end = analysis.workflow.nodes[last]
    status: EndStatus = end.status or "completed" if end.type == CONTROL_END else "completed"
    passed = tuple(name for name in nodes if name in people)
    return Route(nodes=nodes, conditions=tuple(word for word in words if word != "always"), ends=status, people=passed)


def _words(link: Link) -> str:
    if not link.on_success:
        return f"{link.source} fails"
    otherwise = isinstance(link.edge.condition, Otherwise)
    return f"otherwise at {link.source}" if otherwise else condition_words(link.edge.condition)


def _can_hold(analysis: Analysis, links: tuple[Link, ...]) -> bool:
    """Whether the conditions of a route can hold together, as far as that can be tried."""
    true = [link.edge.condition for link in links if isinstance(link.edge.condition, Tree)]
    false = [tree for link in links for tree in _excluded(analysis, link)]
    space = space_of([*true, *false], analysis.scope.spec, None, lambda ref: bool(analysis.scope.null_sources(ref)))
    if not space.small:
        return True
    return any(
        all(evaluate(tree, values) is True for tree in true) and not any(evaluate(tree, values) for tree in false)
        for values in space
    )


def _excluded(analysis: Analysis, link: Link) -> Iterator[Tree]:
    """The conditions that must not be true where an edge is taken."""
    edges = {other.index: other.edge for other in analysis.graph.out[link.source] if other.on_success}
    if isinstance(link.edge.condition, Otherwise):
        yield from conditions(edges).values()
    elif link.index in edges and analysis.workflow.nodes[link.source].split != "inclusive":
        rank = float("inf") if link.edge.priority is None else link.edge.priority
        for index, tree in conditions(edges).items():
            priority = edges[index].priority
            if isinstance(link.edge.condition, Tree) and priority is not None and priority < rank:
                yield tree


def _person(analysis: Analysis, name: str) -> PersonNeeded:
    node = analysis.workflow.nodes[name]
    if node.type == HUMAN_APPROVAL:
        what = "approves or rejects" + (f": {node.question}" if node.question else "")
    elif node.type == HUMAN_INPUT:
        what = "supplies " + ", ".join(node.requested_fields or ()) + (f": {node.question}" if node.question else "")
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


def _completes_without(analysis: Analysis, people: list[str]) -> bool:
    reached = analysis.without(people, failed=False)
    nodes = analysis.workflow.nodes
    ends = [
        name
        for name in exits(analysis.workflow)
        if nodes[name].type != CONTROL_END or nodes[name].status == "completed"
    ]
    return any(name in reached for name in ends if name not in people)


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
        for ref in reader.references.values() if reader else ():
            if ref.root == "inputs":
                found.add(ref.path[0])
            elif ref.node not in seen:
                seen.add(ref.node)
                waiting.append(ref.node)
    return found


def render_text(explanation: Explanation) -> str:
    """The answers as plain text for a terminal."""
    lines = [f"{explanation.title or explanation.workflow_id} (risk {explanation.risk_level})", "", "Steps"]
    for step in explanation.steps:
        who = step.who or {"person": "a person", "system": "system", "control": ""}[step.by]
        rest = " · ".join(part for part in (step.type, who, f"risk {step.risk}" if step.risk != "low" else "") if part)
        lines.append(f"  {step.node}: {step.label + ' · ' if step.label else ''}{rest}")
    count = f"{explanation.route_count}" if explanation.exact else f"at most {explanation.route_count}"
    lines += ["", f"Routes ({count}, {explanation.routes_with_person} of them with a person)"]
    for route in explanation.routes:
        lines.append(f"  {arrows(route.nodes)} [{route.ends}]" + (" · person" if route.people else ""))
        if route.conditions:
            lines.append("      if " + "; ".join(route.conditions))
    if len(explanation.routes) < explanation.route_count:
        lines.append(f"  … and {explanation.route_count - len(explanation.routes)} more")
    lines += ["", "People"]
    for person in explanation.people:
        lines.append(f"  {person.node}: {person.who or 'a person'} {person.what} ({person.why})")
    able = "can" if explanation.completes_without_person else "cannot"
    start = "may" if explanation.may_start_by_itself else "may not"
    lines += ["  nobody is needed"] if not explanation.people else []
    lines += ["", f"It {able} complete without a person, and {start} start by itself.", "", "What decides"]
    for deciding in explanation.deciding:
        how = "" if deciding.directly else ", through what is found out from it"
        lines.append(f"  input {deciding.input} at {', '.join(deciding.at)}{how}")
    lines += [f"  {text}" for text in explanation.learnt]
    lines += ["  nothing: every run takes the same way"] if not (explanation.deciding or explanation.learnt) else []
    return "\n".join(lines) + "\n"
