"""The evaluator, the solver and a second evaluator agree on formulas drawn from a seed."""

import datetime
import os
from fractions import Fraction
from random import Random
from typing import Any

import pytest
import z3
from effort import drawn
from random_formulas import FIELDS, WORKFLOW, Formulas, values
from second_evaluator import NoValue, second

from catalog.load import Catalog
from ir.formula import Expression, expression_json, expression_references, parse_expression
from ir.formulas.evaluate import FormulaFault, compute
from ir.formulas.infix import parse_formula, to_formula
from validator.analysis.formula_types import type_formula
from validator.analysis.ranges import range_of
from validator.analysis.types import Scope
from validator.proofs.encode import Encoder
from validator.proofs.expressions import Encoded, Scalar, encode_formula
from validator.proofs.formulas import negation
from validator.proofs.kinds import amount_of, constant
from validator.proofs.prover import Prover

pytestmark = pytest.mark.slow

CHUNKS, EACH = 10, drawn(25, 200)
SEED = int(os.environ.get("FLOWC_SEED", "0"))
SCOPE = Scope(WORKFLOW, Catalog({}, {}))


def scalar(value: Any) -> Any:
    """A value as the solver's constant."""
    if isinstance(value, str):
        return datetime.date.fromisoformat(value).toordinal()
    return value


def outcome(tree: Expression, given: dict[str, Any]) -> tuple[Any, Any]:
    """What the second evaluator says: an exact value, or a code."""
    try:
        return second(expression_json(tree), {f"$.inputs.{name}": value for name, value in given.items()}), None
    except NoValue as fault:
        return None, str(fault)


def fixed(encoder: Encoder, tree: Expression, given: dict[str, Any]) -> list[Any]:
    """That everything that a formula reads has its value."""
    told: list[Any] = []
    for ref in expression_references(tree):
        value = given[ref.path[0]]
        field = encoder.field(ref)
        null = encoder.is_null(ref)
        told.append(null if value is None else negation(null))
        if value is not None:
            amount = amount_of(value, field.kind, encoder.texts)
            assert amount is not None
            told.append(field.term == constant(amount, encoder.ctx))
    return [*told, *encoder.facts(expression_references(tree))]


def agrees(encoded: Encoded, told: list[Any], exact: Any, code: str | None, prover: Prover) -> bool:
    """Whether the solver says what the evaluators say: for certain where it is exact, else as possible."""
    value, hazards = encoded.value, encoded.hazards
    safe = [negation(hazard.when) for hazard in hazards]
    given = [*told, *encoded.limits]
    if code is not None:
        named = [hazard.when for hazard in hazards if hazard.code in (code, "")]
        if not any(prover.can_hold(*given, when) for when in named):
            return False
        return encoded.loose or prover.can_hold(*given, *safe) is False
    if exact is None:
        possible = prover.can_hold(*given, *safe, negation(value.known))
        return bool(possible) and (encoded.loose or prover.can_hold(*given, value.known) is False)
    same = [value.known, same_as(value, exact)]
    if not prover.can_hold(*given, *safe, *same):
        return False
    return encoded.loose or prover.can_hold(*given, z3.Not(z3.And(*safe, *same))) is False


def same_as(value: Scalar, exact: Any) -> Any:
    """That the term of a formula has an exact value."""
    if isinstance(exact, bool):
        return value.term if exact else negation(value.term)
    if isinstance(exact, Fraction):
        return value.term == z3.Q(exact.numerator, exact.denominator, value.term.ctx)
    return value.term == scalar(exact)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_three_ways_agree(chunk: int) -> None:
    """On 2,000 formulas (fewer in `make check`) value, unknown or code are the same; the solver is told exactly, or in
    bounds that hold the value; text form, type and range are right."""
    loose = 0
    for number in range(EACH):
        seed = (SEED * CHUNKS + chunk) * 100_000 + number
        rng = Random(seed)
        tree = parse_expression(Formulas(rng).any(rng.randint(1, 4)))
        assert parse_formula(to_formula(tree)) == tree, seed
        found_type, faults = type_formula(tree, SCOPE.spec, ["weekdays@1"])
        assert not [fault for fault in faults if fault.code == "operand-mismatch"], (seed, to_formula(tree), faults)
        null = {name: z3.Bool(f"{name} is null", ctx) for ctx in [z3.Context()] for name in FIELDS}
        encoder = Encoder((), SCOPE, lambda ref, null=null: null[ref.path[0]], next(iter(null.values())).ctx)
        for ref in expression_references(tree):
            encoder.field(ref)
        encoded = encode_formula(encoder, tree)
        loose += encoded.loose
        low, high = range_of(tree, SCOPE.spec)
        for _ in range(3):
            given = values(rng)
            exact, code = outcome(tree, given)
            first = compute(tree, lambda ref, given=given: given[ref.path[0]])
            shown = (seed, to_formula(tree), given, first, exact, code)
            if code is not None:
                assert isinstance(first, FormulaFault), shown
                assert first.code == code, shown
            else:
                assert not isinstance(first, FormulaFault), shown
                assert first == (float(exact) if isinstance(exact, Fraction) else exact), shown
            if isinstance(exact, Fraction) and not isinstance(exact, bool):
                assert (low is None or low <= exact) and (high is None or exact <= high), shown
                assert not found_type.whole or exact.denominator == 1, shown
            assert agrees(encoded, fixed(encoder, tree, given), exact, code, Prover(encoder)), shown
    assert loose < EACH * 0.6
