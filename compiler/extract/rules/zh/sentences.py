"""Reads Chinese sentences of policy prose: who does what, when, on what condition, and by when."""

import re

from compiler.extract.rules.statements import Act, ConditionCue, Scope, Statement
from compiler.extract.rules.zh.additions import Addition, addition
from compiler.extract.rules.zh.approvals import needed_approval, power
from compiler.extract.rules.zh.clauses import Clauses
from compiler.extract.rules.zh.deadlines import deadline_in, undated
from compiler.extract.rules.zh.ends import Ends
from compiler.extract.rules.zh.joined import approval_words, approving_too
from compiler.extract.rules.zh.non_acts import acts_alone, glued_case, is_reference
from compiler.extract.rules.zh.states import begins_with_thing, is_slogan, is_state, tells_no_act
from compiler.extract.rules.zh.words import Roles, Verbs
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.sentences import Piece, split
from ir.procedure import Modality, StepKind

PATTERN = lexicon("zh").patterns("sentences")

LONGEST_TOPIC = 4  # characters


class ChineseReader:
    """Turns sentences into statements; the words are those of `cues/zh.yaml`."""

    def __init__(self) -> None:
        self.cues: Lexicon = lexicon("zh")
        self._within = self.cues.pattern("deadline", "within")
        self.verbs = Verbs(self.cues, self._within)
        self.roles = Roles(self.cues, self.verbs)
        self.ends = Ends(self.cues)
        self.clauses = Clauses(self.cues, self.roles, self.verbs, self._within)

    def read(self, sentence: Piece, block_index: int, actor: Piece | None = None) -> tuple[Statement, ...]:
        """The statements of one sentence.

        Args:
            actor: who acts, where an introduction above the sentence says so.
        """
        found: list[Statement] = []
        if tells_no_act(sentence.text) or self.cues.pattern("definition_sentence").search(sentence.text):
            return ()
        for clause in split(sentence.part(0, len(sentence.text.rstrip("。！？；; "))), "；;"):
            scope = Scope(actor=next((s.actor for s in reversed(found) if s.actor), actor))
            if found and clause.text.startswith(("同时", "并且", "并")):
                scope.conditions += found[-1].conditions
            found += self._clause(self._unlabelled(clause, scope), sentence, block_index, scope)
        return tuple(acts_alone(found))

    def role(self, piece: Piece) -> Piece | None:
        """The role that a cell or phrase names, None where it names none."""
        found = self.roles.role(piece)
        if found is not None:
            return found
        verb = self.cues.pattern("approval_by").match(f"由{piece.text}")
        return self.roles.role(piece.part(0, verb.end("who") - 1)) if verb else None

    @staticmethod
    def is_person(who: Piece) -> bool:
        """Whether a role is more than a bare ending."""
        return len(who.text) > 1

    def _unlabelled(self, clause: Piece, scope: Scope) -> Piece:
        """The words after a label such as `复测正常：` (a case), `值班长：` (who acts) or `第一步：`."""
        match = PATTERN.label.match(clause.text)
        if match is None or match.end() + 1 >= len(clause.text) or self.cues.modal(match[0]):
            return clause
        label, rest = clause.part(0, match.end()), clause.part(match.end() + 1)
        who = self.roles.role(label)
        if who is not None and who.text == label.text:
            scope.actor = who
        elif PATTERN.state.search(label.text):
            scope.conditions.append(ConditionCue(label))
        elif self.cues.pattern("labels").search(label.text) is None and not self._is_topic(label.text, rest):
            return clause
        return rest

    def _is_topic(self, label: str, rest: Piece) -> bool:
        """Whether a bare word such as `付款：` only names what the words behind it say somebody does."""
        return len(label) <= LONGEST_TOPIC and self.roles.subject(rest)[0] is not None

    # --- a clause: pieces between commas -----------------------------------------------------------------------

    def _clause(self, clause: Piece, sentence: Piece, index: int, scope: Scope) -> list[Statement]:
        pieces = self.clauses.grouped(clause)
        found: list[Statement] = []
        for at, (piece, is_condition) in enumerate(pieces):
            added = self._addition(pieces, at)
            if added is not None:
                found += self._presumed(added, sentence, index, scope)
                piece = added.rest
                if not piece.text:
                    continue
            elif is_condition:
                self._condition(piece, scope)
                continue
            elif self._addition(pieces, at + 1) is not None and self.clauses.narrows(piece):
                scope.conditions.append(ConditionCue(piece))
                continue
            if at + 1 < len(pieces) and self.clauses.is_matter(piece, pieces[at + 1][0]):
                scope.conditions.append(self.clauses.of_matter(piece))
                continue
            rest = self._openers(piece, scope)
            if rest is None:
                self._carry_on(piece, pieces[at + 1 :], scope)
                continue
            for statement in self._main(rest, sentence, index, scope):
                joins = any(isinstance(earlier, Act) for earlier in found)
                joins = joins and not (at and PATTERN.granted.fullmatch(pieces[at - 1][0].text))
                found.append(statement if joins or not statement.merges else statement.but(merges=False))
                scope.said = True
        return found

    def _carry_on(self, piece: Piece, following: list[tuple[Piece, bool]], scope: Scope) -> None:
        """Those who jointly did what comes first go on (`甲与乙共同确认后，签字`), where nothing binds another."""
        together = self.roles.together(piece)
        if together is not None and following and self.cues.modal(following[0][0].text) is None:
            scope.actor = together[0]

    @staticmethod
    def _addition(pieces: list[tuple[Piece, bool]], at: int) -> Addition | None:
        following = pieces[at + 1][0] if at + 1 < len(pieces) else None
        return addition(pieces[at][0], following) if at < len(pieces) else None

    def _presumed(self, added: Addition, sentence: Piece, index: int, scope: Scope) -> list[Statement]:
        """What a clause adds to, as an act that is told before or done as well; a thing is an act without verb."""
        if added.front.text and self.clauses.narrows(added.front):
            scope.conditions.append(ConditionCue(added.front))
        elif added.front.text:
            scope.actor = self.roles.role(added.front) or scope.actor
        inner = Scope(conditions=list(scope.conditions), actor=scope.actor)
        read = [s for s in self._main(added.base, sentence, index, inner) if isinstance(s, Act)]
        told = read or [Act(added.base, sentence, index, conditions=tuple(scope.conditions))]
        return [s.but(presumed=True, merges=False) for s in told]

    def _condition(self, piece: Piece, scope: Scope) -> None:
        if scope.said:  # a second condition in the clause begins a branch of its own
            scope.conditions.clear()
            scope.said = False
        text = piece.text
        begin = 0
        if (match := self.cues.pattern("conditions", "except").match(text)) is not None:
            scope.conditions.append(ConditionCue(piece.part(match.start("what"), match.end("what")), "unless"))
            return
        for opener in self.cues.words("conditions", "openers"):
            if text.startswith(opener) and not text.startswith(self.cues.words("conditions", "not_openers")):
                begin = len(opener)
                break
        if self.cues.words("conditions", "otherwise") and text.startswith(self.cues.words("conditions", "otherwise")):
            scope.conditions.append(ConditionCue(piece, "otherwise"))
            return
        end = len(self.cues.pattern("patterns", "clauses", "bracketed").sub("", text))
        for closer in self.cues.words("conditions", "closers"):
            if text.endswith(closer, 0, end):
                end -= len(closer)
                break
        inner = piece.part(begin, end)
        if inner.text and self.cues.pattern("conditions", "rest").fullmatch(inner.text):
            scope.conditions.append(ConditionCue(inner, "otherwise"))
        elif inner.text:
            vague = any(word in text for word in self.cues.words("conditions", "vague"))
            scope.conditions.append(ConditionCue(inner, "when", vague))

    def _openers(self, piece: Piece, scope: Scope) -> Piece | None:
        """Take conditions and time words off the front of a piece; None where nothing is left."""
        text = piece.text
        for word in self.cues.words("conditions", "otherwise"):
            if text.startswith(word):
                scope.conditions[:] = [ConditionCue(piece.part(0, len(word)), "otherwise")]
                piece = piece.part(len(word))
                text = piece.text.lstrip("，, ")
                break
        if (match := self.cues.pattern("conditions", "except").match(text)) is not None:
            scope.conditions.append(ConditionCue(piece.part(match.start("what"), match.end("what")), "unless"))
            piece = piece.part(match.end())
            text = piece.text
        for word in self.cues.words("conditions", "vague"):
            if text.startswith(word) and not scope.said:
                scope.conditions.append(ConditionCue(piece.part(0, len(word)), "when", vague=True))
                piece = piece.part(len(word))
                text = piece.text
                break
        if (glued := glued_case(text)) and not self.clauses.opens(text) and piece.text == text:
            self._condition(piece.part(0, glued), scope)
            piece, text = piece.part(glued), text[glued:]
        if self.clauses.opens(text) and (modal := self.cues.modal(text)) and modal.start() > 3:
            self._condition(piece.part(0, modal.start()), scope)
            piece = piece.part(modal.start())
        elif PATTERN.of_cases.fullmatch(text) and not self.cues.modal(text):
            scope.conditions.append(ConditionCue(piece.part(2 if text.startswith("对于") else 1)))
            return None
        elif (within := PATTERN.by_within.fullmatch(text)) and (
            by := self.roles.role(piece.part(1, within.end("who")))
        ):
            scope.actor = by
            self._time(piece.part(within.start("time")), scope)
            return None
        elif self._is_whole_time(text) or self._led(piece):
            self._time(piece, scope)
            return None
        elif (first := PATTERN.soon_after.match(text)) and not self.roles.role(piece.part(0, first.end() - 1)):
            scope.after.append(piece.part(0, first.end()))
            return piece.part(first.end())
        elif (who := self.roles.described(piece)) is not None:
            scope.actor = who
            return None
        return piece if piece.text else None

    def _is_whole_time(self, text: str) -> bool:
        if self.cues.modal(text) or self.cues.pattern("approval_by").search(text):
            return False
        match = self._within.search(text)
        if match and match.end() >= len(text) - 1 and len(text) - (match.end() - match.start()) < 3:
            return True
        if PATTERN.span.fullmatch(text):
            return True
        if self.verbs.kind(text, "") == "record" and self.verbs.commands(text):
            return False  # `编制受理编号`
        keys = ("after", "before") if PATTERN.at_once.match(text) else ("after", "before", "on_receipt")
        return any(self.cues.pattern("temporal", key).match(text) for key in keys)

    def _led(self, piece: Piece) -> Piece | None:
        """Who has the time that a piece ends with, and says nothing else: `财务部在3日内，…`."""
        match = self._within.search(piece.text)
        ends = match is not None and match.end() >= len(piece.text) - 1
        front = piece.text[: match.start()].rstrip("自在于应当须") if match and ends else ""
        return self.roles.role(piece.part(0, len(front)))

    def _time(self, piece: Piece, scope: Scope) -> None:
        if (deadline := deadline_in(piece, self.cues)) is not None:
            scope.deadlines, scope.actor = [*scope.deadlines, deadline], self._led(piece) or scope.actor
            return
        match = self.cues.pattern("temporal", "on_receipt").match(piece.text)
        head = piece.text.rfind("的")
        if head > 0 and (who := self.roles.role(piece.part(head + 1))) is not None:
            scope.actor = who
        elif match and match["actor"]:
            who = self.roles.role(piece.part(0, match.end("actor")))
            scope.actor = who or scope.actor
        scope.after.append(piece)

    # --- the main piece: who, may or must, does what ------------------------------------------------------------

    def _main(self, piece: Piece, sentence: Piece, index: int, scope: Scope) -> list[Statement]:
        continues = re.match(self.cues.pattern("continuations").pattern, piece.text)
        if any(piece.text.startswith(word) for word in self.cues.words("parallel")) and scope.said:
            scope.parallel = True
        base = Act(piece, sentence, index, actor=scope.actor)
        decided = self.clauses.decided(piece)
        if decided is not None and scope.said:
            scope.conditions.clear()
        scope.conditions += [decided] if decided is not None else []
        base = base.but(conditions=tuple(scope.conditions), after=tuple(scope.after), parallel=scope.parallel)
        timed = piece.part(decided.piece.end - piece.start) if decided is not None else piece
        deadline = deadline_in(timed, self.cues)
        base = base.but(deadlines=(*scope.deadlines, *([deadline] if deadline else []), *undated(piece, self.cues)))
        body = piece.part(continues.end()) if continues and continues.end() < len(piece.text) else piece
        modal = self.cues.modal(body.text)
        if modal and "是否" in body.text[: modal.start()]:
            modal = None  # `审查是否属于禁止出境的情形`
        if sentence.text.rstrip().endswith(("：", ":")) and re.search(r"下列|以下|如下", piece.text):
            return [base.as_rule("leads to a list")]
        if (exception := self.cues.pattern("conditions", "unless").fullmatch(body.text)) is not None:
            what = body.part(exception.start("what"), exception.end("what"))
            return [base.as_exception((ConditionCue(what, "unless"),))]
        if re.search(r"以[^，。；]{2,}为限$|^以[^，。；]+为准$", body.text):
            return [base.as_rule("rule")]
        if self.cues.pattern("penalty").search(body.text):
            return [base.as_rule("penalty")]
        known = self.roles, self.clauses
        judged = power(base, body, *known) or needed_approval(base, piece, *known, said=scope.said)
        if judged is not None:
            scope.actor, scope.modality = judged.actor, judged.modality
            return [judged]
        refers = is_reference(body.text) and not self.cues.pattern("jump").search(body.text)
        if is_slogan(body.text):
            return [base.as_duty("a state or general duty")]
        jointly = self.roles.together(body) is not None
        if modal is None and not base.conditions and not jointly and is_state(body.text):
            return [base.as_rule("a state")]
        if refers or PATTERN.amounts_to.search(body.text):
            return [base.as_rule("rule")]  # `扣除标准为每月1100元`
        for special in (self._skip, self._jump, self._approval):
            if statements := special(base, body, scope):
                scope.deadlines.clear()
                if isinstance(statements[-1], Act):
                    granted = PATTERN.granted.fullmatch(piece.text)  # what follows is done by whoever asked
                    scope.actor = scope.actor if granted else statements[-1].actor or scope.actor
                    scope.modality = statements[-1].modality
                return statements
        if modal:
            statement = self._with_modal(base, body, modal, scope)
        else:
            statement = self._without_modal(base, body, scope, bool(continues))
        if statement is None:
            return []
        if isinstance(statement, Act):
            scope.actor = statement.actor or scope.actor
            scope.modality = statement.modality
            scope.deadlines.clear()
            scope.after.clear()
        return [self.ends.ending(statement)]

    def _skip(self, base: Act, piece: Piece, scope: Scope) -> list[Statement]:
        match = self.cues.pattern("skip").search(piece.text)
        if not match or self.cues.pattern("jump").search(piece.text):
            return []
        verdict = re.match(r"^经?(?P<what>[^，。；]{2,16}?)(?:之后|以后|后)", piece.text)
        if verdict and verdict.end() <= match.start():
            scope.conditions.append(ConditionCue(piece.part(verdict.start("what"), verdict.end("what"))))
            base = base.but(conditions=tuple(scope.conditions))
        return [base.as_skip(match["what"], piece=piece)]

    def _jump(self, base: Act, piece: Piece, scope: Scope) -> list[Statement]:
        by = PATTERN.by.search(piece.text)
        actor = self.roles.role(piece.part(by.start("who"), by.end("who"))) if by else base.actor
        match = self.cues.pattern("jump").search(piece.text)
        if match and ("直接" in piece.text or match[0].startswith(("进入", "转", "跳", "返回", "从", "自"))):
            return [base.as_jump(match["label"] or match["number"] or match["begin"], actor=actor)]
        match = self.cues.pattern("jump_to").search(piece.text)
        return [base.as_jump(match["what"], actor=actor)] if match and scope.conditions else []

    def _approval(self, base: Act, piece: Piece, scope: Scope) -> list[Statement]:
        """`报安全总监审批`, `经法务部审查`: an act of the one it goes to; what stands before is another."""
        words = approval_words(piece, self.roles)
        if words is None:
            return []
        match, who = words.match, self.roles.role(words.named)
        if who is None and match[0].startswith(("由", "报", "经")):
            who = words.named if len(words.named.text) <= 10 and self.verbs.at(words.named.text) is None else None
        if who is None or self._negated(piece.text, match.start()):
            return []
        if re.search(r"(?:按照|依照|依据|根据|落实|执行)[^，。；]*$", piece.text[: match.start("verb")]):
            return []  # `按照…批复处理` carries out what was approved
        if piece.text.rfind("《", 0, match.start("verb")) > piece.text.rfind("》", 0, match.start("verb")):
            return []  # `凭《批准通知书》采购` names a paper
        verb = piece.part(match.start("verb"), match.end("verb"))
        kind = (
            "approval"
            if self.verbs.kind(verb.text, "") == "approval" or "批" in verb.text or "同意" in verb.text
            else "check"
        )
        if kind == "check" and match[0].startswith("由"):
            return []
        outcomes = ("approved", "rejected") if kind == "approval" else ()
        begin = 0
        if words.stated is not None:
            scope.conditions.append(ConditionCue(words.stated))
            base, begin = base.but(conditions=tuple(scope.conditions)), words.named.start - piece.start
        judged = base.but(actor=who, verb=verb, step_kind=kind, outcomes=outcomes, modality="must")
        end = match.end()
        if (too := approving_too(judged, piece, end, self.roles)) is not None:
            return [*self._before_approval(base, piece, match, scope), judged.but(piece=piece.part(0, end)), too]
        tail = re.match(r"(?:之后|以后|后)", piece.text[end:])
        following = self._approval(base, piece.part(end + tail.end()), scope) if tail else []
        found = [judged.but(piece=piece.part(begin, end)) if tail or begin else judged, *following]
        return [*(self._before_approval(base, piece, match, scope) if begin == 0 else ()), *found]

    def _before_approval(self, base: Act, piece: Piece, match: re.Match[str], scope: Scope) -> list[Statement]:
        """What the words before `报…批准` say: an act of its own, or only what it is that is approved."""
        words = PATTERN.leads_to_approval.sub("", piece.text[: match.start()])
        modal = self.cues.modal(words)
        act = words[modal.end() :] if modal else words
        if act.endswith(("电话", "书面", "口头")):
            return []
        theme = re.match(r"(?:及时|立即|尽快)?(?:将|把|对)[^，]*$", act)
        if theme and match[0].startswith(("提交", "提请", "递交", "送", "呈")):
            actor = self._actor(piece.part(0, modal.start())) if modal else scope.actor
            handed = piece.part(0, match.end("who"))
            return [
                base.but(
                    piece=handed, actor=actor, verb=piece.part(match.start(), match.start("who")), step_kind="input"
                )
            ]
        if theme or len(words) <= 3 or not act or self.clauses.only_limits(words):
            return []
        earlier = self._main(piece.part(0, len(words)), base.sentence, base.block_index, scope)
        return earlier if earlier and isinstance(earlier[-1], Act) else []

    @staticmethod
    def _negated(text: str, at: int) -> bool:
        return text[max(0, at - 2) : at].endswith(("未", "不", "无须", "无需", "未经"))

    def _with_modal(self, base: Act, piece: Piece, modal: re.Match[str], scope: Scope) -> Statement | None:
        modality: Modality = self.cues.table("modals")[modal[0]]
        before, action = piece.part(0, modal.start()), piece.part(modal.end())
        by = self._by(action)
        actor = self._actor(before) or by or (None if self._theme(before) else scope.actor)
        if by is not None:
            action = action.part(by.end - action.start)
        if modality == "must_not":
            return base.as_rule("prohibition", modality=modality, actor=actor)
        if actor is None and PATTERN.measure.search(before.text) and "由" not in action.text:
            return base.as_rule("rule", modality=modality)  # `批复时间可以延长`
        if PATTERN.manner.fullmatch(action.text) and not base.sentence.text.rstrip("。；; ").endswith(piece.text):
            scope.actor, scope.modality = actor, modality  # `应当按照批复，对…进行处罚`: the act comes after
            return None
        if base.deadlines and self._within.fullmatch(action.text):
            scope.actor, scope.modality, scope.deadlines = actor, modality, [d for d in base.deadlines if d.duration]
            return None
        return self._act(base.but(modality=modality, actor=actor), action, before)

    def _without_modal(self, base: Act, piece: Piece, scope: Scope, continues: bool) -> Statement | None:
        plainly = re.search(r"(?:程序|流程|手续|办理)\S{0,4}(?:办结|终止|结束|终结)$", piece.text)
        if (ended := self.ends.status(piece.text)) and (base.conditions or plainly) and self.ends.so(piece.text):
            return base.as_end(ended)
        by = re.search("(?<![经自理事缘])由(?!于)", piece.text)
        if by and (who := self.roles.agent(piece.part(by.end()))) is not None:
            rest = piece.part(who.end - piece.start)
            return self._act(base.but(actor=who), rest, piece.part(0, by.start()))
        subject, action = self.roles.subject(piece)
        if (handed := PATTERN.handed.match(piece.text)) and handed.end() < len(piece.text):
            subject, action = self.roles.subject(piece.part(handed.end()), loose=True)
            if subject is not None and PATTERN.kept.match(action.text):  # `报财务部备案` is done by whoever reports
                kept = base.but(recipient=subject, merges=scope.said, modality=scope.modality or "must")
                return self._act(kept, action, None)
        if subject is not None:
            parallel = scope.parallel or any(action.text.startswith(word) for word in self.cues.words("parallel"))
            return self._act(base.but(actor=subject, parallel=scope.said and parallel), action, None)
        if PATTERN.manner.fullmatch(piece.text) and not base.sentence.text.rstrip("。；; ").endswith(piece.text):
            return None
        if scope.modality or (scope.said and continues):
            if not continues and self._names_things(piece.text):
                return None
            goes_on = scope.said and not scope.parallel
            return self._act(base.but(merges=goes_on, modality=scope.modality or "must"), piece, None)
        if self._recurs(piece.text):
            return base.as_duty("recurring")
        return self._act(base, piece, None, strict=True)

    def _names_things(self, text: str) -> bool:
        """Whether no verb begins a piece between commas (`单价300元`, `主要设备从国内采购`)."""
        at = self.verbs.at(text)
        return at is not None and at[0] == 0 and begins_with_thing(text) and not self.verbs.commands(text)

    def _act(self, base: Act, action: Piece, theme: Piece | None, *, strict: bool = False) -> Statement | None:
        """Find verb, object and kind in an action's words; with `strict`, only where it plainly begins with a verb."""
        if self._recurs(base.sentence.text) and self._recurs(base.piece.text):
            return base.as_duty("recurring")
        at = self.verbs.at(action.text)
        if at is None:
            ended = self.ends.status(base.piece.text)
            if ended and (base.conditions or base.merges):
                return base.as_end(ended)
            return base.as_duty("no action") if base.modality == "must" and not strict else None
        verb_text = at[1]
        verb = action.part(at[0], at[0] + len(verb_text))
        rest = action.part(at[0] + len(verb_text))
        sets = verb_text == "设置" and base.conditions  # in a case it is an act
        if verb_text.startswith(self.cues.words("stative_verbs")) and verb_text not in self.verbs.kinds and not sets:
            return base.as_duty("a state or general duty", verb=verb)
        kind = self.verbs.kind(verb_text, rest.text)
        if strict and kind == "task" and not self.verbs.is_verb(verb_text) and not self.verbs.commands(action.text):
            return None
        told = self.roles.recipient(base.piece)
        if verb_text.startswith("说明") and told is not None:
            return base.but(verb=verb, object=rest, step_kind="notify", recipient=told)
        written = strict and theme is None and at[0] > 0  # `在图上标注警告` is done by somebody
        if verb_text.startswith(self.cues.words("content_verbs")) and not written:
            return base.as_rule("content", verb=verb)
        if verb_text.startswith(("不", "未")):
            ended = self.ends.status(base.piece.text)
            if ended and base.conditions:
                return base.as_end(ended, verb=verb)
            return base.as_rule("negative", verb=verb)
        return base.but(
            verb=verb, object=rest if rest.text else theme, step_kind=kind, recipient=told,
            outcomes=self._outcomes(base.piece.text, kind),
        )  # fmt: skip

    def _outcomes(self, text: str, kind: StepKind) -> tuple[str, ...]:
        if kind == "approval":
            return ("approved", "rejected")
        if kind in ("check", "decision") and PATTERN.or_not.search(text):
            return ("pass", "fail")
        return ()

    # --- people ---------------------------------------------------------------------------------------------------

    def _actor(self, before: Piece) -> Piece | None:
        by = PATTERN.by.search(before.text)
        if by:
            return self.roles.role(before.part(by.start("who"), by.end("who")))
        return self.roles.role(before)

    def _by(self, action: Piece) -> Piece | None:
        by = re.match("(?:先|再|均|统一|一律|及时)?由", action.text)
        return self.roles.agent(action.part(by.end())) if by else None

    def _theme(self, before: Piece) -> bool:
        """Whether the words before a modal name something acted on, so that the actor is somebody unnamed."""
        return len(before.text) > 1 and self.roles.role(before) is None and not self._is_whole_time(before.text)

    # --- whole sentences --------------------------------------------------------------------------------------------

    def _recurs(self, text: str) -> bool:
        return self.cues.pattern("recurring").search(re.sub(r"《[^》]*》|“[^”]*”", "", text)) is not None
