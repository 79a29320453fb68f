"""From the compact answer to a procedure: quotes to evidence, text to conditions, each value with its words.

Nothing is mended by guess: a condition that cannot be read stays as text with a gap; a flow to a step that there is not
becomes a gap.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator

from compiler.grounding import Library, literal_supported
from compiler.modelled.form import AnsweredFlow, AnsweredProcedure, AnsweredStep, Quote
from compiler.offline.forms import concept_named
from compiler.offline.mentions import Mentions
from compiler.text.units import convert, find_quantities
from ir.document import Document
from ir.infix import InfixError, parse_infix
from ir.predicate import Compare, Junction, Literally, Not, Operand, Ref, Tree, condition_json, leaves
from ir.procedure import (
    END,
    START,
    ConditionText,
    Constraint,
    Deadline,
    Fact,
    Flow,
    Gap,
    Procedure,
    Step,
    Trigger,
)
from ir.source import Evidence

_ROW = re.compile(r"^(?P<table>.+)-r(?P<row>\d+)$")


class Expander:
    """Expands the answers about one document.

    Args:
        mentions: gives facts the concepts that their names are names of.
        method: the model's name, as the procedure's `method`.
    """

    def __init__(self, document: Document, mentions: Mentions, method: str) -> None:
        self.document, self.mentions, self.method = document, mentions, method
        self.library = Library(document)
        self.addresses = {block.address for block in document.blocks}

    def procedure(self, answer: AnsweredProcedure, procedure_id: str) -> Procedure:
        """The procedure that an answer tells of."""
        facts = tuple(self._facts(answer))
        steps = tuple(self._step(step) for step in answer.steps)
        ids = {step.id for step in steps}
        gaps: list[Gap] = []
        conditions: list[ConditionText] = []
        flows = tuple(self._flows(answer.flows, facts, ids, conditions, gaps))
        for gap in answer.gaps:
            evidence = self._evidence([gap.at] if gap.at else [])
            about = tuple(name for name in gap.about if name in ids or name in {fact.id for fact in facts})
            gaps.append(
                Gap(id=f"g{len(gaps) + 1}", kind=gap.kind, question=gap.question, about=about, evidence=evidence)
            )
        rules = tuple(
            Constraint(
                id=f"k{number}", text=rule.text, modality=rule.modality,
                steps=tuple(name for name in rule.steps if name in ids), evidence=self._evidence([rule.at]),
            )
            for number, rule in enumerate(answer.rules, 1)
        )  # fmt: skip
        used = {evidence.block for step in steps for evidence in step.evidence}
        return Procedure(
            id=procedure_id, title=answer.title, doc_id=self.document.doc_id, language=self.document.language,
            extent=tuple(block.address for block in self.document.blocks if block.address in used),
            triggers=tuple(Trigger(text=quote.q, evidence=self._evidence([quote])) for quote in answer.triggers),
            facts=facts, steps=steps, conditions=tuple(conditions), flows=flows, constraints=rules, gaps=tuple(gaps),
            method=self.method,
        )  # fmt: skip

    # --- parts ------------------------------------------------------------------------------------------------------

    def _facts(self, answer: AnsweredProcedure) -> Iterator[Fact]:
        for fact in answer.facts:
            concept = self.mentions.concepts.get(concept_named(fact.name, self.mentions) or "")
            if concept is not None and concept.type != fact.type:
                concept = None
            yield Fact(
                id=fact.id, name=fact.name, type=fact.type, concept=concept.id if concept else None, unit=fact.unit,
                enum=tuple(fact.values) if fact.values else None, evidence=self._evidence(fact.at),
            )  # fmt: skip

    def _step(self, step: AnsweredStep) -> Step:
        deadline = None
        if step.by is not None:
            deadline = Deadline.model_validate(
                {"duration": step.by.iso, "from": step.by.since, "evidence": self._evidence([step.by.at])}
            )
        return Step(
            id=step.id, text=step.text, kind=step.kind, actor=step.actor, recipient=step.to, modality=step.modality,
            deadline=deadline, outcomes=tuple(step.outcomes or ()), evidence=self._evidence(step.at), actions=(),
        )  # fmt: skip

    def _flows(
        self,
        answered: Iterable[AnsweredFlow],
        facts: tuple[Fact, ...],
        ids: set[str],
        conditions: list[ConditionText],
        gaps: list[Gap],
    ) -> Iterator[Flow]:
        names = {fact.id: f"$.facts.{fact.id}" for fact in facts} | {name: f"$.steps.{name}" for name in ids}
        units = {f"$.facts.{fact.id}": fact.unit for fact in facts}
        for flow in answered:
            known = flow.a in ids | {START} and flow.z in ids | {END}
            evidence = self._evidence([flow.words] if flow.words else [])
            if not known:
                question = f"{flow.a} → {flow.z}: ?"
                gaps.append(Gap(id=f"g{len(gaps) + 1}", kind="ambiguity", question=question, evidence=evidence))
                continue
            condition = self._condition(flow, names, units, evidence, conditions, gaps)
            kind = "branch" if condition else "sequence"
            yield Flow.model_validate(
                {
                    "from": flow.a, "to": flow.z, "kind": kind, "condition": condition, "evidence": evidence,
                    "ends": flow.ends if flow.z == END else None,
                }
            )  # fmt: skip

    def _condition(
        self,
        flow: AnsweredFlow,
        names: dict[str, str],
        units: dict[str, str | None],
        evidence: tuple[Evidence, ...],
        conditions: list[ConditionText],
        gaps: list[Gap],
    ) -> str | None:
        """The id of the flow's condition, made where it is new; `otherwise`, or None for always."""
        said = (flow.when or "").strip()
        if said in ("", "always", "otherwise"):
            return "otherwise" if said == "otherwise" else None
        words = flow.words.q if flow.words else said
        try:
            tree = parse_infix(said, names)
            stray = [ref.text for ref in _references(tree) if ref.root not in ("facts", "steps")]
            if stray:
                raise InfixError(0, stray[0], "a fact or a step's outcome")
            predicate = condition_json(_worded(tree, lambda literal, ref: _sourced(literal, words, units.get(ref))))
        except InfixError as fault:
            predicate = None
            about = (flow.a,) if flow.a != START else ()
            gaps.append(
                Gap(
                    id=f"g{len(gaps) + 1}", kind="unclear_condition", question=f"{words} ({fault})", about=about,
                    evidence=evidence,
                )
            )  # fmt: skip
        condition = ConditionText.model_validate(
            {"id": f"c{len(conditions) + 1}", "text": words, "predicate": predicate, "evidence": evidence}
        )
        conditions.append(condition)
        return condition.id

    def _evidence(self, quotes: Iterable[Quote]) -> tuple[Evidence, ...]:
        """Quotes as evidence where they are found, looked for first in the block that the answer names."""
        return tuple(self.library.search(quote.q, near=self._address(quote.b)).evidence for quote in quotes if quote.q)

    def _address(self, block: str) -> str | None:
        """Where an answer's words are looked for first: of a table's row, in the table; None where there is no such."""
        if block in self.addresses or block in self.library.by_address:
            return block
        row = _ROW.match(block)
        return row["table"] if row is not None and row["table"] in self.addresses else None


