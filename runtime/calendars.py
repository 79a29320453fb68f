"""The installation's calendar of working days: what `flowc.toml` says under `[calendar]`.

[calendar]
country = "CN"               # public holidays and working weekends, as the package `holidays` knows them; or "DE-BY"
holidays = ["2026-05-04"]    # one's own days
workdays = ["2026-12-26"]
timezone = "Asia/Shanghai"   # where days begin and end
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import MAXYEAR, date, datetime, time, timedelta
from functools import cache
from importlib.metadata import version
from typing import Any, Literal
from zoneinfo import ZoneInfo

from ir.base import Model
from ir.codec import read_form
from ir.duration import CALENDARS, Calendar, duration_length
from ir.errors import BadSetting
from ir.procedure import Deadline
from runtime.due import due
from store.clock import moment

WEEKDAYS = "weekdays@1"
EARLIEST, LATEST = date(1970, 1, 1), date(2999, 12, 31)
"""Days beyond which nothing was done, whatever is asked for."""
MOST_YEARS = 100
"""After a moment, for which the days of a country are looked up."""


class CalendarSettings(Model):
    """What `[calendar]` may say.

    Args:
        country: a code of ISO 3166-1, with a subdivision after a hyphen where holidays depend on it; None for none.
        holidays, workdays: one's own, whatever the country has.
        hours: `working` where hours and days by the clock go on through working days alone.
    """

    country: str | None = None
    holidays: tuple[date, ...] = ()
    workdays: tuple[date, ...] = ()
    timezone: str = "UTC"
    hours: Literal["clock", "working"] = "clock"


@dataclass(frozen=True)
class OfficeCalendar:
    """By which working days deadlines are counted here.

    Args:
        settings: None where nothing was said: Monday to Friday in UTC.
    """

    settings: CalendarSettings | None = None

    def midnight(self, day: date | None, after: int = 0) -> str | None:
        """The moment at which a day begins here, or another so many days after it; None of none.

        Days long before and after all runs are taken for the first and the last that there may be.
        """
        if day is None:
            return None
        within = min(max(day, EARLIEST), LATEST) + timedelta(days=after)
        zone = ZoneInfo((self.settings or CalendarSettings()).timezone)
        return moment(datetime.combine(within, time.min, zone))

    def due(self, begin: str, deadline: Deadline, of_workflow: Mapping[str, Calendar]) -> tuple[str | None, str]:
        """When something is due that began at a moment, and in words by which days that was counted.

        Args:
            of_workflow: its calendars; one that the deadline names goes before that of the installation.
        """
        known = {**CALENDARS, **of_workflow}
        given = self.settings or CalendarSettings()
        named = known.get(deadline.calendar or "")
        amount, counted = duration_length(deadline.duration) or (0, "")
        working = counted == "clock" and (named is not None or given.hours == "working")
        days = int(amount / 86400 if counted == "clock" else amount)
        needed = counted == "business" or working
        calendar = named or (self.calendar(begin, days) if needed else CALENDARS[WEEKDAYS])
        found = due(begin, deadline.duration, calendar, ZoneInfo(given.timezone), working=working)
        counted_by = f"the calendar {deadline.calendar}" if named is not None else self.words
        if found is None:
            return None, f"{deadline.duration} cannot be counted: {counted_by} says nothing of days so late"
        local = datetime.fromisoformat(found).astimezone(ZoneInfo(given.timezone))
        told = f"{local:%Y-%m-%d %H:%M} {given.timezone} ({deadline.duration}"
        return found, told + (f"; working days: {counted_by})" if needed else ")")

    @property
    def words(self) -> str:
        """Which days are working days."""
        if self.settings is None:
            return "Monday to Friday, flowc.toml has no [calendar]"
        given = self.settings
        days = f"those of {given.country} (holidays {version('holidays')})" if given.country else "Monday to Friday"
        own = len(given.holidays) + len(given.workdays)
        return days + (f", with {own} days of flowc.toml" if own else "")

    def calendar(self, begin: str, days: int) -> Calendar:
        """The working days from a moment on, so many and more."""
        given = self.settings or CalendarSettings()
        own_rest, own_work = frozenset(given.holidays), frozenset(given.workdays)
        if given.country is None:
            return Calendar(first=date.min, last=date.max, holidays=given.holidays, workdays=given.workdays)
        first = int(begin[:4]) - 1
        found = _of_country(given.country, first, min(first + 3 + days // 100, first + MOST_YEARS, MAXYEAR - 1))
        return Calendar(
            first=found.first,
            last=found.last,
            rest=found.rest,
            holidays=tuple(sorted((own_rest | set(found.holidays)) - own_work)),
            workdays=tuple(sorted((own_work | set(found.workdays)) - own_rest)),
        )


def read_calendar(given: Any) -> OfficeCalendar:
    """The calendar that the table `[calendar]` describes.

    Args:
        given: None where there is no such table.

    Raises:
        BadSetting: what is wrong with it.
    """
    if given is None:
        return OfficeCalendar()
    read, faults = read_form(CalendarSettings, json.loads(json.dumps(given, default=str)))
    if read is None:
        told = "; ".join(f"{one.location.pointer}: {one.message}".lstrip("/: ") for one in faults)
        raise BadSetting(f"[calendar] in flowc.toml: {told}")
    if both := sorted(set(read.holidays) & set(read.workdays)):
        raise BadSetting(f"[calendar] in flowc.toml: {both[0]} is among both holidays and workdays; keep one of them")
    try:
        ZoneInfo(read.timezone)
    except (OSError, ValueError, KeyError) as error:
        told = f"timezone {read.timezone!r} is not known here; write one as Asia/Shanghai or UTC"
        raise BadSetting(f"[calendar] in flowc.toml: {told}") from error
    if read.country is not None:
        try:
            _of_country(read.country, 2026, 2026)
        except ImportError as error:
            told = "country needs the package holidays; install it: pip install 'flowc[run]'"
            raise BadSetting(f"[calendar] in flowc.toml: {told}") from error
        except NotImplementedError as error:
            told = f"country {read.country!r} is none that is known; write a code as CN, or DE-BY"
            raise BadSetting(f"[calendar] in flowc.toml: {told}") from error
    return OfficeCalendar(read)


@cache
def _of_country(code: str, first: int, last: int) -> Calendar:
    """The working days of a country in some years.

    Raises:
        NotImplementedError: no such country, or no such part of it.
        ImportError: what knows them is not installed.
    """
    import holidays

    country, _, part = code.partition("-")
    known = holidays.country_holidays(country, subdiv=part or None, years=range(first, last + 1))
    rest = tuple(sorted(day + 1 for day in known.weekend))
    begin, end = date(first, 1, 1), date(last, 12, 31)
    days = [begin + timedelta(days=n) for n in range((end - begin).days + 1)]
    works = {day: known.is_working_day(day) for day in days}
    return Calendar(
        first=begin,
        last=end,
        rest=rest,
        holidays=tuple(day for day in days if not works[day] and day.isoweekday() not in rest),
        workdays=tuple(day for day in days if works[day] and day.isoweekday() in rest),
    )
