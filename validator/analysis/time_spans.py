"""Spans of time that count in several calendars, compared only where the answer is certain."""

import math
from dataclasses import dataclass

from ir.duration import duration_length

_DAY = 86400.0


@dataclass(frozen=True)
class TimeSpan:
    """A sum of durations.

    Args:
        clock: in seconds.
        months: of 28 to 31 days each.
        business: in business days, of which weekends and holidays make any number of days.
    """

    clock: float = 0
    months: float = 0
    business: float = 0

    @classmethod
    def parse(cls, text: str) -> "TimeSpan":
        """A duration as ISO 8601 writes it, or in business days; zero where it is none.

        >>> TimeSpan.parse("P2D"), TimeSpan.parse("P5BD").business
        (TimeSpan(clock=172800.0, months=0, business=0), 5.0)
        """
        amount, calendar = duration_length(text) or (0, "clock")
        return cls(**{{"clock": "clock", "month": "months", "business": "business"}[calendar]: amount})

    def add(self, other: "TimeSpan", times: int = 1) -> "TimeSpan":
        """The sum with another length, taken several times."""
        return TimeSpan(
            self.clock + other.clock * times,
            self.months + other.months * times,
            self.business + other.business * times,
        )

    @property
    def least(self) -> float:
        """Seconds that surely pass: of n business days, n - 1 whole days."""
        return self.clock + self.months * 28 * _DAY + max(0, self.business - 1) * _DAY

    @property
    def most(self) -> float:
        """Seconds in which it has surely passed."""
        return math.inf if self.business else self.clock + self.months * 31 * _DAY

    def surely_exceeds(self, other: "TimeSpan") -> bool:
        """Whether it is longer whatever the calendar.

        >>> five = TimeSpan.parse("P5BD")
        >>> TimeSpan.parse("P10BD").surely_exceeds(five), TimeSpan.parse("P10D").surely_exceeds(five)
        (True, False)
        >>> TimeSpan.parse("P10BD").surely_exceeds(TimeSpan.parse("PT48H"))
        True
        """
        mine, its = (self.clock, self.months, self.business), (other.clock, other.months, other.business)
        if mine != its and all(one >= another for one, another in zip(mine, its, strict=True)):
            return True
        return self.least > other.most

    def __str__(self) -> str:
        """As it would be written, its parts joined by a plus.

        >>> str(TimeSpan.parse("P2D").add(TimeSpan.parse("P5BD")))
        'P2D + P5BD'
        """
        parts = [_clock(self.clock)] if self.clock else []
        parts += [f"P{self.months:g}M"] if self.months else []
        parts += [f"P{self.business:g}BD"] if self.business else []
        return " + ".join(parts) or "PT0S"


def _clock(seconds: float) -> str:
    for size, before, after in ((_DAY, "P", "D"), (3600, "PT", "H"), (60, "PT", "M")):
        if seconds % size == 0:
            return f"{before}{seconds / size:g}{after}"
    return f"PT{seconds:g}S"
