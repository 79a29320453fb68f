"""What a formula comes to: exact, without a clock, and total.

An operand that is not known makes the result unknown, never zero, but for `is_null`, `known`, `count` and the lists
that hold it; `and`, `or` and `in` are those of Kleene's logic, and an `if` whose condition is unknown is unknown. Only
the branch that is taken is looked at, and `and` and `or` stop where they are decided. What has no value at all, such
as `1 / 0` or `"a" + 1`, gives a fault with a code. Aggregates (`min`, `max`, `sum`, `mean`, `count`, `known`) take one
list, or two and more elements; of an empty list, only `count` and `known` are known.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import add, mul, sub

from pydantic import JsonValue

from ir.duration import CALENDARS, Calendar, OutsideCalendarError
from ir.formula import Call, Constant, Expression, Item
from ir.formulas.values import (
    DynamicValue,
    FormulaError,
    compared,
    day,
    duration_of,
    exact,
    group,
    handed_over,
    mismatch,
    months_between,
    number,
    rounded,
    shifted,
    text,
    whole,
)
from ir.predicate import Lookup, Ref
from ir.quantities.units import ratio

_MOST_WORK = 200_000
"""How many operations one formula may take."""
_FARTHEST = 20_000
"""How many working days may be counted at once."""
_MOST_DAYS = 100_000


@dataclass(frozen=True)
class FormulaFault:
    """Why a formula has no value: the error code with which the node fails, and words."""

    code: str
    why: str


def compute(
    tree: Expression, lookup: Lookup, calendars: Mapping[str, Calendar] | None = None
) -> JsonValue | FormulaFault:
    """The value of a formula, None for unknown; or why it has none.

    Args:
        lookup: gives a reference's value, None where it is null or missing.
        calendars: those of the workflow, by name and version.

    >>> from ir.formulas.infix import parse_formula
    >>> scores = {"$.inputs.a": 7, "$.inputs.b": 0.1, "$.inputs.c": None}
    >>> for text in ("$.inputs.a * $.inputs.b", "$.inputs.a + $.inputs.c", "max(known($.inputs.b, $.inputs.c)) / 3"):
    ...     print(compute(parse_formula(text), lambda ref: scores[ref.text]))
    0.7
    None
    0.03333333333333333
    >>> compute(parse_formula("1 / 0"), lambda ref: None).code
    'DIVISION_BY_ZERO'
    """
    try:
        return handed_over(_Evaluation(lookup, {**CALENDARS, **(calendars or {})}).value(tree))
    except FormulaError as error:
        return FormulaFault(error.code, error.why)


class _Evaluation:
    """One formula being computed."""

    def __init__(self, lookup: Lookup, calendars: Mapping[str, Calendar]) -> None:
        self.lookup, self.calendars = lookup, calendars
        self.items: list[DynamicValue] = []
        self.work = 0

    def value(self, tree: Expression) -> DynamicValue:
        """The value of an expression."""
        self.work += 1
        if self.work > _MOST_WORK:
            raise FormulaError("TOO_MUCH_WORK", f"more than {_MOST_WORK} operations")
        match tree:
            case Ref():
                return exact(self.lookup(tree))
            case Constant(value):
                return exact(value)
            case Item(path):
                return self.item(path)
            case Call("if" | "and" | "or" | "for" | "filter", _):
                return self.controlled(tree)
            case Call(op, args):
                return self.called(op, [self.value(arg) for arg in args])

    def item(self, path: tuple[str, ...]) -> DynamicValue:
        """The element at hand, or a part of it."""
        if not self.items:
            raise FormulaError("TYPE_MISMATCH", "item stands outside `for` and a filter")
        found = self.items[-1]
        for name in path:
            if found is not None and not isinstance(found, dict):
                mismatch(found, f"an object with {name}")
            found = None if found is None else found.get(name)
        return found

    def controlled(self, tree: Call) -> DynamicValue:
        """What looks at its operands one by one."""
        if tree.op == "if":
            condition = self.truth(tree.args[0])
            return None if condition is None else self.value(tree.args[1 if condition else 2])
        if tree.op in ("and", "or"):
            decisive, unknown = tree.op == "or", False
            for arg in tree.args:
                truth = self.truth(arg)
                if truth is decisive:
                    return decisive
                unknown = unknown or truth is None
            return None if unknown else not decisive
        found = self.value(tree.args[0])
        return None if found is None else self.through(tree, group(found))

    def through(self, tree: Call, found: list[DynamicValue]) -> DynamicValue:
        """`for` and `filter`, element by element."""
        kept: list[DynamicValue] = []
        for item in found:
            self.items.append(item)
            if tree.op == "for":
                kept.append(self.value(tree.args[1]))
            elif (truth := self.truth(tree.args[1])) is None:
                self.items.pop()
                return None
            elif truth:
                kept.append(item)
            self.items.pop()
        return kept

    def truth(self, tree: Expression) -> bool | None:
        """The truth of an expression."""
        found = self.value(tree)
        return found if found is None or isinstance(found, bool) else mismatch(found, "true or false")

    def called(self, op: str, args: list[DynamicValue]) -> DynamicValue:
        """An operation on values."""
        match op:
            case "list":
                return args
            case "is_null":
                return args[0] is None
            case "append" | "concatenate":
                return self.grown(op, args)
            case "min" | "max" | "sum" | "mean" | "count" | "known":
                elements = args if len(args) > 1 else args[0]
                return None if elements is None else _aggregate(op, group(elements))
            case "in":
                return self.contained(args[0], args[1])
        if None in args:
            return None
        if op in ("eq", "ne", "lt", "lte", "gt", "gte"):
            return compared(op, args[0], args[1])
        if op in ("add", "sub") and not (isinstance(args[0], Fraction) and isinstance(args[1], Fraction)):
            return shifted(text(args[0]), text(args[1]), 1 if op == "add" else -1)
        if op in _ON_NUMBERS:
            return _on_numbers(op, args)
        return self.others(op, args)

    def grown(self, op: str, args: list[DynamicValue]) -> DynamicValue:
        """A list with more elements, or several lists as one."""
        lists = args if op == "concatenate" else args[:1]
        if None in lists:
            return None
        found = [item for one in lists for item in group(one)] + (args[1:] if op == "append" else [])
        self.work += len(found)
        return found

    def contained(self, item: DynamicValue, members: DynamicValue) -> DynamicValue:
        """Whether a list holds a value."""
        if item is None or members is None:
            return None
        truths = [None if member is None else compared("eq", item, member) for member in group(members)]
        return True if True in truths else None if None in truths else False

    def others(self, op: str, args: list[DynamicValue]) -> DynamicValue:
        """Texts, durations and dates."""
        match op:
            case "not":
                return not args[0] if isinstance(args[0], bool) else mismatch(args[0], "true or false")
            case "string":
                return _written(args[0])
            case "string_join":
                items = group(args[0])
                separator = text(args[1]) if len(args) > 1 else ""
                return None if None in items else separator.join(text(item) for item in items)
            case "duration":
                return duration_of(args[0], text(args[1]))
            case "days_between":
                return Fraction((day(args[1]) - day(args[0])).days)
            case "months_between":
                return Fraction(months_between(day(args[0]), day(args[1])))
        return self.working_days(op, args)

    def working_days(self, op: str, args: list[DynamicValue]) -> DynamicValue:
        """Working days of a calendar, added or counted."""
        calendar = self.calendars.get(text(args[2]))
        if calendar is None:
            raise FormulaError("UNKNOWN_CALENDAR", f"there is no calendar {args[2]}")
        try:
            if op == "add_working_days":
                return calendar.after(day(args[0]), whole(args[1], _FARTHEST)).isoformat()
            if abs((day(args[1]) - day(args[0])).days) > _MOST_DAYS:
                raise FormulaError("OUT_OF_RANGE", f"more than {_MOST_DAYS} days")
            return Fraction(calendar.between(day(args[0]), day(args[1])))
        except OutsideCalendarError:
            raise FormulaError("OUTSIDE_CALENDAR", f"{args[2]} says nothing of some of the days") from None


def _aggregate(op: str, items: list[DynamicValue]) -> DynamicValue:
    if op == "known":
        return [item for item in items if item is not None]
    if op == "count":
        return Fraction(len(items))
    if not items or None in items:
        return None
    if op in ("min", "max"):
        best = items[0]
        for item in items[1:]:
            best = item if compared("lt" if op == "min" else "gt", item, best) else best
        return best if len(items) > 1 or isinstance(best, Fraction | str) else mismatch(best, "a number")
    total = sum((number(item) for item in items), Fraction(0))
    return total / len(items) if op == "mean" else total


_ARITHMETIC = {"add": add, "sub": sub, "mul": mul}
_ON_NUMBERS = frozenset((*_ARITHMETIC, "div", "neg", "percent", "to_percent", "convert", "abs", "floor", "ceiling"))
_ON_NUMBERS |= {f"round_{mode}" for mode in ("up", "down", "half_up", "half_down", "half_even")}


def _on_numbers(op: str, args: list[DynamicValue]) -> Fraction:
    first = number(args[0])
    if op in _ARITHMETIC:
        found: Fraction = _ARITHMETIC[op](first, number(args[1]))
        return found
    if op == "div":
        if number(args[1]) == 0:
            raise FormulaError("DIVISION_BY_ZERO", "the divisor is zero")
        return first / number(args[1])
    if op == "convert":
        times = ratio(text(args[1]), text(args[2]))
        if times is None:
            raise FormulaError("TYPE_MISMATCH", f"{args[1]} does not convert into {args[2]}")
        return first * times
    if op.startswith("round_"):
        return rounded(op.removeprefix("round_"), first, whole(args[1], 100) if len(args) > 1 else 0)
    below = first.numerator // first.denominator
    return {
        "neg": -first,
        "percent": first / 100,
        "to_percent": first * 100,
        "abs": abs(first),
        "floor": Fraction(below),
        "ceiling": Fraction(below + (first != below)),
    }[op]


def _written(value: DynamicValue) -> str:
    """A value as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return str(handed_over(value))
    return text(value)
