"""Does each edge join two nodes, once, in a way that can be taken?"""

from collections.abc import Iterator

from ir.diagnostics import Diagnostic, Fix, Related
from ir.predicate import ALWAYS, Null, condition_json
from ir.workflow import CONTROL_END, HUMAN_INPUT
from validator.analysis.locations import at_edge, edge_name
from validator.check_input import CheckInput, error, warning
from validator.fixes.removal import removals
from validator.suggest import did_you_mean, nearest


def dangling_edge(given: CheckInput) -> Iterator[Diagnostic]:
    """An edge leaves or enters a node that does not exist.

    What: `from` and `to` name keys of `nodes`.
    Why: a route to nowhere is not a legal route.
    Bad: `{"from": "identify", "to": "levle"}`
    Good: `{"from": "identify", "to": "level"}`
    """
    nodes = given.workflow.nodes
    for index, edge in enumerate(given.workflow.edges):
        for end, name in (("from", edge.source), ("to", edge.target)):
            if name in nodes:
                continue
            place = at_edge(given.workflow, index, end)
            meant = nearest(name, nodes)
            patch = {"op": "replace", "path": place.pointer, "value": meant}
            yield error(
                "dangling-edge",
                f'edge {edge_name(edge)}: there is no node "{name}"{did_you_mean(name, nodes)}',
                place,
                found=name,
                expected=list(nodes),
                fixes=(Fix(title=f'use "{meant}"', patch=(patch,)),) if meant else (),
            )


def self_loop(given: CheckInput) -> Iterator[Diagnostic]:
    """An edge leads from a node to itself.

    What: `from` and `to` are the same node.
    Why: loops are not part of the language; repeating a call is `max_attempts`, asking again is a new run.
    Bad: `{"from": "check", "to": "check", "condition": …}`
    Good: an edge to a `control.end` with status `returned`.
    """
    for index, edge in enumerate(given.workflow.edges):
        if edge.source == edge.target and edge.source in given.workflow.nodes:
            yield error(
                "self-loop",
                f'node "{edge.source}" leads to itself; to return for correction, lead to a control.end with status '
                '"returned"',
                at_edge(given.workflow, index),
                fixes=removals(given.workflow, index),
            )


def duplicate_edge(given: CheckInput) -> Iterator[Diagnostic]:
    """The same edge stands twice.

    What: two edges have the same ends, condition and outcome.
    Why: in an exclusive split both would be true at once; elsewhere the second says nothing.
    Bad: `a→b` and `a→b`
    Good: one edge; two reasons for the same way are joined by `or`.
    """
    seen: dict[str, int] = {}
    for index, edge in enumerate(given.workflow.edges):
        key = repr((edge.source, edge.target, edge.on, condition_json(edge.condition)))
        first = seen.setdefault(key, index)
        if first != index:
            yield error(
                "duplicate-edge",
                f"edge {edge_name(edge)} stands twice with the same condition",
                at_edge(given.workflow, index),
                related=(Related(message="the first of them", location=at_edge(given.workflow, first)),),
                fixes=removals(given.workflow, index),
            )


def edge_after_end(given: CheckInput) -> Iterator[Diagnostic]:
    """An edge leaves a `control.end`.

    What: the source of the edge ends its path.
    Why: nothing comes after an end; the edge could never be taken.
    Bad: `{"from": "rejected", "to": "notify"}` where `rejected` is a `control.end`.
    Good: the notification first, then the end.
    """
    for index, edge in enumerate(given.workflow.edges):
        node = given.workflow.nodes.get(edge.source)
        if node and node.type == CONTROL_END:
            yield error(
                "edge-after-end",
                f'edge {edge_name(edge)} leaves "{edge.source}", a control.end, after which nothing comes',
                at_edge(given.workflow, index),
                fixes=removals(given.workflow, index),
            )


def conditional_error_edge(given: CheckInput) -> Iterator[Diagnostic]:
    """An edge for failure has a condition.

    What: `on` is `error` and `condition` is not `always`.
    Why: a node that failed has no output to decide by, and its failure must never lead nowhere.
    Bad: `{"from": "filing", "to": "ask", "on": "error", "condition": {"eq": …}}`
    Good: `{"from": "filing", "to": "ask", "on": "error"}`; what differs is decided at the next node.
    """
    for index, edge in enumerate(given.workflow.edges):
        if edge.on == "error" and edge.condition != ALWAYS:
            place = at_edge(given.workflow, index, "condition")
            patch = {"op": "replace", "path": place.pointer, "value": "always"}
            yield error(
                "conditional-error-edge",
                f"edge {edge_name(edge)} is taken on failure and has a condition; error edges have none",
                place,
                found=condition_json(edge.condition),
                expected="always",
                fixes=(Fix(title="take it on every failure", patch=(patch,)),),
            )


def null_asks_nobody(given: CheckInput) -> Iterator[Diagnostic]:
    """What nobody could find out is passed over, and no person is asked.

    What: an edge on `is_null` that a primer added leads to a node that is no `human.input`.
    Why: the primer asks for the way to a person because unknown is not no; so the case is closed, or goes on, unseen.
    Bad: `is_null($.outputs.filing.has_filing)` from `filing` to an end with `returned`.
    Good: the edge to a `human.input`, and from there to the end.
    """
    for index, edge in enumerate(given.workflow.edges):
        target = given.workflow.nodes.get(edge.target)
        guards = isinstance(edge.condition, Null) and not edge.condition.negated and edge.origin.startswith("primer:")
        if guards and target is not None and target.type != HUMAN_INPUT:
            yield warning(
                "null-asks-nobody",
                f"{edge_name(edge)} is taken where nothing was found out, and asks nobody",
                at_edge(given.workflow, index, "to"),
                found=edge.target,
                expected=HUMAN_INPUT,
            )


CHECKS = (
    dangling_edge,
    self_loop,
    duplicate_edge,
    edge_after_end,
    conditional_error_edge,
    null_asks_nobody,
)
