"""The form that a model's answer must have: what a Type gives, without the evidence, which no model makes up."""

from collections.abc import Iterator
from typing import Any, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field, create_model

from ir.fields import Fields, FieldSpec

EVIDENCE = "evidence"


class _Form(BaseModel):
    """What every form is."""

    model_config = ConfigDict(extra="forbid", strict=True)


def asked_fields(fields: Fields) -> Fields:
    """The outputs that a model is asked for."""
    return {name: spec for name, spec in fields.items() if name != EVIDENCE}


def unaskable(fields: Fields, path: str = "") -> Iterator[str]:
    """Fields that no form can hold, as paths.

    >>> [*unaskable({"level": FieldSpec(type="string"), "model-no": FieldSpec(type="string")})]
    ['model-no']
    """
    for name, spec in fields.items():
        if not name.isidentifier() or name.startswith("_") or hasattr(BaseModel, name):
            yield f"{path}{name}"
        inner = spec
        while inner.items is not None:
            inner = inner.items
        yield from unaskable(inner.properties or {}, f"{path}{name}.")


def form_of(fields: Fields, name: str = "Answer") -> type[BaseModel]:
    """The form of an object with these fields.

    >>> form_of({"level": FieldSpec(type="string", enum=("low", "high"), required=True)}).model_validate_json(
    ...     '{"level": "low"}'
    ... )
    Answer(level='low')
    """
    made: dict[str, Any] = {}
    for one, spec in fields.items():
        kind = _kind(spec, f"{name}{one.title().replace('_', '')}")
        needed = spec.required is True
        if spec.nullable or not needed:
            kind = Optional[kind]  # noqa: UP045 - made at run time
        limits: dict[str, Any] = {"ge": spec.minimum, "le": spec.maximum} if spec.type in ("integer", "number") else {}
        made[one] = (kind, Field(... if needed else None, description=spec.description, **limits))
    return create_model(name, __base__=_Form, **made)


def _kind(spec: FieldSpec, name: str) -> Any:
    if spec.enum is not None:
        return Literal[tuple(spec.enum)]
    match spec.type:
        case "boolean":
            return bool
        case "integer":
            return int
        case "number":
            return float
        case "array":
            return list[_kind(spec.items, f"{name}Item")] if spec.items is not None else list[Any]  # type: ignore[misc]
        case "object":
            return form_of(spec.properties, name) if spec.properties else dict[str, Any]
        case _:
            return str
