"""Nesting without end in a file of a catalog is a fault with its line; the loader in C would end the process."""

import pytest

from catalog.read import parse


@pytest.mark.parametrize("text", ["[" * 100_000, "- " * 3000, "? " * 3000, "{a: " * 4000, "a: 1\nb: " + "[" * 200])
def test_too_many_levels_are_a_fault(text: str) -> None:
    """Whatever opens the levels."""
    parsed = parse(text, "deep.yaml")
    assert [fault.expected for fault in parsed.faults] == ["at most 100 levels"]
    assert parsed.faults[0].line == text.count("\n") + 1


def test_broken_yaml_with_much_in_it_is_told_as_such() -> None:
    """What is found before it is too deep is what the loader says of it."""
    parsed = parse("a: {b: 1}\n" * 60 + "c: [", "broken.yaml")
    assert parsed.faults and "levels" not in parsed.faults[0].expected
