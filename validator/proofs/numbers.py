"""Numbers of formulas as terms: products and quotients where they are linear, else within bounds; rounding."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Protocol

import z3

from ir.formula import Call, Constant, Expression, Item, is_number
from ir.formulas.evaluate import FormulaFault, compute
from ir.predicate import Ref
from validator.analysis.ranges import range_of
from validator.analysis.types import Scope
from validator.proofs.formulas import Formula
from validator.proofs.kinds import Kind, Term

_MOST_VALUES = 12


class Fresh(Protocol):
    """Makes a term of which only bounds are known, where something is given."""

    def __call__(self, kind: Kind, given: Formula = None, low: Term = None, high: Term = None) -> Term: ...


class Numbers:
    """The operations on numbers of one formula.

    Args:
        scope: gives references their types.
        fresh: makes a term of which only bounds are known.
    """

    def __init__(self, ctx: z3.Context, scope: Scope, fresh: Fresh) -> None:
        self.ctx, self.scope, self.fresh = ctx, scope, fresh

    def real(self, value: Fraction | int) -> Term:
        """A number as a term."""
        return z3.Q(value.numerator, value.denominator, self.ctx)

    def within(self, tree: Expression, given: Formula) -> Term:
        """A number of which only the range is known, where something is given."""
        low, high = range_of(tree, self.scope.spec)
        ends = [None if end is None else self.real(end) for end in (low, high)]
        return self.fresh("number", given, ends[0], ends[1])

    def product(self, args: Sequence[Expression], terms: Sequence[Term], known: Formula) -> Term:
        """The product of two numbers: exactly where one is a constant or one of a few."""
        for at in (0, 1):
            times = constant_of(args[at])
            if times is not None:
                return terms[1 - at] * self.real(times)
        for at in (0, 1):
            if values := self.listed(args[at]):
                other = terms[1 - at]
                return self.by_case(terms[at], [(value, other * self.real(value)) for value in values])
        return self.within(Call("mul", tuple(args)), known)

    def quotient(self, args: Sequence[Expression], terms: Sequence[Term], known: Formula) -> Term:
        """The quotient of two numbers: exactly where the divisor is a constant or one of a few."""
        by = constant_of(args[1])
        if by is not None:
            return terms[0] * self.real(1 / by) if by else self.real(0)
        if values := [value for value in self.listed(args[1]) if value]:
            return self.by_case(terms[1], [(value, terms[0] * self.real(1 / value)) for value in values])
        return self.within(Call("div", tuple(args)), known)

    def listed(self, tree: Expression) -> list[Fraction]:
        """The few numbers that a reference can be; none where there are more."""
        spec = self.scope.spec(tree) if isinstance(tree, Ref) else None
        if spec is None:
            return []
        values = [Fraction(str(value)) for value in spec.enum or () if is_number(value)]
        if not values and spec.type == "integer" and spec.minimum is not None and spec.maximum is not None:
            first, last = int(spec.minimum), int(spec.maximum)
            values = [Fraction(value) for value in range(first, last + 1)] if last - first < _MOST_VALUES else []
        return values if len(values) <= _MOST_VALUES else []

    def by_case(self, term: Term, found: Sequence[tuple[Fraction, Term]]) -> Term:
        """What comes of each of the few numbers that a term can be."""
        result = found[0][1]
        for value, one in found[1:]:
            result = z3.If(term == self.real(value), one, result)
        return result

    def rounded(self, mode: str, term: Term, digits: int) -> Term:
        """A number rounded by one of FEEL's ways."""
        scale = Fraction(10) ** digits
        size = z3.If(term >= 0, term, -term) * self.real(scale)
        low = z3.ToInt(size)
        rest, half = size - z3.ToReal(low), self.real(Fraction(1, 2))
        away: Callable[[], Term] = {
            "up": lambda: rest > 0,
            "down": lambda: z3.BoolVal(False, self.ctx),
            "half_up": lambda: rest >= half,
            "half_down": lambda: rest > half,
            "half_even": lambda: z3.Or(rest > half, z3.And(rest == half, low % 2 == 1)),
        }[mode]
        found = z3.ToReal(z3.If(away(), low + 1, low)) * self.real(1 / scale)
        return z3.If(term >= 0, found, -found)


def constant_of(tree: Expression) -> Fraction | None:
    """The number that a formula is, whatever is read; None where it reads something.

    >>> constant_of(Call("percent", (Constant(5),)))
    Fraction(1, 20)
    """
    if any(isinstance(part, Ref | Item) for part in _leaves(tree)):
        return None
    found = compute(tree, lambda ref: None)
    return Fraction(str(found)) if not isinstance(found, FormulaFault) and is_number(found) else None


def _leaves(tree: Expression) -> Iterator[Ref | Constant | Item]:
    if isinstance(tree, Call):
        for arg in tree.args:
            yield from _leaves(arg)
    else:
        yield tree
