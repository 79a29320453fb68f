"""The solver's effort is bounded: what it found once it may not find again, and nothing falls over that."""

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
