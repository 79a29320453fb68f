"""Whether words say that something is as it should be: `no damage` and `无损坏` are good, `incomplete` and `有误` bad.

What they speak of alone does not tell it (`no reply`, `未答复`), nor do words of degree (`the damage is minor`).
"""

import re
from collections.abc import Iterator
from typing import Literal

Tenor = Literal["good", "bad"]

_BAD = re.compile(
    r"损坏|损伤|破损|受损|毁损|损毁|缺陷|缺损|缺[失少项漏陷件]?|短[少缺]|残[缺损]|瑕疵|异常|差错|错误|误|出入|问题|异议|隐患|违[法规反约章纪]|逾期|过期|超[标限期]|虚假|伪造|造假|嫌疑|风险"
    r"|危险|冲突|故障|[泄渗]漏|污染|变质|[丢遗]失|拖?欠[费缴款交]?|纠纷|争议|反对|失[败效]|无效|裂[缝纹]|投诉|遗漏|偏差|疑[问点义]|不足|不良|差异|事故|不能|无法|拒[绝不]|否决|驳回"
    r"|\b(?:un(?!der|ti|le|it|i|damaged|broken|harmed|scathed|disputed|contested|opened|used|altered|impaired|blemished)\w{4,}"
    r"|(?:in(?:complete|correct|valid|sufficient|adequate|accurate|consistent|eligible|appropriate|operative|admissible)"
    r"|im(?:proper|plausible)|il(?:legal|legible)|ir(?:regular\w*)|non-?compli\w+|dis(?:agree|approv|crepan|putes?|order)\w*)"
    r"|missing|defect\w*|faults?|faulty|flaw\w*|errors?|mistakes?|expired|lack\w*|objections?|objects?"
    r"|deviat\w+|doubts?|refus\w+|reject\w*|declin\w+|den(?:y|ies|ied)|hazard\w*|danger\w*|risk\w*|breach\w*|conflict\w*"
    r"|suspicio\w+|violat\w+|fraud\w*|infring\w*|damage\w*|harm\w*|threat\w*|leak\w*|crack\w*|scratch\w*|broken|torn|worn"
    r"|dent(?:s|ed)?|complain\w*|shortages?|shortfalls?|arrears|overdue|late|contaminat\w+|infest\w+|concerns?|problems?"
    r"|issues|anomal\w+|abnormal\w*|shortcomings?|mismatch\w*|omission\w*|gaps|wrong|failed|failure|fails?(?! to)"
    r"|losse?s?|lost|spoil\w*|stain(?:s|ed)?|rust\w*|adverse|false|forged|deteriorat\w+|wear|injur\w+|irregularit\w+|alterations?"
    r"|deficien\w+|turned (?:down|away)|poor|bad)\b",
    re.IGNORECASE,
)
_GOOD = re.compile(
    r"合格|齐[全备]?|完整|一致|相符|符合|属实|真实|有效|完好|正常|达标|通过|同意|批准|满足|足额|合规|合法|充分|准确|正确|良好|正当|合理|到[账位]|清晰"
    r"|\b(?:complete\w*|correct\w*|in order|valid|sufficien\w+|adequate\w*|consistent\w*|satisf\w+|acceptabl\w+"
    r"|(?<=do )match|(?<=does )match|(?<=not )match|match(?:es)? (?=the|its|their|what|each|those|that)"
    r"|agree[sd]?|pass|passe[sd]|clean|clear|intact|sound|good|eligible|complian\w+|compl(?:y|ies)|meets?|met|safe"
    r"|approv\w+|accept(?:s|ed)?|grant(?:s|ed)?|consent(?:s|ed)?|accurate\w*|genuine|authentic|undamaged|unbroken|unharmed|unscathed"
    r"|undisputed|uncontested|unaltered|unimpaired|unblemished|successful\w*|proper\w*|legible|plausible|favou?rabl[ey]|works|functions|fit|fine|okay)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"(?<!是)(?:没有?|未|无(?![法效])|不(?![同足良能])|非(?!常))"
    r"|\b(?:not|no|never|nothing|none|without|neither|nobody|cannot|free (?:of|from)|fails? to|failed to)\b"
    r"|n't\b",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"[，,；;。]|[并而]?且(?=[^、])|但|而(?!是)|\b(?:but|yet|although|while)\b"
    r"|\band (?=the |it |there |an? |they |all )",
    re.IGNORECASE,
)
_DEGREE = re.compile(
    r"轻微|较[小轻]|少量|个别|不影响|可以?忽略"
    r"|[超不]过|以[上下内]|[少多高低大小]于|修复|整改|补正|排除|消除|解决|是否|除[^，。]*外|仅"
    r"|\b(?:minor|slight\w*|small|negligible|trivial|only"
    r"|more than|less than|fewer than|at (?:most|least)|exceeds?|up to|whether|except"
    r"|other than|repair\w*|remed\w+|resolv\w+|rectif\w+|corrected|cured|removed|covered|acceptable)\b",
    re.IGNORECASE,
)
"""Words that leave open how much of it there is, or what was done about it."""


def tenor(text: str) -> Tenor | None:
    """Whether a condition's words tell of something good or bad; None where they do not show it, or tell of both.

    >>> tenor("there is no new damage"), tenor("未发现异常"), tenor("材料不齐全"), tenor("nothing is missing")
    ('good', 'good', 'bad', 'good')
    >>> tenor("no reply is received"), tenor("the damage is minor")
    (None, None)
    """
    if _DEGREE.search(text):
        return None
    found = set(_signs(text))
    return found.pop() if len(found) == 1 else None


def denies_harm(text: str) -> bool:
    """Whether what words tell is that a harm is not there.

    >>> denies_harm("there is no new damage"), denies_harm("the file is complete")
    (True, False)
    """
    return tenor(text) == "good" and _BAD.search(text) is not None


def _signs(text: str) -> Iterator[Tenor]:
    """What each telling word says, turned by each negation before it in its clause."""
    begin = 0
    for end in [*(match.start() for match in _BREAK.finditer(text)), len(text)]:
        clause, begin = text[begin:end], end
        good = [match.span() for match in _GOOD.finditer(clause)]
        bad = [match.span() for match in _BAD.finditer(clause)]
        for at, until in sorted({*good, *bad}):
            if any(b < at < e or (b == at and until < e) for b, e in (*good, *bad)):
                continue  # a part of a longer word
            turned = sum(_governs(denial, clause, at) for denial in _NEGATION.finditer(clause)) % 2
            yield "good" if ((at, until) in bad) == bool(turned) else "bad"


def _governs(denial: re.Match[str], clause: str, at: int) -> bool:
    """Whether a denial is of a word at a place: `无破损、缺失` of both, `不清、不足` each of its own."""
    wide = (
        denial[0].isascii()
        or denial[0] in ("无", "没", "没有")
        or clause.startswith(("发现", "见", "存在"), denial.end())
    )
    between = clause[denial.end() : at]
    return denial.end() <= at and (wide or not re.search(r"[、或和及]", between))
