"""Ablation: each rule can be found by its id, switched off alone, and is back afterwards."""

from pathlib import Path
from typing import Any

import pytest

from compiler.extract.rules import segments
from compiler.text.lexicon import lexicon
from evals.ablate.__main__ import Row, row
from evals.ablate.examples import watched
from evals.ablate.measure import fates, figures, read_all
from evals.ablate.units import Unit, units, without
from evals.cases import read_suite
from evals.meaning.__main__ import sentences

CASE = Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "privileged-access"
BY_ID = {unit.id: unit for unit in units()}


def test_rules_have_ids() -> None:
    """Patterns of the modules and lists of the languages, each once, with its language."""
    assert len(BY_ID) == len(units()) > 400
    assert BY_ID["zh:patterns.norms.forbid"].language == "zh"
    assert (BY_ID["en:modals"].kind, BY_ID["en:modals"].language) == ("words", "en")
    assert (BY_ID["segments._NARRATES"].kind, BY_ID["segments._NARRATES"].lines) == ("pattern", 3)


def test_what_the_reader_is_without_its_duty_words() -> None:
    """It reads less of everything, and all of it again afterwards."""
    cases = read_all(read_suite(CASE))
    before = figures(cases)
    with without(BY_ID["en:modals"]):
        assert all(figures(cases)[name] < before[name] for name in before)
    assert figures(cases) == before


def test_sentences_are_judged_without_a_rule() -> None:
    """A prohibition whose words are not known is right no longer."""
    drawn = [one for one in sentences("dev", ["zh"], 60, seed=0) if one.family == "prohibition"]
    assert drawn
    before = fates(drawn)
    with without(BY_ID["zh:modals"]):
        assert fates(drawn)["right"] < before["right"]
    assert fates(drawn) == before


def test_a_rule_that_nothing_needs_is_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """All figures are zero for a list that no reader asks for."""
    monkeypatch.setitem(lexicon("en").data, "unused", ["never read"])
    assert row(Unit("en:unused", "words", "en", 1), CASE.parent, 1).verdict == "idle"


@pytest.mark.parametrize(
    ("dev", "held_out", "right", "bad", "failed", "verdict"),
    [
        (0, 3, 0, 0, "", "helps"),
        (0, -3, 1, 0, "", "helps"),
        (4, 0, 0, 0, "", "dev alone"),
        (0, -2, 0, 0, "", "harms"),
        (0, 0, 0, 0, "", "idle"),
        (0, 0, 0, 0, "KeyError", "needed"),
    ],
)
def test_verdicts(dev: int, held_out: int, right: int, bad: int, failed: str, verdict: str) -> None:
    """By what is lost without the rule."""
    lost = {} if failed else {"dev": {"step": dev}, "held_out": {"step": held_out}}
    assert Row(BY_ID["en:modals"], lost, right, bad, failed).verdict == verdict


@pytest.mark.parametrize(
    ("rule", "matched", "not_matched"),
    [
        ("en:patterns.sentences.condition", "files it if it is due", "files it at once"),
        ("segments._NARRATES", "会议召开了", "召开会议"),
    ],
)
def test_examples_are_taken_while_reading(rule: str, matched: str, not_matched: str) -> None:
    """A text that the pattern matches, and one that it does not; the pattern itself is back afterwards."""

    def tried() -> Any:
        return segments._NARRATES if rule.startswith("segments") else lexicon("en").patterns("sentences").condition

    before = tried()
    with watched([BY_ID[rule]]) as found:
        assert tried().search(matched) is not None
        assert tried().search(not_matched) is None
    assert (found[rule].found, found[rule].left) == (matched, not_matched)
    assert tried() is before
