"""Sentences and clauses of a text, by offsets, in Chinese and English."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MASK = "\x1f"
"""Stands for each character that is set aside in a text that is read; parsers leave no such character in a document."""
_OPEN, _CLOSE = '（(《〈“"「『【[', '）)》〉”"」』】]'
LONGEST, MOST_PAUSES = 2000, 100
"""Characters of a sentence and commas in it, up to which it is read; a long sentence of a statute has 500 and 20."""
_PAUSE = re.compile("[,，、;；]")
_ENDS_ZH = "。！？；;"
_SENTENCE_EN = re.compile(r"(?<=[.!?;])[\"”')\]]*\s+(?=[\"“'(\[]?[A-Z0-9•])|(?<=[;])\s+|\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|No|Nos|Mr|Mrs|Ms|Dr|Inc|Ltd|Co|Corp|St|Fig|Sec|Art|para|approx|cf|al|U\.S)|\b[A-Z])\.$"
)


_ABBREVIATED = 12  # more characters than any abbreviation has, with the one before it


@dataclass(frozen=True)
class Piece:
    """Text of one block or cell, from code point `start` to `end`."""

    block: str
    start: int
    end: int
    text: str

    def part(self, start: int, end: int | None = None) -> "Piece":
        """The piece from `start` to `end` of this one's text, without white space at either side."""
        end = len(self.text) if end is None else end
        while start < end and self.text[start].isspace():
            start += 1
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return Piece(self.block, self.start + start, self.start + end, self.text[start:end])

    def find(self, text: str) -> "Piece | None":
        """The first place of a text in this piece."""
        at = self.text.find(text)
        return self.part(at, at + len(text)) if text and at >= 0 else None

    def to(self, other: "Piece", whole: str) -> "Piece":
        """The run from this piece to the end of another one of the same block; `whole` is the block's text."""
        return Piece(self.block, self.start, other.end, whole[self.start : other.end])


def is_overlong(text: str) -> bool:
    """Whether a sentence is longer than any that people write for each other, and so is not read.

    How a sentence is meant hangs on all that stands in it: the time of finding out grows faster than its length.

    >>> is_overlong("The clerk must file the record."), is_overlong("一" * 2001), is_overlong("甲、" * 101)
    (False, True, True)
    """
    return len(text) > LONGEST or len(_PAUSE.findall(text)) > MOST_PAUSES


def split(piece: Piece, marks: str, *, keep: bool = False) -> tuple[Piece, ...]:
    """Cut a piece at the marks that stand outside brackets and quotes; `keep` leaves the mark on the part before it.

    >>> [p.text for p in split(Piece("b", 0, 11, "甲，乙（丙，丁）。戊"), "，。")]
    ['甲', '乙（丙，丁）', '戊']
    """
    parts, depth, begin = [], 0, 0
    for at, char in enumerate(piece.text):
        if char in _OPEN and not (char == '"' and depth):
            depth += 1
        elif char in _CLOSE:
            depth = max(0, depth - 1)
        elif depth == 0 and char in marks and not _inside_number(piece.text, at):
            parts.append(piece.part(begin, at + 1 if keep else at))
            begin = at + 1
    parts.append(piece.part(begin))
    return tuple(part for part in parts if part.text)


def _inside_number(text: str, at: int) -> bool:
    return text[at] in ",，.．:：" and 0 < at < len(text) - 1 and text[at - 1].isdigit() and text[at + 1].isdigit()


def sentences(piece: Piece, language: str) -> tuple[Piece, ...]:
    """The sentences of a piece, with their closing marks.

    >>> [s.text for s in sentences(Piece("b", 0, 19, "Stop it. Dr. Wu signs."), "en")]
    ['Stop it.', 'Dr. Wu signs.']
    """
    if language == "zh":
        return split(piece, "。！？", keep=True)
    return tuple(_english(piece))


def _english(piece: Piece) -> Iterator[Piece]:
    begin = 0
    for match in _SENTENCE_EN.finditer(piece.text):
        if _ABBREVIATION.search(piece.text[max(0, match.start() - _ABBREVIATED) : match.start()]):
            continue
        part = piece.part(begin, match.start())
        if part.text:
            yield part
        begin = match.end()
    rest = piece.part(begin)
    if rest.text:
        yield rest
