"""Does what followed only where an approval granted follow always, since a person made something else of it?"""

from collections.abc import Iterator

from compiler.conformance.conformance_input import ConformanceInput
from ir.decisions.decision import Decision, in_force
from ir.decisions.operation import ChangeStep
from ir.diagnostics import Diagnostic
from ir.predicate import references
from ir.procedure import Procedure, Step
from validator.analysis.locations import at_node
from validator.check_input import warning


def dropped_guard(given: ConformanceInput) -> Iterator[Diagnostic]:
    """A person made something else of an approval, and what followed only where it granted follows always.

    What: a decision changes the kind of a step that was an approval, and no condition on the ways from the step asks
        how it came out.
    Why: what an approval guards is not written on its ways; with the approval gone it is done without anybody's yes.
    Bad: “The manager approves the payment. The cashier pays.”, the first step made a `task`: the cashier pays always.
    Good: it stays an approval; or the way to the payment has the condition `s1.outcome == "approved"`.
    """
    decided = in_force(given.decisions)
    for procedure in given.procedures:
        for step in procedure.steps:
            changes = [(one, one.value) for one in decided if (one.procedure, one.element) == (procedure.id, step.id)]
            kinds = [(one, to) for one, to in changes if isinstance(to, ChangeStep) and to.field == "kind"]
            if not kinds or kinds[0][1].was != "approval" or step.kind == "approval" or _asks(procedure, step):
                continue
            if kinds[-1][1].value == step.kind:
                yield from _dropped(given, step, kinds[-1][0])


def _asks(procedure: Procedure, step: Step) -> bool:
    """Whether a condition on a way from a step asks how the step came out."""
    asked = {one.condition for one in procedure.flows if one.source == step.id}
    trees = [one.predicate for one in procedure.conditions if one.id in asked and one.predicate is not None]
    return any(ref.root == "steps" and ref.path[0] == step.id for tree in trees for ref in references(tree))


def _dropped(given: ConformanceInput, step: Step, made: Decision) -> Iterator[Diagnostic]:
    name = next((name for name, node in given.workflow.nodes.items() if step.id in node.step_ids), None)
    if name is None:
        return
    after = dict.fromkeys(edge.target for edge in given.workflow.edges if edge.source == name)
    yield warning(
        "dropped-guard",
        f"“{step.id}” was an approval until {made.author} made it a {step.kind}: {', '.join(after) or 'the end'}, "
        "which came only where it was granted, comes always",
        at_node(given.workflow, name, "type"),
        evidence=step.evidence,
        expected=f'an approval, or the condition {step.id}.outcome == "approved" on the way to what it is to guard',
    )


CHECKS = (dropped_guard,)
