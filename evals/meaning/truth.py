"""The truth of a sentence as an expression over its variables: `load > n and not registered`, `cls in [a, b]`."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

Value = float | str | bool
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda one, many: one in many, ast.NotIn: lambda one, many: one not in many,
}  # fmt: skip


class Truth:
    """One expression; it reads names, numbers, texts, lists, comparisons, `and`, `or`, `not`, and nothing else.

    Raises:
        ValueError: it holds anything else.

    >>> Truth("load > n and not known").holds({"load": 3.0, "n": 2.0, "known": False})
    True
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._tree = ast.parse(text.strip(), mode="eval").body

    @property
    def names(self) -> frozenset[str]:
        """The variables and slots that it reads."""
        found = {node.id for node in ast.walk(self._tree) if isinstance(node, ast.Name)}
        return frozenset(found - {"true", "false"})

    def holds(self, values: Mapping[str, Value]) -> bool:
        """Whether it is true of these values."""
        return bool(self._value(self._tree, values))

    def limits(self, variable: str, values: Mapping[str, Value]) -> set[float]:
        """The numbers with which a variable is compared."""
        found: set[float] = set()
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                if any(isinstance(side, ast.Name) and side.id == variable for side in sides):
                    numbers = (self._value(s, values) for s in sides if not _is(s, variable))
                    found |= {float(n) for n in numbers if isinstance(n, int | float) and not isinstance(n, bool)}
        return found

    def _value(self, node: ast.expr, values: Mapping[str, Value]) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id="true" | "false" as word):
                return word == "true"
            case ast.Name(id=name):
                return values[name]
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [self._value(item, values) for item in items]
            case ast.UnaryOp(op=ast.Not(), operand=item):
                return not self._value(item, values)
            case ast.UnaryOp(op=ast.USub(), operand=item):
                return -self._value(item, values)
            case ast.BoolOp(op=op, values=items):
                truths = (bool(self._value(item, values)) for item in items)
                return all(truths) if isinstance(op, ast.And) else any(truths)
            case ast.Compare():
                return self._compared(node, values)
        raise ValueError(f"{self.text}: what is {ast.unparse(node)}?")

    def _compared(self, node: ast.Compare, values: Mapping[str, Value]) -> bool:
        left = self._value(node.left, values)
        for op, side in zip(node.ops, node.comparators, strict=True):
            right = self._value(side, values)
            if not _COMPARE[type(op)](left, right):
                return False
            left = right
        return True


def _is(node: ast.expr, variable: str) -> bool:
    return isinstance(node, ast.Name) and node.id == variable
