"""English clauses that demand somebody's approval of what their subject names: `loans above £20,000 require …`."""

from compiler.extract.rules.en.words import role
from compiler.extract.rules.statements import Act, ConditionCue
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.limits import limits_in
from compiler.text.sentences import Piece

PATTERN = lexicon("en").patterns("approvals")


def demanded_approval(base: Act, main: Piece, cues: Lexicon) -> Act | None:
    """The approval that a clause demands, by the one whom it names; None where it demands none or names nobody.

    What narrows its subject is its condition: a limit, a place, a use.
    """
    match = PATTERN.demands.fullmatch(main.text)
    if match is None or PATTERN.opens.match(main.text) or PATTERN.denies.search(main.text):
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
    elif PATTERN.narrows.search(what.text):
        cue = (ConditionCue(what),)
    verb = main.part(match.start("verb"), match.end("verb"))
    return base.but(
        piece=main, actor=who, verb=verb, step_kind="approval", outcomes=("approved", "rejected"),
        conditions=(*base.conditions, *cue),
    )  # fmt: skip
