"""What became of each sentence that speaks of a duty: carried by the procedure, listed as unplaced, or lost.

A sentence is carried where the words of a step, condition, flow, constraint or trigger stand in it, unplaced where the
procedure lists it with a reason. Lost ones are a bug: nothing may disappear without a word.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from compiler.text.lexicon import lexicon
from compiler.text.sentences import Piece, sentences
from ir.document import Cell, Document
from ir.procedure import Element, Procedure, Step, UnplacedText
from ir.quantities.units import find_quantities
from ir.source import Evidence, Span

Spans = dict[str, list[tuple[int, int]]]


@dataclass(frozen=True)
class Coverage:
    """Counts of duty sentences; `lost_pieces` are those of which nothing is said."""

    carried: int
    unplaced: int
    lost_pieces: tuple[Piece, ...] = ()

    @property
    def lost(self) -> int:
        """Sentences that disappeared."""
        return len(self.lost_pieces)

    @property
    def total(self) -> int:
        """All sentences that speak of a duty."""
        return self.carried + self.unplaced + self.lost


def coverage(document: Document, procedures: Iterable[Procedure]) -> Coverage:
    """Count the duty sentences of a document by what the procedures drawn from it made of them."""
    procedures = tuple(procedures)
    carried = spans_of(e for p in procedures for e in carrying_elements(p))
    unplaced = spans_of(e for p in procedures for e in p.unplaced)
    found = {"carried": 0, "unplaced": 0}
    lost = []
    for piece in duty_sentences(document):
        if overlaps(piece, carried):
            found["carried"] += 1
        elif overlaps(piece, unplaced):
            found["unplaced"] += 1
        else:
            lost.append(piece)
    return Coverage(found["carried"], found["unplaced"], tuple(lost))


def duty_sentences(document: Document) -> Iterator[Piece]:
    """The sentences of the body in which somebody must or must not do something."""
    cues = lexicon(document.language)
    for passage in document.passages():
        if passage.tag is not None:
            continue
        for sentence in sentences(Piece(passage.address, 0, len(passage.text), passage.text), document.language):
            if cues.pattern("duty").search(sentence.text):
                yield sentence


def list_uncovered(
    document: Document, procedures: Sequence[Procedure], unplaced: Iterable[UnplacedText] = ()
) -> tuple[Procedure, ...]:
    """The procedures of a document with everything that none of them speaks of listed in one of them.

    Duty sentences, list items and tables are listed; each in the procedure that stands before it.

    Args:
        unplaced: what is to be listed besides, from parts of the document that gave no procedure.
    """
    elements = [e for p in procedures for e in (*carrying_elements(p), *p.unplaced)]
    counted = coverage(document, procedures)
    already = list(unplaced)
    silent = (*counted.lost_pieces, *_silent_items(document, spans_of(elements)))
    said = spans_of(already)
    found = [*already, *(_unplaced(document, piece, "act") for piece in silent if not overlaps(piece, said))]
    return with_unplaced(document, procedures, (*found, *_silent_tables(document, spans_of((*elements, *found)))))


def with_unplaced(
    document: Document, procedures: Sequence[Procedure], texts: Iterable[UnplacedText]
) -> tuple[Procedure, ...]:
    """The procedures with texts listed as unplaced, each in the procedure that stands before it."""
    order = {passage.address: at for at, passage in enumerate(document.passages())}
    for table in (block for block in document.blocks if block.cells):
        order[table.address] = min(order[cell.address] for cell in table.cells)
    begins = [min((order[block] for block in p.extent if block in order), default=0) for p in procedures]
    own: list[list[UnplacedText]] = [[] for _ in procedures]
    for text in texts:
        at = order.get(text.evidence[0].block or "", 0)
        own[max((n for n, begin in enumerate(begins) if begin <= at), default=0)].append(text)
    return tuple(
        p.model_copy(update={"unplaced": (*p.unplaced, *texts)}) for p, texts in zip(procedures, own, strict=True)
    )


def _unplaced(document: Document, piece: Piece, reason: str, text: str | None = None) -> UnplacedText:
    span = Span(doc_id=document.doc_id, block=piece.block, start=piece.start, end=piece.end, quote=piece.text)
    why = str(lexicon(document.language).table("reasons")[reason])
    return UnplacedText(text=text or piece.text, reason=why, evidence=(Evidence.from_span(span),))


def _silent_tables(document: Document, spans: Spans) -> Iterator[UnplacedText]:
    """Tables of which no cell is carried, each at its first words: limits and powers often stand in tables.

    Of a table that is carried in part the rows and the cells with quantities that are not.
    """
    for block in document.body():
        cells = [cell for cell in block.cells if cell.text.strip()]
        if cells and not any(cell.address in spans for cell in cells):
            first = cells[0]
            words = " | ".join(cell.text.strip() for cell in cells[:6])
            yield _unplaced(document, Piece(first.address, 0, len(first.text), first.text), "table", words)
            continue
        yield from (_unplaced(document, *each) for each in _silent_rows(cells, spans))


def _silent_rows(cells: Sequence[Cell], spans: Spans) -> Iterator[tuple[Piece, str, str]]:
    """Of a table that is carried in part: rows of which nothing is, and single cells with quantities."""
    carried = {cell.row for cell in cells if cell.address in spans}
    top = min((cell.row for cell in cells), default=0)
    rows: dict[int, list[Cell]] = {}
    for cell in cells:
        if not cell.header:
            rows.setdefault(cell.row, []).append(cell)
    for row, members in rows.items():
        if row not in carried and row > top:
            first = members[0]
            words = " | ".join(cell.text.strip() for cell in members)
            yield Piece(first.address, 0, len(first.text), first.text), "row", words
            continue
        for cell in members:
            if cell.address not in spans and find_quantities(cell.text):
                yield Piece(cell.address, 0, len(cell.text), cell.text), "cell", cell.text


def _silent_items(document: Document, spans: Spans) -> Iterator[Piece]:
    """List items of which nothing is said and that no duty sentence covers: a list of acts may hide in them."""
    duties = {piece.block for piece in duty_sentences(document)}
    for block in document.body():
        words = len(block.body.split()) if document.language != "zh" else len(block.body)
        if block.kind != "list_item" or block.address in duties or words < (3 if document.language != "zh" else 5):
            continue
        piece = Piece(block.address, 0, len(block.text), block.text).part(block.body_start)
        if not overlaps(piece, spans):
            yield piece


def carrying_elements(procedure: Procedure) -> Iterator[Element]:
    """The elements of a procedure that carry what a sentence says."""
    yield from procedure.steps
    yield from procedure.conditions
    yield from procedure.flows
    yield from procedure.constraints
    yield from procedure.triggers
    for result in procedure.results:
        yield from (result, *result.rows)


def spans_of(elements: Iterable[Element]) -> Spans:
    """Where the located words of elements stand, by block."""
    found: Spans = {}
    for element in elements:
        deadline = element.deadline if isinstance(element, Step) else None
        for evidence in (*element.evidence, *(deadline.evidence if deadline else ())):
            if evidence.block is not None and evidence.start is not None and evidence.end is not None:
                found.setdefault(evidence.block, []).append((evidence.start, evidence.end))
    return found


def overlaps(piece: Piece, spans: Spans) -> bool:
    """Whether any of the spans shares a character with the piece."""
    return any(start < piece.end and piece.start < end for start, end in spans.get(piece.block, ()))
