"""Where words come from: files, spans of text in blocks, and evidence."""

from enum import StrEnum
from typing import Literal

from pydantic import Field, model_validator

from ir.base import Model

Language = Literal["zh", "en", "und"]
MediaKind = Literal["pdf", "docx", "html", "markdown", "text"]


class Source(Model):
    """One input file, known by its content.

    Args:
        path: path relative to the folder that was compiled, with forward slashes; also the document's id.
        sha256: lower-case hexadecimal digest of the bytes.
        size: bytes.
        kind: what the content is, whatever the file name says.
    """

    path: str
    sha256: str
    size: int
    kind: MediaKind


class Span(Model):
    """A run of characters in one block; `start` and `end` count code points of the block's raw text."""

    doc_id: str
    block: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    quote: str


class Grounding(StrEnum):
    """How a quote was found in its document; see design section 6."""

    EXACT = "exact"
    NORMALISED = "normalised"
    FUZZY = "fuzzy"
    RELOCATED = "relocated"
    AMBIGUOUS = "ambiguous"
    UNGROUNDED = "ungrounded"


class Evidence(Model):
    """A quote that supports something, and where it stands.

    A quote that nobody has looked for yet has no `status` (gold is written so: by quote, and `occurrence` where the
    quote recurs). Once grounded, `block`, `start` and `end` say where; an `ungrounded` or `ambiguous` quote has none
    and supports nothing. `claimed` keeps the words as they were claimed, where the document's differ.
    """

    doc_id: str
    quote: str
    occurrence: int | None = Field(default=None, ge=1)
    block: str | None = None
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)
    status: Grounding | None = None
    claimed: str | None = None

    @model_validator(mode="after")
    def _placed_as_a_whole(self) -> "Evidence":
        if len({self.block is None, self.start is None, self.end is None}) != 1:
            raise ValueError("block, start and end are given together or not at all")
        return self

    @property
    def span(self) -> Span | None:
        """The located span, or None where the quote was not located."""
        if self.block is None or self.start is None or self.end is None:
            return None
        return Span(doc_id=self.doc_id, block=self.block, start=self.start, end=self.end, quote=self.quote)

    @property
    def supports(self) -> bool:
        """Whether the quote was found, so that what refers to it may stand on it."""
        return self.span is not None and self.status not in (Grounding.UNGROUNDED, Grounding.AMBIGUOUS)

    @classmethod
    def from_span(cls, span: Span, status: Grounding = Grounding.EXACT) -> "Evidence":
        """Evidence at a known place."""
        return cls(
            doc_id=span.doc_id, quote=span.quote, block=span.block, start=span.start, end=span.end, status=status
        )
