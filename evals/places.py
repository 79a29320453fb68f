"""Where quotes stand, so that gold's words and a draft's can be laid over each other, whoever split the blocks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from ir.document import Document
from ir.source import Evidence

SAME_WORDS = 80.0  # likeness out of 100 from which on words without a place count as the same


@dataclass(frozen=True)
class Place:
    """A run of characters of a document, counted without white space."""

    doc_id: str
    start: int
    end: int


@dataclass
class Places:
    """Finds the places of evidence in the documents of a case.

    Args:
        documents: by id.
    """

    documents: Mapping[str, Document]
    _texts: dict[str, "_Text"] = field(default_factory=dict)

    def of(self, evidence: Evidence) -> Place | None:
        """Where a quote stands; None where the document is unknown or does not have it."""
        document = self.documents.get(evidence.doc_id)
        if document is None:
            return None
        text = self._texts.get(evidence.doc_id)
        if text is None:
            text = self._texts[evidence.doc_id] = _Text(document)
        return text.find(evidence)

    def overlap(self, gold: Iterable[Evidence], found: Iterable[Evidence]) -> float:
        """How much of the same words two elements rest on, in 0..1.

        1 where the places are the same, between 0.5 and 1 where one holds the other, below that where they only cross.
        Words that stand nowhere are compared by their letters.
        """
        others = [(one, self.of(one)) for one in found]
        return max((_overlap(one, self.of(one), *other) for one in gold for other in others), default=0.0)

    def distance(self, gold: Iterable[Evidence], found: Iterable[Evidence]) -> float:
        """How far apart two elements stand, as a share of the document; 1 where it is not known."""
        pairs = [(self.of(one), self.of(other)) for one in gold for other in found]
        known = [
            abs(a.start - b.start) / self._texts[a.doc_id].size for a, b in pairs if a and b and a.doc_id == b.doc_id
        ]
        return min(known, default=1.0)


def _overlap(one: Evidence, a: Place | None, other: Evidence, b: Place | None) -> float:
    if one.doc_id != other.doc_id:
        return 0.0
    if a is None or b is None:
        return _alike(one.quote, other.quote)
    common = min(a.end, b.end) - max(a.start, b.start)
    if common <= 0:
        return 0.0
    short, long = sorted((a.end - a.start, b.end - b.start))
    return common / short * (0.5 + 0.5 * short / long)


def _alike(one: str, other: str) -> float:
    ratio = fuzz.ratio("".join(one.split()).casefold(), "".join(other.split()).casefold())
    return ratio / 100 if ratio >= SAME_WORDS else 0.0


class _Text:
    """A document's words without white space, and where each passage begins in them."""

    def __init__(self, document: Document) -> None:
        self.words, self.starts, self.raw = "", dict[str, int](), dict[str, str]()
        parts: list[str] = []
        at = 0
        for passage in document.passages():
            if passage.tag is not None:
                continue
            squeezed = "".join(passage.text.split())
            self.starts[passage.address], self.raw[passage.address] = at, passage.text
            parts.append(squeezed)
            at += len(squeezed)
        self.words, self.size = "".join(parts), max(at, 1)

    def find(self, evidence: Evidence) -> Place | None:
        if evidence.block in self.starts and evidence.start is not None and evidence.end is not None:
            text = self.raw[evidence.block]
            start, end = (len("".join(text[:at].split())) for at in (evidence.start, evidence.end))
            base = self.starts[evidence.block]
            return Place(evidence.doc_id, base + start, base + end)
        quote = "".join(evidence.quote.split())
        at = -1
        for _ in range(evidence.occurrence or 1):
            at = self.words.find(quote, at + 1)
            if at < 0:
                return None
        return Place(evidence.doc_id, at, at + len(quote)) if quote else None
