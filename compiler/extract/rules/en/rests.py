"""What is left of the cases before: `all other requests`, `longer leave`, `contracts up to that value`."""

import re

from compiler.extract.rules.statements import ConditionCue
from compiler.text.lexicon import Lexicon
from compiler.text.limits import limits_in
from compiler.text.sentences import Piece

_I = re.IGNORECASE
_OTHERS = re.compile(
    r"^(?:(?:and|but|while|whereas)\s+)?(?P<what>(?:for|in|on|with)?\s*(?:all|any|every|the)?\s*(?:others?|remaining|rest|remainder)"
    r"(?:\s+of\s+(?:the\s+)?(?P<of>[a-z]+))?(?:\s+(?P<noun>[a-z]+))?)\b",
    _I,
)
_ANY_OTHER = re.compile(r"\b(?P<noun>[a-z]+)\s+(?P<what>of\s+(?:any|all)\s+other\s+[a-z]+)\b", _I)
_COMPARED = re.compile(
    r"^(?:(?:and|but|while|whereas)\s+)?(?P<what>(?:for\s+|any\s+|all\s+)?(?:(?P<up>larger|longer|higher|heavier|greater|bigger|older)|"
    r"(?P<down>smaller|shorter|lower|lighter|lesser|younger))\s+(?!than\b)(?P<noun>[a-z]+))\b",
    _I,
)
_THAT = re.compile(
    r"\b(?P<what>(?:(?P<most>up\s+to(?:\s+and\s+including)?|not\s+exceeding|not\s+more\s+than|no\s+more\s+than|at\s+most)|"
    r"(?P<less>below|under|less\s+than)|(?P<more>above|over|exceeding|more\s+than|beyond))\s+"
    r"(?:this|that|the\s+same|the\s+said|it|these|those)(?:\s+(?:value|amount|limit|sum|threshold|figure|number|length|level))?)\b",
    _I,
)
_PLAIN = frozenset(
    ["are", "is", "go", "goes", "must", "shall", "may", "cases", "case", "ones", "one", "amounts", "have", "has"]
)


def rest_of(part: Piece, before: str, cues: Lexicon) -> ConditionCue | None:
    """The words of a clause that say it is for what the cases before it leave; None where it has none, or others.

    A thing that is said to be other is of a kind of which the clauses before speak; `larger` and `up to that amount`
    are the rest only of a limit that they go on from without a gap.

    Args:
        before: the sentence up to the clause.
    """
    for pattern in (_OTHERS, _ANY_OTHER):
        match = pattern.search(part.text)
        if match is not None and _spoken_of(match["noun"] or match.groupdict().get("of"), before):
            return ConditionCue(part.part(match.start("what"), match.end("what")), "otherwise")
    ops = {limit.op for limit in limits_in(before, cues)}
    if (match := _COMPARED.search(part.text)) is not None:
        fits = ops <= {"lt", "lte"} if match["up"] else ops <= {"gt", "gte"}
        if ops and fits and _spoken_of(match["noun"], before):
            return ConditionCue(part.part(match.start("what"), match.end("what")), "otherwise")
    if (match := _THAT.search(part.text)) is not None:
        follows = {"gt"} if match["most"] else {"gte"} if match["less"] else {"lte"}
        if ops and ops <= follows:
            return ConditionCue(part.part(match.start("what"), match.end("what")), "otherwise")
    return None


def _spoken_of(noun: str | None, before: str) -> bool:
    """Whether a noun is one of the words before, in singular or plural; no noun is of what they speak of."""
    if noun is None or noun.lower() in _PLAIN:
        return True
    return re.search(rf"\b{re.escape(noun[:-1] if noun.endswith('s') else noun)}", before, _I) is not None
