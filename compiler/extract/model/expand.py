"""From the compact answer to a procedure: quotes to evidence, text to conditions, each value with its words.

Nothing is mended by guess: a condition that cannot be read stays as text with a gap; a flow to a step that there is not
becomes a gap, and so do a flow that leads back and a time limit that is none.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain

from pydantic import JsonValue, ValidationError

from compiler.extract.model.form import (
    AnsweredFlow,
    AnsweredProcedure,
    AnsweredResult,
    AnsweredRow,
    AnsweredRule,
    AnsweredStep,
    Quote,
)
from compiler.extract.model.plain_flows import UNCLEAR, plain_flows
from compiler.extract.model.quoting import Quoting
from compiler.extract.model.results import MISSING, Formulas, ReadFormula, as_fact, field_type, results_of
from compiler.extract.model.tenable import ways_back
from compiler.extract.model.values import KnownFact, Values
from compiler.grounding import unsupported_literals
from compiler.grounding.literals import holds
from compiler.text.lexicon import lexicon
from compiler.text.mentions import Mentions
from ir.base import canonical_json
from ir.document import Document
from ir.formula import Constant, Expression, parts
from ir.infix import InfixError, parse_infix
from ir.predicate import (
    Compare,
    Literally,
    Ref,
    condition_json,
    leaves,
    parse_tree,
    references,
    with_literals,
)
from ir.procedure import (
    END,
    START,
    ConditionText,
    Constraint,
    Deadline,
    Fact,
    Flow,
    Gap,
    GapKind,
    Procedure,
    Result,
    ResultRow,
    Step,
    Trigger,
)
from ir.quantities.numerals import find_numbers
from ir.source import Evidence

_WEEK = re.compile(r"\b(?:Monday|weekdays?)\b|(?:星期|周)一", re.IGNORECASE)
"""Words that say which days are working days."""
_AROUND, _LEAST = 16, 2  # characters beside a number that is quoted; of words that are quoted alone


class Expander:
    """Expands the answers about one document.

    Args:
        mentions: gives facts the concepts that their names are names of.
        method: the model's name, as the procedure's `method`.
    """

    def __init__(self, document: Document, mentions: Mentions, method: str) -> None:
        self.document, self.method = document, method
        self.mentions, self.values = mentions, Values(mentions)
        self.quoting = Quoting(document)
        self.limits: dict[tuple[str, str], tuple[Literally, tuple[Evidence, ...]]] = {}

    def procedure(self, answer: AnsweredProcedure, procedure_id: str) -> Procedure:
        """The procedure that an answer tells of."""
        answer = plain_flows(answer)
        known = {fact.id: self.values.known(fact) for fact in answer.facts}
        facts = tuple(self._facts(answer, known))
        gaps: list[Gap] = []
        steps = tuple(self._step(step, gaps) for step in answer.steps)
        ids = {step.id for step in steps}
        names = {name: f"$.facts.{name}" for name in known} | {name: f"$.steps.{name}" for name in ids}
        told = results_of(answer)
        known |= {name: self.values.known(as_fact(one)) for name, one in told.items()}
        names |= {name: f"$.results.{one.id}" for name, one in told.items()}
        self.limits = dict(self._limits(answer, names, known))
        conditions: list[ConditionText] = []
        flows = tuple(self._flows(answer.flows, ids, names, known, conditions, gaps))
        for gap in answer.gaps:
            evidence = self.quoting.evidence([gap.at] if gap.at else [])
            gaps.append(_gap(gap.kind, gap.question, tuple(name for name in gap.about if name in names), evidence))
        results = tuple(self._result(one, known[name], names, known, gaps) for name, one in told.items())
        rules = tuple(self._rule(number, rule, names, known) for number, rule in enumerate(answer.rules, 1))
        used = {evidence.block for step in steps for evidence in step.evidence}
        return Procedure(
            id=procedure_id, title=answer.title, doc_id=self.document.doc_id, language=self.document.language,
            extent=tuple(block.address for block in self.document.blocks if block.address in used),
            triggers=tuple(map(self._trigger, answer.triggers)),
            facts=facts, steps=steps, results=results, conditions=tuple(conditions), flows=flows, constraints=rules,
            gaps=tuple(gap.model_copy(update={"id": f"g{number}"}) for number, gap in enumerate(gaps, 1)),
            method=self.method,
        )  # fmt: skip

    def _trigger(self, quote: Quote) -> Trigger:
        named = self.mentions.named_in(quote.q)
        return Trigger(text=quote.q, concepts=named, evidence=self.quoting.evidence([quote]))

    # --- parts ------------------------------------------------------------------------------------------------------

    def _facts(self, answer: AnsweredProcedure, known: Mapping[str, KnownFact]) -> Iterator[Fact]:
        for fact in answer.facts:
            one = known[fact.id]
            yield Fact(
                id=fact.id, name=fact.name, type=one.type, concept=one.concept.id if one.concept else None,
                unit=one.unit, enum=self.values.enum(fact, one), evidence=self.quoting.evidence(fact.at),
            )  # fmt: skip

    def _step(self, step: AnsweredStep, gaps: list[Gap]) -> Step:
        deadline = None
        if step.by is not None:
            evidence = self.quoting.evidence([step.by.at])
            said = {"duration": step.by.iso, "from": step.by.since, "evidence": evidence}
            try:
                deadline = Deadline.model_validate(said)
            except ValidationError:  # words that are no duration
                question = self._question("no_duration", words=step.by.at.q, read=step.by.iso)
                gaps.append(_gap("unclear_condition", question, (step.id,), evidence))
        return Step(
            id=step.id, text=step.at[0].q, kind=step.kind, actor=step.actor, recipient=step.to, modality=step.modality,
            deadline=deadline, outcomes=tuple(step.outcomes or ()), evidence=self.quoting.evidence(step.at), actions=(),
        )  # fmt: skip

    def _question(self, kind: str, **said: object) -> str:
        return str(lexicon(self.document.language).table("questions")[kind]).format(**said)

    def _result(
        self,
        answer: AnsweredResult,
        own: KnownFact,
        names: Mapping[str, str],
        known: Mapping[str, KnownFact],
        gaps: list[Gap],
    ) -> Result:
        """A result with its rows; what no formula or condition can be read of is asked about."""
        evidence = self.quoting.evidence(answer.at)
        step = answer.step if names.get(answer.step or "", "").startswith("$.steps.") else None
        rows = []
        asked: dict[str, None] = {}
        for row in answer.rows:
            words = self.quoting.with_headings([row.at])
            said = [e.quote for e in (*words, *evidence)]
            around = tuple(dict.fromkeys((*self.quoting.with_items([row.at]), *evidence)))
            beside = [*(e.quote for e in around), *self.quoting.around([row.at, *answer.at])]
            sources = ((words, said), (around, [e.quote for e in around]), (words, beside))  # the nearest words first
            attempts = (self._row(row, answer, shown, given, names, known) for shown, given in sources)
            first = next(attempts)
            found, read = next((one for one in chain((first,), attempts) if _borne_out(one[0])), first)
            asked = dict.fromkeys((*asked, *self._asked_of(read)))
            if found.formula is None:
                about = (step,) if step else ()
                question = self._question("no_formula", words=row.at.q, read=row.value, name=answer.name)
                gaps.append(_gap("unclear_condition", question, about, words))
            rows.append(found)
        for question in asked:
            text = question.format(words=answer.name)
            gaps.append(_gap("ambiguity", text, (step,) if step else (), rows[-1].evidence))
        kind = field_type(answer, own)
        enum = self.values.enum(as_fact(answer), own) if kind != "boolean" else None
        return Result(
            id=answer.id, name=answer.name, type=kind, concept=own.concept.id if own.concept else None, unit=own.unit,
            enum=enum, step=step, rows=tuple(rows), final=answer.final, evidence=evidence,
        )  # fmt: skip

    def _row(
        self,
        row: AnsweredRow,
        answer: AnsweredResult,
        words: tuple[Evidence, ...],
        said: Sequence[str],
        names: Mapping[str, str],
        known: Mapping[str, KnownFact],
    ) -> tuple[ResultRow, ReadFormula | None]:
        """A row as its words bear it out; without formula where it cannot be read.

        Args:
            said: words that may give its formula a number or a text; those that do are its evidence as well.
        """
        read = Formulas(names, known).formula(row, answer, said)
        formula = read.tree if read is not None else None
        predicate = None
        if formula is not None and row.when not in (None, "", "otherwise", "always"):
            try:
                predicate, _ = self._predicate(row.when or "", said, names, known)
            except InfixError:
                formula = None
        quotes = _literal_words(formula, predicate, said)
        more = (one for one in quotes if not any(holds(e.quote, one) for e in words))
        placed = [self.quoting.beside(one, [row.at, *answer.at]) for one in more]
        evidence = tuple(dict.fromkeys((*words, *self.quoting.evidence(placed))))
        return ResultRow(text=row.at.q, formula=formula, condition=predicate, evidence=evidence), read

    def _asked_of(self, read: ReadFormula | None) -> Iterator[str]:
        """What a formula takes for granted and the document does not say."""
        questions = lexicon(self.document.language).table("questions")
        if read is not None and read.assumed:
            yield str(questions["least"])
        if read is not None and read.below_zero:
            yield str(questions["below_zero"])
        if read is not None and read.working_days and not any(_WEEK.search(b.text) for b in self.document.blocks):
            yield str(questions["working_days"])

    def _rule(
        self, number: int, rule: AnsweredRule, names: Mapping[str, str], known: Mapping[str, KnownFact]
    ) -> Constraint:
        """A rule; its condition is left out where it cannot be read, for its text says it all.

        So is the case of a demand: what has to hold then is not in it.
        """
        quotes = [rule.at, *rule.words]
        words = [quote.q for quote in quotes]
        try:
            cases = rule.when if rule.modality in ("must_not", "may") else None
            predicate = self._predicate(cases, words, names, known)[0] if cases else None
        except InfixError:
            predicate = None
        steps = tuple(name for name in rule.steps if names.get(name, "").startswith("$.steps."))
        return Constraint.model_validate(
            {"id": f"k{number}", "text": rule.at.q, "modality": rule.modality, "steps": steps, "predicate": predicate,
             "evidence": self.quoting.evidence(quotes)}
        )  # fmt: skip

    def _flows(
        self,
        answered: Sequence[AnsweredFlow],
        steps: Collection[str],
        names: Mapping[str, str],
        known: Mapping[str, KnownFact],
        conditions: list[ConditionText],
        gaps: list[Gap],
    ) -> Iterator[Flow]:
        back = ways_back(answered)
        for at, flow in enumerate(answered):
            evidence = self.quoting.with_headings(flow.words)
            known_ends = flow.a in (START, *steps) and flow.z in (END, *steps)
            if not known_ends or at in back:
                kind: GapKind = "loop" if known_ends else "ambiguity"
                about = tuple(name for name in (flow.a, flow.z) if known_ends and name in steps)
                gaps.append(_gap(kind, f"{flow.a} → {flow.z}: ?", tuple(dict.fromkeys(about)), evidence))
                continue
            condition = self._condition(flow, names, known, evidence, conditions, gaps)
            way = "branch" if condition else "sequence"
            yield Flow.model_validate(
                {
                    "from": flow.a, "to": flow.z, "kind": way, "condition": condition, "evidence": evidence,
                    "ends": flow.ends if flow.z == END else None,
                }
            )  # fmt: skip

    def _condition(
        self,
        flow: AnsweredFlow,
        names: Mapping[str, str],
        known: Mapping[str, KnownFact],
        evidence: tuple[Evidence, ...],
        conditions: list[ConditionText],
        gaps: list[Gap],
    ) -> str | None:
        """The id of the flow's condition, made where it is new; `otherwise`, or None for always."""
        said = (flow.when or "").strip()
        if said in ("", "always", "otherwise"):
            return "otherwise" if said == "otherwise" else None
        words = [quote.q for quote in flow.words]
        about = (flow.a,) if flow.a != START else ()
        predicate = None
        try:
            if said != UNCLEAR:
                predicate, also = self._predicate(said, [e.quote for e in evidence], names, known)
                evidence = tuple(dict.fromkeys((*evidence, *also)))
            elif not words:
                gaps.append(_gap("unclear_condition", f"{flow.a} → {flow.z}: ?", about, ()))
        except InfixError as fault:
            gaps.append(_gap("unclear_condition", f"{words[0] if words else said} ({fault})", about, evidence))
        condition = ConditionText.model_validate(
            {"id": f"c{len(conditions) + 1}", "text": words[0] if words else said, "predicate": predicate,
             "evidence": evidence}
        )  # fmt: skip
        conditions.append(condition)
        return condition.id

    def _predicate(
        self, said: str, words: Sequence[str], names: Mapping[str, str], known: Mapping[str, KnownFact]
    ) -> tuple[JsonValue, tuple[Evidence, ...]]:
        """An infix condition as a predicate, each literal with its words, and evidence that these need besides.

        A limit of a fact that these words do not give (`otherwise`, said as `amount <= 5`) has those of another way.

        Raises:
            InfixError: it cannot be read, or reads something that is neither a fact nor a step's outcome.
        """
        tree = parse_infix(MISSING.sub(r"is_null(\1)", said), names)
        stray = [ref.text for ref in references(tree) if ref.root not in ("facts", "steps", "results")]
        if stray:
            raise InfixError(0, stray[0], "a fact or a step's outcome")
        also: list[Evidence] = []

        def sourced(literal: Literally, ref: str) -> Literally:
            found = self.values.literal(literal, known.get(_name(ref)), words)
            limit = self.limits.get((ref, canonical_json(found.value)))
            if found.status is None and limit is not None:
                also.extend(limit[1])
                return limit[0]
            return found

        return condition_json(with_literals(tree, sourced)), tuple(also)

    def _limits(
        self, answer: AnsweredProcedure, names: Mapping[str, str], known: Mapping[str, KnownFact]
    ) -> Iterator[tuple[tuple[str, str], tuple[Literally, tuple[Evidence, ...]]]]:
        """Each number that words of the answer bear out, by the fact that it is a limit of, with these words."""
        for said, quotes in [(f.when, f.words) for f in answer.flows] + [
            (r.when, [r.at, *r.words]) for r in answer.rules
        ]:
            evidence = self.quoting.with_headings(quotes)
            try:
                tree = parse_infix(said or "", names)
            except InfixError:
                continue
            for leaf in leaves(tree):
                if isinstance(leaf, Compare) and isinstance(leaf.left, Ref) and isinstance(leaf.right, Literally):
                    fact = known.get(_name(leaf.left.text))
                    found = self.values.literal(leaf.right, fact, [e.quote for e in evidence])
                    if fact is not None and found.status is not None and not isinstance(found.value, bool):
                        yield (leaf.left.text, canonical_json(found.value)), (found, evidence)


