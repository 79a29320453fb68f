"""Chinese norms: `…不得超过…`, `未…的，不得…`, `只有…，才可以…`, `除…外，禁止…`, `…应当不低于…`."""

import re
from typing import Literal

from compiler.extract.rules.statements import ConditionCue, Norm, distinct
from compiler.text.lexicon import Lexicon
from compiler.text.limits import limits_a_part, limits_in
from compiler.text.sentences import Piece, split

_FORBID = re.compile(
    r"(?:均|也|都|一律|一概|仍|同样|再|暂|原则上)?(?:不得(?!不)|不准|不许|不允许|不可(?![抗靠视燃见])以?|不应(?!有的)当?|不能|不宜|严禁|禁止|切勿|请勿|不予|概不|拒绝|谢绝)"
)
_DEMAND = re.compile(r"(?:均|也|都|一律)?(?:应当(?![场面日天年])|应该|必须|务必|须(?!知)|应(?![急对用付收届聘税纳交]))")
_ALLOW = re.compile(
    r"(?:可以|准予|准许|允许|只准|只能|只可|仅可|仅能|仅允许|可(?![能靠行疑视燃见])|最多|至多|不超过|限)"
)
_LIMITED = re.compile(
    r"以(?P<limit>[^，。；]*\d[^，。；]*|[^，。；]*[一二三四五六七八九十百千万]+[^，。；]*)为限$|(?:限额|上限|限)为"
)
_EXCEPT = re.compile(r"^除(?!非)(?P<what>[^，。；]{1,60}?)(?:以外|之外|外)(?:的)?[，,]?")
_EXCEPT_TAIL = re.compile(r"[，,]?(?:但是?|不过)?(?P<what>[^，。；]{2,60}?)(?:的)?除外$")
_UNLESS = re.compile(r"^除非(?P<what>[^，。；]{2,60}?)[，,](?:否则|不然)?")
_ONLY = re.compile(r"^(?:只有|仅有|唯有)(?P<what>[^，。；]{2,80})[，,](?=[^，。；]*(?:才|方|始))")
_THEN = re.compile(r"(?P<what>.{3,}?)(?:之后|以后|后|的)?[，,]?(?:[方始才][可得能准予]以?)")
_ONLY_FOR = re.compile(
    r"(?:仅限|只限|限于|仅对|只对|仅供|限)(?:于)?(?P<what>[^，。；]{2,40}?)(?P<act>进入|使用|参加|申请|领用|领取|驾驶|操作|查阅|借阅|办理|购买)"
)
_ELSE = re.compile(
    r"[，,](?:否则|不然|超[过出](?:该|此|上述)?[^，。；]{0,8}的|[^，。；]{0,6}不符合(?:要求|规定|该)?[^，。；]{0,6}的|超出的|达不到的|未达到的|不足的)[，,]?[^，。；]*$"
)
_BACK = re.compile(r"^(?:该类|此类|这类|上述|该等|前述|此种|该种|这些)")
_CLOSE = re.compile(r"(?:的情形|的情况|情况下|情形下|期间|之前|时|的)$")
_OPEN = re.compile(r"^(?:如果|如(?![下实期何数])|若|凡是?|当|一旦|对于?|属于|遇)")
_RELATIVE = re.compile(r"(?P<what>[^，。；]{2,40}?)的(?P<head>[\u4e00-\u9fff]{1,10})$")
_IN_ACT = re.compile(
    r"(?:为|向|对|将|把|给|安排|接收|办理|使用|收运|录用|采购|购买|销售|运输|装运|承运|发运|发放|支付|报销|批准|受理|启用)?(?P<what>(?:未|无|没有|不|已|经|含|持|有|具有|被|存在|超)[^，。；的]{1,24})的(?P<head>[\u4e00-\u9fff]{1,10})"
)
_CLASS = re.compile(
    r"(?:属于)?(?P<values>(?<![\d.A-Za-z])第?(?:\d+\.\d+|[一二三四五六七八九十\dⅠⅡⅢⅣA-D]+)(?:(?:、|，|或者?|和|与|及|以及)第?(?:\d+\.\d+|[一二三四五六七八九十\dⅠⅡⅢⅣA-D]+))*(?:类|级|等级|档|型)(?:(?:、|或者?|和|与|及|以及)第?(?:\d+\.\d+|[一二三四五六七八九十\dⅠⅡⅢⅣ]+)(?:类|级|档|型))*)(?![及别]|以[上下])"
)
_KIND = re.compile(
    r"(?P<values>(?:绝密|机密|秘密|内部|高风险|中风险|低风险|[特甲乙丙丁]|[A-D])(?:级|类)?)(?=文件|资料|客户|信息|数据|档案|设备|项目)"
)
_MEANS = re.compile(
    r"(?:以|采用|采取|通过|使用|利用|凭|经由)(?P<how>[^，。；不得以用]{1,14}?)(?:方式|形式|手段|途径|渠道|运输|支付|交付|传输|发送|邮寄)"
    r"|夜间|夜晚|节假日|雨天|雷雨天气|高温时段|单独|现金(?=支付|结算|付款)"
)
_BESIDE = re.compile(
    r"[与和同跟][^，。；]{1,16}?(?=混|同|共|一起|一并|接触|相邻|兼|拼)|混[装存放运合]|[同共][车库船舱室柜仓箱一][^，。；]{0,4}|拼[车装箱]|一起|一并"
)
"""What an act is done beside: whether it is, no fact of the thing itself says."""
_LIST = re.compile(
    r"[\u4e00-\u9fffA-Za-z]{2,10}(?:、[\u4e00-\u9fffA-Za-z]{2,10})*(?:、|或者?|和|与|及|以及)[\u4e00-\u9fffA-Za-z]{2,12}"
)
_STATES = re.compile(
    r"^(?:始终|一直|全程|持续|常年|均|都)?(?:当|为|是|在|达|介于|处于|位于|保持|控制|维持|不|少于|多于|低于|高于|小于|大于|至少|满|具有|具备|有|超过|配备|配有|设置|设有|备有|持有)"
)
_TIME = re.compile(r"(?:工作日|小时|分钟|[日天月周年])(?:之内|以内|内)|之日起")
_SETS = re.compile(r"(?:限|定|须|应|需|要)(?:为|在|于)?(?=[\d一二三四五六七八九十两])|以[^，。；]{1,16}为限")
"""A clause that sets a limit itself, so that it is no case of what follows it."""
_BOUND = re.compile(r"不少于|不低于|不高于|不超过|不多于|不大于|不小于|最高|最低|最多|最少|至多|至少|上限|下限|以内")
"""What a clause says that asks for a limit; `超过`, `低于`, `不足` tell a case."""
_LACKS = re.compile(r"^(?:未|没有|尚未|仍未)[^，。；的]{2,20}$")
_LEAD_NUMBER = re.compile(r"^[^，。；]{0,12}$")


