"""Arrays as the solver sees them: by what they hold, and by which lists they are.

An array is a function from values to whether it holds them. For each list that it is compared with as a whole it has a
proposition, that it is this list: then it is no other, and holds just what the list holds. That is all: any other set
of members is that of some array which is none of the lists, since a member can recur. Only the empty set is that of the
empty list alone; so where an array is compared with that, it is empty or holds something, of which nothing is said.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, permutations
from typing import Any

import z3
from pydantic import JsonValue

from ir.base import canonical_json
from ir.fields import FieldSpec
from ir.predicate import Ref
from validator.proofs.formulas import Formula, both, conjunction, disjunction, either, exclusive_or, holds_in, negation
from validator.proofs.kinds import (
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


@dataclass
class Array:
    """One array.

    Args:
        ref: the reference to it.
        items: what it holds; None where that is not said.
        texts: the numbers of texts.
        constants: what it is compared with.
        something: a value that it holds where it is not empty; None where that is not asked.
        facts: what holds for it; grows with what is asked.
    """

    ref: Ref
    items: FieldSpec | None
    texts: Texts
    constants: tuple[JsonValue, ...]
    facts: list[Formula]
    ctx: z3.Context
    something: tuple[Kind, Term] | None = None
    _held: dict[Kind, Any] = field(default_factory=dict)
    _asked: list[tuple[Kind, Term]] = field(default_factory=list)
    _lists: list[tuple[tuple[JsonValue, ...], Formula]] = field(default_factory=list)

    def member(self, value: JsonValue) -> tuple[Kind, Term]:
        """A value that it may hold.

        Raises:
            Opaque: it holds no such values.
        """
        kind = self._kind(value)
        amount = amount_of(value, kind, self.texts)
        if amount is None:
            raise Opaque(f"{self.ref.text} holds no values such as {value!r}")
        return kind, constant(amount, self.ctx)

    def holds(self, kind: Kind, term: Term) -> Formula:
        """That it holds a value."""
        kind, term = _as_number(kind, term)
        held = self._function(kind)(term)
        if all(not (known == kind and other.eq(term)) for known, other in self._asked):
            self._asked.append((kind, term))
            if self.items is not None and self.items.enum is not None:
                self.facts.append(either(negation(held), one_of(term, kind, self.items.enum, self.texts)))
            self.facts += [self._just(value, same, kind, term) for value, same in self._lists]
        return held

    def equals(self, value: Iterable[JsonValue]) -> Formula:
        """That it is a list, member by member.

        Raises:
            Opaque: it holds no such values.
        """
        listed = tuple(value)
        for known, same in self._lists:
            if _written(known) == _written(listed):
                return same
        if listed and self.items is None:
            raise Opaque(f"{self.ref.text} is compared with a whole list, and its type does not say what it holds")
        members = [self.member(member) for member in listed]
        same = z3.Bool(f"{self.ref.text} is list {len(self._lists)}", self.ctx)
        self.facts += [self._just(listed, same, kind, term) for kind, term in self._asked]
        self.facts += [negation(both(same, other)) for _, other in self._lists]
        self._lists.append((listed, same))
        if not listed:
            self._hold_something(same)
        elif self.items is not None and self.items.enum is not None:
            among = [one_of(term, kind, self.items.enum, self.texts) for kind, term in members]
            self.facts.append(either(negation(same), conjunction(among, self.ctx)))
        return same

    def value(self, model: Any) -> list[JsonValue]:
        """It in a model: one of the lists, or just the values that it must hold, written as none of the lists is."""
        for listed, same in self._lists:
            if holds_in(model, same):
                return list(listed)
        members: list[JsonValue] = []
        for kind, term in self._asked:
            if holds_in(model, self._function(kind)(term)):
                found = value_of(model.eval(term, model_completion=True), kind, self.texts)
                members += [] if found in members else [found]
        lists = {_written(listed) for listed, _ in self._lists}
        return next(one for one in self._with_just(members) if _written(one) not in lists)

    def _just(self, listed: Iterable[JsonValue], same: Formula, kind: Kind, term: Term) -> Formula:
        """That it holds a value, where it is a list, just as the list does."""
        own = [_as_number(*self.member(value)) for value in listed]
        among = disjunction([term == other for of, other in own if of == kind], self.ctx)
        return either(negation(same), negation(exclusive_or(self._function(kind)(term), among)))

    def _hold_something(self, empty: Formula) -> None:
        """It is empty or holds something; nothing is said of it where it holds objects, or what is not known."""
        if self.items is None or self.items.type in ("object", "array"):
            return
        kind = kind_of(self.items, self.constants)
        term = variable(f"something that {self.ref.text} holds", kind, self.ctx)
        self.something = kind, term
        self.facts.append(either(empty, conjunction((self.holds(kind, term), *bounds(term, kind)), self.ctx)))

    def _with_just(self, members: list[JsonValue]) -> Iterator[list[JsonValue]]:
        """Arrays that hold just these; where that is nothing, and it is not empty, what nothing was said of."""
        yield members
        yield from (list(order) for order in permutations(members[:4]) if len(members) <= 4)
        unsaid: dict[str, JsonValue] = {"object": {}, "array": []}
        more = members or [unsaid.get(self.items.type if self.items else "", self.texts.text(self.texts.spare))]
        yield from ([*members, *more[-1:] * times] for times in count(1))

    def _function(self, kind: Kind) -> Any:
        if kind not in self._held:
            sort = variable("x", kind, self.ctx).sort()
            self._held[kind] = z3.Function(f"{self.ref.text} holds {kind}", sort, z3.BoolSort(self.ctx))
        return self._held[kind]

    def _kind(self, value: JsonValue) -> Kind:
        """What it holds; where it does not say, what it is asked for."""
        if self.items is not None:
            return kind_of(self.items, (value,))
        return "boolean" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


def _as_number(kind: Kind, term: Term) -> tuple[Kind, Term]:
    """Whole numbers as numbers, so that an array holds 1 where it holds 1.0."""
    if kind not in ("integer", "number"):
        return kind, term
    return "number", z3.ToReal(term) if term.is_int() else term


def _written(value: Sequence[JsonValue]) -> str:
    return canonical_json(list(value))
