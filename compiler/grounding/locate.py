"""Finds a quote in a document: exactly, in normal form, or alike in letters and the same in all that matters."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from compiler.grounding.borders import cut_words
from compiler.grounding.differences import HARMFUL, Alignment, align
from compiler.grounding.normalise import Normal, normalise
from compiler.grounding.passage_index import IndexedPassage, PassageIndex, Place
from compiler.grounding.tokens import Token, tokens
from compiler.text.sentences import MASK
from ir.document import Document, Passage
from ir.source import Evidence, Grounding

_FURNITURE = ("header", "footer", "navigation", "comment")
_UNSEEN = ("hidden", "deleted")
_SYMBOLS = frozenset("%‰℃°$€£¥￥％")
_CANDIDATES, _LIKE, _NEAREST = 6, 50.0, 60.0


@dataclass(frozen=True)
class Hit:
    """A place of a quote.

    Args:
        ordinal: from 1, as a search for the words counts its places in the document.
        status: exact, normalised or fuzzy.
    """

    place: Place
    ordinal: int
    status: Grounding


@dataclass(frozen=True)
class Nearest:
    """The words of the document that come nearest to a quote that is not there.

    Args:
        parts: where the two part, as (claimed words, document's words); either may be empty.
    """

    place: Place
    parts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class _Alike:
    """A place in other letters: how the quote lies on it, and the likeness of the letters out of 100."""

    place: Place
    alignment: Alignment
    likeness: float
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class SearchResult:
    """What a search for a quote gave.

    Args:
        evidence: with its status.
        hits: the places among which nothing decides, for an ambiguous quote; the one taken, for a located one.
        nearest: for an ungrounded quote.
        reason: why it is ungrounded, where there is more to say than that the words are not there.
        decided: what singled out one of several equal places: `occurrence`, `near` or `after`.
    """

    evidence: Evidence
    hits: tuple[Hit, ...] = ()
    nearest: Nearest | None = None
    reason: str | None = None
    decided: str | None = None


def locate(
    quote: str,
    document: Document,
    *,
    occurrence: int | None = None,
    near: str | None = None,
    after: tuple[str, int] | None = None,
) -> Evidence:
    """Find a verbatim quote in a document; for many quotes of one document, make a `QuoteFinder` once.

    A quote that spans two blocks is ungrounded unless one block holds it: a span has one block, so that it can be
    shown and checked, and words joined over a border (the end of a clause and the next heading) say what neither says.

    Args:
        occurrence: which of the quote's places is meant, from 1, counted as a search for the words would in the body
            of the document.
        near: address of the block or cell (or of the table) that the quote is claimed to stand in.
        after: a block's address and an offset in it; of several equal places the first that begins there or later.

    Returns:
        Evidence with a status: exact, normalised, fuzzy, relocated (in another block than `near`), ambiguous
        (several equal places, and nothing decides) or ungrounded. Its quote is the document's own text, and `claimed`
        the words as claimed, where they differ.
    """
    return QuoteFinder(document).search(quote, occurrence=occurrence, near=near, after=after).evidence


class QuoteFinder:
    """A document made ready to be searched for many quotes."""

    def __init__(self, document: Document) -> None:
        self.document = document
        texts = [IndexedPassage(index, passage) for index, passage in enumerate(document.passages())]
        self.by_address = {text.passage.address: text for text in texts}
        self._within = _enclosing(document)
        self._cuts: dict[Place, Place | None] = {}
        self._body = PassageIndex([t for t in texts if t.passage.tag not in (*_FURNITURE, *_UNSEEN)])
        self._furniture = PassageIndex([t for t in texts if t.passage.tag in _FURNITURE])
        self._unseen = PassageIndex([t for t in texts if t.passage.tag in _UNSEEN])

    def words_at(self, block: str, start: int, end: int) -> str | None:
        """The text at a place; None where the block is unknown or unseen, or the place is not in it."""
        text = self.by_address.get(block)
        if text is None or text.passage.tag in _UNSEEN or not start < end <= len(text.passage.text):
            return None
        return text.passage.text[start:end]

    def words(self, place: Place) -> str:
        """The document's text at a place."""
        return self.passage(place).text[place.start : place.end]

    def passage(self, place: Place) -> Passage:
        """The passage that a place is in."""
        return self.by_address[place.address].passage

    def search(
        self,
        quote: str,
        *,
        occurrence: int | None = None,
        near: str | None = None,
        after: tuple[str, int] | None = None,
    ) -> SearchResult:
        """As `locate`, with what a diagnostic needs besides."""
        if (reason := _unfit(quote)) is not None:
            return SearchResult(self._nowhere(quote, Grounding.UNGROUNDED, occurrence), reason=reason)
        normal = normalise(quote)
        cut: list[Hit] = []
        aside: list[Hit] = []
        tried: list[_Alike] = []
        for passages in (self._body, self._furniture):
            for hits in self._levels(passages, quote, normal, near, tried) if passages.texts else ():
                aside += [hit for hit in hits if MASK in self.words(hit.place)]
                sound = [hit for hit in hits if self._cut(hit.place) is None and hit not in aside]
                cut += [hit for hit in hits if self._cut(hit.place) is not None]
                meant = [hit for hit in sound if occurrence in (None, hit.ordinal)]
                if meant:
                    several = occurrence is not None and len(hits) > 1
                    return self._chosen(quote, meant, occurrence, near, after, several)
        if aside:
            reason = "text that is set aside stands between them"
            return SearchResult(self._nowhere(quote, Grounding.UNGROUNDED, occurrence), reason=reason)
        return self._ungrounded(quote, normal, cut, tried, occurrence)

    def _levels(
        self, passages: PassageIndex, quote: str, normal: Normal, near: str | None, tried: list[_Alike]
    ) -> Iterator[list[Hit]]:
        """The places of a quote by how surely they are meant, the surest first."""
        exact = _numbered(passages.exact(quote), Grounding.EXACT)
        folded = None
        if near is not None and exact and not self._inside(exact, near):
            folded = _numbered(passages.normalised(normal), Grounding.NORMALISED)
            if self._inside(folded, near):
                yield folded
        yield exact
        yield _numbered(passages.normalised(normal), Grounding.NORMALISED) if folded is None else folded
        alike = list(self._alike(passages, normal))
        tried += alike
        same = [found for found in alike if found.alignment.cost < HARMFUL and found.alignment.same > 1]
        least = min((found.alignment.cost for found in same), default=0)
        places = sorted(found.place for found in same if found.alignment.cost == least)
        yield [Hit(place, at, Grounding.FUZZY) for at, place in enumerate(places, start=1)]

    # --- choosing among equal places --------------------------------------------------------------------------------

    def _chosen(
        self, quote: str, hits: list[Hit], occurrence: int | None, near: str | None,
        after: tuple[str, int] | None, counted: bool,
    ) -> SearchResult:  # fmt: skip
        """The place that is meant, or all that are equal."""
        hit, decided = hits[0], "occurrence" if counted else None
        if len(hits) > 1:
            inside = self._inside(hits, near) or hits
            later = self._later(inside, after)
            if len(inside) > 1 and not later:
                return SearchResult(self._nowhere(quote, Grounding.AMBIGUOUS, occurrence), tuple(inside))
            hit, decided = (inside[0], "near") if len(inside) == 1 else (later[0], "after")
        return self.placed(quote, hit, occurrence=occurrence, near=near, decided=decided)

    def _inside(self, hits: list[Hit], near: str | None) -> list[Hit]:
        """The hits in the block that was named, else those under it, if it is a heading or clause."""
        if near is None:
            return []
        own = [hit for hit in hits if self._is(hit.place, near)]
        return own or [hit for hit in hits if near in self._within[hit.place.address]]

    def _is(self, place: Place, address: str) -> bool:
        """Whether a place is in the block, or in a cell of the table, with this address."""
        return address == place.address or address == self._within[place.address][0]

    def _later(self, hits: list[Hit], after: tuple[str, int] | None) -> list[Hit]:
        if after is None or after[0] not in self.by_address:
            return []
        point = (self.by_address[after[0]].index, after[1])
        return [hit for hit in hits if (hit.place.passage, hit.place.start) >= point]

    def placed(
        self, quote: str, hit: Hit, *, occurrence: int | None, near: str | None, decided: str | None
    ) -> SearchResult:
        """The search that ends at a hit; what singled it out is recorded, and which `occurrence` it is."""
        place, words = hit.place, self.words(hit.place)
        evidence = Evidence(
            doc_id=self.document.doc_id,
            quote=words,
            occurrence=occurrence if decided is None else hit.ordinal,
            block=place.address,
            start=place.start,
            end=place.end,
            status=hit.status if near is None or self._is(place, near) else Grounding.RELOCATED,
            claimed=None if words == quote else quote,
        )
        return SearchResult(evidence, (hit,), decided=decided)

    def _cut(self, place: Place) -> Place | None:
        """The wider place that this one was cut out of, None where its borders are sound."""
        if place not in self._cuts:
            wider = cut_words(self.passage(place).text, place.start, place.end)
            self._cuts[place] = None if wider is None else replace(place, start=wider[0], end=wider[1])
        return self._cuts[place]

    def _nowhere(self, quote: str, status: Grounding, occurrence: int | None) -> Evidence:
        return Evidence(doc_id=self.document.doc_id, quote=quote, occurrence=occurrence, status=status)

    # --- alike, and nowhere -----------------------------------------------------------------------------------------

    def _alike(self, passages: PassageIndex, normal: Normal) -> Iterator[_Alike]:
        """The places most like the quote by letters, snapped to tokens, with what is said differently there."""
        claim = tokens(normal)
        for at, likeness in passages.alike(normal, _CANDIDATES, _LIKE):
            (window, letters), text = passages.window(normal, at), passages.normals[at]
            lie = align(claim, window)
            begin, end = (lie.start, lie.end) if lie.start < lie.end else letters
            raw = text.raw(window[begin].start, window[end - 1].end) if begin < end else None
            if raw is not None:
                parts = [(_run(normal, claim, part.claimed), _run(text, window, part.found)) for part in lie.parts]
                if (begin, end) == letters and not lie.same:
                    parts = [(normal.cased, _run(text, window, letters))]
                yield _Alike(passages.texts[at].place(*raw), lie, likeness, tuple(parts))

    def _ungrounded(
        self, quote: str, normal: Normal, cut: list[Hit], tried: list[_Alike], occurrence: int | None
    ) -> SearchResult:
        """Why the words are nowhere, as far as can be told, and what comes nearest."""
        evidence = self._nowhere(quote, Grounding.UNGROUNDED, occurrence)
        if occurrence is not None and (once := self.search(quote)).hits:
            most = max(hit.ordinal for hit in once.hits)
            reason = f"the document has them only {'once' if most == 1 else f'{most} times'}"
            return SearchResult(evidence, nearest=Nearest(once.hits[0].place), reason=reason)
        if cut and (wider := self._cut(cut[0].place)) is not None:
            return SearchResult(evidence, nearest=Nearest(wider, ((quote, self.words(wider)),)))
        for text, start, end in (*self._unseen.exact(quote), *self._unseen.normalised(normal)):
            reason = f"they stand only in {text.passage.tag} text, which supports nothing"
            return SearchResult(evidence, nearest=Nearest(text.place(start, end)), reason=reason)
        if (across := self._body.across(normal)) is not None:
            first, last = across
            reason = f"they run over {first.passage.address} and {last.passage.address}; quote the words of one of them"
            return SearchResult(evidence, nearest=Nearest(first.place(0, len(first.passage.text))), reason=reason)
        near = [found for found in tried if found.likeness >= _NEAREST]
        best = min(near, key=lambda found: (found.alignment.cost, -found.likeness), default=None)
        return SearchResult(evidence, nearest=Nearest(best.place, best.parts) if best else None)


def _enclosing(document: Document) -> dict[str, tuple[str, ...]]:
    """For each passage the addresses of its block and of the headings above it, the nearest first."""
    parents = {block.address: block.parent for block in document.blocks}
    found: dict[str, tuple[str, ...]] = {}
    for block in document.blocks:
        chain: list[str] = []
        at: str | None = block.address
        while at is not None and at not in chain:
            chain.append(at)
            at = parents.get(at)
        found |= dict.fromkeys((block.address, *(cell.address for cell in block.cells)), tuple(chain))
    return found


def _numbered(found: Iterable[tuple[IndexedPassage, int, int]], status: Grounding) -> list[Hit]:
    return [Hit(text.place(start, end), at, status) for at, (text, start, end) in enumerate(found, start=1)]


def _run(normal: Normal, run: tuple[Token, ...], part: tuple[int, int]) -> str:
    return normal.cased[run[part[0]].start : run[part[1] - 1].end] if part[0] < part[1] else ""


def _unfit(quote: str) -> str | None:
    """Why a quote can be evidence of nothing, whatever the document says."""
    if not quote.strip():
        return "the quote is empty"
    telling = [char for char in quote if char in _SYMBOLS or unicodedata.category(char)[0] in "LN"]
    if not telling:
        return "the quote is punctuation only"
    return "a single character is no quote" if len(telling) == 1 else None
