"""Lines to paragraphs, over columns and pages."""

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from compiler.parsers.draft import Draft, box_around
from compiler.parsers.join import breaks_code, ends_sentence, glue, has_ideographs, is_title
from compiler.parsers.pdf.layout import Column
from compiler.parsers.pdf.lines import Line
from compiler.text.labels import ParsedLabel, is_lettered, parse_label

_ENTRY = re.compile(r"(?:(?:[.．·…]\s?){4,}|\s)\s*(?:\d{1,4}|[ivxlc]{1,6})$|(?:[.．·…]\s?){4,}$")

_FIGURE = re.compile(r"\d+(?:[.,]\d+)?\s+[a-z]")
_UNBROKEN = re.compile(r"[（(《「『【“‘]*(?:[^\s\u2e80-\uffff]+|\S)[，。；：、）)》」』】！？”’%％]*")
"""What stands on one line: a word in Latin letters, a number or one Chinese character, with the marks around it."""
_ARTICLE = 5
"""Rank of articles; the labels of items have higher ones."""
_ITEMS = "一二三四五六七八九十 123456789 abcdefghijklmnopqrstuvwxyz"
_BRACKETED = 3


@dataclass(slots=True)
class Paragraph:
    """Lines that are read as one text, in the column where they begin; `aside`, in a box that text flows around."""

    lines: list[Line]
    column: Column
    pitch: float
    words: Collection[str] = ()
    aside: bool = False

    @property
    def text(self) -> str:
        """The lines put together."""
        text = ""
        for line in self.lines:
            text = glue(text, line.text, self.words)
        return text

    @property
    def last(self) -> Line:
        """The line that it ends with so far."""
        return self.lines[-1]

    @property
    def table(self) -> int | None:
        """Number of the table on its page, where it is a table's place."""
        return self.lines[0].table


