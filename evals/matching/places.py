"""Where quotes stand, so that gold's words and a draft's can be laid over each other, whoever split the blocks."""

import re
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

    def places_of(self, evidence: Evidence) -> tuple[Place, ...]:
        """Where a quote stands, at each place where it recurs; none where the document is unknown or has it not."""
        document = self.documents.get(evidence.doc_id)
        if document is None:
            return ()
        text = self._texts.get(evidence.doc_id)
        if text is None:
            text = self._texts[evidence.doc_id] = _Text(document)
        return text.find(evidence)

    def overlap(self, gold: Iterable[Evidence], found: Iterable[Evidence]) -> float:
        """How much of the same words two elements rest on, in 0..1.

        1 where the places are the same, between 0.5 and 1 where one holds the other, below that where they only cross.
        Of a quote that recurs and does not say which place it means, the place that fits best counts. Words that stand
        nowhere are compared by their letters.
        """
        others = [(one, self.places_of(one)) for one in found]
        return max((_overlap(one, self.places_of(one), *other) for one in gold for other in others), default=0.0)

    def distance(self, gold: Iterable[Evidence], found: Iterable[Evidence]) -> float:
        """How far apart two elements stand, as a share of the document; 1 where it is not known."""
        pairs = [(a, b) for one in gold for other in found for a in self.places_of(one) for b in self.places_of(other)]
        known = [abs(a.start - b.start) / self._texts[a.doc_id].size for a, b in pairs if a.doc_id == b.doc_id]
        return min(known, default=1.0)


def _overlap(one: Evidence, here: tuple[Place, ...], other: Evidence, there: tuple[Place, ...]) -> float:
    if one.doc_id != other.doc_id:
        return 0.0
    if not here or not there:
        return _alike(one.quote, other.quote)
    return max(_common(a, b) for a in here for b in there)


def _common(a: Place, b: Place) -> float:
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

    def find(self, evidence: Evidence) -> tuple[Place, ...]:
        if evidence.block in self.starts and evidence.start is not None and evidence.end is not None:
            text = self.raw[evidence.block]
            start, end = (len("".join(text[:at].split())) for at in (evidence.start, evidence.end))
            base = self.starts[evidence.block]
            return (Place(evidence.doc_id, base + start, base + end),)
        quote = "".join(evidence.quote.split())
        begins = [match.start() for match in re.finditer(f"(?={re.escape(quote)})", self.words)] if quote else []
        if evidence.occurrence is not None:
            begins = begins[evidence.occurrence - 1 : evidence.occurrence]
        return tuple(Place(evidence.doc_id, at, at + len(quote)) for at in begins)
