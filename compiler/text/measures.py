"""Numbers whose unit stands elsewhere: in a column's heading, above a table, at the other end of a range."""

import re
from dataclasses import dataclass, replace

from ir.quantities.numerals import Number, find_numbers
from ir.quantities.units import BELOW_ZERO, CURRENCIES, Measured, Unit, find_quantities, prefix_unit, unit_word

_SCALES = {
    "十": 10, "百": 100, "千": 1000, "万": 10**4, "十万": 10**5, "百万": 10**6, "千万": 10**7, "亿": 10**8,
    "thousand": 1000, "thousands": 1000, "'000": 1000, "000": 1000, "000s": 1000, "k": 1000,
    "million": 10**6, "millions": 10**6, "m": 10**6, "mn": 10**6, "billion": 10**9, "bn": 10**9,
}  # fmt: skip
_PLACES = (
    re.compile(
        r"[（(\[]\s*(?:单位\s*[:：]?|unit\s*:?|in\s)?\s*(?P<unit>[^（()）\[\]]{1,20}?)\s*[）)\]]", re.IGNORECASE
    ),
    re.compile(r"(?:单位|\bunits?)\s*[:：]\s*(?P<unit>[^\s，。；）)]{1,8}(?:\s[A-Za-z]+)?)", re.IGNORECASE),
    re.compile(r"(?:[/／,]\s*|\bin\s+)(?P<unit>[^/／,]{1,20})$", re.IGNORECASE),
    re.compile(r"\s(?P<unit>(?:US)?[$€£¥￥](?:[kKmM]|bn|['’]?000s?)?|[%％℃])$"),
)
_TO = re.compile(
    r"\s*(?:[（(]不?(?:含|包括)[^）)]{0,8}[）)]\s*)?(?:至|到|[-–—−~～]|to|and|\.\.\.?)\s*[-−]?$", re.IGNORECASE
)
_SPACED = re.compile(r"(?<=[0-9]) (?=[0-9]{3}(?![0-9]))")


@dataclass(frozen=True)
class Measure:
    """A unit with what its numbers are multiplied by: `万元` is 10,000 CNY.

    Args:
        words: as the document writes it.
    """

    unit: Unit
    factor: float
    words: str

    def apply_to(self, number: Number, sign: int | None = None, after: str = "") -> Measured:
        """The quantity that a bare number is in this measure; its text is the number alone.

        Args:
            sign: where the minus stands that makes it negative.
            after: what follows the number, which may be the measure's own word (`80分`).
        """
        value = number.value if sign is None else -number.value
        start = number.start if sign is None else sign
        text = "-" * (sign is not None) + number.text.rstrip()
        if not self.unit.id:
            own = self.words if after.strip().startswith(self.words) else ""
            text += after[: after.find(own) + len(own)] if own else ""
            return Measured(start, start + len(text), value, self.unit, text)
        said = f"{text} {self.words}" if self.words[0].isalpha() or self.words[0] in "%％‰℃°" else f"{self.words}{text}"
        return Measured(start, number.start + len(number.text.rstrip()), value * self.factor, self.unit, text, said)


PLAIN = Measure(Unit("", "number", "", 1, None), 1, "")
"""Of numbers that are taken as they stand, such as a score."""
POINTS = tuple(replace(PLAIN, words=words) for words in ("分", "次", "件", "points", "point", "times"))
"""Of numbers that are counted in something that is no unit of measure."""


def measure_of(words: str) -> Measure | None:
    """What `万元`, `USD thousand`, `£m` or `kg` measures.

    >>> [(m.unit.id, m.factor) for m in map(measure_of, ["万元", "人民币亿元", "EUR thousand", "£000", "kg"]) if m]
    [('CNY', 10000), ('CNY', 100000000), ('EUR', 1000), ('GBP', 1000), ('kg', 1)]
    >>> measure_of("remarks") is None
    True
    """
    plain = words.strip().replace("’", "'").replace("人民币", "").strip(" ，,")
    if (unit := unit_word(plain)) is not None:
        return Measure(unit, 1, words.strip())
    for scale in sorted(_SCALES, key=len, reverse=True):
        for rest in (_without_end(plain, scale), _without_start(plain, scale)):
            unit = unit_word(rest) if rest is not None else None
            if unit is not None and (unit.id in CURRENCIES or "\u4e00" <= scale[0] <= "\u9fff"):
                return Measure(unit, _SCALES[scale], words.strip())
    return None


