"""When something is due: a moment and a length of time, by a calendar of working days (`ir.duration`) and a zone."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from ir.duration import Calendar, OutsideCalendarError, duration_length
from store.clock import moment


def due(begin: str, length: str, calendar: Calendar, zone: tzinfo = UTC, *, working: bool = False) -> str | None:
    """The moment after a length of time; None where there is none, or the calendar ends before.

    Args:
        begin: a moment in UTC.
        length: as a deadline has it: `P3BD`, `PT48H`, `P2M`.
        calendar: says which days are working days.
        zone: where days begin and end.
        working: days and hours by the clock go on through working days alone, from midnight to midnight.

    >>> from ir.duration import CALENDARS
    >>> due("2026-11-27T10:00:00.000000+00:00", "P2BD", CALENDARS["weekdays@1"])
    '2026-12-01T10:00:00.000000+00:00'
    >>> due("2026-11-27T22:00:00.000000+00:00", "PT4H", CALENDARS["weekdays@1"], working=True)
    '2026-11-30T02:00:00.000000+00:00'
    >>> due("2026-01-31T10:00:00.000000+00:00", "P1M", CALENDARS["weekdays@1"])
    '2026-02-28T10:00:00.000000+00:00'
    """
    found = duration_length(length)
    if found is None:
        return None
    amount, counted = int(found[0]), found[1]
    start = datetime.fromisoformat(begin).astimezone(zone)
    try:
        if counted == "business":
            return moment(datetime.combine(calendar.after(start.date(), amount), start.time(), zone))
        if counted == "month":
            return moment(datetime.combine(_months_later(start.date(), amount), start.time(), zone))
        length_of_time = timedelta(seconds=amount)
        return moment(
            _on_working_days(start, length_of_time, calendar, zone)
            if working
            else start.astimezone(UTC) + length_of_time
        )
    except (OutsideCalendarError, OverflowError, ValueError):
        return None


def _on_working_days(start: datetime, left: timedelta, calendar: Calendar, zone: tzinfo) -> datetime:
    here = start
    while True:
        midnight = datetime.combine(here.date() + timedelta(days=1), time.min, zone)
        if calendar.works(here.date()):
            rest = midnight.astimezone(UTC) - here.astimezone(UTC)
            if left <= rest:
                return here.astimezone(UTC) + left
            left -= rest
        here = midnight


def _months_later(start: date, months: int) -> date:
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    last = (date(year + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
    return date(year, month + 1, min(start.day, last))
