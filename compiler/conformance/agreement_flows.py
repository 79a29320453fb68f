"""Do the edges lead where the procedure leads, and nowhere else?"""

from collections.abc import Iterator

from compiler.conformance.conformance_input import ConformanceInput
from compiler.conformance.flow_conformance import Carried, Route, Way, alike, status_of
from ir.diagnostics import Diagnostic
from ir.procedure import END, START
from ir.source import Evidence
from ir.workflow import CONTROL_END, Node
from validator.analysis.locations import arrows, at_edge, at_node, at_workflow
from validator.check_input import warning


def flow_without_edge(given: ConformanceInput) -> Iterator[Diagnostic]:
    """The procedure leads from one step to another, and no edge does.

    What: both steps are carried by nodes, and the one cannot be reached from the other over nodes that carry no step;
        or a way to the end has no `control.end` of its status. Ways whose condition is not definite are told as
        `lost-flow`.
    Why: what the document demands next is not done, or only after something else.
    Bad: `s1→s2` in the procedure, and the edge from the node of s1 leads past the node of s2.
    Good: an edge from the node of s1 to that of s2.
    """
    for carried in _sides(given):
        undecided = {condition.id for condition in carried.procedure.conditions if condition.predicate is None}
        for way in carried.ways:
            if undecided & {flow.condition for flow in way.flows} or _stands(carried, way):
                continue
            sources = carried.nodes.get(way.source, ())
            if any(_strange_ends(carried, name) for name in sources) and way.target == END:
                continue  # the end that is reached instead is told
            ends = f" ({way.ends})" if way.target == END and way.ends else ""
            yield warning(
                "flow-without-edge",
                f"the procedure leads {arrows((way.source, way.target))}{ends}, but no edges lead "
                f"{_from(sources)} to {_to(carried, way)}",
                at_node(given.workflow, sources[0]) if sources else at_workflow(given.workflow, "edges"),
                found=[edge.target for edge in given.workflow.edges if edge.source in sources],
                expected=way.target,
                evidence=tuple(evidence for flow in way.flows for evidence in flow.evidence),
            )


def edge_without_flow(given: ConformanceInput) -> Iterator[Diagnostic]:
    """An edge is said to come from the document, and the procedure does not lead that way.

    What: edges of the origin `document` lead from the node of one step to the node of another, or to an end, with no
        node between that carries a step; and the procedure leads from none of the one's steps to any of the other's.
    Why: something is done that the document does not have next; mostly the edge leads to the wrong node.
    Bad: the procedure has `s1→s2` and `s2→s3`, and an edge leads from the node of s1 to that of s3.
    Good: the edge to the node of s2; or `"origin": "person"` for a way that a person added.
    """
    for carried in _sides(given):
        for route in carried.routes:
            if not _of_document(given, route) or _in_procedure(carried, route):
                continue
            if not any(carried.steps(given.workflow.nodes[name]) for name in (route.source, route.target)):
                continue  # of nodes that carry no step the procedure says nothing
            ends = any(way.target == END for way in _ways_from(carried, route.source))
            target = given.workflow.nodes[route.target]
            if target.type == CONTROL_END and ends:
                continue  # an end of another status is told as such
            yield warning(
                "edge-without-flow",
                f"{_path(given, route)} leads from {_node_text(carried, route.source)} to "
                f"{_node_text(carried, route.target)}, where the procedure does not lead",
                at_edge(given.workflow, route.edges[-1]),
                found=route.target,
                expected=sorted({way.target for way in _ways_from(carried, route.source)}),
                evidence=given.workflow.edges[route.edges[-1]].evidence,
            )


