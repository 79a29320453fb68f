"""Words that decide something and were read into nothing: each sentence that holds some becomes a question.

Quantities with a comparison, conditions, exceptions, negations, deadlines and words for order decide what a sentence
prescribes. Where the procedure rests on a sentence (a step was read from it, or it forbids or demands) and none of its
conditions, deadlines, rules and questions covers such words, the draft would be silently wrong.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiler.extract.rules.questions import Questions
from compiler.extract.rules.readings import ProvisionReading
from compiler.extract.rules.statements import Act, End, Jump, Skip
from compiler.grounding.coverage import Spans, overlaps, spans_of
from compiler.text.lexicon import Lexicon
from compiler.text.limits import limits_in, numbers_told
from compiler.text.sentences import Piece, is_overlong, sentences
from ir.procedure import Constraint, Flow, Procedure
from ir.quantities.numerals import find_numbers
from ir.quantities.units import find_quantities
from ir.source import Evidence, Span

NORMED = 0.3
"""Share of the sentences that forbid or demand, from which on a text is one of rules, although nobody acts in it."""
FEW_SENTENCES = 3
"""Sentences of a text so short that each of them matters."""
_EN = re.compile(
    r"\b(?P<condition>if|unless|except(?:ing)?|otherwise|provided that|only|failing that|"
    r"in that case|if so|if not|where|whenever|beyond|those (?:above|over|below|under)|in the (?:event|case) of)\b"
    r"|\b(?P<rest>(?:all|any|every|the) (?:other|others|rest|remaining|remainder)|the rest|"
    r"in (?:all|any|every|the) (?:other|remaining) cases?|anything (?:longer|more|above|beyond|else)|"
    r"(?:larger|longer|smaller|higher|lower|shorter|heavier|bigger|greater|older|younger)(?! than)|"
    r"others?|else|instead|(?:that|this|the same|said) (?:value|amount|limit|sum|threshold|figure|number|length)|"
    r"alternatively|remaining|whatever|whichever|everything else|what is left|"
    r"(?:beyond|above|below|over|under|exceeding|more than|less than|"
    r"up to) (?:this|that|it|these|those))\b"
    r"|\b(?P<bind>entitle[sd]?|condition that|waives?|prohibited|forbidden|banned|barred|refused|rejected|declined|"
    r"disallowed|"
    r"limited to|restricted to|entitled to|"
    r"off[ -]limits|exempt(?:ed)?|mandatory|compulsory)\b"
    r"|\b(?P<vague>appropriate(?:ly)?|adequate(?:ly)?|reasonabl[ey]|suitabl[ey]|due care|sensitive)\b"
    r"|\b(?P<outcome>(?:up)?on (?:approval|rejection|refusal|acceptance|denial|failure|success)|"
    r"in case of (?:approval|rejection|refusal|failure|success|an? \w+ result)|given an? \w+ (?:one|result))\b"
    r"|\b(?P<aside>excepted|excluding|exclusive of|save (?:for|that|where)|apart from|barring|but not)\b"
    r"|\b(?P<bound>at (?:the )?(?:most|least|maximum|minimum)|(?:longer|shorter|heavier|lighter|older|younger|warmer|"
    r"colder|hotter|higher|lower|larger|smaller|more|less|fewer|greater) than (?=\S*\d|half|an? |one|two|three|four|"
    r"five|six|seven|eight|nine|ten|twelve|twenty|thirty))"
    r"|\b(?P<denial>no|not|never|without|neither|nobody|none|cannot)\b|n't\b"
    r"|\b(?P<order>before|after|once|prior to|until)\b",
    re.IGNORECASE,
)
_ZH = re.compile(
    r"(?P<condition>如果|若|如(?!下|实|期|何|数)|凡|除[^，。；]{1,40}?外|除外|否则|的，|只有|方[可准能予]|[才始][可准予能得]|仅限|仅"
    r"|只(?=许|收|能|限|接|招|对|供|准|可)|限购|限(?=\d|[一二三四五六七八九十两])|[红橙黄蓝]色预警|(?<![规准原法守细总附])则(?!的)|就(?=[\u4e00-\u9fff])(?![业职诊餐医读近地此是座任绪高低]))"
    r"|(?P<rest>其他的|其[他它余]的?[^，。；]{1,8}的|其余的?|反之|除此(?:以外|之外)|再[往高大多长低少短重]|超[过出](?:权限|限额|额度|标准|此数|该数)的|[高低]于此数|其[他它余][\u4e00-\u9fff]{1,4}(?=谢绝|不|由|须|应|则|一律|交|报|送|归|按)|谢绝|更[大高长多重低短少晚早]的?|其它|超过的|超出的|未超过的|不足的|不满的|未达到的|达到的|符合的|不符合的|不符的)"
    r"|(?P<vague>酌情|适当|妥善|视情况|合理的?(?:期限|时间|范围))"
    r"|(?P<bind>另行|等到|待到|直到|直至|仅限|一律|严禁|禁止|拒绝|拒收|(?<![经未])(?:允许|准许)|(?:必须|应当?|立即|全部|一律)(?:停止|暂停|中止)"
    r"|以[^，。；]{1,12}为限|(?:\d|[一二三四五六七八九])成(?![员立果功本品人都])|[一二三两]刻钟|(?:\d|[一二三四五六七八九十两])(?:打(?!印)|旬|度(?!假)|亩|(?<!一)两(?![\u4e00-\u9fff])|吨半|斤半)|有权|一旦|[千万]分之)"
    r"|(?P<denial>不得|(?<![或者、])不予|不能|不可|未经|未(?!来|免|必|婚|知)|无(?=[\u4e00-\u9fff]{2,}的)|(?<![者或])不(?!断|仅|同|良|动产|可抗|定期|锈|明显|记名))"
    r"|(?P<verdict>(?<=[，。；])(?:不|未)?(?:合格|通过|符合|达标|属实|齐全|一致|相符|完好)的(?=[\u4e00-\u9fff]))"
    r"|(?P<order>之?前(?=[，,应须方才])|(?:在|于)[^，。；]{2,24}(?:[之以]?[前后])(?=[。；]?$)|后(?=方可|才|，[^，。；]{1,8}(?:方可|才|方能)))"
)
_FINITE = re.compile(
    r"[^，。；]*(?:员|部|司机|门卫|经理|主管|护士|医师|师|长|处|科|室|委员会|中心|公司|单位|人)[^，。；]{2,}(?:前|后|之前|之后|以前|以后)$|\b(?:has|have|is|are|was|were)\s+(?:been\s+)?\w+(?:ed|en)\b",
    re.IGNORECASE,
)
"""Words of an occasion that tell of an act, which may be a step of the procedure as well."""
_OPENS_EN = re.compile(
    r"(?:if|where|when|unless|otherwise|in (?:that|this|such|all|any|every)|should|such)\b", re.IGNORECASE
)
_OPENS_ZH = re.compile(r"(?:如果|若|如(?!下|实|期|何)|凡|否则|其余|其他|未|超过|不|该类|此类|发生|[^，。；]{1,12}的，)")
_CLASS_ZH = re.compile(
    r"^[\d.．\s　]*(?P<what>[特一二三四甲乙丙][级类](?:[、和或及]+[特一二三四甲乙丙][级类])*[^，。；：]{0,20})(?=，)"
)
_CLASS_EN = re.compile(
    r"^[\d.\s]*(?P<what>(?:for |of )?(?:class(?:es)?|grades?|levels?|categor(?:y|ies)) [A-D1-4]\b[^,.;]{0,40})(?=,)",
    re.I,
)
"""The kinds that a sentence is about, said before who does what."""
_GRADE_ZH = r"(?:[特一二三四五六七八九甲乙丙丁戊ⅠⅡⅢⅣⅤⅥ]|(?<![A-Za-z\d])[A-Z]\d?|\d)"
_KIND_ZH = re.compile(
    rf"(?P<what>第?{_GRADE_ZH}(?:[级类等]?[、和与或及]第?{_GRADE_ZH})*[级类等](?![别目型似比推量于待级候次以]|[及和]?以[上下]))"
    r"|(?P<rating>(?:为|属于?|定为|评为)[A-Z]{1,3}[+\-]?(?:[或、和及][A-Z]{1,3}[+\-]?)*)"
    r"|(?P<code>(?:为|属于?|定为|评为|持有?)(?:[A-Z]\d|绝密|机密|秘密|高风险|中风险|低风险|红色|橙色|黄色|蓝色)[级类]?)"
    r"|(?:^|(?<=[，。；]))(?P<grave>(?:特别重大|重大|较大|一般|紧急|特殊|普通|简易|高风险|中风险|低风险|大额|小额)(?!情况|情形)[\u4e00-\u9fff]{2,6}?)"
    r"(?=由|应|须|必须|在\d|不得)"
    r"|(?P<rated>(?:定级|评级|分级|等级|级别|类别|类型|性质|状态|评价|结论|[评认判核]定|[列划归])(?:为|是|属于?)[^，。；的]{1,24}的)(?=[\u4e00-\u9fff])"
    r"|(?:^|(?<=[，。；]))(?P<narrow>(?:对|对于)?(?:持有?|具有|具备|取得|获得|佩戴|携带|确诊为|属于|评为|定为|考评为|经|发现|被|仍|无|未|不|没有|存在|出现|贴|有)[^，。；的]{1,20}的)"
    r"(?=[\u4e00-\u9fff])"
)
_KIND_EN = re.compile(
    r"\b(?P<what>(?i:class(?:es)?|grades?|levels?|categor(?:y|ies)|tiers?|bands?|severity|priority|groups?|schedules?|"
    r"zones?|degree|type)\s+(?:[A-Z]\d?|[IVX]{1,4}|\d{1,2}|(?i:one|two|three|four))\b"
    r"(?:(?:\s*,\s*|\s+(?:or|and|to|through)\s+|,\s+(?:or|and)\s+)(?:[A-Z]\d?|[IVX]{1,4}|\d{1,2})\b)*)"
    r"|\b(?P<step>(?:level|class|grade|tier|stage|category|phase|zone|priority)-(?i:one|two|three|four|five|\d|[A-E]))\b"
    r"|\b(?P<rank>(?i:first|second|third|fourth|fifth)-(?:degree|class|year|grade|line|level))\b"
    r"|\bof (?P<type>(?i:type|kind|category|class|status|priority)\s+[a-z]{4,}(?:(?:,\s*|\s+(?:or|and)\s+)[a-z]{4,})*)"
    r"(?=\s+(?:is|are|must|shall|may|has|have)\b)"
    r"|(?:^|(?<=[,;]\s))(?P<grave>(?i:major|minor|serious|urgent|critical|emergency|high-risk|low-risk|material|significant|simple|complex)"
    r"\s+[a-z]+s)(?=\s+(?:must|shall|are|is|may|should|have|immediately|within|at\s+once)\b)"
    r"|^(?:(?i:all|any|every)\s+)?[A-Z]?[a-z]+(?:\s[a-z]+)?\s(?P<narrow>(?:from|with|containing|bearing|marked|labelled)\s[^,;.]{3,40}?)"
    r"(?=\s+(?:must|shall|may|should|is|are|has\s+to|have\s+to)\b)"
)
"""The kinds of what is acted upon."""
_WITHIN = re.compile(r"\s*(?:之?内|以内)")
_ORDER = re.compile(r"before|after|once|prior to|until|之?前|后", re.IGNORECASE)
_SWALLOWS_EN = re.compile(
    r",\s*(?:and\s+|but\s+|or\s+)?(?:if|when|where|unless)\b|\b(?:and|but)\s+[a-z]+s?\s[^,]*\b(?:if|when|where|unless)\b",
    re.IGNORECASE,
)
_SWALLOWS_ZH = re.compile(r"由[^，。；]{2,20}，|，[^，。；]{2,}的，")
"""Conditions in whose words another clause stands, so that they were cut too wide."""
_QUOTED = re.compile(r"《[^》]*》|“[^”]*”|\"[^\"]*\"|[(（][^)）]*[)）]")


@dataclass(frozen=True)
class Unread:
    """A sentence with the words in it that decide something and were read into nothing."""

    sentence: Piece
    words: tuple[Piece, ...]


def ask_about_unread(
    procedure: Procedure, told: Sequence[ProvisionReading], cues: Lexicon, texts: dict[str, str]
) -> Procedure:
    """The procedure with a question for each sentence that it rests on and does not carry as a whole.

    Args:
        told: what its provisions say.
        texts: of the blocks, by address.
    """
    acting = {
        (s.sentence.block, s.sentence.start)
        for t in told
        for s in t.statements
        if isinstance(s, Act | Jump | Skip | End)
    }
    known = list(dict.fromkeys(piece for each in told for piece in _sentences(each, cues.language)))
    whole = not procedure.steps or len(known) <= FEW_SENTENCES
    rests: list[tuple[Piece, bool]] = []
    for piece in known:
        before = rests[-1] if rests and rests[-1][0].block == piece.block and rests[-1][1] else None
        goes_on = before is not None and (before[0].text[-1:] in ";；" or _opens_with_condition(piece, cues))
        rests.append((piece, whole or goes_on or (piece.block, piece.start) in acting))
    questions = Questions(cues, procedure.doc_id, procedure.gaps)
    cues_of = ((s.sentence, cue.piece) for t in told for s in t.statements for cue in s.conditions)
    for sentence, condition in cues_of:
        if (_SWALLOWS_ZH if cues.language == "zh" else _SWALLOWS_EN).search(condition.text):
            questions.ask("unclear_condition", "unread", sentence, words=condition.text)
    for unread in unread_words(rests, procedure, cues, texts, whole=whole):
        words = "”、“".join(piece.text for piece in unread.words)
        questions.ask("unclear_condition", "unread", unread.sentence, words=words)
    return procedure.model_copy(update={"gaps": tuple(questions.gaps)})


def _sentences(told: ProvisionReading, language: str) -> Iterator[Piece]:
    """The sentences of a provision, in the order of the words; a table has none."""
    if told.provision.block.kind != "table":
        found = sentences(told.provision.piece, language)
        yield from (sentence for sentence in found if not is_overlong(sentence.text))  # listed as not read


def unread_words(
    sentences: Iterable[tuple[Piece, bool]],
    procedure: Procedure,
    cues: Lexicon,
    texts: dict[str, str],
    *,
    whole: bool,
) -> Iterator[Unread]:
    """The sentences that a procedure rests on with deciding words that none of its elements covers.

    Args:
        sentences: those of its provisions; whether it rests on each.
        texts: of the blocks, by address.
        whole: these sentences are all that there is, so that one of which nothing was read is asked about as a whole.
    """
    occasions = _occasions(procedure)
    covered = _covered(procedure, cues)
    if whole:  # what only starts the procedure decides, where there is nothing else
        covered = {block: [run for run in runs if (block, *run) not in occasions] for block, runs in covered.items()}
    carried = list(_carried(procedure, cues, texts))
    told = [e for step in procedure.steps for e in step.evidence]
    for sentence, rests in sentences:
        if not rests:
            continue
        if (
            whole
            and not any(b <= sentence.start and sentence.end <= e for b, e in covered.get(sentence.block, ()))
            and not any(
                e.block == sentence.block
                and e.start is not None
                and e.end is not None
                and e.start < sentence.end
                and sentence.start < e.end
                for e in told
            )
        ):
            yield Unread(sentence, (sentence,))
            continue
        beside = covered.get(sentence.block, ())
        left = [
            p
            for p in _deciding(sentence, cues)
            if (p.block, p.start, p.end) not in carried
            and not (
                _in_order(p, procedure, cues, texts, whole=whole)
                if _ORDER.fullmatch(p.text)
                else _stands_in(p, beside, cues, texts)
            )
        ]
        left += [
            p
            for p in _kinds(sentence, cues)
            if not any(b < p.end and p.start < e for b, e in beside if (p.block, b, e) not in occasions)
        ]
        if left:
            yield Unread(sentence, tuple(dict.fromkeys(left)))


def _opens_with_condition(sentence: Piece, cues: Lexicon) -> bool:
    """Whether a sentence begins with a case, so that it goes on from the one before."""
    pattern = _OPENS_ZH if cues.language == "zh" else _OPENS_EN
    return pattern.match(sentence.text) is not None


def binds(text: Piece, cues: Lexicon) -> bool:
    """Whether a text forbids, demands or limits anything, by its words alone."""
    pattern = _ZH if cues.language == "zh" else _EN
    said = pattern.search(text.text) is not None or cues.modal(text.text) is not None
    timed = any(q.duration and _WITHIN.match(text.text, q.end) for q in find_quantities(text.text))
    return said or timed or bool(limits_in(text.text, cues))


def may_bind(text: Piece, cues: Lexicon) -> bool:
    """Whether a text so short that it is all there is may prescribe something: it binds, has numbers or orders."""
    if binds(text, cues):
        return True
    past = _PAST.search(text.text) is not None
    return not past and (_LOOSE.search(text.text) is not None or bool(find_numbers(text.text)))


_PAST = re.compile(
    r"\b(?:was|were|did|had|met|went|said|told|held|took|gave|came)\b|同比|环比|召开了|完成了|实现了"
    r"|祝(?:大家|您|你|各位)|\b(?:dear|happy|congratulations)\b",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    r"\b(?:nothing (?:in|prevents|stops|forbids)|(?:the )?right to|presupposes?|requires?|fails?|precedes?|"
    r"follows?|having|first|then|ready|required?|needs?)\b|^(?:have|get|let|put|place|keep|use|take|send|store|leave|"
    r"return|report|wear|lock|clean|check|ask|tell|give|make|move|bring|hand|write|sign|record|whatever|anything)\b"
    r"|\b(?:minimum|maximum|inside|per|each|every|condition)\b|先|再|随后|之后|才|准予|合格|顶多|每[次趟人车批]",
    re.IGNORECASE,
)
"""Words that bind or order in a text that says hardly anything else."""


def _deciding(sentence: Piece, cues: Lexicon) -> Iterator[Piece]:
    aside = [match.span() for match in _QUOTED.finditer(sentence.text)]
    for quantity in find_quantities(sentence.text):
        if quantity.duration:
            yield sentence.part(quantity.start, quantity.end)
    limits = limits_in(sentence.text, cues)
    for limit in limits:
        yield sentence.part(limit.start, limit.end)
    for begin, end in numbers_told(sentence.text, cues):
        if not any(limit.start < end and begin < limit.end for limit in limits):
            yield sentence.part(begin, end)
    led = (_CLASS_ZH if cues.language == "zh" else _CLASS_EN).match(sentence.text)
    if led is not None:
        yield sentence.part(led.start("what"), led.end("what"))
    for match in (_ZH if cues.language == "zh" else _EN).finditer(sentence.text):
        if not any(begin <= match.start() < end for begin, end in aside):
            yield sentence.part(match.start(), match.end())


def _kinds(sentence: Piece, cues: Lexicon) -> Iterator[Piece]:
    """The words that say of what kind the thing is that is acted upon."""
    aside = [match.span() for match in _QUOTED.finditer(sentence.text)]
    for match in (_KIND_ZH if cues.language == "zh" else _KIND_EN).finditer(sentence.text):
        if not any(begin <= match.start() < end for begin, end in aside):
            yield sentence.part(match.start(match.lastgroup or 0), match.end(match.lastgroup or 0))


def _occasions(procedure: Procedure) -> frozenset[tuple[str | None, int | None, int | None]]:
    """Where the words stand that only start the procedure: a kind named there decides nothing once it runs."""
    told = (trigger.evidence for trigger in procedure.triggers if trigger.condition is None)
    return frozenset((e.block, e.start, e.end) for several in told for e in several)


def _covered(procedure: Procedure, cues: Lexicon) -> dict[str, list[tuple[int, int]]]:
    """By block the runs of words that conditions, flows, rules, deadlines, triggers and questions rest on."""
    found: dict[str, list[tuple[int, int]]] = {}
    acts = spans_of(procedure.steps)
    verbs = {step.id: [action.verb for action in step.actions] for step in procedure.steps}
    elements: Sequence[tuple[Evidence, ...]] = [
        *(condition.evidence for condition in procedure.conditions if condition.predicate is not None),
        *(flow.evidence for flow in procedure.flows if flow.condition is not None and not _is_own(flow, verbs)),
        *(rule.evidence for rule in procedure.constraints if _speaks(rule, acts)),
        *(step.deadline.evidence for step in procedure.steps if step.deadline is not None),
        *(
            trigger.evidence
            for trigger in procedure.triggers
            if not _FINITE.search(trigger.text) and (trigger.condition or not limits_in(trigger.text, cues))
        ),
        *(gap.evidence for gap in procedure.gaps if gap.kind != "undefined_exception"),
        *(text.evidence for text in procedure.unplaced),
    ]
    for evidence in (item for several in elements for item in several):
        if evidence.block is not None and evidence.start is not None and evidence.end is not None:
            found.setdefault(evidence.block, []).append((evidence.start, evidence.end))
    return found


def _is_own(flow: Flow, verbs: Mapping[str, Sequence[Span]]) -> bool:
    """Whether a way is taken `otherwise` only since the others have conditions: its words are those of its step."""
    return flow.condition == "otherwise" and any(
        e.block == verb.block and (e.start or 0) <= verb.start < (e.end or 0)
        for e in flow.evidence
        for verb in verbs.get(flow.target, ())
    )


def _speaks(rule: Constraint, acts: Spans) -> bool:
    """Whether a rule carries the words of its sentence: it is definite, or asked about whole where not enforced."""
    places = [Piece(e.block, e.start or 0, e.end or 0, e.quote) for e in rule.evidence if e.block is not None]
    beside = any(overlaps(place, acts) for place in places)
    return rule.predicate is not None or (rule.modality in ("must", "must_not") and not beside)


def _carried(procedure: Procedure, cues: Lexicon, texts: dict[str, str]) -> Iterator[tuple[str, int, int]]:
    """The quantities that only say how a step is done (`obtain at least three quotations`): its words carry them."""
    for step in procedure.steps:
        verbs = [action.verb for action in step.actions]
        if step.kind in ("approval", "decision", "check") or not verbs:
            continue
        for evidence in step.evidence:
            if evidence.block is None or evidence.start is None:
                continue
            limits = [
                (limit.start, limit.end) for limit in limits_in(evidence.quote, cues) if not limit.quantity.duration
            ]
            told = [
                (begin, end)
                for begin, end in numbers_told(evidence.quote, cues, known=True)
                if not any(a < end and begin < b for a, b in limits)
            ]
            for first, last in (*limits, *told):
                begin, end = evidence.start + first, evidence.start + last
                modal = cues.modal(evidence.quote) if cues.language == "zh" else None
                after = any(
                    verb.block == evidence.block
                    and verb.end <= begin + 1
                    and (cues.language == "zh" or _is_how_many(evidence.quote, verb.end - evidence.start, first))
                    for verb in verbs
                )
                after = after or (modal is not None and modal.end() <= first)
                if after:
                    yield evidence.block, begin, end


def _is_how_many(text: str, verb_end: int, limit_start: int) -> bool:
    """Whether a limit says how many of what an act gets or gives, and not of which things it is done.

    `obtains at least three quotations`, and not `submits receipts for expenses over $25`.
    """
    between = text[max(0, verb_end) : limit_start]
    return re.search(r"\b(?:for|of|on|in|with|to)\b", between) is None


def _in_order(words: Piece, procedure: Procedure, cues: Lexicon, texts: dict[str, str], *, whole: bool) -> bool:
    """Whether `before` or `after` stands in an occasion, deadline or question, or leads to words of another step."""
    elements = (
        *(t.evidence for t in procedure.triggers if not whole and not _FINITE.search(t.text)),
        *(rule.evidence for rule in procedure.constraints),
        *(step.deadline.evidence for step in procedure.steps if step.deadline is not None),
        *(gap.evidence for gap in procedure.gaps if gap.kind != "undefined_exception"),
    )
    spans = [(e.start or 0, e.end or 0) for evidence in elements for e in evidence if e.block == words.block]
    if any(begin <= words.end + 1 and words.start <= end for begin, end in spans):
        return True
    acted = [(e.start or 0, e.end or 0) for step in procedure.steps for e in step.evidence if e.block == words.block]
    text = texts.get(words.block, "")
    if cues.language == "zh":  # what is done first stands before the word
        clause = max(text.rfind(mark, 0, words.start) for mark in "，。；,;") + 1
        return any(clause <= begin < words.start for begin, _ in acted)
    after = re.search(r"[,.;]", text[words.end :])
    return any(words.end <= begin < words.end + (after.start() if after else len(text)) for begin, _ in acted)


def _stands_in(words: Piece, covered: Sequence[tuple[int, int]], cues: Lexicon, texts: dict[str, str]) -> bool:
    """Whether words stand in, or open or close, a run that something rests on."""
    for begin, end in covered:
        if begin <= words.start and words.end <= end:
            return True
        between = texts.get(words.block, "")[words.end : begin] if words.end <= begin else None
        if between is not None and len(between) <= 12 and not re.search(r"[.;；。,，]", between):
            return True
        if cues.language == "zh" and words.text.startswith("的") and end <= words.start <= end + 3:
            return True
        if words.start < end and begin < words.end and words.end - words.start > 2:
            return True
    return False
