"""Where JSON pointers lead in a text."""

import json

import yaml
from hypothesis import given
from hypothesis import strategies as st

from flowc.spots import Spot, spot_at, spots
from ir.faults import pointer_to

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 1]))
def test_every_place_of_any_json_is_found(value: object, indent: int | None) -> None:
    """At the place of a list's item stands the item, at that of a member its key."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    root = spots(text, is_yaml=False)
    assert root is not None
    lines = text.split("\n")
    waiting: list[tuple[object, tuple[str | int, ...], str]] = [(value, (), "")]
    while waiting:
        item, path, start = waiting.pop()
        spot = spot_at(root, pointer_to(path))
        assert lines[spot.line - 1][spot.column - 1 :].startswith(start)
        if isinstance(item, dict) and "id" not in item:
            waiting += [(v, (*path, k), json.dumps(k, ensure_ascii=False)) for k, v in item.items()]
        elif isinstance(item, list):
            waiting += [(v, (*path, i), "[" if isinstance(v, list) else "") for i, v in enumerate(item)]


def test_yaml_has_places_too() -> None:
    """In YAML the place of a member is its key's."""
    text = yaml.safe_dump({"nodes": {"a": {"type": "io.x"}}, "edges": [{"from": "a"}]}, sort_keys=False)
    root = spots(text, is_yaml=True)
    assert root is not None
    assert [(s.line, s.column) for s in (spot_at(root, "/nodes/a/type"), spot_at(root, "/edges/0"))] == [(3, 5), (5, 3)]


def test_malformed_text_has_none() -> None:
    """A text that is cut off gives no places, and no error."""
    assert spots('{"a": [1', is_yaml=False) is None
    assert spots("a: [1", is_yaml=True) is None


@given(VALUES, st.sampled_from([None, 1]))
def test_every_value_of_any_json_is_cut_out(value: object, indent: int | None) -> None:
    """Between start and end of a place stands the value, and nothing else."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    root = spots(text, is_yaml=False)
    assert root is not None
    waiting: list[tuple[object, Spot]] = [(value, root)]
    while waiting:
        item, spot = waiting.pop()
        assert json.loads(text[spot.start : spot.end]) == item
        if isinstance(item, dict):
            waiting += [(below, spot.members[key]) for key, below in item.items()]
        elif isinstance(item, list):
            waiting += [(below, spot.members[str(index)]) for index, below in enumerate(item)]
