"""Broken workflows drawn from a seed: random JSON, right workflows with random changes, and texts that are no JSON."""

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any

Path = tuple[str | int, ...]
NAMES = (
    "a", "", "$.inputs.x", "nodes", "条件", "__class__", "a/b~c", "0", "x" * 300, "\u202e", "\x00", "if",
)  # fmt: skip
SCALARS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 1.5, -0.0, 1e308, 10**30, 2**53 + 1, "", "a", "always", "otherwise", "error",
    "$.inputs", "$.inputs.x", "$.outputs.a.b", "$.outputs.a", "$.facts.x", "$.", "P3D", "P5BD", "PT0S", "2026-02-30",
    "2026-01-01", "9999-12-31", "0001-01-01", "2026-01-01T00:00:00Z", "human.task", "control.end", "v0", "^1.0.0",
    "硫酸 > 5 and x", "((((", "\ud800", "\x00", "x" * 5000,
)  # fmt: skip
OPERATORS = ("eq", "ne", "lt", "lte", "gt", "gte", "in", "contains", "and", "or", "not", "is_null", "exists")


def broken_text(rng: Random, workflows: Sequence[dict[str, Any]]) -> str:
    """The text of one broken workflow, or of what is none.

    Args:
        workflows: right ones, of which most are made.
    """
    luck = rng.random()
    if luck < 0.1:
        return _text(_value(rng, rng.randint(0, 7)))
    if luck < 0.13:
        return "[" * rng.choice([10, 500, 100_000]) + "]" * rng.choice([0, 10, 500])
    raw = deepcopy(rng.choice(workflows))
    changes = GENTLE if luck < 0.6 else CHANGES
    for _ in range(rng.choice([1, 1, 2, 3, 6])):
        raw = rng.choice(changes)(rng, raw)
    text = _text(raw)
    return _scratched(rng, text) if luck > 0.93 else text


def _set_wild(rng: Random, raw: Any) -> Any:
    """Something else at some place."""
    return _put(raw, _place(rng, raw), _value(rng, rng.randint(0, 3)))


def _graft(rng: Random, raw: Any) -> Any:
    """What stands at one place stands at another, too."""
    return _put(raw, _place(rng, raw), deepcopy(_at(raw, _place(rng, raw))))


def _drop(rng: Random, raw: Any) -> Any:
    """A member is missing."""
    path = _place(rng, raw)
    if path:
        _at(raw, path[:-1]).pop(path[-1])
    return raw


def _rename(rng: Random, raw: Any) -> Any:
    """A key is another."""
    path = _place(rng, raw)
    above = _at(raw, path[:-1])
    if path and isinstance(above, dict):
        above[rng.choice([*NAMES, *above])] = above.pop(path[-1])
    return raw


def _repeat(rng: Random, raw: Any) -> Any:
    """A member of a list stands many times."""
    path = _place(rng, raw)
    above = _at(raw, path[:-1])
    if path and isinstance(above, list):
        above += [deepcopy(_at(raw, path)) for _ in range(rng.choice([1, 5]))]
    return raw


def _join(rng: Random, raw: Any) -> Any:
    """New edges between nodes that there are, with conditions over what there is."""
    nodes, edges = (raw.get(key) if isinstance(raw, dict) else None for key in ("nodes", "edges"))
    if isinstance(nodes, dict) and nodes and isinstance(edges, list):
        for _ in range(rng.choice([1, 3, 20])):
            edge = {"from": rng.choice(list(nodes)), "to": rng.choice(list(nodes))}
            condition = rng.choice(["always", "otherwise", _tree(rng, raw, 3), _tree(rng, raw, 3)])
            edges.append(edge | {"condition": condition, "priority": rng.choice([None, 1, 2])})
    return raw


def _cut(rng: Random, raw: Any) -> Any:
    """An edge or node is missing."""
    part = raw.get(rng.choice(["nodes", "edges"])) if isinstance(raw, dict) else None
    if isinstance(part, dict) and part:
        part.pop(rng.choice(list(part)))
    elif isinstance(part, list) and part:
        part.pop(rng.randrange(len(part)))
    return raw


def _exchange(rng: Random, raw: Any) -> Any:
    """Two strings that stand under the same key, or both in lists, stand in each other's place."""
    found: dict[Any, list[Path]] = {}
    for path in _paths(raw):
        if path and isinstance(_at(raw, path), str):
            found.setdefault(path[-1] if isinstance(path[-1], str) else "", []).append(path)
    if found:
        one, other = (rng.choice(found[key]) for key in [rng.choice(list(found))] * 2)
        here, there = _at(raw, one), _at(raw, other)
        return _put(_put(raw, one, there), other, here)
    return raw