@dataclass
class Joiner:
    """Builds paragraphs; remembers the labels seen, since a label that goes on counting begins a new one.

    Attributes:
        words: the document's words in lower case, to tell a broken word from a compound.
        large: type size from which lines are titles.
    """

    words: Collection[str]
    large: float
    counts: dict[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)

    def paragraphs(self, column: Column) -> list[Paragraph]:
        """The column's paragraphs."""
        pitch = _pitch(column.lines)
        labelled = [
            (line, parse_label(line.text, heading=line.bold) if line.table is None else None) for line in column.lines
        ]
        out: list[Paragraph] = []
        for at, (line, label) in enumerate(labelled):
            if label and out and self._is_inline(out[-1], line, label, labelled[at + 1 :]):
                label = None
            if out and out[-1].table is None and line.table is None and not self._begins(out[-1], line, label):
                out[-1].lines.append(line)
            else:
                out.append(Paragraph([line], column, pitch, self.words))
                if label:
                    self.counts[label.kind, round(line.left / 8)] = label.number
        return out

    def continues(self, before: Paragraph, after: Paragraph) -> bool:
        """Whether a paragraph goes on in the next column or on the next page."""
        last, first = before.last, after.lines[0]
        if before.table is not None or after.table is not None:
            return False
        if (
            abs(last.size - first.size) > 0.12 * last.size
            or last.bold != first.bold
            or not (last.level and first.level)
        ):
            return False
        text = before.text
        figure = _FIGURE.match(first.text) is not None and _is_full(last, first, before.column.right)
        if ends_sentence(text) or (parse_label(first.text) and not figure) or (is_title(text) and last.bold):
            return False
        if has_ideographs(text[-1:]) or has_ideographs(first.text[:1]):
            indented = first.left > after.column.left + 0.8 * first.size and len(after.lines) > 1
            return _is_full(last, first, before.column.right) and not indented
        return figure or first.text[:1].islower() or (text[-1:] in ",-–" and not first.text[:1].isspace())

    def _begins(self, paragraph: Paragraph, line: Line, label: ParsedLabel | None) -> bool:
        """Whether the line begins a new paragraph."""
        last = paragraph.last
        if _changes_look(last, line):
            return True
        gap = line.top - last.top
        if gap < -1 or gap > 1.42 * paragraph.pitch + 2 or line.top - last.bottom > 1.2 * line.size:
            return not self._is_wrapped_title(paragraph, line, label)
        if self._is_wrapped_title(paragraph, line, label):
            return False
        if (
            _is_entry(last)
            or _is_entry(line)
            or (last.gapped and line.gapped and line.text[:1].isalnum() and not line.text[:1].islower())
        ):
            return True
        if breaks_code(last.text, line.text):
            return False
        right = _edge(paragraph, line)
        full = _is_full(last, line, right)
        ended = ends_sentence(last.text)
        if label and (self._is_expected(label) or ended or not full):
            return True
        if not ended and (line.text[:1].islower() or self._hangs(paragraph, line)):
            return False
        return not full or self._is_set_apart(paragraph, line, ended=ended)

    def _is_inline(
        self, paragraph: Paragraph, line: Line, label: ParsedLabel, rest: Iterable[tuple[Line, ParsedLabel | None]]
    ) -> bool:
        """Whether what looks like a label is part of a sentence that goes on from a full line.

        It is where the item before it stands within the paragraph, or where neither an item before it nor one after
        it begins a line at the same edge.
        """
        last = paragraph.last
        if label.rank <= _ARTICLE or paragraph.table is not None or line.bold != last.bold:
            return False
        if abs(line.left - last.left) > 0.8 * line.size or not _is_full(last, line, _edge(paragraph, line)):
            return False
        before = _label_before(label, line)
        if before and paragraph.text.find(before) > 0:
            return True
        edge = round(line.left / 8)
        counted = any(
            kind == label.kind and abs(left - edge) < 2 and _counts_on(number, label.number)
            for (kind, left), number in self.counts.items()
        )
        goes_on = any(
            other
            and other.kind == label.kind
            and abs(each.left - line.left) < 8
            and _counts_on(label.number, other.number)
            for each, other in rest
        )
        return not (ends_sentence(last.text) or counted or goes_on)

    def _hangs(self, paragraph: Paragraph, line: Line) -> bool:
        """Whether the line stands under the words of a labelled line that went most of the way."""
        first, last, column = paragraph.lines[0], paragraph.last, paragraph.column
        inset = line.left - first.left
        near = column.right - last.right < 0.35 * (column.right - column.left)
        return near and 0.8 * line.size < inset < 5 * line.size and parse_label(first.text) is not None

    def _is_wrapped_title(self, paragraph: Paragraph, line: Line, label: ParsedLabel | None) -> bool:
        """Whether the line is the second of a title in large type."""
        last = paragraph.last
        close = line.top - last.bottom < 0.75 * line.size
        alike = abs(last.size - line.size) < 0.6 and last.bold == line.bold
        if any(":" in each.text or "：" in each.text for each in (last, line)):
            return False
        return label is None and line.size >= self.large and close and alike and is_title(paragraph.text + line.text)

    def _is_expected(self, label: ParsedLabel) -> bool:
        """Whether the label begins a count or goes on with one; a bullet always does."""
        if not label.ordered or label.number == ():
            return True
        seen = [number for (kind, _), number in self.counts.items() if kind == label.kind and number]
        if label.kind == "decimal":
            return not seen or label.number > min(seen)
        if any(label.number[0] in (number[0], number[0] + 1) for number in seen):
            return True
        return label.number[0] == 1 and (not is_lettered(label) or "paren" in label.kind or "half" in label.kind)

    def _is_set_apart(self, paragraph: Paragraph, line: Line, *, ended: bool) -> bool:
        """Whether indentation, or a gap after the end of a sentence, sets the line apart."""
        last, em = paragraph.last, line.size
        if len(paragraph.lines) > 1:
            step = line.left - last.left
            if step > 0.8 * em or step < -1.2 * em:
                return True
        else:
            step = line.left - last.left
            labelled = parse_label(last.text) is not None
            if step > 0.8 * em and not labelled:
                return True
            indented = last.left > paragraph.column.left + 1.2 * em
            if abs(step) <= 0.8 * em and indented and ended and line.block != last.block:
                return True
        apart = line.top - last.top > 1.15 * paragraph.pitch
        return ended and line.block != last.block and apart


