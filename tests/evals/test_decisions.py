"""The show of decisions that outlive changes of their document."""

from pathlib import Path

import pytest

from evals.decisions.__main__ import told_of
from evals.decisions.changes import ROAD


@pytest.mark.slow
def test_sixty_decisions_outlive_the_changes(tmp_path: Path) -> None:
    """None is lost, none that was touched is applied without a word, all others are kept."""
    told = told_of(ROAD, tmp_path)
    assert len(told) == 59  # one was taken back
    assert not [one for one in told if one.lost or one.silent]
    assert {one.touch for one in told} == {"untouched", "moved", "touched", "gone"}
    assert all(one.as_expected for one in told if one.touch != "untouched")
    kept = [one.fate for one in told if one.touch in ("untouched", "moved") and one.decision.kind != "comment"]
    assert all(one is not None and one.applied for one in kept)


def test_changes_that_the_document_does_not_allow_are_refused() -> None:
    """Words that stand nowhere cannot be changed."""
    with pytest.raises(ValueError, match="stands in 0 lines"):
        ROAD.made("<p>第一条　无。</p>")
