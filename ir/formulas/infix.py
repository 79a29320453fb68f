"""The text form of a formula, as people and models write it: `round half up($.inputs.amount * 5%, 2)`.

The parser is total: any text gives a tree or an `InfixError` with a column; nothing is evaluated. A minus beside a
name needs a space on its left, since names may hold one.

    formula    := "if" formula "then" formula "else" formula | "for" "item" "in" formula "return" formula | any
    any        := all { "or" all }          all := one { "and" one }          one := "not" one | compared
    compared   := sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=" | ["not"] "in") sum | "is" ["not"] "null" ]
    sum        := product { ("+" | "-") product }          product := signed { ("*" | "/") signed }
    signed     := "-" signed | value { "%" | "[" formula "]" }
    value      := number [unit] | string | "true" | "false" | "null" | reference | name | "item" {"." name}
                | function "(" [formula {"," formula}] ")" | "[" [formula {"," formula}] "]" | "(" formula ")"
"""

import json
import re
from collections.abc import Mapping
from fractions import Fraction

from ir.formula import DEEPEST, ITEM, OPERATIONS, Call, Constant, Expression, Item
from ir.infix_words import FORMULAS, Cursor, InfixError, read_words
from ir.predicate import Ref

__all__ = ["InfixError", "parse_formula", "to_formula"]

_SIGNS = {
    "eq": "==", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "in": "in",
    "add": "+", "sub": "-", "mul": "*", "div": "/",
}  # fmt: skip
_COMPARED = {_SIGNS[op]: op for op in ("eq", "ne", "lt", "lte", "gt", "gte", "in")} | {
    "=": "eq", "≠": "ne", "≤": "lte", "≦": "lte", "≥": "gte", "≧": "gte",
}  # fmt: skip
_WRITTEN = {*_SIGNS, "neg", "percent", "and", "or", "not", "if", "for", "filter", "list"}
FUNCTIONS = {op: op.replace("_", " ") if op.startswith(("round", "string")) else op for op in OPERATIONS}
"""The operations that are written as functions, by their names in texts."""
for _op in _WRITTEN:
    del FUNCTIONS[_op]
_PLAIN_UNIT = re.compile(r"[A-Za-z]+[0-9]?|[\u4e00-\u9fff]+")
_LEVELS = {"if": 0, "for": 0, "or": 1, "and": 2, "not": 3, "add": 5, "sub": 5, "mul": 6, "div": 6, "neg": 7}
_LEVELS |= dict.fromkeys(_COMPARED.values(), 4) | dict.fromkeys(("percent", "filter"), 8)
_VALUE = 9
_DEEPEST_TEXT = 70  # levels of a text; each is nine calls deep, and calls may be some hundreds deep


def parse_formula(text: str, names: Mapping[str, str] | None = None) -> Expression:
    """Read a formula from its text form.

    Full-width symbols, `×`, `÷`, a single `=` and Chinese quotation marks are understood; a word or a text in quotation
    marks behind a number is its unit.

    Args:
        names: references for bare names, `{"amount": "$.inputs.amount"}`; a path may follow a name.

    Raises:
        InfixError: the text is no formula.

    >>> to_formula(parse_formula('费用 × 5% ＋ 20 元', {"费用": "$.inputs.fee"}))
    '$.inputs.fee * 5% + 20 元'
    """
    return _Parser(text, names or {}).whole()


def to_formula(tree: Expression) -> str:
    """The text form of a formula; `parse_formula` reads it back, without where its literals come from.

    >>> to_formula(Call("mul", (Call("add", (Ref("$.inputs.a"), Constant(1))), Constant(-2, "kg"))))
    '($.inputs.a + 1) * -2 kg'
    """
    match tree:
        case Ref(text):
            return text
        case Item(path):
            return ".".join((ITEM.removeprefix("$"), *path))
        case Constant(value, unit):
            text = json.dumps(value, ensure_ascii=False)
            return f"{text} {_unit_text(unit)}" if unit is not None else text
        case Call(op, args):
            return _call_text(op, args)


def _unit_text(unit: str) -> str:
    plain = _PLAIN_UNIT.fullmatch(unit) and unit.lower() not in FORMULAS.words and not set(unit) & set("且或非")
    return unit if plain else json.dumps(unit, ensure_ascii=False)


def _call_text(op: str, args: tuple[Expression, ...]) -> str:
    own = _LEVELS.get(op, _VALUE)
    match op:
        case "if":
            return f"if {to_formula(args[0])} then {to_formula(args[1])} else {to_formula(args[2])}"
        case "for":
            return f"for item in {to_formula(args[0])} return {to_formula(args[1])}"
        case "and" | "or":
            return f" {op} ".join(_within(arg, own + 1) for arg in args)
        case "not":
            return f"not {_within(args[0], own)}"
        case "neg":
            inner = _within(args[0], own)
            return f"-({inner})" if inner[0].isdigit() else f"-{inner}"
        case "percent":
            return f"{_within(args[0], own)}%"
        case "filter":
            return f"{_within(args[0], own)}[{to_formula(args[1])}]"
    several = ", ".join(map(to_formula, args))
    if op == "list":
        return f"[{several}]"
    if op in FUNCTIONS:
        return f"{FUNCTIONS[op]}({several})"
    left = _within(args[0], 5 if own == 4 else own)
    return f"{left} {_SIGNS[op]} {_within(args[1], own + 1)}"


def _within(tree: Expression, level: int) -> str:
    """An operand, in parentheses where it binds less than is needed."""
    text = to_formula(tree)
    return f"({text})" if isinstance(tree, Call) and _LEVELS.get(tree.op, _VALUE) < level else text


