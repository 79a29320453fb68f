"""Reading and writing the forms: stable JSON and YAML, digests, and coded diagnostics instead of tracebacks."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import JsonValue, ValidationError

from ir.base import Model, canonical_json
from ir.diagnostics import Diagnostic, Location, has_errors
from ir.faults import explain, fault, fraction, pointer_to, unfit
from ir.normalise import Resolve, normalise, unresolved
from ir.workflow import Workflow
from ir.yaml_text import dump_yaml, parse_yaml

Form = TypeVar("Form", bound=Model)
Diagnostics = tuple[Diagnostic, ...]
Syntax = Literal["json", "yaml"]
_WIDTH = 110
_LONGEST_NUMBER = 40


def write_json(form: Model | JsonValue) -> str:
    """A form as JSON: UTF-8 text, two spaces of indent, short objects and lists on one line, newline at the end.

    A form keeps the order of its fields and maps, which people read; of a bare JSON value the keys are sorted.

    >>> print(write_json({"b": [1, 2], "a": "公路"}), end="")
    {"a": "公路", "b": [1, 2]}
    """
    return layout(_tree(form), "") + "\n"


def write_yaml(form: Model | JsonValue) -> str:
    """A form as YAML, in the same order as `write_json`; `read_yaml` reads it back.

    >>> print(write_yaml({"on": "error", "code": "007"}), end="")
    code: '007'
    'on': error
    """
    return dump_yaml(_tree(form))


def digest(form: Model | JsonValue) -> str:
    """`sha256:…` of what a form says: the order of keys and defaults that are written out make no difference.

    >>> digest({"a": 1, "b": 2.0}) == digest({"b": 2, "a": 1})
    True
    """
    value: JsonValue = plain_json(form) if isinstance(form, Workflow) else _tree(form)
    return "sha256:" + hashlib.sha256(canonical_json(value).encode()).hexdigest()


def read_json(text: str | bytes) -> tuple[JsonValue, Diagnostics]:
    """The value of a JSON text; None and diagnostics where it is malformed, ambiguous or no form could hold it."""
    decoded = _decode(text)
    if isinstance(decoded, Diagnostic):
        return None, (decoded,)
    repeated: dict[int, list[str]] = {}

    def members(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        value = dict(pairs)
        if len(value) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated[id(value)] = sorted({key for key in keys if keys.count(key) > 1})
        return value

    try:
        value = json.loads(decoded, object_pairs_hook=members, parse_int=_whole_number, parse_float=fraction)
    except json.JSONDecodeError as error:
        message = f"line {error.lineno}, column {error.colno}: {error.msg[0].lower() + error.msg[1:]}"
        found = decoded[error.pos : error.pos + 20] or "the end"
        return None, (fault("malformed-json", message, "", found=found, expected="one JSON value"),)
    except RecursionError:
        return None, (fault("too-deep", "nested too deep to be read", ""),)
    faults = (*_repetitions(value, repeated), *unfit(value))
    return (None, faults) if faults else (value, ())


def read_yaml(text: str | bytes) -> tuple[JsonValue, Diagnostics]:
    """The value of a YAML text; None and diagnostics where it is malformed, ambiguous or no form could hold it."""
    decoded = _decode(text)
    if isinstance(decoded, Diagnostic):
        return None, (decoded,)
    value, faults = parse_yaml(decoded)
    faults = faults or tuple(unfit(value))
    return (None, faults) if faults else (value, ())


def read_form(model: type[Form], raw: JsonValue) -> tuple[Form | None, Diagnostics]:
    """A JSON value as a form, strictly: no unknown keys, no types bent to fit; None and diagnostics where it is none.

    >>> from ir.workflow import NodePolicy
    >>> form, faults = read_form(NodePolicy, {"max_atempts": 2})
    >>> print(faults[0])
    max_atempts: error: unknown key "max_atempts"; did you mean "max_attempts"? [unknown-key]
    """
    faults = tuple(unfit(raw))
    if faults:
        return None, faults
    try:
        return model.model_validate_json(json.dumps(raw), strict=True), ()
    except ValidationError as error:
        return None, explain(model, raw, error)


def read_workflow(
    source: str | bytes | Path, *, resolve: Resolve = unresolved, syntax: Syntax | None = None
) -> tuple[Workflow | None, Diagnostics]:
    """Read a workflow, older forms included, which give warnings.

    Args:
        source: JSON text, or the path of a JSON or YAML file (`.yaml`, `.yml`).
        resolve: gives the Node Type that an alias stands for; see `normalise`.
        syntax: what the text is, where it is not JSON or the file's name does not tell.

    Returns:
        The workflow, None where there is an error; and all diagnostics, those of a file with its name.

    Raises:
        OSError: the file cannot be read.
    """
    text = source.read_bytes() if isinstance(source, Path) else source
    if syntax is None:
        syntax = "yaml" if isinstance(source, Path) and source.suffix.lower() in (".yaml", ".yml") else "json"
    raw, faults = read_yaml(text) if syntax == "yaml" else read_json(text)
    if faults:
        return None, _placed(faults, raw, source)
    normal, notes = normalise(raw, resolve)
    workflow, faults = read_form(Workflow, normal)
    found = _placed((*notes, *faults), normal, source)
    return (None if has_errors(found) else workflow), found


def _tree(form: Model | JsonValue) -> JsonValue:
    if not isinstance(form, Model):
        return _sorted(form)
    value = form.to_json()
    return {"dsl_version": form.dsl_version, **value} if isinstance(form, Workflow) else value


def _sorted(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def layout(value: JsonValue, indent: str = "") -> str:
    """JSON text, keys in their order: on one line where it fits, else a line for each member.

    Args:
        indent: white space at the head of the line that the text begins on.

    >>> layout({"b": [1, 2], "a": "公路"})
    '{"b": [1, 2], "a": "公路"}'
    """
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or len(indent) + len(line) <= _WIDTH:
        return line
    deeper = indent + "  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {layout(item, deeper)}" for key, item in value.items()]
    else:
        parts = [layout(item, deeper) for item in value]
    first, last = "{}" if isinstance(value, dict) else "[]"
    body = ",\n".join(deeper + part for part in parts)
    return f"{first}\n{body}\n{indent}{last}"


def plain_json(workflow: Workflow) -> dict[str, JsonValue]:
    """A workflow's JSON without what may be left out: plain `required`, exclusive splits, ids that equal keys."""
    return _without_defaults(workflow.to_json())


