"""Values while a formula is computed: numbers are exact fractions, all else is as in JSON."""

import math
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import NoReturn, TypeAlias

from pydantic import JsonValue

from ir.duration import duration_length, written_duration
from ir.faults import LARGEST_NUMBER
from ir.formula import is_number
from ir.predicate import compare

DynamicValue: TypeAlias = "bool | str | Fraction | list[DynamicValue] | dict[str, DynamicValue] | None"
_MOST_DIGITS = 20
_UNITS = {"s": "PT{n}S", "min": "PT{n}M", "h": "PT{n}H", "d": "P{n}D", "wk": "P{n}W", "mo": "P{n}M", "y": "P{n}Y"}
_UNITS |= {"BD": "P{n}BD"}


class FormulaError(Exception):
    """A formula has no value.

    Args:
        code: the error code with which the node fails.
        why: in words.
    """

    def __init__(self, code: str, why: str) -> None:
        self.code, self.why = code, why
        super().__init__(f"{code}: {why}")


def mismatch(found: DynamicValue, expected: str) -> NoReturn:
    """Raise that a value is of another type."""
    kinds = ((bool, "a boolean"), (Fraction, "a number"), (str, "a text"), (list, "a list"), (dict, "an object"))
    name = next((name for kind, name in kinds if isinstance(found, kind)), "null")
    raise FormulaError("TYPE_MISMATCH", f"found {name}, expected {expected}")


def exact(value: JsonValue) -> DynamicValue:
    """A JSON value with its numbers as the decimals that they are written as.

    >>> exact([0.1, True])
    [Fraction(1, 10), True]
    """
    if is_number(value):
        if isinstance(value, float) and not math.isfinite(value):
            raise FormulaError("OUT_OF_RANGE", "a number that is not finite")
        return Fraction(str(value))
    if isinstance(value, list):
        return [exact(item) for item in value]
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    assert value is None or isinstance(value, str | bool)
    return value


def handed_over(value: DynamicValue) -> JsonValue:
    """A value as JSON: whole numbers as such, others as the nearest number that JSON's readers hold (IEEE 754).

    >>> handed_over([Fraction(3), Fraction(1, 10), Fraction(1, 3)])
    [3, 0.1, 0.3333333333333333]
    """
    if isinstance(value, Fraction):
        if abs(value) > LARGEST_NUMBER:
            raise FormulaError("OUT_OF_RANGE", f"a number beyond {LARGEST_NUMBER}")
        return int(value) if value.denominator == 1 else float(value)
    if isinstance(value, list):
        return [handed_over(item) for item in value]
    if isinstance(value, dict):
        return {key: handed_over(item) for key, item in value.items()}
    return value


def number(value: DynamicValue) -> Fraction:
    """A value as a number."""
    return value if isinstance(value, Fraction) else mismatch(value, "a number")


def whole(value: DynamicValue, most: int) -> int:
    """A value as a whole number of at most some amount."""
    found = number(value)
    if found.denominator != 1 or abs(found) > most:
        raise FormulaError("OUT_OF_RANGE", f"found {handed_over(found)}, expected a whole number up to {most}")
    return int(found)


def text(value: DynamicValue) -> str:
    """A value as a text."""
    return value if isinstance(value, str) else mismatch(value, "a text")


def group(value: DynamicValue) -> list[DynamicValue]:
    """A value as a list."""
    return value if isinstance(value, list) else mismatch(value, "a list")


def day(value: DynamicValue) -> date:
    """A value as a date."""
    try:
        if isinstance(value, str) and len(value) == 10:
            return date.fromisoformat(value)
    except ValueError:
        pass
    mismatch(value, "a date")


