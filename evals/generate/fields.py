"""Declarations of fields for workflows drawn from a seed, and which of them can be read or handed over."""

from random import Random
from typing import Any

from catalog.node_type import NodeType
from evals.generate.partitions import Field
from ir.fields import FieldSpec
from ir.predicate import Ref

TYPES = ("boolean", "integer", "number", "string", "date", "datetime", "duration", "array")


def random_spec(rng: Random, *, required: bool | None = None) -> dict[str, Any]:
    """The declaration of a field of any type."""
    kind = rng.choice([*TYPES, "enum", "numbers"])
    spec: dict[str, Any] = {"type": kind}
    if kind == "enum":
        spec = {"type": "string", "enum": ["甲类", "乙类", "丙类", "丁类"][: rng.randint(2, 4)]}
    elif kind == "numbers":
        spec = {"type": "integer", "enum": [1, 2, 3]}
    elif kind == "array":
        spec["items"] = {"type": "string"}
    elif kind == "number":
        spec["unit"] = rng.choice(["kg", "CNY", "h"])
    if rng.random() < 0.25:
        spec["nullable"] = True
    return spec if required is None else spec | {"required": required}


def field_of(ref: str, declared: dict[str, Any]) -> Field:
    """What a reference to a declared field reads."""
    spec = FieldSpec.model_validate(declared)
    return Field(Ref(ref), spec, null=spec.nullable)


def same_kind(given: FieldSpec, wanted: FieldSpec) -> bool:
    """Whether a value may be handed over: of the same type, unit and values, and of no other concept."""
    if wanted.concept is not None and given.concept not in (None, wanted.concept):
        return False
    keys = ("type", "enum", "unit", "items", "properties")
    return all(getattr(given, key) == getattr(wanted, key) for key in keys)


def risky(node_type: NodeType) -> bool:
    """Whether a node of a Type needs an approval before it."""
    return node_type.governance.risk_level_default == "high" or node_type.governance.requires_allowlist


def outputs_of(name: str, node_type: NodeType) -> list[Field]:
    """What can be read of a node of a Type: fields of a plain type, null where they are not sure to be there."""
    return [
        Field(Ref(f"$.outputs.{name}.{field}"), spec, null=spec.nullable or spec.required is not True)
        for field, spec in node_type.outputs_schema.items()
        if spec.type in TYPES and spec.type != "array" and (spec.enum is None or len(spec.enum) > 1)
    ]
