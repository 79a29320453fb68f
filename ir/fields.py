"""Typed fields: the small dialect in which inputs, outputs and requested fields are declared."""

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import JsonValue

from ir.base import Model

FieldType = Literal["boolean", "integer", "number", "string", "date", "datetime", "duration", "array", "object"]


class FieldSpec(Model):
    """The type of one field.

    Args:
        required: absent means true for a workflow's input and what a person is asked for, and false elsewhere.
        nullable: null is a legal value, which says "not known" or "not found" aloud.
        enum: the only values allowed.
        unit: unit of a number, as in `kg`; a literal compared with the field is in this unit.
        minimum, maximum: the least and the greatest number allowed.
        concept: id of the concept that the field holds, which aligns fields across documents and Node Types.
    """

    type: FieldType
    description: str | None = None
    required: bool | None = None
    nullable: bool = False
    enum: tuple[JsonValue, ...] | None = None
    items: "FieldSpec | None" = None
    properties: "dict[str, FieldSpec] | None" = None
    unit: str | None = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    concept: str | None = None
    default: JsonValue = None

    def at(self, path: Iterable[str]) -> "FieldSpec | None":
        """The field below this one, nullable as soon as anything on the way is; None where there is no such field.

        >>> entity = FieldSpec(type="object", nullable=True, properties={"cas": FieldSpec(type="string")})
        >>> entity.at(["cas"]).nullable
        True
        >>> entity.at(["colour"]) is None
        True
        """
        spec, nullable = self, self.nullable
        for key in path:
            below = (spec.properties or {}).get(key)
            if below is None:
                return None
            spec, nullable = below, nullable or below.nullable or below.required is not True
        return spec.model_copy(update={"nullable": nullable})

    def json_schema(self) -> dict[str, Any]:
        """The field as JSON Schema (2020-12)."""
        kinds = {"date": "string", "datetime": "string", "duration": "string"}
        schema: dict[str, Any] = {"type": kinds.get(self.type, self.type)}
        if self.type in ("date", "datetime"):
            schema["format"] = "date" if self.type == "date" else "date-time"
        if self.description:
            schema["description"] = self.description
        if self.enum is not None:
            schema["enum"] = list(self.enum) + ([None] if self.nullable and None not in self.enum else [])
        limits = {"minimum": self.minimum, "maximum": self.maximum}
        schema |= {key: limit for key, limit in limits.items() if limit is not None}
        if self.items:
            schema["items"] = self.items.json_schema()
        if self.properties is not None:
            schema |= object_schema(self.properties)
        if self.nullable:
            schema["type"] = [schema["type"], "null"]
        return schema


Fields = dict[str, FieldSpec]


def object_schema(fields: Fields, *, required_by_default: bool = False) -> dict[str, Any]:
    """JSON Schema of an object with these fields and no others."""
    required = [
        name for name, spec in fields.items() if (required_by_default if spec.required is None else spec.required)
    ]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: spec.json_schema() for name, spec in fields.items()},
        "additionalProperties": False,
    }
    return schema | ({"required": required} if required else {})
