"""Quantities in running text: a number with its unit, converted by a table and never by guess."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from compiler.text.numerals import Number, find_numbers

_PREFIXED = re.compile(r"(?:US)?[$]|[€£¥￥]|\b(?:USD|EUR|GBP|CNY|RMB)\s?")
_SIGNS = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY", "￥": "CNY", "RMB": "CNY"}
CURRENCIES = frozenset(_SIGNS.values())
"""Ids of the units that are money; none converts into another."""
CURRENCIES = frozenset(_SIGNS.values())
"""Ids of the units that are money; none converts into another."""


@dataclass(frozen=True)
class Unit:
    """A unit of measure: `factor` times a value gives the dimension's canonical unit; None where none is fixed."""

    id: str
    dimension: str
    canonical: str
    factor: float | None
    iso: str | None


@dataclass(frozen=True)
class Measured:
    """A quantity as it stands in a text, by code points."""

    start: int
    end: int
    value: float
    unit: Unit
    text: str

    @property
    def duration(self) -> str | None:
        """ISO 8601 form of a duration in whole units (`P5BD` for business days); half units become smaller ones."""
        if not self.unit.iso:
            return None
        if self.value == int(self.value):
            return self.unit.iso.format(n=int(self.value))
        smaller = {"y": ("P{n}M", 12), "h": ("PT{n}M", 60), "d": ("PT{n}H", 24)}.get(self.unit.id)
        whole = self.value * smaller[1] if smaller else 0.5
        return smaller[0].format(n=int(whole)) if smaller and whole == int(whole) else None


@cache
def units() -> dict[str, Unit]:
    """Units by id."""
    return {unit.id: unit for unit in _words().values()}


@cache
def _words() -> dict[str, Unit]:
    table = yaml.safe_load(files("compiler.text").joinpath("units.yaml").read_text("utf-8"))
    return {
        word: Unit(unit, dimension, entry["canonical"], spec["factor"], spec.get("iso"))
        for dimension, entry in table.items()
        for unit, spec in entry["units"].items()
        for word in spec["words"]
    }


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(_words(), key=len, reverse=True)
    return re.compile(
        r"\s?(?P<half>半)?\s?(?:"
        + "|".join(
            re.escape(w) + (r"(?![A-Za-z])" if w[-1].isascii() and w[-1].isalpha() else "") for w in longest_first
        )
        + ")"
    )


def find_quantities(text: str) -> tuple[Measured, ...]:
    """Every quantity in a text, left to right.

    >>> [(q.value, q.unit.id) for q in find_quantities("数量5吨，金额超过３万元，3个工作日内；$1,200 within 48 hours")]
    [(5.0, 't'), (30000.0, 'CNY'), (3.0, 'BD'), (1200.0, 'USD'), (48.0, 'h')]
    >>> find_quantities("半年")[0].duration, find_quantities("四十八小时内")[0].duration
    ('P6M', 'PT48H')
    """
    found = []
    for number in find_numbers(text):
        if (quantity := _after(text, number) or _before(text, number)) is not None:
            found.append(quantity)
    return tuple(found)


def _after(text: str, number: Number) -> Measured | None:
    match = _pattern().match(text, number.end)
    if not match:
        return None
    word = match[0].strip().removeprefix("半") or match[0].strip()
    unit = _words()[word.strip()]
    if unit.iso and unit.id in ("mo", "y", "d") and _is_date(text, number, match.end()):
        return None
    value = number.value + (0.5 if match["half"] else 0)
    return Measured(number.start, match.end(), value, unit, text[number.start : match.end()])


def _before(text: str, number: Number) -> Measured | None:
    for match in _PREFIXED.finditer(text, max(0, number.start - 5), number.start):
        if match.end() == number.start:
            sign = match[0].strip()
            return Measured(
                match.start(),
                number.end,
                number.value,
                units()[_SIGNS.get(sign, sign)],
                text[match.start() : number.end],
            )
    return None


def _is_date(text: str, number: Number, end: int) -> bool:
    """Whether `5月` or `2026年` is part of a date rather than a length of time."""
    word = text[number.end : end].strip()
    if word == "年":
        return number.value >= 1900
    if word == "月":
        return number.value <= 12 and not text.startswith(("内", "以内", "之内", "以上", "以下"), end)
    if word == "日":
        return bool(re.search(r"月\s?$", text[: number.start]))
    return False


def convert(value: float, unit: str, into: str) -> float | None:
    """The value in another unit of the same dimension; None where no fixed factor is known.

    >>> convert(5, "t", "kg"), convert(5, "t", "L") is None
    (5000.0, True)
    """
    source, target = units().get(unit), units().get(into)
    if source is None or target is None or source.dimension != target.dimension:
        return value if unit == into else None
    if unit == into:
        return value
    if source.factor is None or target.factor is None:
        return None
    return float(round(value * source.factor / target.factor, 9))
