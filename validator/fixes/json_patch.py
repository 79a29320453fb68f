"""JSON Patch (RFC 6902): applies the fixes of diagnostics."""

from collections.abc import Iterable, Mapping
from copy import deepcopy

from pydantic import JsonValue


class PatchError(ValueError):
    """A patch does not apply: an operation is malformed, or what it names is not there."""


def apply_patch(document: JsonValue, patch: Iterable[Mapping[str, JsonValue]]) -> JsonValue:
    """A new document with the operations applied in turn.

    Raises:
        PatchError: an operation does not apply, or a `test` fails; nothing of the patch counts then.

    >>> apply_patch({"a": [1]}, [{"op": "add", "path": "/a/-", "value": 2}, {"op": "remove", "path": "/a/0"}])
    {'a': [2]}
    """
    return apply_in_place(deepcopy(document), patch)


def apply_in_place(document: JsonValue, patch: Iterable[Mapping[str, JsonValue]]) -> JsonValue:
    """A document of which nothing else is to be made, with the operations applied in turn.

    Raises:
        PatchError: an operation does not apply, or a `test` fails; the document is then of no use.
    """
    for operation in patch:
        document = _apply(document, operation)
    return document


def _apply(document: JsonValue, operation: Mapping[str, JsonValue]) -> JsonValue:
    op, path = operation.get("op"), _parts(operation, "path")
    if op in ("add", "replace", "test") and "value" not in operation:
        raise PatchError(f"{op} {operation.get('path')!r} has no value")
    value = deepcopy(operation.get("value"))
    if op == "test":
        if _get(document, path) != value:
            raise PatchError(f"{operation['path']!r} is {_get(document, path)!r}, not {value!r}")
        return document
    if op in ("move", "copy"):
        source = _parts(operation, "from")
        value = deepcopy(_get(document, source))
        if op == "move":
            document = _remove(document, source)
        return _add(document, path, value)
    if op == "remove":
        return _remove(document, path)
    if op == "replace":
        _get(document, path)
        item = bool(path) and isinstance(_get(document, path[:-1]), list)
        return _add(_remove(document, path) if item else document, path, value)  # a member keeps its place
    if op == "add":
        return _add(document, path, value)
    raise PatchError(f"no such operation: {op!r}")


def _parts(operation: Mapping[str, JsonValue], key: str) -> list[str]:
    path = operation.get(key)
    if not isinstance(path, str) or (path and not path.startswith("/")):
        raise PatchError(f"{key} is no JSON pointer: {path!r}")
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]


def _get(document: JsonValue, path: list[str]) -> JsonValue:
    for part in path:
        if isinstance(document, dict) and part in document:
            document = document[part]
        elif isinstance(document, list):
            document = document[_index(part, len(document) - 1)]
        else:
            raise PatchError(f"there is no {part!r} in {'/'.join(path)!r}")
    return document


def _add(document: JsonValue, path: list[str], value: JsonValue) -> JsonValue:
    if not path:
        return value
    parent, last = _get(document, path[:-1]), path[-1]
    if isinstance(parent, dict):
        parent[last] = value
    elif isinstance(parent, list):
        parent.insert(len(parent) if last == "-" else _index(last, len(parent)), value)
    else:
        raise PatchError(f"{'/'.join(path[:-1])!r} holds nothing that {last!r} could be added to")
    return document


def _remove(document: JsonValue, path: list[str]) -> JsonValue:
    if not path:
        raise PatchError("the whole document cannot be removed")
    parent, last = _get(document, path[:-1]), path[-1]
    _get(document, path)
    if isinstance(parent, dict):
        del parent[last]
    elif isinstance(parent, list):
        del parent[_index(last, len(parent) - 1)]
    return document


def _index(part: str, highest: int) -> int:
    if not part.isdecimal() or (len(part) > 1 and part.startswith("0")) or int(part) > highest:
        raise PatchError(f"{part!r} is no index from 0 to {highest}")
    return int(part)