class _Parser(Cursor):
    """Recursive descent over the words."""

    def __init__(self, text: str, names: Mapping[str, str]) -> None:
        words = iter([*read_words(text, names, FORMULAS)])  # at once: a word that is none is told before all else
        expected = "a known name or function, or a reference such as $.inputs.amount"
        super().__init__(words, [*names, *FUNCTIONS.values()], _DEEPEST_TEXT, expected)

    def whole(self) -> Expression:
        """The formula that the whole text is."""
        tree = self.formula()
        if self.word.kind != "end":
            raise self.fault("an operator or the end")
        if _levels(tree) > DEEPEST:
            raise InfixError(1, f"{_levels(tree)} levels", f"at most {DEEPEST} operations one inside the other")
        return tree

    def formula(self) -> Expression:
        """A whole formula, or one in parentheses."""
        return self.deeper(self._formula)

    def _formula(self) -> Expression:
        if self.accept("if"):
            condition = self.formula()
            self.expect("then")
            first = self.formula()
            self.expect("else")
            return Call("if", (condition, first, self.formula()))
        if self.accept("for"):
            self.expect("item")
            self.expect("in")
            group = self.formula()
            self.expect("return")
            return Call("for", (group, self.formula()))
        return self.junction("or")

    def junction(self, op: str) -> Expression:
        """What is joined by `or`, each part of what is joined by `and`."""
        part = self.negation if op == "and" else lambda: self.junction("and")
        items = [part()]
        while self.accept(op):
            items.append(part())
        return items[0] if len(items) == 1 else Call(op, tuple(items))

    def negation(self) -> Expression:
        """A negation or a comparison."""
        if self.accept("not"):
            return Call("not", (self.deeper(self.negation),))
        left = self.sum()
        if self.accept("is"):
            negated = self.accept("not")
            self.expect("null")
            null = Call("is_null", (left,))
            return Call("not", (null,)) if negated else null
        negated = self.accept("not")
        sign = self.accept(*(("in",) if negated else _COMPARED))
        if sign is None:
            if negated:
                raise self.fault("`in`")
            return left
        compared = Call(_COMPARED[sign], (left, self.sum()))
        return Call("not", (compared,)) if negated else compared

    def sum(self) -> Expression:
        """What is added and subtracted."""
        tree = self.product()
        while sign := self.accept("+", "-"):
            tree = Call("add" if sign == "+" else "sub", (tree, self.product()))
        return tree

    def product(self) -> Expression:
        """What is multiplied and divided."""
        tree = self.signed()
        while sign := self.accept("*", "/"):
            tree = Call("mul" if sign == "*" else "div", (tree, self.signed()))
        return tree

    def signed(self) -> Expression:
        """A value with what stands before and behind it."""
        if self.word.value == "-" and self.word.kind == "symbol":
            self.at += 1
            if not self.at_number():
                return Call("neg", (self.deeper(self.signed),))
            tree: Expression = self.number(-1)
        else:
            tree = self.value()
        while sign := self.accept("%", "["):
            if sign == "%":
                tree = Call("percent", (tree,))
            else:
                tree = Call("filter", (tree, self.formula()))
                self.expect("]")
        return tree

    def at_number(self) -> bool:
        """Whether a number is at hand."""
        return self.word.kind == "number"

    def number(self, sign: int) -> Constant:
        """A number with its unit."""
        word = self.word
        assert not isinstance(word.value, str)
        if Fraction(word.text) != Fraction(str(word.value)):
            raise self.fault("a number of at most 15 digits")
        self.at += 1
        unit = None
        if self.word.kind in ("unknown", "string"):
            unit = self.word.text if self.word.kind == "unknown" else str(self.word.value)
            self.at += 1
        return Constant(-word.value if sign < 0 and word.value else word.value, unit)

    def value(self) -> Expression:
        """A literal, a reference, a function or something in brackets."""
        if function := self.function():
            return function
        word = self.word
        if word.kind == "number":
            return self.number(1)
        if word.kind == "string":
            self.at += 1
            return Constant(word.value)
        if literal := self.accept("true", "false", "null"):
            return Constant(None if literal == "null" else literal == "true")
        if word.kind == "reference":
            return self.reference()
        if self.accept("item"):
            return Item()
        if word.kind == "unknown" and word.text.lower().startswith("item."):
            self.at += 1
            return Item(tuple(word.text.split(".")[1:]))
        if self.accept("("):
            tree = self.formula()
            self.expect(")")
            return tree
        if self.accept("["):
            return Call("list", tuple(self.several("]", self.formula)))
        raise self.fault("a number, a text in quotation marks, a reference, a function, a list or `(`")

    def function(self) -> Call | None:
        """A function with its operands; its name may be of several words."""
        ahead = self.at
        while self.word_at(ahead).kind in ("unknown", "reference"):
            ahead += 1
        name = "_".join(word.text.lower() for word in map(self.word_at, range(self.at, ahead)))
        if name not in FUNCTIONS or self.word_at(ahead).value != "(" or self.word_at(ahead).kind != "symbol":
            return None
        start, self.at = self.word, ahead + 1
        args = tuple(self.several(")", self.formula))
        least, most = OPERATIONS[name]
        if not least <= len(args) <= most:
            wanted = f"{least}" if least == most else f"at least {least}" if most > least + 1 else f"{least} or {most}"
            raise InfixError(start.column, start.text, f"{wanted} operands for {FUNCTIONS[name]}")
        return Call(name, args)


def _levels(tree: Expression) -> int:
    """How many operations stand one inside the other."""
    return 1 + max(map(_levels, tree.args), default=0) if isinstance(tree, Call) else 0
