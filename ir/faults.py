"""What is wrong with a JSON value that should be one of our forms, as diagnostics with a pointer."""

import difflib
import types
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, JsonValue, ValidationError

from ir.diagnostics import Diagnostic, Fix, Location, Severity
from ir.predicate import ConditionError

DEEPEST_VALUE = 100
"""How many levels of objects and lists a file may have."""
LARGEST_NUMBER = 2**53
"""Beyond it whole numbers are no longer exact in every reader of JSON (RFC 7493)."""
_JSON_NAMES: dict[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    type(None): "null",
}
_KINDS = {"dict": "object", "model": "object", "tuple": "array", "list": "array", "int": "integer", "bool": "boolean"}


def fault(
    code: str,
    message: str,
    pointer: str,
    *,
    expected: JsonValue = None,
    found: JsonValue = None,
    fixes: tuple[Fix, ...] = (),
    severity: Severity = Severity.ERROR,
) -> Diagnostic:
    """A diagnostic at a JSON pointer."""
    return Diagnostic(
        error_code=code,
        severity=severity,
        message=message,
        location=Location(pointer=pointer),
        expected=expected,
        found=found,
        fixes=fixes,
    )


def pointer_to(parts: Iterable[str | int]) -> str:
    """The JSON pointer (RFC 6901) of a path.

    >>> pointer_to(["nodes", "a/b", 0])
    '/nodes/a~1b/0'
    """
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def json_kind(value: object) -> str:
    """The name that JSON Schema has for a value's type."""
    return _JSON_NAMES.get(type(value), type(value).__name__)


