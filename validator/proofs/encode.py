"""Conditions as formulas of the solver, in Kleene's three-valued logic, and its models as values again.

A condition becomes two formulas: when it is true, and when it is false; where neither holds it is unknown, as the walk
has it (`ir.predicate.evaluate`). A reference is a term with a formula that says when it is null.
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import z3
from pydantic import JsonValue

from ir.fields import FieldSpec
from ir.predicate import Compare, Junction, Literally, Not, Null, Operand, Ref, Tree, compare, leaves
from validator.analysis.types import Scope
from validator.proofs.arrays import Array
from validator.proofs.formulas import Formula, both, conjunction, disjunction, either, holds_in, negation
from validator.proofs.kinds import (
    NUMERIC,
    Kind,
    Opaque,
    Term,
    Texts,
    amount_of,
    bounds,
    constant,
    kind_of,
    one_of,
    value_of,
    variable,
)

Nulls = Callable[[Ref], Formula | None]
_ORDER = {"lt": operator.lt, "lte": operator.le, "gt": operator.gt, "gte": operator.ge}


@dataclass(frozen=True)
class Truths:
    """When a condition is true and when it is false."""

    true: Formula
    false: Formula

    @property
    def unknown(self) -> Formula:
        """When it is neither."""
        return negation(either(self.true, self.false))


@dataclass(frozen=True)
class Field:
    """A reference's value."""

    kind: Kind
    term: Term


