"""Chinese clauses that look like acts and are none: references, purposes, talk of submitting again; and glued cases."""

import re

from compiler.extract.rules.statements import Act, ConditionCue, End, Rule, Statement

_BY_THE_RULES = re.compile(
    r"[^，。；由]{0,16}?(?:按照?|依照|依据|参照|比照)[^，。；]{1,40}?(?:办理|处理|处置|执行|管理|掌握|落实)"
)
_GOES_ON = re.compile(r"从[^，。；]{1,12}(?:起|开始)")
_FOR_USE = re.compile(r"供[^，。；]{2,16}?(?:参考|使用|备查|查阅|决策|查询)$")
_NO_MATTER = re.compile(r"(?:无论|不论)|不影响|三分之二|(?:过)?半数以上|过半数|分别(?:办理|处理|作出处理)$")
_LIMITS = re.compile(
    r"^[^，。；由应须]{0,16}(?:不少于|不低于|不超过|不高于|不大于|不小于)[^，。；]{1,12}$"
    r"|^[^，。；由]{2,14}(?:期限|有效期|期|标准|数额|金额|范围|比例|费用)(?:按照?|根据|依照?)[^，。；]*(?:确定|执行|计算|核定)$"
    r"|^但?[^，。；由]{0,6}(?:报告|申请表|协议|协议文本|合同文本|通知书|意见|意见书|文书|通行证|许可证|记录)(?:应当|应|须|必须)(?![^，。；]*(?:送|交|报|寄|发|由|归|存))"
)
_REMEDY = re.compile(r"可以?[^，。；]{0,24}(?:申诉|行政复议|诉讼|投诉|咨询|查询)")
_ANEW = re.compile(
    r"(?:补正|补齐|整改|修改|更正|完善|调整)后[^，。；]{0,6}(?:可以?)?重新(?:提出|提交|申请|申报|报送|填报)"
)
_ELSEWHERE = re.compile(
    r"(?:应当|应|须)?(?:按照|依照|按)《[^》]+》[^，。；]{0,4}(?:申请|办理|处理|执行)[^，。；]{0,4}$"
)
_LOOSELY = re.compile(r"原则上|除非")
_COUNTS = re.compile(
    r"不计入|不计算在|不包括在|见(?:本\S{1,4})?(?:表|附表|附件|附录)\s*[一二三四五\dA-Z]|^“[^”]{1,3}”表示"
)
_LONGER = re.compile(r"可以?(?:再|适当|酌情)?(?:延长|延期|暂缓|分期|顺延)")
_MEANS = re.compile(r"可以?(?:自行)?(?:聘请|委托|邀请|借助|抽调)")
_CONSISTS = re.compile(r"^[^，。；由应]{0,14}(?:内容|范围|材料|资料|要素|事项|要点)(?:应当|一般|主要)?包括")
_WHOLE_TIME = re.compile(
    r"^(?:案件|申请|事项|项目|举报|投诉|合同)(?:应当)?(?:自|在|于)[^，。；]{2,24}内(?:作出|办结|完成|处理)"
)
_USED_ON = re.compile(r"在[^，。；]{2,24}(?:沿用|通用|适用)$")
_GLUED = re.compile(
    r"^(?P<case>[^，。；]{1,24}?[^目是有他她其]的)"
    r"(?=退回|不予|予以|驳回|应当|可以|不得|必须|视为|直接|由[^，。；]{2,16}(?:批|办|核|定|负责|处理|组织))"
)
_GLUED_VERDICT = re.compile(
    r"^(?P<case>(?:(?:经|对)?[审检查核复验评](?:[审查批核验测定收]|后|果|[审查]后)?)?(?:不|未|未经|未获)?"
    r"(?:同意|批准|通过|合格|符合(?:要求|条件|规定|标准)?|齐全|达标|属实|一致|许可|获批)的)"
    r"(?=报(?!告)|转|送|呈|入库|报废|退|交(?!易)|提交|发[放给运还布出]|通知|告知|归档|存档|备案|录入|录用|登记|办理|签发|签订|移[交送]|由|在|须|应"
    r"|进入|予以|重新|返|隔离|封存|放行|上架|投入|销毁|准予|给予|即|则|方)"
)
_MANNER = re.compile(
    r"(?:合理|妥善|积极|主动|严格|认真|切实|自觉)(?:安排|出示|配合|履行|执行|落实|做好|遵守)"
    r"|如实(?:载明|记载|反映|说明)|予?以?采纳$|(?:在必要时|派员|派人|共同)?(?:参加|列席|旁听)$"
    r"|^(?:审批人|审核人|批准人|签批人)员?(?:应当|应|须)?签署[^，。；]{0,4}意见$"
    r"|(?:记录|台账|资料|档案|凭证)由[^，。；]{2,14}(?:保存|保管|留存)$"
)
_DATED = re.compile(
    r"^(?:并)?[^，。；由]{0,12}?(?:应当?|须|必须)?(?:在|于|自)[^，。；]{1,30}(?:之?内|前)完成$"
    r"|(?:视为|视同)[^，。；（()）]*$|保存(?:期限)?(?:为|不少于)?[\d一二三五十]+年|事后(?:尽快)?补"
    r"|^[^，。；由]{2,8}(?:应当|应|须)(?:使用|采用|遵循)"
)
_ADDS = re.compile(r"^(?:\S{0,10})还(?:应当|应|须|需)|^并?(?:同时)?(?:一并|一同)")
_PERMITS = re.compile(r"经[^，。；]*，?(?:方)?可以?(?:适当|酌情|再)?(?:延长|延期|顺延|暂缓|缓|变更|免)")
_ACCEPTS = re.compile(r"[^，。；]{0,10}?(?:应当|应)?(?:当场|即时)?(?:予以|准予)?受理")
_AGAIN = re.compile(r"重新|再次|补齐|补正|补充|修改后|整改后|完善后|更正")


