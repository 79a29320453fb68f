"""English clauses that demand approval of what their subject names (`loans above £20,000 require …`), or add to one."""

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


def added_to(base: Act, piece: Piece) -> tuple[Act, Piece] | None:
    """What a clause adds to (`In addition to the approval of the manager, …`), and the rest; None where it does not.

    Both are demanded. What it adds to is an act without verb where it is no approval by somebody named.
    """
    match = PATTERN.beside.match(piece.text)
    if match is None or PATTERN.back.match(match["base"]):
        return None
    words = piece.part(match.start("base"), match.end("base"))
    told = base.but(piece=words, presumed=True)
    approved = PATTERN.approved.search(words.text)
    name = next((n for n in ("by", "whose") if approved and approved[n]), None)
    who = role(words.part(approved.start(name), approved.end(name))) if approved and name else None
    if approved is not None and who is not None:
        verb = words.part(approved.start(), approved.end())
        told = told.but(actor=who, verb=verb, step_kind="approval", outcomes=("approved", "rejected"))
    return told, piece.part(match.end())
