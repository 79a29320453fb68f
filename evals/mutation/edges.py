"""Faults of edges: routes lost, led astray, turned, doubled, closed to cycles."""

from collections.abc import Iterator
from itertools import combinations

from evals.mutation.subject import Kind, Mutant, Subject
from ir.predicate import ALWAYS, Null, Otherwise, Tree, leaves
from ir.workflow import CONTROL_END, Edge


def edge_removed(subject: Subject) -> Iterator[Mutant]:
    """An edge is missing; those that say `otherwise` or test for null have kinds of their own."""
    for index, edge in enumerate(subject.workflow.edges):
        if not isinstance(edge.condition, Otherwise) and not is_null_guard(edge):
            yield subject.copy().drop_edges([index]).done(f"{subject.edge_name(index)} removed")


def edge_retargeted(subject: Subject) -> Iterator[Mutant]:
    """An edge leads to the node after its target in the file, or to the first end."""
    names = list(subject.workflow.nodes)
    first_end = next((name for name, node in subject.workflow.nodes.items() if node.type == CONTROL_END), None)
    for index, edge in enumerate(subject.workflow.edges):
        after = names[(names.index(edge.target) + 1) % len(names)]
        for target in dict.fromkeys((after, first_end)):
            if target is not None and target not in (edge.source, edge.target):
                what = f"{subject.edge_name(index)} led to {target}"
                yield subject.copy().put(target, "edges", index, "to").done(what)


def edge_moved(subject: Subject) -> Iterator[Mutant]:
    """An edge leaves the node before its source instead."""
    for index, edge in enumerate(subject.workflow.edges):
        for link in subject.analysis.graph.into[edge.source][:1]:
            what = f"{subject.edge_name(index)} leaves {link.source}"
            yield subject.copy().put(link.source, "edges", index, "from").done(what)


def edge_reversed(subject: Subject) -> Iterator[Mutant]:
    """An edge leads from its target to its source."""
    for index, edge in enumerate(subject.workflow.edges):
        copy = subject.copy().put(edge.target, "edges", index, "from").put(edge.source, "edges", index, "to")
        yield copy.done(f"{subject.edge_name(index)} reversed")


def edge_duplicated(subject: Subject) -> Iterator[Mutant]:
    """An edge stands twice."""
    for index, raw in enumerate(subject.raw["edges"]):
        yield subject.copy().add_edge(raw).done(f"{subject.edge_name(index)} doubled")


def cycle_closed(subject: Subject) -> Iterator[Mutant]:
    """An edge leads from a node back to the first node before it."""
    graph = subject.analysis.graph
    for name in graph.order:
        before = [other for other in graph.order if other in graph.ancestors[name]]
        if before and subject.workflow.nodes[name].type != CONTROL_END:
            evidence = subject.raw["nodes"][name].get("evidence", [])
            edge = {"from": name, "to": before[0], "evidence": evidence}
            yield subject.copy().add_edge(edge).done(f"{name}->{before[0]} added")


def branches_swapped(subject: Subject) -> Iterator[Mutant]:
    """Two edges with conditions lead where the other should."""
    edges = subject.workflow.edges
    for _, leaving in subject.siblings():
        deciding = [index for index in leaving if edges[index].condition != ALWAYS]
        for one, other in combinations(deciding, 2):
            if edges[one].target != edges[other].target:
                copy = subject.copy().put(edges[other].target, "edges", one, "to")
                copy.put(edges[one].target, "edges", other, "to")
                yield copy.done(f"targets of {subject.edge_name(one)} and {subject.edge_name(other)} swapped")


def edge_on_failure(subject: Subject) -> Iterator[Mutant]:
    """An edge is taken when its node fails, not when it succeeds, or the other way round."""
    for index, edge in enumerate(subject.workflow.edges):
        on = "error" if edge.on == "success" else "success"
        yield subject.copy().put(on, "edges", index, "on").done(f"{subject.edge_name(index)} on {on}")