def shown(value: JsonValue) -> JsonValue:
    """A value as `found` holds it: scalars as they are, objects and lists by their kind."""
    return json_kind(value) if isinstance(value, dict | list) else value


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like this one, if any is.

    >>> nearest("nods", ["nodes", "edges"])
    'nodes'
    """
    return next(iter(difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)), None)


class Vanished(float):
    """A number so small that nought is left of it."""


def fraction(text: str) -> float:
    """The number that a text says with a point or an exponent; `Vanished` where nought is left of it.

    >>> fraction("2.5e-1"), isinstance(fraction("1e-400"), Vanished), isinstance(fraction("0e-400"), Vanished)
    (0.25, True, False)
    """
    value = float(text)
    gone = value == 0 and any(digit in "123456789" for digit in text.lower().partition("e")[0])
    return Vanished(value) if gone else value


def unfit(value: JsonValue) -> Iterator[Diagnostic]:
    """What keeps a value out of every form: too deep, numbers that are not exact, text that is no text."""
    stack: list[tuple[JsonValue, tuple[str | int, ...]]] = [(value, ())]
    while stack:
        item, path = stack.pop()
        if len(path) > DEEPEST_VALUE:
            message = f"nested more than {DEEPEST_VALUE} levels deep"
            yield fault("too-deep", message, pointer_to(path), expected=f"at most {DEEPEST_VALUE} levels")
            return
        if isinstance(item, dict):
            stack += [(below, (*path, key)) for key, below in item.items()]
            yield from _unfit_text(list(item), path)
        elif isinstance(item, list):
            stack += [(below, (*path, index)) for index, below in enumerate(item)]
        elif isinstance(item, str):
            yield from _unfit_text([item], path)
        elif isinstance(item, Vanished):
            message = "a number so small that nought would be left of it"
            yield fault("number-out-of-range", message, pointer_to(path), expected="0, or a number that can be held")
        elif isinstance(item, float) and not isfinite(item):
            yield fault(
                "number-out-of-range", "a number that is not finite", pointer_to(path), expected="a finite number"
            )
        elif isinstance(item, int) and abs(item) > LARGEST_NUMBER:
            message = "a whole number too large to be exact; write identifiers as text"
            yield fault("number-out-of-range", message, pointer_to(path), expected=f"at most {LARGEST_NUMBER}")


def _unfit_text(texts: list[str], path: tuple[str | int, ...]) -> Iterator[Diagnostic]:
    for text in texts:
        if any("\ud800" <= char <= "\udfff" for char in text):
            expected = "text without lone surrogates"
            yield fault(
                "malformed-text", "half of a surrogate pair stands alone in a text", pointer_to(path), expected=expected
            )


_MOST_FAULTS = 500


def explain(model: type[BaseModel], raw: JsonValue, error: ValidationError) -> tuple[Diagnostic, ...]:
    """The diagnostics of a failed validation, in the order of the form's fields; of thousands, the first ones.

    Args:
        model: the form that was expected.
        raw: the value that was read.
    """
    details = error.errors(include_url=False)
    found = [_explain(model, raw, detail) for detail in details[:_MOST_FAULTS]]
    if more := len(details) - len(found):
        found.append(fault("bad-value", f"there are {more:,} more faults; mend these first", "", expected="the form"))
    return tuple(found)


def _explain(model: type[BaseModel], raw: JsonValue, detail: Any) -> Diagnostic:
    kind, context = detail["type"], detail.get("ctx", {})
    path = _real_path(raw, detail["loc"], missing=kind == "missing")
    value = _at(raw, path)
    where = pointer_to(path)
    if kind == "missing":
        return fault("missing-key", f'the key "{path[-1]}" is missing', where, expected=str(path[-1]))
    if kind == "extra_forbidden":
        return _unknown_key(model, raw, path)
    if kind == "value_error":
        return _refused(context["error"], path, value)
    if kind.endswith("_type") or kind in ("model_attributes_type", "is_instance_of"):
        name = kind.removesuffix("_type")
        expected = "object" if "model" in name else _KINDS.get(name, name)
        message = f'"{path[-1] if path else "the whole"}" is of type {json_kind(value)}, expected {expected}'
        return fault("wrong-type", message, where, expected=expected, found=shown(value))
    expected = _expectation(kind, context, detail["msg"])
    hint = _hint(value, context.get("expected"))
    message = f'"{value}" is not allowed here; expected {expected}{hint}'
    return fault("bad-value", message, where, expected=expected, found=shown(value))


def _unknown_key(model: type[BaseModel], raw: JsonValue, path: tuple[str | int, ...]) -> Diagnostic:
    key, parent = str(path[-1]), _at(raw, path[:-1])
    known = sorted(_keys_at(model, path[:-1]))
    near = nearest(key, (name for name in known if not isinstance(parent, dict) or name not in parent))
    fixes: tuple[Fix, ...] = ()
    if near:
        move: dict[str, JsonValue] = {"op": "move", "from": pointer_to(path), "path": pointer_to((*path[:-1], near))}
        fixes = (Fix(title=f"rename {key} to {near}", patch=(move,)),)
    hint = f'; did you mean "{near}"?' if near else ""
    return fault(
        "unknown-key", f'unknown key "{key}"{hint}', pointer_to(path), expected=list(known), found=key, fixes=fixes
    )


def _refused(error: Exception, path: tuple[str | int, ...], value: JsonValue) -> Diagnostic:
    """The diagnostic for a value that one of our own validators refused."""
    if not isinstance(error, ConditionError):
        return fault("bad-value", f"{error}", pointer_to(path), found=shown(value))
    message = f"{error.expected} was expected here"
    in_formula, in_condition = "formulas" in path, bool({"condition", "predicate"} & set(path))
    kind = "formula" if in_formula else "condition" if in_condition else "reference or literal"
    return fault(
        "bad-formula" if in_formula else "bad-condition" if in_condition else "bad-reference",
        f"malformed {kind}: {message}",
        pointer_to(path) + error.pointer,
        expected=error.expected,
        found=shown(error.found) if isinstance(error.found, str | int | float | list | dict) else None,
    )


def _expectation(kind: str, context: dict[str, Any], message: str) -> str:
    match kind:
        case "literal_error" | "enum":
            return f"one of {context['expected']}"
        case "string_pattern_mismatch":
            return f"text that matches {context['pattern']}"
        case "greater_than_equal":
            return f"at least {context['ge']}"
    return message[0].lower() + message[1:]


def _hint(value: JsonValue, choices: str | None) -> str:
    near = (
        nearest(value, choices.replace(" or ", ", ").replace("'", "").split(", "))
        if choices and isinstance(value, str)
        else None
    )
    return f'; did you mean "{near}"?' if near else ""


def _at(raw: JsonValue, path: Iterable[str | int]) -> JsonValue:
    for part in path:
        if isinstance(raw, dict) and part in raw:
            raw = raw[str(part)]
        elif isinstance(raw, list) and isinstance(part, int) and part < len(raw):
            raw = raw[part]
        else:
            return None
    return raw


def _real_path(raw: JsonValue, loc: tuple[str | int, ...], *, missing: bool) -> tuple[str | int, ...]:
    """The part of pydantic's location that exists in the value; pydantic adds the names of union members."""
    path: list[str | int] = []
    for index, part in enumerate(loc):
        here = _at(raw, path)
        last_missing = missing and index == len(loc) - 1
        there = (isinstance(here, dict) and part in here) or (
            isinstance(here, list) and isinstance(part, int) and part < len(here)
        )
        if there or last_missing:
            path.append(part)
    return tuple(path)


def _keys_at(model: type[BaseModel], path: tuple[str | int, ...]) -> set[str]:
    """The keys that the form has at a path."""
    kinds: list[Any] = [model]
    for part in path:
        kinds = [below for kind in kinds for below in _below(kind, part)]
    forms = [form for kind in kinds for form in _forms(kind) if isinstance(form, type) and issubclass(form, BaseModel)]
    return {field.alias or name for form in forms for name, field in form.model_fields.items()}


def _forms(kind: Any) -> list[Any]:
    """The alternatives of an annotation."""
    origin = get_origin(kind)
    if origin is Annotated:
        return _forms(get_args(kind)[0])
    if origin in (Union, types.UnionType):
        return [form for member in get_args(kind) for form in _forms(member)]
    return [kind]


def _below(kind: Any, part: str | int) -> list[Any]:
    """The annotations of what stands at one key or index below an annotation."""
    found: list[Any] = []
    for form in _forms(kind):
        arguments = get_args(form)
        if isinstance(form, type) and issubclass(form, BaseModel):
            found += [field.annotation for name, field in form.model_fields.items() if part in (name, field.alias)]
        elif get_origin(form) is dict:
            found.append(arguments[1])
        elif get_origin(form) in (tuple, list):
            found.append(arguments[0])
    return found