def compared(op: str, left: DynamicValue, right: DynamicValue) -> bool:
    """Two values that are there compared, as in a condition; numbers exactly."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        order = (left > right) - (left < right)
        return {"eq": not order, "ne": bool(order), "lt": order < 0, "lte": order <= 0, "gt": order > 0}.get(
            op, order >= 0
        )
    truth = compare(op, handed_over(left), handed_over(right))  # type: ignore[arg-type]
    if truth is None:
        mismatch(right, "two values of one type that can be compared")
    return truth


def rounded(mode: str, value: Fraction, digits: int) -> Fraction:
    """A number with so many digits behind the point, by one of FEEL's ways to round.

    >>> [rounded(mode, Fraction("-2.5"), 0) for mode in ("up", "down", "half_up", "half_down", "half_even")]
    [Fraction(-3, 1), Fraction(-2, 1), Fraction(-3, 1), Fraction(-2, 1), Fraction(-2, 1)]
    """
    if abs(digits) > _MOST_DIGITS:
        raise FormulaError("OUT_OF_RANGE", f"{digits} digits, expected at most {_MOST_DIGITS}")
    scale = Fraction(10) ** digits
    size = abs(value) * scale
    low, rest = size.numerator // size.denominator, size - size.numerator // size.denominator
    half = Fraction(1, 2)
    away = {
        "up": rest > 0,
        "down": False,
        "half_up": rest >= half,
        "half_down": rest > half,
        "half_even": rest > half or (rest == half and low % 2 == 1),
    }[mode]
    found = (low + away) / scale
    return -found if value < 0 else found


def shifted(value: str, length: str, sign: int) -> str:
    """A date, datetime or duration with a duration added or taken away.

    >>> shifted("2026-01-31", "P1M", 1), shifted("2026-01-01T10:00:00", "PT48H", -1), shifted("P2D", "PT12H", 1)
    ('2026-02-28', '2025-12-30T10:00:00', 'P2DT12H')
    """
    by, own = duration_length(length), duration_length(value)
    if by is None:
        mismatch(length, "a duration, or two numbers")
    amount, calendar = sign * int(by[0]), by[1]
    if own is not None:
        if own[1] != calendar:
            mismatch(length, f"a duration of one calendar with {value}")
        return _written(int(own[0]) + amount, calendar)
    if calendar == "business":
        mismatch(length, "a duration without working days; add_working_days counts those")
    try:
        moment: date = date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value)
    except ValueError:
        mismatch(value, "a date, a datetime or a duration")
    try:
        if calendar == "month":
            return add_months(moment, amount).isoformat()
        if not isinstance(moment, datetime) and amount % 86400:
            mismatch(length, "a duration of whole days, since it is added to a date")
        return (moment + timedelta(seconds=amount)).isoformat()
    except (OverflowError, ValueError):
        raise FormulaError("OUT_OF_RANGE", "a date that is none") from None


def _written(amount: int, calendar: str) -> str:
    if not 0 <= amount < 10**9 * (86400 if calendar == "clock" else 1):
        raise FormulaError("OUT_OF_RANGE", "a duration below zero or beyond all measure")
    return written_duration(amount, calendar)


def add_months(moment: date, months: int) -> date:
    """The same day so many months later; the last day of a shorter month.

    Raises:
        ValueError: there is no such year.
    """
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise ValueError(year)
    following = date(year + (month == 11), (month + 1) % 12 + 1, 1) if (year, month) != (9999, 11) else None
    last = (following - timedelta(days=1)).day if following else 31
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last))


def months_between(start: date, end: date) -> int:
    """How many whole months fit between two days; negative where the second is earlier.

    >>> months_between(date(2024, 1, 31), date(2025, 2, 28)), months_between(date(2026, 3, 2), date(2026, 1, 3))
    (13, -1)
    """
    if end < start:
        return -months_between(end, start)
    months = (end.year - start.year) * 12 + end.month - start.month
    return months - (add_months(start, months) > end)


def duration_of(amount: DynamicValue, unit: str) -> str:
    """A number of units as a duration."""
    if unit not in _UNITS:
        raise FormulaError("TYPE_MISMATCH", f"{unit!r} is no unit of time; expected one of " + ", ".join(_UNITS))
    count = whole(amount, 10**9 - 1)
    if count < 0:
        raise FormulaError("OUT_OF_RANGE", "a duration below zero")
    return _UNITS[unit].format(n=count)
