"""Values for which conditions come out as wanted: tried where there are few, else asked of the solver."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import z3
from pydantic import JsonValue

from ir.predicate import Lookup, Ref, Tree, evaluate, references
from validator.analysis.enumeration import Assignment, Nulls, space_of
from validator.analysis.path_conditions import Constraint, PathCondition, TooManyValuesError, fulfil
from validator.analysis.types import Scope, below
from validator.proofs.encode import Encoder
from validator.proofs.formulas import Formula, disjunction
from validator.proofs.kinds import Opaque
from validator.proofs.prover import Prover

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

    def formula(self, encoder: Encoder) -> Formula:
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
            return solve_with_prover(self)
        return found if found or space.exact else solve_with_prover(self)

    @property
    def _constraints(self) -> tuple[Constraint, ...]:
        constraints = tuple(map(Constraint.from_condition, self.conditions))
        if self.extra is None:
            return constraints
        read = dict.fromkeys(ref for tree in self.extra.trees for ref in references(tree))
        return (*constraints, Constraint(tuple(read), self.extra.holds))


def solve_with_prover(problem: Problem) -> Assignment | None:
    """Values as they are looked for, held against the conditions themselves; None where it is proved there are none.

    Raises:
        UnsolvedError: the solver cannot be asked, or does not find out.
    """
    ctx = z3.Context()
    encoder = Encoder(problem.trees, problem.scope, lambda ref: _null(problem, ctx, ref), ctx)
    prover = Prover(encoder)
    try:
        wanted = [_condition_formula(encoder, condition) for condition in problem.conditions]
        wanted += [problem.extra.formula(encoder)] if problem.extra else []
    except Opaque as fault:
        raise UnsolvedError(fault.why) from fault
    prover.add(*encoder.facts(problem.refs))
    values = prover.values(wanted, problem.refs)
    if values is None:
        raise UnsolvedError("the solver did not find out")
    if not isinstance(values, dict):
        return None
    found = Assignment.from_values(values)
    if not problem.holds(found):
        raise UnsolvedError("what the solver found does not hold when it is tried")
    return found


def _null(problem: Problem, ctx: z3.Context, ref: Ref) -> Formula | None:
    """When a reference is null: something from where it can be null is."""
    if any(below(ref, known) for known in problem.fixed):
        return z3.BoolVal(True, ctx)
    parts = [z3.Bool(f"{source.text} is null", ctx) for source in problem.nulls(ref)]
    return disjunction(parts, ctx) if parts else None


def _condition_formula(encoder: Encoder, condition: PathCondition) -> Formula:
    truths = encoder.truths(condition.tree)
    each = {True: truths.true, False: truths.false, None: truths.unknown}
    return encoder.any(each[truth] for truth in condition.truths)


def oddness(value: JsonValue) -> int:
    """Plain values first, negative numbers later, null last."""
    if value is None:
        return 2
    return int(isinstance(value, int | float) and value < 0)
