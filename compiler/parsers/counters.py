"""How list numbers are written: the number formats of word processors and browsers."""

from collections.abc import Callable, Mapping

from compiler.text.labels import CIRCLED, FULL_STOPPED, PARENTHESISED, to_roman

_LARGEST = 20_000
_DIGITS = "零一二三四五六七八九"
_LEGAL = "零壹贰叁肆伍陆柒捌玖"
_LEGAL_TRADITIONAL = "零壹貳參肆伍陸柒捌玖"
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_ONES = [
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
_ORDERS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
_TENS = ["-", "-", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def chinese(number: int, digits: str = _DIGITS, units: str = "十百千") -> str:
    """A number from 0 to 9999 in Chinese.

    >>> chinese(15), chinese(105), chinese(120), chinese(2010)
    ('十五', '一百零五', '一百二十', '二千零一十')
    """
    if not 0 < number < 10000:
        return digits[0] if number == 0 else str(number)
    out, zero = "", False
    for place in (3, 2, 1, 0):
        digit = number // 10**place % 10
        if digit:
            out += (digits[0] if zero else "") + digits[digit] + (units[place - 1] if place else "")
            zero = False
        elif out:
            zero = True
    plain = digits == _DIGITS and out.startswith("一十")
    return out[1:] if plain else out


def letters(number: int) -> str:
    """Letters as word processors count: a … z, aa, bb.

    >>> letters(3), letters(27)
    ('c', 'aa')
    """
    return chr(97 + (number - 1) % 26) * ((number - 1) // 26 + 1) if number > 0 else str(number)


def english(number: int) -> str:
    """A number below 100 in English words.

    >>> english(42)
    'forty-two'
    """
    if not 0 <= number < 100:
        return str(number)
    if number < 20:
        return _ONES[number]
    return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")


def ordinal(number: int) -> str:
    """A number with its English ending.

    >>> ordinal(2), ordinal(11), ordinal(23)
    ('2nd', '11th', '23rd')
    """
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def ordinal_words(number: int) -> str:
    """A number below 100 in English words of order.

    >>> ordinal_words(2), ordinal_words(12), ordinal_words(30), ordinal_words(21)
    ('second', 'twelfth', 'thirtieth', 'twenty-first')
    """
    if not 0 < number < 100:
        return ordinal(number)
    front, _, last = english(number).rpartition("-")
    told = _ORDERS.get(last) or (last[:-1] + "ieth" if last.endswith("y") else last + "th")
    return f"{front}-{told}" if front else told


def write_number(number: int, style: str) -> str:
    """A list's number in a style of Word (`numFmt`) or CSS (`list-style-type`); plain figures where it is unknown.

    >>> write_number(4, "lowerRoman"), write_number(12, "chineseCountingThousand"), write_number(3, "upper-alpha")
    ('iv', '十二', 'C')
    """
    return _STYLES.get(style, str)(number) if 0 <= number < _LARGEST else str(number)


def _from(signs: str) -> Callable[[int], str]:
    return lambda number: signs[number - 1] if 0 < number <= len(signs) else str(number)


def _cycle(signs: str) -> Callable[[int], str]:
    return lambda number: signs[(number - 1) % len(signs)] if number else str(number)


def _roman(number: int) -> str:
    return to_roman(number) if 0 < number < 4000 else str(number)


def _digit_by_digit(digits: str) -> Callable[[int], str]:
    return lambda number: "".join(digits[int(figure)] for figure in str(number))


_STYLES: Mapping[str, Callable[[int], str]] = {
    "decimalZero": lambda number: f"{number:02d}",
    "decimal-leading-zero": lambda number: f"{number:02d}",
    "lowerRoman": _roman,
    "lower-roman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "upper-roman": lambda number: _roman(number).upper(),
    "lowerLetter": letters,
    "lower-alpha": letters,
    "lower-latin": letters,
    "upperLetter": lambda number: letters(number).upper(),
    "upper-alpha": lambda number: letters(number).upper(),
    "upper-latin": lambda number: letters(number).upper(),
    "ordinal": ordinal,
    "ordinalText": lambda number: ordinal_words(number).capitalize(),
    "cardinalText": lambda number: english(number).capitalize(),
    "decimalFullWidth": _digit_by_digit("０１２３４５６７８９"),
    "decimalFullWidth2": _digit_by_digit("０１２３４５６７８９"),
    "decimalEnclosedCircle": _from(CIRCLED),
    "decimalEnclosedCircleChinese": _from(CIRCLED),
    "decimalEnclosedParen": _from(PARENTHESISED),
    "decimalEnclosedFullstop": _from(FULL_STOPPED),
    "chineseCounting": chinese,
    "chineseCountingThousand": chinese,
    "taiwaneseCounting": chinese,
    "taiwaneseCountingThousand": chinese,
    "japaneseCounting": chinese,
    "cjk-ideographic": chinese,
    "simp-chinese-informal": chinese,
    "trad-chinese-informal": chinese,
    "cjk-decimal": _digit_by_digit("〇一二三四五六七八九"),
    "ideographDigital": _digit_by_digit("〇一二三四五六七八九"),
    "taiwaneseDigital": _digit_by_digit("〇一二三四五六七八九"),
    "japaneseDigitalTenThousand": _digit_by_digit("〇一二三四五六七八九"),
    "chineseLegalSimplified": lambda number: chinese(number, _LEGAL, "拾佰仟"),
    "ideographLegalTraditional": lambda number: chinese(number, _LEGAL_TRADITIONAL, "拾佰仟"),
    "trad-chinese-formal": lambda number: chinese(number, _LEGAL_TRADITIONAL, "拾佰仟"),
    "simp-chinese-formal": lambda number: chinese(number, _LEGAL, "拾佰仟"),
    "ideographTraditional": _cycle(_STEMS),
    "cjk-heavenly-stem": _cycle(_STEMS),
    "ideographZodiac": _cycle(_BRANCHES),
    "cjk-earthly-branch": _cycle(_BRANCHES),
    "ideographEnclosedCircle": _from("㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉"),
}
