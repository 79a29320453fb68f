"""Outputs of tools learnt from what they gave: their sources say nothing of them, and samples are no promise."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import JsonValue

from catalog.errors import CatalogFault
from catalog.importing.errors import MalformedSource
from catalog.importing.fields import RESULT
from catalog.importing.names import field_name, type_part
from catalog.importing.node_types import OUTPUTS, Import
from catalog.importing.read_source import parsed_text, read_text
from catalog.node_type import NodeType
from catalog.read import Parsed, shown
from ir.diagnostics import Diagnostic, Location, Severity
from ir.fields import Fields, FieldSpec, FieldType

_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
_TIME = re.compile(_DATE.pattern + r"[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?")
_TOOL, _GIVEN = ("tool", "name", "function"), ("output", "result", "outputs")
EXPECTED = 'what tools gave: {"TOOL": [output, ...]}, or a line for each: {"tool": "TOOL", "output": ...}'


def learn_outputs(imported: Import, path: Path) -> Import:
    """An import with the outputs that samples show, where the source tells none.

    Args:
        path: JSON, or a JSON object on each line.

    Raises:
        MalformedSource: it is no file of samples, or names a tool that the source does not have.
        UnreadableFile: it cannot be read.
    """
    named = {key: name for name, one in imported.types.items() for key in (name.split(".")[1], name)}
    given: dict[str, list[JsonValue]] = {}
    faults: list[CatalogFault] = []
    for at, tool, output in _samples(path):
        known = named.get(tool) or named.get(type_part(tool))
        if known is None:
            expected = (
                f"a tool of {imported.source}: {', '.join(sorted(name.split('.')[1] for name in imported.types))}"
            )
            faults.append(CatalogFault(str(path), at, repr(tool), expected[:300], "correct the name, or leave it out"))
            continue
        given.setdefault(known, []).append(output)
    if faults:
        raise MalformedSource(list(dict.fromkeys(faults)))
    types = dict(imported.types)
    notes: list[Diagnostic] = []
    for name, outputs in given.items():
        if types[name].assumes(OUTPUTS):
            types[name] = _learnt(types[name], outputs, notes, path)
    return replace(imported, types=types, diagnostics=(*imported.diagnostics, *notes))


def _learnt(node_type: NodeType, outputs: Sequence[JsonValue], notes: list[Diagnostic], path: Path) -> NodeType:
    binding, about = node_type.binding, node_type.imported
    assert binding is not None  # an import wrote it
    assert about is not None
    mixed: list[str] = []
    if all(isinstance(one, dict) for one in outputs) and any(outputs):
        names: dict[str, str] = {}
        fields = _fields([one for one in outputs if isinstance(one, dict)], "outputs", names, mixed)
        binding = binding.model_copy(update={"names": {**binding.names, **names}})
    else:
        names = {}
        fields = {RESULT: _field(list(outputs), f"outputs.{RESULT}", names, mixed)}
        fields[RESULT] = fields[RESULT].model_copy(update={"required": True})
        binding = binding.model_copy(update={"result": RESULT, "names": {**binding.names, **names}})
    for at in mixed:
        notes.append(
            Diagnostic(
                error_code="schema-narrowed",
                severity=Severity.WARNING,
                message=f"the samples of {node_type.type} have values of several types at {at}, expected one; "
                "taken for a string: correct it in the Type",
                location=Location(file=str(path)),
            )
        )
    learnt = about.model_copy(update={"samples": len(outputs)})
    return node_type.model_copy(update={"outputs_schema": fields, "binding": binding, "imported": learnt})


def _fields(objects: list[dict[str, JsonValue]], path: str, names: dict[str, str], mixed: list[str]) -> Fields:
    fields: Fields = {}
    for key in dict.fromkeys(key for one in objects for key in one):
        known = field_name(key, fields)
        if known != key:
            names[f"{path}.{known}"] = key
        values = [one[key] for one in objects if key in one]
        spec = _field(values, f"{path}.{known}", names, mixed)
        fields[known] = spec.model_copy(update={"required": True}) if len(values) == len(objects) else spec
    return fields


def _field(values: list[JsonValue], path: str, names: dict[str, str], mixed: list[str]) -> FieldSpec:
    """The field that values are of. That only some values were seen makes no enumeration of them."""
    said = [one for one in values if one is not None]
    kinds = {_kind(one) for one in said}
    nullable = len(said) < len(values)
    if kinds <= {"integer", "number"} and kinds:
        return FieldSpec(type="number" if "number" in kinds else "integer", nullable=nullable)
    if kinds <= {"date", "datetime"} and len(kinds) == 2:
        kinds = {"string"}
    if len(kinds) != 1:
        if kinds - {"string", "date", "datetime"}:
            mixed.append(path.removeprefix("outputs."))
        return FieldSpec(type="string", nullable=nullable)
    (kind,) = kinds
    if kind == "array":
        members = [item for one in said if isinstance(one, list) for item in one]
        items = _field(members, path, names, mixed) if members else FieldSpec(type="string")
        return FieldSpec(type="array", nullable=nullable, items=items)
    if kind == "object":
        objects = [one for one in said if isinstance(one, dict)]
        return FieldSpec(type="object", nullable=nullable, properties=_fields(objects, path, names, mixed) or None)
    return FieldSpec(type=kind, nullable=nullable)


def _kind(value: JsonValue) -> FieldType:
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "date" if _DATE.fullmatch(value) else "datetime" if _TIME.fullmatch(value) else "string"
        case list():
            return "array"
        case _:
            return "object"


def _samples(path: Path) -> Iterator[tuple[str, str, JsonValue]]:
    """Place, tool and output of each sample."""
    text = read_text(path)
    for base, parsed in _values(text, path):
        data = parsed.data
        listed = list(enumerate(data)) if isinstance(data, list) else [(None, data)]
        for index, one in listed:
            at = base if index is None else f"{base}/{index}"
            one = one if isinstance(one, dict) else {}
            tool = next((one[key] for key in _TOOL if isinstance(one.get(key), str)), None)
            key = next((key for key in _GIVEN if key in one), None)
            if tool is not None and key is not None:
                yield at, tool, one[key]
            elif one and index is None and all(isinstance(each, list) for each in one.values()):
                for name, outputs in one.items():
                    yield from ((f"{at}/{name}/{place}", str(name), output) for place, output in enumerate(outputs))
            else:
                raise MalformedSource([CatalogFault(str(path), at, shown(one), EXPECTED, "correct the file")])


def _values(text: str, path: Path) -> Iterator[tuple[str, Parsed]]:
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        separate = len(lines) > 1 and all(isinstance(json.loads(line), dict) for line in lines)
    except (json.JSONDecodeError, RecursionError):
        separate = False
    if not separate:
        yield "", parsed_text(text, str(path))
        return
    yield from ((f"/{number}", Parsed(str(path), json.loads(line), None)) for number, line in enumerate(lines))
