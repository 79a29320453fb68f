"""A way to a refusal, a return or another end that does not complete goes before the ways on that may hold with it."""

from collections.abc import Mapping

from compiler.context import Context
from ir.predicate import Tree
from ir.procedure import END, Flow, Procedure
from validator.analysis.implication import Logic

_REST = (None, "otherwise")


def put_refusals_first(ctx: Context, procedure: Procedure) -> Procedure:
    """Of the conditional flows of a step, those after which no run completes come before the others.

    "If the balance is short, the application is refused. Applications of up to 3 days are decided by the head": who is
    refused is not decided on by the head as well. Where what leads on is the narrower case of what ends ("over 100: it
    is refused. Over 500: the board decides"), or the flows bear priorities already, nothing is changed: the validator
    tells that both ends can be reached.
    """
    leaving: dict[str, list[Flow]] = {}
    for flow in procedure.flows:
        leaving.setdefault(flow.source, []).append(flow)
    trees = {condition.id: condition.predicate for condition in procedure.conditions}
    outcomes = {step.id: step.outcomes for step in procedure.steps}
    logic = Logic({fact.id: fact for fact in procedure.facts}.get, lambda step: outcomes.get(step, ()))
    completes = _completing(leaving)
    first = {
        id(flow)
        for flows in leaving.values()
        if all(flow.priority is None for flow in flows)
        for flow in _preceding([one for one in flows if one.condition not in _REST], completes, trees, logic)
    }
    if not first:
        return procedure
    flows = tuple(f.model_copy(update={"priority": 1}) if id(f) in first else f for f in procedure.flows)
    return procedure.model_copy(update={"flows": flows})


def _preceding(
    flows: list[Flow], completes: Mapping[str, bool], trees: Mapping[str, Tree | None], logic: Logic
) -> list[Flow]:
    """The flows of one step that end without completing, and may hold with a way on that is no narrower case of theirs.

    A condition that cannot be decided says nothing: no edge stands for it.
    """
    onward = [
        tree for one in flows if _leads_on(one, completes) and (tree := trees.get(one.condition or "")) is not None
    ]
    found = []
    for flow in flows:
        refused = trees.get(flow.condition or "")
        if refused is None or _leads_on(flow, completes) or any(logic.implies(one, refused) for one in onward):
            continue
        if not all(logic.contradict(refused, one) for one in onward):
            found.append(flow)
    return found


def _leads_on(flow: Flow, completes: Mapping[str, bool]) -> bool:
    if flow.target == END:
        return flow.ends in (None, "completed")
    return completes.get(flow.target, True)


def _completing(leaving: Mapping[str, list[Flow]]) -> dict[str, bool]:
    """By step whether a run that comes to it may still complete; a step without ways on ends the run as completed."""
    completes = {
        source: any(_leads_on(flow, {}) for flow in flows if flow.target == END) for source, flows in leaving.items()
    }
    waiting = [source for source, own in completes.items() if own]
    before: dict[str, set[str]] = {}
    for source, flows in leaving.items():
        for flow in flows:
            before.setdefault(flow.target, set()).add(source)
            if flow.target != END and flow.target not in leaving and not completes[source]:
                completes[source] = True
                waiting.append(source)
    while waiting:
        for source in before.get(waiting.pop(), ()):
            if not completes[source]:
                completes[source] = True
                waiting.append(source)
    return completes
