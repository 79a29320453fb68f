"""A few values stand for all: whatever a field holds, one of the values tried makes the same conditions true."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir.fields import FieldSpec
from ir.predicate import Ref, Tree, evaluate, parse_tree
from validator.analysis.enumeration import LIMIT, points, space_of

X, Y = Ref("$.inputs.x"), Ref("$.inputs.y")
LISTED = FieldSpec(type="array", items=FieldSpec(type="string"))
ORDER = ["eq", "ne", "lt", "lte", "gt", "gte"]


def trees(constants: list[Any], ops: list[str]) -> list[Tree]:
    """One comparison of x for each constant and operator."""
    return [parse_tree({op: [X.text, value]}) for value in constants for op in ops]


def stands_for(spec: FieldSpec, compared: list[Tree], value: Any) -> bool:
    """Whether one of the values tried behaves like this one."""
    space = space_of(compared, lambda ref: spec)
    wanted = [evaluate(tree, lambda ref: value) for tree in compared]
    return any([evaluate(tree, values) for tree in compared] == wanted for values in space)


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=4), st.floats(-30, 30))
def test_numbers(constants: list[int], value: float) -> None:
    """Every number lies at a constant or in an interval of which one value is tried."""
    assert stands_for(FieldSpec(type="number"), trees(constants, ORDER), value)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=4), st.integers(-8, 8))
def test_integers_about_fractions(constants: list[float], value: int) -> None:
    """Whole numbers between fractional constants are found too, and nothing but whole numbers is tried."""
    compared = trees(constants, ORDER)
    assert stands_for(FieldSpec(type="integer"), compared, value)
    assert all(isinstance(values(X), int) for values in space_of(compared, lambda ref: FieldSpec(type="integer")))


@given(st.lists(st.dates(date(2000, 1, 1), date(2030, 1, 1)), min_size=1, max_size=3), st.integers(-40, 40))
def test_dates(constants: list[date], days: int) -> None:
    """Days before, at, between and after the constants."""
    value = (constants[0] + timedelta(days=days)).isoformat()
    assert stands_for(FieldSpec(type="date"), trees([day.isoformat() for day in constants], ORDER), value)


@given(st.lists(st.integers(0, 400), min_size=1, max_size=3), st.integers(0, 500))
def test_durations_and_moments(constants: list[int], value: int) -> None:
    """Lengths of time and points in time, in minutes."""
    lengths = trees([f"PT{minutes}M" for minutes in constants], ORDER)
    assert stands_for(FieldSpec(type="duration"), lengths, f"PT{value}M")
    start = datetime(2026, 1, 1, tzinfo=UTC)
    moments = trees([(start + timedelta(minutes=minutes)).isoformat() for minutes in constants], ORDER)
    assert stands_for(FieldSpec(type="datetime"), moments, (start + timedelta(minutes=value)).isoformat())


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=3), st.sampled_from("abcdef"))
def test_strings_and_arrays(constants: list[str], value: str) -> None:
    """A string is one of the constants or another; an array holds any of them."""
    assert stands_for(FieldSpec(type="string"), trees(constants, ["eq", "ne"]), value)
    assert stands_for(FieldSpec(type="array"), trees(constants, ["contains"]), [value, "z"])


@given(st.lists(st.lists(st.sampled_from("ab"), max_size=2), max_size=3), st.lists(st.sampled_from("abc"), max_size=3))
def test_lists(constants: list[list[str]], value: list[str]) -> None:
    """An array is one of the lists, or another with the same members or others."""
    compared = trees(constants, ["eq", "ne"]) + trees(["a", "b"], ["contains"])
    assert stands_for(LISTED, compared, value)
    few = FieldSpec(type="array", items=FieldSpec(type="string", enum=("a", "b", "c")))
    assert stands_for(few, compared, value)
    tried = space_of(compared, lambda ref: few)
    assert all(set(values(X)) <= {"a", "b", "c"} for values in tried)


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(-9, 9))
def test_two_fields_compared(constant: int, left: int, right: int) -> None:
    """Where fields are compared with each other, every order of the two about the constants is tried."""
    compared = [parse_tree({op: [X.text, Y.text]}) for op in ORDER] + trees([constant], ORDER)
    actual = {X: left, Y: right}
    wanted = [evaluate(tree, actual.__getitem__) for tree in compared]
    space = space_of(compared, lambda ref: FieldSpec(type="number"))
    assert any([evaluate(tree, values) for tree in compared] == wanted for values in space)


def test_null_below_a_null() -> None:
    """What lies below a null is null; a fixed null settles all below it."""
    entity, cas = Ref("$.outputs.a.entity"), Ref("$.outputs.a.entity.cas")
    compared = [parse_tree({"is_null": entity.text}), parse_tree({"eq": [cas.text, "x"]})]
    specs = {entity: FieldSpec(type="object"), cas: FieldSpec(type="string")}
    for values in space_of(compared, specs.get, nulls=lambda ref: [entity]):
        assert values(cas) is None or values(entity) is not None
    assert [values(cas) for values in space_of(compared, specs.get, {entity: None})] == [None]


def test_parts_of_what_is_null_are_null_together() -> None:
    """Where an object may be null, no part of it has a value while another, which may not, is null."""
    part, amount, code = Ref("$.inputs.part"), Ref("$.inputs.part.amount"), Ref("$.inputs.part.code")
    compared = [parse_tree({"is_null": amount.text}), parse_tree({"eq": [code.text, "x"]})]
    specs = {amount: FieldSpec(type="integer"), code: FieldSpec(type="string")}
    nulls = {amount: [part], code: [part, code]}
    tried = {
        (values(amount) is None, values(code)) for values in space_of(compared, specs.get, nulls=nulls.__getitem__)
    }
    assert tried == {(True, None), (False, None), (False, "x"), (False, "other-1")}
    alone = space_of(compared[:1], specs.get, nulls=nulls.__getitem__)
    assert list(alone.domains) == [amount]
    assert None in alone.domains[amount]


@pytest.mark.parametrize(
    ("spec", "conditions", "exact"),
    [
        (FieldSpec(type="string", enum=("a", "b")), [{"eq": [X.text, "a"]}], True),
        (None, [{"eq": [X.text, "a"]}], False),
        (FieldSpec(type="duration"), [{"gt": [X.text, "P5BD"]}, {"gt": [X.text, "P3D"]}], False),
        (FieldSpec(type="array"), [{"eq": [X.text, ["a"]]}], False),
        (FieldSpec(type="array"), [{"eq": [X.text, []]}], True),
        (FieldSpec(type="array", items=FieldSpec(type="object")), [{"eq": [X.text, []]}], True),
        (FieldSpec(type="array", items=FieldSpec(type="object")), [{"eq": [X.text, [{}]]}], False),
        (LISTED, [{"eq": [X.text, ["a"]]}, {"contains": [X.text, "b"]}], True),
        (FieldSpec(type="array"), [{"contains": [X.text, letter]} for letter in "abcdefgh"], False),
    ],
    ids=[
        "enumeration",
        "unknown type",
        "two calendars",
        "list of what is not said",
        "empty list",
        "no objects",
        "objects",
        "list",
        "long list",
    ],
)
def test_it_says_whether_the_values_stand_for_all(spec: FieldSpec | None, conditions: list[Any], exact: bool) -> None:
    """Where not all behaviours are covered, the space is not exact."""
    assert space_of([parse_tree(raw) for raw in conditions], lambda ref: spec).exact is exact


def test_a_large_space_is_not_small() -> None:
    """The limit holds for the product, which is never built."""
    compared = [parse_tree({"eq": [f"$.inputs.x{number}", True]}) for number in range(20)]
    space = space_of(compared, lambda ref: FieldSpec(type="boolean"))
    assert space.size == 2**20 > LIMIT
    assert not space.small


def test_points_of_several_fields() -> None:
    """Two fields need two values in each interval."""
    assert points([0], 2, integer=False) == [-2, -1, 0, 1, 2]


@pytest.mark.parametrize(
    ("kind", "constants"),
    [
        ("number", [-1e308, 1e308]),
        ("integer", [-(10**30), 10**30]),
        ("date", ["0001-01-01", "9999-12-31"]),
        ("datetime", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-12:00"]),
    ],
)
def test_ends_of_what_there_is(kind: Any, constants: list[Any]) -> None:
    """Constants at the ends are tried where they can be, and nothing beyond is."""
    space = space_of(trees(constants, ORDER), lambda ref: FieldSpec(type=kind))
    values = [values(X) for values in space]
    assert values
    assert kind == "datetime" or {*constants} <= {*values}


def test_an_array_asked_twice_about_one_member() -> None:
    """That a constant stands twice leaves no set of members untried."""
    space = space_of(trees(["a", "a"], ["contains"]), lambda ref: FieldSpec(type="array"))
    assert space.exact
    assert [values(X) for values in space] == [[], ["a"]]
