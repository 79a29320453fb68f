"""Values of fields drawn from a seed: such as fit, at and about the limits that conditions read, and such as do not."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from random import Random

from pydantic import JsonValue

from ir.fields import Fields, FieldSpec
from ir.predicate import Always, Compare, Literally, Otherwise, Ref, leaves
from ir.workflow import Workflow
from runtime.values import faults, fits

Limits = Mapping[str, Sequence[JsonValue]]
ODD = ("", " ", "危险品 № 9", "“引号” \\ \n\t", "𠮷🧪", "null", "$.inputs.x")


def limits_read(workflow: Workflow) -> dict[str, list[JsonValue]]:
    """By reference the constants that conditions hold it against."""
    conditions = [edge.condition for edge in workflow.edges] + [guard.condition for guard in workflow.guards]
    found: dict[str, list[JsonValue]] = {}
    for condition in conditions:
        if isinstance(condition, Always | Otherwise):
            continue
        for leaf in leaves(condition):
            if not isinstance(leaf, Compare):
                continue
            for one, other in ((leaf.left, leaf.right), (leaf.right, leaf.left)):
                if isinstance(one, Ref) and isinstance(other, Literally):
                    values = other.value if isinstance(other.value, list) else [other.value]
                    found.setdefault(one.text, []).extend(values)
    return found


def drawn_record(rng: Random, fields: Fields, limits: Limits, at: str) -> dict[str, JsonValue]:
    """An object of these fields; what need not be there often is not.

    Args:
        at: the reference to the object.
    """
    found: dict[str, JsonValue] = {}
    for name, spec in fields.items():
        if spec.required is True or rng.random() < 0.6:
            found[name] = drawn_value(rng, spec, limits, f"{at}.{name}")
    assert not [*faults(found, fields, of_type=True)], (found, fields)
    return found


def drawn_value(rng: Random, spec: FieldSpec, limits: Limits, at: str) -> JsonValue:
    """A value that fits a field."""
    if spec.nullable and rng.random() < 0.25:
        return None
    read = [value for value in limits.get(at, ()) if fits(value, spec)]
    if read and rng.random() < 0.5:
        return rng.choice(read)
    if spec.enum is not None:
        return rng.choice(spec.enum)
    number = rng.randint(0, 401)
    day = date(2026, 1, 1) + timedelta(days=number)
    match spec.type:
        case "boolean":
            return rng.random() < 0.5
        case "integer" | "number":
            low = spec.minimum or 0
            high = spec.maximum if spec.maximum is not None else low + 401
            value = rng.uniform(low, high)
            return int(value) if spec.type == "integer" else round(value * 2) / 2 if high - low > 1 else value
        case "date":
            return day.isoformat()
        case "datetime":
            return f"{day.isoformat()}T{rng.randint(0, 23):02}:00:00+08:00"
        case "duration":
            return rng.choice([f"P{number}D", f"PT{number * 24}H"])
        case "array":
            items = spec.items or FieldSpec(type="string", enum=("a", "b"))
            inner = items.model_copy(update={"nullable": False})
            return [drawn_value(rng, inner, limits, f"{at}[]") for _ in range(rng.randint(0, 3))]
        case "object":
            return drawn_record(rng, spec.properties or {}, limits, at)
        case _:
            return rng.choice(ODD) if rng.random() < 0.2 else rng.choice(["a", "word 0", "word 1", "word 2"])


def misfit(rng: Random, fields: Fields, *, of_type: bool = False) -> dict[str, JsonValue]:
    """An object that does not fit these fields."""
    wrong: list[dict[str, JsonValue]] = [] if of_type else [{}, {"no_such_field": 1}]
    strange: tuple[JsonValue, ...] = ("", 3.5, [1], {"a": None}, "2026-13-45")
    for name, spec in fields.items():
        wrong += [{name: value} for value in strange if not fits(value, spec)]
    chosen = [one for one in wrong if [*faults(one, fields, of_type=of_type)]]
    return rng.choice(chosen) if chosen else {}
