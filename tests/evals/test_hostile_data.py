"""Any data that fits its form, and much that does not, gives a draft or a code, in bounded time and memory."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from effort import drawn

from evals.hostile_data.trials import KINDS, SECONDS, Trial, trials, tried

pytestmark = pytest.mark.slow

PARTS = 10
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("part", range(PARTS))
def test_any_data_gives_a_code(part: int, tmp_path: Path) -> None:
    """Answers, recordings, corrections, prices, catalogs, settings, decisions; none over 5 s or 300 MiB."""
    each = drawn(500, 20_000) // PARTS
    found = list(trials(each, seed=1, work=tmp_path, first=part * each))
    assert [(one.kind, one.number, one.came, one.seconds, one.size, one.trace) for one in found if not one.holds] == []
    assert {one.kind for one in found} == {kind.__name__.strip("_") for kind in KINDS}
    assert {one.came for one in found} == {"taken", "refused"}


def test_what_does_not_hold_is_told() -> None:
    """A crash with its trace; what takes too long or too much."""

    def crash() -> bool:
        raise KeyError("nodes")

    def late() -> bool:
        over = time.process_time() + SECONDS + 0.2
        while time.process_time() < over:
            pass
        return True

    found: Trial = tried("answer", 0, crash)
    assert (found.came, "KeyError" in found.trace) == ("crashed", True)
    large = f"from {tried.__module__} import tried; print(tried('answer', 0, lambda: bool(bytearray(400 << 20))).came)"
    by_itself = subprocess.run([sys.executable, "-c", large], capture_output=True, text=True, cwd=ROOT, check=True)
    assert by_itself.stdout.split() == ["large"]  # what this process holds and lets go would be counted with it
    assert tried("answer", 0, late).came == "late"
