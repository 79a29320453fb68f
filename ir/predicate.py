"""Conditions: a tree of comparisons over references and literals, evaluated in Kleene's three-valued logic.

The JSON form is the one stored: `"always"`, `"otherwise"`, or a tree such as
`{"and": [{"in": ["$.outputs.level.hazard_level", [1, 2]]}, {"eq": ["$.inputs.transport_mode", "公路"]}]}`.
A comparison with null, a missing value or a value of another type is unknown (None here), and unknown is not false;
only `is_null` and `exists` see null. `exists` is the negation of `is_null`.
"""

import re
import reprlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import GetPydanticSchema, JsonValue
from pydantic_core import core_schema

from ir.base import canonical_json
from ir.duration import duration_length

CompareOp = Literal["eq", "ne", "lt", "lte", "gt", "gte", "in", "contains"]
LiteralStatus = Literal["quoted", "converted", "default"]
COMPARE_OPS: tuple[CompareOp, ...] = ("eq", "ne", "lt", "lte", "gt", "gte", "in", "contains")
REFERENCE = re.compile(r"\$\.(inputs|outputs|facts|steps|results)((?:\.[A-Za-z_][A-Za-z0-9_-]*)+)")
DEEPEST = 50
"""How many levels of `and`, `or` and `not` a condition may have."""
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 120

Truth = bool | None


class ConditionError(ValueError):
    """A condition is malformed.

    Args:
        pointer: JSON pointer to the fault, inside the condition.
        found: what stands there.
        expected: what should.
    """

    def __init__(self, pointer: str, found: object, expected: str) -> None:
        self.pointer, self.found, self.expected = pointer, found, expected
        super().__init__(f"condition{pointer or '/'}: found {_SHORT.repr(found)}, expected {expected}")


@dataclass(frozen=True)
class Ref:
    """A reference: `$.inputs.x`, `$.outputs.node.path` in a workflow, `$.facts.x`, `$.steps.s1.outcome` before."""

    text: str

    def __post_init__(self) -> None:
        if not REFERENCE.fullmatch(self.text):
            raise ConditionError("", self.text, "a reference such as $.inputs.amount or $.outputs.node.field")

    @property
    def root(self) -> str:
        """`inputs`, `outputs`, `facts` or `steps`."""
        return self.text.split(".")[1]

    @property
    def path(self) -> tuple[str, ...]:
        """The names after the root."""
        return tuple(self.text.split(".")[2:])

    @property
    def node(self) -> str | None:
        """The node (or step) whose output is read, or None for an input or fact."""
        return self.path[0] if self.root in ("outputs", "steps") else None


@dataclass(frozen=True, eq=False)
class Literally:
    """A literal, in the unit of the field it is compared with, and how it came from the document's words.

    Args:
        quote: the words it was read from.
        status: `quoted` as it stands, `converted` (then `source` is the value and unit before), `default` from a rule.
        source: the value before conversion, as in `5 吨`.
    """

    value: JsonValue
    quote: str | None = None
    status: LiteralStatus | None = None
    source: JsonValue = None

    @cached_property
    def _key(self) -> tuple[str, str | None, str | None, str]:
        # By JSON text: in Python 1 == True, in a condition they differ.
        return canonical_json(self.value), self.quote, self.status, canonical_json(self.source)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literally) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


Operand = Ref | Literally


@dataclass(frozen=True)
class Always:
    """The edge is taken whenever its node succeeds."""


@dataclass(frozen=True)
class Otherwise:
    """The edge is taken when every conditional edge of its node is false."""


@dataclass(frozen=True)
class Compare:
    """`left op right`."""

    op: CompareOp
    left: Operand
    right: Operand


@dataclass(frozen=True)
class Null:
    """`is_null` (or, with `negated`, `exists`) of a reference."""

    ref: Ref
    negated: bool = False


@dataclass(frozen=True)
class Not:
    """The negation; unknown stays unknown."""

    item: "Tree"


@dataclass(frozen=True)
class Junction:
    """A conjunction (`and`) or disjunction (`or`) of two or more conditions."""

    op: Literal["and", "or"]
    items: tuple["Tree", ...] = field(default_factory=tuple)


Tree = Compare | Null | Not | Junction
AnyCondition = Always | Otherwise | Tree
ALWAYS, OTHERWISE = Always(), Otherwise()
Lookup = Callable[[Ref], JsonValue]


