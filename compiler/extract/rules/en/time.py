"""Times and conditions in English: deadlines with their durations, and the cue of a condition's words."""

import re

from compiler.extract.rules.statements import ConditionCue, DeadlineCue
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.sentences import Piece
from ir.quantities.units import find_quantities

PATTERN = lexicon("en").patterns("time")


def duration(text: str) -> str | None:
    """The ISO 8601 form of words such as `five (5) business days` or `a week`; None where they give no whole value.

    >>> duration("five (5) business days"), duration("an hour"), duration("30-day"), duration("2 working days")
    ('P5BD', 'PT1H', None, 'P2BD')
    """
    plain = re.sub(r"\s*\([^)]*\)", "", text)
    plain = re.sub(r"\b(?:consecutive|full|clear)\s+", "", re.sub(r"^an?\b", "one", plain, flags=re.IGNORECASE))
    found = [q.duration for q in find_quantities(re.sub(r"['’]$", "", plain).lower()) if q.duration]
    return found[0] if found else None


class Times:
    """Finds deadlines and makes condition cues."""

    def __init__(self, cues: Lexicon) -> None:
        self.cues = cues
        self._deadlines = [cues.pattern("deadline", key) for key in ("within", "before", "after")]

    def deadlines(self, piece: Piece) -> list[DeadlineCue]:
        """The deadlines that a piece states, those without a value last."""
        found = []
        for pattern in self._deadlines:
            for match in pattern.finditer(piece.text):
                if (length := duration(match["n"])) is not None:
                    start = re.sub(r"^(?:the|a|an)\s+", "", (match["from"] or "").strip(), flags=re.IGNORECASE)
                    start = re.split(r"\s(?:and|or|to|unless|if)\s", start)[0]
                    end = (
                        match.start("from") + (match["from"] or "").find(start) + len(start)
                        if start
                        else match.end("n")
                    )
                    found.append(DeadlineCue(piece.part(match.start(), end), length, start or None))
        undated = self.cues.pattern("deadline", "none").search(piece.text)
        if undated:
            found.append(DeadlineCue(piece.part(undated.start(), undated.end()), None))
        return found

    def condition(self, piece: Piece, mode: str = "when") -> ConditionCue:
        """A condition's words as a cue, marked vague where they leave it to judgement."""
        plain = piece.text.lower().strip(" ,")
        vague = any(plain in (word, f"it is {word}", f"as {word}") for word in self.cues.words("conditions", "vague"))
        vague = vague or PATTERN.left_to_judgement.search(plain) is not None
        return ConditionCue(piece, "unless" if mode == "unless" else "when", vague)


def compares(cues: Lexicon, text: str) -> bool:
    """Whether a phrase holds a quantity with a comparator before or after it (`purchases over $5,000`)."""
    for quantity in find_quantities(text):
        before, after = text[: quantity.start].rstrip().lower(), text[quantity.end :].lstrip().lower()
        for op in ("gt", "gte", "lt", "lte"):
            words = (word for word in cues.words("comparators", op) if word != "from")
            if any(re.search(rf"\b{re.escape(word)}$", before) for word in words):
                return True
            if after.startswith(cues.words("comparators_after", op)):
                return True
    return False
