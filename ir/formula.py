"""Formulas: what a row of a rule pack computes, as a tree over references and literals.

The JSON form is the one stored: a reference, a literal, a list, or an object with one operation, as in
`{"mul": ["$.inputs.amount", {"percent": [5]}]}`. A literal may name its unit and where it comes from:
`{"value": 20, "unit": "CNY", "quote": "20 yuan"}`. Inside `for` and `filter`, `$item` is the element at hand. What
each operation means stands in `ir.formulas.evaluate`; FEEL's names are used where FEEL has one.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Annotated, Any

from pydantic import GetPydanticSchema, JsonValue
from pydantic_core import core_schema

from ir.base import Model, canonical_json
from ir.predicate import REFERENCE, ConditionError, LiteralStatus, Ref
from ir.source import Evidence

_PAIR, _ONE, _ROUND = (2, 2), (1, 1), (1, 2)
OPERATIONS: Mapping[str, tuple[int, float]] = {
    "add": _PAIR, "sub": _PAIR, "mul": _PAIR, "div": _PAIR, "neg": _ONE, "percent": _ONE,
    "eq": _PAIR, "ne": _PAIR, "lt": _PAIR, "lte": _PAIR, "gt": _PAIR, "gte": _PAIR, "in": _PAIR,
    "and": (2, inf), "or": (2, inf), "not": _ONE, "is_null": _ONE,
    "if": (3, 3), "for": _PAIR, "filter": _PAIR,
    "abs": _ONE, "floor": _ONE, "ceiling": _ONE,
    "round_up": _ROUND, "round_down": _ROUND, "round_half_up": _ROUND, "round_half_down": _ROUND,
    "round_half_even": _ROUND, "to_percent": _ONE, "convert": (3, 3),
    "min": (1, inf), "max": (1, inf), "sum": (1, inf), "mean": (1, inf), "count": (1, inf),
    "list": (0, inf), "known": (1, inf), "append": (2, inf), "concatenate": (1, inf),
    "string": _ONE, "string_join": (1, 2),
    "duration": _PAIR, "days_between": _PAIR, "months_between": _PAIR,
    "add_working_days": (3, 3), "working_days_between": (3, 3),
}  # fmt: skip
"""The operations, each with the fewest and the most operands it takes."""
ITEM = "$item"
DEEPEST = 40
"""How many operations a formula may have one inside the other."""
_SOURCES = ("unit", "quote", "status", "from")


@dataclass(frozen=True, eq=False)
class Constant:
    """A literal; a number without unit is in the unit of what it is added to or compared with.

    Args:
        value: a number, text, boolean or null.
        quote, status, source: how it came from the document's words, as for literals of conditions.
    """

    value: JsonValue
    unit: str | None = None
    quote: str | None = None
    status: LiteralStatus | None = None
    source: JsonValue = None

    @cached_property
    def _key(self) -> tuple[str, str | None, str | None, str | None, str]:
        # By JSON text: in Python 1 == True, in a formula they differ.
        return canonical_json(self.value), self.unit, self.quote, self.status, canonical_json(self.source)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@dataclass(frozen=True)
class Item:
    """The element at hand inside `for` and `filter`, or a part of it: `$item`, `$item.amount`."""

    path: tuple[str, ...] = ()


@dataclass(frozen=True)
class Call:
    """An operation of `OPERATIONS` and its operands."""

    op: str
    args: tuple["Expression", ...] = ()


Expression = Ref | Constant | Item | Call


def parse_expression(raw: object, pointer: str = "", *, depth: int = 0) -> Expression:
    """Read an expression from JSON.

    Args:
        pointer: JSON pointer to `raw`, for errors.
        depth: levels above `raw`.

    Raises:
        ConditionError: malformed, or more than `DEEPEST` levels; the pointer says where.

    >>> parse_expression({"neg": ["$.inputs.amount"]})
    Call(op='neg', args=(Ref(text='$.inputs.amount'),))
    """
    if isinstance(raw, Ref | Constant | Item | Call):
        return raw
    if depth > DEEPEST:
        raise ConditionError(pointer, "a deeper formula", f"at most {DEEPEST} levels")
    match raw:
        case str() if raw.startswith("$"):
            return _reference(raw, pointer)
        case list():
            return Call("list", _operands(raw, pointer, depth))
        case dict() if "value" in raw:
            return _constant(raw, pointer)
        case dict():
            return _call(raw, pointer, depth)
        case None | str() | bool() | int() | float():
            return Constant(raw)
    raise ConditionError(pointer, raw, "a reference, a literal, a list or an operation")


def _reference(text: str, pointer: str) -> Ref | Item:
    if REFERENCE.fullmatch(text):
        return Ref(text)
    head, *path = text.split(".")
    if head == ITEM and REFERENCE.fullmatch(f"$.inputs.{'.'.join(path or ['x'])}"):
        return Item(tuple(path))
    raise ConditionError(pointer, text, 'a reference, "$item", or {"value": …} to mean this text')


def _constant(raw: dict[Any, Any], pointer: str) -> Constant:
    value = raw["value"]
    if set(raw) - {"value", *_SOURCES} or isinstance(value, dict | list):
        raise ConditionError(pointer, raw, 'a literal object with "value" and at most ' + ", ".join(_SOURCES))
    for key in ("unit", "quote"):
        if not isinstance(raw.get(key), str | None):
            raise ConditionError(f"{pointer}/{key}", raw[key], "a text")
    if raw.get("unit") is not None and not is_number(value):
        raise ConditionError(f"{pointer}/unit", raw["unit"], "no unit, since the literal is no number")
    if raw.get("status") not in (None, "quoted", "converted", "default"):
        raise ConditionError(f"{pointer}/status", raw["status"], "quoted, converted or default")
    return Constant(value, raw.get("unit"), raw.get("quote"), raw.get("status"), raw.get("from"))


def _call(raw: dict[Any, Any], pointer: str, depth: int) -> Call:
    if len(raw) != 1:
        raise ConditionError(pointer, raw, 'an object with one operation, or a literal with "value"')
    ((op, args),) = raw.items()
    if op not in OPERATIONS or op == "list":
        raise ConditionError(pointer, op, "one of " + ", ".join(name for name in OPERATIONS if name != "list"))
    least, most = OPERATIONS[op]
    if not isinstance(args, list) or not least <= len(args) <= most:
        some = f"{least}" if least == most else f"at least {least}" if most == inf else f"{least} or {most}"
        raise ConditionError(f"{pointer}/{op}", args, f"a list of {some} operand{'s' * (some != '1')}")
    return Call(op, _operands(args, f"{pointer}/{op}", depth))


def _operands(raw: list[Any], pointer: str, depth: int) -> tuple[Expression, ...]:
    return tuple(parse_expression(item, f"{pointer}/{at}", depth=depth + 1) for at, item in enumerate(raw))


def expression_json(tree: Expression) -> JsonValue:
    """The JSON form of an expression; the inverse of `parse_expression`."""
    match tree:
        case Ref(text):
            return text
        case Item(path):
            return ".".join((ITEM, *path))
        case Call("list", args):
            return [expression_json(arg) for arg in args]
        case Call(op, args):
            return {op: [expression_json(arg) for arg in args]}
        case Constant(value, unit, quote, status, source):
            rest = {"unit": unit, "quote": quote, "status": status, "from": source}
            kept: dict[str, JsonValue] = {key: item for key, item in rest.items() if item is not None}
            told_apart = isinstance(value, str) and value.startswith("$")
            return {"value": value, **kept} if kept or told_apart else value


def is_number(value: object) -> bool:
    """Whether a value is a number; booleans are none.

    >>> is_number(1), is_number(True)
    (True, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool)


