"""Numbers, letters and bullets with which blocks of Chinese and English documents begin."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ir.quantities.numerals import han_number

ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}
CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
PARENTHESISED = "⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇"
FULL_STOPPED = "⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛"
BULLETS = "•∗●○■▪▫◆◇◦‣⁃∙⚫➢➔➤→⇒►▶★☆❖✓✔✦·・"
DASHES = "-–*+"
_SIGNS = (
    ("circled", CIRCLED),
    ("number-paren", PARENTHESISED),
    ("number-dot", FULL_STOPPED),
    ("chinese-paren", "㈠㈡㈢㈣㈤㈥㈦㈧㈨㈩"),
)

# Depth by convention; kinds of one family share a rank. The outline decides the real depth from what encloses what.
RANKS = {
    "title": 1,
    "part": 2,
    "annex": 2,
    "subpart": 3,
    "chapter": 4,
    "section": 5,
    "article": 6,
    "step": 7,
    "clause": 7,
    "item": 8,
    "chinese-comma": 7,
    "chinese-paren": 8,
    "upper-roman": 7,
    "upper-letter": 8,
    "decimal": 9,
    "annex-decimal": 9,
    "number": 9,
    "number-dot": 9,
    "number-paren": 10,
    "number-half": 10,
    "lower-letter": 10,
    "circled": 11,
    "lower-roman": 11,
    "bullet": 12,
}
STRUCTURAL = frozenset({"title", "part", "annex", "subpart", "chapter", "section", "article"})
OPENERS = frozenset({"title", "part", "subpart", "chapter", "section"})

_ZH = "零〇○一二两兩三四五六七八九十百千"
_NUMBER = rf"[{_ZH}]{{1,7}}|[0-9０-９]{{1,3}}"
_ZH_KINDS = {
    "编": "part",
    "編": "part",
    "部分": "part",
    "分编": "subpart",
    "分編": "subpart",
    "章": "chapter",
    "节": "section",
    "節": "section",
    "条": "article",
    "條": "article",
    "款": "clause",
    "项": "item",
    "項": "item",
}
_SPACED = frozenset({"部分", "款", "项", "項"})  # words as well: labels only before a blank or a colon
_EN_KINDS = {
    "title": "title", "part": "part", "chapter": "chapter", "section": "section", "sec.": "section",
    "article": "article", "art.": "article", "rule": "article", "regulation": "article", "clause": "article",
    "paragraph": "clause", "item": "item",
}  # fmt: skip

_ZH_STRUCTURE = re.compile(
    rf"第\s{{0,2}}({_NUMBER})(?:[-－]([0-9]{{1,2}}))?\s{{0,2}}(分[编編]|部分|[编編章节節条條款项項])"
    r"(?:之\s?([一二三四五六七八九十]{1,2})(?![一-鿿]))?"
)
_ZH_REFERENCE = re.compile(
    r"的|[规規]定|所[列称稱规規述指]|第|至|到|[、，。；,;)）》」』]|(?:以及|或者|[和与與及或])\s*(?:第|本|前|有关|有關)"
    r"|中(?![国國央华華共小型级級外标標止期介心医醫药藥])|款|项|項|之外|以外"
)
_STEP = re.compile(
    rf"(?:第\s?({_NUMBER})\s?步骤?\s?[：:，,、.．\s]|步骤\s?({_NUMBER})\s?(?:[：:，,、.．]|(?=\s|$))"
    r"|(?:step|phase)\s+([0-9]{1,3})\s*(?:[:.)–—-]|(?=\s|$)))",
    re.I,
)
_ZH_ANNEX = re.compile(rf"(?:附件|附[录錄]|附表|附)\s?({_NUMBER}|[A-Z])?\s?(?:[：:]|(?=\s|$))")
_ZH_SENTENCE = re.compile(r"\s*(?:[所中为為是的]|[规規]定|[给給]出|列出|表示|[^，。]*[，。])")
_EN_STRUCTURE = re.compile(
    r"(title|part|chapter|section|sec\.|article|art\.|rule|regulation|clause|paragraph|item"
    r"|annex|appendix|schedule|exhibit|attachment)\s+"
    r"([0-9]{1,3}(?:[.-][0-9]{1,3}){0,5}[A-Z]?|[ivxl]{1,7}|[a-z])(?![a-z0-9])\s?([.:)–—-]?)",
    re.I,
)
_EN_ANNEX = re.compile(
    r"(?:SCHEDULE|ANNEX|APPENDIX)(?=\s*$|\s*[:–—]|\s+[A-Z][a-z])|(?:Schedule|Annex|Appendix)(?=\s*$)"
)
_SIGN = re.compile(r"§{1,2}\s?([0-9]{1,3}(?:[.-][0-9]{1,3}){0,5}[A-Z]?)(?![0-9])\.?")
_ZH_COMMA = re.compile(r"([一二三四五六七八九十百]{1,5})\s?[、．.](?!\d)")
_ZH_COMMA_RUN = re.compile(r"\s?[一二三四五六七八九十]{1,3}(?:[、类级等章节条款项者方人层期线]|$)")
_ZH_PAREN = re.compile(r"[（(]\s?([一二三四五六七八九十百]{1,5})\s?[）)][、.．]?")
_NUMBER_PAREN = re.compile(r"[（(]\s?([0-9０-９]{1,2})\s?[）)][、.．]?")
_PAREN_REFERENCE = re.compile(
    r"\s?(?:至|到|、\s?[（(]|和\s?[（(]|或\s?[（(]|及\s?[（(]|项(?!目)|款(?!项|式)|目(?=[的、，规])|and\s?\(|or\s?\(|to\s?\("
    r"|(?:\(\w{1,4}\))+\s?(?:[,;.]|and\b|or\b)|(?:or|and) of\b|of (?:this|that|the) (?:section|article|clause|rule)\b)"
)
_DECIMAL = re.compile(r"([0-9]{1,3}(?:[.．][0-9]{1,3}){1,5})[A-Z]?([.．、)）:：]?)(?=\s|[^\x00-\x7f％‰℃°]|$)")
_DECIMAL_REFERENCE = re.compile(r"\s?(?:的|所[列称述指]|[规規]定的)")
_TERM = re.compile(r"\s+(?!kV|kW|kPa|kHz|kN|kA|mA|mV|mW|mL|mS|mPa|dB|eV|nF|pF|cP)[a-z]{1,2}[A-Z]")
_ANNEX_DECIMAL = re.compile(r"([A-Z])((?:[.．][1-9][0-9]?){1,4})[.．]?(?=\s+[^a-z\s]|\s*[^\x00-\x7f]|\s*$)")
_UNIT = re.compile(
    r"\s?(?:万|亿|千|百)?(?:吨|公斤|千克|毫克|克|公里|千米|厘米|毫米|米|毫升|升|元|倍|年|个月|个|小时|分钟|秒|天|日|月|周|折|℃|度|人|件|次"
    r"|平方米|立方米|岁|级|版|%|％|‰|万|亿)(?:$|[\s，。；、：）)/]|以[上下内]|左右|的|及|或|至|之)"
)
_CLASS = re.compile(r"[类類](?![别別型似比推目])")  # 6.1类危险货物 is no clause 6.1
_NUMBER_DOT = re.compile(
    r"([0-9０-９]{1,3})(?:\s?[.．、](?:\s?[—–-]{1,2}\s?\(1\)(?=\s)|(?![0-9０-９.]))|[A-Z][.．](?=\s+[A-Z(\"“]))"
)
_NUMBER_HALF = re.compile(r"([0-9０-９]{1,2})\s?[)）]")
_NUMBER_BARE = re.compile(r"([0-9]{1,2})(?=\s+[^\d\s])")
_LETTER_PAREN = re.compile(r"[（(]\s?([a-z]|[ivxl]{2,7}|([a-z])\2|[A-Z]|[IVXL]{2,7})\s?[）)]")
_LETTER_HALF = re.compile(r"([a-z]|[ivxl]{2,7}|[A-Z]|[IVXL]{2,7})[)）]")
_LETTER_DOT = re.compile(r"([a-z]|[ivxl]{2,7}|[A-Z]|[IVXL]{2,7})(?:[.．](?=\s|$|[^\x00-\x7f])|、)")
# Symbol fonts put their bullets at U+F020–U+F0FF.
_BULLET = re.compile(
    rf"[{re.escape(BULLETS)}\uf020-\uf0ff]+|[{re.escape(DASHES)}](?=\s|$)|——?(?=[^\s—]|$)|o(?=\t|\s\s|\s[A-Z(]|$)"
)


@dataclass(frozen=True, slots=True)
class ParsedLabel:
    """A label found at the beginning of a text.

    Attributes:
        kind: sort and shape, so that blocks of one list share it: `article`, `chinese-paren`, `lower-letter-dot`.
        rank: depth by convention, 1 the highest.
        number: its value; `(3, 2, 1)` for 3.2.1, `(5, 1)` for 第五条之一, empty for a bullet.
        end: offset in the text where the label ends.
        text: the label as written.
        ordered: a counter, not a bullet.
        doubtful: it may be a quantity (`4.2 kV …`), and is a label only where the count wants it.
    """

    kind: str
    rank: int
    number: tuple[int, ...]
    end: int
    text: str
    ordered: bool = True
    doubtful: bool = False


def parse_label(text: str, *, heading: bool = False, doubtful: bool = False) -> ParsedLabel | None:
    """The label with which `text` begins, or None where it begins with words.

    Args:
        heading: the text is known to be a heading, so that a bare number (`1 Introduction`) is a label as well.
        doubtful: give a label as well where the number may be a quantity's (`4.2 kV switchgear`).

    >>> parse_label("第五条　本制度适用于……").number
    (5,)
    >>> parse_label("3.2.1 Scope").kind, parse_label("（二）取样").kind
    ('decimal', 'chinese-paren')
    >>> [parse_label(text) for text in ("3.5 吨以上", "2023 年", "I am", "第五条规定的")]
    [None, None, None, None]
    """
    start = len(text) - len(text.lstrip())
    head = text[start : start + 60]
    for reader in _READERS:
        found = reader(head)
        if found:
            return _shifted(found, start)
    bare = _NUMBER_BARE.match(head) if heading else None
    if bare:
        return _shifted(_label("number", (int(bare[1]),), bare[0]), start)
    found = _doubtful_decimal(head) if doubtful or heading else None
    return _shifted(found, start) if found else None


def as_letter(label: ParsedLabel) -> ParsedLabel | None:
    """A roman label of one letter read as a letter: `(i)` after `(h)`; None where it cannot be."""
    kind, letter = label.kind, label.text.strip("（()）.．、 ")
    if "-roman" not in kind or len(letter) != 1:
        return None
    kind = kind.replace("roman", "letter")
    return replace(label, kind=kind, rank=_rank(kind), number=(ord(letter.lower()) - 96,))


def as_roman(label: ParsedLabel) -> ParsedLabel | None:
    """A letter's label read as roman: `(v)` after `(iv)`; None where it cannot be."""
    letter = label.text.strip("（()）.．、 ").lower()
    if "-letter" not in label.kind or letter not in ROMAN:
        return None
    kind = label.kind.replace("letter", "roman")
    return replace(label, kind=kind, rank=_rank(kind), number=(ROMAN[letter],))


