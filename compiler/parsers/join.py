"""Lines to paragraphs: where a sentence ends, and how two halves are put together."""

import re
from collections.abc import Collection, Sequence

from compiler.text.labels import parse_label

_CJK = "\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\u2018-\u201d\u2026\u2014"
_CJK_CHAR = re.compile(f"[{_CJK}]")
_IDEOGRAPH = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_CLOSERS = "”’\"'）)】」』》〉]］ \t\u3000"
_ENDS = "。！？!?.；;：:…．"
_HYPHEN = re.compile(r"([A-Za-z]{2,}(?:-[A-Za-z]+)*)[-\u2010]$")
_OPEN = re.compile(
    r"[\u4e00-\u9fff](?:应当|必须|不得|超过|[经由应须的和及与或在对向将按至为并且其该被把])$"
    r"|\s(?:an?|and|are|as|at|be|by|for|from|in|is|may|must|of|or|shall|than|that|the|to|which|with)$"
)
_PREDICATE = re.compile(
    r"\b(?:shall|must|may|should|cannot|has to|have to)\s|应[当该]|必须|不得|可以|不能|负责|[须需][要经向在按]"
)
_PARTICLES = frozenset({"up", "off"})
_SUSPENDED = re.compile(r"[A-Za-z]- (?:and|or|to) [A-Za-z]+-$")
"""`pre- and post-`: the hyphen stands for a word that both have."""
_BROKEN_CODE = re.compile(r"[^\W\d_]-$")
_NARROWEST, _WIDEST = 15, 60
_INDENT = re.compile(r"\u3000|\u00a0\u00a0|\t| {4}")


def has_ideographs(text: str) -> bool:
    """Whether there is a Chinese character."""
    return bool(_IDEOGRAPH.search(text))


def ideographs(text: str) -> int:
    """The number of Chinese characters."""
    return len(_IDEOGRAPH.findall(text))


def ends_sentence(text: str) -> bool:
    """Whether the text ends where a sentence, a clause of a list or a lead-in does.

    >>> ends_sentence("应当备案。”"), ends_sentence("the following:"), ends_sentence("应当向主管")
    (True, True, False)
    """
    text = text.rstrip(_CLOSERS)
    return bool(text) and text[-1] in _ENDS


def is_title(text: str) -> bool:
    """Whether the text is short and ends as titles do, not as sentences do.

    >>> is_title("第一章　总则"), is_title("应当备案。"), is_title("Scope of work")
    (True, False, True)
    """
    text = text.strip()
    if not text or len(text) > (50 if has_ideographs(text) else 120):
        return False
    return not any(mark in text for mark in "。；") and text.rstrip(_CLOSERS)[-1:] not in "；;，,：:.。、!！"


def glue(left: str, right: str, words: Collection[str] = ()) -> str:
    """Put two lines of one paragraph together: no space between Chinese, no hyphen in a broken word.

    Args:
        words: the document's words in lower case; a compound that is among them keeps its hyphen.

    >>> glue("应当向主管", "部门备案"), glue("the follow-", "ing steps"), glue("see the", "table")
    ('应当向主管部门备案', 'the following steps', 'see the table')
    >>> glue("a self-", "contained set"), glue("pre- and post-", "trip checks"), glue("the with-", "drawal")
    ('a self-contained set', 'pre- and post-trip checks', 'the withdrawal')
    """
    left, right = left.rstrip(), right.lstrip()
    if not left or not right:
        return left + right
    if left.endswith("\u00ad"):
        return left[:-1] + right
    match = _HYPHEN.search(left)
    if match and right[:1].islower():
        return left + right if _keeps_hyphen(left, match[1], right, words) else left[:-1] + right
    if left.endswith(("/", "-")) and not left.endswith((" -", " /")):
        return left + right
    between = _CJK_CHAR.match(left[-1]) or _CJK_CHAR.match(right[0])
    return left + right if between else f"{left} {right}"


def _keeps_hyphen(left: str, head: str, right: str, words: Collection[str]) -> bool:
    """Whether the hyphen belongs to a compound or an address, by what the document writes elsewhere."""
    if re.search(r"[/@.\d_]", left.split()[-1]):
        return True
    tail = re.match(r"[A-Za-z]+", right)
    end, start = (tail[0].lower() if tail else ""), head.lower()
    if (start == "self" and not end.startswith(("ish", "less"))) or end in _PARTICLES or _SUSPENDED.search(left):
        return True
    whole = f"{start}{end}".replace("-", "")
    if f"{start}-{end}" in words or ("-" in head and whole not in words):
        return True
    return whole not in words and start in words and end in words


def split_lines(text: str) -> list[str]:
    """Cut a text with forced line breaks into paragraphs; a break in the middle of a sentence is closed.

    >>> split_lines("第一条　总则如下。\\n第二条　范围\\n\\n附注")
    ['第一条　总则如下。', '第二条　范围', '附注']
    >>> split_lines("the first half\\nand the second")
    ['the first half and the second']
    """
    out: list[str] = []
    lines = text.split("\n")
    width = _width(lines)
    last = ""
    for line in lines:
        words = line.strip()
        if words and last and not _INDENT.match(line) and _goes_on(out[-1], words, bool(width) and len(last) >= width):
            out[-1] = glue(out[-1], words)
        elif words:
            out.append(words)
        last = line.rstrip() if words else ""
    return out


def breaks_code(before: str, after: str) -> bool:
    """Whether a line's end breaks a code of letters and figures at its hyphen.

    >>> breaks_code("on Form B-", "12 is filed"), breaks_code("a self-", "made")
    (True, False)
    """
    return _BROKEN_CODE.search(before) is not None and after[:1].isdecimal()


def breaks_off(text: str) -> bool:
    """Whether the text ends in a word after which no sentence and no title ends.

    >>> [breaks_off(text) for text in ("请假须经", "不得超过", "the limit of", "请假管理", "Signed off")]
    [True, True, True, False, False]
    """
    return _OPEN.search(text.rstrip()) is not None


def _width(lines: Sequence[str]) -> int:
    """The length from which a Chinese line is full, where lines are cut at one width; else 0."""
    lengths = [len(line.rstrip()) for line in lines if has_ideographs(line)]
    widest = max(lengths, default=0)
    full = sum(length >= widest - 2 for length in lengths)
    return widest - 2 if _NARROWEST <= widest <= _WIDEST and full >= 2 else 0


def _goes_on(before: str, line: str, full: bool) -> bool:
    """Whether a sentence runs over a forced break; authors seldom break lines but on purpose."""
    if ends_sentence(before) or parse_label(line):
        return False
    chinese = _CJK_CHAR.match(before[-1]) is not None and _CJK_CHAR.match(line[0]) is not None
    wrapped = chinese and (full or len(before) >= 30 or (len(before) >= 10 and before[-1] in "，、"))
    return line[0].islower() or wrapped or breaks_off(before) or _is_begun(before, line)


def _is_begun(before: str, line: str) -> bool:
    """Whether the line ends the sentence that the one before begins: a line with a verb of duty is no title.

    >>> _is_begun("承办人应当在接到申请后", "十日内答复。"), _is_begun("适用范围", "本办法适用于全体职工。")
    (True, False)
    >>> _is_begun("Each file must be kept by", "Records Office staff."), _is_begun("Quality Manual", "Second edition.")
    (True, False)
    """
    return ends_sentence(line) and line[-1] not in ":：" and _PREDICATE.search(before) is not None
