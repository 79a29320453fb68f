"""Chinese clauses that look like acts and are none: references, purposes, talk of submitting again; and glued cases."""

import re

from compiler.extract.rules.statements import Act, ConditionCue, End, Rule, Statement
from compiler.text.lexicon import lexicon

PATTERN = lexicon("zh").patterns("non_acts")


def is_reference(text: str) -> bool:
    """Whether a clause only says by what rules something goes, what it is for, or how loosely it binds.

    >>> [is_reference(t) for t in ("付款按《资金支付管理办法》办理", "供审批人参考", "由财务部按规定办理付款")]
    [True, True, False]
    """
    return PATTERN.reference.search(text) is not None


def glued_case(text: str) -> int:
    """Where a case ends that runs into its consequence without a comma, 0 where there is none.

    >>> [glued_case(t) for t in ("缺项的退回申请人补充", "审批人的意见由综合部存档", "检验合格的入库", "合格的供应商")]
    [3, 0, 5, 0]
    """
    match = PATTERN.glued_verdict.match(text) or PATTERN.glued.match(text)
    return match.end("case") if match and len(match["case"]) > 2 else 0


def acts_alone(found: list[Statement]) -> list[Statement]:
    """The statements of a sentence, with what only looks like an act told as the rule that it is."""
    return _without_manner(_without_resubmission(_with_requirements(found)))


def _without_resubmission(found: list[Statement]) -> list[Statement]:
    """What a sentence says after a return (`退回补正，补齐后重新报送`) tells of the next run, not of this one."""
    kept: list[Statement] = []
    returned: Statement | None = None
    for statement in found:
        same = returned is not None and statement.conditions == returned.conditions
        again = same and isinstance(statement, Act) and PATTERN.again.search(statement.piece.text) is not None
        kept.append(statement.as_rule("resubmission") if again else statement)
        ends = statement.ends if isinstance(statement, Act | End) else None
        returned = statement if ends == "returned" else returned
    return kept


def _without_manner(found: list[Statement]) -> list[Statement]:
    """Duties that say how something is done or what it also holds, and permissions, told as rules and not as acts.

    `应当合理安排进度`, `告知拟作出的处罚；…的，还应当告知听证权利`, `经局长批准，可以延长`.
    """
    kept: list[Statement] = []
    permits: tuple[ConditionCue, ...] = ()
    for statement in found:
        before = next((s for s in reversed(kept) if isinstance(s, Act)), None)
        text, after = statement.piece.text, statement.sentence.text[statement.piece.end - statement.sentence.start :]
        same = before is not None and before.verb is not None and statement.verb is not None and not before.presumed
        adds = same and PATTERN.adds.match(text) is not None and before.verb.text == statement.verb.text  # type: ignore[union-attr]
        if permits and isinstance(statement, Act) and statement.conditions == permits:
            statement = statement.as_rule("manner")  # what the permission goes with
        approves = isinstance(statement, Act) and statement.step_kind == "approval"
        permitted = approves and text.startswith("经") and PATTERN.permits.match(text + after)
        accepted = isinstance(statement, Act) and PATTERN.accepts.fullmatch(text)
        if isinstance(statement, Act) and (adds or permitted or accepted or PATTERN.manner.search(text)):
            permits = statement.conditions if permitted else permits
            statement = statement.as_rule("manner")
        kept.append(statement)
    return kept


def _with_requirements(found: list[Statement]) -> list[Statement]:
    """`应当办妥备案；未办妥备案的，不得发运` states what must be the case, not an act in the order."""
    result = list(found)
    for at, statement in enumerate(found):
        breach = isinstance(statement, Rule) and statement.modality == "must_not" and statement.conditions
        if not breach or at == 0:
            continue
        words = statement.conditions[0].piece.text
        match = re.match(r"(?:未|没有|尚未|不)(?:按照规定|按规定|依法)?(?P<what>.{2,24})", words)
        before = found[at - 1]
        if match and isinstance(before, Act) and match["what"][:2] in before.piece.text:
            result[at - 1] = before.as_rule("requirement")
    return result
