"""Chinese clauses that say whose approval a matter needs, or who may approve which matters."""

from compiler.extract.rules.statements import Act, ConditionCue
from compiler.extract.rules.zh.clauses import Clauses
from compiler.extract.rules.zh.words import Roles
from compiler.text.lexicon import lexicon
from compiler.text.limits import limits_in
from compiler.text.sentences import Piece

PATTERN = lexicon("zh").patterns("approvals")

LONGEST_MATTER = 12
"""Characters of a name of what is approved."""


def needed_approval(base: Act, piece: Piece, roles: Roles, clauses: Clauses, *, said: bool) -> Act | None:
    """`还需董事会书面同意`, `超过二十万元的采购须经总监批准`: an approval, where a limit says of what.

    Args:
        said: an act stands before it in the clause, so that a case of its own begins a branch of its own.
    """
    match = PATTERN.needed.fullmatch(piece.text)
    who = roles.role(piece.part(match.start("who"), match.end("who"))) if match else None
    if match is None or who is None or (who.start - piece.start, who.end - piece.start) != match.span("who"):
        return None
    what = piece.part(0, match.end("what"))
    limited = bool(what.text) and bool(limits_in(what.text, clauses.cues))
    narrows = limited or PATTERN.narrows.search(what.text) is not None
    if what.text and not narrows and (roles.subject(what)[0] is not None or len(what.text) > LONGEST_MATTER):
        return None  # an act of its own stands before
    cues = (ConditionCue(what, measured=True),) if limited else (ConditionCue(what),) if narrows else ()
    verb = piece.part(match.start("verb"), match.end("verb"))
    return base.but(
        actor=who, verb=verb, step_kind="approval", outcomes=("approved", "rejected"), modality="must",
        conditions=(*(() if said and cues else base.conditions), *cues),
    )  # fmt: skip


def power(base: Act, body: Piece, roles: Roles, clauses: Clauses) -> Act | None:
    """`部门主管可以批准金额不超过1万元的合同`: an approval, within the limit that is its condition."""
    match = clauses.power(body)
    begins = (match.start("may") if match["may"] else match.start("verb")) if match else 0
    who = roles.role(body.part(0, begins)) if match else None
    if match is None or who is None or who.end - body.start < begins:
        return None
    verb = body.part(match.start("verb"), match.end("verb"))
    return base.but(actor=who, verb=verb, step_kind="approval", outcomes=("approved", "rejected"), modality="must")
