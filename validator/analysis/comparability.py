"""Whether the two sides of a comparison can be compared: types, enumerations, units."""

from collections.abc import Callable

from ir.duration import duration_length
from ir.fields import FieldSpec
from ir.predicate import Compare, Literally, Operand, Ref
from validator.analysis.fit import Misfit, field_misfit, quoted, same_value, value_misfit
from validator.analysis.units import conversion_words, same_dimension, wrong_amount, wrong_duration

SpecOf = Callable[[Ref], FieldSpec | None]
_ORDERED = ("integer", "number", "date", "datetime", "duration")


def comparison_misfit(leaf: Compare, spec_of: SpecOf) -> Misfit | None:
    """Why two sides cannot be compared; null literals are left to `null-comparison`."""
    left, right = _side(leaf.left, spec_of), _side(leaf.right, spec_of)
    if left is None or right is None:
        return None
    if leaf.op in ("in", "contains"):
        item, group = (left, right) if leaf.op == "in" else (right, left)
        return _membership(item, group)
    ordered = leaf.op not in ("eq", "ne")
    if isinstance(left, FieldSpec) and isinstance(right, FieldSpec):
        return _alike(left, right, ordered=ordered)
    spec, literal = (left, right) if isinstance(left, FieldSpec) else (right, left)
    if not isinstance(spec, FieldSpec) or not isinstance(literal, Literally):
        return None
    return _comparable(spec, literal, ordered=ordered)


def compared_fields(leaf: Compare, spec_of: SpecOf) -> tuple[FieldSpec, FieldSpec] | None:
    """The fields of the two references that are compared, of an array its items; None where one side is none."""
    left, right = _side(leaf.left, spec_of), _side(leaf.right, spec_of)
    if not isinstance(left, FieldSpec) or not isinstance(right, FieldSpec):
        return None
    if leaf.op == "in":
        right = right.items or right
    if leaf.op == "contains":
        left = left.items or left
    return left, right


def _side(operand: Operand, spec_of: SpecOf) -> FieldSpec | Literally | None:
    """The field that is read, or the literal; None for what is unknown and for null."""
    if isinstance(operand, Ref):
        return spec_of(operand)
    return None if operand.value is None else operand


def _comparable(spec: FieldSpec, literal: Literally, *, ordered: bool) -> Misfit | None:
    if ordered and spec.type not in _ORDERED:
        return Misfit(f"{spec.type}, which has no order", "integer, number, date, datetime or duration")
    wider = FieldSpec(type="number" if spec.type == "integer" else spec.type, unit=spec.unit)
    misfit = value_misfit(literal.value, wider if ordered else spec)
    return misfit or (
        _lasts_unlike_its_words(literal) if spec.type == "duration" else _unlike_its_words(literal, spec.unit)
    )


def _unlike_its_words(literal: Literally, unit: str | None) -> Misfit | None:
    """Why a number is not the amount that its own words say."""
    wrong = wrong_amount(literal, unit)
    if wrong is None:
        return None
    if wrong.amount is not None:
        return Misfit(f"{quoted(literal.value)} for “{wrong.words}”", f"{wrong.amount:.12g}, in {unit}")
    note = conversion_words(wrong.unit, unit or "")
    certain = not same_dimension(wrong.unit, unit or "")  # 90 days for three months is a guess, and may be meant
    return Misfit(f"{quoted(literal.value)} for “{wrong.words}”", f"a number in {unit}", certain, note)


def _lasts_unlike_its_words(literal: Literally) -> Misfit | None:
    """Why a duration is not the one that its own words say."""
    said = wrong_duration(literal)
    if said is None:
        return None
    lengths = [duration_length(str(one)) for one in (literal.value, said.duration)]
    calendars = {length[1] for length in lengths if length}  # P90D for three months is a guess, and may be meant
    return Misfit(f"{quoted(literal.value)} for “{said.said}”", str(said.duration), len(calendars) == 1)


def _alike(left: FieldSpec, right: FieldSpec, *, ordered: bool) -> Misfit | None:
    if ordered and left.type not in _ORDERED:
        return Misfit(f"{left.type}, which has no order", "integer, number, date, datetime or duration")
    if not ordered and left.enum is not None and right.enum is not None and _disjoint(left, right):
        return Misfit(_members(left), _members(right))
    plain = [spec.model_copy(update={"enum": None}) for spec in (left, right)]
    if plain[0].type == "number":
        plain.reverse()
    return field_misfit(*plain)


def _disjoint(left: FieldSpec, right: FieldSpec) -> bool:
    return not any(same_value(one, other) for one in left.enum or () for other in right.enum or () if one is not None)


def _members(spec: FieldSpec) -> str:
    return f"{spec.type}, one of " + ", ".join(quoted(value) for value in spec.enum or ())


def _membership(item: FieldSpec | Literally, group: FieldSpec | Literally) -> Misfit | None:
    if isinstance(group, Literally):
        if not isinstance(group.value, list):
            return Misfit(quoted(group.value), "a list")
        if not isinstance(item, FieldSpec):
            return None
        members = [Literally(value) for value in group.value if value is not None]
        return next((misfit for member in members if (misfit := _comparable(item, member, ordered=False))), None)
    if group.type != "array":
        return Misfit(group.type, "array")
    if group.items is None:
        return None
    if isinstance(item, FieldSpec):
        return _alike(item, group.items, ordered=False)
    return _comparable(group.items, item, ordered=False)
