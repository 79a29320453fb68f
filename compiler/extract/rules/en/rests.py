"""What is left of the cases before: `all other requests`, `longer leave`, `contracts up to that value`."""

import re

from compiler.extract.rules.en.words import word_set
from compiler.extract.rules.statements import ConditionCue
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.limits import limits_in
from compiler.text.sentences import Piece

PATTERN = lexicon("en").patterns("rests")

_I = re.IGNORECASE
_PLAIN = word_set("said_of_any")


def rest_of(part: Piece, before: str, cues: Lexicon) -> ConditionCue | None:
    """The words of a clause that say it is for what the cases before it leave; None where it has none, or others.

    A thing that is said to be other is of a kind of which the clauses before speak; `larger` and `up to that amount`
    are the rest only of a limit that they go on from without a gap.

    Args:
        before: the sentence up to the clause.
    """
    for pattern in (PATTERN.others, PATTERN.any_other):
        match = pattern.search(part.text)
        if match is not None and _spoken_of(match["noun"] or match.groupdict().get("of"), before):
            return ConditionCue(part.part(match.start("what"), match.end("what")), "otherwise")
    ops = {limit.op for limit in limits_in(before, cues)}
    if (match := PATTERN.compared.search(part.text)) is not None:
        fits = ops <= {"lt", "lte"} if match["up"] else ops <= {"gt", "gte"}
        if ops and fits and _spoken_of(match["noun"], before):
            return ConditionCue(part.part(match.start("what"), match.end("what")), "otherwise")
    if (match := PATTERN.that.search(part.text)) is not None:
        follows = {"gt"} if match["most"] else {"gte"} if match["less"] else {"lte"}
        if ops and ops <= follows:
            return ConditionCue(part.part(match.start("what"), match.end("what")), "otherwise")
    return None


def _spoken_of(noun: str | None, before: str) -> bool:
    """Whether a noun is one of the words before, in singular or plural; no noun is of what they speak of."""
    if noun is None or noun.lower() in _PLAIN:
        return True
    return re.search(rf"\b{re.escape(noun[:-1] if noun.endswith('s') else noun)}", before, _I) is not None
