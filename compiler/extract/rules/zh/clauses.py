"""Which pieces between the commas of a Chinese sentence state a condition (`…的，`, `如…，`) and which an act."""

import re
from collections.abc import Iterator, Sequence

from compiler.extract.rules.statements import ConditionCue
from compiler.extract.rules.zh.joined import approval_words
from compiler.extract.rules.zh.verdicts import verdict_words
from compiler.extract.rules.zh.words import Roles, Verbs
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.limits import limits_in
from compiler.text.sentences import Piece, split

PATTERN = lexicon("zh").patterns("clauses")


class Clauses:
    """Tells conditions from acts.

    Args:
        cues: the words of Chinese.
        within: pattern of deadlines.
    """

    def __init__(self, cues: Lexicon, roles: Roles, verbs: Verbs, within: re.Pattern[str]) -> None:
        self.cues, self.roles, self.verbs, self._within = cues, roles, verbs, within

    def grouped(self, clause: Piece) -> list[tuple[Piece, bool]]:
        """Pieces between commas with whether they state a condition; what a closing `的` gathers is one piece."""
        pieces = split(clause, "，,：:")
        grouped: list[tuple[Piece, bool]] = []
        begin = 0
        for at, piece in enumerate(pieces):
            last = at == len(pieces) - 1
            if not last and self._closes(piece.text):
                while begin < at and self._stands_alone(pieces[begin]):
                    grouped.append((pieces[begin], False))
                    begin += 1
                first = pieces[begin].start - clause.start
                grouped.append((clause.part(first, piece.end - clause.start), True))
                begin = at + 1
            elif not last and self.opens(piece.text) and not self.cues.modal(piece.text):
                grouped += [(p, False) for p in pieces[begin:at]]
                grouped.append((piece, True))
                begin = at + 1
            elif begin < at and self._leads_on(piece.text) and not any(self._acts(p) for p in pieces[begin:at]):
                grouped.append(
                    (clause.part(pieces[begin].start - clause.start, pieces[at - 1].end - clause.start), True)
                )
                grouped.append((piece, False))
                begin = at + 1
            elif self.cues.modal(piece.text) or last:
                grouped += [(p, False) for p in pieces[begin : at + 1]]
                begin = at + 1
        return list(self._one_after_other(grouped))

    def _one_after_other(self, pieces: Sequence[tuple[Piece, bool]]) -> Iterator[tuple[Piece, bool]]:
        """The pieces, of which those that say after whose act alone another may follow are parted in two.

        `仓库管理员核对数量无误后方可发货` is what he does, its verdict as a condition, and what may follow.
        """
        for at, (piece, is_condition) in enumerate(pieces):
            following = pieces[at + 1][0].text if at + 1 < len(pieces) else ""
            match = None if is_condition else PATTERN.only_after.match(piece.text)
            if match is None or not (match["then"] or PATTERN.only_then.match(following)):
                yield piece, is_condition
                continue
            first = piece.part(match.start("first"), match.end("first"))
            subject, act = self.roles.subject(first)
            verb = self.verbs.at(act.text) if subject is not None else None
            if verb is None or verb[1] not in self.verbs.kinds or approval_words(first, self.roles) is not None:
                yield piece, is_condition
                continue
            yield first, False
            if (verdict := verdict_words(act.text, self.cues)) is not None and verdict.polarity == "pass":
                yield act, True
            if match["then"]:
                yield piece.part(match.start("then")), False

    def is_matter(self, piece: Piece, following: Piece) -> bool:
        """Whether a piece only says which matters somebody decides (`金额超过三万元的采购申请，由总经理审批`)."""
        decided = following.text.startswith(("由", "须由", "应由", "应当由", "报", "须报", "经"))
        return (
            (decided or PATTERN.needs_approval.fullmatch(following.text) is not None)
            and self.cues.modal(piece.text) is None
            and self._narrows(piece.text)
        )

    def _narrows(self, text: str) -> bool:
        return bool(limits_in(text, self.cues)) or self.cues.pattern("conditions", "rest").fullmatch(text) is not None

    def narrows(self, piece: Piece) -> bool:
        """Whether a noun phrase names some of the matters (`节假日期间的作业`), not whoever acts or all of them."""
        bound = self.cues.modal(piece.text) is not None or self.roles.subject(piece)[0] is not None
        if bound or self.roles.role(piece) is not None:
            return False
        return self._narrows(piece.text) or PATTERN.of_kind.search(piece.text) is not None

    def of_matter(self, piece: Piece) -> ConditionCue:
        """The condition that the name of a matter states: a limit, or what is left of the cases before."""
        if limits_in(piece.text, self.cues):
            return ConditionCue(piece, measured=True)
        return ConditionCue(piece, "otherwise")

    def only_limits(self, words: str) -> bool:
        """Whether words say no more than how much or how long: `三天以上`."""
        limits = limits_in(words, self.cues)
        return bool(limits) and limits[0].start < 2 and limits[-1].end >= len(words.rstrip("的"))

    def power(self, piece: Piece) -> re.Match[str] | None:
        """Who decides on which matters, where a clause says no more than that."""
        match = PATTERN.decides.match(piece.text)
        limits = limits_in(match["what"], self.cues) if match is not None else ()
        return match if any(limit.quantity.unit.dimension != "duration" for limit in limits) else None

    def decided(self, piece: Piece) -> ConditionCue | None:
        """What a clause such as `X由Y审批` or `Y审批X` says of the matters that Y decides; None where it is nothing."""
        match = PATTERN.decided_by.match(piece.text)
        if match is not None:
            what = piece.part(0, match.end("what"))
            return self.of_matter(what) if self._narrows(what.text) else None
        match = PATTERN.decides.match(piece.text)
        if match is None:
            return None
        what = piece.part(match.start("what"), match.end("what"))
        return self.of_matter(what) if self._narrows(what.text) else None

    def _acts(self, piece: Piece) -> bool:
        """Whether a piece tells an act of somebody: it is bound, or names who acts."""
        by = re.match(r"由(?P<who>[^，。；]{2,20}?)(?=在|于|对|将|向|按|签|出|审|负)", piece.text)
        return self.cues.modal(piece.text) is not None or (
            by is not None and self.roles.role(piece.part(by.start("who"), by.end("who"))) is not None
        )

    def _stands_alone(self, piece: Piece) -> bool:
        """Whether a piece before a condition is an act or a time of its own rather than the condition's beginning."""
        if self.cues.modal(piece.text) or self._is_time(piece.text):
            return True
        subject, rest = self.roles.subject(piece)
        verb = self.verbs.at(rest.text) if subject is not None else None
        return verb is not None and verb[1] in self.verbs.kinds

    def _leads_on(self, text: str) -> bool:
        """Whether a piece says that an act is skipped, so that what stands before it says in which case."""
        return self.cues.pattern("skip").search(text) is not None

    def opens(self, text: str) -> bool:
        return text.startswith(self.cues.words("conditions", "openers")) and not text.startswith(
            self.cues.words("conditions", "not_openers")
        )

    def _closes(self, text: str) -> bool:
        text = PATTERN.bracketed.sub("", text)
        if not text.endswith(self.cues.words("conditions", "closers")) or len(text) < 3:
            return False
        if PATTERN.judges.search(text):
            return True
        if text.endswith("时") and text.endswith(("小时", "及时", "同时", "按时", "临时", "随时", "当时")):
            return False
        modal = self.cues.modal(text)
        return (
            modal is None
            or self.opens(text)
            or text[modal.start() : modal.end()] in ("可", "需", "需要", "应", "须", "可以")
        )

    def _is_time(self, text: str) -> bool:
        times = ("after", "before", "on_receipt")
        return any(self.cues.pattern("temporal", key).search(text) for key in times) or (
            (match := self._within.search(text)) is not None and match.end() - match.start() >= len(text) - 2
        )
