"""What counts in another unit now: the old version restated, so that both versions speak of one number."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pydantic import JsonValue

from ir.predicate import Always, AnyCondition, Compare, Otherwise, Ref, Tree, leaves, references, with_literals
from ir.quantities.units import ratio
from ir.workflow import InputSpec, Workflow
from validator.analysis.types import Scope
from validator.analysis.units import conversion_words, convert_value, same_unit
from validator.diff.changes import UnitChange
from validator.runs.workflow_analysis import Analysis

Units = Mapping[str, UnitChange]
"""By reference."""
_NUMBERS = ("integer", "number")


def _units_of(old: Scope, new: Scope, ref: Ref) -> tuple[str, str] | None:
    """The units in which a number counts in the old and in the new version; None where they are one or not known."""
    before, after = old.spec(ref), new.spec(ref)
    if before is None or after is None or before.unit is None or after.unit is None:
        return None
    numbers = before.type in _NUMBERS and after.type in _NUMBERS
    return (before.unit, after.unit) if numbers and not same_unit(before.unit, after.unit) else None


def unit_changes(old: Analysis, new: Analysis, trees: Iterable[Tree]) -> dict[str, UnitChange]:
    """What counts in another unit now of all that conditions read.

    Args:
        trees: the conditions of both versions.
    """
    read = tuple(trees)
    found: dict[str, UnitChange] = {}
    for ref in dict.fromkeys(ref for tree in read for ref in references(tree)):
        if units := _units_of(old.scope, new.scope, ref):
            because = None if ratio(*units) is not None else conversion_words(*units)
            found[ref.text] = UnitChange(ref=ref.text, old=units[0], new=units[1], because=because)
    for leaf in (leaf for tree in read for leaf in leaves(tree) if isinstance(leaf, Compare)):
        sides = [side.text for side in (leaf.left, leaf.right) if isinstance(side, Ref)]
        if len(sides) == 2 and len({_times(found.get(side)) for side in sides}) > 1:
            because = f"{sides[0]} is compared with {sides[1]}, which does not change with it"
            found |= {side: found[side].model_copy(update={"because": because}) for side in sides if side in found}
    return found


def _times(change: UnitChange | None) -> object:
    return 1 if change is None else ratio(change.old, change.new)


def in_new_units(workflow: Workflow, new: Workflow, units: Units) -> Workflow:
    """The old version with the numbers of its edges, guards and inputs as the new one counts them."""
    if not units:
        return workflow

    def counted(condition: AnyCondition) -> AnyCondition:
        return condition if isinstance(condition, Always | Otherwise) else tree_in_new_units(condition, units)

    def field(name: str, spec: InputSpec) -> InputSpec:
        change = units.get(f"$.inputs.{name}")
        if change is None:
            return spec
        now = {key: getattr(new.inputs[name], key) for key in ("type", "enum", "unit")}
        return spec.model_copy(update={**now, "default": _number(spec.default, change)})

    inputs = {name: field(name, spec) for name, spec in workflow.inputs.items()}
    edges = tuple(edge.model_copy(update={"condition": counted(edge.condition)}) for edge in workflow.edges)
    guards = tuple(guard.model_copy(update={"condition": counted(guard.condition)}) for guard in workflow.guards)
    return workflow.model_copy(update={"inputs": inputs, "edges": edges, "guards": guards})


def tree_in_new_units(tree: Tree, units: Units) -> Tree:
    """A condition of the old version with its numbers in the units of the new one."""
    return with_literals(tree, lambda literal, ref: replace(literal, value=_number(literal.value, units.get(ref))))


def _number(value: JsonValue, change: UnitChange | None) -> JsonValue:
    if isinstance(value, list):
        return [_number(one, change) for one in value]
    return value if change is None or change.because is not None else convert_value(value, change.old, change.new)


def changed_among(trees: Iterable[Tree], units: Units) -> Iterator[UnitChange]:
    """What conditions read that counts in another unit now, each once."""
    read = dict.fromkeys(ref.text for tree in trees for ref in references(tree))
    return (units[text] for text in read if text in units)


def incomparable_words(change: UnitChange) -> str:
    """Why values of a number cannot be compared."""
    counted = f"{change.ref} was counted in {change.old} and is counted in {change.new}"
    return f"{counted}; {change.because or 'how they convert is not known'}"


def one_unit_words(units: Iterable[UnitChange]) -> str | None:
    """That values were compared in one unit; None where they were in one unit anyway."""
    pairs = [(one.old, one.new) if (ratio(one.old, one.new) or 0) > 1 else (one.new, one.old) for one in units]
    rates = dict.fromkeys(conversion_words(*pair) for pair in pairs)
    return f"counted in one unit ({', '.join(rates)})" if rates else None
