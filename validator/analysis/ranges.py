"""Between which numbers a formula lies, as far as the ranges of fields and the signs of its parts tell."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from ir.fields import FieldSpec
from ir.formula import Call, Constant, Expression, is_number
from ir.predicate import Ref
from ir.quantities.units import ratio

Range = tuple[Fraction | None, Fraction | None]
"""The least and the greatest value; None where there is none."""
ALL: Range = (None, None)


def range_of_spec(spec: FieldSpec | None) -> Range:
    """The numbers that a field admits.

    >>> range_of_spec(FieldSpec(type="integer", enum=(3, 1)))
    (Fraction(1, 1), Fraction(3, 1))
    """
    if spec is None or spec.type not in ("integer", "number"):
        return ALL
    listed = [Fraction(str(value)) for value in spec.enum or () if is_number(value)]
    if listed:
        return min(listed), max(listed)
    low, high = (None if end is None else Fraction(str(end)) for end in (spec.minimum, spec.maximum))
    return low, high


def range_of(tree: Expression, spec_of: Callable[[Ref], FieldSpec | None]) -> Range:
    """The numbers that a formula can come to.

    >>> from ir.formulas.infix import parse_formula
    >>> share = FieldSpec(type="number", minimum=0, maximum=1)
    >>> range_of(parse_formula("($.inputs.a + 1) * $.inputs.b"), lambda ref: share)
    (Fraction(0, 1), Fraction(2, 1))
    """
    match tree:
        case Ref():
            return range_of_spec(spec_of(tree))
        case Constant(value) if is_number(value):
            return Fraction(str(value)), Fraction(str(value))
        case Call("if", (_, first, second)):
            return _hull([range_of(first, spec_of), range_of(second, spec_of)])
        case Call("count"):
            return Fraction(0), None
        case Call("convert", (first, Constant(str(found)), Constant(str(expected)))):
            return _scaled(range_of(first, spec_of), ratio(found, expected))
        case Call("min" | "max" | "mean" | "add" | "sub" | "mul" | "div" | "neg" | "percent" | "to_percent" | "abs"):
            return _combined(tree.op, [range_of(arg, spec_of) for arg in tree.args])
    return ALL


def _combined(op: str, args: Sequence[Range]) -> Range:
    first, last = args[0], args[-1]
    match op:
        case "min" | "max" | "mean" if len(args) > 1:
            return _hull(args)
        case "add":
            return _sum(first[0], last[0]), _sum(first[1], last[1])
        case "sub":
            return _combined("add", [first, _combined("neg", [last])])
        case "neg":
            return _scaled(first, Fraction(-1))
        case "percent":
            return _scaled(first, Fraction(1, 100))
        case "to_percent":
            return _scaled(first, Fraction(100))
        case "abs":
            other = _scaled(first, Fraction(-1))
            sizes = [end for end in first if end is not None]
            apart = (first[0] is not None and first[0] > 0) or (first[1] is not None and first[1] < 0)
            return (min(map(abs, sizes)) if apart else Fraction(0)), _hull([first, other])[1]
        case "mul":
            return _product(first, last)
        case "div":
            low, high = last
            if low is not None and low > 0:
                return _product(first, (Fraction(0) if high is None else 1 / high, 1 / low))
    return ALL


def _hull(args: Sequence[Range]) -> Range:
    lows, highs = [low for low, _ in args], [high for _, high in args]
    return (
        None if None in lows else min(low for low in lows if low is not None),
        None if None in highs else max(high for high in highs if high is not None),
    )


def _sum(left: Fraction | None, right: Fraction | None) -> Fraction | None:
    return None if left is None or right is None else left + right


def _scaled(given: Range, by: Fraction | None) -> Range:
    if by is None:
        return ALL
    low, high = (None if end is None else end * by for end in given)
    return (low, high) if by >= 0 else (high, low)


def _product(left: Range, right: Range) -> Range:
    ends = [end for end in (*left, *right) if end is not None]
    if len(ends) == 4:
        products = [one * other for one in left for other in right if one is not None and other is not None]
        return min(products), max(products)
    below = left[0] is not None and left[0] >= 0 and right[0] is not None and right[0] >= 0
    return (left[0] * right[0], None) if below and left[0] is not None and right[0] is not None else ALL
