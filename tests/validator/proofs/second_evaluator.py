"""A second evaluator of formulas, over their JSON form, written from docs/dsl.md and sharing nothing with the first."""

import calendar
import datetime
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

UNKNOWN = None
WEEKDAYS = "weekdays@1"


class NoValue(Exception):  # noqa: N818
    """The formula has no value; the code says why."""


def second(tree: Any, names: dict[str, Any]) -> Any:
    """The value of a formula in JSON form, numbers as fractions; `NoValue` where it has none."""
    found = _eval(tree, {name: _plain(value) for name, value in names.items()}, ())
    if isinstance(found, Fraction) and not -(2**53) <= found <= 2**53:
        raise NoValue("OUT_OF_RANGE")
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return Fraction(repr(value)) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _eval(tree: Any, names: dict[str, Any], item: tuple[Any, ...]) -> Any:
    if isinstance(tree, str):
        return item[-1] if tree == "$item" else names[tree] if tree.startswith("$.") else tree
    if isinstance(tree, list):
        return [_eval(one, names, item) for one in tree]
    if not isinstance(tree, dict):
        return _plain(tree)
    if "value" in tree:
        return _plain(tree["value"])
    ((op, args),) = tree.items()

    def get(at: int) -> Any:
        return _eval(args[at], names, item)

    if op == "if":
        test = get(0)
        return UNKNOWN if test is None else get(1) if test else get(2)
    if op == "and" or op == "or":
        seen = []
        for at in range(len(args)):
            seen.append(get(at))
            if seen[-1] is (op == "or"):
                return seen[-1]
        return UNKNOWN if None in seen else op == "and"
    if op == "for":
        group = get(0)
        return group if group is None else [_eval(args[1], names, (*item, one)) for one in group]
    if op == "filter":
        group = get(0)
        if group is None:
            return UNKNOWN
        kept = []
        for one in group:
            test = _eval(args[1], names, (*item, one))
            if test is None:
                return UNKNOWN
            kept += [one] if test else []
        return kept
    return _apply(op, [get(at) for at in range(len(args))])


def _apply(op: str, args: list[Any]) -> Any:
    if op == "is_null":
        return args[0] is None
    if op in _OVER_LISTS:
        group = args[0] if len(args) == 1 else args
        return UNKNOWN if group is None else _OVER_LISTS[op](group)
    if op == "append":
        return UNKNOWN if args[0] is None else args[0] + args[1:]
    if op == "concatenate":
        return UNKNOWN if None in args else [one for group in args for one in group]
    if op == "in":
        if None in args:
            return UNKNOWN
        return True if args[0] in args[1] else UNKNOWN if None in args[1] else False
    if None in args:
        return UNKNOWN
    return _STRICT[op](*args)


