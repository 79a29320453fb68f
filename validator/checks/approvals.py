"""Does a person approve before anything risky happens, and is the decision heeded?"""

from collections.abc import Iterator, Mapping

from ir.diagnostics import Diagnostic, Related
from ir.predicate import Ref
from ir.workflow import CONTROL_END, HUMAN_APPROVAL
from validator.analysis.graph import exits
from validator.analysis.locations import arrows, at_node, at_workflow
from validator.analysis.policy import has_side_effects, needs_allowlist, node_risk
from validator.check_input import CheckInput, error, warning
from validator.proofs.branches import Answer
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


def overruled_refusal(given: CheckInput) -> Iterator[Diagnostic]:
    """What an approval refuses is carried out all the same, since another beside it grants.

    What: an approval leads on, where it grants, to a step; where it refuses, its own way leads to an end that
        completes nothing and never to that step. Yet some run in which it refuses comes to the step: by what another
        approval grants of which neither comes before the other, or by a step that is done beside it. A warning where
        that is not known, where governance added one of two approvals, each of which guards an act of its own, and of
        a step, which may be work that goes on whatever is decided.
    Why: a join waits for all ways and goes on if one of them was taken: what was refused is done, and the run is told
        as refused.
    Bad: `price > 500` to the head and `price > 5000` to the director side by side, and `approved == true` from each of
        them to `pay`.
    Good: the director asked after the head granted; or, where either may decide, one approval with both as approvers.
    """
    analysis = given.analysis
    if analysis.graph.back:
        return
    ways = {name: own for name in _read_approvals(given) if (own := _granted_alone(given, name))}
    for refusing, held in ways.items():
        if _ends_refused(given, refusing):
            found = next(_overruling(given, refusing, held, ways), None) or _passing(given, refusing, held)
            if found is not None:
                yield found


def _overruling(
    given: CheckInput, refusing: str, held: frozenset[str], ways: Mapping[str, frozenset[str]]
) -> Iterator[Diagnostic]:  # fmt: skip
    """The approvals beside one whose grant leads on what it refuses."""
    for granting, led in ways.items():
        if held.isdisjoint(led) or not _beside(given, refusing, granting):
            continue
        common = _first_of(given, held & led)
        run = given.analysis.proofs.overruled(refusing, granting, common)
        if run is not False:
            yield _overruled(given, refusing, granting, common, run)


def _passing(given: CheckInput, refusing: str, held: frozenset[str]) -> Diagnostic | None:
    """A way past an approval to what it refuses, of a step beside it or before it."""
    own = {*held, refusing}
    into = given.analysis.graph.into
    open_ = [name for name in _first_of(given, held) if any(link.source not in own for link in into[name])]
    run = given.analysis.proofs.overruled(refusing, None, open_) if open_ else False
    if not isinstance(run, Example):
        return None
    link = next(link for name in open_ for link in run.came_by.get(name, ()))
    return _overruled(given, refusing, link.source, [link.target], run)


def _read_approvals(given: CheckInput) -> Iterator[str]:
    analysis, nodes = given.analysis, given.workflow.nodes
    for name in analysis.graph.order:
        if nodes[name].type == HUMAN_APPROVAL and name not in analysis.unread_approvals:
            yield name


def _granted_alone(given: CheckInput, name: str) -> frozenset[str]:
    """The nodes, but for ends, to which an approval leads where it grants and not where it refuses."""
    analysis, decision = given.analysis, Ref(f"$.outputs.{name}.approved")
    granted = analysis.reachable_nodes({decision: True}, start=[name]).keys()
    alone = granted - analysis.reachable_nodes({decision: False}, start=[name]).keys()
    return frozenset(other for other in alone if given.workflow.nodes[other].type != CONTROL_END)


def _first_of(given: CheckInput, nodes: frozenset[str]) -> list[str]:
    """Those of some nodes to which others lead: whatever comes to any of them comes to one of these first."""
    graph = given.analysis.graph
    return [
        name for name in graph.order if name in nodes and any(link.source not in nodes for link in graph.into[name])
    ]


def _ends_refused(given: CheckInput, name: str) -> bool:
    """Whether what an approval refuses comes to an end that completes nothing."""
    refused = given.analysis.reachable_nodes({Ref(f"$.outputs.{name}.approved"): False}, start=[name])
    ends = (given.workflow.nodes[other] for other in refused if given.workflow.nodes[other].type == CONTROL_END)
    return any((end.status or "completed") != "completed" for end in ends)


def _beside(given: CheckInput, first: str, second: str) -> bool:
    """Whether one run may come to two nodes of which neither comes before the other."""
    before = given.analysis.graph.ancestors
    ordered = first == second or first in before[second] or second in before[first]
    return not ordered and given.analysis.runs_together(first, second)


def _overruled(given: CheckInput, refusing: str, granting: str, common: list[str], run: Answer) -> Diagnostic:
    nodes, sure = given.workflow.nodes, "" if isinstance(run, Example) else ", as far as is known"
    asked = all(nodes[name].origin in ("document", "person") for name in (refusing, granting))
    approves = nodes[granting].type == HUMAN_APPROVAL
    make = error if asked and approves and not sure else warning
    beside = "asked beside it, grants" if approves else "not after it, is done"
    done = next((name for name in common if name in run.came_by), common[0]) if isinstance(run, Example) else common[0]
    return make(
        "overruled-refusal",
        f'what "{refusing}" refuses comes to "{done}" all the same where "{granting}", {beside}{sure}',
        at_node(given.workflow, refusing),
        witness=run.values() | {"path": list(run.route(done))} if isinstance(run, Example) else None,
        related=(
            Related(
                message="the approval that grants" if approves else "the step",
                location=at_node(given.workflow, granting),
            ),
            Related(message="the step to which both lead", location=at_node(given.workflow, done)),
        ),
        expected="one approval asked after the other granted; or one with several approvers, where either may decide"
        if approves
        else "the step before the approval is asked, or after it grants",
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


CHECKS = (missing_approval, unapproved_risk, unread_approval, rejection_leads_on, overruled_refusal)
