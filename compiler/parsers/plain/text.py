"""Plain text: paragraphs from lines, headings by label, underline or capitals, pipe tables."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compiler.parsers import faults
from compiler.parsers.closing import is_date
from compiler.parsers.decoding import decode
from compiler.parsers.draft import Draft, DraftCell, Reading
from compiler.parsers.join import breaks_off, ends_sentence, glue, has_ideographs, is_title
from compiler.parsers.limits import Limits
from compiler.text.labels import parse_label

_UNDERLINE = re.compile(r"\s*(?:={3,}|-{3,}|~{3,}|\*{3,})\s*")
_RULE = re.compile(r"\s*(?:[-=*_~#+]\s?){3,}\s*")
_DIVIDER = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:[|+]\s*:?-{2,}:?\s*)*\|?\s*|\s*\|(?:\s*:?-+:?\s*\|)+\s*")
_UNESCAPED_PIPE = re.compile(r"(?<!\\)\|")
_INDENT = re.compile(r"[\u3000\t]| {2,}")
_COLUMNS = re.compile(r"\S {3,}\S|\S\t+\S|^\s*\|")
_FULL = 0.72
_SOME = 30  # columns below which a line is short on purpose


_BARE = re.compile(r"\s*\d{1,2}\s+[A-Z\u4e00-\u9fff]")  # `2 The manager …` after a sentence


@dataclass(frozen=True, slots=True)
class Lines:
    """A text's lines with what they tell about how it is set.

    Attributes:
        width: columns that most long lines reach, 0 where lines are not wrapped.
    """

    lines: tuple[str, ...]
    width: int

    @classmethod
    def split(cls, text: str) -> "Lines":
        """Split the text, and find out whether its lines are wrapped at a width."""
        lines = tuple(line.rstrip() for line in re.split(r"\r\n|\r|\n|\f|\v|\u2028|\u2029", text))
        widths = sorted(columns_of(line) for line in lines if line.strip())
        if len(widths) < 4:
            return cls(lines, max(widths, default=0) if widths and max(widths) <= 100 else 0)
        usual = widths[int(len(widths) * 0.9)]
        near = sum(0.8 * usual <= width <= usual + 4 for width in widths)
        return cls(lines, usual if 30 <= usual <= 130 and near >= 0.25 * len(widths) else 0)

    def goes_on(self, before: str, line: str) -> bool:
        """Whether a line goes on with the sentence of the line before it."""
        if parse_label(line.strip()) or is_date(line) or (_COLUMNS.search(line) and _COLUMNS.search(before)):
            return False
        if _BARE.match(line) and ends_sentence(before):
            return False
        indented = _INDENT.match(line) and not _INDENT.match(before) and has_ideographs(line)
        if not indented and _is_unfinished(before, line):
            return True
        if not self.width:
            return False
        full = columns_of(before) >= _FULL * self.width
        return full and not indented and not (ends_sentence(before) and columns_of(before) < 0.85 * self.width)


def _is_unfinished(before: str, line: str) -> bool:
    """Whether a line of some length stops within a sentence that the next goes on with, whatever the lines' width."""
    if ends_sentence(before) or columns_of(before) < _SOME or any(_COLUMNS.search(row) for row in (before, line)):
        return False
    hangs = parse_label(before.strip()) is not None and _margin(line) > _margin(before) and not has_ideographs(line)
    latin = not has_ideographs(before) and line.strip()[0].islower()
    return breaks_off(before) or before.endswith(("，", "、")) or latin or hangs


def _margin(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip())


def read(data: bytes, path: str, limits: Limits) -> Reading:
    """Read plain text in whatever encoding."""
    decoded = decode(data)
    drafts = list(paragraphs(Lines.split(decoded.text.lstrip("\ufeff"))))
    warnings = (faults.undecodable(path, decoded.encoding, decoded.replaced),) if decoded.replaced else ()
    return Reading(tuple(drafts), None, None, warnings)


def paragraphs(text: Lines) -> Iterator[Draft]:
    """The pieces of a plain text."""
    paragraph: list[str] = []
    at = 0
    lines = text.lines
    while at < len(lines):
        line = lines[at]
        table = pipe_table(lines, at)
        if table:
            yield from _closed(paragraph)
            yield table[0]
            at = table[1]
            continue
        under = lines[at + 1] if at + 1 < len(lines) else ""
        if not paragraph and is_underlined(line, under):
            yield Draft(line.strip(), heading=1 if under.strip()[0] == "=" else 2)
            at += 2
            continue
        if not line.strip() or _RULE.fullmatch(line):
            yield from _closed(paragraph)
        elif paragraph and text.goes_on(paragraph[-1], line):
            paragraph.append(line)
        else:
            yield from _closed(paragraph)
            paragraph.append(line)
        at += 1
    yield from _closed(paragraph)


def _closed(paragraph: list[str]) -> Iterator[Draft]:
    """The gathered lines as one piece; a short line of capitals is set as a heading would be."""
    if not paragraph:
        return
    text = ""
    for line in paragraph:
        text = glue(text, line)
    paragraph.clear()
    yield Draft(text.strip(), bold=is_shouted(text))


def columns_of(text: str) -> int:
    """The columns that a text takes on a terminal: Chinese characters take two.

    >>> columns_of("危险 x")
    6
    """
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def is_shouted(text: str) -> bool:
    """Whether a short text is all capitals, as headings of plain text are.

    >>> is_shouted("SCOPE OF WORK"), is_shouted("NATO"), is_shouted("Scope")
    (True, False, False)
    """
    text = text.strip()
    return text.isupper() and is_title(text) and sum(map(str.isalpha, text)) > 4


def is_underlined(line: str, under: str) -> bool:
    """Whether a line is a title with a rule of `=` or `-` under it."""
    if not line.strip() or not _UNDERLINE.fullmatch(under) or "|" in line or _RULE.fullmatch(line):
        return False
    return is_title(line) and columns_of(under.strip()) >= min(0.6 * columns_of(line.strip()), 20)


def pipe_table(lines: Sequence[str], at: int) -> tuple[Draft, int] | None:
    """The table of `|`-parted cells whose heading row stands at `at`, and the position after it."""
    if at + 1 >= len(lines) or "|" not in lines[at] or not _DIVIDER.fullmatch(lines[at + 1]):
        return None
    head = split_row(lines[at])
    if len(head) < 2 or len(split_row(lines[at + 1])) != len(head):
        return None
    cells = [DraftCell(1, number, text, header=True) for number, text in enumerate(head, 1)]
    row, next_ = 1, at + 2
    while next_ < len(lines) and "|" in lines[next_] and lines[next_].strip():
        row += 1
        texts = split_row(lines[next_])
        texts += [""] * (len(head) - len(texts))
        cells += [DraftCell(row, number, text) for number, text in enumerate(texts, 1)]
        next_ += 1
    return Draft(kind="table", cells=tuple(cells)), next_


def split_row(line: str) -> list[str]:
    """The cells of a table's row.

    >>> split_row("| a | b \\\\| c |")
    ['a', 'b | c']
    """
    line = line.strip()
    parts = _UNESCAPED_PIPE.split(line.removeprefix("|"))
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()
    return [part.strip().replace("\\|", "|") for part in parts]
