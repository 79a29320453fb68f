"""Ranges of versions, as a draft names them: `1.0.0`, `^1.0.0`, `~1.2`, `>=1.0.0`, `>=1.0 <2.0`, `*`."""

import re

Version = tuple[int, int, int]
_PART = re.compile(r"(\^|~|>=|<=|>|<|=)?\s*(\d+)(?:\.(\d+))?(?:\.(\d+))?")


def admits(wanted: str, version: str) -> bool | None:
    """Whether a range admits a version; None where the text is no range.

    Parts joined by space or comma must all hold. A bare number of one or two parts stands for all that begin so.

    >>> admits("^1.2.0", "1.4.0"), admits("^1.2.0", "2.0.0"), admits("~1.2", "1.3.0"), admits("1", "1.9.9")
    (True, False, False, True)
    >>> admits(">=1.0 <2.0", "1.5.0"), admits("newest", "1.0.0") is None
    (True, True)
    """
    there = _PART.fullmatch(version)
    if not there:
        return None
    have: Version = (int(there[2]), int(there[3] or 0), int(there[4] or 0))
    parts = [part for part in re.split(r"\s*,\s*|(?<=[\d*])\s+", wanted.strip()) if part]
    verdicts = [_admits(part, have) for part in parts]
    return None if not verdicts or None in verdicts else all(verdicts)


def _admits(part: str, have: Version) -> bool | None:
    if part == "*":
        return True
    match = _PART.fullmatch(part)
    if not match:
        return None
    sign, given = match[1] or "", [int(number) for number in match.groups()[1:] if number is not None]
    low: Version = (int(match[2]), int(match[3] or 0), int(match[4] or 0))
    if sign in (">=", "<=", ">", "<"):
        return {">=": have >= low, "<=": have <= low, ">": have > low, "<": have < low}[sign]
    return low <= have < _above(sign, given)


def _above(sign: str, given: list[int]) -> Version:
    """The first version that is too new."""
    major, minor, patch = (*given, 0, 0)[:3]
    if sign == "^":
        kept = next((place for place, number in enumerate(given) if number), len(given) - 1)
    elif sign == "~":
        kept = min(1, len(given) - 1)
    else:
        kept = len(given) - 1
    return ((major + 1, 0, 0), (major, minor + 1, 0), (major, minor, patch + 1))[kept]
