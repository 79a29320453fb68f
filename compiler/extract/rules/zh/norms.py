"""Chinese norms: `…不得超过…`, `未…的，不得…`, `只有…，才可以…`, `除…外，禁止…`, `…应当不低于…`."""

import re
from typing import Literal

from compiler.extract.rules.classes import in_a_row
from compiler.extract.rules.comparisons import only_states
from compiler.extract.rules.statements import ConditionCue, Norm, distinct
from compiler.extract.rules.zh.additions import addition
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.limits import limits_a_part, limits_in
from compiler.text.sentences import Piece, split

PATTERN = lexicon("zh").patterns("norms")


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
        body = self._without_exceptions(_added(body), scope)
        if (only := PATTERN.only.match(body.text)) is not None:
            return self._only(sentence, body.part(only.start("what"), only.end("what")), scope)
        if (only := PATTERN.only_for.search(body.text)) is not None and not PATTERN.forbid.search(body.text):
            held = [ConditionCue(body.part(only.start("what"), only.end("what")))]
            return Norm(sentence, "may", tuple(scope), tuple(held))
        if (then := PATTERN.then.match(body.text)) is not None and not PATTERN.forbid.search(body.text):
            return self._then(sentence, body.part(0, then.end("what")), scope)
        tail = PATTERN.otherwise.search(body.text)
        if tail is not None and PATTERN.demand.search(body.text[: tail.start()]):
            body = body.part(0, tail.start())
        parts = list(split(body, "，,"))
        return self._main(sentence, parts, scope, before)

    def exempted(self, sentence: Piece) -> ConditionCue | None:
        """The case in which what the sentence before says does not hold (`抢险救灾车辆除外。`)."""
        match = re.fullmatch(
            r"(?:但|但是)?(?P<what>[^，。；]{2,40}?)(?:的)?(?:除外|不受(?:此|前款|上述)限(?:制)?)",
            sentence.text.rstrip("。；; "),
        )
        return ConditionCue(sentence.part(match.start("what"), match.end("what")), "unless") if match else None

    # --- around the main clause -------------------------------------------------------------------------------------

    def _without_exceptions(self, body: Piece, scope: list[ConditionCue]) -> Piece:
        """The sentence without the cases in which it does not hold."""
        for pattern in (PATTERN.unless, PATTERN.exception):
            if (match := pattern.match(body.text)) is not None:
                scope.append(self._clause(body.part(match.start("what"), match.end("what")), "unless"))
                body = body.part(match.end())
        if (match := PATTERN.except_tail.search(body.text)) is not None and match.start() > 0:
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
        demand = PATTERN.demand.search(last.text)
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
        at = next((n for n, part in enumerate(parts) if PATTERN.forbid.search(part.text)), None)
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
        match = PATTERN.forbid.search(main.text)
        assert match is not None
        subject, act = main.part(0, match.start()), main.part(match.end())
        if PATTERN.back.match(subject.text) and not scope:
            known = self._restrictions(before.part(0, len(before.text.rstrip("。；; ")))) if before is not None else []
            if not known:
                return None
            scope += known
        if ("由" in subject.text and not governed) or (governed and only_states(subject.text, self.cues)):
            return None
        scope += self._restrictions(subject, names=governed)
        also = [part for part in rest if governed and PATTERN.forbid.search(part.text)]
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
        beside = PATTERN.beside.search(act.text)
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
            if PATTERN.open.match(front.text) or PATTERN.close.search(front.text):
                scope += self._front(front) or []
        demand = PATTERN.demand.search(main.text)
        if demand is not None and only_states(main.text[: demand.start()], self.cues):
            return None
        allowed = demand is None and PATTERN.limited.search(main.text) is None
        return Norm(
            sentence, "may" if allowed else "must", tuple(distinct(scope)), (ConditionCue(main, measured=True),)
        )

    def _bounds(self, part: Piece) -> bool:
        """Whether a clause sets a limit: a demanded state, or something allowed within an upper bound."""
        limits = limits_in(part.text, self.cues)
        if not limits or part.text.endswith("的") or re.search(r"由|报|经", part.text):
            return False
        if PATTERN.limited.search(part.text):
            return True
        upper = all(limit.op in ("lte", "lt") for limit in limits)
        if (demand := PATTERN.demand.search(part.text)) is not None:
            return PATTERN.states.match(part.text[demand.end() :]) is not None and not PATTERN.time.search(
                part.text[demand.end() :]
            )
        allow = PATTERN.allow.search(part.text)
        if allow is None or (PATTERN.time.search(part.text) and not re.search(r"停留|逗留|使用|借", part.text)):
            return False
        judges = re.search(r"批准|审批|签批|核准|审核", part.text)
        return upper and judges is None

    def _governed(self, main: Piece) -> bool:
        """Whether the forbidden verb is the comparison itself (`不得超过5吨`)."""
        after = _after_modal(main.text)
        between = [main.text[after : limit.start] for limit in limits_in(main.text, self.cues) if limit.forbidden]
        return any(PATTERN.lead_number.match(words) and not re.search(r"[一-鿿]{3,}", words) for words in between)

    def _front(self, front: Piece) -> list[ConditionCue] | None:
        """The cases that a clause before the main one states; None where it is none."""
        text = front.text
        if PATTERN.lacks.match(text):
            return [ConditionCue(front)]
        if PATTERN.open.match(text) or PATTERN.close.search(text):
            opened = PATTERN.open.match(text)
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
        sets = any(says.search(text) for says in (PATTERN.valued, PATTERN.demand, PATTERN.sets))
        sets = sets or "可以" in text or self._ends_with_bound(text)
        cues = [] if sets else self._restrictions(front, names=False)
        return cues or None

    def _ends_with_bound(self, text: str) -> bool:
        """Whether a clause sets a bound and is no case: `湿养护时间不少于十四天`, `湿度最高为45%`."""
        limits = limits_in(text, self.cues)
        return bool(limits) and limits[-1].end >= len(text) and PATTERN.bound.search(text) is not None

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
        for begin, end in in_a_row((match.span("values") for match in PATTERN.classes.finditer(text)), text):
            add(begin, end, classed=True)
        for match in PATTERN.kind.finditer(text) if not limits else ():
            add(match.start("values"), match.end("values"))
        for match in PATTERN.means.finditer(text) if not limits and (act or not names) else ():
            add(match.start(), match.end())
        if not limits and not names:
            relative = (PATTERN.in_act if act else PATTERN.relative).search(text)
            if relative is not None and not (act is False and re.search(r"^(?:本|该|每|各)", relative["what"])):
                add(relative.start("what"), relative.end("what"))
            elif not found and (listed := PATTERN.list.search(text)) is not None and not (act and not _lists(text)):
                add(listed.start(), listed.end())
        return [cue for _, _, cue in sorted(found, key=lambda each: each[0])]


def _added(body: Piece) -> Piece:
    """A sentence without what it only adds to (`除应当测温外，浓度还应当不低于5%`), which excepts nothing."""
    parts = split(body, "，,")
    added = addition(parts[0], parts[1] if parts[1:] else None) if parts else None
    if added is None:
        return body
    return body.part((added.rest if added.rest.text else parts[1]).start - body.start)


def _lists(text: str) -> bool:
    """Whether an act is done to several things, named one after the other."""
    return "、" in text or re.search(r"或者?", text) is not None


def _after_modal(text: str) -> int:
    match = PATTERN.forbid.search(text)
    return match.end() if match else 0


def _closed(piece: Piece) -> Piece:
    """The words of a condition without those that close it."""
    match = PATTERN.close.search(piece.text)
    return piece.part(0, match.start()) if match and match.start() > 0 else piece


def _run(sentence: Piece, start: int, end: int) -> str:
    return sentence.text[start - sentence.start : end - sentence.start]
