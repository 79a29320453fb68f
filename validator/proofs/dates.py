"""Dates and durations of formulas as terms: exact for days and hours, within bounds for months and working days."""

from collections.abc import Callable
from datetime import date
from fractions import Fraction

import z3

from validator.proofs.formulas import Formula, both, negation
from validator.proofs.kinds import Kind, Opaque, Term
from validator.proofs.numbers import Fresh

Found = tuple[Kind, Term]
_UNITS: dict[str, tuple[Kind, int]] = {
    "s": ("clock", 1), "min": ("clock", 60), "h": ("clock", 3600), "d": ("clock", 86400), "wk": ("clock", 604800),
    "mo": ("month", 1), "y": ("month", 12), "BD": ("business", 1),
}  # fmt: skip
_DAY, _LAST_DAY, _MOST = 86400, date.max.toordinal(), 10**9


class Dates:
    """The operations on dates of one formula.

    Args:
        fresh: makes a term of which only bounds are known.
        hazard: keeps that the formula has no value at a place, with a code, when something holds.
    """

    def __init__(self, fresh: Fresh, hazard: Callable[..., None]) -> None:
        self.fresh, self.hazard = fresh, hazard

    def shifted(
        self, at: str, left: Kind | None, moment: Term, right: Kind | None, length: Term, later: bool, known: Formula
    ) -> Found:
        """A date, datetime or duration with a duration added or taken away.

        Raises:
            Opaque: nothing is known of it.
        """
        sign = 1 if later else -1
        if left is not None and left == right and left in ("clock", "month", "business"):
            found = moment + sign * length
            most = _MOST * (_DAY if left == "clock" else 1)
            self.hazard(at, "OUT_OF_RANGE", known, z3.Or(found < 0, found >= most))
            return left, found
        if left == "date" and right == "clock":
            self.hazard(at, "TYPE_MISMATCH", known, length % _DAY != 0)
            found = moment + sign * (length / _DAY)
            self.hazard(at, "OUT_OF_RANGE", known, z3.Or(found < 1, found > _LAST_DAY))
            return left, found
        if left == "date" and right == "month":
            ends = [moment + sign * 28 * length, moment + sign * 31 * length]
            low, high = ends if later else reversed(ends)
            fails = z3.And(self.fresh("boolean"), z3.Or(high > _LAST_DAY, low < 1))
            self.hazard(at, "OUT_OF_RANGE", known, fails)
            return left, self.fresh("date", both(known, negation(fails)), low, high)
        if left in ("zoned", "local") and right == "clock":
            return left, moment + sign * length * 10**6
        raise Opaque("dates and durations of which nothing is known")

    def duration(self, at: str, count: Term, unit: str, known: Formula) -> Found:
        """A number of units as a duration.

        Raises:
            Opaque: there is no such unit.
        """
        if unit not in _UNITS:
            raise Opaque("a unit that is none of time")
        kind, size = _UNITS[unit]
        whole = z3.ToInt(count)
        self.hazard(at, "OUT_OF_RANGE", known, z3.Or(count != z3.ToReal(whole), count < 0, whole >= _MOST))
        return kind, whole * size

    def counted(self, op: str, days: list[Term], count: Fraction | None, given: Formula) -> Found:
        """Days, months and working days between two dates, and dates by working days.

        Raises:
            Opaque: nothing is known of it.
        """
        first = days[0]
        if op == "add_working_days":
            if count is None or count.denominator != 1:
                raise Opaque("working days whose number is not written out")
            near = first + int(count)
            return "date", first if not count else self.fresh("date", given, *((near,) if count > 0 else (None, near)))
        apart = days[1] - first
        if op == "days_between":
            return "number", z3.ToReal(apart)
        size = z3.ToReal(z3.If(apart >= 0, apart, -apart))
        if op == "months_between":
            size = size / 28
        found = self.fresh("number", given, -size, size)
        return "number", found
