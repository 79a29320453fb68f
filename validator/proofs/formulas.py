"""Formulas of the solver, put together without its Python interface's coercions, which cost more than the solving."""

from collections.abc import Iterable
from typing import Any

import z3
from z3 import z3core

Formula = Any


def conjunction(formulas: Iterable[Formula], ctx: z3.Context) -> Formula:
    """All of them; true where there are none."""
    given = list(formulas)
    if len(given) == 1:
        return given[0]
    return z3.BoolRef(z3core.Z3_mk_and(ctx.ref(), len(given), _array(given)), ctx)


def disjunction(formulas: Iterable[Formula], ctx: z3.Context) -> Formula:
    """Some of them; false where there are none."""
    given = list(formulas)
    if len(given) == 1:
        return given[0]
    return z3.BoolRef(z3core.Z3_mk_or(ctx.ref(), len(given), _array(given)), ctx)


def negation(formula: Formula) -> Formula:
    """Not it."""
    return z3.BoolRef(z3core.Z3_mk_not(formula.ctx_ref(), formula.as_ast()), formula.ctx)


def both(left: Formula, right: Formula) -> Formula:
    """One and the other."""
    return conjunction((left, right), left.ctx)


def either(*formulas: Formula) -> Formula:
    """One or another."""
    return disjunction(formulas, formulas[0].ctx)


def exclusive_or(left: Formula, right: Formula) -> Formula:
    """Just one of two."""
    return z3.BoolRef(z3core.Z3_mk_xor(left.ctx_ref(), left.as_ast(), right.as_ast()), left.ctx)


def holds_in(model: Any, formula: Formula) -> bool:
    """Whether a formula holds in a model; of what the model leaves open, as the solver fills it up."""
    found = (z3.Ast * 1)()
    z3core.Z3_model_eval(formula.ctx_ref(), model.model, formula.as_ast(), True, found)
    return bool(z3core.Z3_get_bool_value(formula.ctx_ref(), found[0]) == z3.Z3_L_TRUE)


def _array(formulas: list[Formula]) -> Any:
    return (z3.Ast * len(formulas))(*(formula.as_ast() for formula in formulas))
