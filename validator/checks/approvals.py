"""Does a person approve before anything risky happens, and is the decision heeded?"""

from collections.abc import Iterator

from ir.diagnostics import Diagnostic
from ir.predicate import Ref
from ir.workflow import CONTROL_END, HUMAN_APPROVAL
from validator.analysis.graph import exits
from validator.analysis.locations import arrows, at_node, at_workflow
from validator.analysis.policy import has_side_effects, needs_allowlist, node_risk
from validator.check_input import CheckInput, error
from validator.proofs.runs import Example


def missing_approval(given: CheckInput) -> Iterator[Diagnostic]:
    """An approval is required, and there is none.

    What: `require_approval` is true or the risk is high, and no node is a `human.approval`.
    Why: a duty that nothing carries out is only a word.
    Bad: `"require_approval": true` with no such node.
    Good: a `human.approval` on every path that completes.
    """
    policy = given.workflow.execution_policy
    if any(node.type == HUMAN_APPROVAL for node in given.workflow.nodes.values()):
        return
    if policy.require_approval or policy.risk_level == "high":
        key, why = ("require_approval", "is true") if policy.require_approval else ("risk_level", "is high")
        yield error(
            "missing-approval",
            f"{key} {why}, but no node is a human.approval",
            at_workflow(given.workflow, "execution_policy", key),
            expected="a human.approval node",
        )


def unapproved_risk(given: CheckInput) -> Iterator[Diagnostic]:
    """A run can come to something risky without anybody having approved.

    What: a path leads to a node of effective risk high, to a node that has side effects and needs an allowlist, or, in
        a workflow of risk high, to an end that completes, and on it no approval was given. The rejected way out of an
        approval counts as not approved.
    Why: what cannot be undone needs a person's word before, on every path.
    Bad: `check→pay` beside `check→approve→pay`.
    Good: `check→approve`, and `approved == true` to `pay`, `approved == false` to an end with status `rejected`.
    """
    analysis, nodes = given.analysis, given.workflow.nodes
    last = set(exits(given.workflow))
    found = set[str]()
    for name in analysis.graph.order:
        node = nodes[name]
        reason = _needs_approval(given, name, name in last)
        if reason is None or name not in analysis.unapproved_nodes or node.type == HUMAN_APPROVAL:
            continue
        route = analysis.graph.route(analysis.unapproved_nodes, name)
        if found & set(route):
            continue  # it comes after one that is already told of
        run = analysis.unapproved_run(name)
        if run is False:
            continue
        found.add(name)
        route = run.route(name) if isinstance(run, Example) else route
        yield error(
            "unapproved-risk",
            f'"{name}" {reason}, and a run can come to it without an approval: {arrows(route)}',
            at_node(given.workflow, name),
            witness=(run.values() if isinstance(run, Example) else {}) | {"path": list(route)},
            expected="a human.approval on every path to it",
        )


def unread_approval(given: CheckInput) -> Iterator[Diagnostic]:
    """An approval's decision is not read.

    What: no condition reads `approved` of a `human.approval`.
    Why: what was rejected would go on as if it were approved.
    Bad: `approve→pay` without condition.
    Good: `{"eq": ["$.outputs.approve.approved", true]}` to `pay`, `false` to an end with status `rejected`.
    """
    for name in given.analysis.unread_approvals:
        yield error(
            "unread-approval",
            f'nothing reads $.outputs.{name}.approved: what "{name}" rejects goes on like what it approves',
            at_node(given.workflow, name),
            expected=f"edges with $.outputs.{name}.approved == true and == false",
        )


def rejection_leads_on(given: CheckInput) -> Iterator[Diagnostic]:
    """What an approval rejects goes on to all that follows what it approves.

    What: every node that can run after `approved` was true can also run after it was false, with no other person
        between; what is done at once where it is approved is what it decides about, and nobody between.
    Why: the decision is asked for and holds nothing back; what was rejected is done all the same.
    Bad: `approved == true` to `pay`; `approved == false` to `inform`, and `inform→pay`.
    Good: `inform` leads to an end with status `rejected`.
    """
    analysis, nodes = given.analysis, given.workflow.nodes
    persons = {name for name in nodes if _is_person(given, name)}
    for name, node in nodes.items():
        if node.type != HUMAN_APPROVAL or name in analysis.unread_approvals:
            continue
        decision = Ref(f"$.outputs.{name}.approved")
        after = [other for other in analysis.reachable_nodes({decision: True}, start=[name]) if other != name]
        on = analysis.branch_outcomes(name, {decision: True})
        at_once = {link.target for link in analysis.graph.out[name] if on.possible(link.index)}
        rejected = analysis.reachable_nodes({decision: False}, persons - at_once - {name}, [name])
        if after and all(other in rejected for other in after):
            yield error(
                "rejection-leads-on",
                f'what "{name}" rejects comes to {", ".join(after)} all the same, as what it approves does',
                at_node(given.workflow, name),
                expected="a step, or an end that completes, to which only what is approved comes",
            )


def _is_person(given: CheckInput, name: str) -> bool:
    node_type = given.analysis.scope.type_of(name)
    return node_type is not None and node_type.human


def _needs_approval(given: CheckInput, name: str, last: bool) -> str | None:
    node, node_type = given.workflow.nodes[name], given.analysis.scope.type_of(name)
    if node_risk(node, node_type) == "high":
        return "has risk high"
    if has_side_effects(node_type) and needs_allowlist(node, node_type):
        return "has side effects and needs an allowlist"
    if given.workflow.execution_policy.risk_level != "high" or not last:
        return None
    completes = node.type != CONTROL_END or node.status == "completed"
    return "completes a workflow of risk high" if completes else None


CHECKS = (missing_approval, unapproved_risk, unread_approval, rejection_leads_on)
