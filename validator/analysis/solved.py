"""Asks the solver for the values that a problem looks for."""

import z3

from ir.predicate import Ref
from validator.analysis.enumeration import Assignment
from validator.analysis.path_conditions import PathCondition
from validator.analysis.solve import Problem, UnsolvedError
from validator.analysis.types import below
from validator.proofs.encode import Encoder
from validator.proofs.formulas import Formula, disjunction
from validator.proofs.kinds import Opaque
from validator.proofs.prover import Prover


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
