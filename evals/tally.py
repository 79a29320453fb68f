"""The one form of every figure: how much was right, of what was wanted and of what was found."""

from collections.abc import Iterable

from ir.base import Model


class Tally(Model):
    """What a metric counted.

    Args:
        right: what is wanted and found.
        wanted: what gold has.
        found: what the system gave. For a plain share, as of pairs that agree, it equals `wanted`.
    """

    right: float = 0.0
    wanted: float = 0.0
    found: float = 0.0

    @property
    def applies(self) -> bool:
        """Whether there was anything to count; else the metric is absent, which is not zero."""
        return self.wanted + self.found > 0

    @property
    def value(self) -> float:
        """F1, in 0..1; for a plain share the share itself.

        >>> Tally(right=2, wanted=4, found=2).value
        0.6666666666666666
        >>> Tally(right=3, wanted=4, found=4).value
        0.75
        """
        return 2 * self.right / (self.wanted + self.found) if self.applies else 0.0

    @property
    def precision(self) -> float:
        """Share of what was found that is right; 0 where nothing was."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Share of what was wanted that was found; 0 where nothing was wanted."""
        return self.right / self.wanted if self.wanted else 0.0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(right=self.right + other.right, wanted=self.wanted + other.wanted, found=self.found + other.found)


def share(right: float, of: float) -> Tally:
    """A plain share, `right` of `of`.

    >>> share(3, 4).value
    0.75
    """
    return Tally(right=right, wanted=of, found=of)


def pooled(tallies: Iterable[Tally]) -> Tally:
    """All counts together, so that a case weighs as much as there is in it.

    >>> pooled([share(1, 1), share(0, 3)]).value
    0.25
    """
    total = Tally()
    for tally in tallies:
        total = total + tally
    return total