def _without_end(text: str, scale: str) -> str | None:
    return text[: -len(scale)].strip() if text.lower().endswith(scale) else None


def _without_start(text: str, scale: str) -> str | None:
    return text[len(scale) :].removeprefix(" of").strip() if text.lower().startswith(scale) else None


def named_measure(heading: str) -> tuple[Measure, int] | None:
    """The measure that a heading names for the numbers under it, and where the heading proper ends.

    >>> [(m.words, at) for m, at in map(named_measure, ["金额（万元）", "Order value (USD thousand)", "限额/元"])]
    [('万元', 2), ('USD thousand', 11), ('元', 2)]
    """
    for pattern in _PLACES:
        for match in pattern.finditer(heading):
            if (measure := measure_of(match["unit"])) is not None:
                return measure, len(heading[: match.start()].rstrip())
    return None


def quantities_in(text: str, measure: Measure | None = None) -> tuple[Measured, ...]:
    """The quantities of a cell: what `find_quantities` finds, ends of ranges with the other end's unit, bare numbers.

    In `10-50万元` the first end is in 万元 as well, as it is the smaller number; in `5000-10万元` it is in 元.

    Args:
        measure: of numbers that bear no unit of their own.

    >>> [(q.value, q.unit.id, q.text, q.said) for q in quantities_in("10-50万元")]
    [(100000.0, 'CNY', '10', '10 万元'), (500000.0, 'CNY', '50万元', '50万元')]
    >>> [(q.value, q.unit.id) for q in quantities_in("> 5 000 to 20 000", measure_of("USD"))]
    [(5000.0, 'USD'), (20000.0, 'USD')]
    >>> [q.value for q in quantities_in("-25 to -15 °C")]
    [-25.0, -15.0]
    """
    text = _SPACED.sub("\u00a0", text)
    own = find_quantities(text)
    found = list(own)
    for number in find_numbers(text):
        if any(number.start < q.end and q.start < number.end for q in own):
            continue
        shared = _shared(text, number, own) or measure
        if shared is not None:
            sign = BELOW_ZERO.search(text[: number.start]) if shared.unit.dimension == "temperature" else None
            after = text[number.start + len(number.text.rstrip()) :]
            found.append(shared.apply_to(number, sign.start() if sign else None, after))
    return tuple(sorted(found, key=lambda q: q.start))


def _shared(text: str, number: Number, found: tuple[Measured, ...]) -> Measure | None:
    """The measure of the other end of the range of which a bare number is one end."""
    end = number.start + len(number.text.rstrip())
    after = next((q for q in found if q.start > number.start and _TO.fullmatch(text[end : q.start])), None)
    if after is not None:
        own = find_numbers(after.text)[0]
        plain = re.match(r"[0-9.,，０-９]+", own.text)
        base = find_numbers(plain[0])[0].value if plain else own.value
        factor = own.value / base if base and number.value <= base else 1
        words = after.text[own.end :] if after.text[own.end :].strip() else after.text[: own.start]
        scale = own.text[plain.end() :].strip() if plain and factor != 1 else ""
        return Measure(after.unit, factor, (scale + words).strip() or after.unit.id)
    before = next((q for q in found if q.end <= number.start and _TO.fullmatch(text[q.end : number.start])), None)
    if before is not None and prefix_unit(before.text) is not None:
        return Measure(before.unit, 1, before.text[: find_numbers(before.text)[0].start].strip())
    return None
