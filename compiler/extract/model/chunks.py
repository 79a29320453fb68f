"""Long documents in parts along the clause tree: no clause is cut, and each part has what it needs to be understood."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from compiler.extract.model.fence import SHOWN
from compiler.parsers.references.cross_references import cross_references
from compiler.text.lexicon import lexicon
from ir.document import Block, Document

LONGEST = 40_000  # characters of a part
LONGEST_BESIDE = 4_000  # characters of a clause that a part is given because it refers to it
DEEPEST = 9


@dataclass(frozen=True)
class Chunk:
    """A part of a document.

    Args:
        number: from 1.
        blocks: the part itself.
        context: definitions that stand elsewhere in the document, and clauses elsewhere that the part refers to.
        question: what is asked about it; empty: which procedures it prescribes.
    """

    number: int
    blocks: tuple[Block, ...]
    context: tuple[Block, ...] = ()
    question: str = ""


def chunks(document: Document, longest: int = LONGEST) -> tuple[Chunk, ...]:
    """The document in parts of at most so many characters, cut before headings, the outermost first.

    A section without headings that is longer is cut between its clauses; a single longer block is a part of its own.
    """
    blocks = tuple(block for block in document.blocks if block.tag in SHOWN)
    if not blocks:
        return ()
    parts = packed(blocks, longest)
    if len(parts) == 1:
        return (Chunk(1, parts[0]),)
    known = {block.address for block in _definitions(document, blocks)}
    meant = _meant(document, blocks)
    return tuple(Chunk(number, part, _context(part, blocks, known, meant)) for number, part in enumerate(parts, 1))


def packed(blocks: Sequence[Block], longest: int = LONGEST) -> list[tuple[Block, ...]]:
    """Blocks in parts of at most so many characters, cut before headings or between clauses."""
    return _packed(_pieces(tuple(blocks), longest), longest)


def _pieces(blocks: tuple[Block, ...], longest: int, level: int = 1) -> list[tuple[Block, ...]]:
    if size_of(blocks) <= longest:
        return [blocks]
    if level > DEEPEST:
        return _clauses(blocks)
    cuts = [at for at, block in enumerate(blocks) if block.kind == "heading" and (block.level or DEEPEST) <= level]
    bounds = sorted({0, *cuts, len(blocks)})
    sections = [blocks[begin:end] for begin, end in pairwise(bounds)]
    return [piece for section in sections for piece in _pieces(section, longest, level + 1)]


def _clauses(blocks: tuple[Block, ...]) -> list[tuple[Block, ...]]:
    """Each clause with what stands under it; a heading with the clause that it leads."""
    leads = {block.address for block in blocks if block.kind != "heading"}
    found: list[list[Block]] = []
    for block in blocks:
        goes_on = bool(found) and (block.parent in leads or found[-1][-1].kind == "heading")
        if goes_on:
            found[-1].append(block)
        else:
            found.append([block])
    return [tuple(each) for each in found]


def _packed(pieces: Sequence[tuple[Block, ...]], longest: int) -> list[tuple[Block, ...]]:
    """Neighbouring pieces together, as many as fit."""
    out: list[tuple[Block, ...]] = []
    for piece in pieces:
        if out and size_of(out[-1]) + size_of(piece) <= longest:
            out[-1] = (*out[-1], *piece)
        else:
            out.append(piece)
    return out


def _definitions(document: Document, blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks under headings that define terms."""
    words = lexicon(document.language).words("sections", "definitions")
    found: list[Block] = []
    within: int | None = None
    for block in blocks:
        if block.kind == "heading":
            level = block.level or DEEPEST
            if within is not None and level <= within:
                within = None
            if within is None and any(word in block.body.lower() for word in words):
                within = level
        if within is not None:
            found.append(block)
    return tuple(found)


def _meant(document: Document, blocks: Sequence[Block]) -> dict[str, tuple[Block, ...]]:
    """For each block the clauses that it refers to, each with what stands under it."""
    owner = {
        passage: block.address for block in blocks for passage in (block.address, *(c.address for c in block.cells))
    }
    found: dict[str, tuple[Block, ...]] = {}
    for reference in cross_references(document):
        source = owner.get(reference.block)
        if source is not None and reference.target in owner:
            found[source] = (*found.get(source, ()), *_under(owner[reference.target], blocks))
    return found


def _under(address: str, blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The block with an address, and those below it."""
    inside = {address}
    kept: list[Block] = []
    for block in blocks:
        if block.address in inside or block.parent in inside:
            inside.add(block.address)
            kept.append(block)
    return tuple(kept)


def _context(
    part: tuple[Block, ...], blocks: Sequence[Block], known: set[str], meant: Mapping[str, tuple[Block, ...]]
) -> tuple[Block, ...]:
    """Definitions, and the clauses meant, as far as they are short, in the document's order."""
    own = {block.address for block in part}
    wanted = set(known)
    for block in part:
        clause = meant.get(block.address, ())
        if size_of(clause) <= LONGEST_BESIDE:
            wanted |= {one.address for one in clause}
    return tuple(block for block in blocks if block.address in wanted - own)


def size_of(blocks: Iterable[Block]) -> int:
    """The characters of blocks."""
    return sum(len(block.text) + sum(len(cell.text) for cell in block.cells) for block in blocks)
