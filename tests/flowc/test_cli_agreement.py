"""`flowc review agreement` and `flowc review settle`."""

import json
from pathlib import Path

import pytest
from conftest import ended

from flowc.main import main


def workflow_of(build: Path) -> Path:
    """Its draft."""
    return next(build.glob("*/*.workflow.json"))


def test_two_readers_agree_but_for_one_step(build: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Differences are hidden until both are done, then listed with their words, and settled by a third decision."""
    file = str(workflow_of(build))
    main(["review", "decide", file, "step:s1", "reject", "--reason", "wrong", "--author", "Ng"])
    correction = ["change_step.actor", "value=Registrar", "--reason", "renamed"]
    main(["review", "correct", file, "step:s1", *correction, "--author", "Wu"])
    readers = ("--by", "Ng", "--by", "Wu")
    hidden, _ = ended(capsys, 0, "review", "agreement", str(build), *readers)
    assert "Ng has" in hidden and "Registrar" not in hidden
    kept_back = json.loads(ended(capsys, 0, "review", "agreement", str(build), *readers, "--json")[0])
    assert kept_back["differences"] is kept_back["all"]["same"] is kept_back["all"]["alpha"] is None
    assert kept_back["all"]["both"] == 1
    shown, _ = ended(capsys, 1, "review", "agreement", str(build), *readers, "--unfinished")
    assert "step:s1" in shown and "enters the order" in shown and "value=Registrar" in shown and "open" in shown
    assert "no alpha over all: 1 judged by both" in shown
    settling = ["--take", "Wu", "--reason", "asked the registrar", "--author", "Li"]
    ended(capsys, 0, "review", "settle", file, "step:s1", *readers, *settling)
    settled, _ = ended(capsys, 0, "review", "agreement", str(build), *readers, "--unfinished")
    assert "settled by Li: asked the registrar" in settled
    assert "settled it at" in ended(capsys, 1, "review", "settle", file, "step:s1", *readers, *settling)[1]


def test_readers_who_are_done_are_compared(build: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each judges every step, edge and condition as they see them alone; alpha stands beside the counts."""
    file = str(workflow_of(build))
    for author, kind in (("Ng", "reject"), ("Wu", "accept")):
        items = json.loads(ended(capsys, 0, "review", "queue", file, "--as", author, "--json")[0])
        own = [one["key"] for one in items if one["subject"] in ("step", "edge", "condition")]
        assert all(one["decision"] is None for one in items)
        for key in own:
            chosen = kind if key == "step:s1" else "accept"
            ended(capsys, 0, "review", "decide", file, key, chosen, "--reason", "read", "--author", author)
    shown = json.loads(ended(capsys, 1, "review", "agreement", str(build), "--by", "Ng", "--by", "Wu", "--json")[0])
    assert shown["done"] and [one["key"] for one in shown["differences"]] == ["step:s1"]
    assert shown["all"]["both"] == len(own) == shown["all"]["same"] + 1
    assert shown["all"]["alpha"] == pytest.approx(0.0, abs=0.06)  # one of two values is used once


def test_agreement_is_between_two_who_judged(build: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One name, the same name twice, and a name that nobody decided under are refused."""
    assert "two readers" in ended(capsys, 2, "review", "agreement", str(build), "--by", "Ng")[1]
    assert "two readers" in ended(capsys, 2, "review", "agreement", str(build), "--by", "Ng", "--by", "Ng")[1]
    assert "Ng judged no step" in ended(capsys, 2, "review", "agreement", str(build), "--by", "Ng", "--by", "Wu")[1]