def split_changed(subject: Subject) -> Iterator[Mutant]:
    """A node that chooses one way takes all that hold, or the other way round."""
    for name, leaving in subject.siblings():
        if any(isinstance(subject.workflow.edges[index].condition, Tree) for index in leaving):
            split = "inclusive" if subject.workflow.nodes[name].split != "inclusive" else "exclusive"
            yield subject.copy().put(split, "nodes", name, "split").done(f"{name} is {split}")


def priority_equal(subject: Subject) -> Iterator[Mutant]:
    """Edges of one node that differ in priority have the same."""
    for name, leaving in subject.siblings():
        trees = [index for index in leaving if isinstance(subject.workflow.edges[index].condition, Tree)]
        if len({subject.workflow.edges[index].priority for index in trees}) > 1:
            copy = subject.copy()
            for index in trees:
                copy.put(1, "edges", index, "priority")
            yield copy.done(f"all priorities at {name} are 1")


def priority_swapped(subject: Subject) -> Iterator[Mutant]:
    """Two edges of one node bear each other's priority."""
    edges = subject.workflow.edges
    for _, leaving in subject.siblings():
        trees = [index for index in leaving if isinstance(edges[index].condition, Tree)]
        for one, other in combinations(trees, 2):
            if edges[one].priority != edges[other].priority:
                copy = subject.copy().put(edges[other].priority, "edges", one, "priority")
                copy.put(edges[one].priority, "edges", other, "priority")
                yield copy.done(f"priorities of {subject.edge_name(one)} and {subject.edge_name(other)} swapped")


def otherwise_removed(subject: Subject) -> Iterator[Mutant]:
    """An edge that says `otherwise` is missing."""
    for index, edge in enumerate(subject.workflow.edges):
        if isinstance(edge.condition, Otherwise):
            yield subject.copy().drop_edges([index]).done(f"{subject.edge_name(index)} removed")


def otherwise_dropped(subject: Subject) -> Iterator[Mutant]:
    """An edge has lost the word `otherwise` and is always taken."""
    for index, edge in enumerate(subject.workflow.edges):
        if isinstance(edge.condition, Otherwise):
            yield subject.copy().drop("edges", index, "condition").done(f"{subject.edge_name(index)} without otherwise")


def otherwise_doubled(subject: Subject) -> Iterator[Mutant]:
    """Beside an edge that says `otherwise` stands another, to an end."""
    ends = [name for name, node in subject.workflow.nodes.items() if node.type == CONTROL_END]
    for index, edge in enumerate(subject.workflow.edges):
        if isinstance(edge.condition, Otherwise):
            led = {other.target for other in subject.workflow.edges_from(edge.source)}
            for end in [end for end in ends if end not in led][:1]:
                what = f"{edge.source}->{end} says otherwise, too"
                yield subject.copy().add_edge(subject.raw["edges"][index] | {"to": end}).done(what)


def null_guard_removed(subject: Subject) -> Iterator[Mutant]:
    """An edge that only asks whether a value is there is missing."""
    for index, edge in enumerate(subject.workflow.edges):
        if is_null_guard(edge):
            yield subject.copy().drop_edges([index]).done(f"{subject.edge_name(index)} removed")


def is_null_guard(edge: Edge) -> bool:
    """Whether an edge has a condition that only asks whether values are there."""
    return isinstance(edge.condition, Tree) and all(isinstance(leaf, Null) for leaf in leaves(edge.condition))


KINDS: tuple[Kind, ...] = (
    edge_removed,
    edge_retargeted,
    edge_moved,
    edge_reversed,
    edge_duplicated,
    cycle_closed,
    branches_swapped,
    edge_on_failure,
    split_changed,
    priority_equal,
    priority_swapped,
    otherwise_removed,
    otherwise_dropped,
    otherwise_doubled,
    null_guard_removed,
)
