"""What time it is: one place, so that tests can tell another."""

from datetime import UTC, datetime


def now() -> str:
    """The moment in UTC, to the microsecond; such texts sort as moments do."""
    return moment(datetime.now(UTC))


def moment(time: datetime) -> str:
    """A moment with a zone, written as all moments in the database are."""
    return time.astimezone(UTC).isoformat(timespec="microseconds")
