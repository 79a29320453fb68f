"""Durations: ISO 8601 with one addition, `P5BD` for five business days; and the calendars that say which days count.

Calendars are data, pinned by a version, so that a deadline is the same whenever it is asked for.
"""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from functools import cached_property
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from ir.base import Model
from ir.source import Evidence

_DURATION = re.compile(
    r"P(?=.)(?:(N)Y)?(?:(N)M)?(?:(N)W)?(?:(N)(BD|D))?(?:T(?=.)(?:(N)H)?(?:(N)M)?(?:(N)S)?)?".replace("N", "[0-9]{1,9}")
)


def duration_length(text: str) -> tuple[float, str] | None:
    """A duration's length, with the calendar it counts in; months and business days have no fixed length in seconds.

    Returns:
        (seconds, "clock"), (months, "month") or (days, "business"); None where the text is no such duration.

    >>> duration_length("PT48H") == duration_length("P2D"), duration_length("P5BD"), duration_length("5 days")
    (True, (5.0, 'business'), None)
    """
    match = _DURATION.fullmatch(text)
    if not match:
        return None
    years, months, weeks, days, unit, hours, minutes, seconds = match.groups()
    clock = (int(hours or 0) * 60 + int(minutes or 0)) * 60 + int(seconds or 0)
    if years or months:
        return None if weeks or days or clock else (float(int(years or 0) * 12 + int(months or 0)), "month")
    if unit == "BD":
        return None if weeks or clock else (float(days), "business")
    return float((int(weeks or 0) * 7 + int(days or 0)) * 86400 + clock), "clock"


def written_duration(amount: int, calendar: str) -> str:
    """A duration as it is written; the inverse of `duration_length`.

    >>> written_duration(3, "business"), written_duration(172800, "clock"), written_duration(5430, "clock")
    ('P3BD', 'P2D', 'PT1H30M30S')
    """
    if calendar != "clock":
        return f"P{amount}M" if calendar == "month" else f"P{amount}BD"
    days, rest = divmod(amount, 86400)
    hours, minutes, seconds = rest // 3600, rest // 60 % 60, rest % 60
    clock = "".join(f"{n}{unit}" for n, unit in ((hours, "H"), (minutes, "M"), (seconds, "S")) if n)
    day = f"{days}D" if days or not clock else ""
    return f"P{day}" + (f"T{clock}" if clock else "")


def _checked(text: str) -> str:
    if duration_length(text) is None:
        raise ValueError(f"{text!r} is no duration such as P3D, PT48H, P2M or P5BD")
    return text


Duration = Annotated[str, AfterValidator(_checked)]

CalendarName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_-]*@[0-9][0-9A-Za-z.-]*$")]
_DAY = timedelta(days=1)


class OutsideCalendarError(Exception):
    """A day of which a calendar says nothing."""


class Calendar(Model):
    """Which days are working days, from one day to another; it says nothing of days beyond.

    Args:
        rest: the days of the week that are no working days, 1 for Monday to 7 for Sunday.
        holidays: days that are none though their day of the week would be.
        workdays: days that are though their day of the week would be none.
    """

    first: date
    last: date
    rest: tuple[int, ...] = (6, 7)
    holidays: tuple[date, ...] = ()
    workdays: tuple[date, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    @cached_property
    def _listed(self) -> Mapping[date, bool]:
        return dict.fromkeys(self.holidays, False) | dict.fromkeys(self.workdays, True)

    def works(self, day: date) -> bool:
        """Whether a day is a working day.

        Raises:
            OutsideCalendarError: the calendar says nothing of it.
        """
        if not self.first <= day <= self.last:
            raise OutsideCalendarError
        listed = self._listed.get(day)
        return day.isoweekday() not in self.rest if listed is None else listed

    def after(self, day: date, count: int) -> date:
        """The working day that is so many after a day, the day itself not counted; before it where negative.

        Raises:
            OutsideCalendarError: the calendar ends before.

        >>> CALENDARS["weekdays@1"].after(date(2026, 1, 2), 1)
        datetime.date(2026, 1, 5)
        """
        step = _DAY if count >= 0 else -_DAY
        left = abs(count)
        while left:
            try:
                day += step
            except OverflowError:
                raise OutsideCalendarError from None
            left -= self.works(day)
        return day

    def between(self, start: date, end: date) -> int:
        """How many working days come after a day, up to and with another; negative where that is earlier.

        Raises:
            OutsideCalendarError: the calendar says nothing of some of them.

        >>> CALENDARS["weekdays@1"].between(date(2026, 1, 2), date(2026, 1, 6))
        2
        """
        if end < start:
            return -sum(self.works(end + n * _DAY) for n in range((start - end).days))
        return sum(self.works(start + n * _DAY) for n in range(1, (end - start).days + 1))


CALENDARS: Mapping[str, Calendar] = {"weekdays@1": Calendar(first=date.min, last=date.max)}
"""The calendars that every workflow has: Monday to Friday, without holidays."""
