"""Numbers in running text: Arabic, full-width, with separators, and Chinese."""

import math
import re
from dataclasses import dataclass

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "壹": 1,
    "贰": 2,
    "叁": 3,
    "肆": 4,
    "伍": 5,
}
_DIGITS |= {"陆": 6, "柒": 7, "捌": 8, "玖": 9}
_TENS = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000}
_MYRIADS = {"万": 10_000, "亿": 100_000_000, "萬": 10_000, "億": 100_000_000}
_MAGNITUDES = frozenset("百千万亿萬億佰仟")
_HAN = "".join(_DIGITS) + "".join(_TENS) + "".join(_MYRIADS)
LONGEST_NUMERAL = 40  # signs
HAN_NUMERAL = re.compile(f"[{_HAN}]+")
_GROUPED = r"[0-9０-９]{1,3}(?:[,，\u00a0\u202f\u2009][0-9０-９]{3})+(?![0-9])"
_ARABIC = rf"{_GROUPED}(?:[.．][0-9０-９]+)?|[0-9０-９]+(?:[.．][0-9０-９]+)?"
NUMBER = re.compile(
    rf"(?P<arabic>{_ARABIC})\s*(?P<scale>[千百]?[万亿]{{1,2}}|[千百](?![克米瓦分升])|(?:million|billion|thousand|dozen)\b)?"
    rf"|(?P<han>[{_HAN}]+|半)(?:点(?P<decimals>[零〇一二三四五六七八九]+)(?![零〇一二三四五六七八九十百千分刻点钟滴]))?"
)
_MINUS = re.compile(r"(?<![\w.)\]%])(?<!\d\s)[-−–]\s?$")
_EN_SCALES = {"dozen": 12, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_SCALES = {"dozen": 12, "million": 10**6, "billion": 10**9, "thousand": 10**3}
_EN_WORDS = {
    word: i
    for i, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
} | {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_TENS_EN = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
EN_NUMERAL = re.compile(
    rf"\b(?:(?:{_TENS_EN})(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?"
    rf"|half\s+an?(?=\s)|{'|'.join(sorted(_EN_WORDS, key=len, reverse=True))})"
    r"(?:\s+(?:dozen|hundred|thousand|million|billion))?\b|\ba\s+dozen\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Number:
    """A number as it stands in a text, by code points."""

    start: int
    end: int
    value: float
    text: str


def han_number(text: str) -> int | None:
    """The value of a Chinese numeral, None where it is none, or longer than any number that is written so.

    >>> [han_number(t) for t in ("十二", "二十", "三百零五", "一万二千", "二〇二六", "两", "千万")]
    [12, 20, 305, 12000, 2026, 2, 10000000]
    >>> han_number("三亿五千万"), han_number("一万二千三百亿零五十")
    (350000000, 1230000000050)
    >>> han_number("十分") is None
    True
    """
    if not text or len(text) > LONGEST_NUMERAL or not HAN_NUMERAL.fullmatch(text):
        return None
    if all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text))
    total, section, digit = 0, 0, None
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _TENS:
            section += (1 if digit is None else digit) * _TENS[char]
            digit = None
        else:
            section += digit or 0
            if (
                total >= _MYRIADS["亿"] > _MYRIADS[char]
            ):  # 三亿五千万: the second sign counts what stands before it alone
                total += section * _MYRIADS[char]
            else:
                total = (total + section or 1) * _MYRIADS[char]
            section, digit = 0, None
    return total + section + (digit or 0)


def find_numbers(text: str) -> tuple[Number, ...]:
    """Every number in a text, left to right; `半` counts as 0.5.

    >>> [n.value for n in find_numbers("不超过12,500千克或者３万元，三十日内，within thirty days")]
    [12500.0, 30000.0, 30.0, 30.0]
    >>> [n.value for n in find_numbers("百分之一点五，十二点五元，下午三点五十分")]
    [1.5, 12.5, 3.0, 50.0]
    >>> [n.value for n in find_numbers("上午八点零五分，一点一滴，二点三五倍")]
    [8.0, 5.0, 1.0, 1.0, 2.35]
    """
    found = []
    for match in NUMBER.finditer(text):
        if match["arabic"]:
            value = float(re.sub(r"[,，\s]", "", match["arabic"]).replace("．", "."))
            for char in match["scale"] if match["scale"] and match["scale"][0] not in "mbtd" else "":
                value *= (_TENS | _MYRIADS)[char]
            value *= _SCALES.get((match["scale"] or "").lower(), 1)
            if math.isfinite(value):
                found.append(Number(match.start(), match.end(), value, match[0]))
        elif match["han"] == "半":
            found.append(Number(match.start(), match.end(), 0.5, match[0]))
        elif match["han"] not in _MAGNITUDES:
            said = match["han"]  # in `十千克` and `八两` the last sign is the unit's
            said = said[:-1] if len(said) > 1 and said.endswith("两") else said
            said = (
                said[:-1] if said.endswith("千") and text[match.end() : match.end() + 1] in tuple("克米瓦卡") else said
            )
            number = han_number(said)
            if number is not None and match["decimals"] and said == match["han"]:
                whole = f"{number}." + "".join(str(_DIGITS[char]) for char in match["decimals"])
                found.append(Number(match.start(), match.end(), float(whole), match[0]))
            elif number is not None:
                found.append(Number(match.start(), match.start() + len(said), float(number), said))
    found += [Number(m.start(), m.end(), float(_english(m[0])), m[0]) for m in EN_NUMERAL.finditer(text)]
    return tuple(sorted(found, key=lambda number: number.start))


def minus_before(text: str, number: Number) -> int | None:
    """Where the sign of a number in a text begins (`5+ times=-1`); None where it has none: the dash of `3-4` is none.

    >>> [minus_before(text, find_numbers(text)[-1]) for text in ("=-1", "− 1", "3-1", "3 – 1", "1")]
    [1, 0, None, None, None]
    """
    sign = _MINUS.search(text, 0, number.start)
    return sign.start() if sign is not None else None


def _english(words: str) -> float:
    if words.lower().startswith("half"):
        return 0.5 * _EN_SCALES.get(words.lower().split()[-1], 1)
    if words.lower().startswith("a"):
        return _EN_SCALES["dozen"]
    *_, last = parts = re.split(r"[-\s]+", words.lower())
    scale = _EN_SCALES.get(last, 1)
    return scale * sum(_EN_WORDS[word] for word in (parts[:-1] if scale > 1 else parts))