def parse_operand(raw: object, pointer: str = "") -> Operand:
    """Read an operand from JSON: a reference, a bare literal, or `{"value": …, "quote": …, "status": …, "from": …}`.

    Raises:
        ConditionError: the operand is of none of these forms.

    >>> parse_operand("$.inputs.amount")
    Ref(text='$.inputs.amount')
    """
    if isinstance(raw, Ref | Literally):
        return raw
    if isinstance(raw, str) and raw.startswith("$."):
        if not REFERENCE.fullmatch(raw):
            raise ConditionError(pointer, raw, "a reference to $.inputs.NAME or $.outputs.NODE.FIELD")
        return Ref(raw)
    if isinstance(raw, dict):
        if "value" not in raw or set(raw) - {"value", "quote", "status", "from"}:
            raise ConditionError(pointer, raw, 'a literal object with "value" and at most "quote", "status", "from"')
        if not isinstance(raw.get("quote"), str | None):
            raise ConditionError(f"{pointer}/quote", raw["quote"], "the words that the literal was read from")
        if raw.get("status") not in (None, "quoted", "converted", "default"):
            raise ConditionError(f"{pointer}/status", raw["status"], "quoted, converted or default")
        return Literally(raw["value"], raw.get("quote"), raw.get("status"), raw.get("from"))
    if isinstance(raw, list):
        for index, item in enumerate(raw):
            if _looks_like_reference(item):
                raise ConditionError(f"{pointer}/{index}", item, 'a literal (or {"value": [...]} to mean these words)')
        return Literally(raw)
    if raw is None or isinstance(raw, str | bool | int | float):
        return Literally(raw)
    raise ConditionError(pointer, raw, "a reference or a JSON literal")


def _looks_like_reference(value: object) -> bool:
    return isinstance(value, str) and value.startswith("$.")


def operand_json(operand: Operand) -> JsonValue:
    """The JSON form of an operand; the inverse of `parse_operand`."""
    if isinstance(operand, Ref):
        return operand.text
    rest = {"quote": operand.quote, "status": operand.status, "from": operand.source}
    kept: dict[str, JsonValue] = {key: value for key, value in rest.items() if value is not None}
    value = operand.value
    words = value if isinstance(value, list) else [value]
    told_apart = isinstance(value, dict) or any(_looks_like_reference(word) for word in words)
    return {"value": value, **kept} if kept or told_apart else value


def parse_tree(raw: object, pointer: str = "", *, depth: int = 0) -> Tree:
    """Read a condition tree from JSON.

    Args:
        pointer: JSON pointer to `raw`, for errors.
        depth: levels above `raw`.

    Raises:
        ConditionError: malformed, or more than `DEEPEST` levels; the pointer says where.

    >>> parse_tree({"gt": ["$.inputs.amount", 5]})
    Compare(op='gt', left=Ref(text='$.inputs.amount'), right=Literally(value=5, quote=None, status=None, source=None))
    """
    if isinstance(raw, Compare | Null | Not | Junction):
        return raw
    if not isinstance(raw, dict) or len(raw) != 1:
        raise ConditionError(pointer, raw, 'an object with one operator, or "always", or "otherwise"')
    if depth > DEEPEST:
        raise ConditionError(pointer, "a deeper condition", f"at most {DEEPEST} levels")
    ((op, args),) = raw.items()
    at = f"{pointer}/{op}"
    if op in ("and", "or"):
        if not isinstance(args, list) or not args:
            raise ConditionError(at, args, "a list of conditions")
        items = tuple(parse_tree(item, f"{at}/{index}", depth=depth + 1) for index, item in enumerate(args))
        return items[0] if len(items) == 1 else Junction(op, items)
    if op == "not":
        return Not(parse_tree(args[0] if isinstance(args, list) and len(args) == 1 else args, at, depth=depth + 1))
    if op in ("exists", "is_null"):
        ref = parse_operand(args[0] if isinstance(args, list) and len(args) == 1 else args, at)
        if not isinstance(ref, Ref):
            raise ConditionError(at, args, "a reference")
        return Null(ref, negated=op == "exists")
    for known in COMPARE_OPS:
        if op == known:
            if not isinstance(args, list) or len(args) != 2:
                raise ConditionError(at, args, "a list of two operands")
            return Compare(known, parse_operand(args[0], f"{at}/0"), parse_operand(args[1], f"{at}/1"))
    raise ConditionError(pointer, op, "one of and, or, not, exists, is_null, " + ", ".join(COMPARE_OPS))


