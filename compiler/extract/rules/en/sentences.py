"""Reads English sentences of policy prose by cue words: who does what, when, on what condition, and by when."""

import re
from collections.abc import Iterator

from compiler.extract.rules.en.acts import Acts, strongest
from compiler.extract.rules.en.approvals import added_to, demanded_approval
from compiler.extract.rules.en.openers import Openers
from compiler.extract.rules.en.predicates import Clause, Predicate
from compiler.extract.rules.en.rests import rest_of
from compiler.extract.rules.en.time import duration
from compiler.extract.rules.en.words import PREPOSITIONS, role, word_set
from compiler.extract.rules.statements import Act, ConditionCue, DeadlineCue, Duty, End, Scope, Statement
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.limits import limits_in
from compiler.text.sentences import Piece, is_overlong, split
from compiler.text.syntax import Tagger
from ir.procedure import Modality

PATTERN = lexicon("en").patterns("sentences")

_ASKING = word_set("asking")


def _other_cases(whole: Piece) -> Iterator[Piece]:
    """A clause and what is done `…, otherwise …` or `… and refers it if …`, each a clause of its own."""
    cut = next(
        (
            m
            for m in PATTERN.other_case.finditer(whole.text)
            if "," in m[0] or PATTERN.condition.search(whole.text[: m.start()])
        ),
        None,
    )
    yield whole.part(0, cut.start()) if cut else whole
    if cut is not None:
        yield whole.part(cut.end())


