"""Deterministic extraction: a document's provisions into procedures, with nothing lost on the way."""

import re
from dataclasses import replace
from typing import Literal

from compiler.extract.rules.classes import Classes
from compiler.extract.rules.comparisons import measures_other, together
from compiler.extract.rules.conditions import ConditionReader
from compiler.extract.rules.en.verdicts import is_bare
from compiler.extract.rules.extraction_state import Draft, ExtractionState
from compiler.extract.rules.flows import Item, Route, build_flows
from compiler.extract.rules.jumps import Jumps
from compiler.extract.rules.outcomes import (
    go_on_after_grants,
    judge_outcomes,
    name_outcomes,
    opposite_case,
    other_outcome,
    spread_verdicts,
    take_occasion,
)
from compiler.extract.rules.provisions import Provision
from compiler.extract.rules.questions import Questions
from compiler.extract.rules.readings import ProvisionReading, tells_an_act
from compiler.extract.rules.repeats import in_context, told_before
from compiler.extract.rules.segments import Segment
from compiler.extract.rules.statements import Act, ConditionCue, Duty, End, ExceptFor, Jump, Norm, Skip, Statement
from compiler.extract.rules.unread import ask_about_unread
from compiler.extract.rules.urgent import urgent_courses
from compiler.text.lexicon import Lexicon, lexicon
from compiler.text.mentions import Mentions
from compiler.text.sentences import Piece
from ir.document import Document
from ir.predicate import Junction, Tree, conjoin, negate, references
from ir.procedure import (
    END,
    Action,
    ConditionText,
    Constraint,
    Deadline,
    Fact,
    Flow,
    Modality,
    Procedure,
    Step,
    Trigger,
    UnplacedText,
)
from ir.source import Evidence, Span
from validator.analysis.implication import OUTCOMES, Logic

_CHOOSE = ("check", "decision", "task")  # kinds of acts that may sort a matter into a class


