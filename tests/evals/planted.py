"""Faults planted in gold, one at a time, each at the first place of a case that is fit for it."""

from collections.abc import Callable, Iterator

from evals.matching.contraction import unasked
from evals.metrics.grounding import altered
from ir.predicate import Always, AnyCondition, Compare, Junction, Literally, Not, Otherwise, Ref, leaves, references
from ir.procedure import Flow, Procedure
from ir.scenario import Scenario
from ir.workflow import CONTROL_END, CONTROL_START, Edge, Workflow

Gold = tuple[Procedure, Workflow]
Scenarios = tuple[Scenario, ...]
Fault = Callable[[Procedure, Workflow, Scenarios], Gold | None]
LONG_ENOUGH = 16  # characters of a quote that is still known by its letters with one of them changed


def edge_removed(procedure: Procedure, flow: Workflow, scenarios: Scenarios) -> Gold | None:
    """The one way on from a step to a step that others lead to as well, where in some run nothing else leads there."""
    walks = [one.walk(flow).edges for one in scenarios]
    for at, one in enumerate(flow.edges):
        into = [i for i, e in enumerate(flow.edges) if e.target == one.target and i != at]
        alone = any(w[at] == "taken" and all(w[i] != "taken" for i in into) for w in walks)
        if not into or not alone or len(flow.edges_from(one.source)) != 1:
            continue
        if _between_steps(one, flow) and isinstance(one.condition, Always):
            return procedure, flow.model_copy(update={"edges": tuple(e for e in flow.edges if e is not one)})
    return None


def threshold_shifted(procedure: Procedure, flow: Workflow, scenarios: Scenarios) -> Gold | None:
    """An amount that an input is compared with, greater by one wherever it is."""
    for leaf in _comparisons(flow):
        ref, limit = leaf.left, leaf.right
        if not isinstance(ref, Ref) or not isinstance(limit, Literally) or ref.root != "inputs":
            continue
        if isinstance(limit.value, int | float) and not isinstance(limit.value, bool):
            edges = tuple(
                e.model_copy(update={"condition": _shifted(e.condition, ref, limit.value)}) for e in flow.edges
            )
            return procedure, flow.model_copy(update={"edges": edges})
    return None


def targets_swapped(procedure: Procedure, flow: Workflow, scenarios: Scenarios) -> Gold | None:
    """The two ways on from a step that decides exchange where they lead; what they ask for stays."""
    for name in flow.nodes:
        pair = flow.edges_from(name)
        if len(pair) != 2 or unasked(flow.nodes[name]) or any(isinstance(e.condition, Always) for e in pair):
            continue
        if any(unasked(flow.nodes[e.target]) or e.on != "success" for e in pair):
            continue
        other = {id(pair[0]): pair[1].target, id(pair[1]): pair[0].target}
        edges = tuple(e.model_copy(update={"target": other.get(id(e), e.target)}) for e in flow.edges)
        return procedure, flow.model_copy(update={"edges": edges})
    return None


def step_dropped(procedure: Procedure, flow: Workflow, scenarios: Scenarios) -> Gold | None:
    """A step between two others, with its node; the way goes on past it. It is not read, and has no deadline."""
    read = {ref.node for e in flow.edges for ref in references(e.condition)}
    read |= {ref.node for node in flow.nodes.values() for ref in node.references.values()}
    read |= {value.node for value in flow.outputs.values() if isinstance(value, Ref)}
    for name, node in flow.nodes.items():
        into, onward = flow.edges_to(name), flow.edges_from(name)
        if len(into) != 1 or len(onward) != 1 or name in read or len(node.step_ids) != 1:
            continue
        if not all(_between_steps(e, flow) and isinstance(e.condition, Always) for e in (*into, *onward)):
            continue
        (step,) = node.step_ids
        before, after = into[0].source, onward[0].target
        if len(flow.edges_from(before)) != 1 or len(flow.edges_to(after)) != 1 or procedure.step(step).deadline:
            continue
        nodes = {key: value for key, value in flow.nodes.items() if key != name}
        edges = [
            e.model_copy(update={"target": after}) if e is into[0] else e for e in flow.edges if e is not onward[0]
        ]
        return _without(procedure, step), flow.model_copy(update={"nodes": nodes, "edges": tuple(edges)})
    return None


def quote_altered(procedure: Procedure, flow: Workflow, scenarios: Scenarios) -> Gold | None:
    """A number or a word that turns the sense, in the first long quote of a step that has one."""
    for at, step in enumerate(procedure.steps):
        for evidence in step.evidence:
            words = next(altered(evidence.quote), None)
            if words is None or len(evidence.quote) < LONG_ENOUGH:
                continue
            other = tuple(e.model_copy(update={"quote": words}) if e is evidence else e for e in step.evidence)
            steps = list(procedure.steps)
            steps[at] = step.model_copy(update={"evidence": other})
            return procedure.model_copy(update={"steps": tuple(steps)}), flow
    return None


FAULTS: dict[str, Fault] = {
    fault.__name__: fault for fault in (edge_removed, threshold_shifted, targets_swapped, step_dropped, quote_altered)
}


def _between_steps(one: Edge, flow: Workflow) -> bool:
    ends = [flow.nodes[one.source], flow.nodes[one.target]]
    return one.on == "success" and not any(n.type in (CONTROL_END, CONTROL_START) or unasked(n) for n in ends)


def _comparisons(flow: Workflow) -> Iterator[Compare]:
    for one in flow.edges:
        if not isinstance(one.condition, Always | Otherwise):
            found = (leaf for leaf in leaves(one.condition) if isinstance(leaf, Compare))
            yield from (leaf for leaf in found if leaf.op in ("gt", "gte", "lt", "lte"))


def _shifted(condition: AnyCondition, ref: Ref, limit: float) -> AnyCondition:
    match condition:
        case Compare(op, left, Literally(value=value)) if left == ref and value == limit:
            return Compare(op, left, Literally(limit + 1))
        case Not(item):
            return Not(_shifted(item, ref, limit))
        case Junction(op, items):
            return Junction(op, tuple(_shifted(item, ref, limit) for item in items))
    return condition


def _without(procedure: Procedure, step: str) -> Procedure:
    """The procedure without a step; the flows to it lead on to where its own lead."""
    onward = [flow.target for flow in procedure.flows if flow.source == step]
    flows: list[Flow] = []
    for flow in procedure.flows:
        if flow.target == step:
            flows += [flow.model_copy(update={"target": target}) for target in onward]
        elif flow.source != step:
            flows.append(flow)
    steps = tuple(s for s in procedure.steps if s.id != step)
    return procedure.model_copy(update={"steps": steps, "flows": tuple(flows)})
