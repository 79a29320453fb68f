"""The solver's effort is bounded: what it found once it may not find again, and nothing falls over that."""

from pathlib import Path

import pytest
import z3
from random_formulas import WORKFLOW

from catalog.load import Catalog
from ir.predicate import Ref
from validator.analysis.types import Scope
from validator.proofs.encode import Encoder
from validator.proofs.prover import Prover


@pytest.mark.parametrize("later", [True, None])
def test_values_come_also_where_the_second_question_finds_nothing(
    later: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain values where it does, else those that were found at first."""
    ctx = z3.Context()
    name = next(iter(WORKFLOW.inputs))
    ref = Ref(f"$.inputs.{name}")
    encoder = Encoder((), Scope(WORKFLOW, Catalog({}, {})), lambda ref: z3.Bool(f"{ref.text} is null", ctx), ctx)
    encoder.field(ref)
    prover = Prover(encoder)
    answers: list[bool | None] = [True]
    ask = prover.can_hold

    def can_hold(*formulas: object) -> bool | None:
        found = ask(*formulas)
        return answers.pop() if answers else (found if later else None)

    monkeypatch.setattr(prover, "can_hold", can_hold)
    found = prover.values([z3.BoolVal(True, ctx)], [ref])
    assert isinstance(found, dict) and set(found) == {ref}


def test_what_the_solver_does_not_find_out_at_once_it_does_when_all_is_simplified() -> None:
    """Seven doses, each computed of those before and rounded, as a draft of an SOP has them; a model comes with it."""
    ctx = z3.Context()
    prover = Prover(Encoder((), Scope(WORKFLOW, Catalog({}, {})), lambda ref: z3.BoolVal(False, ctx), ctx))
    *given, asked = z3.parse_smt2_file(str(Path(__file__).with_name("rounded_doses.smt2")), ctx=ctx)
    prover.add(*given)
    assert prover.solver.check(asked) == z3.unknown
    assert prover.can_hold(asked) is True
    model = prover.model()
    assert all(z3.is_true(model.eval(one, model_completion=True)) for one in (*given, asked))
    assert prover.can_hold(z3.Not(asked), asked) is False
