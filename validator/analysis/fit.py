"""Whether a value or a field fits where it is used: types, enumerations, units, parts."""

import json
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Literal, cast

from pydantic import JsonValue

from ir.duration import duration_length
from ir.fields import FieldSpec, FieldType
from validator.analysis.units import conversion_words, same_unit

_WIDER: dict[FieldType, tuple[FieldType, ...]] = {
    "integer": ("number",),
    "date": ("string",),
    "datetime": ("string",),
    "duration": ("string",),
}


@dataclass(frozen=True)
class Misfit:
    """Why something does not fit.

    Args:
        found: what it is.
        expected: what it should be.
        certain: False where some of its values fit.
        note: what more there is to say, as how one unit converts into another.
    """

    found: str
    expected: str
    certain: bool = True
    note: str = ""

    def __str__(self) -> str:
        """`found F, expected E (NOTE)`."""
        head = "" if self.certain else "it may not fit: "
        return f"{head}found {self.found}, expected {self.expected}" + (f" ({self.note})" if self.note else "")


def describe(spec: FieldSpec) -> str:
    """A field's type in words.

    >>> describe(FieldSpec(type="number", unit="kg")), describe(FieldSpec(type="integer", enum=(1, 2)))
    ('number in kg', 'integer, one of 1, 2')
    """
    words: str = spec.type
    if spec.unit:
        words += f" in {spec.unit}"
    if spec.enum is not None:
        words += ", one of " + ", ".join(quoted(value) for value in spec.enum)
    low, high = spec.minimum, spec.maximum
    if low is not None or high is not None:
        words += f", at least {low}" if high is None else f", at most {high}" if low is None else f", {low} to {high}"
    return words


def quoted(value: JsonValue) -> str:
    """A value as JSON would write it, its letters as they are; long ones cut.

    >>> quoted("公路"), quoted(True), quoted(None)
    ('"公路"', 'true', 'null')
    """
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def type_of_value(value: JsonValue) -> str:
    """The JSON type of a value: null, boolean, integer, number, string, array or object.

    >>> type_of_value(True), type_of_value(1), type_of_value(1.5)
    ('boolean', 'integer', 'number')
    """
    names = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"))
    return next((name for kind, name in names if isinstance(value, kind)), "null" if value is None else "object")


def field_of_value(value: JsonValue) -> FieldSpec | None:
    """The field that holds a literal and nothing else; None for null and for what has parts.

    >>> describe(field_of_value("road"))
    'string, one of "road"'
    """
    kind = type_of_value(value)
    if kind not in ("boolean", "integer", "number", "string"):
        return None
    return FieldSpec(type=cast(FieldType, kind), required=True, enum=(value,))


def same_value(left: JsonValue, right: JsonValue) -> bool:
    """Equality that keeps booleans apart from numbers.

    >>> same_value(1, True), same_value(1, 1.0)
    (False, True)
    """
    return isinstance(left, bool) == isinstance(right, bool) and left == right


def value_misfit(value: JsonValue, spec: FieldSpec, *, null_fits: bool | None = None) -> Misfit | None:
    """Why a literal does not fit a field; None where it does.

    Args:
        null_fits: whether null is legal; None leaves it to the field.

    >>> value_misfit("5", FieldSpec(type="integer"))
    Misfit(found='string "5"', expected='integer', certain=True, note='')
    """
    if value is None:
        legal = spec.nullable if null_fits is None else null_fits
        return None if legal else Misfit("null", describe(spec))
    found = Misfit(f"{type_of_value(value)} {quoted(value)}", describe(spec))
    if not _has_type(value, spec.type):
        return found
    if spec.enum is not None and not any(same_value(value, member) for member in spec.enum):
        return found
    if not in_range(value, spec):
        return found
    if isinstance(value, list) and spec.items is not None:
        return next((misfit for item in value if (misfit := value_misfit(item, spec.items))), None)
    if isinstance(value, dict) and spec.properties is not None:
        return _object_misfit(value, spec)
    return None


def in_range(value: JsonValue, spec: FieldSpec) -> bool:
    """Whether a value is not below the least or above the greatest number of a field.

    >>> in_range(5, FieldSpec(type="number", maximum=4)), in_range("5", FieldSpec(type="string"))
    (False, True)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return True
    return (spec.minimum is None or value >= spec.minimum) and (spec.maximum is None or value <= spec.maximum)


def _object_misfit(value: dict[str, JsonValue], spec: FieldSpec) -> Misfit | None:
    properties = spec.properties or {}
    for name, part in properties.items():
        if name not in value:
            if part.required:
                return Misfit(f"object without {name!r}", f"object with {name!r} ({describe(part)})")
        elif misfit := value_misfit(value[name], part):
            return Misfit(f"{name}: {misfit.found}", misfit.expected)
    extra = sorted(set(value) - set(properties))
    return Misfit(f"object with {extra[0]!r}", "object with " + ", ".join(properties)) if extra else None


def _has_type(value: JsonValue, wanted: FieldType) -> bool:
    kind = type_of_value(value)
    if not isinstance(value, str) or wanted == "string":
        return kind == wanted or (wanted == "number" and kind == "integer")
    if wanted == "duration":
        return duration_length(value) is not None
    if wanted in ("date", "datetime"):
        return _is_moment(value, wanted)
    return False


def _is_moment(text: str, wanted: Literal["date", "datetime"] | FieldType) -> bool:
    try:
        (date if wanted == "date" else datetime).fromisoformat(text)
    except ValueError:
        return False
    return (len(text) == 10) == (wanted == "date")


def field_misfit(found: FieldSpec, expected: FieldSpec) -> Misfit | None:
    """Why a field does not fit where another is expected; whether it may be null is another question.

    >>> str(field_misfit(FieldSpec(type="number", unit="t"), FieldSpec(type="number", unit="kg")))
    'found number in t, expected number in kg (1 t is 1000 kg)'
    """
    misfit = Misfit(describe(found), describe(expected))
    if found.type != expected.type and expected.type not in _WIDER.get(found.type, ()):
        return misfit
    if found.unit and expected.unit and not same_unit(found.unit, expected.unit):
        return replace(misfit, note=conversion_words(found.unit, expected.unit))
    if expected.enum is not None:
        if found.enum is None:
            return None if found.type == "boolean" else Misfit(f"any {misfit.found}", misfit.expected, certain=False)
        if not all(value is None or any(same_value(value, member) for member in expected.enum) for value in found.enum):
            return misfit
    if found.items is not None and expected.items is not None:
        part = field_misfit(found.items, expected.items)
        if part is None:
            return None
        return replace(part, found=f"array of {part.found}", expected=f"array of {part.expected}")
    return _parts_misfit(found, expected)


def _parts_misfit(found: FieldSpec, expected: FieldSpec) -> Misfit | None:
    if found.properties is None or expected.properties is None:
        return None
    for name, part in expected.properties.items():
        if name not in found.properties:
            if part.required:
                return Misfit(f"object without {name!r}", f"object with {name!r} ({describe(part)})")
        elif misfit := field_misfit(found.properties[name], part):
            return replace(misfit, found=f"{name}: {misfit.found}")
    return None
