"""What is said of evidence that was not found, or found in several places, or placed by order."""

from compiler.grounding.locate import QuoteFinder, SearchResult
from compiler.grounding.order import Grounded
from compiler.grounding.passage_index import Place
from ir.diagnostics import Diagnostic, Location, Related, Severity
from ir.source import Grounding

_SHORT, _PARTS, _SHOWN = 100, 3, 6


def finding(grounded: Grounded, finder: QuoteFinder) -> Diagnostic | None:
    """The diagnostic that a piece of grounded evidence calls for; None for evidence that is plainly where it is."""
    status = grounded.search.evidence.status
    if status is Grounding.UNGROUNDED:
        return _ungrounded(grounded, finder)
    if status is Grounding.AMBIGUOUS:
        return _ambiguous(grounded, finder)
    return _placed(grounded, finder) if grounded.search.decided in ("order", "beside") else None


def _ungrounded(grounded: Grounded, finder: QuoteFinder) -> Diagnostic:
    search = grounded.search
    quote, nearest = search.evidence.quote, search.nearest
    message = f'{grounded.owner}: the document does not have the words "{_short(quote)}"'
    message += f": {search.reason}" if search.reason else ""
    if nearest is not None and not search.reason:
        says = _contrast(nearest.parts)
        place = _at(nearest.place, finder)
        message += f'; nearest is {place}, "{_short(finder.words(nearest.place))}"' + (f": {says}" if says else "")
    elif nearest is None and not search.reason:
        message += "; nothing in it is like them"
    return Diagnostic(
        error_code="ungrounded-evidence",
        severity=Severity.WARNING,
        message=f"{message}; quote the document's own words, or leave the element without this evidence",
        location=_location(nearest.place if nearest else None, finder),
        evidence=(search.evidence,),
        expected=finder.words(nearest.place) if nearest else "words that stand in the document",
        found=quote,
    )


def _contrast(parts: tuple[tuple[str, str], ...]) -> str:
    """`the quote says "3 days", the document says "30 days"`, for the first few places where they part.

    >>> _contrast((("3 days", "30 days"), ("", "not")))
    'the quote says "3 days", the document says "30 days"; the quote leaves out "not"'
    """
    if len(parts) > _PARTS:
        return ""
    said = []
    for claimed, there in parts:
        if claimed and there:
            said.append(f'the quote says "{_short(claimed)}", the document says "{_short(there)}"')
        else:
            said.append(f'the quote {"adds" if claimed else "leaves out"} "{_short(claimed or there)}"')
    return "; ".join(said)


def _ambiguous(grounded: Grounded, finder: QuoteFinder) -> Diagnostic:
    search = grounded.search
    shown = [f"{hit.ordinal}: {_at(hit.place, finder)}" for hit in search.hits[:_SHOWN]]
    more = f" and {len(search.hits) - _SHOWN} more" if len(search.hits) > _SHOWN else ""
    return Diagnostic(
        error_code="ambiguous-evidence",
        severity=Severity.WARNING,
        message=(
            f'{grounded.owner}: the words "{_short(search.evidence.quote)}" stand in {len(search.hits)} places '
            f"({', '.join(shown)}{more}), and nothing tells which is meant; give `occurrence`, or quote more words"
        ),
        location=_location(search.hits[0].place, finder),
        related=_others(search, finder, 1),
        evidence=(search.evidence,),
        expected="one place",
        found=len(search.hits),
    )


def _placed(grounded: Grounded, finder: QuoteFinder) -> Diagnostic:
    search = grounded.search
    hit = search.hits[0]
    why = {
        "order": "the first after the words of the element before, or the only one before those of the next",
        "beside": "the only one beside the words of a related element",
    }[search.decided or "order"]
    return Diagnostic(
        error_code="evidence-placed-by-order",
        severity=Severity.INFO,
        message=(
            f'{grounded.owner}: of the places of "{_short(search.evidence.quote)}" number {hit.ordinal} was taken, '
            f"in {_at(hit.place, finder)}: {why}; give another `occurrence` if it is not the one"
        ),
        location=_location(hit.place, finder),
        evidence=(search.evidence,),
    )


def _others(search: SearchResult, finder: QuoteFinder, begin: int) -> tuple[Related, ...]:
    return tuple(
        Related(message=f"place {hit.ordinal}", location=_location(hit.place, finder))
        for hit in search.hits[begin:_SHOWN]
    )


def _location(place: Place | None, finder: QuoteFinder) -> Location:
    if place is None:
        return Location(file=finder.document.doc_id)
    return Location(file=finder.document.doc_id, block=place.address, page=finder.passage(place).page)


def _at(place: Place, finder: QuoteFinder) -> str:
    page = finder.passage(place).page
    return place.address + (f" (page {page})" if page else "")


def _short(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= _SHORT else line[: _SHORT - 1] + "…"
