"""What a model's tokens cost, and the day on which they did."""

import datetime
from importlib.resources import files
from pathlib import Path

from pydantic import Field

from ir.base import Model
from ir.errors import BadSetting
from ir.yaml_text import parse_yaml

_MILLION = 1_000_000


class Price(Model):
    """US dollars per million tokens."""

    sent: float = Field(ge=0, allow_inf_nan=False)
    received: float = Field(ge=0, allow_inf_nan=False)

    def cost(self, sent: int, received: int) -> float:
        """What so many tokens cost, in US dollars."""
        return (sent * self.sent + received * self.received) / _MILLION


class Prices(Model):
    """Prices by model, with the day on which they held."""

    as_of: datetime.date
    models: dict[str, Price]

    def price(self, model: str) -> Price | None:
        """The price of a model, also where its name goes on with a date (`gpt-4o-2024-11-20`); None where unknown."""
        if model in self.models:
            return self.models[model]
        base = [name for name in self.models if model.startswith(f"{name}-20")]
        return self.models[max(base, key=len)] if base else None


def load_prices(file: Path | None = None) -> Prices:
    """The prices that come with flowc, overridden by those of a file.

    Raises:
        BadSetting: the file cannot be read or is not of the form.
    """
    own = _prices(files("llm").joinpath("prices.yaml").read_text("utf-8"))
    if file is None:
        return own
    try:
        other = _prices(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        found = str(error).splitlines()[0][:200]
        raise BadSetting(f"{file}: {found}; expected `as_of:` and `models:` as in docs/models.md") from None
    return Prices(as_of=other.as_of, models={**own.models, **other.models})


def _prices(text: str) -> Prices:
    value, faults = parse_yaml(text)
    if faults:
        raise ValueError(faults[0].message)
    return Prices.model_validate(value)
