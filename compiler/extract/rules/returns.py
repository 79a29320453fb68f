"""What a text tells after a return: the applicant corrects, and the matter comes again, which is another run."""

import re

from compiler.extract.rules.statements import Act, End, Statement
from compiler.text.lexicon import Lexicon


def without_next_run(statements: list[Statement], cues: Lexicon) -> list[Statement]:
    """The statements of one provision, with what is done after a return told as the rule that it is.

    `不齐全的，退回申请人补正；申请人应当在三日内补正，逾期未补正的，视为撤回`: this run ended with the return. That are
    acts of whoever it was returned to, and what becomes of those who do not correct.
    """
    again = cues.patterns("returns").again
    kept: list[Statement] = []
    returned: Statement | None = None
    follows = False
    for statement in statements:
        if returned is not None and isinstance(statement, Act | End) and _is_next(statement, returned, again, follows):
            follows = True
            statement = statement.as_rule("resubmission")
        elif isinstance(statement, Act | End) and statement.ends == "returned":
            returned, follows = statement, again.search(statement.piece.text) is not None
        kept.append(statement)
    return kept


def _is_next(statement: Act | End, returned: Statement, again: re.Pattern[str], follows: bool) -> bool:
    """Whether an act or end after a return belongs to the next run.

    Args:
        follows: the return or what came after it spoke of correcting, so that its failing may end something.
    """
    if statement.conditions:
        others = [cue for cue in statement.conditions if cue not in returned.conditions]
        return follows and bool(others) and all(again.search(cue.piece.text) for cue in others)
    if again.search(statement.piece.text) is None or not isinstance(statement, Act):
        return False
    return statement.actor is not None and _names(returned, statement.actor.text)


def _names(returned: Statement, who: str) -> bool:
    """Whether the words of a return say that it goes to somebody."""
    bare = re.sub(r"^(?:the|an?)\s+", "", who, flags=re.IGNORECASE).lower()
    return bare in returned.piece.text.lower()
