"""Chinese clauses that add to others: `除经主任审批外，还应当报经理批准` demands both approvals, and excepts none."""

from dataclasses import dataclass

from compiler.text.lexicon import lexicon
from compiler.text.sentences import Piece

PATTERN = lexicon("zh").patterns("additions")


@dataclass(frozen=True)
class Addition:
    """What a clause adds to.

    Args:
        front: the words before `除`: who acts, or on which matters; perhaps empty.
        base: what holds already.
        rest: what is added, where no comma stands before it; else empty, and the next piece says it.
    """

    front: Piece
    base: Piece
    rest: Piece


def addition(piece: Piece, following: Piece | None) -> Addition | None:
    """What a piece between commas adds to, None where it excepts something or says nothing of the kind.

    Args:
        following: the piece after it.

    >>> def read(text):
    ...     parts = [Piece("b", 0, len(part), part) for part in text.split("，")]
    ...     found = addition(parts[0], parts[1] if parts[1:] else None)
    ...     return found and (found.front.text, found.base.text)
    >>> read("除经主任审批外，还应当报经理批准"), read("夜间作业除经主任审批外还应当报经理批准")
    (('', '经主任审批'), ('夜间作业', '经主任审批'))
    >>> read("除经主任审批外，一律不得作业"), read("除紧急情况外，采购部还应当取得报价")
    (None, None)
    """
    match = PATTERN.beside.fullmatch(piece.text)
    if match is None or PATTERN.case.search(match["base"]):
        return None
    then = match["rest"] or (following.text if following is not None else "")
    if (match["rest"] == "" and following is None) or PATTERN.adds.match(then) is None:
        return None
    front, base, rest = (piece.part(*match.span(name)) for name in ("front", "base", "rest"))
    return Addition(front, base, rest)
