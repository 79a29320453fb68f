"""How many tokens were sent and received."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """Tokens as the endpoint counted them; None where it did not say."""

    sent: int | None = None
    received: int | None = None

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(_sum(self.sent, other.sent), _sum(self.received, other.received))


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
