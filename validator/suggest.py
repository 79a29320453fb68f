"""The name that was probably meant."""

from collections.abc import Iterable
from difflib import SequenceMatcher


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like a name, or None where none is like it; the last part counts too (`notify.emial`).

    >>> nearest("notify.emial", ["notify.email", "io.send"]), nearest("q", ["notify.email"])
    ('notify.email', None)
    """
    scored = [(_likeness(name, candidate), candidate) for candidate in known]
    best = max(scored, key=lambda pair: (pair[0], pair[1]), default=None)
    return best[1] if best and best[0] >= 0.6 else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean "X"?`, or what there is, or nothing.

    >>> did_you_mean("emial", ["email"]), did_you_mean("x", ["email", "post"]), did_you_mean("x", [])
    ('; did you mean "email"?', '; there is email, post', '')
    """
    names = list(known)
    if best := nearest(name, names):
        return f'; did you mean "{best}"?'
    if not names:
        return ""
    return "; there is " + ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _likeness(name: str, candidate: str) -> float:
    left, right = name.lower(), candidate.lower()
    whole = SequenceMatcher(None, left, right).ratio()
    last = SequenceMatcher(None, left.rsplit(".", 1)[-1], right.rsplit(".", 1)[-1]).ratio()
    return max(whole, last - 0.1)
