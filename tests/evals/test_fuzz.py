"""Whatever a workflow file holds, reading, validating and explaining it gives diagnostics."""

from pathlib import Path

import pytest

from catalog.load import load_catalog
from evals import fuzz
from evals.fuzz import Trial, trials, try_text

pytestmark = pytest.mark.slow

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
CASE = FIXTURES / "cases" / "supplier-onboarding"
KEPT = sorted((FIXTURES / "fuzz").glob("*.json"))


def test_nothing_crashes() -> None:
    """Broken workflows, part of them still readable, all come through."""
    found = list(trials(80, seed=1, cases=CASE))
    assert [one.trace or one.text for one in found if one.came in ("crashed", "late")] == []
    assert {one.came for one in found} == {"read", "refused"}


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_what_once_crashed_does_not_again(path: Path) -> None:
    """Texts that a run found and that are kept by seed and number."""
    found = try_text(0, path.read_text("utf-8"), load_catalog())
    assert found.came in ("read", "refused"), found.trace


def test_a_number_always_gives_the_same_text() -> None:
    """A crash can be looked at again by its seed and number."""
    few = list(trials(3, seed=5, cases=CASE))
    (again,) = trials(1, seed=5, cases=CASE, first=2)
    assert again.text == few[2].text


def test_a_crash_is_told(monkeypatch) -> None:
    """An exception of any kind is a finding with its trace, not the end."""

    def broken(text: str, catalog: object) -> bool:
        raise KeyError("nodes")

    monkeypatch.setattr(fuzz, "_asked", broken)
    found: Trial = try_text(0, "{}", load_catalog())
    assert found.came == "crashed" and "KeyError" in found.trace
