"""How much of the tests that draw their cases runs: a sample in `make check`, everything in `make slow`."""

import os

FULL = os.environ.get("FLOWC_FULL") == "1"
"""Whether everything is tried, as `make slow` does."""


def drawn(sample: int, full: int) -> int:
    """How many cases are drawn."""
    return full if FULL else sample