def end_differs(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A run ends with another status than the procedure says.

    What: edges of the origin `document` lead from the node of a step to a `control.end`, and the procedure ends after
        the step, but with other statuses only.
    Why: what was refused counts as done, or what was done as refused, in every figure and for whoever is told.
    Bad: the procedure ends with `rejected` after s1; the edge leads to an end with `"status": "completed"`.
    Good: `"status": "rejected"`
    """
    for carried in _sides(given):
        for name, _, _ in carried.carrying:
            for route in _strange_ends(carried, name):
                said = sorted({way.ends or "completed" for way in _ways_from(carried, name) if way.target == END})
                status = status_of(given.workflow.nodes[route.target])
                yield warning(
                    "end-differs",
                    f"{_path(given, route)} ends with “{status}”, but after {_node_text(carried, name)} the procedure "
                    f"ends with {' or '.join(f'“{one}”' for one in said)}",
                    at_edge(given.workflow, route.edges[-1]),
                    found=status,
                    expected=list(said),
                    evidence=given.workflow.edges[route.edges[-1]].evidence,
                )


def words_of_another_way(given: ConformanceInput) -> Iterator[Diagnostic]:
    """An edge rests on the words of another way than the one that it takes.

    What: an edge's evidence shares no words with the way of the procedure that leads where the edge leads, but does
        with another way from the same step.
    Why: the condition and the words are those of the one case, and what is done is that of the other.
    Bad: “if it is incomplete” on the edge that leads on, “if it is complete” on the one that returns it.
    Good: each edge with the words that lead where it leads.
    """
    for carried in _sides(given):
        for route in carried.routes:
            edge = given.workflow.edges[route.edges[0]]
            if edge.origin != "document" or not edge.evidence or not carried.steps(given.workflow.nodes[route.source]):
                continue
            ways = _ways_from(carried, route.source)
            beyond = [one for one in carried.routes if one.source == route.source and one.edges[0] == route.edges[0]]
            own = [way for way in ways if any(_leads(carried, way, one.target) for one in beyond)]
            other = next((way for way in ways if way not in own and _shares(carried, way, edge.evidence)), None)
            if not own and _of_document(given, route):
                continue  # that it leads elsewhere is told as such
            if other is None or route != beyond[0] or any(_shares(carried, way, edge.evidence) for way in own):
                continue
            yield warning(
                "words-of-another-way",
                f"{_path(given, route)} rests on “{edge.evidence[0].quote}”, words of the way "
                f"{arrows((other.source, other.target))}",
                at_edge(given.workflow, route.edges[0]),
                found=edge.target,
                expected=other.target,
                evidence=edge.evidence,
            )


def _shares(carried: Carried, way: Way, evidence: tuple[Evidence, ...]) -> bool:
    return any(alike(one, other) for one in evidence for other in carried.words(way))


def _sides(given: ConformanceInput) -> Iterator[Carried]:
    """The workflow beside its procedure; where there are several, which edge stands for which cannot be told."""
    if len(given.procedures) == 1:
        yield Carried(given.workflow, given.procedures[0])


def _stands(carried: Carried, way: Way) -> bool:
    """Whether edges lead from a node of a way's source to one of its target; an end that is a step leads on nowhere."""
    targets = carried.nodes.get(way.target, ())
    if way.source == START and (way.target == END or any(name in carried.entries for name in targets)):
        return True
    sources = carried.nodes.get(way.source, ())
    nodes = carried.workflow.nodes
    if any(nodes[name].type == CONTROL_END for name in sources) or set(sources) & set(targets):
        return True
    failing = way.flows[0].kind == "exception"
    reached = {r.target for r in carried.routes if r.source in sources and (r.on_success or failing)}
    if way.target == END:
        return any(_fits(way, nodes[name]) for name in reached)
    return bool(reached & set(targets))


def _fits(way: Way, node: Node) -> bool:
    """Whether a way to the end may end at a node."""
    return node.type == CONTROL_END and way.ends in (None, status_of(node))


def _ways_from(carried: Carried, name: str) -> list[Way]:
    """The ways from a node's steps; of one that carries none and that no edge enters, those from the start."""
    held = {step.id for step in carried.steps(carried.workflow.nodes[name])} or {START}
    return [way for way in carried.ways if way.source in held]


def _in_procedure(carried: Carried, route: Route) -> bool:
    """Whether a way leads where a route does."""
    return any(_leads(carried, way, route.target) for way in _ways_from(carried, route.source))


def _leads(carried: Carried, way: Way, name: str) -> bool:
    """Whether a way leads to the step, or the end, that a node stands for."""
    node = carried.workflow.nodes[name]
    return way.target in {step.id for step in carried.steps(node)} or (way.target == END and _fits(way, node))


def _strange_ends(carried: Carried, name: str) -> list[Route]:
    """The routes from a node to ends of statuses with which the procedure does not end there, though it ends."""
    to_end = [way for way in _ways_from(carried, name) if way.target == END]
    return [
        route
        for route in carried.routes
        if route.source == name
        and to_end
        and carried.workflow.nodes[route.target].type == CONTROL_END
        and all(carried.workflow.edges[index].origin == "document" for index in route.edges)
        and not _in_procedure(carried, route)
    ]


def _of_document(given: ConformanceInput, route: Route) -> bool:
    return all(given.workflow.edges[index].origin == "document" for index in route.edges)


def _path(given: ConformanceInput, route: Route) -> str:
    return arrows((route.source, *(given.workflow.edges[index].target for index in route.edges)))


def _node_text(carried: Carried, name: str) -> str:
    steps = carried.steps(carried.workflow.nodes[name])
    if steps:
        return "step " + ", ".join(step.id for step in steps)
    return "an end" if carried.workflow.nodes[name].type == CONTROL_END else "the start"


def _from(names: tuple[str, ...]) -> str:
    return f'from "{names[0]}"' if names else "from the start"


def _to(carried: Carried, way: Way) -> str:
    if way.target == END:
        return f"an end with “{way.ends}”" if way.ends else "an end"
    return f'"{carried.nodes[way.target][0]}"'


CHECKS = (flow_without_edge, edge_without_flow, end_differs, words_of_another_way)
