"""From the compact answer to a procedure: quotes to evidence, text to conditions, each value with its words.

Nothing is mended by guess: a condition that cannot be read stays as text with a gap; a flow to a step that there is not
becomes a gap, and so do a flow that leads back and a time limit that is none.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

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
from compiler.extract.model.results import Formulas, as_fact, field_type, results_of
from compiler.extract.model.tenable import ways_back
from compiler.extract.model.values import KnownFact, Values
from compiler.grounding import unsupported_literals
from compiler.text.mentions import Mentions
from ir.base import canonical_json
from ir.document import Document
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
from ir.source import Evidence


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
        known |= {one.id: self.values.known(as_fact(one)) for one in told}
        names |= {one.id: f"$.results.{one.id}" for one in told}
        self.limits = dict(self._limits(answer, names, known))
        conditions: list[ConditionText] = []
        flows = tuple(self._flows(answer.flows, ids, names, known, conditions, gaps))
        for gap in answer.gaps:
            evidence = self.quoting.evidence([gap.at] if gap.at else [])
            gaps.append(_gap(gap.kind, gap.question, tuple(name for name in gap.about if name in names), evidence))
        results = tuple(self._result(one, known[one.id], names, known, gaps) for one in told)
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
                gaps.append(_gap("missing_parameter", f"{step.by.at.q}: {step.by.iso}?", (step.id,), evidence))
        return Step(
            id=step.id, text=step.at[0].q, kind=step.kind, actor=step.actor, recipient=step.to, modality=step.modality,
            deadline=deadline, outcomes=tuple(step.outcomes or ()), evidence=self.quoting.evidence(step.at), actions=(),
        )  # fmt: skip

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
        for row in answer.rows:
            words = self.quoting.with_headings([row.at])
            found = self._row(row, answer, words, evidence, names, known)
            if not _borne_out(found):  # a list that the words introduce, and the words of the result, may say the rest
                around = tuple(dict.fromkeys((*self.quoting.with_items([row.at]), *evidence)))
                wider = self._row(row, answer, around, (), names, known)
                found = wider if _borne_out(wider) else found
            if found.formula is None:
                about = (step,) if step else ()
                gaps.append(_gap("unclear_condition", f"{answer.name}: {row.at.q} ({row.value})?", about, words))
            rows.append(found)
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
        around: tuple[Evidence, ...],
        names: Mapping[str, str],
        known: Mapping[str, KnownFact],
    ) -> ResultRow:
        """A row as its words bear it out; without formula where it cannot be read.

        Args:
            around: words that may give its formula a number or a text as well.
        """
        formula = Formulas(names).formula(row, answer, [e.quote for e in (*words, *around)])
        predicate = None
        if formula is not None and row.when not in (None, "", "otherwise", "always"):
            try:
                predicate, _ = self._predicate(row.when or "", [e.quote for e in words], names, known)
            except InfixError:
                formula = None
        return ResultRow(text=row.at.q, formula=formula, condition=predicate, evidence=words)

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
        tree = parse_infix(said, names)
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


def _borne_out(row: ResultRow) -> bool:
    """Whether a row has a formula, and the numbers and texts of its condition have their words."""
    tree = parse_tree(row.condition) if row.condition is not None else None
    return row.formula is not None and (tree is None or not unsupported_literals(tree, row.evidence))


def _gap(kind: GapKind, question: str, about: tuple[str, ...], evidence: tuple[Evidence, ...]) -> Gap:
    return Gap(id="", kind=kind, question=question, about=about, evidence=evidence)