def _known_only(found: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
    return lambda group: UNKNOWN if not group or None in group else found(group)


_OVER_LISTS: dict[str, Callable[[list[Any]], Any]] = {
    "count": lambda group: Fraction(len(group)),
    "known": lambda group: [one for one in group if one is not None],
    "sum": _known_only(lambda group: sum(group, Fraction())),
    "mean": _known_only(lambda group: sum(group, Fraction()) / len(group)),
    "min": _known_only(lambda group: sorted(group)[0]),
    "max": _known_only(lambda group: sorted(group)[-1]),
}


def _divide(left: Fraction, right: Fraction) -> Fraction:
    if not right:
        raise NoValue("DIVISION_BY_ZERO")
    return left / right


def _cut(value: Fraction) -> int:
    return -((-value.numerator) // value.denominator) if value < 0 else value.numerator // value.denominator


def _round(value: Fraction, digits: Fraction, up_at: str) -> Fraction:
    scaled = value * Fraction(10) ** int(digits)
    towards = _cut(scaled)
    left = abs(scaled - towards)
    step = 1 if scaled > 0 else -1
    if up_at == "up":
        grows = left > 0
    elif up_at == "even":
        grows = left > Fraction(1, 2) or (left == Fraction(1, 2) and towards % 2 != 0)
    else:
        grows = up_at != "down" and (left >= Fraction(1, 2) if up_at == "half" else left > Fraction(1, 2))
    return Fraction(towards + step * grows) / Fraction(10) ** int(digits)


def _rounding(kind: str) -> Callable[..., Fraction]:
    return lambda value, digits=Fraction(0): _round(value, digits, kind)


def _day(text: str) -> datetime.date:
    return datetime.date(*map(int, text.split("-")))


def _move(text: str, length: str, sign: int) -> str:
    """A date moved by `PnD` or `PnM`, or by hours."""
    start = _day(text)
    months = re.fullmatch(r"P(\d+)M", length)
    if months:
        at = start.year * 12 + start.month - 1 + sign * int(months[1])
        year, month = at // 12, at % 12 + 1
        if not 1 <= year <= 9999:
            raise NoValue("OUT_OF_RANGE")
        return datetime.date(year, month, min(start.day, calendar.monthrange(year, month)[1])).isoformat()
    days = re.fullmatch(r"P(\d+)D", length)
    hours = int(days[1]) * 24 if days else int(length[2:-1])
    if hours % 24:
        raise NoValue("TYPE_MISMATCH")
    at = start.toordinal() + sign * hours // 24
    if not 1 <= at <= datetime.date.max.toordinal():
        raise NoValue("OUT_OF_RANGE")
    return datetime.date.fromordinal(at).isoformat()


def _shift(left: Any, right: Any, sign: int) -> Any:
    return _move(left, right, sign) if isinstance(left, str) else left + sign * right


def _duration(count: Fraction, unit: str) -> str:
    if count.denominator != 1 or count < 0 or count >= 10**9:
        raise NoValue("OUT_OF_RANGE")
    return {"d": f"P{count}D", "h": f"PT{count}H"}[unit]


def _working(start: str, count: Fraction, name: str) -> str:
    assert name == WEEKDAYS
    at, left = _day(start).toordinal(), int(count)
    if count.denominator != 1 or abs(count) > 20_000:
        raise NoValue("OUT_OF_RANGE")
    while left:
        at += 1 if left > 0 else -1
        if not 1 <= at <= datetime.date.max.toordinal():
            raise NoValue("OUTSIDE_CALENDAR")
        if datetime.date.fromordinal(at).weekday() < 5:
            left -= 1 if left > 0 else -1
    return datetime.date.fromordinal(at).isoformat()


def _working_between(start: str, end: str, name: str) -> Fraction:
    assert name == WEEKDAYS
    first, last = _day(start).toordinal(), _day(end).toordinal()
    if abs(last - first) > 100_000:
        raise NoValue("OUT_OF_RANGE")
    days = range(first + 1, last + 1) if last >= first else range(last, first)
    worked = sum(datetime.date.fromordinal(day).weekday() < 5 for day in days)
    return Fraction(worked if last >= first else -worked)


def _months(start: str, end: str) -> Fraction:
    """The greatest number of months that can be added without passing the end."""
    if start > end:
        return -_months(end, start)
    (year, month, _), (last_year, last_month, _) = (map(int, text.split("-")) for text in (start, end))
    count = (last_year - year) * 12 + last_month - month
    return Fraction(count if _move(start, f"P{count}M", 1) <= end else count - 1)


_STRICT: dict[str, Callable[..., Any]] = {
    "add": lambda left, right: _shift(left, right, 1),
    "sub": lambda left, right: _shift(left, right, -1),
    "mul": lambda left, right: left * right,
    "div": _divide,
    "neg": lambda value: -value,
    "percent": lambda value: value / 100,
    "to_percent": lambda value: value * 100,
    "convert": lambda value, one, other: (
        value * {("kg", "t"): Fraction(1, 1000), ("h", "min"): Fraction(60)}[one, other]
    ),
    "eq": lambda left, right: left == right,
    "ne": lambda left, right: left != right,
    "lt": lambda left, right: left < right,
    "lte": lambda left, right: left <= right,
    "gt": lambda left, right: left > right,
    "gte": lambda left, right: left >= right,
    "not": lambda value: not value,
    "abs": abs,
    "floor": lambda value: Fraction(_cut(value) - (value < _cut(value))),
    "ceiling": lambda value: Fraction(_cut(value) + (value > _cut(value))),
    "round_up": _rounding("up"),
    "round_down": _rounding("down"),
    "round_half_up": _rounding("half"),
    "round_half_down": _rounding("above half"),
    "round_half_even": _rounding("even"),
    "duration": _duration,
    "days_between": lambda start, end: Fraction((_day(end) - _day(start)).days),
    "months_between": _months,
    "add_working_days": _working,
    "working_days_between": _working_between,
}
