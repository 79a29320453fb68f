"""Do the edges lead where the procedure leads, and nowhere else?"""

from collections.abc import Iterator

from compiler.conformance.approvals_in_turn import ApprovalsInTurn
from compiler.conformance.conformance_input import ConformanceInput
from compiler.conformance.flow_conformance import FlowConformance, ProcedurePath, WorkflowPath, end_status, share_words
from ir.diagnostics import Diagnostic
from ir.procedure import END, START
from ir.source import Evidence
from ir.workflow import CONTROL_END, Node
from validator.analysis.locations import arrows, at_edge, at_node, at_workflow
from validator.check_input import warning


def flow_without_edge(given: ConformanceInput) -> Iterator[Diagnostic]:
    """The procedure leads from one step to another, and no edge does.

    What: both steps are carried by nodes, and the one cannot be reached from the other over nodes that carry no step;
        or a way to the end has no `control.end` of its status. An approval that is asked after another to which the
        same step leads counts as reached. Ways whose condition is not definite are told as
        `lost-flow`.
    Why: what the document demands next is not done, or only after something else.
    Bad: `s1→s2` in the procedure, and the edge from the node of s1 leads past the node of s2.
    Good: an edge from the node of s1 to that of s2.
    """
    for sides in _sides(given):
        in_turn = ApprovalsInTurn(sides)
        undecided = {condition.id for condition in sides.procedure.conditions if condition.predicate is None}
        for path in sides.procedure_paths:
            if undecided & {flow.condition for flow in path.flows} or _stands(sides, in_turn, path):
                continue
            sources = sides.nodes_by_step.get(path.source, ())
            if any(_strange_ends(sides, name) for name in sources) and path.target == END:
                continue  # the end that is reached instead is told
            ends = f" ({path.ends})" if path.target == END and path.ends else ""
            yield warning(
                "flow-without-edge",
                f"the procedure leads {arrows((path.source, path.target))}{ends}, but no edges lead "
                f"{_from(sources)} to {_to(sides, path)}",
                at_node(given.workflow, sources[0]) if sources else at_workflow(given.workflow, "edges"),
                found=[edge.target for edge in given.workflow.edges if edge.source in sources],
                expected=path.target,
                evidence=tuple(evidence for flow in path.flows for evidence in flow.evidence),
            )


