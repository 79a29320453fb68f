"""Do the edges choose as the procedure's conditions say?"""

from collections.abc import Iterator
from dataclasses import dataclass

from compiler.conformance.approvals_in_turn import ApprovalsInTurn
from compiler.conformance.conformance_input import ConformanceInput
from compiler.conformance.flow_conformance import FlowConformance, end_status
from compiler.conformance.lowering import Interpretation, Lowering
from ir.diagnostics import Diagnostic
from ir.predicate import ALWAYS, OTHERWISE, AnyCondition, Compare, Junction, Literally, Ref, Tree, conjoin, references
from ir.procedure import END, START, ConditionText, Flow
from ir.workflow import CONTROL_END, Edge
from validator.analysis.locations import at_edge, edge_name
from validator.analysis.wording import condition_words
from validator.check_input import warning
from validator.proofs.same import Difference, Option, difference


@dataclass(frozen=True)
class _Edge:
    """An edge by which a node leads on.

    Args:
        index: among the workflow's edges.
        key: says where it leads; None where no step is there.
        after: the key of the approval, or step, that has to be come to for it to be taken; None: none has to.
    """

    index: int
    edge: Edge
    key: str | None
    after: str | None


@dataclass(frozen=True)
class _Choice:
    """The edges and flows by which one node, and the steps that it carries, lead on.

    Args:
        flows: each with a key as edges have; None where no node or end is known for it.
        granted: what the edges take for granted, of approvals that are asked in turn; None: nothing.
    """

    node: str
    edges: tuple[_Edge, ...]
    flows: tuple[tuple[Flow, str | None], ...]
    granted: Tree | None = None


def condition_differs(given: ConformanceInput) -> Iterator[Diagnostic]:
    """An edge is taken in other cases than the procedure says.

    What: an edge joins the nodes of two steps (or ends), the flow between the steps has a definite condition, and there
        are values for which the one leads on and the other does not. Nulls apart, and only where all that both
        conditions read can be set side by side.
    Why: a border, a comparison or a yes and no the wrong way round sends runs past what the document demands of them.
    Bad: the procedure's predicate `$.facts.amount > 5000`, the edge's condition `$.inputs.amount >= 5000`.
    Good: `$.inputs.amount > 5000`
    """
    for procedure in given.procedures if len(given.procedures) == 1 else ():
        sides = FlowConformance(given.workflow, procedure)
        lowering = Lowering(sides, given.analysis.scope)
        texts = {condition.id: condition for condition in procedure.conditions}
        for choice in _choices(sides):
            for key, found in _differences(given, choice, lowering, texts):
                yield _differs(given, choice, key, found, texts)


def _differs(
    given: ConformanceInput, choice: _Choice, key: str, found: Difference, texts: dict[str, ConditionText]
) -> Diagnostic:
    told = next(one for one in choice.edges if one.key == key)
    index, edge = told.index, told.edge
    flow = next(flow for flow, where in choice.flows if where == key)
    text = texts.get(flow.condition or "")
    said = f"“{text.text}”" if text is not None else flow.condition or "always"
    tree = f", {condition_words(text.predicate)}" if text is not None and text.predicate is not None else ""
    return warning(
        "condition-differs",
        f"{edge_name(edge)} ({condition_words(edge.condition)}) is taken in other cases than the procedure says for "
        f"{flow.source}→{flow.target}: {said}{tree}",
        at_edge(given.workflow, index, "condition"),
        witness=found,
        found=condition_words(edge.condition),
        expected=condition_words(text.predicate) if text is not None and text.predicate is not None else said,
        evidence=text.evidence if text is not None else flow.evidence,
    )


def _choices(sides: FlowConformance) -> Iterator[_Choice]:
    """The nodes that carry steps and lead on; a step that several nodes carry is passed over."""
    in_turn = ApprovalsInTurn(sides)
    for name, node, steps in sides.nodes_with_steps:
        if node.type == CONTROL_END or any(len(sides.nodes_by_step[step.id]) > 1 or step.id == START for step in steps):
            continue
        held = dict.fromkeys(step.id for step in steps)
        edges = tuple(_Edge(index, edge, _edge_key(sides, edge), after) for index, edge, after in in_turn.edges(name))
        flows = [flow for step in held for flow in sides.leaving(step) if flow.target not in held]
        led = tuple((flow, _flow_key(sides, flow)) for flow in flows)
        others = in_turn.granting_before(one.edge for one in edges)
        yield _Choice(name, edges, led, others)