def parse_condition(raw: object) -> AnyCondition:
    """Read an edge's condition from JSON; absent and `"always"` are the same.

    >>> parse_condition(None)
    Always()
    """
    if isinstance(raw, Always | Otherwise):
        return raw
    if raw is None or raw == "always":
        return ALWAYS
    return OTHERWISE if raw == "otherwise" else parse_tree(raw)


def condition_json(condition: AnyCondition) -> JsonValue:
    """The JSON form of a condition; the inverse of `parse_condition`."""
    match condition:
        case Always():
            return "always"
        case Otherwise():
            return "otherwise"
        case Compare(op, left, right):
            return {op: [operand_json(left), operand_json(right)]}
        case Null(ref, negated):
            return {"exists" if negated else "is_null": ref.text}
        case Not(item):
            return {"not": condition_json(item)}
        case Junction(op, items):
            return {op: [condition_json(item) for item in items]}


def negate(tree: Tree) -> Tree:
    """The plain negation, without a double `not`."""
    if isinstance(tree, Null):
        return Null(tree.ref, not tree.negated)
    return tree.item if isinstance(tree, Not) else Not(tree)


def conjoin(*trees: Tree | None) -> Tree | None:
    """The conjunction of those that are not None, flattened; None when there are none."""
    items: list[Tree] = []
    for tree in trees:
        parts = tree.items if isinstance(tree, Junction) and tree.op == "and" else (tree,) if tree else ()
        items += [part for part in parts if part not in items]
    return None if not items else items[0] if len(items) == 1 else Junction("and", tuple(items))


def leaves(condition: AnyCondition) -> Iterator[Compare | Null]:
    """The comparisons and null tests of a condition, left to right."""
    match condition:
        case Compare() | Null():
            yield condition
        case Not(item):
            yield from leaves(item)
        case Junction(_, items):
            for item in items:
                yield from leaves(item)


def references(condition: AnyCondition) -> Iterator[Ref]:
    """Every reference that a condition reads, left to right, repeats included."""
    for leaf in leaves(condition):
        operands: tuple[Operand, ...] = (leaf.ref,) if isinstance(leaf, Null) else (leaf.left, leaf.right)
        yield from (operand for operand in operands if isinstance(operand, Ref))


def literals(condition: AnyCondition) -> Iterator[Literally]:
    """Every literal of a condition, left to right, repeats included."""
    for leaf in leaves(condition):
        if isinstance(leaf, Compare):
            yield from (operand for operand in (leaf.left, leaf.right) if isinstance(operand, Literally))


def substitute(tree: Tree, replace: Callable[[Ref], Ref]) -> Tree:
    """The same tree with every reference replaced."""

    def operand(value: Operand) -> Operand:
        return replace(value) if isinstance(value, Ref) else value

    match tree:
        case Compare(op, left, right):
            return Compare(op, operand(left), operand(right))
        case Null(ref, negated):
            return Null(replace(ref), negated)
        case Not(item):
            return Not(substitute(item, replace))
        case Junction(op, items):
            return Junction(op, tuple(substitute(item, replace) for item in items))


def with_literals(tree: Tree, replace: Callable[[Literally, str], Literally]) -> Tree:
    """The same tree with every literal replaced.

    Args:
        replace: given a literal and the text of the reference that it is compared with, empty where there is none.
    """
    match tree:
        case Junction(op, items):
            return Junction(op, tuple(with_literals(item, replace) for item in items))
        case Not(item):
            return Not(with_literals(item, replace))
        case Compare(op, left, right):
            ref = next((side.text for side in (left, right) if isinstance(side, Ref)), "")
            sides = [replace(side, ref) if isinstance(side, Literally) else side for side in (left, right)]
            return Compare(op, sides[0], sides[1])
        case _:
            return tree


def evaluate(tree: Tree, lookup: Lookup) -> Truth:
    """The truth of a condition: True, False, or None for unknown.

    Args:
        lookup: gives a reference's value, None where it is null or missing.

    >>> tree = parse_tree({"or": [{"gt": ["$.inputs.amount", 5]}, {"is_null": "$.inputs.amount"}]})
    >>> evaluate(tree, lambda ref: 6), evaluate(tree, lambda ref: None)
    (True, True)
    >>> evaluate(parse_tree({"gt": ["$.inputs.amount", 5]}), lambda ref: None) is None
    True
    """
    match tree:
        case Null(ref, negated):
            return (lookup(ref) is None) != negated
        case Not(item):
            truth = evaluate(item, lookup)
            return None if truth is None else not truth
        case Junction(op, items):
            decisive = op == "or"
            found: Truth = not decisive
            for item in items:
                truth = evaluate(item, lookup)
                if truth is decisive:
                    return decisive
                found = None if truth is None else found
            return found
        case Compare(op, left, right):
            values = [lookup(side) if isinstance(side, Ref) else side.value for side in (left, right)]
            return compare(op, values[0], values[1])


