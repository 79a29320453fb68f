"""Asks the solver for the values that a problem looks for."""

import z3

from compiler.demands import Demand
from compiler.enumerate import Assignment
from compiler.proofs.encode import Encoder
from compiler.proofs.formulas import Formula
from compiler.proofs.kinds import Opaque
from compiler.proofs.prover import Prover
from compiler.solving import Problem, UnsolvedError
from compiler.typing_of import above, below
from ir.predicate import Ref


def solved(problem: Problem) -> Assignment | None:
    """Values as they are looked for, held against the conditions themselves; None where it is proved there are none.

    Raises:
        UnsolvedError: the solver cannot be asked, or does not find out.
    """
    encoder = Encoder(problem.trees, problem.scope, lambda ref: None)
    encoder.null = lambda ref: _null(problem, encoder, ref)
    prover = Prover(encoder)
    try:
        wanted = [_demanded(encoder, demand) for demand in problem.demands]
        wanted += [problem.contrast.formula(encoder)] if problem.contrast else []
    except Opaque as fault:
        raise UnsolvedError(fault.why) from fault
    prover.add(*encoder.facts(problem.refs))
    possible = prover.can(*wanted)
    if possible is None:
        raise UnsolvedError("the solver did not find out")
    if not possible:
        return None
    model = prover.plain_model(wanted, problem.refs)
    found = Assignment.of({ref: encoder.value(ref, model) for ref in problem.refs})
    if not problem.holds(found):
        raise UnsolvedError("what the solver found does not hold when it is tried")
    return found


def _null(problem: Problem, encoder: Encoder, ref: Ref) -> Formula | None:
    """When a reference is null: it may be, and is; or something that it is a part of is."""
    if any(below(ref, known) for known in problem.fixed):
        return encoder.yes
    parts = [one for one in (*above(ref), ref) if one in problem.refs and problem.may_be_null(one)]
    return encoder.any(z3.Bool(f"{one.text} is null", encoder.ctx) for one in parts) if parts else None


def _demanded(encoder: Encoder, demand: Demand) -> Formula:
    truths = encoder.truths(demand.tree)
    unknown = z3.Not(z3.Or(truths.true, truths.false))
    each = {True: truths.true, False: truths.false, None: unknown}
    return encoder.any(each[truth] for truth in demand.truths)
