"""Values of a benchmark, which come as texts: made what a field is, and held against each other."""

import ast
import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime

from pydantic import JsonValue

from ir.base import canonical_json
from ir.fields import FieldSpec

_TRUTHS: Mapping[str, bool] = {"true": True, "yes": True, "false": False, "no": False}
_DATES = ("%Y-%m-%d", "%m/%d/%y", "%d/%m/%y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d.%m.%y", "%d.%m.%Y")
"""Ways in which tables write dates; of a year of two digits those up to 68 are of this century (POSIX)."""


class Unfit(ValueError):  # noqa: N818 - it says what was found
    """A text is no value of a field."""


def typed(value: JsonValue, spec: FieldSpec | None) -> JsonValue:
    """A value as a field has it: texts of numbers, truths and lists as what they say, empty ones as null.

    Raises:
        Unfit: it is none of the field's, as a date that is not written as ISO 8601 has it (see `iso_dates`).

    >>> typed("4.0", FieldSpec(type="integer")), typed("['a']", FieldSpec(type="array"))
    (4, ['a'])
    """
    if value == "" or value is None:
        return None
    if spec is None:
        return value
    found = _converted(value, spec)
    if spec.enum is not None and found not in spec.enum:
        raise Unfit(f"{value!r} is none of {list(spec.enum)}")
    return found


def _converted(value: JsonValue, spec: FieldSpec) -> JsonValue:
    match spec.type, value:
        case "boolean", bool():
            return value
        case "boolean", str() if value.strip().lower() in _TRUTHS:
            return _TRUTHS[value.strip().lower()]
        case (("integer" | "number"), (int() | float() | str())) if not isinstance(value, bool):
            number = _number(value)
            if number is not None and (spec.type == "number" or number == int(number)):
                return int(number) if spec.type == "integer" else number
        case (("array" | "object"), _):
            found = literal(value) if isinstance(value, str) else value
            if isinstance(found, list if spec.type == "array" else dict):
                return found
        case "date", str() if _is_date(value):
            return value
        case (("string" | "datetime" | "duration"), (str() | int() | float())):
            return value if isinstance(value, str) else canonical_json(value)
    raise Unfit(f"{value!r} is no {spec.type}")


def iso_dates(texts: Iterable[str]) -> dict[str, str]:
    """By text the date that it says, as ISO 8601 has it; empty where no way of writing dates fits all, or two differ.

    >>> iso_dates(["3/1/23", "12/20/22"])
    {'3/1/23': '2023-03-01', '12/20/22': '2022-12-20'}
    >>> iso_dates(["3/1/23", "4/1/23"]), iso_dates(["soon"])
    ({}, {})
    """
    told = tuple(dict.fromkeys(texts))
    ways = [[_dated(text, way) for text in told] for way in _DATES]
    found = {tuple(one.isoformat() for one in dates if one is not None) for dates in ways if None not in dates}
    return dict(zip(told, found.pop(), strict=True)) if len(found) == 1 else {}


def _dated(text: str, way: str) -> date | None:
    try:
        return datetime.strptime(text.strip(), way).date()
    except ValueError:
        return None


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def literal(text: str) -> JsonValue:
    """What a text says as JSON or as Python writes it; the text itself where it is neither.

    >>> literal("['Wrong Item']"), literal("true"), literal("in_stock")
    (['Wrong Item'], True, 'in_stock')
    """
    try:
        found: JsonValue = json.loads(text)
    except ValueError:
        try:
            found = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return text
    return found if isinstance(found, str | int | float | bool | list | dict | None) else text


def same(found: JsonValue, wanted: str) -> bool:
    """Whether a value is what a cell says: numbers by value, lists in any order, texts without case and space.

    >>> same(15, "15.0"), same("No Action", "no action"), same(["b", "a"], "['a', 'b']"), same("A", "B"), same(None, "")
    (True, True, True, False, True)
    >>> same("None", "None"), same(None, "None")
    (True, False)
    """
    return _comparable(found) == _comparable(literal(wanted) if wanted.startswith(("[", "{", "(")) else wanted)


def _comparable(value: JsonValue) -> object:
    if isinstance(value, list | tuple):
        return sorted(str(_comparable(item)) for item in value)
    if isinstance(value, dict):
        return {key: _comparable(item) for key, item in value.items()}
    if isinstance(value, str):
        number = _number(value)
        words = " ".join(value.casefold().split())
        return number if number is not None else _TRUTHS.get(words, words or None)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _number(value: str | int | float) -> float | None:
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if found == found and abs(found) != float("inf") else None
