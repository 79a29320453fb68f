"""English clauses that demand somebody's approval of what their subject names: `loans above £20,000 require …`."""

import re

from compiler.extract.rules.en.words import role
from compiler.extract.rules.statements import Act, ConditionCue
from compiler.text.lexicon import Lexicon
from compiler.text.limits import limits_in
from compiler.text.sentences import Piece

_DEMANDS = re.compile(
    r"(?P<what>[^;:]{2,160}?)\s+(?:(?:also|additionally|further(?:more)?|likewise|always|then|normally)\s+)*"
    r"(?:(?:must|shall|should|will)\s+(?:(?:also|additionally|first)\s+)?(?:have|obtain|receive|get|be subject to)"
    r"|requires?|needs?|calls? for|depends? (?:up)?on"
    r"|(?:is|are)\s+(?:(?:also|additionally|always)\s+)?(?:subject to|conditional (?:up)?on|dependent on))\s+"
    r"(?:(?:the|a|an|any|all|prior|written|formal|final|explicit|express|appropriate|verbal|documented|advance|previous"
    r"|necessary|additional|further|joint)\s+)*"
    r"(?:(?P<who1>[^,;.]{2,50}?)(?:['’]s?)?\s+)?"
    r"(?P<verb>approval|authori[sz]ation|sign-?off|consent|permission|endorsement|clearance|agreement)\b"
    r"(?:\s+(?:in writing|in advance))?(?:\s+(?:from|by|of)\s+(?P<who2>[^,;.]{2,60}?))?(?:\s+in (?:writing|advance))?$",
    re.IGNORECASE,
)
_NARROWS = re.compile(
    r"\s(?:of|to|for|from|in|with|without|outside|abroad|that|which|who|whose|exceeding|above|below|over|under|by)\s"
    r"|\s(?:abroad|overseas)$",
    re.IGNORECASE,
)
_OPENS = re.compile(r"(?:if|when|where|unless|once|after|before|until)\b", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:no|not|never|neither|none|nothing)\b|n't\b", re.IGNORECASE)


def demanded_approval(base: Act, main: Piece, cues: Lexicon) -> Act | None:
    """The approval that a clause demands, by the one whom it names; None where it demands none or names nobody.

    What narrows its subject is its condition: a limit, a place, a use.
    """
    match = _DEMANDS.fullmatch(main.text)
    if match is None or _OPENS.match(main.text) or _DENIES.search(main.text):
        return None
    named = ("who2", "who1")
    who = next((w for n in named if match[n] and (w := role(main.part(match.start(n), match.end(n))))), None)
    what = main.part(0, match.end("what"))
    somebody = role(what, opening=True)
    if who is None or (somebody is not None and somebody.end == what.end and not limits_in(what.text, cues)):
        return None  # `the clerk needs the approval of …` is read as what the clerk obtains
    cue: tuple[ConditionCue, ...] = ()
    if limits_in(what.text, cues):
        cue = (ConditionCue(what, measured=True),)
    elif _NARROWS.search(what.text):
        cue = (ConditionCue(what),)
    verb = main.part(match.start("verb"), match.end("verb"))
    return base.but(
        piece=main, actor=who, verb=verb, step_kind="approval", outcomes=("approved", "rejected"),
        conditions=(*base.conditions, *cue),
    )  # fmt: skip