class ChineseNorms:
    """Cuts Chinese sentences that forbid, demand or allow."""

    def __init__(self, cues: Lexicon) -> None:
        self.cues = cues

    def read(self, sentence: Piece, before: Piece | None = None) -> Norm | None:
        """The norm that a sentence is; None where it is none, or not understood as a whole.

        Args:
            before: the sentence before it, to which `该类供应商` goes back.
        """
        body = sentence.part(0, len(sentence.text.rstrip("。；;！ ")))
        if not body.text or re.search("[；：]|是指", body.text) or limits_a_part(body.text):
            return None
        scope: list[ConditionCue] = []
        body = self._without_exceptions(body, scope)
        if (only := _ONLY.match(body.text)) is not None:
            return self._only(sentence, body.part(only.start("what"), only.end("what")), scope)
        if (only := _ONLY_FOR.search(body.text)) is not None and not _FORBID.search(body.text):
            held = [ConditionCue(body.part(only.start("what"), only.end("what")))]
            return Norm(sentence, "may", tuple(scope), tuple(held))
        if (then := _THEN.match(body.text)) is not None and not _FORBID.search(body.text):
            return self._then(sentence, body.part(0, then.end("what")), scope)
        tail = _ELSE.search(body.text)
        if tail is not None and _DEMAND.search(body.text[: tail.start()]):
            body = body.part(0, tail.start())
        parts = list(split(body, "，,"))
        return self._main(sentence, parts, scope, before)

    def exempted(self, sentence: Piece) -> ConditionCue | None:
        """The case in which what the sentence before says does not hold (`抢险救灾车辆除外。`)."""
        match = re.fullmatch(
            r"(?:但|但是)?(?P<what>[^，。；]{2,40}?)(?:的)?(?:除外|不受(?:此|前款|上述)限(?:制)?)",
            sentence.text.rstrip("。；; "),
        )
        if match is None:
            match = re.fullmatch(
                r"(?:上述|前款|该|此)(?:规定|限制|要求)?(?:对|于)?(?P<what>[^，。；]{2,40}?)不(?:适用|作要求)",
                sentence.text.rstrip("。；; "),
            )
        return ConditionCue(sentence.part(match.start("what"), match.end("what")), "unless") if match else None

    # --- around the main clause -------------------------------------------------------------------------------------

    def _without_exceptions(self, body: Piece, scope: list[ConditionCue]) -> Piece:
        """The sentence without the cases in which it does not hold."""
        for pattern in (_UNLESS, _EXCEPT):
            if (match := pattern.match(body.text)) is not None:
                scope.append(self._clause(body.part(match.start("what"), match.end("what")), "unless"))
                body = body.part(match.end())
        if (match := _EXCEPT_TAIL.search(body.text)) is not None and match.start() > 0:
            cut = body.text.rfind("，", 0, match.start("what") + 1)
            begin = max(cut + 1, 0)
            words = re.match(r"(?:但是?|不过)?", body.text[begin:])
            begin += words.end() if words else 0
            end = match.end("what")
            scope.append(self._clause(body.part(begin, end), "unless"))
            body = body.part(0, max(cut, 0))
        return body

    def _only(self, sentence: Piece, what: Piece, scope: list[ConditionCue]) -> Norm | None:
        """`只有X，才可以Y`: X has to hold."""
        held = self._restrictions(what, names=False) or [self._clause(what)]
        return Norm(sentence, "may", tuple(scope), tuple(held))

    def _then(self, sentence: Piece, what: Piece, scope: list[ConditionCue]) -> Norm | None:
        """`X（须Y）方可Z`: Y has to hold."""
        parts = list(split(what, "，,"))
        last = parts[-1]
        for part in parts[:-1]:
            scope += [self._clause(_closed(part))]
        demand = _DEMAND.search(last.text)
        whole = self._clause(last)
        if whole.measured:
            return Norm(sentence, "must", tuple(scope), (whole,))
        words = last.part(demand.end()) if demand else last
        return Norm(sentence, "may", tuple(scope), (ConditionCue(_closed(words)),)) if len(words.text) > 2 else None

    def _clause(self, words: Piece, mode: Literal["when", "unless"] = "when") -> ConditionCue:
        return ConditionCue(words, mode, measured=bool(limits_in(words.text, self.cues)))

    # --- the main clause --------------------------------------------------------------------------------------------

    def _main(
        self, sentence: Piece, parts: list[Piece], scope: list[ConditionCue], before: Piece | None
    ) -> Norm | None:
        at = next((n for n, part in enumerate(parts) if _FORBID.search(part.text)), None)
        forbids = at is not None
        if at is None:
            at = next((n for n, part in enumerate(parts) if self._bounds(part)), None)
        if at is None:
            return None
        main, fronts, rest = parts[at], parts[:at], parts[at + 1 :]
        if not forbids:
            return self._demanding(sentence, fronts, main, rest, scope)
        governed = self._governed(main)
        for front in fronts:
            cues = self._front(front)
            if cues is None:
                return None
            scope += cues
        match = _FORBID.search(main.text)
        assert match is not None
        subject, act = main.part(0, match.start()), main.part(match.end())
        if _BACK.match(subject.text) and not scope:
            known = self._restrictions(before.part(0, len(before.text.rstrip("。；; ")))) if before is not None else []
            if not known:
                return None
            scope += known
        if "由" in subject.text and not governed:
            return None
        scope += self._restrictions(subject, names=governed)
        also = [part for part in rest if governed and _FORBID.search(part.text)]
        if governed:
            end = also[-1].end if also else main.end
            scope.append(
                ConditionCue(Piece(main.block, main.start, end, _run(sentence, main.start, end)), measured=True)
            )
        else:
            scope += self._restrictions(act, act=True, names=any(cue.measured for cue in scope))
        if [part for part in rest if part not in also]:
            return None
        if not scope:
            return None
        beside = _BESIDE.search(act.text)
        unsure = (act.part(beside.start(), beside.end()),) if beside is not None and not governed else ()
        if any(cue.piece.start < part.end and part.start < cue.piece.end for part in unsure for cue in scope):
            unsure = ()
        return Norm(sentence, "must_not", tuple(distinct(scope)), unsure=unsure)

    def _demanding(
        self, sentence: Piece, fronts: list[Piece], main: Piece, rest: list[Piece], scope: list[ConditionCue]
    ) -> Norm | None:
        """`…应当不低于5%`, `…最多可以装载十吨`: the limit has to hold."""
        if rest:
            return None
        for front in fronts:
            if _OPEN.match(front.text) or _CLOSE.search(front.text):
                scope += self._front(front) or []
        allowed = _DEMAND.search(main.text) is None and _LIMITED.search(main.text) is None
        return Norm(
            sentence, "may" if allowed else "must", tuple(distinct(scope)), (ConditionCue(main, measured=True),)
        )

    def _bounds(self, part: Piece) -> bool:
        """Whether a clause sets a limit: a demanded state, or something allowed within an upper bound."""
        limits = limits_in(part.text, self.cues)
        if not limits or part.text.endswith("的") or re.search(r"由|报|经", part.text):
            return False
        if _LIMITED.search(part.text):
            return True
        upper = all(limit.op in ("lte", "lt") for limit in limits)
        if (demand := _DEMAND.search(part.text)) is not None:
            return _STATES.match(part.text[demand.end() :]) is not None and not _TIME.search(part.text[demand.end() :])
        allow = _ALLOW.search(part.text)
        if allow is None or (_TIME.search(part.text) and not re.search(r"停留|逗留|使用|借", part.text)):
            return False
        judges = re.search(r"批准|审批|签批|核准|审核", part.text)
        return upper and judges is None

    def _governed(self, main: Piece) -> bool:
        """Whether the forbidden verb is the comparison itself (`不得超过5吨`)."""
        return any(limit.forbidden and _LEAD_NUMBER.match(main.text[_after_modal(main.text) : limit.start]) is not None
                   and not re.search(r"[一-鿿]{3,}", main.text[_after_modal(main.text) : limit.start])
                   for limit in limits_in(main.text, self.cues))  # fmt: skip

    def _front(self, front: Piece) -> list[ConditionCue] | None:
        """The cases that a clause before the main one states; None where it is none."""
        text = front.text
        if _LACKS.match(text):
            return [ConditionCue(front)]
        if _OPEN.match(text) or _CLOSE.search(text):
            opened = _OPEN.match(text)
            begin = opened.end() if opened and opened[0] not in ("属于",) else 0
            inner = _closed(front.part(begin))
            found = self._restrictions(inner, names=False)
            classed = [cue for cue in found if cue.classed]
            limits = limits_in(inner.text, self.cues)
            if limits and not classed:
                return [ConditionCue(inner, measured=True)]
            if classed and len(inner.text) - sum(len(c.piece.text) for c in classed) <= 8:
                return classed
            if classed:
                rest = inner.part(classed[-1].piece.end - inner.start)
                told = re.sub(r"^[的\u4e00-\u9fff]{0,8}?(?=未|不|无|没|已)", lambda m: "_" * len(m[0]), rest.text)
                begin = len(told) - len(told.lstrip("_"))
                return [*classed, ConditionCue(rest.part(begin))] if begin < len(told) else classed
            return [ConditionCue(inner)]
        sets = _DEMAND.search(text) or _SETS.search(text) or "可以" in text or self._ends_with_bound(text)
        cues = [] if sets else self._restrictions(front, names=False)
        return cues or None

    def _ends_with_bound(self, text: str) -> bool:
        """Whether a clause sets a bound and is no case: `湿养护时间不少于十四天`, `湿度最高为45%`."""
        limits = limits_in(text, self.cues)
        return bool(limits) and limits[-1].end >= len(text) and _BOUND.search(text) is not None

    def _restrictions(self, chunk: Piece, *, act: bool = False, names: bool = False) -> list[ConditionCue]:
        """What narrows a noun phrase or an act: limits, classes, `…的` before the head, manners.

        Args:
            act: the chunk is an act; else it is a noun phrase.
            names: the noun phrase names what a limit elsewhere measures.
        """
        text = chunk.text
        found: list[tuple[int, int, ConditionCue]] = []

        def add(begin: int, end: int, **marks: bool) -> None:
            if begin < end and not any(start < end and begin < stop for start, stop, _ in found):
                found.append((begin, end, ConditionCue(chunk.part(begin, end), **marks)))  # type: ignore[arg-type]

        limits = limits_in(text, self.cues)
        if limits:
            add(0, limits[-1].end, measured=True)
        for match in _CLASS.finditer(text):
            add(match.start("values"), match.end("values"), classed=True)
        for match in _KIND.finditer(text) if not limits else ():
            add(match.start("values"), match.end("values"))
        for match in _MEANS.finditer(text) if not limits and (act or not names) else ():
            add(match.start(), match.end())
        if not limits and not names:
            relative = (_IN_ACT if act else _RELATIVE).search(text)
            if relative is not None and not (act is False and re.search(r"^(?:本|该|每|各)", relative["what"])):
                add(relative.start("what"), relative.end("what"))
            elif not found and (listed := _LIST.search(text)) is not None and not (act and not _lists(text)):
                add(listed.start(), listed.end())
        return [cue for _, _, cue in sorted(found, key=lambda each: each[0])]


def _lists(text: str) -> bool:
    """Whether an act is done to several things, named one after the other."""
    return "、" in text or re.search(r"或者?", text) is not None


def _after_modal(text: str) -> int:
    match = _FORBID.search(text)
    return match.end() if match else 0


def _closed(piece: Piece) -> Piece:
    """The words of a condition without those that close it."""
    match = _CLOSE.search(piece.text)
    return piece.part(0, match.start()) if match and match.start() > 0 else piece


def _run(sentence: Piece, start: int, end: int) -> str:
    return sentence.text[start - sentence.start : end - sentence.start]