class Encoder:
    """Turns the conditions of one question into formulas.

    Args:
        trees: all conditions that will be asked about.
        scope: gives references their types.
        null: when a reference is null; None: never. A field below an object is null where the object is.
        ctx: the solver's context, of which the formulas that `null` gives must be; None: a new one.

    Attributes:
        rounded: a number that was given back is not the solver's, since no JSON number is.
        encoded: computed formulas that were told (`validator.proofs.expressions`).
        unknowns: how many terms there are of which only bounds are known.
        loose: what nodes compute is not told exactly, so that what the solver finds may not be so.
    """

    def __init__(self, trees: Iterable[Tree], scope: Scope, null: Nulls, ctx: z3.Context | None = None) -> None:
        self.ctx = ctx or z3.Context()
        self.scope, self.null = scope, null
        self.texts = Texts()
        self.yes, self.no = z3.BoolVal(True, self.ctx), z3.BoolVal(False, self.ctx)
        self._groups = _groups(trees)
        self._fields: dict[Ref, Field] = {}
        self._arrays: dict[Ref, Array] = {}
        self.rounded = False
        self._facts: dict[Ref, list[Formula]] = {}
        self.encoded: dict[object, object] = {}
        self.unknowns = 0
        self.loose = False

    def truths(self, tree: Tree) -> Truths:
        """When a condition is true, and when false.

        Raises:
            Opaque: the solver cannot be asked about it.
        """
        match tree:
            case Null(ref, negated):
                null = self.is_null(ref)
                return Truths(negation(null), null) if negated else Truths(null, negation(null))
            case Not(item):
                inner = self.truths(item)
                return Truths(inner.false, inner.true)
            case Junction(op, items):
                parts = [self.truths(item) for item in items]
                true, false = [part.true for part in parts], [part.false for part in parts]
                if op == "and":
                    return Truths(self.all(true), self.any(false))
                return Truths(self.any(true), self.all(false))
            case Compare():
                return self._compared(tree)

    def is_null(self, ref: Ref) -> Formula:
        """When a reference is null."""
        null = self.null(ref)
        return self.no if null is None else null

    def all(self, formulas: Iterable[Formula]) -> Formula:
        """The conjunction, also of none."""
        return conjunction(formulas, self.ctx)

    def any(self, formulas: Iterable[Formula]) -> Formula:
        """The disjunction, also of none."""
        return disjunction(formulas, self.ctx)

    def field(self, ref: Ref) -> Field:
        """The term of a reference.

        Raises:
            Opaque: its type is not known, or it is an object or array.
        """
        if ref not in self._fields:
            spec = self.scope.spec(ref)
            if spec is None:
                raise Opaque(f"{ref.text} has no known type")
            kind = kind_of(spec, self._groups.get(ref, ()))
            term = variable(ref.text, kind, self.ctx)
            listed = () if spec.enum is None else (one_of(term, kind, spec.enum, self.texts),)
            self._facts.setdefault(ref, []).extend((*bounds(term, kind), *self._range(term, kind, spec), *listed))
            self._fields[ref] = Field(kind, term)
        return self._fields[ref]

    def _range(self, term: Term, kind: Kind, spec: FieldSpec) -> list[Formula]:
        """The least and the greatest number that a field admits."""
        low, high = (amount_of(end, kind, self.texts) for end in (spec.minimum, spec.maximum))
        found = [] if low is None else [term >= constant(low, self.ctx)]
        return found if high is None else [*found, term <= constant(high, self.ctx)]

    def known(self, ref: Ref) -> Field | None:
        """The term of a reference that was asked about; of an array, of something that it holds."""
        array = self._arrays.get(ref)
        return self._fields.get(ref) if array is None or array.something is None else Field(*array.something)

    def listed(self, ref: Ref) -> tuple[JsonValue, ...]:
        """The values that a reference's type lists, or that of what it holds; none where it lists none."""
        spec = self.scope.spec(ref)
        spec = spec.items if spec is not None and spec.type == "array" else spec
        return spec.enum if spec is not None and spec.enum is not None else ()

    def facts(self, refs: Iterable[Ref]) -> tuple[Formula, ...]:
        """What holds for all values of the types of references that were asked about."""
        return tuple(fact for ref in refs for fact in self._facts.get(ref, ()))

    def constants(self, ref: Ref) -> tuple[JsonValue, ...]:
        """What a reference, or anything it is compared with, is compared with."""
        return tuple(self._groups.get(ref, ()))

    def _compared(self, leaf: Compare) -> Truths:
        op, left, right = leaf.op, leaf.left, leaf.right
        if isinstance(left, Literally) and isinstance(right, Literally):
            return self._known(compare(op, left.value, right.value), self.yes)
        if op in ("in", "contains"):
            return self._membership(*((left, right) if op == "in" else (right, left)))
        return self._pair(op, left, right)

    def _known(self, truth: bool | None, known: Formula) -> Truths:
        return Truths(known if truth is True else self.no, known if truth is False else self.no)

    def _pair(self, op: str, left: Operand, right: Operand) -> Truths:
        """Two values compared, at least one of them a reference."""
        if isinstance(left, Literally):
            turned = {"lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte"}
            return self._pair(turned.get(op, op), right, left)
        there = negation(self.is_null(left))
        array = self._array(left) if isinstance(right, Literally) else None
        if array is not None and isinstance(right, Literally):
            return self._as_list(op, array, right.value, there)
        mine = self.field(left)
        if isinstance(right, Literally):
            return self._with_literal(op, mine, right.value, there)
        other = self.field(right)
        there = both(there, negation(self.is_null(right)))
        alike = mine.kind == other.kind or {mine.kind, other.kind} <= set(NUMERIC)
        if not alike:
            raise Opaque(f"{left.text} and {right.text} are of different types")
        return self._related(op, mine.kind, mine.term, other.term, there)

    def _with_literal(self, op: str, mine: Field, value: JsonValue, there: Formula) -> Truths:
        amount = amount_of(value, mine.kind, self.texts)
        if amount is not None:
            return self._related(op, mine.kind, mine.term, constant(amount, self.ctx), there)
        if value is None or op not in ("eq", "ne"):
            return self._known(None, there)
        same_type = isinstance(value, str) and mine.kind not in ("boolean", *NUMERIC)
        return self._known(op == "ne" if same_type else None, there)

    def _related(self, op: str, kind: Kind, left: Term, right: Term, there: Formula) -> Truths:
        if op in ("eq", "ne"):
            same = left == right
            holds = same if op == "eq" else negation(same)
        elif kind == "boolean":
            return self._known(None, there)
        elif kind == "text":
            raise Opaque("texts are compared by their order")
        else:
            holds = _ORDER[op](left, right)
        return Truths(both(there, holds), both(there, negation(holds)))

    def _membership(self, item: Operand, group: Operand) -> Truths:
        if isinstance(group, Literally):
            if not isinstance(group.value, list):
                return self._known(None, self.yes)
            parts = [self._pair("eq", item, Literally(member)) for member in group.value]
            some = negation(self.is_null(item)) if isinstance(item, Ref) else self.yes
            true, false = [part.true for part in parts], [part.false for part in parts]
            return Truths(self.any(true), both(some, self.all(false)))
        return self._contained(item, group)

    def _contained(self, item: Operand, group: Ref) -> Truths:
        """Whether an array holds a value."""
        array = self._array(group)
        if array is None:
            raise Opaque(f"{group.text} is no array")
        there = negation(self.is_null(group))
        if isinstance(item, Ref):
            found = self.field(item)
            there = both(there, negation(self.is_null(item)))
            holds = array.holds(found.kind, found.term)
        else:
            holds = array.holds(*array.member(item.value))
        return Truths(both(there, holds), both(there, negation(holds)))

    def _as_list(self, op: str, array: Array, value: JsonValue, there: Formula) -> Truths:
        """Whether an array is a given list."""
        if op not in ("eq", "ne") or not isinstance(value, list):
            return self._known(None, there)
        same = array.equals(value)
        holds = same if op == "eq" else negation(same)
        return Truths(both(there, holds), both(there, negation(holds)))

    def _array(self, ref: Ref) -> Array | None:
        """The array of a reference; None where it is none."""
        if ref not in self._arrays:
            spec = self.scope.spec(ref)
            if spec is None or spec.type != "array":
                return None
            facts = self._facts.setdefault(ref, [])
            self._arrays[ref] = Array(ref, spec.items, self.texts, self.constants(ref), facts, self.ctx)
        return self._arrays[ref]

    def value(self, ref: Ref, model: Any) -> JsonValue:
        """A reference's value in a model; an array with just the values that it must hold."""
        if holds_in(model, self.is_null(ref)):
            return None
        if ref in self._fields:
            known = self._fields[ref]
            found = model.eval(known.term, model_completion=True)
            value = value_of(found, known.kind, self.texts)
            if known.kind == "number":
                self.rounded |= amount_of(value, "number", self.texts) != found.as_fraction()
            return value
        array = self._array(ref)
        return {} if array is None else array.value(model)


def _groups(trees: Iterable[Tree]) -> Mapping[Ref, list[JsonValue]]:
    """For each reference the constants that it, or anything it is compared with, is compared with."""
    groups: dict[Ref, list[JsonValue]] = {}
    for leaf in (leaf for tree in trees for leaf in leaves(tree) if isinstance(leaf, Compare)):
        refs = [side for side in (leaf.left, leaf.right) if isinstance(side, Ref)]
        found = [groups.get(ref, []) for ref in refs]
        merged = found[0] if len(found) == 1 or (found and found[0] is found[1]) else [v for own in found for v in own]
        for side in (leaf.left, leaf.right):
            if isinstance(side, Literally) and refs:
                merged += side.value if isinstance(side.value, list) else [side.value]
        olds = [id(own) for own in found]
        groups |= {ref: merged for ref, own in groups.items() if id(own) in olds}
        groups |= dict.fromkeys(refs, merged)
    return groups
