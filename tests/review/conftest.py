"""What tests of reviews start from."""

from pathlib import Path

import pytest
from reviewed_build import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """The policy, compiled."""
    return Bench(tmp_path)