def _without_defaults(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    nodes: dict[str, JsonValue] = {}
    for name, node in _members(value.get("nodes")).items():
        kept = {
            key: item
            for key, item in _members(node).items()
            if (key, item) not in (("id", name), ("split", "exclusive"))
        }
        if "requested_fields" in kept:
            kept["requested_fields"] = _plain_fields(kept["requested_fields"], required=True)
        nodes[name] = kept
    return {**value, "nodes": nodes, "inputs": _plain_fields(value.get("inputs"), required=True)}


def _plain_fields(fields: JsonValue, *, required: bool) -> JsonValue:
    return {name: _plain_field(spec, required=required) for name, spec in _members(fields).items()}


def _plain_field(spec: JsonValue, *, required: bool) -> JsonValue:
    """A field without `required` where it says what holds anyway."""
    kept = {key: item for key, item in _members(spec).items() if (key, item) != ("required", required)}
    if "properties" in kept:
        kept["properties"] = _plain_fields(kept["properties"], required=False)
    if "items" in kept:
        kept["items"] = _plain_field(kept["items"], required=False)
    return kept


def _members(value: JsonValue) -> dict[str, JsonValue]:
    assert isinstance(value, dict)
    return value


_DOCUMENTS = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a Word document or another archive",
    b"\xd0\xcf\x11\xe0": "an old Word document",
}


def _decode(text: str | bytes) -> str | Diagnostic:
    if isinstance(text, str):
        return text.removeprefix("\ufeff")
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        kind = next((name for mark, name in _DOCUMENTS.items() if text.startswith(mark)), None)
        if kind is not None:
            expected = "a form of flowc as JSON or YAML; `flowc compile` makes workflows of documents"
            return fault("malformed-text", f"this is {kind}, not text", "", expected=expected)
        return fault("malformed-text", f"byte {error.start} is not UTF-8", "", expected="text in UTF-8")


def _whole_number(digits: str) -> int:
    """The number; of one that is too long, the beginning, which is too large as well."""
    return int(digits[:_LONGEST_NUMBER])


def _repetitions(value: JsonValue, repeated: dict[int, list[str]]) -> Iterable[Diagnostic]:
    stack: list[tuple[JsonValue, tuple[str | int, ...]]] = [(value, ())] if repeated else []
    while stack:
        item, path = stack.pop()
        if isinstance(item, dict):
            for key in repeated.get(id(item), ()):
                yield fault("duplicate-key", f'the key "{key}" is there twice', pointer_to((*path, key)), found=key)
            stack += [(below, (*path, key)) for key, below in item.items()]
        elif isinstance(item, list):
            stack += [(below, (*path, index)) for index, below in enumerate(item)]


def _placed(faults: Diagnostics, raw: JsonValue, source: str | bytes | Path) -> Diagnostics:
    """The diagnostics with file, workflow, node, edge and field, as far as the pointer and the value tell."""
    whole = raw if isinstance(raw, dict) else {}
    name = whole.get("workflow_id")
    file = str(source) if isinstance(source, Path) else None
    workflow = name if isinstance(name, str) else None
    placed = []
    for diagnostic in faults:
        location = diagnostic.location.model_copy(update={"file": file, "workflow": workflow})
        placed.append(diagnostic.model_copy(update={"location": _within(location, whole)}))
    return tuple(placed)


def _within(location: Location, whole: dict[str, JsonValue]) -> Location:
    parts = [part.replace("~1", "/").replace("~0", "~") for part in (location.pointer or "").split("/")[1:]]
    match parts:
        case ["nodes", node, *rest]:
            field = rest[1] if len(rest) > 1 and rest[0] in ("inputs", "requested_fields") else None
            return location.model_copy(update={"node": node, "field": field})
        case ["inputs" | "outputs", field, *_]:
            return location.model_copy(update={"field": field})
        case ["edges", index, *_]:
            edges = whole.get("edges")
            edge = (
                edges[int(index)] if isinstance(edges, list) and index.isdecimal() and int(index) < len(edges) else None
            )
            if isinstance(edge, dict) and "from" in edge and "to" in edge:
                return location.model_copy(update={"edge": f"{edge['from']}->{edge['to']}"})
    return location
