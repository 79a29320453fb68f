"""How the values of a field become terms of the solver, and terms values again.

Numbers are numbers; dates are days, datetimes microseconds, durations amounts of one calendar. Strings are whole
numbers that stand for the constants which conditions mention, and every other number for some other text: that is
exact, since conditions can only ask whether texts are equal, and far cheaper than the solver's own strings.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import count
from typing import Any, Literal

import z3
from pydantic import JsonValue

from ir.duration import duration_length, written_duration
from ir.fields import FieldSpec
from validator.proofs.formulas import Formula, disjunction

Kind = Literal["boolean", "integer", "number", "text", "date", "zoned", "local", "clock", "month", "business"]
Term = Any
NUMERIC: tuple[Kind, ...] = ("integer", "number")
_EPOCH = datetime(1970, 1, 1)
_RANGES: dict[Kind, tuple[int, int]] = {
    "date": (1, date.max.toordinal()),
    "zoned": (-62135596800 * 10**6, 253402300799 * 10**6),
    "local": (-62135596800 * 10**6, 253402300799 * 10**6),
    "clock": (0, 86400 * (10**9 - 1)),
    "month": (0, 10**9 - 1),
    "business": (0, 10**9 - 1),
}
_DURATIONS: dict[str, Kind] = {"clock": "clock", "month": "month", "business": "business"}


class Opaque(Exception):  # noqa: N818 - it says what a condition is, and is always caught
    """What the solver cannot be asked about: whole objects, texts by their order, mixed calendars.

    Args:
        why: in words.
    """

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


@dataclass
class Texts:
    """Numbers for texts. Texts that a comparison holds for equal (`P1D`, `PT24H`) have one number."""

    spare = -1
    """The number of a text that no condition mentions."""

    codes: dict[JsonValue, int] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)

    def code(self, text: str) -> int:
        """The number of a text, a new one where it has none."""
        key: Any = duration_length(text) or moment(text) or text
        number = self.codes.setdefault(key, len(self.codes))
        self.texts.setdefault(number, text)
        return number

    def text(self, number: int) -> str:
        """The text of a number; where no constant has it, some text that no condition mentions, always the same."""
        if number not in self.texts:
            known = set(self.texts.values())
            self.texts[number] = next(name for rank in count(1) if (name := f"other-{rank}") not in known)
        return self.texts[number]


def moment(text: str) -> tuple[int, Kind] | None:
    """A date as its day, a datetime as microseconds since 1970 with or without zone; None for other texts.

    >>> moment("1970-01-02"), moment("1970-01-01T00:00:01"), moment("soon")
    ((719164, 'date'), (1000000, 'local'), None)
    """
    if len(text) < 10 or text[4] != "-" or text[7] != "-":
        return None
    try:
        if len(text) == 10:
            return date.fromisoformat(text).toordinal(), "date"
        at = datetime.fromisoformat(text)
        plain = at.astimezone(UTC).replace(tzinfo=None) if at.tzinfo else at
    except (ValueError, OverflowError):
        return None
    return (plain - _EPOCH) // timedelta(microseconds=1), "zoned" if at.tzinfo else "local"


def kind_of(spec: FieldSpec, constants: Iterable[JsonValue]) -> Kind:
    """What the values of a field are to the solver.

    Args:
        constants: all that the field, and fields compared with it, are compared with; they fix the calendar.

    Raises:
        Opaque: it is an object or array, or the constants are of several calendars.
    """
    plain: dict[str, Kind] = {"boolean": "boolean", "integer": "integer", "number": "number", "string": "text"}
    if spec.type in plain:
        return plain[spec.type]
    if spec.type == "date":
        return "date"
    read = duration_length if spec.type == "duration" else moment
    if spec.type not in ("duration", "datetime"):
        raise Opaque("two arrays are compared" if spec.type == "array" else f"a whole {spec.type} is compared")
    found = [read(text) for text in (*constants, *(spec.enum or ())) if isinstance(text, str)]
    kinds = {pair[1] for pair in found if pair is not None} - {"date"}
    if len(kinds) > 1:
        raise Opaque("values of different calendars are compared: " + ", ".join(sorted(kinds)))
    default: Kind = "clock" if spec.type == "duration" else "zoned"
    return _DURATIONS.get(next(iter(kinds), ""), next(iter(kinds), default))  # type: ignore[arg-type]


def amount_of(value: JsonValue, kind: Kind, texts: Texts) -> bool | int | Fraction | None:
    """A JSON value as the solver's, None where it is none of this kind."""
    if kind == "boolean":
        return value if isinstance(value, bool) else None
    if kind in NUMERIC:
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        return Fraction(str(value)) if plain and abs(value) < 1e300 else None  # type: ignore[arg-type]
    if not isinstance(value, str):
        return None
    if kind == "text":
        return texts.code(value)
    read = duration_length(value) if kind in _DURATIONS else moment(value)
    return int(read[0]) if read is not None and read[1] == kind else None


def variable(name: str, kind: Kind, ctx: z3.Context) -> Term:
    """A variable for a value of this kind."""
    if kind == "boolean":
        return z3.Bool(name, ctx)
    return z3.Real(name, ctx) if kind == "number" else z3.Int(name, ctx)


def constant(amount: bool | int | Fraction, ctx: z3.Context) -> Term:
    """A value as a term."""
    if isinstance(amount, bool):
        return z3.BoolVal(amount, ctx)
    if isinstance(amount, Fraction) and amount.denominator != 1:
        return z3.Q(amount.numerator, amount.denominator, ctx)
    return z3.IntVal(int(amount), ctx)


def one_of(term: Term, kind: Kind, values: Iterable[JsonValue], texts: Texts) -> Formula:
    """That a term is one of some values; those that are none of the kind are left out."""
    amounts = [amount_of(value, kind, texts) for value in values if value is not None]
    return disjunction([term == constant(amount, term.ctx) for amount in amounts if amount is not None], term.ctx)


def bounds(term: Term, kind: Kind) -> tuple[Term, ...]:
    """What holds for every value of a kind."""
    if kind not in _RANGES:
        return ()
    low, high = _RANGES[kind]
    return (term >= low, term <= high)


def value_of(term: Term, kind: Kind, texts: Texts) -> JsonValue:
    """A term without variables as a JSON value."""
    if kind == "boolean":
        return bool(z3.is_true(term))
    if kind == "number":
        exact = term.as_fraction() if hasattr(term, "as_fraction") else Fraction(str(term))
        return int(exact) if exact.denominator == 1 else float(exact)
    number = term.as_long()
    if kind == "integer":
        return int(number)
    if kind == "text":
        return texts.text(number)
    if kind == "date":
        return date.fromordinal(number).isoformat()
    if kind in ("zoned", "local"):
        at = _EPOCH + timedelta(microseconds=number)
        return (at.replace(tzinfo=UTC) if kind == "zoned" else at).isoformat()
    return written_duration(number, kind)