def parts(tree: Expression, pointer: str = "") -> Iterator[tuple[Expression, str]]:
    """Every part of an expression with the JSON pointer to it, the whole first."""
    yield tree, pointer
    if isinstance(tree, Call):
        inside = pointer if tree.op == "list" else f"{pointer}/{tree.op}"
        for at, arg in enumerate(tree.args):
            yield from parts(arg, f"{inside}/{at}")


def expression_references(tree: Expression) -> tuple[Ref, ...]:
    """The references that an expression reads, each once, left to right.

    >>> [ref.text for ref in expression_references(parse_expression({"add": ["$.inputs.a", "$.inputs.a"]}))]
    ['$.inputs.a']
    """
    return tuple(dict.fromkeys(part for part, _ in parts(tree) if isinstance(part, Ref)))


def replace_parts(tree: Expression, replace: Callable[[Ref | Constant | Item], Expression]) -> Expression:
    """The same expression with every reference, literal and item replaced."""
    if isinstance(tree, Call):
        return Call(tree.op, tuple(replace_parts(arg, replace) for arg in tree.args))
    return replace(tree)


def without_sources(tree: Expression) -> Expression:
    """The same expression without where its literals come from."""
    return replace_parts(tree, lambda part: Constant(part.value, part.unit) if isinstance(part, Constant) else part)


def _schema() -> dict[str, Any]:
    calls = {op: {"type": "array", "minItems": least} for op, (least, _) in OPERATIONS.items() if op != "list"}
    literal = {
        "type": "object",
        "properties": {
            "value": {"type": ["string", "number", "boolean", "null"]},
            "unit": {"type": "string"},
            "quote": {"type": "string"},
            "status": {"enum": ["quoted", "converted", "default"]},
            "from": True,
        },
        "required": ["value"],
        "additionalProperties": False,
    }
    return {
        "description": "a reference, a literal, a list of expressions, or an object with one operation on expressions",
        "anyOf": [
            {"type": ["string", "number", "boolean", "array", "null"]},
            literal,
            {
                "type": "object",
                "properties": calls,
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": False,
            },
        ],
    }


def _stored(tree: Expression) -> JsonValue:
    """The JSON form of a whole formula: a lone text as an object, since a text there is the text form of a formula."""
    alone = isinstance(tree, Constant) and isinstance(tree.value, str)
    value = expression_json(tree)
    return {"value": value} if alone and isinstance(value, str) else value


FormulaTree = Annotated[
    Expression,
    GetPydanticSchema(
        lambda _source, _handler: core_schema.no_info_plain_validator_function(
            parse_expression, serialization=core_schema.plain_serializer_function_ser_schema(_stored)
        ),
        lambda _core, _handler: _schema(),
    ),
]


class Formula(Model):
    """How a row of a rule pack computes one of its outputs, and the words that say so."""

    formula: FormulaTree
    evidence: tuple[Evidence, ...] = ()

    @property
    def references(self) -> tuple[Ref, ...]:
        """What it reads."""
        return expression_references(self.formula)
