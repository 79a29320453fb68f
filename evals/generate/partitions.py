"""Conditions that exclude each other and leave nothing out, drawn from a seed for any type of field."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from pydantic import JsonValue

from ir.fields import FieldSpec
from ir.predicate import (
    OTHERWISE,
    Compare,
    CompareOp,
    Junction,
    Literally,
    Not,
    Null,
    Operand,
    Otherwise,
    Ref,
    Tree,
)

ORDERED = ("integer", "number", "date", "datetime", "duration")


@dataclass(frozen=True)
class Field:
    """Something that conditions can read.

    Args:
        null: it may be null when it is read.
    """

    ref: Ref
    spec: FieldSpec
    null: bool = False


@dataclass(frozen=True)
class Case:
    """One of the cases into which a partition falls, as an edge has it."""

    condition: Tree | Otherwise
    priority: int | None = None


def partition(rng: Random, field: Field) -> list[Case]:
    """Two or more cases over one field: for each of its values, null among them, exactly one is chosen."""
    trees = _trees(rng, field)
    ordered = field.spec.type in ORDERED and field.spec.enum is None
    if ordered and len(trees) > 2 and rng.random() < 0.3:
        return _guarded(rng, field, _by_priority(rng, field))
    cases = [Case(tree) for tree in trees]
    if rng.random() < 0.4:
        cases[-1] = Case(OTHERWISE)
    return _guarded(rng, field, cases)


def cross(rng: Random, first: Field, second: Field) -> list[Case]:
    """A partition over two fields that are never null: one case of the first is divided by the second."""
    outer, inner = _trees(rng, first), _trees(rng, second)
    divided = [Case(Junction("and", (outer[0], tree))) for tree in inner]
    rest = [Case(tree) for tree in outer[1:]] if rng.random() < 0.5 else [Case(OTHERWISE)]
    return divided + rest


def against(rng: Random, left: Field, right: Field) -> list[Case]:
    """A partition by how two ordered fields of one type, never null, stand to each other."""
    ways: Sequence[tuple[CompareOp, ...]] = (("lt", "gte"), ("lte", "gt"), ("lt", "eq", "gt"))
    return [Case(Compare(op, left.ref, right.ref)) for op in rng.choice(ways)]


def additions(rng: Random, fields: Sequence[Field]) -> list[Case]:
    """Cases of an inclusive split: any of them may hold together, and where none does there is an `otherwise`."""
    cases = [Case(_exists_and(field, rng.choice(_trees(rng, field)))) for field in fields]
    return [*cases, Case(OTHERWISE)]


def _trees(rng: Random, field: Field) -> list[Tree]:
    """Conditions of which exactly one holds, for each value but null."""
    spec, ref = field.spec, field.ref
    if spec.enum is not None:
        return _groups(rng, ref, list(spec.enum))
    if spec.type == "boolean":
        return _either(rng, Compare("eq", ref, Literally(True)), Compare("eq", ref, Literally(False)))
    if spec.type == "array":
        holds = Compare("contains", ref, Literally("a"))
        return [holds, Not(holds)]
    if spec.type in ORDERED:
        return _intervals(rng, ref, _thresholds(rng, spec))
    words = [f"word {number}" for number in range(rng.randint(1, 3))]
    return [*(Compare("eq", ref, Literally(word)) for word in words), Not(Compare("in", ref, _list(words)))]


def _either(rng: Random, one: Tree, other: Tree) -> list[Tree]:
    return [one, rng.choice([other, Not(one)])]


def _groups(rng: Random, ref: Ref, members: list[JsonValue]) -> list[Tree]:
    """The members of an enumeration in two or more groups."""
    rng.shuffle(members)
    cuts = sorted(rng.sample(range(1, len(members)), rng.randint(1, min(3, len(members) - 1))))
    groups = [members[start:end] for start, end in zip([0, *cuts], [*cuts, len(members)], strict=True)]
    return [
        Compare("eq", ref, Literally(group[0])) if len(group) == 1 else Compare("in", ref, _list(group))
        for group in groups
    ]


def _intervals(rng: Random, ref: Ref, borders: list[JsonValue]) -> list[Tree]:
    """The line of values cut at borders, each border on one side or the other."""
    trees: list[Tree] = []
    above: Tree | None = None
    for border in borders:
        below: CompareOp = rng.choice(["lt", "lte"])
        under = _side(rng, below, ref, border)
        trees.append(Junction("and", (above, under)) if above is not None else under)
        above = _side(rng, "gte" if below == "lt" else "gt", ref, border)
    assert above is not None
    return [*trees, above]


def _side(rng: Random, op: CompareOp, ref: Ref, border: JsonValue) -> Tree:
    """A comparison, now and then with its sides exchanged or as the negation of its opposite."""
    turned: dict[CompareOp, CompareOp] = {"lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte"}
    opposite: dict[CompareOp, CompareOp] = {"lt": "gte", "lte": "gt", "gt": "lte", "gte": "lt"}
    sides: tuple[Operand, Operand] = (ref, Literally(border))
    luck = rng.random()
    if luck < 0.1:
        return Compare(turned[op], sides[1], sides[0])
    return Not(Compare(opposite[op], *sides)) if luck < 0.2 else Compare(op, *sides)


def _thresholds(rng: Random, spec: FieldSpec) -> list[JsonValue]:
    make: Callable[[int], JsonValue] = {
        "integer": lambda n: n,
        "number": lambda n: n / 2,
        "date": lambda n: (date(2026, 1, 1) + timedelta(days=n)).isoformat(),
        "datetime": lambda n: (date(2026, 1, 1) + timedelta(days=n)).isoformat() + "T08:00:00+08:00",
        "duration": lambda n: f"P{n}D",
    }[spec.type]
    return [make(number) for number in sorted(rng.sample(range(1, 400, 3), rng.randint(1, 3)))]


def _by_priority(rng: Random, field: Field) -> list[Case]:
    """Cases that overlap, the narrowest first."""
    borders = _thresholds(rng, field.spec)
    cases = [Case(Compare("lt", field.ref, Literally(border)), at + 2) for at, border in enumerate(borders)]
    return [*cases, Case(OTHERWISE)]


def _guarded(rng: Random, field: Field, cases: list[Case]) -> list[Case]:
    """The cases with one for null, where the field may be null."""
    if not field.null:
        return cases
    last = cases[-1].condition
    if isinstance(last, Otherwise) and rng.random() < 0.5:  # null joins the others
        kept = [Case(_exists_and(field, case.condition), case.priority) for case in cases[:-1]]
        return [*kept, cases[-1]]
    if not isinstance(last, Otherwise) and rng.random() < 0.5:
        kept = [Case(_exists_and(field, case.condition), case.priority) for case in cases[:-1]]
        return [*kept, Case(Junction("or", (Null(field.ref), last)))]
    return [Case(Null(field.ref), 1), *cases]


def _exists_and(field: Field, tree: Tree | Otherwise) -> Tree:
    assert not isinstance(tree, Otherwise)
    return Junction("and", (Null(field.ref, negated=True), tree)) if field.null else tree


def _list(values: Sequence[JsonValue]) -> Literally:
    return Literally(list(values))