def is_lettered(label: ParsedLabel) -> bool:
    """Whether the label counts in letters or roman figures, which ordinary words and names can look like."""
    return "-letter" in label.kind or "-roman" in label.kind


def is_doubtful(label: ParsedLabel) -> bool:
    """Whether the label is one only among others of its count: letters, roman figures, bare numbers, `A.1`."""
    if label.kind == "annex-decimal":
        return len(label.number) == 2
    return is_lettered(label) or label.kind == "number" or label.doubtful


def number_value(text: str) -> int:
    """The value of a Chinese or Arabic figure as labels write it.

    >>> number_value("一百零三"), number_value("１２"), number_value("二○")
    (103, 12, 20)
    """
    if text.isdecimal():
        return int(text)
    value = han_number(text.replace("○", "〇"))
    if value is None:
        raise ValueError(f"{text!r} is no number")
    return value


def roman_value(text: str) -> int | None:
    """The value of a roman figure up to 50 in canonical form, else None.

    >>> roman_value("xiv"), roman_value("IX"), roman_value("mild"), roman_value("iiii")
    (14, 9, None, None)
    """
    text = text.lower()
    if any(char not in ROMAN for char in text):
        return None
    values = [ROMAN[char] for char in text]
    value = sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))
    return value if 0 < value <= 50 and to_roman(value) == text else None


