"""Acts that are not done in every run although no condition stands beside them.

`Schools may be exempted from the fee` is done for schools, `the borrower reports damage` where there is some; `handle
it with care` holds all the time and is done at none. The first two get their case as a condition, which is asked about;
the third is a standing duty.
"""

import re

from compiler.extract.rules.statements import Act, ConditionCue, Statement
from compiler.text.lexicon import Lexicon
from compiler.text.sentences import Piece


def in_their_cases(statements: list[Statement], sentence: Piece, title: str, cues: Lexicon) -> list[Statement]:
    """The statements of a sentence, each with the case that it presupposes; standing duties as what they are.

    Args:
        title: of the document; what it is about is no case in it.
    """
    found = [_standing(one, cues) for one in statements]
    for at, one in enumerate(found):
        if not isinstance(one, Act) or one.conditions or one.after:
            continue
        case = _event(one, title, cues)
        if case is not None:
            found[at] = one.but(conditions=(ConditionCue(case, presupposed=True),))
            continue
        case = _permitted(one, cues)
        if case is not None:
            return _approved_first(
                [_in_case(each, one, ConditionCue(case, presupposed=True), sentence) for each in found], at
            )
    return found


def _standing(statement: Statement, cues: Lexicon) -> Statement:
    """A duty of care, which nobody does once in the course of a procedure, as one."""
    if not isinstance(statement, Act) or statement.conditions or statement.step_kind != "task":
        return statement
    dated = any(deadline.duration for deadline in statement.deadlines)
    text, whole = statement.piece.text, statement.sentence.text
    says = cues.patterns("presupposed")
    cares = says.care.search(text) is not None or says.principle.search(whole) is not None
    return statement.as_duty("a state or general duty") if cares and not dated else statement


def _permitted(act: Act, cues: Lexicon) -> Piece | None:
    """For whom or what an exemption is: the words before `可以`, those after `for`, else all of it."""
    exempts = cues.patterns("presupposed").exempts.search(act.piece.text)
    if act.modality != "may" or exempts is None:
        return None
    text = act.piece.text
    if cues.language == "zh":
        modal = cues.patterns("presupposed").may.search(text)
        named = modal is not None and modal.start() > 1 and act.actor is None
        return act.piece.part(0, modal.start()) if modal is not None and named else act.piece
    return act.piece


def _event(act: Act, title: str, cues: Lexicon) -> Piece | None:
    """The harm whose being there an act presupposes; None where the whole document is about it."""
    if act.verb is None:
        return None
    match = cues.patterns("presupposed").event.search(act.piece.text)
    name = next((key for key, words in match.groupdict().items() if words), None) if match else None
    if match is None or name is None or match[name].lower().rstrip("s") in title.lower():
        return None
    return act.piece.part(match.start(name), match.end(name))


def _in_case(each: Statement, permitted: Act, case: ConditionCue, sentence: Piece) -> Statement:
    """An act that goes with a permission, the approval that it needs among them, in its case."""
    begin, end = sorted((each.piece.start, permitted.piece.start))
    between = sentence.text[begin - sentence.start : end - sentence.start]
    alone = isinstance(each, Act) and not each.conditions and not re.search("[；;]", between)
    goes_with = each is permitted or each.piece.start > permitted.piece.start
    if isinstance(each, Act) and alone and (goes_with or each.step_kind == "approval"):
        return each.but(conditions=(case,))
    return each


def _approved_first(statements: list[Statement], at: int) -> list[Statement]:
    """What is permitted comes after the approval that it needs (`可以免缴，但须经总监批准`)."""
    after = statements[at + 1 : at + 2]
    needs = after and isinstance(after[0], Act) and after[0].step_kind == "approval"
    return (
        [*statements[:at], after[0], statements[at].but(merges=False), *statements[at + 2 :]] if needs else statements
    )
