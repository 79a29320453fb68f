"""By when something is to be done, in Chinese words."""

import re

from compiler.extract.rules.statements import DeadlineCue
from compiler.text.lexicon import Lexicon
from compiler.text.sentences import Piece
from ir.quantities.units import find_quantities


def deadline_in(piece: Piece, cues: Lexicon) -> DeadlineCue | None:
    """The first deadline with a value in some words."""
    for pattern in (cues.pattern("deadline", "within"), cues.pattern("deadline", "before")):
        for match in pattern.finditer(piece.text):
            quantities = [q for q in find_quantities(match["n"]) if q.duration]
            if quantities:
                groups = match.groupdict()
                start = groups.get("from") or groups.get("from2") or groups.get("from3")
                return DeadlineCue(piece.part(match.start(), match.end()), quantities[0].duration, start)
    return None


def undated(piece: Piece, cues: Lexicon) -> list[DeadlineCue]:
    """Words that ask for haste and give no value (`及时`)."""
    match = re.search("|".join(map(re.escape, cues.words("deadline", "none"))), piece.text)
    return [DeadlineCue(piece.part(match.start(), match.end()), None)] if match else []
