"""Faults of nodes: lost, of no known Type, without their steps, with other ends, deadlines and outcomes."""

import re
from collections.abc import Iterator

from evals.mutation.subject import Copy, Kind, Mutant, Subject
from ir.procedure import Procedure
from ir.workflow import CONTROL_END, HUMAN_APPROVAL

_AMOUNT = re.compile(r"\d+")


def node_removed(subject: Subject) -> Iterator[Mutant]:
    """A node is missing with all its edges; ends have a kind of their own."""
    for name, node in subject.workflow.nodes.items():
        if node.type != CONTROL_END:
            yield subject.copy().drop_node(name).done(f"{name} removed")


def node_bypassed(subject: Subject) -> Iterator[Mutant]:
    """A node is missing, and what led to it leads to what came after it; approvals have a kind of their own."""
    for name, node in subject.workflow.nodes.items():
        if node.type not in (CONTROL_END, HUMAN_APPROVAL) and (copy := bypassing(subject, name)):
            yield copy.done(f"{name} removed, the way closed")


def duty_lost_on_both_sides(subject: Subject) -> Iterator[Mutant]:
    """A node is missing, and the steps that it alone carried are missing in the procedure."""
    for name, node in subject.workflow.nodes.items():
        elsewhere = {s for other, n in subject.workflow.nodes.items() if other != name for s in n.step_ids}
        gone = set(node.step_ids) - elsewhere
        if gone and node.type != CONTROL_END and (copy := bypassing(subject, name)):
            yield copy.done(f"{name} and {', '.join(sorted(gone))} removed", _without(subject.procedures, gone))


def end_removed(subject: Subject) -> Iterator[Mutant]:
    """An end is missing with the edges to it."""
    for name, node in subject.workflow.nodes.items():
        if node.type == CONTROL_END:
            yield subject.copy().drop_node(name).done(f"{name} removed")


def end_status_changed(subject: Subject) -> Iterator[Mutant]:
    """An end that completes rejects, another completes."""
    for name, node in subject.workflow.nodes.items():
        if node.type == CONTROL_END:
            status = "rejected" if node.status == "completed" else "completed"
            yield subject.copy().put(status, "nodes", name, "status").done(f"{name} ends as {status}")


def type_unknown(subject: Subject) -> Iterator[Mutant]:
    """A node's Type has lost its last letter."""
    for name, node in subject.workflow.nodes.items():
        yield subject.copy().put(node.type[:-1], "nodes", name, "type").done(f"{name} is a {node.type[:-1]}")


def type_version_impossible(subject: Subject) -> Iterator[Mutant]:
    """A node asks for a version of its Type that there is not."""
    for name in subject.workflow.nodes:
        yield subject.copy().put("^9.0.0", "nodes", name, "type_version").done(f"{name} asks for ^9.0.0")


def step_ids_dropped(subject: Subject) -> Iterator[Mutant]:
    """A node no longer says which steps it carries out."""
    for name, node in subject.workflow.nodes.items():
        if node.step_ids:
            yield subject.copy().drop("nodes", name, "step_ids").done(f"{name} without step_ids")


def actor_exchanged(subject: Subject) -> Iterator[Mutant]:
    """A node is another actor's."""
    actors = list(dict.fromkeys(n.actor for n in subject.workflow.nodes.values() if n.actor))
    for name, node in subject.workflow.nodes.items():
        other = next((actor for actor in actors if actor != node.actor), None)
        if node.actor and other:
            copy = subject.copy().put(other, "nodes", name, "actor")
            if node.assignee == node.actor:
                copy.put(other, "nodes", name, "assignee")
            yield copy.done(f"{name} is {other}'s, not {node.actor}'s")


def deadline_impossible(subject: Subject) -> Iterator[Mutant]:
    """A deadline is no duration."""
    for name, node in subject.workflow.nodes.items():
        if node.deadline:
            yield subject.copy().put("P-1D", "nodes", name, "deadline", "duration").done(f"{name} within P-1D")


def deadline_altered(subject: Subject) -> Iterator[Mutant]:
    """A deadline is longer by one."""
    for name, node in subject.workflow.nodes.items():
        if node.deadline:
            other = _AMOUNT.sub(lambda found: str(int(found[0]) + 1), node.deadline.duration, count=1)
            yield subject.copy().put(other, "nodes", name, "deadline", "duration").done(f"{name} within {other}")


def deadline_dropped(subject: Subject) -> Iterator[Mutant]:
    """A deadline is missing."""
    for name, node in subject.workflow.nodes.items():
        if node.deadline:
            yield subject.copy().drop("nodes", name, "deadline").done(f"{name} without deadline")


def outcome_dropped(subject: Subject) -> Iterator[Mutant]:
    """A task cannot end in one of its outcomes."""
    for name, node in subject.workflow.nodes.items():
        outcomes = node.outcomes or ()
        for outcome in outcomes if len(outcomes) > 1 else ():
            rest = [other for other in outcomes if other != outcome]
            yield subject.copy().put(rest, "nodes", name, "outcomes").done(f"{name} cannot end in {outcome}")


def bypassing(subject: Subject, name: str, targets: set[str] | None = None) -> Copy | None:
    """A copy without a node, with each edge into it led to where it led; None where that closes no way.

    Args:
        targets: which of the nodes after it are led to; all, if not given.
    """
    into = [index for index, edge in enumerate(subject.workflow.edges) if edge.target == name]
    after = [edge.target for edge in subject.workflow.edges_from(name) if targets is None or edge.target in targets]
    if not into or not after:
        return None
    copy = subject.copy()
    for index in into:
        copy.raw["edges"][index]["to"] = after[0]
        for target in dict.fromkeys(after[1:]):
            copy.add_edge(copy.raw["edges"][index] | {"to": target})
    return copy.drop_node(name)


def _without(procedures: tuple[Procedure, ...], gone: set[str]) -> tuple[Procedure, ...]:
    """The procedures without some steps; flows to such a step lead to where it led."""
    return tuple(_closed(procedure, gone) for procedure in procedures)


def _closed(procedure: Procedure, gone: set[str]) -> Procedure:
    flows = procedure.flows
    for step in gone & {step.id for step in procedure.steps}:
        after = [flow.target for flow in flows if flow.source == step]
        flows = tuple(
            flow.model_copy(update={"target": target})
            for flow in flows
            if flow.source != step
            for target in (after if flow.target == step else [flow.target])
        )
    steps = tuple(step for step in procedure.steps if step.id not in gone)
    return procedure.model_copy(update={"steps": steps, "flows": flows})


KINDS: tuple[Kind, ...] = (
    node_removed,
    node_bypassed,
    duty_lost_on_both_sides,
    end_removed,
    end_status_changed,
    type_unknown,
    type_version_impossible,
    step_ids_dropped,
    actor_exchanged,
    deadline_impossible,
    deadline_altered,
    deadline_dropped,
    outcome_dropped,
)
