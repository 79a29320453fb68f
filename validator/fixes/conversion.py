"""Fixes for values in the wrong unit: a node that converts, or the amount that a literal's own words say."""

import re
from collections.abc import Callable
from typing import Any

from ir.diagnostics import Fix
from ir.predicate import AnyCondition, Compare, Junction, Literally, Not, Operand, Ref, Tree, condition_json
from ir.quantities.units import unit_named
from validator.analysis.locations import pointer
from validator.analysis.units import CONVERT_UNIT, factor, same_unit, wrong_amount
from validator.runs.workflow_analysis import Analysis

Patch = tuple[dict[str, Any], ...]


def input_fix(analysis: Analysis, node: str, field: str, unit: str | None) -> tuple[Fix, ...]:
    """Convert what an input reads into its unit; of a node that converts itself, say from which unit."""
    reader = analysis.workflow.nodes[node]
    ref = reader.references[field]
    held = _unit(analysis, ref)
    if unit is None or held is None or not _converts(held, unit):
        return ()
    if reader.type == CONVERT_UNIT:
        path = pointer("nodes", node, "inputs", "from_unit")
        return (_fix(f"convert from {held}", ({"op": "replace", "path": path, "value": held},)),)
    name = _name(analysis, ref, unit)
    if not _insertable(analysis, node, ref):
        return ()
    reading = {"op": "replace", "path": pointer("nodes", node, "inputs", field), "value": f"$.outputs.{name}.result"}
    return (_fix(f"convert {held} into {unit}", (*_insertion(analysis, node, name, ref, held, unit), reading)),)


def comparison_fix(analysis: Analysis, edge: int, leaf: Compare) -> tuple[Fix, ...]:
    """Convert the right side of an edge's comparison into the unit of the left, or correct a literal by its own words.

    The left side is converted where the right cannot be.

    What is converted is so in all comparisons of the node's choice with that unit, since what one edge reads otherwise
    than the next can no longer be seen to exclude it.
    """
    source = analysis.workflow.edges[edge].source
    for side, other in ((leaf.right, leaf.left), (leaf.left, leaf.right)):
        unit = _unit(analysis, other)
        if unit is None:
            continue
        if isinstance(side, Literally):
            wrong = wrong_amount(side, unit)
            if wrong is None or wrong.amount is None:
                return ()
            right = Literally(_int_if_whole(wrong.amount), side.quote, "converted", side.source or wrong.words)
            return (_fix(f"use {right.value}", (_condition(analysis, edge, leaf, side, right),)),)
        held = _unit(analysis, side)
        if (
            held is None
            or factor(held, unit) is None
            or same_unit(held, unit)
            or not _insertable(analysis, source, side)
        ):
            continue
        name = _name(analysis, side, unit)
        readings = _readings(analysis, source, side, unit, Ref(f"$.outputs.{name}.result"))
        return (
            _fix(f"convert {held} into {unit}", (*_insertion(analysis, source, name, side, held, unit), *readings)),
        )
    return ()


def _readings(analysis: Analysis, node: str, ref: Ref, unit: str, converted: Ref) -> Patch:
    """The conditions of the edges that leave a node, with what is converted in place of a reference."""

    def changed(leaf: Compare) -> Compare:
        pair = (leaf.left, leaf.right)
        other = pair[1] if leaf.left == ref else pair[0] if leaf.right == ref else None
        if other is None or (held := _unit(analysis, other)) is None or not same_unit(held, unit):
            return leaf
        return Compare(leaf.op, *(converted if side == ref else side for side in pair))

    edges = ((index, edge.condition) for index, edge in enumerate(analysis.workflow.edges) if edge.source == node)
    return tuple(
        {"op": "replace", "path": pointer("edges", index, "condition"), "value": condition_json(new)}
        for index, condition in edges
        if (new := _replaced(condition, changed)) != condition
    )


def _unit(analysis: Analysis, operand: Operand) -> str | None:
    spec = analysis.scope.spec(operand) if isinstance(operand, Ref) else None
    return spec.unit if spec else None


def _converts(held: str, unit: str) -> bool:
    return factor(held, unit) is not None and not same_unit(held, unit)


def _insertable(analysis: Analysis, node: str, ref: Ref) -> bool:
    """Whether a node that converts can stand before another: what it reads is always there and never null."""
    known = analysis.catalog.resolve(CONVERT_UNIT) is not None and node in analysis.graph.position
    there = ref.node is None or (ref.node != node and ref.node in analysis.dominators.get(node, frozenset()))
    return known and there and not analysis.scope.null_sources(ref)


def _name(analysis: Analysis, ref: Ref, unit: str) -> str:
    known = unit_named(unit)
    ending = re.sub(r"[^A-Za-z0-9]", "", known.id if known else unit) or "unit"
    name, number = f"{ref.path[-1]}_in_{ending}", 2
    while name in analysis.workflow.nodes:
        name, number = f"{ref.path[-1]}_in_{ending}_{number}", number + 1
    return name


def _insertion(analysis: Analysis, node: str, name: str, ref: Ref, held: str, unit: str) -> Patch:
    """The node that converts, with every edge into the reader led through it."""
    inputs = {"value": ref.text, "from_unit": held, "to_unit": unit}
    new = {"type": CONVERT_UNIT, "inputs": inputs, "origin": "repair"}
    into = [index for index, edge in enumerate(analysis.workflow.edges) if edge.target == node]
    return (
        {"op": "add", "path": pointer("nodes", name), "value": new},
        *({"op": "replace", "path": pointer("edges", index, "to"), "value": name} for index in into),
        {"op": "add", "path": "/edges/-", "value": {"from": name, "to": node, "origin": "repair"}},
    )


def _condition(analysis: Analysis, edge: int, leaf: Compare, side: Operand, new: Operand) -> dict[str, Any]:
    changed = Compare(leaf.op, new, leaf.right) if leaf.left is side else Compare(leaf.op, leaf.left, new)
    condition = _replaced(analysis.workflow.edges[edge].condition, lambda one: changed if one == leaf else one)
    return {"op": "replace", "path": pointer("edges", edge, "condition"), "value": condition_json(condition)}


def _replaced(condition: AnyCondition, changed: Callable[[Compare], Compare]) -> AnyCondition:
    """The condition with its comparisons replaced."""
    match condition:
        case Compare():
            return changed(condition)
        case Not(item):
            return Not(_tree(_replaced(item, changed)))
        case Junction(op, items):
            return Junction(op, tuple(_tree(_replaced(item, changed)) for item in items))
    return condition


def _tree(condition: AnyCondition) -> Tree:
    assert isinstance(condition, Tree)
    return condition


def _int_if_whole(amount: float) -> int | float:
    return int(amount) if amount == int(amount) else amount


def _fix(title: str, patch: Patch) -> Fix:
    return Fix.model_validate({"title": title, "patch": patch})
