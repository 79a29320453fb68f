"""Which words of the documents something stands on: evidence by owner, and text cut where evidence begins or ends."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from ir.document import Block, Document
from ir.source import Evidence


@dataclass(frozen=True)
class Citation:
    """One quote of one owner.

    Args:
        number: unique in the page.
        owner: key of what the quote supports, as in `n3`: a letter for its sort, then its number.
    """

    number: int
    owner: str
    evidence: Evidence


@dataclass(frozen=True)
class Piece:
    """A run of text that the same quotes cover, from `start` to `end` in code points; perhaps none do."""

    start: int
    end: int
    cited: tuple[Citation, ...]


class Citations:
    """All quotes of a page, numbered as they come.

    The first letters of the owners' keys, in the order in which a click on words that several share goes to them:
    n node, e edge, g gap, d diagnostic, u unplaced text, i input, t trigger, r rule, f row found in a
    reference, s statement.
    """

    ORDER = "negduiotrfs"

    def __init__(self, owned: Iterable[tuple[str, Sequence[Evidence]]]) -> None:
        pairs = [(owner, evidence) for owner, quotes in owned for evidence in quotes]
        self._cited = tuple(Citation(number, owner, evidence) for number, (owner, evidence) in enumerate(pairs))

    def quotes_of(self, owner: str) -> tuple[Citation, ...]:
        """The quotes of one owner."""
        return tuple(self._by_owner.get(owner, ()))

    def at(self, doc_id: str, address: str) -> tuple[Citation, ...]:
        """The located quotes in one block or cell."""
        return tuple(self._by_place.get((doc_id, address), ()))

    @cached_property
    def _by_owner(self) -> dict[str, list[Citation]]:
        table: dict[str, list[Citation]] = {}
        for cited in self._cited:
            table.setdefault(cited.owner, []).append(cited)
        return table

    @cached_property
    def _by_place(self) -> dict[tuple[str, str], list[Citation]]:
        table: dict[tuple[str, str], list[Citation]] = {}
        for cited in self._cited:
            if cited.evidence.block is not None and cited.evidence.supports:
                table.setdefault((cited.evidence.doc_id, cited.evidence.block), []).append(cited)
        return table


def cut_pieces(text: str, cited: Sequence[Citation], also_at: Iterable[int] = ()) -> tuple[Piece, ...]:
    """Cut text wherever a quote begins or ends, so that overlapping quotes become pieces that share owners.

    Quotes that reach beyond the text are cut to it. `also_at` names further places to cut at.

    >>> quote = Evidence(doc_id="d", quote="bc", block="b", start=1, end=3)
    >>> [(piece.start, piece.end, len(piece.cited)) for piece in cut_pieces("abcd", [Citation(0, "n0", quote)])]
    [(0, 1, 0), (1, 3, 1), (3, 4, 0)]
    """
    spans = [(min(one.evidence.start or 0, len(text)), min(one.evidence.end or 0, len(text)), one) for one in cited]
    cuts = {0, len(text), *(place for place in also_at if 0 < place < len(text))}
    cuts |= {place for start, end, _ in spans for place in (start, end)}
    borders = sorted(cuts)
    return tuple(
        Piece(start, end, tuple(one for first, last, one in spans if first <= start and end <= last and first < last))
        for start, end in pairwise(borders)
    )


@dataclass(frozen=True)
class Place:
    """Where a quote stands, for people."""

    title: str
    page: int | None
    label: str | None


class Places:
    """Finds the block of a quote in the documents of a page."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = {document.doc_id: document for document in documents}
        self._blocks: dict[tuple[str, str], tuple[Block, int | None]] = {}
        for document in documents:
            for block in document.blocks:
                self._blocks[document.doc_id, block.address] = (block, block.page)
                for cell in block.cells:
                    self._blocks[document.doc_id, cell.address] = (block, cell.page or block.page)

    def place_of(self, evidence: Evidence) -> Place:
        """The document's title, with page and label of the block where they are known."""
        document = self._documents.get(evidence.doc_id)
        block, page = self._blocks.get((evidence.doc_id, evidence.block or ""), (None, None))
        label = block.label.text if block and block.label and block.label.ordered else None
        return Place(document.title if document else evidence.doc_id, page, label)

    def has(self, evidence: Evidence) -> bool:
        """Whether the quote is located in a block that the page shows."""
        return evidence.supports and (evidence.doc_id, evidence.block or "") in self._blocks
