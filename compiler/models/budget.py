"""Money: what a model's tokens cost, and a sum that is never exceeded."""

import datetime
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import yaml
from pydantic import Field, ValidationError

from compiler.errors import BadSetting
from compiler.models.faults import ModelFault
from compiler.models.protocol import Usage
from ir.base import Model

_MILLION = 1_000_000


class Price(Model):
    """US dollars per million tokens."""

    sent: float = Field(ge=0)
    received: float = Field(ge=0)

    def of(self, sent: int, received: int) -> float:
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
    own = Prices.model_validate(yaml.safe_load(files("compiler.models").joinpath("prices.yaml").read_text("utf-8")))
    if file is None:
        return own
    try:
        other = Prices.model_validate(yaml.safe_load(file.read_text("utf-8")))
    except (OSError, ValueError, yaml.YAMLError, ValidationError) as error:
        found = str(error).splitlines()[0]
        raise BadSetting(f"{file}: {found}; expected `as_of:` and `models:` as in docs/models.md") from None
    return Prices(as_of=other.as_of, models={**own.models, **other.models})


class Budget:
    """A sum of money that the requests of a document or a build may cost together.

    Before a request is sent, the most that it can cost is set aside; where that would go over the sum, it is not sent.

    Args:
        most: US dollars; None for no limit.
        price: of the model; None where it is unknown.
        whole: the budget of which this is a part, as a document's is of the build's.

    Raises:
        BadSetting: there is a limit but no price to hold to.
    """

    def __init__(self, most: float | None, price: Price | None, whole: "Budget | None" = None) -> None:
        if most is not None and price is None:
            raise BadSetting("--max-cost needs a price for the model, and none is known; give one with --prices")
        self.most, self.price, self._whole = most, price, whole
        self._lock, self._set_aside, self._spent = threading.Lock(), 0.0, 0.0
        self._unknown = False

    @property
    def spent(self) -> float | None:
        """US dollars spent; None where the price, or what some request cost, is unknown."""
        return None if self.price is None or self._unknown else self._spent

    @contextmanager
    def reserved(self, sent: int, received: int) -> Iterator["Spending"]:
        """Set aside what a request can cost at most while it is under way.

        Args:
            sent, received: tokens that it cannot exceed.

        Raises:
            ModelFault: `spent` where that would go over the sum.
        """
        spending = Spending(self.price)
        most = self.price.of(sent, received) if self.price else 0.0
        self._take(most)
        try:
            if self._whole is None:
                yield spending
            else:
                with self._whole.reserved(sent, received) as outer:
                    yield spending
                    outer.usage = spending.usage
        finally:
            self._settle(most, spending)

    def _take(self, most: float) -> None:
        with self._lock:
            if self.most is not None and self._spent + self._set_aside + most > self.most:
                left = self.most - self._spent - self._set_aside
                raise ModelFault("spent", f"the request may cost {most:.4f} USD, and {max(0.0, left):.4f} USD are left")
            self._set_aside += most

    def _settle(self, most: float, spending: "Spending") -> None:
        with self._lock:
            self._set_aside -= most
            cost = spending.cost
            if cost is None and spending.sent:
                self._unknown = self.most is None
                cost = most  # it may have cost all that it could
            self._spent += cost or 0.0


class Spending:
    """What one request came to; `usage` is None until an answer has come, for nothing else is charged."""

    def __init__(self, price: Price | None) -> None:
        self._price = price
        self.usage: Usage | None = None

    @property
    def sent(self) -> bool:
        """Whether an answer came."""
        return self.usage is not None

    @property
    def cost(self) -> float | None:
        """US dollars; None where it is not known."""
        usage = self.usage
        if usage is None:
            return 0.0
        if self._price is None or usage.sent is None or usage.received is None:
            return None
        return self._price.of(usage.sent, usage.received)
