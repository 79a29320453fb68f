"""Bytes to text: byte-order marks, declared encodings and what the bytes look like."""

import codecs
import re
from dataclasses import dataclass

_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""", re.I)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What browsers read these names as: a declared subset is seldom the whole truth.
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "shift_jis": "cp932",
}
_PAIR = re.compile(rb"[\x81-\xfe][\x40-\x7e\x80-\xfe]|[\x81-\xfe][0-9][\x81-\xfe][0-9]")
_CP1252_HOLES = bytes.maketrans(b"\x81\x8d\x8f\x90\x9d", b"?????")
# Characters that running Chinese has most, in both its scripts, with its marks.
_COMMON = frozenset(
    "的一是不在人有这這中大来來上国國个個到为為和地出也时時年得要下以生会會自之过過可后後多能于於发發成事作当當用主行方如前所本见見经經公同"
    "三二四五十两兩长長分将將外与與高法此实實理条條第应應定规規管制度项項款员員部门門司业業者及其或由向日内內须須"
    "，。、；：（）「」《》　"
)
_SAMPLE = 65_536
SNIFFED = 8192


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with the encoding it was read in, and how many characters stand for bytes that could not be."""

    text: str
    encoding: str
    replaced: int = 0


def decode(data: bytes, *, declared: bool = False) -> Decoded:
    """Decode by byte-order mark, by the document's own declaration if asked for, else by what fits.

    >>> decode("危险品".encode("gbk")).encoding, decode("café naïve".encode("cp1252")).text
    ('gb18030', 'café naïve')
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _replacing(data[len(mark) :], encoding)
    wide = _utf16(data)
    if wide:
        return _replacing(data, wide)
    named = declared_encoding(data[:SNIFFED]) if declared else None
    for encoding in dict.fromkeys(filter(None, (named, "utf-8"))):
        text = _strictly(data, encoding)
        if text is not None:
            return Decoded(text, encoding)
    if named and _share_of_faults(data, named) < 0.005:
        return _replacing(data, named)
    if _share_of_faults(data, "utf-8") < 0.001:
        return _replacing(data, "utf-8")
    chinese = _chinese_encoding(data)
    if chinese:
        return _replacing(data, chinese)
    return _replacing(data, "cp1252")


def declared_encoding(head: bytes) -> str | None:
    """The encoding that a `<meta>` or an XML declaration names, widened as browsers do; None where unknown.

    >>> declared_encoding(b'<meta charset="gb2312">')
    'gb18030'
    """
    for match in _DECLARED.finditer(head):
        try:
            name = codecs.lookup(match[1].decode("ascii")).name
        except LookupError:
            continue
        if name.startswith(("utf-16", "utf-32")):  # the declaration was read as bytes, so it cannot be true
            return "utf-8"
        return _WIDER.get(name, name)
    return None


def looks_chinese(data: bytes) -> bool:
    """Whether bytes that are not UTF-8 pair up as GB 18030 characters in common use."""
    high = sum(byte >= 0x80 for byte in data)
    pairs = [pair for pair in _PAIR.findall(data) if len(pair) == 2]
    common = sum(0xA1 <= pair[0] <= 0xF7 and pair[1] >= 0xA1 for pair in pairs)
    both_high = sum(pair[1] >= 0x80 for pair in pairs)
    return high > 0 and both_high * 2 >= 0.85 * high and common >= 0.8 * max(len(pairs), 1)


def _chinese_encoding(data: bytes) -> str | None:
    """The mainland's or Taiwan's encoding, whichever makes the bytes common characters; None where neither does."""
    shares = {encoding: _common_share(data[:_SAMPLE], encoding) for encoding in ("gb18030", "big5hkscs")}
    likely = "big5hkscs" if shares["big5hkscs"] > max(2 * shares["gb18030"], 0.2) else None
    return likely or ("gb18030" if looks_chinese(data) else None)


def _common_share(data: bytes, encoding: str) -> float:
    """The share of characters in common use among those that are not ASCII; faults count as uncommon ones."""
    strange = [char for char in data.decode(encoding, errors="replace") if char > "\x7f"]
    return sum(char in _COMMON for char in strange) / len(strange) if len(strange) >= 4 else 0.0


def _utf16(data: bytes) -> str | None:
    sample = data[:SNIFFED]
    if len(sample) < 4 or not sample.count(0):
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if max(even, odd) < 0.1 * len(sample) or 4 * min(even, odd) > max(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return codecs.decode(data, encoding)
    except (ValueError, LookupError, TypeError):
        return None


def _replacing(data: bytes, encoding: str) -> Decoded:
    if encoding == "cp1252":
        data = data.translate(_CP1252_HOLES)
    text = data.decode(encoding, errors="replace")
    return Decoded(text, encoding, text.count("\ufffd"))


def _share_of_faults(data: bytes, encoding: str) -> float:
    try:
        return data.decode(encoding, errors="replace").count("\ufffd") / max(len(data), 1)
    except (LookupError, UnicodeError):
        return 1.0
