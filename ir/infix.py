"""The text form of a condition, as people and models write it: `hazard_level in [1,2] and transport_mode == "公路"`.

The parser is total: any text gives a tree or an `InfixError` with a column; nothing is evaluated, and nesting has a
limit. Only the tree is ever stored.

    condition  := all { ("or" | "||" | "或") all }
    all        := one { ("and" | "&&" | "且") one }
    one        := ("not" | "!" | "非") one | "(" condition ")" | test
    test       := ("exists" | "is_null") "(" reference ")" | "contains" "(" operand "," operand ")"
                | operand ("==" | "!=" | "<" | "<=" | ">" | ">=" | ["not"] "in" | ["not"] "contains") operand
                | reference "is" ["not"] "null"
    operand    := reference | name | number | string | "true" | "false" | "[" [literal {"," literal}] "]" | object
"""

import json
from collections.abc import Mapping
from typing import Literal

from pydantic import JsonValue

from ir.infix_words import Cursor, InfixError, read_words
from ir.predicate import DEEPEST, Compare, CompareOp, Junction, Literally, Not, Null, Operand, Ref, Tree

__all__ = ["InfixError", "parse_infix", "to_infix"]

_SIGNS: dict[CompareOp, str] = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "lte": "<=",
    "gt": ">",
    "gte": ">=",
    "in": "in",
    "contains": "contains",
}
_OPERATORS: dict[str, CompareOp] = {sign: op for op, sign in _SIGNS.items()} | {
    "=": "eq",
    "≠": "ne",
    "≤": "lte",
    "≦": "lte",
    "≥": "gte",
    "≧": "gte",
}
_DEEPEST_TEXT = DEEPEST + 20


def parse_infix(text: str, names: Mapping[str, str] | None = None) -> Tree:
    """Read a condition from its text form.

    Full-width symbols, Chinese quotation marks, `&&`, `||`, `!`, `且`, `或`, `非` and a single `=` are understood.

    Args:
        names: references for bare names, `{"hazard_level": "$.outputs.level.hazard_level"}`; a path may follow a name.

    Raises:
        InfixError: the text is no condition.

    >>> to_infix(parse_infix('等级 in [1，2] 且 mode ＝＝ “公路”', {"等级": "$.inputs.level", "mode": "$.inputs.mode"}))
    '$.inputs.level in [1, 2] and $.inputs.mode == "公路"'
    """
    return _Parser(text, names or {}).whole()


def to_infix(tree: Tree) -> str:
    """The text form of a condition; `parse_infix` reads it back, without the origin of the literals.

    A null literal, which no valid condition has, is written `null` and not read back.

    >>> to_infix(Not(Null(Ref("$.inputs.amount"))))
    'not is_null($.inputs.amount)'
    """
    match tree:
        case Compare(op, left, right):
            return f"{_operand(left)} {_SIGNS[op]} {_operand(right)}"
        case Null(ref, negated):
            return f"{'exists' if negated else 'is_null'}({ref.text})"
        case Not(item):
            return "not " + (_within(item) if isinstance(item, Junction | Compare) else to_infix(item))
        case Junction(op, items):
            return f" {op} ".join(_within(item) if isinstance(item, Junction) else to_infix(item) for item in items)


def _within(tree: Tree) -> str:
    return f"({to_infix(tree)})"


def _operand(operand: Operand) -> str:
    return operand.text if isinstance(operand, Ref) else json.dumps(operand.value, ensure_ascii=False)


class _Parser(Cursor):
    """Recursive descent over the words."""

    def __init__(self, text: str, names: Mapping[str, str]) -> None:
        expected = "a known name or a reference such as $.inputs.amount"
        super().__init__(read_words(text, names), names, _DEEPEST_TEXT, expected)

    def whole(self) -> Tree:
        """The condition that the whole text is."""
        tree = self.junction("or")
        if self.word.kind != "end":
            raise self.fault("`and`, `or` or the end")
        levels = _levels(tree)
        if levels > DEEPEST:
            raise InfixError(1, f"{levels} levels", f"at most {DEEPEST} levels of and, or and not")
        return tree

    def junction(self, op: Literal["and", "or"]) -> Tree:
        """Conditions joined by `or`, each of conditions joined by `and`."""
        items = [self.one() if op == "and" else self.junction("and")]
        while self.accept(op):
            items.append(self.one() if op == "and" else self.junction("and"))
        return items[0] if len(items) == 1 else Junction(op, tuple(items))

    def one(self) -> Tree:
        """A negation, a condition in parentheses or a test."""
        if self.accept("not"):
            return Not(self.deeper(self.one))
        if self.accept("("):
            tree = self.deeper(lambda: self.junction("or"))
            self.expect(")", "`and`, `or` or `)`")
            return tree
        if word := self.accept("exists", "is_null"):
            self.expect("(")
            ref = self.reference()
            self.expect(")")
            return Null(ref, negated=word == "exists")
        if self.accept("contains"):
            self.expect("(")
            left = self.operand()
            self.expect(",")
            right = self.operand()
            self.expect(")")
            return Compare("contains", left, right)
        return self.comparison()

    def comparison(self) -> Tree:
        """An operand compared with another, or tested for null."""
        start, left = self.word, self.operand()
        if self.accept("is"):
            negated = self.accept("not") is not None
            self.expect("null")
            if not isinstance(left, Ref):
                raise InfixError(start.column, start.text, "a reference")
            return Null(left, negated)
        negated = self.accept("not") is not None
        sign = self.accept(*(("in", "contains") if negated else _OPERATORS))
        if sign is None:
            raise self.fault("`in` or `contains`" if negated else "a comparison: " + ", ".join(_SIGNS.values()))
        compared = Compare(_OPERATORS[sign], left, self.operand())
        return Not(compared) if negated else compared

    def operand(self) -> Operand:
        """A reference or a literal."""
        return self.reference() if self.word.kind == "reference" else Literally(self.literal())

    def literal(self) -> JsonValue:
        """A JSON value, null excepted."""
        token = self.word
        if token.kind in ("number", "string"):
            self.at += 1
            return token.value
        if word := self.accept("true", "false"):
            return word == "true"
        if self.accept("["):
            return self.deeper(lambda: self.several("]", self.literal))
        if self.accept("{"):
            return dict(self.deeper(lambda: self.several("}", self.member)))
        if token.kind == "word" and token.value == "null":
            raise self.fault("is_null(REFERENCE) or exists(REFERENCE), since nothing is equal to null")
        raise self.fault("a reference, a number, a text in quotation marks, true, false or a list")

    def member(self) -> tuple[str, JsonValue]:
        """A key and its value."""
        key = self.word
        if key.kind != "string":
            raise self.fault("a key in quotation marks")
        self.at += 1
        self.expect(":")
        return str(key.value), self.literal()


def _levels(tree: Tree) -> int:
    """How many levels of and, or and not a tree has."""
    match tree:
        case Not(item):
            return 1 + _levels(item)
        case Junction(_, items):
            return 1 + max(map(_levels, items))
    return 0
