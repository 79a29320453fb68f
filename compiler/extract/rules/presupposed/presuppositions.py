"""Acts that are not done in every run although no condition stands beside them.

`Schools may be exempted from the fee` is done for schools, `the borrower reports damage` where there is some; `handle
it with care` holds all the time and is done at none. The first two get their case as a condition, which is asked about;
the third is a standing duty.
"""

import re

from compiler.extract.rules.statements import Act, ConditionCue, Statement
from compiler.text.lexicon import Lexicon
from compiler.text.sentences import Piece

_EXEMPTS = re.compile(
    r"免[缴交收除征于予]|[减缓]免|[缓延]期?[缴交]|缓办|从[宽轻简]|破例|酌减|优惠"
    r"|\b(?:waive[sd]?|exempt(?:s|ed)?|excus(?:e|es|ed)|reduc(?:e|es|ed)|remit(?:s|ted)?|dispens(?:e|es|ed) with"
    r"|forg[io]\w+"
    r"|defer(?:s|red)?|postpone[sd]?|relax(?:es|ed)?|derogate)\b",
    re.IGNORECASE,
)
_MAY_ZH = re.compile(r"可以?|允许|准予|有权|得以")
_FOR = re.compile(
    r"\b(?:for|to|in respect of|in favour of|in the case of)"
    r"\s+(?P<what>(?!\d)[^,;.]{3,80})$",
    re.IGNORECASE,
)
_FROM = re.compile(r"\bfrom\b", re.IGNORECASE)
_HARMS = (
    r"damage|loss(?:es)?|thefts?|accidents?|incidents?|leaks?|spills?|injur(?:y|ies)|defects?|faults?|malfunctions?"
    r"|breakages?|breaches|breach"
)
_EVENT_EN = re.compile(
    rf"\b(?:reports?|notif(?:y|ies)|assess(?:es)?|investigates?|repairs?|remed(?:y|ies)|compensates?(?: for)?)\s+"
    rf"(?:(?:the|any|all|each|every|such|its|their)\s+)?(?P<what>(?:{_HARMS}))"
    rf"(?=\s+(?:to|within|without|before|in|at|by|on|immediately)\b|[.,;]|$)"
    rf"|^(?:(?:the|any|all|each|every|such)\s+)?(?P<what2>(?:{_HARMS}))\s+(?:or\s+\w+\s+)?"
    rf"(?:must|shall|should|is|are|has to|have to|to be)\s+"
    r"(?:\w+\s+){0,3}?(?:reported|notified|assessed|investigated|repaired|remedied|compensated)\b",
    re.IGNORECASE,
)
_EVENT_ZH = re.compile(
    r"(?:报告|上报|通报|评估|调查|处理|维修|修复|赔偿)(?:[^，。；的]{0,8}的)?(?P<what>损坏|丢失|遗失|被盗|事故|故障|泄漏|火灾|伤亡|险情)(?:情况)?(?=$|[，。；])"
)
_CARE = re.compile(
    r"妥善(?:保管|保存|使用|管理|维护|看管|照管)|爱[护惜]|(?:勤勉|恪)尽|谨慎(?:使用|操作|驾驶)|必要的(?:防护|保护|安全|预防)措施"
    r"|\bwith (?:all )?(?:due|reasonable|proper|appropriate|great|utmost|the utmost|every)"
    r" (?:care|diligence|caution|skill|respect)\b"
    r"|\b(?:in|under) (?:a )?(?:good|clean|proper|appropriate|suitable|safe)"
    r" (?:\w+ )?(?:condition|conditions|order|state|repair)\b"
    r"|\bat all times\b",
    re.IGNORECASE,
)

_PRINCIPLE = re.compile(
    r"(?:根据|按照|依照|遵循|坚持|本着|贯彻)[^。；]{0,40}原则"
    r"|\bon the (?:basis|principle)s? of\b[^.;]*\b(?:equality|reciprocity|treat(?:y|ies)|conventions?"
    r"|principles?|trust|fairness)\b"
    r"|\b(?:guided by|in line with|in accordance with|according to|following) the principles?\b",
    re.IGNORECASE,
)
"""What is done on principles is done all the time."""


def in_their_cases(statements: list[Statement], sentence: Piece, title: str, cues: Lexicon) -> list[Statement]:
    """The statements of a sentence, each with the case that it presupposes; standing duties as what they are.

    Args:
        title: of the document; what it is about is no case in it.
    """
    found = [_standing(one) for one in statements]
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


def _standing(statement: Statement) -> Statement:
    """A duty of care, which nobody does once in the course of a procedure, as one."""
    if not isinstance(statement, Act) or statement.conditions or statement.step_kind != "task":
        return statement
    dated = any(deadline.duration for deadline in statement.deadlines)
    text, whole = statement.piece.text, statement.sentence.text
    cares = _CARE.search(text) is not None or _PRINCIPLE.search(whole) is not None
    return statement.as_duty("a state or general duty") if cares and not dated else statement


def _permitted(act: Act, cues: Lexicon) -> Piece | None:
    """For whom or what an exemption is: the words before `可以`, those after `for`, else all of it."""
    exempts = _EXEMPTS.search(act.piece.text)
    if act.modality != "may" or exempts is None:
        return None
    text = act.piece.text
    if cues.language == "zh":
        modal = _MAY_ZH.search(text)
        named = modal is not None and modal.start() > 1 and act.actor is None
        return act.piece.part(0, modal.start()) if modal is not None and named else act.piece
    if (whom := _FOR.search(text, exempts.end())) is not None:
        return act.piece.part(whom.start("what"), whom.end("what"))
    subject = re.match(r"(?P<what>[^,;]{3,60}?)\s+(?:may|can)\s+be\s", text)
    if subject is not None and _FROM.search(text):
        return act.piece.part(subject.start("what"), subject.end("what"))
    return act.piece


def _event(act: Act, title: str, cues: Lexicon) -> Piece | None:
    """The harm whose being there an act presupposes; None where the whole document is about it."""
    if act.verb is None:
        return None
    match = (_EVENT_ZH if cues.language == "zh" else _EVENT_EN).search(act.piece.text)
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
