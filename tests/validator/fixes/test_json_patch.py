"""JSON Patch, operation by operation."""

from typing import Any

import pytest

from validator.fixes.json_patch import PatchError, apply_patch

DOCUMENT: Any = {"nodes": {"a/b": {"x": 1}}, "edges": [1, 2]}


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"op": "add", "path": "/nodes/c", "value": 2}, {"nodes": {"a/b": {"x": 1}, "c": 2}, "edges": [1, 2]}),
        ({"op": "add", "path": "/edges/1", "value": 9}, {"nodes": {"a/b": {"x": 1}}, "edges": [1, 9, 2]}),
        ({"op": "add", "path": "/edges/-", "value": 9}, {"nodes": {"a/b": {"x": 1}}, "edges": [1, 2, 9]}),
        ({"op": "remove", "path": "/edges/0"}, {"nodes": {"a/b": {"x": 1}}, "edges": [2]}),
        ({"op": "replace", "path": "/nodes/a~1b/x", "value": None}, {"nodes": {"a/b": {"x": None}}, "edges": [1, 2]}),
        ({"op": "replace", "path": "/edges/1", "value": 7}, {"nodes": {"a/b": {"x": 1}}, "edges": [1, 7]}),
        ({"op": "move", "from": "/nodes/a~1b", "path": "/nodes/c"}, {"nodes": {"c": {"x": 1}}, "edges": [1, 2]}),
        ({"op": "copy", "from": "/edges/0", "path": "/edges/-"}, {"nodes": {"a/b": {"x": 1}}, "edges": [1, 2, 1]}),
        ({"op": "test", "path": "/edges/0", "value": 1}, DOCUMENT),
        ({"op": "replace", "path": "", "value": []}, []),
    ],
)
def test_operations(operation: dict[str, Any], expected: Any) -> None:
    """Each operation does what RFC 6902 says, and leaves the given document alone."""
    assert apply_patch(DOCUMENT, [operation]) == expected
    assert DOCUMENT == {"nodes": {"a/b": {"x": 1}}, "edges": [1, 2]}


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "remove", "path": "/nodes/c"},
        {"op": "replace", "path": "/nodes/c", "value": 1},
        {"op": "add", "path": "/nodes/c/d", "value": 1},
        {"op": "add", "path": "/edges/3", "value": 1},
        {"op": "add", "path": "/edges/01", "value": 1},
        {"op": "add", "path": "/edges/0/x", "value": 1},
        {"op": "add", "path": "/edges/-"},
        {"op": "add", "path": "edges", "value": 1},
        {"op": "move", "path": "/nodes/c"},
        {"op": "test", "path": "/edges/0", "value": 2},
        {"op": "remove", "path": ""},
        {"op": "merge", "path": "/edges"},
    ],
)
def test_faults(operation: dict[str, Any]) -> None:
    """An operation that does not apply is refused."""
    with pytest.raises(PatchError):
        apply_patch(DOCUMENT, [operation])