def is_reference(text: str) -> bool:
    """Whether a clause only says by what rules something goes, what it is for, or how loosely it binds.

    >>> [is_reference(t) for t in ("付款按《资金支付管理办法》办理", "供审批人参考", "由财务部按规定办理付款")]
    [True, True, False]
    """
    return (
        _BY_THE_RULES.fullmatch(text) is not None
        or _FOR_USE.search(text) is not None
        or any(rule.search(text) for rule in (_NO_MATTER, _LIMITS, _REMEDY, _ANEW, _ELSEWHERE))
        or _GOES_ON.match(text) is not None
        or _LOOSELY.match(text) is not None
        or _USED_ON.search(text) is not None
        or _COUNTS.search(text) is not None
        or _LONGER.search(text) is not None
        or _MEANS.search(text) is not None
        or _CONSISTS.match(text) is not None
        or _WHOLE_TIME.match(text) is not None
    )


def glued_case(text: str) -> int:
    """Where a case ends that runs into its consequence without a comma, 0 where there is none.

    >>> [glued_case(t) for t in ("缺项的退回申请人补充", "审批人的意见由综合部存档", "检验合格的入库", "合格的供应商")]
    [3, 0, 5, 0]
    """
    match = _GLUED_VERDICT.match(text) or _GLUED.match(text)
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
        again = same and isinstance(statement, Act) and _AGAIN.search(statement.piece.text) is not None
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
        same = before is not None and before.verb is not None and statement.verb is not None
        adds = same and _ADDS.match(text) is not None and before.verb.text == statement.verb.text  # type: ignore[union-attr]
        if permits and isinstance(statement, Act) and statement.conditions == permits:
            statement = statement.as_rule("manner")  # what the permission goes with
        approves = isinstance(statement, Act) and statement.step_kind == "approval"
        permitted = approves and text.startswith("经") and _PERMITS.match(text + after)
        accepted = isinstance(statement, Act) and _ACCEPTS.fullmatch(text)
        if isinstance(statement, Act) and (
            adds or permitted or accepted or _MANNER.search(text) or _DATED.search(text)
        ):
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
