"""What the rows of a rule pack give: those that hold, put together, with what they compute."""

from collections.abc import Callable, Mapping, Sequence

from pydantic import JsonValue

from ir.base import canonical_json
from ir.duration import Calendar
from ir.fields import FieldSpec
from ir.formula import is_number
from ir.formulas.evaluate import FormulaFault, compute
from ir.predicate import Always, Lookup, Otherwise, Tree, Truth, evaluate
from ir.workflow import Rule, RulePack


def rows_holding(rules: Sequence[Rule], truth: Callable[[Tree], Truth]) -> tuple[int, ...]:
    """The rows that hold, by index: those whose condition is true, and `otherwise` where all others are false."""
    truths = {row: truth(rule.condition) for row, rule in enumerate(rules) if isinstance(rule.condition, Tree)}
    held = [row for row, rule in enumerate(rules) if isinstance(rule.condition, Always) or truths.get(row)]
    rest = [row for row, rule in enumerate(rules) if isinstance(rule.condition, Otherwise)]
    return tuple(sorted(held if held or None in truths.values() else rest))


def apply_rules(
    pack: RulePack, lookup: Lookup, calendars: Mapping[str, Calendar]
) -> dict[str, JsonValue] | FormulaFault:
    """What a rule pack gives; a fault where a formula has no value, or one that the pack's field does not admit.

    Of a field to which rows that hold give different values, nothing is said.

    Args:
        lookup: what references in its rows read.
    """
    given: dict[str, list[JsonValue]] = {}
    for row in rows_holding(pack.rules, lambda tree: evaluate(tree, lookup)):
        rule = pack.rules[row]
        for name, value in rule.outcome.items():
            given.setdefault(name, []).append(value)
        for name, formula in rule.formulas.items():
            found = compute(formula.formula, lookup, calendars)
            if isinstance(found, FormulaFault):
                return found
            given.setdefault(name, []).append(found)
    found_values = {name: values[0] for name, values in given.items() if len(set(map(canonical_json, values))) == 1}
    for name, value in found_values.items():
        fault = _unfit(value, pack.outputs[name]) if name in pack.outputs else None
        if fault is not None:
            return FormulaFault(fault, f"{name} would be {canonical_json(value)}")
    return found_values


_JSON_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "boolean": bool, "integer": int, "number": (int, float), "array": list, "object": dict
}  # fmt: skip


def _unfit(value: JsonValue, spec: FieldSpec) -> str | None:
    """The error code where a field does not admit a value; null is another question."""
    if value is None:
        return None
    if not isinstance(value, _JSON_TYPES.get(spec.type, str)) or isinstance(value, bool) != (spec.type == "boolean"):
        return "TYPE_MISMATCH"
    if spec.enum is not None and canonical_json(value) not in map(canonical_json, spec.enum):
        return "OUT_OF_RANGE"
    low, high = spec.minimum, spec.maximum
    outside = is_number(value) and ((low is not None and value < low) or (high is not None and value > high))  # type: ignore[operator]
    return "OUT_OF_RANGE" if outside else None
