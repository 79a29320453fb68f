"""Values for which conditions come out as wanted: tried where there are few, else asked of the solver."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pydantic import JsonValue

from ir.predicate import Lookup, Ref, Tree, evaluate, references
from validator.analysis.enumeration import Assignment, Nulls, space_of
from validator.analysis.path_conditions import Constraint, PathCondition, TooManyValuesError, fulfil
from validator.analysis.types import Scope

if TYPE_CHECKING:
    from validator.proofs.encode import Encoder
    from validator.proofs.formulas import Formula

TRIED = 5_000
"""The most values that are tried before the solver is asked."""


class UnsolvedError(Exception):
    """It was not found out whether there are such values.

    Args:
        why: in words.
    """

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


class ExtraCondition(Protocol):
    """Something else that values must fulfil, besides single conditions."""

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The conditions that it reads."""

    def holds(self, values: Lookup) -> bool:
        """Whether it holds."""

    def formula(self, encoder: "Encoder") -> "Formula":
        """When it holds; Opaque where the solver cannot be asked."""


@dataclass(frozen=True)
class Problem:
    """Which values are looked for.

    Args:
        scope: the types of references.
        fixed: references that are null.
        nulls: from where the others can be null.
    """

    scope: Scope
    conditions: tuple[PathCondition, ...] = ()
    extra: ExtraCondition | None = None
    fixed: frozenset[Ref] = frozenset()
    nulls: Nulls = lambda ref: ()

    @property
    def trees(self) -> tuple[Tree, ...]:
        """All conditions that are read."""
        return (*(condition.tree for condition in self.conditions), *(self.extra.trees if self.extra else ()))

    @property
    def refs(self) -> tuple[Ref, ...]:
        """All that is read, each once."""
        return tuple(dict.fromkeys(ref for tree in self.trees for ref in references(tree)))

    def holds(self, values: Lookup) -> bool:
        """Whether values are such as are looked for."""
        return all(evaluate(one.tree, values) in one.truths for one in self.conditions) and (
            self.extra is None or self.extra.holds(values)
        )

    def solve(self) -> Assignment | None:
        """Such values; None where it is certain that there are none.

        Raises:
            UnsolvedError: neither was found out.
        """
        fixed: Mapping[Ref, JsonValue] = dict.fromkeys(self.fixed)
        space = space_of(self.trees, self.scope.spec, fixed, self.nulls)
        domains = {ref: tuple(sorted(values, key=oddness)) for ref, values in space.domains.items()}
        try:
            found = fulfil(domains, self._constraints, TRIED)
        except TooManyValuesError:
            return self._ask_solver()
        return found if found or space.exact else self._ask_solver()

    @property
    def _constraints(self) -> tuple[Constraint, ...]:
        constraints = tuple(map(Constraint.from_condition, self.conditions))
        if self.extra is None:
            return constraints
        read = dict.fromkeys(ref for tree in self.extra.trees for ref in references(tree))
        return (*constraints, Constraint(tuple(read), self.extra.holds))

    def _ask_solver(self) -> Assignment | None:
        from validator.analysis.solved import solve_with_prover  # the solver takes long to load and is seldom needed

        return solve_with_prover(self)


def oddness(value: JsonValue) -> int:
    """Plain values first, negative numbers later, null last."""
    if value is None:
        return 2
    return int(isinstance(value, int | float) and value < 0)
