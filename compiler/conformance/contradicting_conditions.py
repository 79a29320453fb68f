"""Clauses that contradict each other by their conditions: forbidden flows, and two limits for one quantity."""

from collections.abc import Iterator
from itertools import combinations
from typing import Literal

from pydantic import JsonValue

from catalog.load import Catalog
from compiler.conformance.contradictions import Contradiction
from ir.base import canonical_json
from ir.predicate import (
    Compare,
    Junction,
    Literally,
    Ref,
    Tree,
    condition_json,
    evaluate,
    negate,
    references,
    substitute,
    with_literals,
)
from ir.procedure import Constraint, Flow, Procedure, Step
from ir.source import Evidence
from ir.workflow import ExecutionPolicy, InputSpec, Workflow
from validator.analysis.types import Scope
from validator.analysis.wording import condition_words
from validator.proofs.encode import Encoder
from validator.proofs.kinds import Opaque
from validator.proofs.prover import Prover

_TRIES = frozenset({"check", "decision", "approval"})  # what a prohibition stands beside is what they look for
_UPPER, _LOWER = ("gt", "gte"), ("lt", "lte")


def forbidden_flows(procedure: Procedure, catalog: Catalog) -> Iterator[Contradiction]:
    """Flows whose condition leads to an act in cases in which a prohibition in another block forbids it.

    A flow says so by a condition over facts that the prohibition reads too; a way that is always taken may have been
    cleared by a check before, and is none.
    """
    steps = {step.id: step for step in procedure.steps}
    for rule in procedure.constraints:
        if rule.modality != "must_not" or rule.predicate is None:
            continue
        for flow in procedure.flows:
            step = steps.get(flow.target)
            if step is None or step.id not in rule.steps or step.kind in _TRIES:
                continue
            yield from _forbidden(procedure, catalog, rule, flow, step)


def _forbidden(
    procedure: Procedure, catalog: Catalog, rule: Constraint, flow: Flow, step: Step
) -> Iterator[Contradiction]:
    conditions = {condition.id: condition for condition in procedure.conditions}
    stated = conditions.get(flow.condition or "")
    if stated is None or stated.predicate is None or rule.predicate is None:
        return
    if _in_one_block(rule.evidence, stated.evidence):
        return
    if not set(references(stated.predicate)) & set(references(rule.predicate)):
        return
    before = [
        found.predicate
        for other in procedure.flows
        if other.source == flow.source and _rank(other) < _rank(flow)
        if (found := conditions.get(other.condition or "")) is not None and found.predicate is not None
    ]
    trees = [stated.predicate, rule.predicate, *(negate(tree) for tree in before)]
    witness = _possible(procedure, catalog, trees)
    if witness is not None:
        yield Contradiction(
            f"one leads to “{step.text}” where the other forbids it",
            ((stated.text, stated.evidence or flow.evidence), (rule.text, rule.evidence)),
            (step.id,),
            witness,
        )


def conflicting_limits(procedure: Procedure) -> Iterator[Contradiction]:
    """Prohibitions in two blocks that set one quantity two limits, in the same cases and for the same acts."""
    limits = [
        (rule, *limit)
        for rule in procedure.constraints
        if rule.modality == "must_not" and rule.predicate is not None and (limit := _limit(rule.predicate)) is not None
    ]
    for (one, first, ref, rest), (other, second, ref2, rest2) in combinations(limits, 2):
        alike = (ref, rest, _side(first), set(one.steps)) == (ref2, rest2, _side(second), set(other.steps))
        if alike and first.right != second.right and not _in_one_block(one.evidence, other.evidence):
            what = f"two limits for one quantity, {condition_words(first)} and {condition_words(second)}"
            yield Contradiction(what, ((one.text, one.evidence), (other.text, other.evidence)), one.steps)


def _limit(tree: Tree) -> tuple[Compare, Ref, str] | None:
    """The one comparison with a limit in a conjunction, what it reads, and the rest of the conjunction."""
    parts = tree.items if isinstance(tree, Junction) and tree.op == "and" else (tree,)
    limits = [part for part in parts if isinstance(part, Compare) and part.op in (*_UPPER, *_LOWER)]
    if len(limits) != 1 or not isinstance(limits[0].left, Ref) or not isinstance(limits[0].right, Literally):
        return None
    bare = Compare(limits[0].op, limits[0].left, Literally(limits[0].right.value))
    rest = sorted(canonical_json(_json_without_sources(part)) for part in parts if part is not limits[0])
    return bare, limits[0].left, "; ".join(rest)


def _side(limit: Compare) -> Literal["upper", "lower"]:
    return "upper" if limit.op in _UPPER else "lower"


def _json_without_sources(tree: Tree) -> JsonValue:
    """A condition in JSON without where its literals come from."""
    return condition_json(with_literals(tree, lambda literal, _: Literally(literal.value)))


def _rank(flow: Flow) -> float:
    return float("inf") if flow.priority is None else flow.priority


def _in_one_block(one: tuple[Evidence, ...], other: tuple[Evidence, ...]) -> bool:
    """Whether the words stand in one block, where one may be the other's exception; unknown places count as one."""
    places = [{(item.doc_id, item.block) for item in side if item.block is not None} for side in (one, other)]
    return not places[0] or not places[1] or bool(places[0] & places[1])


def _possible(procedure: Procedure, catalog: Catalog, trees: list[Tree]) -> dict[str, object] | None:
    """Values for which all conditions over facts and outcomes hold; None where there are none or it is not known."""
    named = {ref: Ref("$.inputs." + "__".join(ref.path)) for tree in trees for ref in references(tree)}
    over = [substitute(tree, named.__getitem__) for tree in trees]
    scope = Scope(_facts(procedure, named), catalog)
    encoder = Encoder(over, scope, lambda ref: None)
    try:
        formulas = [encoder.truths(tree).true for tree in over]
    except Opaque:
        return None
    prover = Prover(encoder)
    prover.add(*encoder.facts(named.values()))
    found = prover.values(formulas, named.values())
    if not isinstance(found, dict):
        return None
    values = {ref: found[meant] for ref, meant in named.items()}
    confirmed = all(evaluate(tree, values.__getitem__) for tree in trees)
    return {ref.text: value for ref, value in values.items()} if confirmed else None


def _facts(procedure: Procedure, named: dict[Ref, Ref]) -> Workflow:
    """The facts and outcomes that conditions read, as inputs of a workflow that does nothing."""
    facts = {fact.id: fact for fact in procedure.facts}
    outcomes = {step.id: step.outcomes or None for step in procedure.steps}
    inputs: dict[str, InputSpec] = {}
    for ref, meant in named.items():
        name = meant.path[0]
        fact = facts.get(ref.path[0]) if ref.root == "facts" else None
        if fact is not None:
            inputs[name] = InputSpec(type=fact.type, enum=fact.enum, unit=fact.unit)
        elif ref.root == "steps":
            inputs[name] = InputSpec(type="string", enum=outcomes.get(ref.path[0]))
    return Workflow(
        workflow_id="facts", version="v1", inputs=inputs, nodes={}, edges=(),
        execution_policy=ExecutionPolicy(risk_level="low"),
    )  # fmt: skip
