"""The base of every form: frozen, closed, and the same whether read by alias or by name."""

from typing import Any

from pydantic import BaseModel, ConfigDict


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