def _edge_key(sides: FlowConformance, edge: Edge) -> str | None:
    node = sides.workflow.nodes.get(edge.target)
    if node is None or (node.type != CONTROL_END and not sides.steps(node)):
        return None
    return edge.target if sides.steps(node) else f"$end {end_status(node)}"


def _flow_key(sides: FlowConformance, flow: Flow) -> str | None:
    if flow.target == END:
        return f"$end {flow.ends}" if flow.ends else None
    names = sides.nodes_by_step.get(flow.target, ())
    return names[0] if len(names) == 1 else None


def _differences(
    given: ConformanceInput, choice: _Choice, lowering: Lowering, texts: dict[str, ConditionText]
) -> list[tuple[str, Difference]]:
    """Where a node leads, or not, in other cases than its steps; by that reading in which they differ least."""
    read = frozenset(ref for one in choice.edges for ref in references(one.edge.condition))
    trees = [text.predicate for flow, _ in choice.flows if (text := texts.get(flow.condition or "")) is not None]
    best: list[tuple[str, Difference]] | None = None
    for interpretation in lowering.interpretations([tree for tree in trees if tree is not None], read):
        found = list(_in_reading(given, choice, lowering, texts, interpretation))
        best = found if best is None or len(found) < len(best) else best
    return best or []


def _in_reading(
    given: ConformanceInput,
    choice: _Choice,
    lowering: Lowering,
    texts: dict[str, ConditionText],
    interpretation: Interpretation,
) -> Iterator[tuple[str, Difference]]:
    flows = [Option(key, _stated(flow, texts, lowering, interpretation), flow.priority) for flow, key in choice.flows]
    own = [_option(one, lowering) for one in choice.edges if one.after is None]
    edges = [*own, *(_led(one, flows, own, lowering) for one in choice.edges if one.after is not None)]
    decision = _decision(choice, lowering)
    keys = {option.key for option in edges} & {option.key for option in flows} - {None}
    for key in sorted(keys):
        silent = decision is not None and not _speaks(decision, [f for f in flows if f.key == key], flows)
        granted = Compare("eq", decision, Literally(True)) if decision is not None and silent else None
        found = difference(edges, flows, key, given.analysis.scope, given=conjoin(granted, choice.granted))
        if found is not None:
            yield key, found


def _option(one: _Edge, lowering: Lowering) -> Option:
    return Option(one.key, _decidable(one.edge.condition, lowering), one.edge.priority)


def _led(one: _Edge, flows: list[Option], own: list[Option], lowering: Lowering) -> Option:
    """An edge from one approval to the next: taken where the one is asked, as the procedure has it, which is held
    against its own edges; where the procedure does not lead to it, as they say."""
    option = _option(one, lowering)
    asked = [each for each in flows if each.key == one.after] or [each for each in own if each.key == one.after]
    trees = [each.condition for each in asked if isinstance(each.condition, Tree)]
    if not asked or len(trees) < len(asked) or not isinstance(option.condition, Tree):
        return Option(option.key, None, option.priority)
    either = trees[0] if len(trees) == 1 else Junction("or", tuple(trees))
    return Option(option.key, conjoin(either, option.condition), option.priority)


def _decidable(condition: AnyCondition, lowering: Lowering) -> AnyCondition | None:
    """An edge's condition; None where it reads what nothing in the procedure is known to stand for."""
    return condition if lowering.known_fields.issuperset(references(condition)) else None


def _decision(choice: _Choice, lowering: Lowering) -> Ref | None:
    """The decision of an approval; a flow that does not speak of it is, without saying, for what is granted."""
    fields = map(lowering.approval_field, dict.fromkeys(flow.source for flow, _ in choice.flows))
    return next((field for field in fields if field is not None), None)


def _speaks(decision: Ref, flows: list[Option], beside: list[Option]) -> bool:
    """Whether some flows speak of an approval's decision, or are taken whatever the others beside them say of it."""
    spoken = any(decision in references(f.condition) for f in beside if f.condition is not None)
    return any(
        decision in references(f.condition) or (spoken and not isinstance(f.condition, Tree))
        for f in flows
        if f.condition is not None
    )


def _stated(
    flow: Flow, texts: dict[str, ConditionText], lowering: Lowering, interpretation: Interpretation
) -> AnyCondition | None:
    """A flow's condition over the workflow's fields; None where it is not definite, or cannot be told."""
    if flow.condition is None:
        return ALWAYS
    if flow.condition == "otherwise":
        return OTHERWISE
    text = texts.get(flow.condition)
    return lowering.lower(text.predicate, interpretation) if text is not None and text.predicate is not None else None


CHECKS = (condition_differs,)
