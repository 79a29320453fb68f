"""Markdown: headings, nested lists, tables and paragraphs, with the marks of emphasis and links taken off."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from compiler.parsers import faults
from compiler.parsers.decoding import decode
from compiler.parsers.draft import Draft, Reading
from compiler.parsers.join import breaks_off, ends_sentence, glue
from compiler.parsers.limits import Limits
from compiler.parsers.text import Lines, is_underlined, pipe_table
from compiler.text.labels import parse_label

_ATX = re.compile(r" {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_ITEM = re.compile(r"(\s*)([-*+]|\d{1,9}[.)])\s+(.*)")
_QUOTE = re.compile(r"^(?:\s{0,3}>\s?)+")
_RULE = re.compile(r"\s*(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})")
_TITLE = re.compile(r"^title:\s*[\"']?(.*?)[\"']?\s*$", re.M)
_TASK = re.compile(r"\[([ xX])\]\s")
_COMMENT = re.compile(r"<!--(.*?)-->", re.S)
_STRUCK = re.compile(r"~~(?=\S)(.+?)~~")  # crossed out: it no longer holds
_MARKS = (
    (re.compile(r"!\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\[([^\]]+)\]\((?:[^()\s]|\([^()]*\))*(?:\s+[\"'][^\"']*[\"'])?\)"), r"\1"),
    (re.compile(r"\[([^\]]+)\]\[[^\]]*\]"), r"\1"),
    (re.compile(r"<((?:https?|mailto):[^>\s]+)>"), r"\1"),
    (re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\w_])_(?=[^\s_])([^_\n]+?)(?<=[^\s_])_(?![\w_])"), r"\1"),
    (re.compile(rf" ?{_STRUCK.pattern}"), ""),
    (re.compile(r"`+([^`]+)`+"), r"\1"),
    (re.compile(r"</?(?:b|i|em|strong|u|sub|sup|span|a|font|code|kbd|small|p|div|center)(?:\s[^<>]*)?/?>", re.I), ""),
    (re.compile(r"<br\s*/?>", re.I), "\n"),
    (re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])"), r"\1"),
)


def read(data: bytes, path: str, limits: Limits) -> Reading:
    """Read Markdown in whatever encoding."""
    decoded = decode(data)
    text = decoded.text.lstrip("\ufeff")
    title = None
    drafts: list[Draft] = []
    front = re.match(r"---\s*\n(.*?)\n(?:---|\.\.\.)\s*(?:\n|$)", text, re.S)
    if front:
        title = next(iter(_TITLE.findall(front[1])), None)
        drafts.append(Draft(front[1], kind="paragraph", tag="hidden"))
        text = text[front.end() :]
    comments = [words.strip() for words in _COMMENT.findall(text)]
    reader = _Reader(Lines.of(_COMMENT.sub("", text)))
    drafts += reader.drafts()
    drafts += [Draft(words, kind="paragraph", tag="hidden") for words in comments if words]
    warnings = (faults.undecodable(path, decoded.encoding, decoded.replaced),) if decoded.replaced else ()
    return Reading(tuple(drafts), title, None, warnings)


def plain(text: str) -> str:
    """The text without the marks of emphasis, links and code.

    >>> plain("see **the [list](a.md)** and `x_y`")
    'see the list and x_y'
    """
    for pattern, with_ in _MARKS:
        text = pattern.sub(with_, text)
    return html.unescape(text).strip()


@dataclass(frozen=True, slots=True)
class _Gathered:
    """A paragraph in the making."""

    text: str = ""
    last: str = ""
    depth: int | None = None


class _Reader:
    """Goes through the lines once."""

    def __init__(self, text: Lines) -> None:
        self.lines = text.lines
        self.gathered: _Gathered | None = None
        self.indents: list[int] = []

    def drafts(self) -> Iterator[Draft]:
        """The pieces of the text."""
        at = 0
        while at < len(self.lines):
            yield from self._piece(at)
            at = self._next
        yield from self._close()

    def _piece(self, at: int) -> Iterator[Draft]:
        line = _QUOTE.sub("", self.lines[at])
        self._next = at + 1
        fence = _FENCE.match(line)
        table = pipe_table(self.lines, at)
        heading = _ATX.fullmatch(line)
        under = self.lines[at + 1] if at + 1 < len(self.lines) else ""
        if fence:
            yield from self._fenced(at, fence[1])
        elif table:
            yield from self._close()
            cells = tuple(replace(cell, text=plain(cell.text)) for cell in table[0].cells)
            yield replace(table[0], cells=cells)
            self._next = table[1]
        elif heading:
            yield from self._close()
            self.indents = []
            if heading[2]:
                yield Draft(plain(heading[2]), heading=len(heading[1]))
        elif self.gathered is None and is_underlined(line, under) and not _ITEM.fullmatch(line):
            self.indents = []
            yield Draft(plain(line), heading=1 if under.strip()[0] == "=" else 2)
            self._next = at + 2
        elif not line.strip() or _RULE.fullmatch(line):
            yield from self._close()
        else:
            yield from self._words(line)

    def _fenced(self, at: int, mark: str) -> Iterator[Draft]:
        yield from self._close()
        end = at + 1
        while end < len(self.lines) and not self.lines[end].strip().startswith(mark):
            end += 1
        text = "\n".join(self.lines[at + 1 : end])
        yield Draft(text, kind="paragraph", depth=len(self.indents) or None)
        self._next = end + 1

    def _words(self, line: str) -> Iterator[Draft]:
        item = _ITEM.fullmatch(line)
        if item:
            yield from self._close()
            self.gathered = _Gathered(f"{item[2]} {item[3]}", line, self._depth(len(item[1].expandtabs(4))))
            return
        indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        before = self.gathered
        # Markdown's own rule joins all lines, but authors of Chinese and of labelled text mean each line.
        if (
            before
            and not parse_label(line.strip())
            and not before.last.endswith(("  ", "\\"))
            and _joins(before.last, line)
        ):
            self.gathered = _Gathered(glue(before.text, line.strip()), line, before.depth)
            return
        yield from self._close()
        if indent < 2:
            self.indents = []
        self.gathered = _Gathered(line.strip(), line, len(self.indents) or None)

    def _depth(self, indent: int) -> int:
        while self.indents and indent < self.indents[-1]:
            self.indents.pop()
        if not self.indents or indent > self.indents[-1] + 1:
            self.indents.append(indent)
        return len(self.indents)

    def _close(self) -> Iterator[Draft]:
        if self.gathered is None:
            return
        gathered, self.gathered = self.gathered, None
        text, item = gathered.text, _ITEM.fullmatch(gathered.text)
        bold = re.fullmatch(r"(\*\*|__)[^*_]+\1[:：]?", text) is not None
        struck = [Draft(plain(match[1]), kind="paragraph", tag="deleted") for match in _STRUCK.finditer(text)]
        if struck and not plain(item[3] if item else text):
            yield from struck
            return
        if item:
            words = _TASK.sub(lambda match: "☐ " if match[1] == " " else "☑ ", item[3], count=1)
            yield Draft(f"{item[2]} {plain(words)}", kind="list_item", depth=gathered.depth)
        else:
            yield Draft(plain(text), depth=gathered.depth, bold=bold)
        yield from struck


def _joins(before: str, line: str) -> bool:
    """Whether two lines without a blank one between them are one paragraph."""
    latin = before.rstrip()[-1:].isascii() and line.lstrip()[:1].isascii()
    unfinished = len(before) >= 20 or "，" in before or breaks_off(before)
    row = line.lstrip().startswith("|")
    return not row and (latin or (unfinished and not ends_sentence(before)))