class EnglishReader:
    """Turns sentences into statements; the words are those of `cues/en.yaml`.

    Args:
        tagger: tells verbs from nouns where those words do not.
    """

    def __init__(self, tagger: Tagger | None = None) -> None:
        self.cues: Lexicon = lexicon("en")
        self.times = Openers(self.cues, tagger)
        self.acts = Acts(self.cues, self.times)
        self._last: Piece | None = None  # who acted last, whom a pronoun means
        self._cases: Piece | None = None  # the sentence read last, if it has cases: what others are other than

    def read(self, sentence: Piece, block_index: int, actor: Piece | None = None) -> tuple[Statement, ...]:
        """The statements of one sentence.

        Args:
            actor: who acts, where an introduction above the sentence says so.
        """
        if is_overlong(sentence.text):
            return ()
        body = self._bare(sentence)
        body = self._before_question(body)
        if PATTERN.tells_nothing.search(body.text) or self.cues.pattern("definition_sentence").search(body.text):
            return ()
        found: list[Statement] = []
        if (timed := self._has_time(body, sentence, block_index)) is not None:
            return (timed,)
        cases = self._cases.text if self._cases is not None and self._cases.block == sentence.block else ""
        before = actor or (self._last if self._last and self._last.block == sentence.block else None)
        for part in (each for whole in split(body, ";") for each in _other_cases(whole)):
            scope = Scope(actor=found[-1].actor or actor if found else actor)
            if scope.actor is None and PATTERN.pronoun.match(part.text):
                scope.actor = before
            part, further = self._elliptical(part)
            labelled = self._unlabelled(part, scope)
            if labelled is not None:
                told = self._clause(
                    labelled, sentence, block_index, scope, given=actor is not None or scope.actor is not actor
                )
                earlier = cases + sentence.text[: part.start - sentence.start] if found or cases else ""
                rest = rest_of(part, earlier, self.cues) if cases or any(one.conditions for one in found) else None
                if rest is not None:
                    told = [one if one.conditions else one.but(conditions=(rest,)) for one in told]
                found += told
            for also in further:
                found += self._by_another(also, found, scope)
        self._last = next((s.actor for s in reversed(found) if s.actor), self._last)
        self._cases = sentence if any(said.conditions for said in found) else None
        return tuple(found)

    def _has_time(self, body: Piece, sentence: Piece, block_index: int) -> Act | None:
        """`The board has ten days to decide`: an act with a deadline."""
        match = PATTERN.has_time.match(body.text)
        length = duration(match["time"]) if match else None
        who = role(body.part(match.start("who"), match.end("who")), opening=True) if match else None
        if match is None or length is None or who is None:
            return None
        deadline = DeadlineCue(body.part(match.start("time"), match.end("time")), length)
        act = body.part(match.start("act"))
        verb = act.part(0, len(act.text.split()[0]))
        kind = self.acts.words.kind(verb.text.lower(), act.text[len(verb.text) :])
        words = body.part(match.start("who"))
        return Act(words, sentence, block_index, actor=who, verb=verb, deadlines=(deadline,), step_kind=kind)

    @staticmethod
    def _elliptical(part: Piece) -> tuple[Piece, tuple[Piece, ...]]:
        """A clause without the clauses after it that only name who does the same to what else.

        `Claims up to 50 are approved by the clerk, larger ones by the manager` says `approved` once.
        """
        cuts = [
            match
            for match in PATTERN.by_another.finditer(part.text)
            if PATTERN.passive_by.search(part.text[: match.start()])
        ]
        if not cuts:
            return part, ()
        ends = [*(match.start() for match in cuts[1:]), len(part.text)]
        further = tuple(part.part(match.start("what"), end) for match, end in zip(cuts, ends, strict=True))
        return part.part(0, cuts[0].start()), further

    def _by_another(self, rest: Piece, found: list[Statement], scope: Scope) -> list[Statement]:
        """The act before, done to something else by somebody else; nothing where that is not understood."""
        before = next((s for s in reversed(found) if isinstance(s, Act)), None)
        match = PATTERN.by_whom.search(rest.text)
        who = role(rest.part(match.end())) if match else None
        if before is None or match is None or who is None:
            return []
        what = rest.part(0, match.start())
        cue = ConditionCue(what, "otherwise") if self.cues.pattern("conditions", "rest").match(what.text) else None
        cue = cue or (ConditionCue(what, measured=True) if limits_in(what.text, self.cues) else None)
        if cue is None:
            return []
        return [before.but(piece=rest, actor=who, conditions=(cue,), merges=False, object=what)]

    @staticmethod
    def role(piece: Piece) -> Piece | None:
        """The role that a cell or phrase names, None where it names none; `approved by the Team Leader` names one."""
        agent = re.search(r"\bby\s+(?=(?:the|an?)\b|[A-Z])", piece.text)
        return role(piece.part(agent.end()) if agent else piece)

    def is_person(self, who: Piece) -> bool:
        """Whether a role is one by its last word, not by capital letters alone."""
        return self.acts.words.is_listed_role(who.text.split()[-1])

    @staticmethod
    def _bare(sentence: Piece) -> Piece:
        """The sentence without bullets before it and the mark that closes it."""
        glyphs = PATTERN.glyphs.match(sentence.text)
        piece = sentence.part(glyphs.end() if glyphs else 0)
        return piece.part(0, len(piece.text.rstrip(" .;!,")))

    def _before_question(self, piece: Piece) -> Piece:
        """The command before a question that explains it (`Determine need – does the rule apply?`)."""
        match = PATTERN.label.match(piece.text) if piece.text.endswith("?") else None
        label = piece.part(match.start("label"), match.end("label")) if match else piece
        found = self.times.clause(label).predicate(0) if match else None
        prompt = " " not in label.text.strip()  # `Continue: what should we keep doing?` is no command
        return label if found is not None and found.imperative and not prompt else piece

    def _unlabelled(self, piece: Piece, scope: Scope) -> Piece | None:
        """The words after a label such as `Step 2:`, `Optional:` or `Clerk:`; None where it names no act."""
        match = PATTERN.label.match(piece.text)
        if match is None or not match["mark"].strip():
            return piece
        label, rest = piece.part(match.start("label"), match.end("label")), piece.part(match.end())
        if self.cues.pattern("labels", "not_acts").match(label.text):
            return None
        if rest.text.startswith("//"):
            return piece
        if self.cues.pattern("labels", "optional").match(label.text):
            scope.modality = "may"
        if self.cues.pattern("labels", "drop").match(label.text):
            return rest
        if any(self.cues.pattern("conditions", bare).fullmatch(label.text) for bare in ("bare_yes", "bare_no")):
            return piece
        if self.times.clause(label).predicate(0) is not None:
            return label if "?" in rest.text and " " in label.text.strip() else piece
        opens = self._opens_condition(label.text) or self.cues.pattern("conditions", "otherwise").match(label.text)
        if opens or len(label.text.split()) > 7:
            return piece
        who = role(label, opening=True)
        if who is not None and who.end == label.end and len(label.text.split()) <= 4:
            scope.actor = who
        elif self._defines(rest):
            return None
        return rest

    def _defines(self, rest: Piece) -> bool:
        """Whether what stands after a label only names things (`Dispute pack: invoice, purchase order and …`)."""
        begun = re.match(
            r"([a-z-]+)(?:,| (?!the\b|an?\b|all\b|each\b|every\b|any\b|it\b|that\b|this\b)([a-z]+))", rest.text
        )
        noun = begun is not None and begun[1] in self.acts.words.noun_verbs
        return noun and begun is not None and (begun[2] is None or begun[2] not in PREPOSITIONS)

    def _opens_condition(self, text: str) -> bool:
        return any(re.match(rf"{word}\b", text, re.IGNORECASE) for word in self.cues.words("conditions", "openers"))

    # --- a clause ---------------------------------------------------------------------------------------------------

    def _clause(self, piece: Piece, sentence: Piece, index: int, scope: Scope, *, given: bool) -> list[Statement]:
        stops = sentence.text.rstrip().endswith((".", "!", ";"))
        leads_list = piece.text.endswith(":")
        piece = piece.part(0, len(piece.text.rstrip(": ")))
        added = added_to(Act(piece, sentence, index), piece)
        if added is not None and self.times.clause(added[1], stops=stops).predicate(0) is not None:
            return [added[0], *self._clause(added[1], sentence, index, scope, given=given)]
        main = self.times.openers(piece, scope, subjectless=given, stops=stops)
        base = Act(main if main.text else piece, sentence, index, actor=scope.actor)
        if main.text and self.cues.pattern("penalty").search(main.text):
            return [base.as_rule("penalty")]
        if not main.text:
            return [self._introduction(base, scope)] if leads_list and scope.conditions else []
        demanded = demanded_approval(base.but(conditions=tuple(scope.conditions)), main, self.cues)
        if demanded is not None:
            return [demanded.but(after=tuple(scope.after), deadlines=tuple(scope.deadlines))]
        clause = self.times.clause(main, subjectless=given, stops=stops)
        first = clause.predicate(0)
        if first is None:
            if leads_list:
                return [self._introduction(base, scope)] if scope.conditions or self._names(main, scope) else []
            return self.acts.specials.ending(base.but(conditions=tuple(scope.conditions)))
        asks = self.acts.words.kinds.get(first.lemma) == "check" and first.form != "passive"  # an act on what is listed
        down = first.verb is None or (PATTERN.points_down.search(main.text) and not asks)
        if leads_list and down and first.modality != "must_not":
            self._names(clause.part(*first.subject) if first.subject else main.part(0, 0), scope)
            return [self._introduction(base, scope, first.modality)]
        statements = self._statements(clause, first, base, scope)
        return self._ends_last(statements)

    @staticmethod
    def _introduction(base: Act, scope: Scope, modality: Modality = "must") -> Statement:
        """What the introduction of a list says of its members: who acts, in which case."""
        return base.as_introduction(actor=scope.actor, conditions=tuple(scope.conditions), modality=modality)

    @staticmethod
    def _names(piece: Piece, scope: Scope) -> bool:
        who = role(piece, opening=True) if piece.text else None
        scope.actor = who or scope.actor
        return who is not None

    def _statements(self, clause: Clause, first: Predicate, base: Act, scope: Scope) -> list[Statement]:
        """One statement for each predicate of a clause, each with the conditions that stand beside it."""
        found: list[Statement] = []
        here: Predicate | None = first
        while here is not None:
            standing = tuple(scope.conditions)
            end, condition, following = self._segment(clause, here, scope)
            conditions = (*standing, *([condition] if condition else []))
            told = base.but(conditions=conditions, after=tuple(scope.after), parallel=scope.parallel and not found)
            said = self.acts.read_predicate(clause, here, end, told, scope, joined=bool(found))
            if here.shares and found and isinstance(last := found[-1], Duty) and last.kind == "recurring":
                said = [s.as_duty("recurring") for s in said]
            if not said and here.shares and found and isinstance(found[-1], Act):
                found[-1] = _grown(found[-1], clause.part(here.begin, end))  # `seals it and keeps it as evidence`
            for statement in said:
                found.append(statement)
                if isinstance(statement, Act):
                    scope.actor = statement.actor or scope.actor
            here = following
        return self._shared_agents(found)

    def _segment(
        self, clause: Clause, here: Predicate, scope: Scope
    ) -> tuple[int, ConditionCue | None, Predicate | None]:
        """Where a predicate's words end, the condition after them, and the predicate that follows."""
        at = (here.verb if here.verb is not None else here.begin) + 1
        complement = False
        while at < len(clause.toks):
            word = clause.lower(at)
            if word in ("if", "when", "where", "whether") and self._is_asked(clause, here, at):
                complement = True
            elif (opening := self.times.inner(clause, at)) is not None:
                return self._with_condition(clause, here, at, opening, scope)
            if word in (",", "and", "or", "then", "but", "and/or") and not (
                complement and word == "and" and clause.lower(at + 1) in ("the", "a")
            ):
                following = clause.next_predicate(here, at)
                if following is not None:
                    return at, None, following
            at += 1
        return len(clause.toks), None, None

    def _is_asked(self, clause: Clause, here: Predicate, at: int) -> bool:
        """Whether `if` or `when` opens what is asked or decided (`determine if …`), not a condition."""
        asks, judged = (
            word in _ASKING or self.acts.words.kinds.get(word) in ("check", "decision")
            for word in (here.lemma, clause.lower(at - 1))
        )
        return judged or (asks and at == (here.verb or 0) + 1)

    def _with_condition(
        self, clause: Clause, here: Predicate, at: int, opening: tuple[str, int], scope: Scope
    ) -> tuple[int, ConditionCue | None, Predicate | None]:
        """A condition after a predicate; after `and` (`and, if approved, files it`) it is that of the next one."""
        mode, length = opening
        stop, following = at + 1, None
        while stop < len(clause.toks):
            if clause.lower(stop) == "," and (following := clause.next_predicate(here, stop)) is not None:
                break
            stop += 1
        words = clause.part(at, stop)
        tail = re.search(r",?\s+(?:and|but|or)$", words.text)
        words = words.part(0, tail.start() if tail else None)
        end = at - 1 if clause.lower(at - 1) == "," else at
        leads_on = clause.lower(end - 1) == "and"
        if leads_on and following is None:
            return len(clause.toks), None, None
        condition = self.times.inner_condition(words, mode, scope.after, length)
        if leads_on and condition is not None:
            scope.conditions.append(condition)
            return end - 1, None, following
        return end, condition, following

    @staticmethod
    def _shared_agents(found: list[Statement]) -> list[Statement]:
        """`is reviewed and approved by the CISO`: the agent at the end is that of both."""
        result = list(found)
        for at in range(len(result) - 2, -1, -1):
            here, after = result[at], result[at + 1]
            if not isinstance(here, Act) or not isinstance(after, Act) or not (here.passive and after.passive):
                continue
            bare = here.verb is not None and here.verb.end == here.piece.end
            if after.merges and bare and here.actor is None:
                result[at] = here.but(actor=after.actor)
        result = [s.but(passive=False) if isinstance(s, Act) and s.passive else s for s in result]
        return _with_strongest(result)

    @staticmethod
    def _ends_last(found: list[Statement]) -> list[Statement]:
        """`is rejected and the applicant is notified`: the run ends after the last act, not before it."""
        ended, end = next(((at, s) for at, s in enumerate(found) if isinstance(s, End)), (len(found), None))
        later = [s for s in found[ended + 1 :] if isinstance(s, Act)]
        if end is None or not later or later[-1].conditions != end.conditions:
            return found
        status = end.ends
        acts = [s.but(ends=status) if isinstance(s, Act) and s in later else s for s in found]
        return [s for at, s in enumerate(acts) if at != ended]


def _grown(statement: Statement, words: Piece) -> Statement:
    """A statement with the words up to the end of others in its sentence."""
    sentence = statement.sentence
    return statement.but(piece=sentence.part(statement.piece.start - sentence.start, words.end - sentence.start))


def _with_strongest(found: list[Statement]) -> list[Statement]:
    """Give the first of the acts that make up one step the kind of the whole: `reviews and approves` is an approval."""
    result = list(found)
    begin = 0
    for at in range(1, len(found) + 1):
        here = found[begin]
        after = found[at] if at < len(found) else None
        if after is not None and after.merges and (after.actor, after.conditions) == (here.actor, here.conditions):
            continue
        kinds = [s.step_kind for s in found[begin:at] if isinstance(s, Act)]
        if isinstance(here, Act) and here.step_kind in ("task", "check", "decision"):
            result[begin] = here.but(step_kind=strongest(kinds))
        begin = at
    return result
