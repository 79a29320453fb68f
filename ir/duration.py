"""Durations: ISO 8601 with one addition, `P5BD` for five business days."""

import re
from typing import Annotated

from pydantic import AfterValidator

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


def _checked(text: str) -> str:
    if duration_length(text) is None:
        raise ValueError(f"{text!r} is no duration such as P3D, PT48H, P2M or P5BD")
    return text


Duration = Annotated[str, AfterValidator(_checked)]
