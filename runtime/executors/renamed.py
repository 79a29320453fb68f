"""Names that a system has for the fields of a Type, as `names` of its binding notes them, there and back."""

from collections.abc import Mapping

from pydantic import JsonValue

from ir.fields import Fields, FieldSpec


def sent(name: str, names: Mapping[str, str]) -> str:
    """What an input is called in the system.

    >>> sent("zip_code", {"inputs.zip_code": "zip-code"}), sent("street", {})
    ('zip-code', 'street')
    """
    return names.get(f"inputs.{name}", name)


def there(value: JsonValue, spec: FieldSpec | None, path: str, names: Mapping[str, str]) -> JsonValue:
    """A value as the system calls its parts.

    Args:
        path: of the field, from `inputs`.

    >>> lines = FieldSpec(type="array", items=FieldSpec(type="object", properties={"sku_no": FieldSpec(type="string")}))
    >>> there([{"sku_no": "a"}], lines, "inputs.lines", {"inputs.lines.sku_no": "sku-no"})
    [{'sku-no': 'a'}]
    """
    if isinstance(value, list):
        return [there(one, spec.items if spec else None, path, names) for one in value]
    if not isinstance(value, dict):
        return value
    known = (spec.properties if spec else None) or {}
    return {
        names.get(f"{path}.{name}", name): there(one, known.get(name), f"{path}.{name}", names)
        for name, one in value.items()
    }


def here(value: Mapping[str, JsonValue], fields: Fields, path: str, names: Mapping[str, str]) -> dict[str, JsonValue]:
    """The declared fields of what a system gave, as the Type calls them; what it does not declare is left out.

    >>> here({"sku-no": "a", "more": 1}, {"sku_no": FieldSpec(type="string")}, "outputs", {"outputs.sku_no": "sku-no"})
    {'sku_no': 'a'}
    """
    return {
        name: _here(value[called], spec, f"{path}.{name}", names)
        for name, spec in fields.items()
        if (called := names.get(f"{path}.{name}", name)) in value
    }


def _here(value: JsonValue, spec: FieldSpec, path: str, names: Mapping[str, str]) -> JsonValue:
    if isinstance(value, list) and spec.items is not None:
        return [_here(one, spec.items, path, names) for one in value]
    if isinstance(value, dict) and spec.properties is not None:
        return dict(here(value, spec.properties, path, names))
    return value
