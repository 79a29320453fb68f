"""How sure a figure is: bootstrap intervals over cases, paired differences, the spread of repetitions.

Cases are resampled with replacement (Efron 1979), the tallies of each sample pooled; the interval is from the 2.5th to
the 97.5th percentile. For two reports the same cases are drawn from both, so that what is hard in a case cancels out.
"""

import random
from collections.abc import Sequence

from evals.tally import Tally, pooled
from ir.base import Model

SAMPLES, SEED = 1000, 20260301
LOW, HIGH = 0.025, 0.975


class Interval(Model):
    """From where to where a figure lies, at 95 %."""

    low: float
    high: float


def interval(tallies: Sequence[Tally]) -> Interval | None:
    """The interval of a pooled figure; None for fewer than two cases, over which nothing can be said.

    >>> interval([Tally(right=1, wanted=1, found=1)] * 5)
    Interval(low=1.0, high=1.0)
    """
    if len(tallies) < 2:
        return None
    draw = random.Random(SEED)  # noqa: S311 - samples, no secrets
    values = sorted(pooled(draw.choices(tallies, k=len(tallies))).value for _ in range(SAMPLES))
    return _percentiles(values)


def difference(before: Sequence[Tally], after: Sequence[Tally]) -> Interval | None:
    """The interval of the difference of two pooled figures over the same cases; None for fewer than two.

    Args:
        before, after: the tallies of the same cases, in one order.
    """
    pairs = list(zip(before, after, strict=True))
    if len(pairs) < 2:
        return None
    draw = random.Random(SEED)  # noqa: S311
    values = []
    for _ in range(SAMPLES):
        sample = draw.choices(pairs, k=len(pairs))
        values.append(pooled(b for _, b in sample).value - pooled(a for a, _ in sample).value)
    return _percentiles(sorted(values))


def spread(values: Sequence[float]) -> float:
    """From the smallest to the greatest of repeated measurements; 0 for one.

    >>> spread([0.5, 0.75, 0.5])
    0.25
    """
    return max(values) - min(values)


def _percentiles(values: Sequence[float]) -> Interval:
    last = len(values) - 1
    return Interval(low=values[round(LOW * last)], high=values[round(HIGH * last)])