def _recondition(rng: Random, raw: Any) -> Any:
    """An edge has another condition, well formed but of any types."""
    edges = raw.get("edges") if isinstance(raw, dict) else None
    if isinstance(edges, list) and edges and isinstance(edge := rng.choice(edges), dict):
        edge["condition"] = _tree(rng, raw, rng.randint(0, 5))
    return raw


def _redeclare(rng: Random, raw: Any) -> Any:
    """An input is declared otherwise."""
    inputs = raw.get("inputs") if isinstance(raw, dict) else None
    if isinstance(inputs, dict) and inputs:
        kind = rng.choice(["boolean", "integer", "number", "string", "date", "datetime", "duration", "array", "object"])
        enum = rng.choice([None, [], ["a", "a"], [1, "1", None], [True, 1, 1.0], [[1], {"a": 1}]])
        nullable = rng.random() < 0.5
        inputs[rng.choice(list(inputs))] = {"type": kind, "nullable": nullable} | ({"enum": enum} if enum else {})
    return raw


GENTLE: tuple[Callable[[Random, Any], Any], ...] = (_join, _recondition, _recondition, _redeclare, _cut, _exchange)
CHANGES: tuple[Callable[[Random, Any], Any], ...] = (
    _set_wild, _graft, _graft, _drop, _rename, _repeat, *GENTLE,
)  # fmt: skip


def _tree(rng: Random, raw: Any, depth: int) -> Any:
    """A condition over references that the workflow has, mostly, and constants of any type."""
    if depth and rng.random() < 0.5:
        op = rng.choice(["and", "or", "not"])
        return {op: _tree(rng, raw, depth - 1) if op == "not" else [_tree(rng, raw, depth - 1) for _ in range(3)]}
    op = rng.choice(OPERATORS[:8] + OPERATORS[11:])
    ref = _reference(rng, raw)
    if op in ("is_null", "exists"):
        return {op: ref}
    constant = rng.choice([rng.choice(SCALARS[:20]), rng.choice(SCALARS[:-3]), ["a", 1, None, [2]], []])
    other = rng.choice([_reference(rng, raw), constant, constant])
    return {op: rng.choice([[ref, other], [other, ref], [other, other]])}


def _reference(rng: Random, raw: Any) -> str:
    values = [_at(raw, path) for path in _paths(raw)]
    found = [value for value in values if isinstance(value, str) and value.startswith("$.")]
    inputs = raw.get("inputs") if isinstance(raw, dict) else None
    found += [f"$.inputs.{name}" for name in inputs] if isinstance(inputs, dict) else []
    return str(rng.choice([*found, "$.inputs.x", "$.outputs.a.b.c"]))


def _value(rng: Random, depth: int) -> Any:
    """Any JSON value."""
    luck = rng.random()
    if depth == 0 or luck < 0.4:
        return rng.choice(SCALARS)
    if luck < 0.6:
        return [_value(rng, depth - 1) for _ in range(rng.randint(0, 4))]
    names = [*NAMES, *OPERATORS, "type", "from", "to", "condition", "value", "quote", "inputs", "nodes", "edges", "id"]
    return {rng.choice(names): _value(rng, depth - 1) for _ in range(rng.randint(0, 4))}


def _paths(raw: Any, path: Path = ()) -> list[Path]:
    found = [path]
    items = raw.items() if isinstance(raw, dict) else enumerate(raw) if isinstance(raw, list) else ()
    for key, below in items:
        found += _paths(below, (*path, key))
    return found


def _place(rng: Random, raw: Any) -> Path:
    """A random place; each level is as likely as the next, so that few deep lists do not take all."""
    path: Path = ()
    while (isinstance(raw, dict | list) and raw) and (not path or rng.random() < 0.75):
        key = rng.choice(list(raw)) if isinstance(raw, dict) else rng.randrange(len(raw))
        path, raw = (*path, key), raw[key]
    return path


def _at(raw: Any, path: Path) -> Any:
    for key in path:
        raw = raw[key]
    return raw


def _put(raw: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    _at(raw, path[:-1])[path[-1]] = value
    return raw


def _text(value: Any) -> str:
    return json.dumps(value)


def _scratched(rng: Random, text: str) -> str:
    """A text with a piece cut out, doubled or replaced by what JSON does not know."""
    start = rng.randrange(len(text) + 1)
    end = min(len(text), start + rng.choice([0, 1, 40]))
    piece = text[start:end]
    instead = ["", piece * 2, "NaN", "Infinity", "1" * 5000, '"\\ud800"', "\ufeff", "'", "{"]
    return text[:start] + rng.choice(instead) + text[end:]