def _counts_on(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    """Whether one label may be the next of a list that has the other; bullets always.

    >>> _counts_on((2, 1, 4), (2, 2)), _counts_on((2,), (3,)), _counts_on((2,), (5,)), _counts_on((), ())
    (True, True, False, True)
    """
    if not before or not after:
        return before == after
    return before < after and after[0] - before[0] <= 1


def _label_before(label: ParsedLabel, line: Line) -> str | None:
    """How the label that counts one less would be written, for those in round brackets."""
    written = line.text[: label.end].strip()
    if "paren" not in label.kind or len(written) != _BRACKETED or len(label.number) != 1 or label.number[0] < 2:
        return None
    order = _ITEMS.find(written[1])
    return f"{written[0]}{_ITEMS[order - 1]}{written[2]}" if order > 0 else None


def to_draft(paragraph: Paragraph, centre: float, *, ocr: bool) -> Draft:
    """The paragraph as a piece of the document; its box is on its first page."""
    first = paragraph.lines[0]
    own = [line for line in paragraph.lines if line.page == first.page]
    column = paragraph.column
    middle = (first.left + first.right) / 2
    inset = first.left - column.left > first.size and column.right - first.right > first.size
    weights: Counter[float] = Counter()
    for line in paragraph.lines:
        weights[line.size] += len(line.text)
    return Draft(
        text=paragraph.text,
        kind="paragraph" if paragraph.aside else None,
        page=first.page,
        box=box_around([line.box for line in own]),
        size=weights.most_common(1)[0][0],
        bold=all(line.bold for line in paragraph.lines),
        centred=inset and abs(middle - centre) < 1.5 * first.size,
        ocr=ocr,
    )


def body_right(columns: Sequence[Column]) -> float:
    """The right edge that full-width text usually keeps, 0 where there is none."""
    rights = sorted(column.right for column in columns if column.whole and len(column.lines) > 3)
    return rights[len(rights) // 2] if rights else 0.0


def _pitch(lines: Sequence[Line]) -> float:
    """The usual distance from line to line."""
    steps: Counter[float] = Counter()
    pairs = list(itertools.pairwise(lines))
    for before, after in pairs:
        step = after.top - before.top
        if 0 < step < 4 * after.size and before.table is None and after.table is None:
            steps[round(step)] += 1
    if not steps:
        return 1.3 * median(line.size for line in lines)
    common = steps.most_common(1)[0]
    return common[0] if common[1] > 1 else min(steps)


def _is_entry(line: Line) -> bool:
    """Whether the line is one of a table of contents: leaders, or a page number at the far end."""
    return bool(_ENTRY.search(line.text)) and (
        line.gapped or ". ." in line.text or "...." in line.text or "…" in line.text
    )


def _changes_look(last: Line, line: Line) -> bool:
    if last.level != line.level or not last.alike(line.size):
        return True
    return (last.bold and not line.bold_start) or (line.bold and not last.bold_end)


def _edge(paragraph: Paragraph, line: Line) -> float:
    """How far right text may go here: as far as the run of lines drawn together, else as the column or its own type."""
    last, column = paragraph.last, paragraph.column
    if last.block != line.block:
        own = (each.edge for each in column.lines if each.table is None and each.alike(line.size))
        return max(column.right, *own)
    return max(each.edge for each in column.lines if each.block == line.block)


def _is_full(last: Line, line: Line, right: float) -> bool:
    """Whether what the next line begins with would not have fitted on the last line.

    That is a word with the marks around it; Chinese text is broken between any two characters, but never before a
    closing mark, after an opening one or inside a number, so that a full line may lack more than one character.
    """
    room = min(right, last.limit) - last.right
    begun = _UNBROKEN.match(line.text)
    word = begun[0] if begun else line.text[:1]
    width = (line.right - line.left) * _widths(word) / max(_widths(line.text), 1) + 0.6 * line.size
    chinese = has_ideographs(line.text) or not line.text[:1].isascii()
    return room < (max(width, 2.3 * line.size) if chinese else width)


def _widths(text: str) -> int:
    """The width of a text, in halves of a Chinese character."""
    return sum(2 if char > "\u2e7f" else 1 for char in text)