def _name(ref: str) -> str:
    """The id of the fact or result that a reference reads."""
    return ref.removeprefix("$.facts.").removeprefix("$.results.")


def _literal_words(formula: Expression | None, predicate: JsonValue, said: Sequence[str]) -> list[str]:
    """The words of the literals of a row."""
    found: list[str | None] = []
    for part, _ in parts(formula) if formula is not None else ():
        if isinstance(part, Constant) and part.quote:
            found.append(part.quote if len(part.quote) > _LEAST else _around(part.quote, said))
    for leaf in leaves(parse_tree(predicate)) if formula is not None and predicate is not None else ():
        if isinstance(leaf, Compare) and isinstance(leaf.right, Literally) and leaf.right.status is not None:
            found.append(leaf.right.quote or _written(leaf.right.value, said))
    return [quote for quote in dict.fromkeys(found) if quote]


def _written(value: JsonValue, said: Sequence[str]) -> str | None:
    """A text, or a number as the words write it."""
    if not isinstance(value, int | float):
        return value if isinstance(value, str) else None
    numbers = (one.text.strip() for text in said for one in find_numbers(text) if one.value == value)
    return _around(next(numbers, ""), said)


def _around(words: str, said: Sequence[str]) -> str | None:
    """Some words with others around them: a digit alone stands in many places."""
    for text in said:
        found = re.search(
            rf"(?<![\w.,]){re.escape(words)}(?![\w]|[.,]\d)" if words.isascii() else re.escape(words), text
        )
        if found is not None and words:
            before = text[max(0, found.start() - _AROUND) : found.start()]
            after = text[found.end() : found.end() + _AROUND]
            before = re.sub(r"^[A-Za-z]+", "", before) if found.start() > _AROUND else before
            after = re.sub(r"[A-Za-z]+$", "", after) if found.end() + _AROUND < len(text) else after
            return f"{before}{words}{after}".strip()
    return None


def _borne_out(row: ResultRow) -> bool:
    """Whether a row has a formula, and the numbers and texts of its condition have their words."""
    tree = parse_tree(row.condition) if row.condition is not None else None
    return row.formula is not None and (tree is None or not unsupported_literals(tree, row.evidence))


def _gap(kind: GapKind, question: str, about: tuple[str, ...], evidence: tuple[Evidence, ...]) -> Gap:
    return Gap(id="", kind=kind, question=question, about=about, evidence=evidence)