def compare(op: CompareOp, left: JsonValue, right: JsonValue) -> Truth:
    """Compare two JSON values; unknown where one is null or their types do not fit the operator.

    >>> compare("eq", 1, True) is None
    True
    >>> compare("lt", "PT47H", "P2D"), compare("gte", "2026-03-01", "2026-02-28")
    (True, True)
    """
    if left is None or right is None:
        return None
    if op in ("in", "contains"):
        item, group = (left, right) if op == "in" else (right, left)
        if not isinstance(group, list):
            return None
        truths = [compare("eq", item, member) for member in group]
        return True if True in truths else None if None in truths else False
    if op in ("eq", "ne"):
        same = _equal(left, right)
        return None if same is None else same == (op == "eq")
    order = _order(left, right)
    if order is None:
        return None
    return {"lt": order < 0, "lte": order <= 0, "gt": order > 0, "gte": order >= 0}[op]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _equal(left: JsonValue, right: JsonValue) -> Truth:
    if _is_number(left) and _is_number(right):
        return left == right
    if type(left) is not type(right):
        return None
    if isinstance(left, bool):
        return left is right
    if isinstance(left, str) and isinstance(right, str):
        return left == right or _order(left, right) == 0
    return canonical_json(left) == canonical_json(right)


def _order(left: JsonValue, right: JsonValue) -> float | None:
    """Negative, zero or positive as left is before, at or after right; None where they have no order."""
    if isinstance(left, int | float) and isinstance(right, int | float):
        return None if isinstance(left, bool) or isinstance(right, bool) else (left > right) - (left < right)
    if isinstance(left, str) and isinstance(right, str):
        for read in (duration_length, _moment):
            pair = read(left), read(right)
            if pair[0] is not None and pair[1] is not None:
                return None if pair[0][1] != pair[1][1] else pair[0][0] - pair[1][0]
    return None


def _moment(text: str) -> tuple[float, str] | None:
    if not re.match(r"\d{4}-\d\d-\d\d", text):
        return None
    try:
        if len(text) == 10:
            return float(date.fromisoformat(text).toordinal()), "date"
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment.timestamp(), "zoned") if moment.tzinfo else (moment.replace(tzinfo=UTC).timestamp(), "local")


def _pydantic(parse: Callable[[object], Any], write: Callable[[Any], JsonValue], schema: dict[str, Any]) -> Any:
    return GetPydanticSchema(
        lambda _source, _handler: core_schema.no_info_plain_validator_function(
            parse, serialization=core_schema.plain_serializer_function_ser_schema(write)
        ),
        lambda _core, _handler: schema,
    )


_OPERAND_SCHEMA: dict[str, Any] = {
    "description": "a reference ($.inputs.x, $.outputs.node.field), a JSON literal, or a literal with its origin",
    "anyOf": [
        {"type": ["string", "number", "boolean", "array", "null"]},
        {
            "type": "object",
            "properties": {
                "value": True,
                "quote": {"type": "string"},
                "status": {"enum": ["quoted", "converted", "default"]},
                "from": True,
            },
            "required": ["value"],
            "additionalProperties": False,
        },
    ],
}


def _tree_schema(depth: int) -> dict[str, Any]:
    """JSON Schema of a condition tree; nesting is described to a depth, below which any object is admitted."""
    below: dict[str, Any] = _tree_schema(depth - 1) if depth else {"type": "object"}
    pair = {"type": "array", "minItems": 2, "maxItems": 2, "items": _OPERAND_SCHEMA}
    forms: dict[str, Any] = dict.fromkeys(COMPARE_OPS, pair)
    forms |= {op: {"type": "array", "minItems": 1, "items": below} for op in ("and", "or")}
    forms |= {"not": below, "exists": {"type": "string"}, "is_null": {"type": "string"}}
    return {
        "type": "object",
        "properties": forms,
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": False,
    }


Condition = Annotated[
    AnyCondition,
    _pydantic(parse_condition, condition_json, {"anyOf": [{"enum": ["always", "otherwise"]}, _tree_schema(1)]}),
]
Predicate = Annotated[Tree, _pydantic(parse_tree, condition_json, _tree_schema(1))]
Value = Annotated[Operand, _pydantic(parse_operand, operand_json, _OPERAND_SCHEMA)]
