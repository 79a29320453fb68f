"""Recorded answers of a capable model, replayed without a network: the blessed draft and the blessed figures."""

import json
import socket
from pathlib import Path

import pytest
from conftest import Flowc

from compiler.build.scheduler import Settings
from evals import Choice, run
from evals.reports.compare import BASELINES, baseline_path, regressions
from evals.reports.report import Report, SuiteResult, read_report
from llm import ModelChoice

CASES = Path(__file__).resolve().parents[2] / "fixtures" / "cases"
BLESSED = sorted(CASES.glob("*/blessed/*.workflow.json"))
BASELINE = BASELINES / "cases-by-model+cases.all.replay.cues.json"


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No connection can be made, no answer is cached, and there is no key."""

    def refuse(*_: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "FLOWC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("blessed", BLESSED, ids=lambda path: path.parts[-3])
def test_the_blessed_draft_is_made_again(blessed: Path, flowc: Flowc, tmp_path: Path) -> None:
    """Byte for byte, twice."""
    case = blessed.parents[1]
    for name in ("once", "twice"):
        told = flowc("compile", case / "documents", "-o", tmp_path / name, "--replay", case / "replies", "--json")
        assert told.status == 0, told.err
        (draft,) = (tmp_path / name).rglob(blessed.name)
        assert draft.read_bytes() == blessed.read_bytes()
        assert json.loads(draft.read_text("utf-8"))["provenance"]["mode"] == "model"


def test_one_is_blessed() -> None:
    """The first case."""
    assert [path.parts[-3] for path in BLESSED] == ["hazmat-transport"]


@pytest.fixture(scope="module")
def report() -> Report:
    """All cases by model, from the recordings, and offline."""
    return run([CASES], Settings(syntax=False, model=ModelChoice()), Choice(jobs=2, way="replay"))


def by_model(report: Report) -> SuiteResult:
    """What the model's readings came to."""
    suite = report.suite("cases by model")
    assert suite is not None
    return suite


def test_no_case_fell(report: Report) -> None:
    """Where one did: mend it or, where it is meant, bless the new figures; where a question changed, record anew."""
    assert report.crashed == ()
    fell = regressions(read_report(BASELINE), report)
    told = [f"{one.suite}/{one.case} {one.metric}: {one.before} -> {one.after}" for one in fell]
    assert not told, "\n".join(["regression against the baseline; see `flowc eval bless`", *told])
    assert baseline_path(report) == BASELINE


def test_every_question_is_the_recorded_one(report: Report) -> None:
    """Each case was answered: tokens were counted, and within what it may take."""
    for case in by_model(report).cases:
        assert case.cost.tokens, case.slug
        assert case.cost.tokens <= case.cost.allowed, case.slug
        assert case.cost.allowed < case.cost.plain


def test_the_model_is_clearly_better(report: Report) -> None:
    """Than the offline reading of the same cases, in what is found and in how it runs."""
    offline = report.suite("cases")
    assert offline is not None
    for metric in ("extraction.step", "extraction.gap", "workflow.order", "workflow.condition", "behaviour"):
        assert by_model(report).figures[metric].value > offline.figures[metric].value + 0.05, metric
