"""Quantities in running text: a number with its unit, converted by a table and never by guess."""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files

import yaml

from ir.quantities.numerals import Number, find_numbers, han_number

_SIGNS = {
    "$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY", "￥": "CNY", "RMB": "CNY", "HK$": "HKD",
    "A$": "AUD", "C$": "CAD", "S$": "SGD", "₹": "INR", "CN¥": "CNY",
}  # fmt: skip
CURRENCIES = frozenset([*_SIGNS.values(), "JPY", "CHF", "KRW"])
"""Ids of the units that are money; none converts into another."""
_PREFIXED = re.compile(r"(?:US|HK|A|C|S)?[$]|[€£￥₹]|(?:CN)?¥|\b(?:RMB|" + "|".join(sorted(CURRENCIES)) + r")\s?")
_SHORT = re.compile(r"\s?(?P<scale>k|K|m|M|mn|bn)(?![A-Za-z])")
_SHORT_SCALES = {"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9}
_MINUS = "-−–－"
_TENTHS = re.compile(r"成(?:(?P<half>半)|(?P<more>[一二三四五六七八九]))?(?![\u4e00-\u9fff](?<![的以及或和与，时者]))")
"""Tenths, as in 两成 (20 %), 三成半, 一成五; not 成 in a word."""
_AND_A_HALF = re.compile(r"半(?![价天年月小个日径数截途边成])")
_SHARE = re.compile(r"(?P<of>[百千万])分之$")
_MONTHS = {"mo": 1, "y": 12}
_SHARES = {"百": 1, "千": 10, "万": 100}


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
    """A quantity as it stands in a text, by code points.

    Args:
        said: the number with its unit, where the unit stands elsewhere; else the same as `text`.
    """

    start: int
    end: int
    value: float
    unit: Unit
    text: str
    said: str = ""

    def __post_init__(self) -> None:
        if not self.said:
            object.__setattr__(self, "said", self.text)

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
    table = yaml.safe_load(files("ir.quantities").joinpath("units.yaml").read_text("utf-8"))
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


BELOW_ZERO = re.compile(rf"(?:(?<![A-Za-z0-9_)）℃])(?<![\d℃C]\s)[{_MINUS}]\s?|零下|\bminus\s)$", re.IGNORECASE)


def find_quantities(text: str) -> tuple[Measured, ...]:
    """Every quantity in a text, left to right.

    >>> [(q.value, q.unit.id) for q in find_quantities("数量5吨，金额超过３万元，3个工作日内；$1,200 within 48 hours")]
    [(5.0, 't'), (30000.0, 'CNY'), (3.0, 'BD'), (1200.0, 'USD'), (48.0, 'h')]
    >>> find_quantities("半年")[0].duration, find_quantities("四十八小时内")[0].duration
    ('P6M', 'PT48H')
    >>> [(q.value, q.unit.id) for q in find_quantities("高于两成半或者一吨半，千分之五，150 basis points，三成员工")]
    [(25.0, '%'), (1.5, 't'), (0.5, '%'), (150.0, 'bp')]
    """
    found = []
    for number in find_numbers(text):
        after, before = _after(text, number), _before(text, number)
        quantity = before if after is None or (before is not None and before.unit != after.unit) else after
        if quantity is not None:
            found.append(quantity)
    return tuple(found)


def _after(text: str, number: Number) -> Measured | None:
    if (tenths := _TENTHS.match(text, number.end)) is not None and 0 < number.value <= 10:
        more = 5 if tenths["half"] else float(han_number(tenths["more"] or "零") or 0)
        return Measured(
            number.start, tenths.end(), number.value * 10 + more, units()["%"], text[number.start : tenths.end()]
        )
    match = _pattern().match(text, number.end)
    if not match:
        return None
    word = match[0].strip().removeprefix("半") or match[0].strip()
    unit = _words()[word.strip()]
    if unit.iso and unit.id in ("mo", "y", "d") and _is_date(text, number, match.end()):
        return None
    value, end = number.value + (0.5 if match["half"] else 0), match.end()
    if word[-1] > "\u4e00" and not match["half"] and _AND_A_HALF.match(text, end) and value == int(value):
        value, end = value + 0.5, end + 1
    start = number.start
    if unit.dimension == "temperature" and (sign := BELOW_ZERO.search(text[:start])) is not None:
        value, start = -value, sign.start()
    return Measured(start, end, value, unit, text[start:end])


def _before(text: str, number: Number) -> Measured | None:
    if (share := _SHARE.search(text, max(0, number.start - 3), number.start)) is not None:
        start, end = share.start(), number.start + len(number.text.rstrip())
        return Measured(start, end, number.value / _SHARES[share["of"]], units()["%"], text[start:end])
    for match in _PREFIXED.finditer(text, max(0, number.start - 5), number.start):
        if match.end() == number.start:
            unit = units()[_sign(match[0])]
            short = _SHORT.match(text, number.end)
            end = short.end() if short else number.start + len(number.text.rstrip())
            value = number.value * (_SHORT_SCALES[short["scale"].lower()] if short else 1)
            return Measured(match.start(), end, value, unit, text[match.start() : end])
    return None


def _sign(written: str) -> str:
    return _SIGNS.get(written.strip(), written.strip())


def prefix_unit(text: str) -> Unit | None:
    """The currency whose sign or code a text begins with."""
    match = _PREFIXED.match(text)
    return units()[_sign(match[0])] if match else None


def unit_word(text: str) -> Unit | None:
    """The unit that a text is the word, code or sign of, and nothing else.

    >>> [unit.id for unit in map(unit_word, ["元", "Days", "US$"]) if unit]
    ['CNY', 'd', 'USD']
    """
    word = text.strip()
    return _words().get(word) or _words().get(word.lower()) or units().get(_SIGNS.get(word, ""))


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

    >>> convert(5, "t", "kg"), convert(5, "t", "L") is None, convert(1, "y", "mo"), convert(1, "mo", "d") is None
    (5000.0, True, 12.0, True)
    """
    source, target = units().get(unit), units().get(into)
    if source is None or target is None or source.dimension != target.dimension:
        return value if unit == into else None
    if unit == into:
        return value
    if source.factor is None or target.factor is None:
        months = _MONTHS.get(unit), _MONTHS.get(into)
        return value * months[0] / months[1] if months[0] and months[1] else None
    return float(round(value * source.factor / target.factor, 9))


def unit_named(text: str) -> Unit | None:
    """The unit that a text is the id or a word of; None where it is in no table.

    >>> unit_named("吨").id, unit_named("kg").dimension, unit_named("pallet")
    ('t', 'mass', None)
    """
    return units().get(text) or unit_word(text)


def ratio(found: str, expected: str) -> Fraction | None:
    """How many of the one unit a single other is, without rounding; None where no fixed factor is known.

    >>> ratio("kg", "t"), ratio("CNY", "EUR")
    (Fraction(1, 1000), None)
    """
    one, other = unit_named(found), unit_named(expected)
    if one is None or other is None or one.dimension != other.dimension:
        return None
    known = one.factor is not None and other.factor is not None
    return Fraction(str(one.factor)) / Fraction(str(other.factor)) if known else None
