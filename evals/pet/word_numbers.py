"""Texts with their words numbered, so that an answer can say which words it means without saying them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from compiler.text.sentences import Piece, sentences
from ir.document import Block, Document
from ir.source import Span

_WORD = re.compile(r"\w+(?:[-'’.]\w+)*")


@dataclass(frozen=True)
class Word:
    """One word.

    Args:
        block: address of its block.
        start, end: in the block's text, by code points.
        sentence: number of its sentence, from 0.
    """

    block: str
    start: int
    end: int
    sentence: int


class NumberedText:
    """The paragraphs and list items of a document, their words numbered from 1 throughout.

    >>> from ir.source import Source
    >>> source = Source(path="a", sha256="0", size=0, kind="text")
    >>> block = Block(address="p1", kind="paragraph", text="She waits. It rains.")
    >>> text = NumberedText(Document(doc_id="a", title="a", source=source, language="en", blocks=(block,)))
    >>> [each.text for each in text.shown]
    ['She_1 waits_2.', 'It_3 rains_4.']
    """

    def __init__(self, document: Document) -> None:
        self.document = document

    @cached_property
    def sentences(self) -> tuple[Piece, ...]:
        """The sentences in order."""
        return tuple(self._sentences())

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """All words in order; the first has the number 1."""
        return tuple(
            Word(piece.block, piece.start + match.start(), piece.start + match.end(), at)
            for at, piece in enumerate(self.sentences)
            for match in _WORD.finditer(piece.text)
        )

    @cached_property
    def shown(self) -> tuple[Block, ...]:
        """The sentences as blocks, each word followed by its number."""
        numbers = iter(range(1, len(self.words) + 1))
        return tuple(
            Block(
                address=str(at),
                kind="paragraph",
                text=_WORD.sub(lambda match: f"{match[0]}_{next(numbers)}", piece.text),
            )
            for at, piece in enumerate(self.sentences, start=1)
        )

    def span(self, numbers: Sequence[int]) -> Span | None:
        """The run from the first to the last of some words of one block; None where there is no such run."""
        if not numbers or not all(1 <= number <= len(self.words) for number in numbers):
            return None
        first, last = self.words[numbers[0] - 1], self.words[numbers[-1] - 1]
        if numbers[-1] < numbers[0] or first.block != last.block:
            return None
        return self.document.span(first.block, first.start, last.end)

    def sentence_of(self, number: int) -> Span:
        """The sentence in which a word stands."""
        piece = self.sentences[self.words[number - 1].sentence]
        return self.document.span(piece.block, piece.start, piece.end)

    def _sentences(self) -> Iterator[Piece]:
        for block in self.document.body():
            if block.kind in ("paragraph", "list_item"):
                whole = Piece(block.address, block.body_start, len(block.text), block.body)
                yield from sentences(whole, self.document.language)
