"""Finds the words of a decision in a later version of their document: as they were, moved, saying something else, gone.

Likeness of letters decides nothing: words are the same where grounding says so, by which numerals, negations, modal
words and comparators agree, and where the duty that they stand in says the same. All else is drift.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz

from compiler.fates.statements import duties
from compiler.grounding.differences import HARMFUL, align
from compiler.grounding.locate import Hit, QuoteFinder
from compiler.grounding.normalise import normalise
from compiler.grounding.passage_index import Place
from compiler.grounding.tokens import tokens
from compiler.text.lexicon import lexicon
from compiler.text.sentences import Piece, is_overlong, sentences
from ir.decisions.anchor import Anchor, plain
from ir.document import Document
from ir.source import Span

State = Literal["unchanged", "moved", "drifted", "orphaned"]
AROUND = 40  # characters of the words before and after what is decided on, and of the blocks beside
LEAST = 0.6  # likeness of two duties from which on one may have become the other


@dataclass(frozen=True)
class Anchored:
    """Where the words of a decision are now.

    Args:
        state: `unchanged`; `moved`, with the same meaning elsewhere or in other words; `drifted`, near words that say
            something else, or several equal places; `orphaned`, nowhere.
        score: likeness of the words, 0 to 1.
        span: the words now; None where they are nowhere.
        before, after: where the meaning parts, the duty as it was and as it is.
        several: the words stand in several places of which nothing tells which is meant.
    """

    state: State
    score: float
    span: Span | None = None
    before: str = ""
    after: str = ""
    several: bool = False

    @property
    def holds(self) -> bool:
        """Whether the words say what they said."""
        return self.state in ("unchanged", "moved")


_NOWHERE = Anchored("orphaned", 0.0)


class Anchoring:
    """A document in which the words of decisions are looked for."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._finder = QuoteFinder(document)
        self._begins = {one.address: one.body_start for one in document.blocks}  # numbers shift with each new article
        passages = [one for one in document.passages() if one.tag is None]
        self._order = {one.address: at for at, one in enumerate(passages)}
        self._texts = [one.text[self._begins.get(one.address, 0) :] for one in passages]
        self._anchors: dict[Span, Anchor] = {}
        self._found: dict[Anchor, Anchored] = {}

    def anchor(self, span: Span) -> Anchor:
        """The anchor of words of the document."""
        if span not in self._anchors:
            self._anchors[span] = self._anchor(span)
        return self._anchors[span]

    def _anchor(self, span: Span) -> Anchor:
        text = self.document.text_at(span.block) or ""
        at, begin = self._order.get(span.block), self._begins.get(span.block, 0)
        above = self._texts[at - 1][-AROUND:] if at else ""
        below = self._texts[at + 1][:AROUND] if at is not None and at + 1 < len(self._texts) else ""
        return Anchor(
            doc_id=self.document.doc_id, text=span.quote, block=span.block, within=self._duty(span, text),
            before=text[max(begin, span.start - AROUND) : span.start], after=text[span.end : span.end + AROUND],
            above=above, below=below,
        )  # fmt: skip

    def find(self, anchor: Anchor) -> Anchored:
        """Where the words of an anchor are."""
        if anchor not in self._found:
            self._found[anchor] = self._find(anchor)
        return self._found[anchor]

    def _find(self, anchor: Anchor) -> Anchored:
        if anchor.doc_id != self.document.doc_id:
            return _NOWHERE
        result = self._finder.search(anchor.text)
        if not result.hits:
            return self._near(anchor, result.nearest.place if result.nearest else None)
        ranked = sorted(((self._likeness(anchor, hit), hit) for hit in result.hits), key=lambda pair: pair[0])
        rank, hit = ranked[-1]
        if len(ranked) > 1 and ranked[-2][0] == rank:
            span = self._span(hit.place)
            return Anchored("drifted", 1.0, span, anchor.within or anchor.text, self._within(span), several=True)
        return self._at_hit(anchor, hit)

    def _at_hit(self, anchor: Anchor, hit: Hit) -> Anchored:
        span = self._span(hit.place)
        now = self.anchor(span)
        if anchor.within is not None and not says_the_same(anchor.within, now.within or ""):
            score = _alike(anchor.within, now.within or "")
            if score < LEAST:
                elsewhere = self._near(anchor, None)
                return elsewhere if elsewhere.span else _NOWHERE
            return Anchored("drifted", score, span, anchor.within, now.within or "")
        return Anchored("unchanged" if _same_place(anchor, now) else "moved", 1.0, span)

    def _near(self, anchor: Anchor, nearest: Place | None) -> Anchored:
        """Words that come near, of the duty rather than of a few words of it."""
        was = anchor.within or anchor.text
        if anchor.within is not None and anchor.within != anchor.text:
            whole = self._finder.search(anchor.within)
            place = whole.hits[0].place if whole.hits else whole.nearest.place if whole.nearest else None
            nearest = place or nearest
        if nearest is None:
            return _NOWHERE
        span = self._span(nearest)
        now = self._within(span)
        score = max(_alike(anchor.text, span.quote), _alike(was, now))
        return Anchored("drifted", score, span, was, now) if score >= LEAST else _NOWHERE

    def _likeness(self, anchor: Anchor, hit: Hit) -> tuple[bool, bool, bool, bool]:
        """How much around a place is as it was, the weightiest first."""
        now = self.anchor(self._span(hit.place))
        duty = anchor.within is not None and plain(anchor.within) == plain(now.within or "")
        beside = (anchor.before, anchor.after) == (now.before, now.after)
        return duty, beside, _has_neighbour(anchor, now), anchor.block == now.block

    def _span(self, place: Place) -> Span:
        return self.document.span(place.address, place.start, place.end)

    def _within(self, span: Span) -> str:
        return self._duty(span, self.document.text_at(span.block) or "")

    def _duty(self, span: Span, text: str) -> str:
        """The part of a sentence with one duty that words stand in; the sentences where they stand in several."""
        whole = Piece(span.block, 0, len(text), text).part(self._begins.get(span.block, 0))
        found: list[Piece] = []
        for sentence in sentences(whole, self.document.language):
            cut = not is_overlong(sentence.text)
            parts: Sequence[Piece] = duties(sentence, lexicon(self.document.language)) if cut else (sentence,)
            found += [part for part in parts if part.start < span.end and span.start < part.end]
        return text[found[0].start : found[-1].end] if found else span.quote


