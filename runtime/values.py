"""Values against the fields that declare them: inputs, answers, outputs."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any, cast

from pydantic import JsonValue

from ir.base import canonical_json
from ir.duration import duration_length
from ir.fields import Fields, FieldSpec
from ir.workflow import InputSpec, Workflow

MOST_BYTES = 16 << 20
"""Of what a run is given to begin with, and of an answer of a person, as JSON."""


def faults(values: Mapping[str, JsonValue], fields: Fields, *, of_type: bool = False) -> Iterator[str]:
    """What does not fit, each in a sentence that names the field, what it takes and what it was given.

    Args:
        of_type: the fields are those of a Node Type, where absent `required` means false and more may be given.
    """
    for name, spec in fields.items():
        value = values.get(name)
        if value is None:
            needed = spec.required is True if of_type else spec.required is not False
            if needed and not (spec.nullable and name in values):
                yield f"{name}: missing; it takes {described(spec)}"
            continue
        yield from _value_faults(name, value, spec)
    if not of_type:
        for name in values:
            if name not in fields:
                known = ", ".join(fields) or "nothing"
                yield f"{name}: there is no such field; there is {known}"


def missing_inputs(workflow: Workflow, inputs: Mapping[str, JsonValue]) -> dict[str, InputSpec]:
    """The inputs that a run of a workflow still needs."""
    return {
        name: spec
        for name, spec in workflow.inputs.items()
        if inputs.get(name) is None
        and spec.is_required
        and spec.default is None
        and not (spec.nullable and name in inputs)
    }


def wrong_inputs(workflow: Workflow, inputs: Mapping[str, JsonValue]) -> list[str]:
    """What of the inputs that are given does not fit."""
    optional = {name: spec.model_copy(update={"required": False}) for name, spec in workflow.inputs.items()}
    return [*faults(inputs, cast("Fields", optional))]


def oversize(values: Mapping[str, JsonValue]) -> str | None:
    """What is said of values that are more than a run keeps; None of others.

    >>> oversize({"a": "x"}), oversize({"a": "x" * MOST_BYTES})
    (None, 'they take 16.0 MiB, and 16 MiB is what is kept of them; hand over where the rest can be found')
    """
    try:
        size = len(canonical_json(dict(values)).encode("utf-8", "surrogatepass"))
    except (TypeError, ValueError, RecursionError):
        return None  # which is told as what cannot be stored
    if size <= MOST_BYTES:
        return None
    told = f"they take {size / 2**20:.1f} MiB, and {MOST_BYTES >> 20} MiB is what is kept of them"
    return f"{told}; hand over where the rest can be found"


def storable(value: JsonValue) -> bool:
    """Whether a value can be written as JSON and UTF-8, without characters that databases refuse.

    >>> storable({"a": [1, "危"]}), storable({"a": "\\ud800"}), storable({"a": "\\u0000"})
    (True, False, False)
    """
    try:
        return b"\\u0000" not in canonical_json(value).encode()
    except (TypeError, ValueError, RecursionError):
        return False


def _value_faults(name: str, value: Any, spec: FieldSpec) -> Iterator[str]:
    if not fits(value, spec):
        yield f"{name}: it takes {described(spec)}, and was given {value!r}"
        return
    if spec.type == "array" and spec.items is not None:
        for at, item in enumerate(value):
            yield from _value_faults(f"{name}[{at}]", item, spec.items)
    if spec.type == "object" and spec.properties is not None:
        for key, below in spec.properties.items():
            item = value.get(key)
            if item is None:
                if below.required is True and not (below.nullable and key in value):
                    yield f"{name}.{key}: missing; it takes {described(below)}"
            else:
                yield from _value_faults(f"{name}.{key}", item, below)


def fits(value: Any, spec: FieldSpec) -> bool:
    """Whether a value is of a field's kind, whatever it holds.

    >>> fits(3, FieldSpec(type="number")), fits("3", FieldSpec(type="number")), fits("P3D", FieldSpec(type="duration"))
    (True, False, True)
    """
    if spec.enum is not None:
        return any(type(value) is type(one) and value == one for one in spec.enum)
    number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**53
    match spec.type:
        case "boolean":
            return isinstance(value, bool)
        case "integer" | "number":
            whole = spec.type == "number" or (number and float(value).is_integer())
            low = spec.minimum is None or not number or value >= spec.minimum
            return number and whole and low and (spec.maximum is None or value <= spec.maximum)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case "string":
            return isinstance(value, str)
        case "duration":
            return isinstance(value, str) and duration_length(value) is not None
        case _:
            return isinstance(value, str) and _moment(value, whole=spec.type == "date")


def _moment(text: str, *, whole: bool) -> bool:
    try:
        date.fromisoformat(text) if whole else datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def described(spec: FieldSpec) -> str:
    """What a field takes, in words.

    >>> described(FieldSpec(type="number", unit="kg", minimum=0)), described(FieldSpec(type="string", enum=("a", "b")))
    ('number in kg, at least 0', 'one of a, b')
    """
    if spec.enum is not None:
        return "one of " + ", ".join(str(value) for value in spec.enum)
    told = spec.type + (f" in {spec.unit}" if spec.unit else "")
    told += f", at least {spec.minimum}" if spec.minimum is not None else ""
    told += f", at most {spec.maximum}" if spec.maximum is not None else ""
    return told