def edge_without_flow(given: ConformanceInput) -> Iterator[Diagnostic]:
    """An edge is said to come from the document, and the procedure does not lead that way.

    What: edges of the origin `document` lead from the node of one step to the node of another, or to an end, with no
        node between that carries a step; and the procedure leads from none of the one's steps to any of the other's.
    Why: something is done that the document does not have next; mostly the edge leads to the wrong node.
    Bad: the procedure has `s1→s2` and `s2→s3`, and an edge leads from the node of s1 to that of s3.
    Good: the edge to the node of s2; or `"origin": "person"` for a way that a person added.
    """
    for sides in _sides(given):
        for route in sides.workflow_paths:
            if not _of_document(given, route) or _in_procedure(sides, route):
                continue
            if not any(sides.steps(given.workflow.nodes[name]) for name in (route.source, route.target)):
                continue  # of nodes that carry no step the procedure says nothing
            ends = any(path.target == END for path in _paths_from(sides, route.source))
            target = given.workflow.nodes[route.target]
            if target.type == CONTROL_END and ends:
                continue  # an end of another status is told as such
            yield warning(
                "edge-without-flow",
                f"{_path_text(given, route)} leads from {_node_text(sides, route.source)} to "
                f"{_node_text(sides, route.target)}, where the procedure does not lead",
                at_edge(given.workflow, route.edges[-1]),
                found=route.target,
                expected=sorted({path.target for path in _paths_from(sides, route.source)}),
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
    for sides in _sides(given):
        for name, _, _ in sides.nodes_with_steps:
            for route in _strange_ends(sides, name):
                said = sorted({path.ends or "completed" for path in _paths_from(sides, name) if path.target == END})
                status = end_status(given.workflow.nodes[route.target])
                yield warning(
                    "end-differs",
                    f"{_path_text(given, route)} ends with “{status}”, but after {_node_text(sides, name)} the "
                    f"procedure ends with {' or '.join(f'“{one}”' for one in said)}",
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
    for sides in _sides(given):
        for route in sides.workflow_paths:
            edge = given.workflow.edges[route.edges[0]]
            if edge.origin != "document" or not edge.evidence or not sides.steps(given.workflow.nodes[route.source]):
                continue
            paths = _paths_from(sides, route.source)
            beyond = [
                one for one in sides.workflow_paths if one.source == route.source and one.edges[0] == route.edges[0]
            ]
            own = [path for path in paths if any(_leads(sides, path, one.target) for one in beyond)]
            other = next((path for path in paths if path not in own and _shares(sides, path, edge.evidence)), None)
            if not own and _of_document(given, route):
                continue  # that it leads elsewhere is told as such
            if other is None or route != beyond[0] or any(_shares(sides, path, edge.evidence) for path in own):
                continue
            yield warning(
                "words-of-another-way",
                f"{_path_text(given, route)} rests on “{edge.evidence[0].quote}”, words of the way "
                f"{arrows((other.source, other.target))}",
                at_edge(given.workflow, route.edges[0]),
                found=edge.target,
                expected=other.target,
                evidence=edge.evidence,
            )


def _shares(sides: FlowConformance, path: ProcedurePath, evidence: tuple[Evidence, ...]) -> bool:
    return any(share_words(one, other) for one in evidence for other in sides.evidence_of(path))


def _sides(given: ConformanceInput) -> Iterator[FlowConformance]:
    """The workflow beside its procedure; where there are several, which edge stands for which cannot be told."""
    if len(given.procedures) == 1:
        yield FlowConformance(given.workflow, given.procedures[0])


def _stands(sides: FlowConformance, in_turn: ApprovalsInTurn, path: ProcedurePath) -> bool:
    """Whether edges lead from a node of a way's source to one of its target; an end that is a step leads on nowhere."""
    targets = sides.nodes_by_step.get(path.target, ())
    if path.source == START and (path.target == END or any(name in sides.entries for name in targets)):
        return True
    sources = sides.nodes_by_step.get(path.source, ())
    nodes = sides.workflow.nodes
    if any(nodes[name].type == CONTROL_END for name in sources) or set(sources) & set(targets):
        return True
    failing = path.flows[0].kind == "exception"
    reached = {r.target for r in sides.workflow_paths if r.source in sources and (r.on_success or failing)}
    if path.target == END:
        return any(_fits(path, nodes[name]) for name in reached)
    return not (reached | in_turn.asked_after(reached) | in_turn.led_on(sources)).isdisjoint(targets)


def _fits(path: ProcedurePath, node: Node) -> bool:
    """Whether a way to the end may end at a node."""
    return node.type == CONTROL_END and path.ends in (None, end_status(node))


def _paths_from(sides: FlowConformance, name: str) -> list[ProcedurePath]:
    """The ways from a node's steps; of one that carries none and that no edge enters, those from the start."""
    held = dict.fromkeys(step.id for step in sides.steps(sides.workflow.nodes[name])) or (START,)
    return [path for source in held for path in sides.paths_by_source.get(source, ())]


def _in_procedure(sides: FlowConformance, route: WorkflowPath) -> bool:
    """Whether a way leads where a route does."""
    return any(_leads(sides, path, route.target) for path in _paths_from(sides, route.source))


def _leads(sides: FlowConformance, path: ProcedurePath, name: str) -> bool:
    """Whether a way leads to the step, or the end, that a node stands for."""
    node = sides.workflow.nodes[name]
    return path.target in {step.id for step in sides.steps(node)} or (path.target == END and _fits(path, node))


def _strange_ends(sides: FlowConformance, name: str) -> list[WorkflowPath]:
    """The routes from a node to ends of statuses with which the procedure does not end there, though it ends."""
    to_end = [path for path in _paths_from(sides, name) if path.target == END]
    return [
        route
        for route in sides.workflow_paths
        if route.source == name
        and to_end
        and sides.workflow.nodes[route.target].type == CONTROL_END
        and all(sides.workflow.edges[index].origin == "document" for index in route.edges)
        and not _in_procedure(sides, route)
    ]


def _of_document(given: ConformanceInput, route: WorkflowPath) -> bool:
    return all(given.workflow.edges[index].origin == "document" for index in route.edges)


def _path_text(given: ConformanceInput, route: WorkflowPath) -> str:
    return arrows((route.source, *(given.workflow.edges[index].target for index in route.edges)))


def _node_text(sides: FlowConformance, name: str) -> str:
    steps = sides.steps(sides.workflow.nodes[name])
    if steps:
        return "step " + ", ".join(step.id for step in steps)
    return "an end" if sides.workflow.nodes[name].type == CONTROL_END else "the start"


def _from(names: tuple[str, ...]) -> str:
    return f'from "{names[0]}"' if names else "from the start"


def _to(sides: FlowConformance, path: ProcedurePath) -> str:
    if path.target == END:
        return f"an end with “{path.ends}”" if path.ends else "an end"
    return f'"{sides.nodes_by_step[path.target][0]}"'


CHECKS = (flow_without_edge, edge_without_flow, end_differs, words_of_another_way)
