"""What surrounds a build at its worst: an endpoint that fails, a disk that is full, the end of the process."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from effort import drawn

from compiler.build.builder import compile_documents
from compiler.build.folder import write_build
from compiler.build.scheduler import Settings
from evals.faults import Faulty, endure
from evals.kills import end_builds, resume_after_kill, standing
from evals.stub_reader import write_policies

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


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are counted where the system lists them")
def test_a_build_that_is_ended_leaves_a_whole_one_and_no_process(tmp_path: Path) -> None:
    """By a signal that can be caught, by one that cannot, and by Ctrl-C; while it works and while it writes."""
    found = end_builds(6, drawn(2, 10), 2, 1, tmp_path, signals=("SIGTERM", "SIGKILL", "SIGINT"))
    assert [one for one in found.ended if not one.holds] == []
    assert found.resumed


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are copied where the system can")
def test_a_disk_that_is_full_from_any_write_on_costs_no_build() -> None:
    """The earlier build stands there as it was, nothing lies beside it, and the exit status is the environment's."""
    most = drawn(15, 200)
    command = [sys.executable, "-m", "evals.faults", "--full-disk", str(most), "--documents", "4"]
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout
    assert told.endswith("holds\n") and "does not" not in told, told
    assert re.search(r"the earlier build whole +(1[5-9]|[2-9]\d|[1-9]\d\d)\n", told)


def test_a_part_of_a_build_is_told_from_a_whole_one(tmp_path: Path) -> None:
    """A file that is missing, another build's, or none of the build's."""
    for name, number in (("earlier", 1), ("new", 2)):
        write_policies(tmp_path / f"{name}-policies", number)
        write_build(
            compile_documents([tmp_path / f"{name}-policies"], Settings(embedder="lexical")), tmp_path / name
        )  # fmt: skip
    earlier, new, out = (tmp_path / name for name in ("earlier", "new", "out"))
    shutil.copytree(earlier, out)
    assert (standing(earlier, earlier, new), standing(new, earlier, new)) == ("earlier", "new")
    assert standing(out, earlier, new) == "earlier"
    (out / "index.html").write_bytes((new / "index.html").read_bytes())
    assert standing(out, earlier, new) == "broken"
    (out / "index.html").write_bytes((earlier / "index.html").read_bytes())
    (out / ".write-1.part").write_text("")
    assert standing(out, earlier, new) == "broken"
    (out / ".write-1.part").unlink()
    (out / "gaps.yaml").unlink()
    assert standing(out, earlier, new) == "broken"
    assert standing(tmp_path / "none", earlier, new) == "broken"
