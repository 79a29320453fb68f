"""Markdown: headings, nested lists, tables and paragraphs, with the marks of emphasis and links taken off."""

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from compiler.parsers import faults
from compiler.parsers.decoding import decode
from compiler.parsers.draft import Draft, Reading
from compiler.parsers.join import breaks_off, ends_sentence, glue
from compiler.parsers.limits import Limits
from compiler.parsers.plain.text import Lines, is_underlined, pipe_table
from compiler.parsers.scripts import close_fractions, write_script
from compiler.text.labels import is_doubtful, parse_label
from ir.document import Label

_ATX = re.compile(r" {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_ITEM = re.compile(r"(\s*)([-*+]|\d{1,9}[.)])\s+(.*)")
_QUOTE = re.compile(r"^(?:\s{0,3}>\s?)+")
_RULE = re.compile(r"\s*(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})")
_TITLE = re.compile(r"^title:\s*[\"']?(.*?)[\"']?\s*$", re.M)
_TASK = re.compile(r"\[([ xX])\]\s")
_COMMENT = re.compile(r"<!--(.*?)-->", re.S)
_STRUCK = re.compile(r"~~(?=\S)(.+?)~~")  # crossed out: it no longer holds
_NOTE = re.compile(r" {0,3}\[\^([^\]\s]+)\]:\s*(.*)")
_NOTE_MARK = re.compile(r"\[\^([^\]\s]+)\]")
_MARKS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(r"<sup>([^<>]*)</sup>|(?<=\d)\^([-+]?\d+)\^", re.I),
        lambda m: write_script(m[1] or m[2] or "", "super", "0"),
    ),
    (re.compile(r"(?<=[\d/⁄])<sub>([^<>]*)</sub>", re.I), lambda m: write_script(m[1], "sub")),
    (re.compile(r"!\[([^\]]{0,1000})\]\([^)]*\)"), r"\1"),
    (re.compile(r"\[([^\]]{1,1000})\]\((?:[^()\s]|\([^()]*\))*(?:\s+[\"'][^\"']*[\"'])?\)"), r"\1"),
    (re.compile(r"\[([^\]]{1,1000})\]\[[^\]]{0,1000}\]"), r"\1"),
    (re.compile(r"<((?:https?|mailto):[^>\s]+)>"), r"\1"),
    (re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*"), r"\1"),
    (re.compile(r"(?<!_)__(?=[^\s_])(.+?)(?<=[^\s_])__(?!_)"), r"\1"),
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
    lines, notes = _without_notes(Lines.split(_COMMENT.sub("", text)).lines)
    drafts += _with_notes(_Reader(lines).drafts(), notes)
    drafts += [Draft(words, kind="paragraph", tag="hidden") for words in comments if words]
    warnings = (faults.undecodable(path, decoded.encoding, decoded.replaced),) if decoded.replaced else ()
    return Reading(tuple(drafts), title, None, warnings)


def plain(text: str) -> str:
    """The text without the marks of emphasis, links and code.

    >>> plain("see **the [list](a.md)** and `x_y`")
    'see the list and x_y'
    >>> plain("__Name__: ______ Date: ____")
    'Name: ______ Date: ____'
    """
    for pattern, with_ in _MARKS:
        text = pattern.sub(with_, text)
    return close_fractions(html.unescape(text)).strip()


def _without_notes(lines: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The lines that define no footnote, and the footnotes by their names."""
    kept: list[str] = []
    notes: dict[str, str] = {}
    name, fenced = "", False
    for line in lines:
        fenced ^= _FENCE.match(line) is not None
        note = None if fenced else _NOTE.fullmatch(line)
        if note:
            name = note[1]
            notes[name] = note[2]
        elif name and line.strip() and line.startswith(("  ", "\t")):
            notes[name] = glue(notes[name], line.strip())
        else:
            name = name if not line.strip() else ""
            kept.append(line)
    return tuple(kept), notes


def _with_notes(drafts: Iterator[Draft], notes: Mapping[str, str]) -> Iterator[Draft]:
    """The pieces, each followed by the footnotes whose marks it bears; at the end those without a mark."""
    told: set[str] = set()
    for draft in drafts:
        names = [
            name for text in (draft.text, *(cell.text for cell in draft.cells)) for name in _NOTE_MARK.findall(text)
        ]
        cells = tuple(replace(cell, text=_marked(cell.text, notes)) for cell in draft.cells)
        yield replace(draft, text=_marked(draft.text, notes), cells=cells)
        for name in names:
            if name in notes and name not in told:
                told.add(name)
                yield Draft(f"[{name}] {plain(notes[name])}", kind="paragraph", tag="footnote", beside=True)
    for name in (name for name in notes if name not in told):
        yield Draft(f"[{name}] {plain(notes[name])}", kind="paragraph", tag="footnote")


def _marked(text: str, notes: Mapping[str, str]) -> str:
    return _NOTE_MARK.sub(lambda mark: f"[{mark[1]}]" if mark[1] in notes else mark[0], text)


@dataclass(frozen=True, slots=True)
class _Gathered:
    """A paragraph in the making."""

    text: str = ""
    last: str = ""
    depth: int | None = None
    number: int | None = None


class _Reader:
    """Goes through the lines once."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.counts: dict[int, tuple[str, int]] = {}
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
            self._leave_lists()
            if heading[2]:
                yield Draft(plain(heading[2]), heading=len(heading[1]))
        elif self.gathered is None and is_underlined(line, under) and not _ITEM.fullmatch(line):
            self._leave_lists()
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
            depth = self._depth(len(item[1].expandtabs(4)))
            self.gathered = _Gathered(f"{item[2]} {item[3]}", line, depth, self._number(item[2], depth))
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
            self.gathered = replace(before, text=glue(before.text, line.strip()), last=line)
            return
        yield from self._close()
        if indent < 2:
            self._leave_lists()
        self.gathered = _Gathered(line.strip(), line, len(self.indents) or None)

    def _depth(self, indent: int) -> int:
        while self.indents and indent < self.indents[-1]:
            self.indents.pop()
        if not self.indents or indent > self.indents[-1] + 1:
            self.indents.append(indent)
        return len(self.indents)

    def _leave_lists(self) -> None:
        self.indents = []
        self.counts = {}

    def _number(self, mark: str, depth: int) -> int | None:
        """The number that an item is shown with where its author repeats one; None where it is the written one."""
        self.counts = {at: count for at, count in self.counts.items() if at <= depth}
        if not mark[0].isdigit():
            return None
        before, shown = self.counts.get(depth, ("", 0))
        number = shown + 1 if before == mark else int(mark[:-1])
        self.counts[depth] = (mark, number)
        return number if before == mark else None

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
            label = (
                Label(text=f"{gathered.number}{item[2][-1]}", generated=True) if gathered.number is not None else None
            )
            if _is_numbered(item):
                yield Draft(plain(words), depth=gathered.depth)
            else:
                text = plain(words) if label else f"{item[2]} {plain(words)}"
                yield Draft(text, kind="list_item", depth=gathered.depth, label=label)
        else:
            yield Draft(plain(text), depth=gathered.depth, bold=bold)
        yield from struck


def _is_numbered(item: re.Match[str]) -> bool:
    """Whether what follows an item's bullet is a number that somebody wrote."""
    label = parse_label(item[3]) if item[2] in ("-", "*", "+") else None
    if label is None or not label.ordered or label.kind == "annex":
        return False
    return label.kind.endswith(("paren", "half")) or not is_doubtful(label)


def _joins(before: str, line: str) -> bool:
    """Whether two lines without a blank one between them are one paragraph."""
    latin = before.rstrip()[-1:].isascii() and line.lstrip()[:1].isascii()
    unfinished = len(before) >= 20 or "，" in before or breaks_off(before)
    row = line.lstrip().startswith("|")
    return not row and (latin or (unfinished and not ends_sentence(before)))
