"""The trial of many clients, small: it kills the server once, and nothing is lost or done twice."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_few_clients_and_a_kill() -> None:
    """Runs are begun, and all checks hold; exit status 0."""
    words = ["-m", "evals.load", "--clients", "3", "--seconds", "24", "--kills", "1"]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    first, *lines = done.stdout.splitlines()
    assert int(first.split()[0]) > 0 and "start a run" in done.stdout
    assert [line for line in lines if line.startswith("a task was answered once") and line.endswith(" 0")]
