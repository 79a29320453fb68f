"""What a build took of a model: asked, from the cache and replayed it is the same; only what was sent is paid."""

from pathlib import Path

import pytest

from compiler.build.builder import compile_documents
from compiler.build.scheduler import Settings
from evals.chat_stub import serving
from evals.outcome import Usage, outcome_of_build
from evals.runner import Choice, _processes
from evals.stub_reader import answer_to, write_policies
from llm import ModelChoice

PRICES = "as_of: 2026-11-01\nmodels: {m: {sent: 1, received: 1}}\n"


def test_recorded_answers_count_as_taken(tmp_path: Path) -> None:
    """With the tokens that were counted when they were given; the trial of the mode is the first build's alone."""
    write_policies(tmp_path / "policies", 2)
    (tmp_path / "prices.yaml").write_text(PRICES)

    def taken(choice: ModelChoice) -> Usage:
        return outcome_of_build(
            compile_documents([tmp_path / "policies"], Settings(embedder="lexical", model=choice))
        ).usage  # fmt: skip

    with serving(lambda body, number: answer_to(body)) as stub:
        model = ModelChoice(
            "m", base_url=stub.url, api_key="k", kept=tmp_path / "cache", record=tmp_path / "r",
            prices=tmp_path / "prices.yaml",
        )  # fmt: skip
        asked, requests = taken(model), len(stub.requests)
        again = taken(model)
        assert len(stub.requests) == requests == asked.calls == 5  # a trial; each read and drafted
    replayed = taken(ModelChoice(replay=tmp_path / "r"))
    trial = 11 + 7
    assert asked.tokens is not None and asked.tokens > 5 * trial
    assert asked.money == pytest.approx(asked.tokens / 1e6)
    for one in (again, replayed):
        assert (one.calls, one.tokens, one.money) == (4, asked.tokens - trial, 0)


def test_without_a_model_nothing_is_taken(tmp_path: Path) -> None:
    """Which is known, not unknown."""
    write_policies(tmp_path, 1)
    usage = outcome_of_build(compile_documents([tmp_path], Settings(embedder="lexical"))).usage
    assert (usage.calls, usage.tokens, usage.money) == (0, 0, 0)


def test_processes_keep_to_the_limits_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that ask an endpoint share what it is asked at a time; a recording can be read by as many as there are."""
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    live = Settings(model=ModelChoice("m"))
    jobs, each = _processes(live, Choice(), 99)
    assert isinstance(each.model, ModelChoice)
    assert (jobs, each.model.limits.concurrency) == (4, 2)
    assert _processes(Settings(model=ModelChoice()), Choice(jobs=6), 99)[0] == 6
    assert _processes(Settings(), Choice(), 3) == (3, Settings())
