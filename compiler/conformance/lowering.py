"""A procedure's conditions, over facts and outcomes, lowered to the inputs and outputs of a workflow.

Nothing is guessed: what cannot be told for certain is not lowered. A fact may stand for several fields (an input and
the output of a lookup of the same concept); then there are several readings.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product

from catalog.verdicts import verdict_field
from compiler.conformance.flow_conformance import FlowConformance
from compiler.text.lexicon import lexicon
from ir.fields import Fields, FieldSpec
from ir.predicate import Compare, CompareOp, Junction, Literally, Not, Null, Operand, Ref, Tree, references
from ir.procedure import Fact
from ir.workflow import HUMAN_APPROVAL, HUMAN_TASK
from validator.analysis.implication import OUTCOMES, PLAIN_OUTCOMES
from validator.analysis.types import Scope
from validator.analysis.units import same_unit


@dataclass(frozen=True)
class Interpretation:
    """One reading of some conditions.

    Args:
        facts: for each fact, by id, the field that holds it.
        yes: for each step whose node gives a truth value the outcome that stands for true.
    """

    facts: Mapping[str, Ref]
    yes: Mapping[str, str]


_READINGS = 16
_NUMBERS = {"integer", "number"}
_GOOD = frozenset(good for good, _ in OUTCOMES)
_REFUSING = {
    "zh": re.compile("[不未否拒退驳]"),
    "en": re.compile(r"\b(?:not?|never|reject|refus|den[iy]|declin|return|turned down|disapprov|disagree)", re.I),
}


@dataclass(frozen=True, eq=False)
class Lowering:
    """The terms of a procedure in its workflow."""

    conformance: FlowConformance
    scope: Scope

    @cached_property
    def _facts(self) -> Mapping[str, tuple[Ref, ...]]:
        return {fact.id: tuple(self._fields_holding(fact)) for fact in self.conformance.procedure.facts}

    def _fields_holding(self, fact: Fact) -> Iterator[Ref]:
        """The fields that may hold a fact: of its name or concept, and of its type and unit."""
        fields: list[tuple[str, str, FieldSpec]] = []
        fields += [(f"$.inputs.{key}", key, spec) for key, spec in self.conformance.workflow.inputs.items()]
        for node in self.conformance.workflow.nodes:
            fields += [(f"$.outputs.{node}.{path}", key, spec) for path, key, spec in _all(self.scope.outputs(node))]
        for text, key, spec in fields:
            named = key == fact.id or (fact.concept is not None and spec.concept == fact.concept)
            if (
                named
                and (spec.type == fact.type or {spec.type, fact.type} <= _NUMBERS)
                and same_unit(fact.unit or "", spec.unit or "")
            ):
                yield Ref(text)

    @cached_property
    def known_fields(self) -> frozenset[Ref]:
        """All fields that a fact or an outcome of the procedure may stand for."""
        steps = (self._outcome_field(step) for step in self.conformance.nodes_by_step)
        return frozenset((*(ref for refs in self._facts.values() for ref in refs), *(ref for ref in steps if ref)))

    def interpretations(self, trees: Iterable[Tree], read: frozenset[Ref]) -> Iterator[Interpretation]:
        """What the facts of some conditions may stand for: fields that are read there, where there are such.

        Args:
            read: the fields that the edges of the node in question read.
        """
        refs = dict.fromkeys(ref for tree in trees for ref in references(tree))
        facts = list(dict.fromkeys(ref.path[0] for ref in refs if ref.root == "facts"))
        steps = list(dict.fromkeys(ref.path[0] for ref in refs if ref.root == "steps"))
        fields = [self._facts.get(fact, ()) for fact in facts]
        pools: list[list[Ref | None]] = [[*([ref for ref in own if ref in read] or own)] or [None] for own in fields]
        words: list[tuple[str | None, ...]] = [self._yes(step) or (None,) for step in steps]
        for refs_, said in islice(product(product(*pools), product(*words)), _READINGS):
            yield Interpretation(
                {fact: ref for fact, ref in zip(facts, refs_, strict=True) if ref is not None},
                {step: word for step, word in zip(steps, said, strict=True) if word is not None},
            )

    def lower(self, tree: Tree, interpretation: Interpretation) -> Tree | None:
        """A condition of the procedure over the workflow's fields; None where a part of it cannot be told."""
        match tree:
            case Junction(op, items):
                parts = [self.lower(item, interpretation) for item in items]
                return None if None in parts else Junction(op, tuple(part for part in parts if part is not None))
            case Not(item):
                inner = self.lower(item, interpretation)
                return None if inner is None else Not(inner)
            case Null(ref, negated):
                found = interpretation.facts.get(ref.path[0]) if ref.root == "facts" else None
                return None if found is None else Null(found, negated)
            case Compare(op, left, right):
                if isinstance(left, Ref) and left.root == "steps" and isinstance(right, Literally):
                    return self._outcome(op, left, right, interpretation)
                sides = [self._side(side, interpretation) for side in (left, right)]
                return None if sides[0] is None or sides[1] is None else Compare(op, sides[0], sides[1])

    def _side(self, side: Operand, interpretation: Interpretation) -> Operand | None:
        if isinstance(side, Literally):
            return Literally(side.value)
        return interpretation.facts.get(side.path[0]) if side.root == "facts" and len(side.path) == 1 else None

    def _outcome_field(self, step: str) -> Ref | None:
        """The field that says how a step came out; None where several nodes carry it, or none that says so."""
        names = self.conformance.nodes_by_step.get(step, ())
        if len(names) != 1:
            return None
        node = self.conformance.workflow.nodes[names[0]]
        if node.type == HUMAN_TASK:
            return Ref(f"$.outputs.{names[0]}.outcome")
        if node.type == HUMAN_APPROVAL:
            return Ref(f"$.outputs.{names[0]}.approved")
        node_type = self.scope.type_of(names[0])
        field = verdict_field(node_type, self.scope.catalog) if node_type else None
        return Ref(f"$.outputs.{names[0]}.{field}") if field else None

    def _outcome(self, op: CompareOp, ref: Ref, literal: Literally, interpretation: Interpretation) -> Tree | None:
        step = ref.path[0]
        field = self._outcome_field(step)
        if field is None or ref.path[1:] != ("outcome",) or op not in ("eq", "ne", "in"):
            return None
        if self.conformance.workflow.nodes[field.path[0]].type == HUMAN_TASK:
            return Compare(op, field, Literally(literal.value))
        words = literal.value if isinstance(literal.value, list) else [literal.value]
        yes, known = interpretation.yes.get(step), {*self._outcomes(step), *PLAIN_OUTCOMES}
        verdicts = {word in (yes, *_GOOD) for word in words if word in known}
        if yes is None or len(verdicts) != 1 or not known.issuperset(words):
            return None
        return Compare("ne" if op == "ne" else "eq", field, Literally(verdicts.pop()))

    def _outcomes(self, step: str) -> tuple[str, ...]:
        return next((one.outcomes for one in self.conformance.procedure.steps if one.id == step), ())

    def approval_field(self, step: str) -> Ref | None:
        """The decision of the approval that carries a step; None where it is no approval."""
        field = self._outcome_field(step)
        approval = field is not None and self.conformance.workflow.nodes[field.path[0]].type == HUMAN_APPROVAL
        return field if approval else None

    def _yes(self, step: str) -> tuple[str, ...]:
        """The outcomes that may stand for true: where the words do not tell which of two, each of them."""
        outcomes, language = self._outcomes(step), self.conformance.procedure.language
        if not set(outcomes) - PLAIN_OUTCOMES:
            return tuple(_GOOD & set(outcomes)) or tuple(sorted(_GOOD))[:1]
        if len(outcomes) != 2:
            return ()
        no = [outcome for outcome in outcomes if _refuses(outcome, language)]
        yes = [outcome for outcome in outcomes if outcome not in no]
        if len(no) == 1 and (self.approval_field(step) or _passes(yes[0], language)):
            return (yes[0],)
        return () if self.approval_field(step) else outcomes


def _refuses(word: str, language: str) -> bool:
    """Whether a word for an outcome is a no."""
    cues, plain = lexicon(language), word.strip().lower()
    if plain in cues.words("verdict", "pass"):
        return False
    return plain in cues.words("verdict", "fail") or _REFUSING[cues.language].search(plain) is not None


def _passes(word: str, language: str) -> bool:
    """Whether a word for an outcome that is not a no is a yes."""
    plain = word.strip().lower()
    return any(good in plain for good in lexicon(language).words("verdict", "pass"))


def _all(fields: Fields | None, above: str = "") -> Iterator[tuple[str, str, FieldSpec]]:
    """The fields and those below them, each with its path and name."""
    for key, spec in (fields or {}).items():
        yield above + key, key, spec
        yield from _all(spec.properties, f"{above}{key}.")