def says_the_same(was: str, now: str) -> bool:
    """Whether two wordings differ in nothing that matters.

    >>> says_the_same("The clerk must pay within 3 days.", "The clerk must pay within three days.")
    True
    >>> says_the_same("The clerk must pay within 3 days.", "The clerk must not pay within 3 days.")
    False
    """
    if plain(was) == plain(now):
        return True
    first, second = tokens(normalise(was)), tokens(normalise(now))
    return bool(first and second) and all(align(a, b).cost < HARMFUL for a, b in ((first, second), (second, first)))


def _same_place(anchor: Anchor, now: Anchor) -> bool:
    if anchor.above is None and anchor.below is None:
        return anchor.block == now.block or (
            bool(anchor.before + anchor.after) and ((anchor.before, anchor.after) == (now.before, now.after))
        )
    return plain(anchor.text) == plain(now.text) and _has_neighbour(anchor, now)


def _has_neighbour(anchor: Anchor, now: Anchor) -> bool:
    """Whether the block before or the block after is the one that it was."""
    above = anchor.above is not None and plain(anchor.above) == plain(now.above or "")
    below = anchor.below is not None and plain(anchor.below) == plain(now.below or "")
    return above or below


def _alike(one: str, other: str) -> float:
    return round(fuzz.ratio(plain(one), plain(other)) / 100, 3)
