"""Intervals, differences and spreads, on counts small enough to be worked out."""

import pytest

from evals.reports.statistics import Interval, difference, interval, spread
from evals.tally import Tally, pooled, share

MIXED = [share(1, 1), share(0, 1), share(1, 1), share(0, 1)]


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_is_said_over_fewer_than_two_cases(count: int) -> None:
    """One case has no spread."""
    assert interval([share(1, 2)] * count) is None
    assert difference([share(1, 2)] * count, [share(2, 2)] * count) is None


def test_equal_cases_leave_no_doubt() -> None:
    """However they are drawn, the value is the same."""
    assert interval([share(1, 2)] * 7) == Interval(low=0.5, high=0.5)
    assert difference([share(1, 2)] * 7, [share(3, 4)] * 7) == Interval(low=0.25, high=0.25)


def test_the_interval_holds_the_value_and_lies_in_bounds() -> None:
    """Two of four right: from 0 (1 draw in 16 has none right) to 1."""
    assert interval(MIXED) == Interval(low=0.0, high=1.0)
    many = interval(MIXED * 25)
    assert many is not None and 0.35 < many.low < 0.5 < many.high < 0.65


def test_the_interval_is_the_same_each_time() -> None:
    """The draws are seeded; the order of the cases may change them, a second call does not."""
    assert interval(MIXED * 3) == interval(MIXED * 3)


def test_large_cases_weigh_more() -> None:
    """Tallies are pooled in each draw: 90 of 100 and 0 of 1 lie between 0 and 0.9, most draws near 0.9."""
    found = interval([share(90, 100), share(0, 1)])
    assert found == Interval(low=0.0, high=0.9)


def test_the_difference_is_paired() -> None:
    """Each case gained a tenth, whatever it had before: the difference is a tenth, though the values are far apart."""
    before = [share(1, 10), share(5, 10), share(9, 10)]
    after = [share(2, 10), share(6, 10), share(10, 10)]
    found = difference(before, after)
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(0.1), pytest.approx(0.1))


def test_one_gain_and_one_loss_hold_zero() -> None:
    """From −1 to 1: nothing can be said."""
    found = difference([share(1, 1), share(0, 1)], [share(0, 1), share(1, 1)])
    assert found == Interval(low=-1.0, high=1.0)


def test_other_cases_cannot_be_paired() -> None:
    """Two lists of unequal length."""
    with pytest.raises(ValueError, match="zip"):
        difference([share(1, 1)] * 2, [share(1, 1)] * 3)


def test_spread_is_from_the_least_to_the_greatest() -> None:
    """Of three values, and of one."""
    assert spread([0.5, 0.9, 0.7]) == pytest.approx(0.4)
    assert spread([0.5]) == 0


def test_a_tally_is_f1_of_what_was_wanted_and_found() -> None:
    """3 right of 4 wanted and 6 found: precision 0.5, recall 0.75, F1 0.6; nothing at all does not apply."""
    tally = Tally(right=3, wanted=4, found=6)
    assert (tally.precision, tally.recall, tally.value) == (0.5, 0.75, 0.6)
    empty = Tally()
    assert (empty.applies, empty.value, empty.precision, empty.recall) == (False, 0.0, 0.0, 0.0)
    assert pooled([tally, empty, share(1, 2)]) == Tally(right=4, wanted=6, found=8)
