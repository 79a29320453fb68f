"""Arrays as the solver sees them."""

from typing import Any

import pytest
import z3

from ir.fields import FieldSpec
from ir.predicate import Ref
from validator.proofs.arrays import Array
from validator.proofs.formulas import negation
from validator.proofs.kinds import Opaque, Texts

REF = Ref("$.inputs.x")


def array(items: dict[str, Any] | None) -> Array:
    """An array that holds this."""
    return Array(REF, FieldSpec.model_validate(items) if items else None, Texts(), (), [], z3.Context())


def shown(given: Array, *formulas: Any) -> list[Any] | None:
    """An array for which formulas hold; None where there is none."""
    solver = z3.Solver(ctx=given.ctx)
    solver.add(*formulas, *given.facts)
    return given.value(solver.model()) if solver.check() == z3.sat else None


@pytest.mark.parametrize(
    ("items", "lists", "found"),
    [
        ({"type": "boolean"}, [[], [True], [False]], {True, False}),
        ({"type": "string", "enum": ["a"]}, [[], ["a"], ["a", "a"]], {"a"}),
        ({"type": "string"}, [[], ["a"]], None),
        ({"type": "integer"}, [[], [0], [1]], None),
        ({"type": "object"}, [[]], None),
        (None, [[]], None),
    ],
)
def test_none_of_the_lists(items: Any, lists: list[Any], found: set[Any] | None) -> None:
    """What is none of some lists is written as none of them, of members that there can be."""
    given = array(items)
    value = shown(given, *(negation(given.equals(listed)) for listed in lists))
    assert value
    assert value not in lists
    assert found is None or set(value) <= found


def test_it_is_one_list_and_holds_its_members() -> None:
    """A list settles what is held, whichever is asked first."""
    given = array({"type": "number"})
    before = given.holds(*given.member(1))
    one, other = given.equals([1, 2]), given.equals([2, 1])
    after = given.holds(*given.member(2.0))
    assert shown(given, one) == [1, 2]
    assert shown(given, one, other) is None
    assert shown(given, one, negation(before)) is None
    assert shown(given, other, negation(after)) is None
    assert shown(given, before, after, negation(one), negation(other)) not in (None, [1, 2], [2, 1])
    assert given.equals([1.0, 2]).eq(one)


@pytest.mark.parametrize(
    ("items", "value"),
    [(None, ["a"]), ({"type": "string"}, [1]), ({"type": "string"}, [None]), ({"type": "object"}, [{}])],
)
def test_what_it_cannot_be_compared_with(items: Any, value: list[Any]) -> None:
    """A list of what it does not hold is no question for the solver, and leaves no trace."""
    given = array(items)
    with pytest.raises(Opaque):
        given.equals(value)
    assert given.facts == []
    assert shown(given, negation(given.equals([])))
