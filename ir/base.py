"""The base of every form: frozen, closed, and the same whether read by alias or by name."""

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, JsonValue


class Model(BaseModel):
    """A frozen record that refuses unknown keys.

    Unknown keys are errors because a misspelt key in a workflow would otherwise silently mean nothing.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )

    def to_json(self) -> dict[str, Any]:
        """JSON-ready dictionary, without the fields that hold their default."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def canonical_json(value: JsonValue) -> str:
    """One text for JSON values that say the same: keys sorted, no white space, whole floats as integers.

    >>> canonical_json({"b": 2.0, "a": [True, "公路"]})
    '{"a":[true,"公路"],"b":2}'
    """
    return json.dumps(_whole(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _whole(value: JsonValue) -> JsonValue:
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {key: _whole(item) for key, item in value.items()}
        case list():
            return [_whole(item) for item in value]
    return value