class Extractor:
    """Draws one procedure from what a part of a document says.

    Args:
        mentions: finds the catalog's concepts, which name the facts.
    """

    def __init__(self, mentions: Mentions, document: Document) -> None:
        self.document = document
        self.cues: Lexicon = lexicon(document.language)
        self.mentions = mentions
        self.classes = Classes(document, self.cues, mentions)
        self.conditions = ConditionReader(self.mentions, self.cues, document.doc_id, self.classes)
        self.blocks = {block.address: block for block in document.blocks}
        self.table_of = {cell.address: block.address for block in document.blocks for cell in block.cells}
        self.texts = {passage.address: passage.text for passage in document.passages()}
        self.questions = Questions(self.cues, document.doc_id)
        self.state = ExtractionState()
        found = (m for text in self.texts.values() for m in self.cues.pattern("inclusive_note").finditer(text))
        self.conditions.open_ends = frozenset(match["word"] for match in found)

    def procedure(self, procedure_id: str, segment: Segment, method: str = "cues") -> Procedure:
        """The segment's procedure; it has no steps where the segment prescribes none.

        Args:
            method: how the segment was read, see `Procedure.method`.
        """
        acting = any(told.acts_beside_norms for told in segment.told)
        courses = urgent_courses(segment.told, self.blocks, self.cues)
        for at, told in enumerate(segment.told):
            for piece, reason in told.unplaced:
                self._unplaced(piece, reason)
            known = len(self.state.items)
            self._take(self._with_norms(told, acting=acting), told.provision)
            if (course := courses.get(at)) is not None:
                new = [replace(item, course=course) for item in self.state.items[known:]]
                self.state.items[known:] = new
        for course in dict.fromkeys(courses.values()):
            self._enter(course, [told for at, told in enumerate(segment.told) if courses.get(at) == course])
        found = self._assemble(procedure_id, segment.title).model_copy(update={"method": method})
        return ask_about_unread(found, segment.told, self.cues, self.texts)

    def _with_norms(self, told: ProvisionReading, *, acting: bool) -> tuple[Statement, ...]:
        """The statements of a provision that are not read better as norms, which become constraints.

        Args:
            acting: somebody acts in this procedure, so that ends are ends of acts.
        """
        kept = list(told.statements)
        for norm in told.norms:
            sentences = (norm.piece, *norm.exempted)
            own = [s for s in kept if any(w.start <= s.sentence.start and s.sentence.end <= w.end for w in sentences)]
            if any(tells_an_act(s, acting=acting) for s in own):
                if norm.modality == "must":  # an act that has a limit
                    self._norm(norm)
                continue
            kept = [s for s in kept if s not in own]
            self._norm(norm)
        return tuple(kept)

    def _norm(self, norm: Norm) -> None:
        """A norm as a constraint: what must not be, or what has to hold."""
        scope = together(self.conditions.read(cue, []) for cue in norm.scope)
        held = together(self.conditions.read(cue, []) for cue in norm.held)
        if norm.unsure:
            words = "”、“".join(piece.text for piece in norm.unsure)
            self.questions.ask("unclear_condition", "unread", norm.piece, words=words)
        predicate = scope if norm.modality == "must_not" else held
        if norm.modality != "must_not" and scope is not None and held is not None:
            predicate = Junction("or", (negate(scope), held))
        evidence = tuple(self._evidence(piece) for piece in (norm.piece, *norm.exempted, *norm.listed))
        if predicate is not None and self._logic().contradict(predicate, predicate):
            self.questions.ask("unclear_condition", "unread", norm.piece, words=norm.piece.text)
            predicate = None  # what no values can be was misread
        if norm.modality == "must_not" and self.cues.language == "zh":
            self.state.last_guard = predicate  # `属于上述类别的`
        self._rule(norm.words, norm.modality, predicate, evidence)

    def _enter(self, course: str, told: list[ProvisionReading]) -> None:
        """Let an urgent course begin on the condition that its clauses state first, else the one its heading names."""
        at = next((n for n, i in enumerate(self.state.items) if i.course == course and i.kind == "step"), None)
        if at is None or self.state.items[at].guard is not None:
            return
        said = (cue for each in told for s in each.statements for cue in s.conditions if cue.mode == "when")
        heading = self.blocks[course]
        named = ConditionCue(Piece(course, 0, len(heading.text), heading.text).part(heading.body_start))
        cue = next(said, named)
        first = replace(self.state.items[at], guard=self.conditions.read(cue, []))
        pieces = cue.cases or (cue.piece,)
        self.state.items[at] = replace(first, evidence=tuple(self._evidence(piece) for piece in pieces))

    def _unplaced(self, piece: Piece, reason: str) -> None:
        self.state.unplaced.append(UnplacedText(text=piece.text, reason=reason, evidence=(self._evidence(piece),)))

    def _reason(self, why: str, what: str = "") -> str:
        """Why a text found no place, in the document's language."""
        return str(self.cues.table("reasons")[why]).format(what=what)

    # --- statements into items ------------------------------------------------------------------------------------

    def _take(self, statements: tuple[Statement, ...], provision: Provision) -> None:
        taken: Statement | None = None
        about: ConditionCue | None = None
        for told in statements:
            if (statement := in_context(told, taken, self.state.drafts, self.cues)) is None:
                self.questions.ask("unclear_condition", "unread", told.sentence, words=told.piece.text)
                continue
            about = self._about_kind(statement, about)
            if about is not None and isinstance(statement, Act | Jump | End | Skip):
                statement = statement.but(conditions=(about, *statement.conditions))
            guard = self._guard(statement)
            if isinstance(statement, Act):
                self._action(statement, guard, provision)
            elif isinstance(statement, Jump | Skip):
                position = len(self.state.items)
                self.state.jumps.append((position, statement))
                kind: Literal["jump", "skip"] = "jump" if isinstance(statement, Jump) else "skip"
                name = f"{kind}-{position}"
                self.state.items.append(Item(kind, name, guard, evidence=self._why(statement)))
            elif isinstance(statement, ExceptFor) and isinstance(taken, Act | End | Jump):
                last = self.state.items[-1]
                narrowed = conjoin(last.guard, guard)
                self.state.items[-1] = replace(last, guard=narrowed, evidence=(*last.evidence, *self._why(statement)))
                self.state.last_guard = narrowed
            elif isinstance(statement, End) and guard is None and self.state.items and statement.ends:
                last = self.state.items[-1]
                self.state.items[-1] = replace(last, ends=statement.ends) if last.kind == "step" else last
            elif isinstance(statement, End) and guard is not None:
                self._end(statement, guard)
            else:
                self._constraint(statement, guard)
            taken = statement

    def _about_kind(self, statement: Statement, before: ConditionCue | None) -> ConditionCue | None:
        """The kind that a statement is about, said at the beginning of its clause or of one before it in the block."""
        sentence = statement.sentence
        end = (statement.verb or statement.piece).start - sentence.start
        begin = max(sentence.text.rfind(mark, 0, max(0, statement.piece.start - sentence.start)) for mark in "；;") + 1
        clause = sentence.part(begin, max(end, begin))
        kind = self.classes.subject(clause.text)
        if kind is None:
            return before
        named = clause.part(kind.start, kind.end)
        if any(cue.piece.start < named.end and named.start < cue.piece.end for cue in statement.conditions):
            return None
        return ConditionCue(named)

    def _guard(self, statement: Statement) -> Tree | None:
        trees: list[Tree | None] = []
        earlier = [(draft.id, draft.act) for draft in self.state.drafts] if statement.conditions else []
        rest = False
        for cue in statement.conditions:
            left_over = cue.mode == "otherwise" or self._says_no(cue)
            known = next((tree for seen, tree in self.state.conditions if seen == cue), None)
            tree = known
            if known is None and left_over:
                left = self.state.left_over(all_cases=cue.mode == "otherwise")
                tree = other_outcome(left, cue.piece.text) if left is not None else None
                if tree is None:
                    self.questions.ask("unclear_condition", "unread", statement.sentence, words=cue.piece.text)
            elif known is None:
                tree = opposite_case(cue, statement.sentence, self.state.conditions, self.cues.patterns("outcomes"))
                tree = tree or (self.state.last_guard if self._goes_back(cue) else self.conditions.read(cue, earlier))
            if known is None and tree is not None:
                self.state.conditions.append((cue, tree))
            rest = rest or left_over
            trees.append(tree)
        guard = together(trees)
        if guard is not None:
            self.state.last_guard = guard
            self.state.branch(statement.sentence, guard, rest=rest)
        return guard

    def _goes_back(self, cue: ConditionCue) -> bool:
        """Whether words only say that the case before is given (`发生该情形的`, `in that case`)."""
        if self.state.last_guard is None or cue.mode != "when" or cue.heading is not None:
            return False
        if self.cues.language == "zh":
            if isinstance(self.state.last_guard, Junction):
                return False  # which of several cases is meant is a question of its own
            return self.cues.pattern("conditions", "back").fullmatch(cue.piece.text) is not None
        return is_bare(cue.piece.text) == "pass" and not self._judges()

    def _says_no(self, cue: ConditionCue) -> bool:
        """Whether a bare `if not` denies the condition before, as no step that judges stands before it."""
        denies = is_bare(cue.piece.text) == "fail" and self.state.last_guard is not None
        return denies and not self._judges()

    def _judges(self) -> bool:
        """Whether the step told last judges, so that `if so` speaks of how it came out, not of its own case."""
        last = self.state.drafts[-1] if self.state.drafts else None
        return last is not None and bool(last.outcomes) and (last.guard is None or last.guard != self.state.last_guard)

    def _action(self, statement: Act, guard: Tree | None, provision: Provision) -> None:
        drafts = self.state.drafts
        last = drafts[-1] if drafts else None
        if last is not None and self._continues(last, statement, guard):
            last.statements.append(statement)
            last.outcomes = last.outcomes or statement.outcomes
            return
        if (before := told_before(statement, drafts, self.cues)) is not None:
            before.statements.append(statement)
            before.outcomes = before.outcomes or statement.outcomes
            return
        if guard is not None and self.state.joins_row(statement, guard, self._why(statement)):
            return
        draft = Draft(
            f"s{len(drafts) + 1}", [statement], guard, provision.article, provision.headings, statement.outcomes
        )
        division = self.classes.judged(statement.sentence.text) if statement.step_kind in _CHOOSE else None
        if division is not None and division.name not in self.conditions.chosen and not draft.outcomes:
            self.conditions.chosen[division.name] = draft.id
            draft.outcomes = division.values
        drafts.append(draft)
        why, row = self._why(statement), statement.block_index if statement.words else None
        self.state.items.append(
            Item("step", draft.id, guard, ends=statement.ends, parallel=statement.parallel, table=row, evidence=why)
        )

    @staticmethod
    def _continues(last: Draft, statement: Act, guard: Tree | None) -> bool:
        """Whether an act belongs to the step before: one actor, one result, no branch between."""
        before = last.statements[-1]
        timed = before.deadlines and any(cue.duration for cue in statement.deadlines)  # `立即断电，并在两小时内通知`
        if statement.merges and not timed and guard == last.guard and before.sentence == statement.sentence:
            return statement.actor is None or before.actor is None or statement.actor.text == before.actor.text
        decides = statement.step_kind in ("decision", "approval") and last.first.step_kind in ("approval", "check")
        who, other = statement.actor, last.first.actor
        same = who is not None and other is not None and who.text == other.text
        return decides and same and guard is None and statement.block_index - last.first.block_index <= 1

    def _end(self, statement: End, guard: Tree) -> None:
        if any(item.kind == "end" and item.guard == guard for item in self.state.items):
            return
        name, own = f"end-{len(self.state.items)}", self._evidence(statement.piece)
        why = tuple(dict.fromkeys((*self._why(statement), own)))
        self.state.items.append(Item("end", name, guard, ends=statement.ends, evidence=why))
        if statement.ends == "returned":
            self.questions.ask("loop", "loop", statement.piece)

    def _constraint(self, statement: Statement, guard: Tree | None) -> None:
        piece = statement.piece
        if isinstance(statement, Duty) and statement.kind == "no action" and not statement.actor:
            self._unplaced(piece, self._reason("act"))
            return
        text = statement.sentence.text if len(statement.sentence.text) < 120 else piece.text
        evidence = (self._evidence(statement.sentence if statement.conditions else piece),)
        violation = self._violation(statement, guard)
        if statement.modality == "must_not" and guard is None and self.cues.language == "zh":
            self.state.last_guard = violation
        self._rule(text, statement.modality, violation, evidence)

    def _rule(self, text: str, modality: Modality, predicate: Tree | None, evidence: tuple[Evidence, ...]) -> None:
        """Add a rule beside the step told last."""
        near = tuple(draft.id for draft in self.state.drafts[-1:])
        number = len(self.state.constraints) + 1
        rule = Constraint(
            id=f"k{number}", text=text, modality=modality, steps=near, predicate=predicate, evidence=evidence
        )
        self.state.constraints.append(rule)

    def _violation(self, statement: Statement, guard: Tree | None) -> Tree | None:
        """For a prohibition what breaks it: `二类采用航空的，不得超过0.5吨` is class 2, by air and over 500 kg."""
        piece, modal = statement.piece, self.cues.modal(statement.piece.text)
        if statement.modality != "must_not" or modal is None or measures_other(piece, statement.sentence, self.cues):
            return None
        subject = self.conditions.definite(piece.part(0, modal.start()))
        limit = self.conditions.limits(piece)
        banned = limit or self.conditions.definite(piece.part(modal.end()))
        if banned is None or (subject is None and guard is None and limit is None):
            return None
        return together((guard, subject, banned))

    # --- the end: flows, gaps, forms ---------------------------------------------------------------------------------

    def _assemble(self, procedure_id: str, title: str) -> Procedure:
        jumps = Jumps(self.state, self.texts)
        for piece, what in jumps.lost:
            self._unplaced(piece, self._reason("jump", what))
        for piece in jumps.back:
            self.questions.ask("loop", "loop", piece)
        order = {block.address: at for at, block in enumerate(self.document.blocks)}
        says = self.cues.patterns("outcomes")
        judge_outcomes(self.state, self.conditions.told_facts(), order, says)
        take_occasion(self.state, self.conditions.book.facts, says)
        logic = self._logic()
        spread_verdicts(self.state, logic)
        routes = build_flows(self.state.items, logic, self.cues.pattern("urgent", "begins"))
        granted = go_on_after_grants(self.state, {route.target for route in routes})
        for draft in granted:
            self.questions.ask(
                "unclear_condition", "unread", draft.first.sentence, words=draft.first.conditions[0].piece.text
            )
        if granted:
            routes = build_flows(self.state.items, logic, self.cues.pattern("urgent", "begins"))
        reached = {route.source for route in routes} | {route.target for route in routes}
        drafts = [draft for draft in self.state.drafts if draft.id in reached]
        for draft in self.state.drafts:
            if draft.id not in reached:
                self._unplaced(draft.first.sentence, self._reason("after"))
        conditions, flows = self._flows(routes)
        name_outcomes(drafts, routes)
        steps = tuple(self._step(draft) for draft in drafts)
        self._ask(drafts, routes)
        used = {self.table_of.get(s.sentence.block, s.sentence.block) for draft in drafts for s in draft.statements}
        facts = tuple(self._facts(drafts, routes))
        return Procedure(
            id=procedure_id, title=title, doc_id=self.document.doc_id, language=self.document.language,
            extent=tuple(block.address for block in self.document.blocks if block.address in used),
            triggers=self._triggers(drafts, facts),
            facts=facts,
            steps=steps,
            conditions=conditions,
            flows=flows,
            constraints=tuple(self.state.constraints),
            gaps=tuple(self.questions.gaps),
            unplaced=tuple(self.state.unplaced),
        )  # fmt: skip

    def _logic(self) -> Logic:
        return Logic(self.conditions.book.facts.get, self._outcomes_of)

    def _outcomes_of(self, step: str) -> tuple[str, ...]:
        named = next((draft.outcomes for draft in self.state.drafts if draft.id == step), ())
        return named if named not in OUTCOMES else ()

    def _flows(self, routes: list[Route]) -> tuple[tuple[ConditionText, ...], tuple[Flow, ...]]:
        conditions: dict[Tree, ConditionText] = {}
        flows = []
        for route in routes:
            name = "otherwise" if route.otherwise else None
            if route.condition is not None:
                if route.condition not in conditions:
                    text = "，".join(e.quote for e in route.evidence) or "—"
                    conditions[route.condition] = ConditionText(
                        id=f"c{len(conditions) + 1}", text=text, predicate=route.condition, evidence=route.evidence
                    )
                name = conditions[route.condition].id
            flows.append(
                Flow(
                    source=route.source, target=route.target, kind=route.kind, condition=name,
                    ends=route.ends, evidence=route.evidence,
                )
            )  # fmt: skip
        return tuple(conditions.values()), tuple(flows)

    def _step(self, draft: Draft) -> Step:
        first = draft.first
        inside = [s for s in draft.statements if s.sentence == first.sentence and s.piece.block == first.piece.block]
        whole = first.piece.to(inside[-1].piece, self.texts[first.piece.block])
        later = tuple(s.piece for s in draft.statements if s not in inside)
        deadline = next((d for s in draft.statements for d in s.deadlines if d.duration), None)
        approval = first.step_kind == "approval"
        outcomes = draft.outcomes if not (approval and draft.outcomes == ("pass", "fail")) else ("approved", "rejected")
        object_ = next((s.object for s in draft.statements if s.object), None)
        recipient = next((s.recipient for s in draft.statements if s.recipient), None)
        return Step(
            id=draft.id,
            text=first.words or _trim(whole.text),
            kind=first.step_kind,
            actor=first.actor.text if first.actor else None,
            object=object_.text if object_ else None,
            recipient=recipient.text if recipient else None,
            modality=first.modality,
            actions=tuple(self._acted(s) for s in draft.statements if s.verb),
            deadline=Deadline(
                duration=deadline.duration, start=deadline.start, evidence=(self._evidence(deadline.piece),)
            )
            if deadline and deadline.duration
            else None,
            outcomes=outcomes,
            ends=first.ends,
            evidence=tuple(self._evidence(piece) for piece in (whole, *later)),
        )

    def _acted(self, statement: Act) -> Action:
        named = {"object": statement.object, "actor": statement.actor, "recipient": statement.recipient}
        spans = {name: self._span(piece) if piece else None for name, piece in named.items()}
        return Action(verb=self._span(statement.verb or statement.piece), **spans)

    def _triggers(self, drafts: list[Draft], facts: tuple[Fact, ...]) -> tuple[Trigger, ...]:
        """What the first step comes after, or on which condition; decided only by facts that are read elsewhere."""
        if not drafts:
            return ()
        first, known = drafts[0].first, {fact.id for fact in facts}
        made = []
        for piece in [*first.after, *(cue.piece for cue in first.conditions)]:
            tree = self.conditions.definite(piece)
            own = tree is not None and {ref.path[0] for ref in references(tree)} <= known
            named = self.mentions.named_in(piece.text)
            made.append(
                Trigger(
                    text=piece.text, condition=tree if own else None, concepts=named, evidence=(self._evidence(piece),)
                )
            )
        return tuple(made)

    def _facts(self, drafts: list[Draft], routes: list[Route]) -> list[Fact]:
        """The facts that conditions and constraints read, then the concepts that the steps' words name."""
        read = {ref.path[0] for r in routes if r.condition for ref in references(r.condition) if ref.root == "facts"}
        read |= {ref.path[0] for k in self.state.constraints if k.predicate for ref in references(k.predicate)}
        book = {fact.id: fact for fact in self.conditions.book.facts.values() if fact.id in read}
        for statement in (s for draft in drafts for s in draft.statements):
            for mention in self.mentions.find(statement.sentence.text):
                concept = self.mentions.concepts[mention.concept]
                if mention.value is not None or concept.id in book or concept.type in ("array", "object", "boolean"):
                    continue
                place = statement.sentence.part(mention.start, mention.end)
                book[concept.id] = self.conditions.fact_of(concept, place, named=True, required=False)
        return list(book.values())

    def _ask(self, drafts: list[Draft], routes: list[Route]) -> None:
        """Put the questions that the steps, their outcomes and the rules leave open."""
        read = {ref.node for r in routes if r.condition for ref in references(r.condition) if ref.root == "steps"}
        for draft in drafts:
            for statement in draft.statements:
                self.questions.of_statement(statement, draft.id)
            refusing = draft.guard is not None and self.cues.pattern("refusing").search(draft.first.piece.text)
            if refusing and not draft.first.ends and any(r.source == draft.id and r.target != END for r in routes):
                self.questions.ask("undefined_exception", "refusal", draft.first.piece, draft.id)
            if draft.outcomes and draft.id not in read:
                self.questions.ask("undefined_exception", "outcome", draft.first.piece, draft.id)
        self.questions.of_constraints(self.state.constraints)
        self.questions.of_borders(routes)
        self.questions.of_rests(routes)

    # --- evidence ---------------------------------------------------------------------------------------------------

    def _why(self, statement: Statement) -> tuple[Evidence, ...]:
        """The words for being there: of the condition where there is one, else its own."""
        pieces = [piece for cue in statement.conditions for piece in (cue.piece, *cue.cases, *cue.also, *cue.units)]
        pieces = list(dict.fromkeys(pieces)) or [statement.piece]
        return tuple(self._evidence(piece) for piece in pieces)

    def _span(self, piece: Piece) -> Span:
        return Span(doc_id=self.document.doc_id, block=piece.block, start=piece.start, end=piece.end, quote=piece.text)

    def _evidence(self, piece: Piece) -> Evidence:
        return Evidence.from_span(self._span(piece))


def _trim(text: str) -> str:
    return re.sub(r"^(?:并且|并|然后|随后|再|(?:and |then )+)\s*", "", text).rstrip("。；;，, ")
