"""Sentences that go back to what was told before: an act that is finished, how it comes out, a breach, a return."""

import re
from collections.abc import Sequence

from compiler.extract.rules.extraction_state import Draft
from compiler.extract.rules.statements import Act, ConditionCue, End, Said, Statement
from compiler.text.lexicon import Lexicon, lexicon

PATTERN = lexicon("zh").patterns("repeats")

_MARKS = "，,；;。.："
_JUDGING = {"approval", "check"}
REACH = 8  # steps back that a later sentence may speak of


def told_before(statement: Act, drafts: Sequence[Draft], cues: Lexicon) -> Draft | None:
    """The step that a Chinese act's words only say more of, None where it is an act of its own.

    `法规科应当在七个工作日内审核完毕` after `交由法规科审核` is that examination with its deadline.
    """
    if statement.presumed:
        return _presumed_in(statement, drafts)
    if cues.language != "zh":
        return None
    text = statement.piece.text
    near = list(reversed(drafts[-REACH:]))
    if PATTERN.comes_first.match(statement.sentence.text, statement.piece.end - statement.sentence.start):
        again = (d for d in near if _same_actor(d, statement) and says_again(text, d.first.sentence.text))
        return next(again, None)
    if (match := PATTERN.finished.search(text)) is not None:
        verb = match["verb"] or match["done"]
        return next((d for d in near if verb in _words(d) and _same_actor(d, statement)), None)
    if PATTERN.decides.search(text):
        return next((d for d in near if d.first.step_kind == "approval" and _may_be(d, statement)), None)
    if PATTERN.decided.search(text):
        approvals = [d for d in near if d.first.step_kind == "approval" and d.first.actor is not None]
        return next((d for d in approvals if d.first.actor and d.first.actor.text in statement.sentence.text), None)
    if PATTERN.opinion.match(text):
        return next((d for d in near[:4] if d.first.step_kind == "check"), None)
    return None


def in_context(
    statement: Statement, before: Statement | None, drafts: Sequence[Draft], cues: Lexicon
) -> Statement | None:
    """A statement as what stands before it makes of it; None where it cannot be told what is meant.

    What another act is added to (`除经主任审批外，还应当…`) is a step told before, or an approval by somebody named.
    """
    if not isinstance(statement, Act) or not statement.presumed:
        return of_breach(statement, before, cues)
    approved = statement.step_kind in _JUDGING and _names_its_actor(statement)
    return statement if approved or _presumed_in(statement, drafts) is not None else None


def _presumed_in(statement: Act, drafts: Sequence[Draft]) -> Draft | None:
    """The step that says what another act is added to; `按前款审批` means the one told last."""
    words, named = statement.piece.text, _names_its_actor(statement)
    for draft in reversed(drafts):
        alike = draft.first.step_kind == statement.step_kind or {draft.first.step_kind, statement.step_kind} <= _JUDGING
        if named and alike and draft.first.actor is not None and _same_actor(draft, statement):
            return draft
        if not named and PATTERN.back.match(words) and (alike or statement.step_kind == "task"):
            return draft
        if not named and _same_actor(draft, statement) and says_again(words, draft.first.sentence.text):
            return draft
    return None


def _names_its_actor(statement: Act) -> bool:
    """Whether an act's own words say who does it."""
    return statement.actor is not None and statement.actor.text in statement.piece.text


def finished_act(text: str) -> str | None:
    """The act of which words only say that it is to be finished.

    >>> finished_act("审核完毕"), finished_act("完成审核"), finished_act("审核申请材料")
    ('审核', '审核', None)
    """
    match = PATTERN.finished.fullmatch(text)
    return (match["verb"] or match["done"]) if match is not None else None


def says_again(act: str, sentence: str) -> bool:
    """Whether a sentence has most of the words of a short act, in their order or not.

    >>> says_again("标准合同备案", "数据合规部应当办理个人信息出境标准合同的备案手续。")
    True
    >>> says_again("Encrypt the file", "The clerk shall file the request.")
    False
    """
    words, there = _telling(act), _telling(sentence)
    return bool(words) and len(words & there) >= 0.75 * len(words)


def _telling(text: str) -> set[str]:
    """Words of English, pairs of characters of Chinese."""
    han = re.findall(r"[\u4e00-\u9fff]{2,}", text)
    pairs = {run[at : at + 2] for run in han for at in range(len(run) - 1)}
    return pairs | {w for w in re.findall(r"[a-z]{3,}", text.lower()) if w not in ("the", "and", "shall", "must")}


def _words(draft: Draft) -> str:
    return "，".join(statement.piece.text for statement in draft.statements)


def _same_actor(draft: Draft, statement: Act) -> bool:
    one, other = draft.first.actor, statement.actor
    return one is None or other is None or one.text == other.text


def _may_be(draft: Draft, statement: Act) -> bool:
    """Whether the one who approves is among those who decide (`局长、分管副局长应当…作出…决定`)."""
    who = draft.first.actor
    if statement.actor is not None and PATTERN.approver.search(statement.actor.text):
        return True  # `审批人应当在两日内作出…决定`, whoever of them it is
    return _same_actor(draft, statement) or (who is not None and who.text in statement.sentence.text)


def of_breach(statement: Statement, before: Statement | None, cues: Lexicon) -> Statement | None:
    """A statement whose `otherwise` follows a demand, as what is done where the demand is not met.

    `Amounts over 500 go to the director, otherwise to the manager` parts by the amount; `Claims over 500 must have a
    list, otherwise they are refused` by the list: claims up to 500 are not refused.

    Where a demand has a case of its own and another acts, either may be meant. The statement stays as it is where
    nothing is demanded before it, or where the two clearly are alternatives: both name who does the
    like, or one does both.

    Returns:
        None where it cannot be told what is meant.
    """
    at = next((n for n, cue in enumerate(statement.conditions) if cue.mode == "otherwise"), None)
    if at is None or before is None or not _demands(before, cues) or _are_alternatives(before, statement):
        return statement
    if before.conditions:
        return None
    conditions = list(statement.conditions)
    conditions[at] = ConditionCue(before.piece, "unless")
    return statement.but(conditions=tuple(conditions))


def _demands(said: Said, cues: Lexicon) -> bool:
    """Whether a clause says with a modal word that something has to be."""
    if said.modality not in ("must", "should"):
        return False
    sentence, begin = said.sentence, said.piece.start - said.sentence.start
    clause = max(sentence.text.rfind(mark, 0, max(0, begin)) for mark in _MARKS) + 1
    return cues.modal(sentence.text[clause : said.piece.end - sentence.start]) is not None


def _are_alternatives(one: Statement, other: Statement) -> bool:
    """Whether two acts are what is done in the one case and in the other."""
    if not isinstance(one, Act) or one.actor is None or not one.conditions:
        return False
    if not isinstance(other, Act):
        return True
    same = other.actor is None or other.actor.text == one.actor.text
    return same or other.step_kind == one.step_kind


def without_next_run(statements: list[Statement], cues: Lexicon) -> list[Statement]:
    """The statements of one provision, with what is done after a return told as the rule that it is.

    `不齐全的，退回申请人补正；申请人应当在三日内补正，逾期未补正的，视为撤回`: this run ended with the return. That are
    acts of whoever it was returned to, and what becomes of those who do not correct.
    """
    again = cues.patterns("repeats").again
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
