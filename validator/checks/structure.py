"""Is the workflow a graph that begins, ends and never turns back?"""

from collections.abc import Iterator
from itertools import combinations, pairwise

from ir.diagnostics import Diagnostic, Fix, Related
from ir.workflow import CONTROL_END
from validator.analysis.graph import Link, exits, shortest_cycle
from validator.analysis.locations import arrows, at_edge, at_node, at_workflow, edge_name, pointer
from validator.analysis.wording import condition_words
from validator.check_input import CheckInput, error, warning
from validator.contradicted_edges import contradicting_conditions

MOST_ASKED = 3_000
"""Pairs of ends times nodes, up to which the solver is asked whether a run comes to both."""


def id_mismatch(given: CheckInput) -> Iterator[Diagnostic]:
    """A node's `id` differs from its key.

    What: `nodes` is a map by id; a node may repeat its id, but only the same.
    Why: references and edges use the key; another id would name a node that does not exist.
    Bad: `{"level": {"id": "lookup", …}}`
    Good: `{"level": {"id": "level", …}}`, or no `id`.
    """
    for name, node in given.workflow.nodes.items():
        if node.id is not None and node.id != name:
            path = pointer("nodes", name, "id")
            yield error(
                "id-mismatch",
                f'node "{name}" has the id "{node.id}"; its id is its key',
                at_node(given.workflow, name, "id"),
                found=node.id,
                expected=name,
                fixes=(Fix(title=f'set the id to "{name}"', patch=({"op": "replace", "path": path, "value": name},)),),
            )


def cycle(given: CheckInput) -> Iterator[Diagnostic]:
    """Edges form a cycle.

    What: following edges leads back to where one was.
    Why: a run must end in finitely many steps; a cycle has no order in which its nodes could run.
    Bad: `a→b`, `b→a`
    Good: `a→b`, and from `b` to a `control.end` with status `returned`; resubmitting starts a new run.
    """
    for link in given.analysis.graph.back:
        if link.source == link.target:
            continue
        way = shortest_cycle(given.workflow, link)
        places = tuple(
            Related(message=f"{edge_name(edge)} is part of it", location=at_edge(given.workflow, index))
            for index, edge in enumerate(given.workflow.edges)
            if (edge.source, edge.target) in set(pairwise(way)) and index != link.index
        )
        yield error(
            "cycle",
            f"the edges form a cycle: {arrows(way)}; to return for correction, lead to a control.end with status "
            '"returned"',
            at_edge(given.workflow, link.index),
            found=list(way),
            related=places,
        )


def no_entry(given: CheckInput) -> Iterator[Diagnostic]:
    """No node can be the first.

    What: there is no node, or an edge enters every node.
    Why: a run starts at the nodes that no edge enters.
    Bad: `a→b`, `b→a` and nothing else.
    Good: at least one node that no edge enters.
    """
    known = given.workflow.nodes
    entered = {edge.target for edge in given.workflow.edges if edge.source in known and edge.source != edge.target}
    if not set(given.workflow.nodes) - entered:
        why = "an edge enters every node" if given.workflow.nodes else "there are no nodes"
        yield error(
            "no-entry",
            f"no run can start: {why}; expected a node that no edge enters",
            at_workflow(given.workflow, "nodes"),
        )


def no_exit(given: CheckInput) -> Iterator[Diagnostic]:
    """No node can be the last.

    What: an edge leaves every node, and none is a `control.end`.
    Why: a run must be able to end.
    Bad: `a→b`, `b→a` and nothing else.
    Good: every path ends in a `control.end`.
    """
    if given.workflow.nodes and not exits(given.workflow):
        yield error(
            "no-exit",
            "no run can end: edges leave every node; expected a control.end at the end of every path",
            at_workflow(given.workflow, "nodes"),
        )


def unreachable_node(given: CheckInput) -> Iterator[Diagnostic]:
    """No run can come to a node.

    What: each way to the node takes an edge that leaves a `control.end`, or one that no run takes: its condition can
        never be chosen, or contradicts those before it. Or no run starts, since no values meet all guards.
    Why: a step that can never be carried out is a step lost.
    Bad: an edge that asks for `hazard_level == 1` after another of smaller priority asked for `hazard_level in [1, 2]`.
    Good: remove the node, or mend the condition that shuts it off.
    """
    graph, proofs, nodes = given.analysis.graph, given.analysis.proofs, given.workflow.nodes
    if not proofs.can_start:
        words = [condition_words(guard.condition) for guard in given.workflow.guards]
        yield error(
            "unreachable-node",
            f"no run can start: no values meet {'all guards' if len(words) > 1 else 'the guard'}: {'; '.join(words)}",
            at_workflow(given.workflow, "guards"),
        )
        return
    free = given.analysis.reachable_nodes()
    reached = [name for name in graph.order if name in free and proofs.can_be_reached(name)]
    for name in graph.order:
        shut = [link for link in graph.into[name] if link.source in reached]
        if name in reached or not shut:
            continue
        if any(_meaningless(given, link) for link in shut):
            continue  # a condition there cannot be evaluated, which is a fault of its own
        ended = nodes[shut[0].source].type == CONTROL_END
        never = f"{edge_name(shut[0].edge)} ({condition_words(shut[0].edge.condition)}) can never be taken"
        why = f'"{shut[0].source}" ends its path' if ended else never
        behind = [other for other in graph.order if other not in reached and name in graph.ancestors[other]]
        yield error(
            "unreachable-node",
            f'node "{name}" can never run: {why}' + (f"; nor can {', '.join(behind)} behind it" if behind else ""),
            at_node(given.workflow, name),
            related=tuple(one for link in shut for one in _shut(given, link)),
        )


