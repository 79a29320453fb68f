"""How wide text is on a screen, near enough to draw boxes around it without asking a browser."""

import unicodedata
from functools import lru_cache

# Widths in 1/1000 em of a common sans-serif (Helvetica's metrics), for printable ASCII from the space on.
_ASCII = (
    [278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278]
    + [556] * 10
    + [278, 278, 584, 584, 584, 556, 1015]
    + [
        667,
        667,
        722,
        722,
        667,
        611,
        778,
        722,
        278,
        500,
        667,
        556,
        833,
        722,
        778,
        667,
        778,
        722,
        667,
        611,
        722,
        667,
        944,
    ]
    + [667, 667, 611, 278, 278, 278, 469, 556, 333]
    + [
        556,
        556,
        500,
        556,
        556,
        278,
        556,
        556,
        222,
        222,
        500,
        222,
        833,
        556,
        556,
        556,
        556,
        333,
        500,
        278,
        556,
        500,
        722,
    ]
    + [500, 500, 500, 334, 260, 334, 584]
)
_SLACK = 1.12  # system fonts differ; a box slightly too wide is better than text outside it
BOLD = 1.08
_PAUSE_SHARE = 0.6  # a break at a pause wins over a later one between two Chinese characters if this much is kept
_ORPHAN = 0.35  # a last line shorter than this share of the widest is avoided
_NOT_FIRST = frozenset("，。、；：？！）】》〉」』”’%％…·,.;:?!)]}")
_NOT_LAST = frozenset("（【《〈「『“‘([{")
ELLIPSIS = "…"


@lru_cache(maxsize=4096)
def _em(character: str) -> float:
    code = ord(character)
    if 32 <= code < 127:
        return _ASCII[code - 32] / 1000 * _SLACK
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0.0
    return 1.0 if unicodedata.east_asian_width(character) in "WFA" else 0.62 * _SLACK


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of one line of text in pixels, at a font size in pixels; CJK counts one em a character.

    >>> text_width("公路", 10.0)
    20.0
    >>> text_width("iii", 10.0) < text_width("WWW", 10.0)
    True
    """
    return sum(_em(character) * (BOLD if bold and ord(character) < 0x2E80 else 1.0) for character in text) * size


def wrap_text(text: str, width: float, size: float, lines: int, *, bold: bool = False) -> tuple[str, ...]:
    """Break text into at most so many lines of at most that width in pixels; what does not fit ends in an ellipsis.

    Latin text breaks at spaces, Chinese between any two characters, but no line begins with closing punctuation;
    a word wider than a line is cut. A very short last line is avoided.

    >>> wrap_text("查询危险化学品的危险等级", 60, 10, 3)
    ('查询危险化学', '品的危险等级')
    >>> wrap_text("notify the applicant in writing", 60, 10, 2)
    ('notify the', 'applicant…')
    """
    flat = " ".join(text.split())
    width = width / BOLD if bold and flat.isascii() else width
    best = _broken(flat, width, size, lines)
    narrower = width
    last, widest = (text_width(best[-1], size), max(text_width(line, size) for line in best)) if best else (0.0, 0.0)
    while last < _ORPHAN * widest and not best[-1].endswith(ELLIPSIS) and narrower > width / 2:
        narrower -= size / 2
        tried = _broken(flat, narrower, size, lines)
        if len(tried) > len(best) or tried[-1].endswith(ELLIPSIS):
            break
        best = tried
    return best


def _broken(rest: str, width: float, size: float, lines: int) -> tuple[str, ...]:
    result: list[str] = []
    while rest and len(result) < lines:
        cut = _cut(rest, width, size)
        if cut < len(rest) and len(result) == lines - 1:
            result.append(_shortened(rest, width, size))
            break
        result.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return tuple(result)


def _shortened(text: str, width: float, size: float) -> str:
    used, kept = text_width(ELLIPSIS, size), 0
    for character in text:
        used += _em(character) * size
        if used > width:
            break
        kept += 1
    return text[:kept].rstrip(" ，。、,.;；") + ELLIPSIS


def _cut(text: str, width: float, size: float) -> int:
    """How many characters go on the first line: at least one."""
    used, fits = 0.0, 0
    for character in text:
        used += _em(character) * size
        if used > width:
            break
        fits += 1
    if fits == len(text):
        return fits
    breaks = [cut for cut in range(1, fits + 1) if _may_break(text, cut)]
    good = [cut for cut in breaks if _pause(text, cut) and cut >= _PAUSE_SHARE * fits]
    return max(good or breaks or [fits]) or 1


def _may_break(text: str, cut: int) -> bool:
    before, after = text[cut - 1], text[cut]
    if after in _NOT_FIRST or before in _NOT_LAST:
        return False
    return before == " " or after == " " or _wide(before) or _wide(after)


def _pause(text: str, cut: int) -> bool:
    """Whether a reader would pause there: at a space or after punctuation."""
    return " " in text[cut - 1 : cut + 1] or text[cut - 1] in "，、；：。"


def _wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"