def _references(tree: Tree) -> Iterator[Ref]:
    for leaf in leaves(tree):
        if isinstance(leaf, Compare):
            yield from (side for side in (leaf.left, leaf.right) if isinstance(side, Ref))


def _worded(tree: Tree, source: Callable[[Literally, str], Literally]) -> Tree:
    """The tree with the words of each literal."""
    if isinstance(tree, Junction):
        return Junction(tree.op, tuple(_worded(item, source) for item in tree.items))
    if isinstance(tree, Not):
        return Not(_worded(tree.item, source))
    if not isinstance(tree, Compare):
        return tree
    ref = next((side.text for side in (tree.left, tree.right) if isinstance(side, Ref)), "")

    def side(operand: Operand) -> Operand:
        return source(operand, ref) if isinstance(operand, Literally) else operand

    return Compare(tree.op, side(tree.left), side(tree.right))


def _sourced(literal: Literally, words: str, unit: str | None) -> Literally:
    """The literal with the words that bear it out; as it is where none do, so that it is found out."""
    value = literal.value
    if isinstance(value, bool):
        return Literally(value, words, "converted", words)
    for quantity in find_quantities(words):
        same = convert(quantity.value, quantity.unit.id, unit) if unit else quantity.value
        if isinstance(value, int | float) and same is not None and math.isclose(same, value):
            return Literally(value, quantity.text, "converted", quantity.text)
    quoted = Literally(value, None, "quoted")
    return quoted if literal_supported(quoted, [words]) else literal
