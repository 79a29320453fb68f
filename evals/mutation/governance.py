"""Faults of governance: approvals lost, evaded and unheeded, policies relaxed."""

from collections.abc import Iterator

from evals.mutation.nodes import bypassing
from evals.mutation.subject import Kind, Mutant, Subject
from ir.predicate import Compare, Literally, Ref, leaves
from ir.workflow import HUMAN_APPROVAL, Edge


def approval_removed(subject: Subject) -> Iterator[Mutant]:
    """An approval is missing, and what led to it leads to where its consent led."""
    for name in _approvals(subject):
        copy = bypassing(subject, name, set(_after(subject, name, consent=True)))
        if copy is not None:
            yield copy.done(f"{name} removed, the way closed")


def approval_bypassed(subject: Subject) -> Iterator[Mutant]:
    """Beside an approval an edge leads from the node before it to where its consent leads."""
    for name in _approvals(subject):
        into = [index for index, edge in enumerate(subject.workflow.edges) if edge.target == name]
        for index in into[:1]:
            for target in _after(subject, name, consent=True)[:1]:
                edge = subject.raw["edges"][index] | {"to": target}
                yield subject.copy().add_edge(edge).done(f"{edge['from']}->{target} added, past {name}")


def approval_entry_led_past(subject: Subject) -> Iterator[Mutant]:
    """An edge to an approval leads to where its consent leads."""
    for name in _approvals(subject):
        for index, edge in enumerate(subject.workflow.edges):
            for target in _after(subject, name, consent=True)[:1] if edge.target == name else ():
                what = f"{subject.edge_name(index)} led to {target}"
                yield subject.copy().put(target, "edges", index, "to").done(what)


def approval_unread(subject: Subject) -> Iterator[Mutant]:
    """After an approval there is only the way of consent, without condition."""
    for name in _approvals(subject):
        consent = _after(subject, name, consent=True)
        leaving = [index for index, edge in enumerate(subject.workflow.edges) if edge.source == name]
        kept = [index for index in leaving if subject.workflow.edges[index].target in consent]
        if kept and len(kept) < len(leaving):
            copy = subject.copy()
            for index in kept:
                copy.drop("edges", index, "condition")
            yield copy.drop_edges(set(leaving) - set(kept)).done(f"{name} is not read")


def refusal_led_on(subject: Subject) -> Iterator[Mutant]:
    """What an approval refuses goes where its consent leads."""
    for name in _approvals(subject):
        for target in _after(subject, name, consent=True)[:1]:
            for index, edge in enumerate(subject.workflow.edges):
                if edge.source == name and _refuses(edge):
                    what = f"{subject.edge_name(index)} led to {target}"
                    yield subject.copy().put(target, "edges", index, "to").done(what)


def approver_removed(subject: Subject) -> Iterator[Mutant]:
    """One of those who approve is missing."""
    for name in _approvals(subject):
        approvers = list(subject.workflow.nodes[name].approvers or ())
        for who in approvers:
            rest = [other for other in approvers if other != who]
            yield subject.copy().put(rest, "nodes", name, "approvers").done(f"{name} without {who}")


def approver_exchanged(subject: Subject) -> Iterator[Mutant]:
    """Somebody else of the document approves."""
    actors = list(dict.fromkeys(n.actor for n in subject.workflow.nodes.values() if n.actor))
    for name in _approvals(subject):
        approvers = subject.workflow.nodes[name].approvers or ()
        other = next((actor for actor in actors if actor not in approvers), None)
        if approvers and other is not None:
            copy = subject.copy().put([other, *approvers[1:]], "nodes", name, "approvers")
            yield copy.done(f"{name} by {other}, not {approvers[0]}")


def risk_lowered(subject: Subject) -> Iterator[Mutant]:
    """The workflow's risk is one level lower."""
    level = subject.workflow.execution_policy.risk_level
    if level != "low":
        lower = "low" if level == "medium" else "medium"
        yield subject.copy().put(lower, "execution_policy", "risk_level").done(f"risk {lower}, not {level}")


def auto_allowed(subject: Subject) -> Iterator[Mutant]:
    """The workflow may run by itself."""
    policy = subject.workflow.execution_policy
    if not policy.allow_auto and policy.risk_level != "low":
        yield subject.copy().put(True, "execution_policy", "allow_auto").done("allow_auto")


def approval_not_demanded(subject: Subject) -> Iterator[Mutant]:
    """The policy no longer requires an approval."""
    if subject.workflow.execution_policy.require_approval:
        yield subject.copy().put(False, "execution_policy", "require_approval").done("require_approval dropped")


def policy_relaxed(subject: Subject) -> Iterator[Mutant]:
    """A node is less risky, free of its allowlist or safer to repeat than its Type."""
    for name in subject.workflow.nodes:
        node_type = subject.analysis.scope.type_of(name)
        if node_type is None:
            continue
        if node_type.governance.risk_level_default != "low":
            yield subject.copy().put("low", "nodes", name, "policy", "risk_level").done(f"{name} has risk low")
        if node_type.governance.requires_allowlist:
            copy = subject.copy().put(False, "nodes", name, "policy", "requires_allowlist")
            yield copy.done(f"{name} without allowlist")
        if not node_type.capabilities.idempotent_default:
            yield subject.copy().put(True, "nodes", name, "policy", "idempotent").done(f"{name} is idempotent")


def retries_added(subject: Subject) -> Iterator[Mutant]:
    """A node that is not safe to repeat is tried again."""
    for name in subject.workflow.nodes:
        node_type = subject.analysis.scope.type_of(name)
        able = node_type.capabilities if node_type else None
        if able is not None and not (able.idempotent_default and able.retryable_default):
            yield subject.copy().put(3, "nodes", name, "policy", "max_attempts").done(f"{name} is tried three times")


def _approvals(subject: Subject) -> list[str]:
    return [name for name, node in subject.workflow.nodes.items() if node.type == HUMAN_APPROVAL]


def _after(subject: Subject, name: str, *, consent: bool) -> list[str]:
    """Where an approval leads with or without consent."""
    return [edge.target for edge in subject.workflow.edges_from(name) if _refuses(edge) != consent]


def _refuses(edge: Edge) -> bool:
    """Whether an edge out of an approval is for what it refuses."""
    return any(_says_no(leaf, edge.source) for leaf in leaves(edge.condition) if isinstance(leaf, Compare))


def _says_no(leaf: Compare, approval: str) -> bool:
    read = leaf.left == Ref(f"$.outputs.{approval}.approved") and isinstance(leaf.right, Literally)
    return read and isinstance(leaf.right, Literally) and leaf.right.value is (leaf.op == "ne")


KINDS: tuple[Kind, ...] = (
    approval_removed,
    approval_bypassed,
    approval_entry_led_past,
    approval_unread,
    refusal_led_on,
    approver_removed,
    approver_exchanged,
    risk_lowered,
    auto_allowed,
    approval_not_demanded,
    policy_relaxed,
    retries_added,
)
