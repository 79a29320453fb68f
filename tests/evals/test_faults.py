"""The way to a model at its worst: overload, faults, broken answers, and the end of the process."""

from pathlib import Path

import pytest

from evals.faults import Faulty, endure
from evals.kills import resume_after_kill

pytestmark = pytest.mark.slow


def test_nothing_is_lost_or_repeated(tmp_path: Path) -> None:
    """Half of the sendings fail in one way or another; each draft is that of an endpoint without faults."""
    found = endure(8, 4, Faulty(0.0, rate_limited=0.3, failing=0.05, cut=0.15, seed=2), tmp_path)
    assert (found.lost, found.repeated) == ((), 0)
    assert found.attempts > 8 + 1


def test_the_measure_finds_what_is_lost(tmp_path: Path) -> None:
    """An endpoint that only fails loses every document, and the outcome says so."""
    found = endure(2, 2, Faulty(0.0, rate_limited=1.0, failing=0.0, cut=0.0, seed=1), tmp_path)
    assert len(found.lost) == 2
    assert not found.holds


def test_what_was_answered_before_a_kill_is_not_asked_again(tmp_path: Path) -> None:
    """The process is ended with other requests under way; the same command goes on from there."""
    found = resume_after_kill(6, 0.0, 2, tmp_path)
    assert (found.answered, found.asked_again, found.same) == (7, 0, True)
