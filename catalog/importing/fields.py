"""Fields of a Node Type from JSON Schemas."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import JsonValue

from catalog.contract import fits
from catalog.importing.names import field_name
from catalog.importing.shapes import Part, SchemaFault, Shape, shape_of
from catalog.read import shown
from ir.diagnostics import Diagnostic, Location, Severity
from ir.fields import Fields, FieldSpec, FieldType

DEEPEST, MOST_FIELDS = 6, 400
"""Objects within objects, and fields of one side of a Type, beyond which an object is told as a whole."""
DEEPEST_ITEMS = 20
LONGEST_DESCRIPTION = 400
_FORMATS: dict[str, FieldType] = {"date": "date", "date-time": "datetime", "duration": "duration"}
_BY_VALUE: dict[type, FieldType] = {bool: "boolean", int: "integer", float: "number", str: "string"}
RESULT = "result"


@dataclass
class FieldReader:
    """Reads the inputs and outputs of one tool.

    Args:
        file: the source, for messages.
        assumed: JSON pointers into the Type to what the source does not say, or says so that no field can hold it.
        names: by path, the names of fields that are called otherwise in the source.
        notes: what of the source a field does not hold, told as warnings.
        faults: what is wrong with the schemas.
    """

    file: str
    assumed: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    notes: list[Diagnostic] = field(default_factory=list)
    faults: list[SchemaFault] = field(default_factory=list)
    _left: int = MOST_FIELDS

    def inputs(self, part: Part | Shape) -> Fields:
        """The fields of an object of arguments."""
        shape = part if isinstance(part, Shape) else self._shape(part)
        if shape is None:
            return {}
        if shape.types is not None and "object" not in shape.types:
            self.faults.append(
                SchemaFault(shape.at, sorted(shape.types), "an object of arguments", "describe the arguments by name")
            )
            return {}
        self._left = MOST_FIELDS
        return self._properties(shape, "/inputs_schema", "inputs", 0, frozenset())

    def outputs(self, part: Part) -> tuple[Fields, str | None]:
        """The fields of what comes back, and the name of the one field that holds it where it is no object."""
        shape = self._shape(part)
        if shape is None:
            return {}, None
        self._left = MOST_FIELDS
        if shape.properties and (shape.types is None or shape.types == {"object"}) and not shape.nullable:
            return self._properties(shape, "/outputs_schema", "outputs", 0, frozenset()), None
        spec = self._field(shape, f"/outputs_schema/{RESULT}", f"outputs.{RESULT}", 1, frozenset())
        return {RESULT: spec.model_copy(update={"required": True})}, RESULT

    def _shape(self, part: Part) -> Shape | None:
        try:
            return shape_of(part)
        except SchemaFault as fault:
            self.faults.append(fault)
            return None

    def _properties(self, shape: Shape, pointer: str, path: str, depth: int, inside: frozenset[str]) -> Fields:
        fields: Fields = {}
        for name, part in shape.properties.items():
            found = self._shape(part)
            if found is None or (found.write_only if path.startswith("outputs") else found.read_only):
                continue
            known = field_name(name, fields)
            if known != name:
                self.names[f"{path}.{known}"] = name
            spec = self._field(found, f"{pointer}/{known}", f"{path}.{known}", depth + 1, inside)
            if known != name and spec.description is None:
                spec = spec.model_copy(update={"description": name})
            fields[known] = spec.model_copy(update={"required": True}) if name in shape.required else spec
        return fields

    def _field(self, shape: Shape, pointer: str, path: str, depth: int, inside: frozenset[str]) -> FieldSpec:
        self._left -= 1
        kind = self._type(shape, pointer)
        enum = self._enum(shape, kind, pointer)
        default = shape.default if shape.default is not None and fits(_json(shape.default), kind) else None
        if shape.default is not None and default is None:
            self._note(shape, shape.default, f"a default of type {kind}", "no default is taken over")
        items, properties = None, None
        ring = inside & shape.identity
        inside |= shape.identity
        if kind == "array":
            items = self._items(shape, pointer, path, depth, inside)
        if kind == "object" and shape.properties:
            if ring or depth >= DEEPEST or self._left < len(shape.properties):
                why = "an object within itself" if ring else f"objects {DEEPEST} deep or {MOST_FIELDS} fields at most"
                self._note(shape, f"{len(shape.properties)} properties", why, "told as an object without its fields")
            else:
                properties = self._properties(shape, f"{pointer}/properties", path, depth, inside)
        return FieldSpec(
            type=kind,
            description=_cut(shape.description),
            nullable=shape.nullable,
            enum=enum,
            items=items,
            properties=properties,
            default=_json(default),
        )

    def _items(self, shape: Shape, pointer: str, path: str, depth: int, inside: frozenset[str]) -> FieldSpec:
        if depth > DEEPEST_ITEMS:
            self._note(shape, f"lists {DEEPEST_ITEMS} deep", "fewer lists within lists", "told as a list of texts")
        found = self._shape(shape.items) if shape.items is not None and depth <= DEEPEST_ITEMS else None
        if found is None:
            self.assumed.append(f"{pointer}/items")
            return FieldSpec(type="string")
        return self._field(found, f"{pointer}/items", path, depth + 1, inside)

    def _type(self, shape: Shape, pointer: str) -> FieldType:
        """The one type of a field; where the source has several, or none, a text, told as assumed."""
        types = set(shape.types or ())
        if not types and shape.enum:
            types = {_BY_VALUE.get(type(value), "object") for value in shape.enum}
        if types == {"integer", "number"}:
            return "number"
        if len(types) == 1:
            (kind,) = types
            return _FORMATS.get(shape.format or "", "string") if kind == "string" else _known(kind)
        self.assumed.append(f"{pointer}/type")
        if types:
            found = " or ".join(sorted(types))
            self._note(shape, found, "one type, since a field has one", "taken for string; correct it in the Type")
        return "string"

    def _enum(self, shape: Shape, kind: FieldType, pointer: str) -> tuple[JsonValue, ...] | None:
        if shape.enum is None:
            return None
        values = tuple(_json(value) for value in shape.enum)
        wrong = [value for value in values if not fits(value, kind)]
        if wrong:
            self._note(shape, shown(wrong[0]), f"values of type {kind}", "no enumeration is taken over")
        return None if wrong or not values else values

    def _note(self, shape: Shape, found: object, expected: str, outcome: str) -> None:
        self.notes.append(
            Diagnostic(
                error_code="schema-narrowed",
                severity=Severity.WARNING,
                message=f"found {found if isinstance(found, str) else shown(found)}, expected {expected}; {outcome}",
                location=Location(file=self.file, pointer=shape.at or None),
                expected=expected,
            )
        )


def fields_at(fields: Fields, pointer: str = "") -> Iterator[tuple[str, FieldSpec]]:
    """Each field with its JSON pointer, those within others after them."""
    for name, spec in fields.items():
        at = f"{pointer}/{name}"
        yield at, spec
        inner = spec
        while inner.items is not None:
            at, inner = f"{at}/items", inner.items
        yield from fields_at(inner.properties or {}, f"{at}/properties")


def _known(kind: str) -> FieldType:
    kinds: dict[str, FieldType] = {
        "boolean": "boolean", "integer": "integer", "number": "number", "array": "array", "object": "object",
    }  # fmt: skip
    return kinds[kind]


def _json(value: object) -> JsonValue:
    return value  # type: ignore[return-value]  # read from JSON or YAML


def _cut(text: str | None) -> str | None:
    if text is None or len(text) <= LONGEST_DESCRIPTION:
        return text
    return text[: LONGEST_DESCRIPTION - 1].rstrip() + "…"
