"""What every parser is: which kinds of document it reads, how it knows them, and what it is told."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from compiler.parsers.draft import Reading
from compiler.parsers.limits import Limits, Revisions
from compiler.parsers.sample import Sample
from ir.source import MediaKind

ReadEmbedded = Callable[[bytes, str], Reading]
"""Reads a document inside another one: its bytes, and its name there.

Raises:
    Refused: it is of no kind that a parser reads, or damaged.
"""


@dataclass(frozen=True)
class ParseOptions:
    """What a parser is told besides the bytes.

    Args:
        limits: what is larger is refused.
        revisions: how tracked changes are read, where the format has them.
        read_embedded: reads documents that are embedded whole; None where they are to be left alone.
    """

    limits: Limits
    revisions: Revisions = "accepted"
    read_embedded: ReadEmbedded | None = None


class Parser(Protocol):
    """Reads one format. It is made when flowc starts, so it imports what it reads with only in `parse`."""

    @property
    def kind(self) -> MediaKind:
        """What it reads, as documents name it."""

    def detect(self, sample: Sample) -> bool:
        """Whether some content is of this kind; asked in the order of `registry.PARSERS`.

        Raises:
            Refused: it is, but so damaged that nothing can be read.
        """

    def parse(self, data: bytes, path: str, options: ParseOptions) -> Reading:
        """The pieces of the document in reading order.

        Raises:
            Refused: nothing can be read; the diagnostic says why.
        """
