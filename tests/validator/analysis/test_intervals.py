"""Conditions over numbers, seen from their borders, are what trying values finds them to be."""

from itertools import combinations
from random import Random

import pytest

from ir.fields import FieldType
from ir.predicate import Compare, CompareOp, Junction, Literally, Not, Ref, Tree, evaluate
from ir.procedure import Fact
from validator.analysis.enumeration import points
from validator.analysis.implication import Logic
from validator.analysis.intervals import numbers_of

X = Ref("$.facts.x")
OPERATORS: tuple[CompareOp, ...] = ("eq", "ne", "lt", "lte", "gt", "gte")


def condition(rng: Random, depth: int = 2) -> Tree:
    """Comparisons of one reference with small numbers, negated and joined."""
    kind = rng.choice(("compare", "compare", "in", "not", "and", "or")) if depth else "compare"
    if kind == "not":
        return Not(condition(rng, depth - 1))
    if kind in ("and", "or"):
        return Junction(
            "and" if kind == "and" else "or", tuple(condition(rng, depth - 1) for _ in range(rng.randint(2, 3)))
        )
    if kind == "in":
        return Compare("in", X, Literally([rng.choice((0, 1, 1.5, 3)) for _ in range(rng.randint(1, 3))]))
    return Compare(rng.choice(OPERATORS), X, Literally(rng.choice((-1, 0, 1, 1.5, 2, 2.5, 3))))


@pytest.mark.parametrize("type_", ["number", "integer", None])
@pytest.mark.parametrize("seed", range(40))
def test_as_trying_values_finds(type_: FieldType | None, seed: int) -> None:
    """Contradiction, implication and exhaustion, each against all values that the conditions can tell apart."""
    rng = Random(seed)
    fact = Fact(id="x", name="x", type=type_) if type_ else None
    logic = Logic(lambda name: fact)
    values = points((-1, 0, 1, 1.5, 2, 2.5, 3), 1, integer=type_ == "integer")
    for _ in range(25):
        trees = [condition(rng) for _ in range(3)]
        assert all(numbers_of(tree) is not None for tree in trees)
        truths = [[bool(evaluate(tree, {X: value}.__getitem__)) for value in values] for tree in trees]
        one, other, third = truths
        assert logic.contradict(trees[0], trees[1]) == (not any(a and b for a, b in zip(one, other, strict=True)))
        assert logic.implies(trees[0], trees[1]) == (
            trees[0] == trees[1] or all(b for a, b in zip(one, other, strict=True) if a)
        )
        assert logic.apart(trees) == all(logic.contradict(a, b) for a, b in combinations(trees, 2))
        assert logic.exhaustive(trees) == all(any(each) for each in zip(one, other, third, strict=True))


def test_pieces_of_one_line_are_apart() -> None:
    """Ranges that a table may have, borders in and out, and the same with one border too far."""
    logic = Logic(lambda name: Fact(id="x", name="x", type="number"))
    bands = [Junction("and", (Compare("gte", X, Literally(n)), Compare("lt", X, Literally(n + 1)))) for n in range(20)]
    overlapping = [*bands[:5], Compare("eq", X, Literally(4)), *bands[6:]]
    assert logic.apart(bands)
    assert not logic.apart(overlapping)
    assert not any(logic.contradict(overlapping[5], tree) for tree in overlapping[4:5])


def test_others_are_tried() -> None:
    """What reads other references, or compares with words, has no numbers; huge numbers are left to trying."""
    odd = (
        Junction("and", (Compare("gt", X, Literally(1)), Compare("gt", Ref("$.facts.y"), Literally(1)))),
        Compare("eq", X, Literally("1")),
        Compare("eq", X, Literally(True)),
        Compare("gt", X, Literally(10**17)),
    )
    assert [numbers_of(tree) for tree in odd] == [None] * 4