def to_roman(value: int) -> str:
    """Lower-case roman figure of a number from 1 to 3999.

    >>> to_roman(49)
    'xlix'
    """
    out = ""
    for figure, size in zip(
        ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"),
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        strict=True,
    ):
        out += figure * (value // size)
        value %= size
    return out


def _rank(kind: str) -> int:
    return RANKS.get(kind) or RANKS[kind.rpartition("-")[0]]


def _label(kind: str, number: tuple[int, ...], text: str, *, ordered: bool = True) -> ParsedLabel:
    return ParsedLabel(kind, _rank(kind), number, len(text), text.rstrip(), ordered)


def _shifted(label: ParsedLabel, start: int) -> ParsedLabel:
    return replace(label, end=start + len(label.text))


def _zh_structure(text: str) -> ParsedLabel | None:
    match = _ZH_STRUCTURE.match(text)
    if not match or _ZH_REFERENCE.match(text, match.end()):
        return None
    if match[3] in _SPACED and not re.match(r"[\s：:]|$", text[match.end() :]):
        return None
    inserted = match[2] or match[4]
    number = (number_value(match[1]), *((number_value(inserted),) if inserted else ()))
    return _label(_ZH_KINDS[match[3]], number, match[0])


def _step(text: str) -> ParsedLabel | None:
    match = _STEP.match(text)
    if not match:
        return None
    if match[3] and match[0][-1] not in ":.)–—-" and re.match(r"\s+[a-z]", text[match.end() :]):
        return None
    return _label("step", (number_value(match[1] or match[2] or match[3]),), match[0].rstrip("，, "))


def _zh_annex(text: str) -> ParsedLabel | None:
    match = _ZH_ANNEX.match(text)
    if not match or match[0].strip() == "附":
        return None
    if match[1] and not match[0].rstrip().endswith(("：", ":")) and _ZH_SENTENCE.match(text, match.end()):
        return None
    mark = match[1]
    number = () if not mark else (ord(mark) - 64,) if mark.isascii() and mark.isalpha() else (number_value(mark),)
    return _label("annex", number, match[0])


def _en_structure(text: str) -> ParsedLabel | None:
    match = _EN_STRUCTURE.match(text)
    if not match:
        alone = _EN_ANNEX.match(text)
        return _label("annex", (), alone[0]) if alone else None
    if not match[1][0].isupper():
        return None
    rest = text[match.end() :].lstrip()
    if rest and not match[3] and not (rest[0].isupper() or not rest[0].isascii() or rest[0] in "\"'(["):
        return None
    number = _en_number(match[2])
    if number is None or number[0] > 199:
        return None
    return _label(_EN_KINDS.get(match[1].lower(), "annex"), number, match[0].rstrip("–—- "))


def _en_number(text: str) -> tuple[int, ...] | None:
    if text[0].isdigit():
        return _figures(text)
    if not text.isupper():
        return None
    roman = roman_value(text)
    if roman:
        return (roman,)
    return (ord(text) - 64,) if len(text) == 1 else None


def _sign(text: str) -> ParsedLabel | None:
    match = _SIGN.match(text)
    return _label("section", _figures(match[1]), match[0]) if match else None


def _figures(text: str) -> tuple[int, ...]:
    """The figures of `3.2.1`, `5-1` and, without its letter, `12A`."""
    return tuple(int(part) for part in re.findall(r"\d+", text))


def _zh_comma(text: str) -> ParsedLabel | None:
    match = _ZH_COMMA.match(text)
    if not match or _ZH_COMMA_RUN.match(text, match.end()):
        return None
    return _label("chinese-comma", (number_value(match[1]),), match[0])


def _parenthesised(kind: str, pattern: re.Pattern[str]) -> Callable[[str], ParsedLabel | None]:
    def read(text: str) -> ParsedLabel | None:
        match = pattern.match(text)
        if not match or _PAREN_REFERENCE.match(text, match.end()):
            return None
        return _label(kind, (number_value(match[1]),), match[0])

    return read


def _decimal(text: str) -> ParsedLabel | None:
    found = _doubtful_decimal(text)
    if not found:
        return None
    rest = text[found.end :]
    if len(found.number) == 2 and found.text[-1].isdigit() and re.match(r"\s+[a-z%]", rest) and not _TERM.match(rest):
        return None
    return None if _UNIT.match(rest) or _CLASS.match(rest) else replace(found, doubtful=False)


def _doubtful_decimal(text: str) -> ParsedLabel | None:
    """A decimal number that counts, whatever follows; no date, no address of a network, no reference."""
    match = _DECIMAL.match(text)
    if not match or _DECIMAL_REFERENCE.match(text, match.end()):
        return None
    written = re.split(r"[.．]", match[1])
    parts = tuple(map(int, written))
    zeros = 0 in parts[:-1] or (parts[-1] == 0 and len(parts) > 2)
    network = len(parts) == 4 and max(parts) > 99
    if zeros or network or parts[0] > 199 or any(part.startswith("0") and len(part) > 1 for part in written):
        return None
    return replace(_label("decimal", parts, match[0]), doubtful=True)


def _annex_decimal(text: str) -> ParsedLabel | None:
    match = _ANNEX_DECIMAL.match(text)
    return _label("annex-decimal", (ord(match[1]) - 64, *_figures(match[2])), match[0]) if match else None


def _number_dot(text: str) -> ParsedLabel | None:
    match = _NUMBER_DOT.match(text)
    if not match or not 0 < number_value(match[1]) < 200:
        return None
    return _label("number-dot", (number_value(match[1]),), match[0])


def _number_half(text: str) -> ParsedLabel | None:
    match = _NUMBER_HALF.match(text)
    return _label("number-half", (number_value(match[1]),), match[0]) if match else None


def _circled(text: str) -> ParsedLabel | None:
    for kind, signs in _SIGNS:
        if text[:1] and text[0] in signs:
            return _label(kind, (signs.index(text[0]) + 1,), text[0])
    return None


def _lettered(text: str) -> ParsedLabel | None:
    for shape, pattern in (("paren", _LETTER_PAREN), ("half", _LETTER_HALF), ("dot", _LETTER_DOT)):
        match = pattern.match(text)
        if not match or (shape == "paren" and _PAREN_REFERENCE.match(text, match.end())):
            continue
        case = "upper" if match[1].isupper() else "lower"
        roman = roman_value(match[1])
        if roman and (len(match[1]) > 1 or match[1] in "iI"):
            return _label(f"{case}-roman-{shape}", (roman,), match[0])
        if len(set(match[1])) == 1:
            number = ord(match[1][0].lower()) - 96 + 26 * (len(match[1]) - 1)  # (aa) follows (z)
            return _label(f"{case}-letter-{shape}", (number,), match[0])
    return None


def _bullet(text: str) -> ParsedLabel | None:
    match = _BULLET.match(text)
    return _label("bullet", (), match[0], ordered=False) if match else None


def _readers() -> Iterator[Callable[[str], ParsedLabel | None]]:
    yield from (_zh_structure, _step, _zh_annex, _en_structure, _sign, _zh_comma)
    yield _parenthesised("chinese-paren", _ZH_PAREN)
    yield _parenthesised("number-paren", _NUMBER_PAREN)
    yield from (_decimal, _annex_decimal, _number_dot, _number_half, _circled, _lettered, _bullet)


_READERS = tuple(_readers())