def _shut(given: CheckInput, link: Link) -> Iterator[Related]:
    yield Related(message="this edge leads to it", location=at_edge(given.workflow, link.index))
    if link.index in given.analysis.proofs.never_taken:
        yield from contradicting_conditions(given, link.index)


def _meaningless(given: CheckInput, link: Link) -> bool:
    """Whether a condition among which an edge is chosen is never known, or the solver cannot be asked about it."""
    if not given.analysis.proofs.runs.edges(link.source):
        return False
    proved = given.analysis.proofs.branches(link.source)
    return proved is None or bool(proved.meaningless)


def path_without_end(given: CheckInput) -> Iterator[Diagnostic]:
    """A path stops at a node that is no `control.end`.

    What: no edge leaves the node on success.
    Why: with which status the run ends there is left unsaid; it counts as completed.
    Bad: `summary` is the last node.
    Good: `{"from": "summary", "to": "done"}`, where `done` is a `control.end` with status `completed`.
    """
    for name in exits(given.workflow):
        if given.workflow.nodes[name].type != CONTROL_END:
            yield warning(
                "path-without-end",
                f'the path stops at "{name}", which is no control.end; it counts as completed',
                at_node(given.workflow, name),
                fixes=(_ending(given, name),),
            )


def disconnected_part(given: CheckInput) -> Iterator[Diagnostic]:
    """The workflow falls into parts that no edge joins.

    What: a group of nodes has no edge to or from the others.
    Why: each part would run on its own, at the same time; mostly an edge was forgotten.
    Bad: nodes `notify` and `archive` without edges beside a chain of others.
    Good: edges that say where they come in the order.
    """
    left, parts = list(given.workflow.nodes), list[list[str]]()
    joined: dict[str, set[str]] = {name: set() for name in left}
    for edge in given.workflow.edges:
        if edge.source in joined and edge.target in joined:
            joined[edge.source].add(edge.target)
            joined[edge.target].add(edge.source)
    while left:
        part = [left.pop(0)]
        for name in part:
            part += [other for other in left if other in joined[name]]
            left = [other for other in left if other not in joined[name]]
        parts.append(part)
    for part in parts[1:]:
        yield warning(
            "disconnected-part",
            f"no edge joins {', '.join(part)} to the rest of the workflow; they would run at once, beside it",
            at_node(given.workflow, part[0]),
            found=list(part),
        )


def unequal_ends(given: CheckInput) -> Iterator[Diagnostic]:
    """One run can reach two ends of different status.

    What: parallel paths lead to `control.end` nodes that differ in status. In large workflows with many such pairs of
        ends it is not looked whether the conditions of different nodes keep them apart.
    Why: the run gets the worst of them; the other result is lost.
    Bad: `a→completed` and `a→rejected`, both unconditional.
    Good: one path chooses; or the paths are joined before the end.
    """
    graph, nodes = given.analysis.graph, given.workflow.nodes
    ends = [name for name in graph.order if nodes[name].type == CONTROL_END]
    pairs = given.analysis.compatible_edges()
    unlike = [
        (first, second)
        for first, second in combinations(ends, 2)
        if nodes[first].status != nodes[second].status
        and any(pairs.compatible(left.index, right.index) for left in graph.into[first] for right in graph.into[second])
    ]
    few = len(unlike) * len(nodes) <= MOST_ASKED
    apart = given.analysis.proofs.mutually_exclusive(unlike) if few else frozenset()
    for first, second in (pair for pair in unlike if pair not in apart):
        yield warning(
            "unequal-ends",
            f'one run can reach both "{first}" ({nodes[first].status}) and "{second}" ({nodes[second].status})'
            f"{'' if few else ', as far as is known'}; it ends with the worse of the two",
            at_node(given.workflow, second),
            related=(Related(message="the other end", location=at_node(given.workflow, first)),),
        )


def _ending(given: CheckInput, name: str) -> Fix:
    end = next(new for new in ("completed", f"{name}_completed", f"{name}_end") if new not in given.workflow.nodes)
    node = {"type": CONTROL_END, "status": "completed", "origin": "repair"}
    return Fix(
        title='end the path with status "completed"',
        patch=(
            {"op": "add", "path": pointer("nodes", end), "value": node},
            {"op": "add", "path": "/edges/-", "value": {"from": name, "to": end, "origin": "repair"}},
        ),
    )


CHECKS = (
    id_mismatch,
    cycle,
    no_entry,
    no_exit,
    unreachable_node,
    path_without_end,
    disconnected_part,
    unequal_ends,
)
