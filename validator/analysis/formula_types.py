"""What type and unit a formula has, and where its parts do not fit together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Literal

from ir.duration import duration_length
from ir.fields import FieldSpec
from ir.formula import Call, Constant, Expression, Item, is_number
from ir.predicate import Ref
from ir.quantities.units import ratio
from validator.analysis.formula_units import PERCENT, PLAIN, Powers, between_words, odds, powers_of, times, unit_words

TypeKind = Literal["number", "boolean", "text", "date", "datetime", "duration", "list", "object", "null", "any"]
FaultCode = Literal["operand-mismatch", "unit-mismatch", "unknown-calendar"]
_KINDS: dict[str, TypeKind] = {"integer": "number", "number": "number", "string": "text", "array": "list"}
_ROUND_UNITS = ("s", "min", "h", "d", "wk", "mo", "y", "BD")


@dataclass(frozen=True)
class FormulaType:
    """The type of a part of a formula.

    Args:
        unit: of a number; None where it takes that of its neighbour, as a bare number does.
        whole: a number that has no digits behind the point.
        items: of a list, what it holds; None where that is not known.
        spec: of an object, its field.
        literal: of a text that stands in the formula, the text.
    """

    kind: TypeKind
    unit: Powers | None = None
    whole: bool = False
    items: "FormulaType | None" = None
    spec: FieldSpec | None = None
    literal: str | None = None

    def __str__(self) -> str:
        """The type in words."""
        names = {"text": "a text", "object": "an object", "list": "a list", "any": "a value"}
        words = names.get(self.kind, "null" if self.kind == "null" else f"a {self.kind}")
        return f"{words} in {unit_words(self.unit)}" if self.unit else words


@dataclass(frozen=True)
class TypeFault:
    """Where parts of a formula do not fit together.

    Args:
        pointer: JSON pointer to the part, inside the formula.
        certain: False where a unit may only not be declared.
    """

    code: FaultCode
    message: str
    pointer: str
    found: str
    expected: str
    certain: bool = True


ANY, NUMBER, BOOLEAN, TEXT = (FormulaType("any"), FormulaType("number"), FormulaType("boolean"), FormulaType("text"))
DATE, DURATION = FormulaType("date"), FormulaType("duration")


def type_of_spec(spec: FieldSpec | None) -> FormulaType:
    """The type of a field; `any` where it is not known."""
    if spec is None:
        return ANY
    kind: TypeKind = _KINDS.get(spec.type) or spec.type  # type: ignore[assignment]
    if kind == "number":
        return FormulaType(kind, powers_of(spec.unit) if spec.unit else PLAIN, spec.type == "integer")
    return FormulaType(kind, items=type_of_spec(spec.items) if spec.items else None, spec=spec)


def type_formula(
    tree: Expression, spec_of: Callable[[Ref], FieldSpec | None], calendars: Sequence[str]
) -> tuple[FormulaType, tuple[TypeFault, ...]]:
    """The type of a formula, and what does not fit in it.

    Args:
        spec_of: the field that a reference reads; None where it is not known.
        calendars: the names of those that are there.
    """
    typing = _Typing(spec_of, calendars)
    found = typing.type(tree, "")
    return found, tuple(typing.faults)


class _Typing:
    """One formula being typed; after a fault a part counts as of any type, so that each is told once."""

    def __init__(self, spec_of: Callable[[Ref], FieldSpec | None], calendars: Sequence[str]) -> None:
        self.spec_of, self.calendars = spec_of, calendars
        self.faults: list[TypeFault] = []
        self.items: list[FormulaType] = []

    def type(self, tree: Expression, at: str) -> FormulaType:
        """The type of an expression."""
        match tree:
            case Ref():
                return type_of_spec(self.spec_of(tree))
            case Item(path):
                return self.item(path, at)
            case Constant(value, unit):
                if is_number(value):
                    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
                    return FormulaType("number", powers_of(unit) if unit else None, whole)
                if isinstance(value, str):
                    return replace(TEXT, literal=value)
                return FormulaType("null") if value is None else BOOLEAN
            case Call(op, args):
                return self.call(op, args, at)

    def fault(self, code: FaultCode, at: str, found: str, expected: str, note: str = "", certain: bool = True) -> None:
        """Keep a fault."""
        message = f"found {found}, expected {expected}" + (f" ({note})" if note else "")
        self.faults.append(TypeFault(code, message, at, found, expected, certain))

    def wrong(self, at: str, found: FormulaType | str, expected: str) -> FormulaType:
        """Keep that an operand is of another type."""
        self.fault("operand-mismatch", at, str(found), expected)
        return ANY

    def item(self, path: tuple[str, ...], at: str) -> FormulaType:
        """The element at hand, or a part of it."""
        if not self.items:
            return self.wrong(at, "`item`", "it inside `for` or a filter")
        held = self.items[-1]
        if not path or held.kind in ("any", "null"):
            return held if not path else ANY
        spec = held.spec.at(path) if held.spec is not None and held.kind == "object" else None
        if spec is None:
            return self.wrong(at, str(held), f"an object with {'.'.join(path)}")
        return type_of_spec(spec)

    def call(self, op: str, args: tuple[Expression, ...], at: str) -> FormulaType:
        """The type of an operation."""
        inside = at if op == "list" else f"{at}/{op}"
        places = [f"{inside}/{index}" for index in range(len(args))]
        if op in ("for", "filter"):
            return self.through(op, args, places)
        types = [self.type(arg, place) for arg, place in zip(args, places, strict=True)]
        given = list(zip(types, places, strict=True))
        match op:
            case "and" | "or" | "not":
                for each, place in given:
                    self.need(each, place, "boolean")
                return BOOLEAN
            case "is_null":
                return BOOLEAN
            case "if":
                self.need(*given[0], "boolean")
                return self.one_type(given[1:])
            case "eq" | "ne" | "lt" | "lte" | "gt" | "gte":
                self.comparable(given, ordered=op not in ("eq", "ne"))
                return BOOLEAN
            case "in":
                self.comparable([given[0], (self.elements(*given[1]), places[1])], ordered=False)
                return BOOLEAN
            case "list" | "append" | "concatenate" | "min" | "max" | "sum" | "mean" | "count" | "known":
                return self.several(op, given)
            case "add" | "sub" if not self.numeric(types):
                return self.shifted(given)
        return self.arithmetic(op, args, given)

    def through(self, op: str, args: tuple[Expression, ...], places: list[str]) -> FormulaType:
        """`for` and `filter`."""
        group = self.type(args[0], places[0])
        self.items.append(self.elements(group, places[0]))
        body = self.type(args[1], places[1])
        self.items.pop()
        if op == "for":
            return FormulaType("list", items=body)
        self.need(body, places[1], "boolean")
        return group

    def elements(self, group: FormulaType, at: str) -> FormulaType:
        """What a list holds."""
        if group.kind not in ("list", "any", "null"):
            return self.wrong(at, group, "a list")
        return group.items or ANY

    def need(self, found: FormulaType, at: str, *kinds: TypeKind) -> None:
        """That an operand is of some kind; null is of every kind."""
        if found.kind not in (*kinds, "any", "null") and not (set(_readings(found)) & set(kinds)):
            self.wrong(at, found, " or ".join(str(FormulaType(kind)) for kind in kinds))

    def numeric(self, types: list[FormulaType]) -> bool:
        """Whether all operands may be numbers."""
        return all(each.kind in ("number", "any", "null") for each in types)

    def several(self, op: str, given: list[tuple[FormulaType, str]]) -> FormulaType:
        """Lists and what is made of their elements."""
        if op == "concatenate":
            held = self.one_type([(self.elements(each, place), place) for each, place in given])
            return FormulaType("list", items=held)
        if op == "append":
            held = self.one_type([(self.elements(*given[0]), given[0][1]), *given[1:]])
            return FormulaType("list", items=held)
        if op != "list" and len(given) == 1:
            given = [(self.elements(*given[0]), given[0][1])]
        if op == "count":
            return FormulaType("number", PLAIN, whole=True)
        held = self.one_type(given) if given else ANY
        if op in ("list", "known"):
            return FormulaType("list", items=held)
        kinds: tuple[TypeKind, ...] = ("number", "date", "datetime", "duration")
        for each, place in given:
            self.need(each, place, *(kinds if op in ("min", "max") else kinds[:1]))
        return replace(held, whole=held.whole and op != "mean")

    def one_type(self, given: list[tuple[FormulaType, str]]) -> FormulaType:
        """The type that several values have together."""
        types = [each for each, _ in given if each.kind not in ("any", "null")]
        if not types:
            return ANY
        kinds = [kind for kind in _readings(types[0]) if all(kind in _readings(each) for each in types)]
        if not kinds:
            other = next(pair for pair in given if not set(_readings(pair[0])) & set(_readings(types[0])))
            return self.wrong(other[1], other[0], str(types[0]))
        if kinds[0] == "number":
            return FormulaType("number", self.one_unit(given), all(each.whole for each in types))
        found = next((each for each in types if each.kind == kinds[0]), FormulaType(kinds[0]))
        return found if len(types) == 1 else replace(found, literal=None)

    def one_unit(self, given: list[tuple[FormulaType, str]]) -> Powers | None:
        """The unit that several numbers have together."""
        held: Powers | None = None
        for each, place in given:
            if each.unit is None or each.kind != "number" or each.unit == held:
                continue
            if held is not None and (odd := odds(each.unit, held)) != "none":
                note = between_words(each.unit, held)
                self.fault("unit-mismatch", place, unit_words(each.unit), unit_words(held), note, odd == "sure")
            held = held or each.unit
        return held

    def comparable(self, given: list[tuple[FormulaType, str]], *, ordered: bool) -> None:
        """That two values can be compared."""
        found = self.one_type(given)
        if ordered and found.kind in ("text", "boolean", "list", "object"):
            self.wrong(given[1][1], found, "a number, date, datetime or duration, which have an order")

    def shifted(self, given: list[tuple[FormulaType, str]]) -> FormulaType:
        """A date, datetime or duration with a duration added."""
        (left, first), (right, second) = given
        if left.kind == "number" or right.kind == "number":
            odd = given[0] if right.kind == "number" else given[1]
            return self.wrong(odd[1], odd[0], "a number")
        if right.kind not in ("any", "null") and "duration" not in _readings(right):
            return self.wrong(second, right, "a duration; days_between counts the days between two dates")
        if right.literal is not None and (duration_length(right.literal) or (0, ""))[1] == "business":
            return self.wrong(
                second, "working days", "a duration in days, hours or months; add_working_days counts working days"
            )
        kinds = [kind for kind in _readings(left) if kind in ("date", "datetime", "duration")]
        if left.kind in ("any", "null"):
            return ANY
        return FormulaType(kinds[0]) if kinds else self.wrong(first, left, "a date, a datetime or a duration")

    def arithmetic(self, op: str, args: tuple[Expression, ...], given: list[tuple[FormulaType, str]]) -> FormulaType:
        """Operations on numbers, texts and dates."""
        types = [each for each, _ in given]
        if op in _SIGNATURES:
            wanted, result = _SIGNATURES[op]
            for (each, place), kind in zip(given, wanted, strict=True):
                self.need(each, place, kind)
            if op in ("add_working_days", "working_days_between"):
                self.calendar(args[2], given[2][1])
            if op == "duration":
                self.unit_of_time(args[1], given)
            return result
        if op == "string":
            self.need(*given[0], "number", "text", "boolean", "date", "datetime", "duration")
            return TEXT
        if op == "string_join":
            self.need(self.elements(*given[0]), given[0][1], "text")
            return TEXT
        for each, place in given if op != "convert" else given[:1]:
            self.need(each, place, "number")
        first = types[0]
        units = [each.unit for each in types]
        whole = all(each.whole for each in types)
        if op in ("add", "sub"):
            return FormulaType("number", self.one_unit(given), whole)
        if op in ("mul", "div"):
            # a bare number may be a rate, in a unit of its own: 18.50 for each of so many days
            unit = None if None in units else times(units[0] or PLAIN, units[1] or PLAIN, 1 - 2 * (op == "div"))
            return FormulaType("number", unit, whole and op == "mul")
        if op == "percent":
            self.in_unit(first, given[0][1], PERCENT, PLAIN)
            return FormulaType("number", PLAIN)
        if op == "to_percent":
            self.in_unit(first, given[0][1], PLAIN)
            return FormulaType("number", PERCENT)
        if op == "convert":
            return self.converted(first, args, given[0][1])
        if op in ("neg", "abs"):
            return FormulaType("number", first.unit, first.whole)
        digits = args[1] if len(args) > 1 else Constant(0)
        known = isinstance(digits, Constant) and isinstance(digits.value, int) and digits.value <= 0
        return FormulaType("number", first.unit, op in ("floor", "ceiling") or known)

    def in_unit(self, found: FormulaType, at: str, *units: Powers) -> None:
        """That a number is in one of some units."""
        if found.kind == "number" and found.unit is not None and found.unit not in units:
            self.fault("unit-mismatch", at, unit_words(found.unit), " or ".join(map(unit_words, units)))

    def converted(self, found: FormulaType, args: tuple[Expression, ...], at: str) -> FormulaType:
        """A number in another unit."""
        names = [arg.value if isinstance(arg, Constant) and isinstance(arg.value, str) else None for arg in args[1:]]
        if names[0] is None or names[1] is None:
            return self.wrong(at, "a unit that is not written out", "two units in quotation marks")
        if ratio(names[0], names[1]) is None:
            note = between_words(powers_of(names[0]), powers_of(names[1]))
            self.fault("unit-mismatch", at, names[0], f"a unit that converts into {names[1]}", note)
        self.in_unit(found, at, powers_of(names[0]))
        return FormulaType("number", powers_of(names[1]))

    def calendar(self, name: Expression, at: str) -> None:
        """That a calendar is named that is there."""
        if not isinstance(name, Constant) or not isinstance(name.value, str):
            self.wrong(at, "a calendar that is not written out", "its name and version in quotation marks")
        elif name.value not in self.calendars:
            self.fault("unknown-calendar", at, f'"{name.value}"', "one of " + ", ".join(sorted(self.calendars)))

    def unit_of_time(self, unit: Expression, given: list[tuple[FormulaType, str]]) -> None:
        """That a duration is made in a unit of time, of a number in it."""
        if not isinstance(unit, Constant) or unit.value not in _ROUND_UNITS:
            self.wrong(given[1][1], "another unit", "one of " + ", ".join(_ROUND_UNITS))
        else:
            self.in_unit(given[0][0], given[0][1], PLAIN, powers_of(str(unit.value)))


_DAYS = {name: FormulaType("number", powers_of(name), whole=True) for name in ("d", "mo", "BD")}
_SIGNATURES: dict[str, tuple[tuple[TypeKind, ...], FormulaType]] = {
    "duration": (("number", "text"), DURATION),
    "days_between": (("date", "date"), _DAYS["d"]),
    "months_between": (("date", "date"), _DAYS["mo"]),
    "add_working_days": (("date", "number", "text"), DATE),
    "working_days_between": (("date", "date", "text"), _DAYS["BD"]),
}


def _readings(found: FormulaType) -> tuple[TypeKind, ...]:
    """The kinds that a value may be meant as: a text in the formula may be a date or a duration."""
    if found.literal is None:
        return (found.kind,)
    if duration_length(found.literal) is not None:
        return ("text", "duration")
    try:
        if len(found.literal) == 10:
            date.fromisoformat(found.literal)
            return ("text", "date")
        datetime.fromisoformat(found.literal)
    except ValueError:
        return ("text",)
    return ("text", "datetime")
