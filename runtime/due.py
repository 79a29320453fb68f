"""When something is due: a moment and a length of time, with business days."""

import re
from datetime import UTC, date, datetime, timedelta

from store.clock import moment

_BUSINESS = re.compile(r"P(\d+)BD")
_MONTHS = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")


def due(
    begin: str, length: str, free: frozenset[str] = frozenset(), worked: frozenset[str] = frozenset()
) -> str | None:
    """The moment after a length of time; None where the length is none.

    Args:
        begin: a moment in UTC.
        length: ISO 8601, or `P3BD`.
        free: days (`2026-10-01`) on which nobody works.
        worked: Saturdays and Sundays on which people do.

    >>> due("2026-11-27T10:00:00.000000+00:00", "P2BD")
    '2026-12-01T10:00:00.000000+00:00'
    >>> due("2026-01-31T10:00:00.000000+00:00", "P1M")
    '2026-02-28T10:00:00.000000+00:00'
    """
    start = datetime.fromisoformat(begin).astimezone(UTC)
    if (business := _BUSINESS.fullmatch(length)) is not None:
        return moment(_business_days(start, int(business[1]), free, worked))
    parts = _MONTHS.fullmatch(length)
    if parts is None or not any(parts.groups()):
        return None
    years, months, weeks, days, hours, minutes, seconds = (int(part or 0) for part in parts.groups())
    later = _months_later(start, 12 * years + months)
    return moment(later + timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds))


def _business_days(start: datetime, count: int, free: frozenset[str], worked: frozenset[str]) -> datetime:
    here = start
    while count > 0:
        here += timedelta(days=1)
        day = here.date().isoformat()
        count -= day in worked or (here.weekday() < 5 and day not in free)
    return here


def _months_later(start: datetime, months: int) -> datetime:
    if not months:
        return start
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    last = (date(year + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
    return start.replace(year=year, month=month + 1, day=min(start.day, last))
