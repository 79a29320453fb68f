"""`flowc review`, decisions, and `--fail-on`."""

import json
from pathlib import Path

import pytest

from flowc.fail_on import figures, parse_limits
from flowc.main import main
from flowc.stopping import Stop

POLICY = """# Release of goods

1. The clerk enters the order in the register.
2. The manager approves the order. If the manager approves it, the clerk releases the goods; otherwise the order ends.
3. The clerk must not release the goods without a label.
4. Smoking is prohibited in the store.
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A folder with one policy."""
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "release.md").write_text(POLICY, encoding="utf-8")
    return folder


def built(policy: Path, *options: str) -> tuple[int, Path, dict[str, object]]:
    """Compile; gives the exit status, the workflow's file and the summary."""
    out = policy.parent / "out"
    status = main(["compile", str(policy), "-o", str(out), "--offline", "--quiet", *options])
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    return status, out / summary["procedures"][0]["workflow"], summary["procedures"][0]["verdict"]


def test_what_is_open_is_accepted_by_its_words(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The decision stands beside the document, and the next build and `validate` go by it."""
    _, workflow, before = built(policy)
    assert main(["review", "show", str(workflow)]) == 0
    assert "Smoking is prohibited" in capsys.readouterr().out
    accepting = [
        "review",
        "accept",
        str(workflow),
        "without a label",
        "--reason",
        "the guard sees to it",
        "--author",
        "Ng",
    ]
    assert main(accepting) == 0
    said = [json.loads(line) for line in (policy / "decisions.jsonl").read_text("utf-8").splitlines()]
    assert {one["subject"] for one in said} == {"prohibition", "question"}
    assert {(one["author"], one["reason"]) for one in said} == {("Ng", "the guard sees to it")}
    _, workflow, after = built(policy)
    assert after["prohibitions"]["accepted"] == 1  # type: ignore[index]
    assert after["prohibitions"]["unenforced"] == before["prohibitions"]["unenforced"] - 1  # type: ignore[index]
    assert after["questions"]["weighty"] == before["questions"]["weighty"] - 1  # type: ignore[index]
    capsys.readouterr()
    assert main(["review", "accept", str(workflow), "without a label", "--reason", "again"]) == 1
    assert "in nothing that is open" in capsys.readouterr().err
    main(["validate", str(workflow), "--select", "unenforced-prohibition"])
    assert "label" not in capsys.readouterr().out


def test_words_of_several_things_are_not_enough(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written where it is not plain what is accepted, or why."""
    _, workflow, _ = built(policy)
    assert main(["review", "accept", str(workflow), "the", "--reason", "x"]) == 1
    assert "things that are open" in capsys.readouterr().err
    assert main(["review", "accept", str(workflow), "Smoking", "--reason", " "]) == 2
    assert not (policy / "decisions.jsonl").exists()


def test_every_statement_is_shown(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With what became of it, and as JSON."""
    _, workflow, verdict = built(policy)
    assert main(["review", "show", str(workflow), "--which", "all", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told) == verdict["statements"]["all"]  # type: ignore[index]
    assert main(["review", "show", str(workflow), "--which", "all"]) == 0
    assert "unenforced" in capsys.readouterr().out


@pytest.mark.parametrize("way", [["--dry-run"], []])
def test_what_a_step_can_give_is_corrected(policy: Path, way: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Several values in one field are looked at and taken like one."""
    _, workflow, _ = built(policy)
    words = ["step:s1", "change_step.outcomes", "value=entered, refused", "--reason", "so it is", "--author", "Ng"]
    assert main(["review", "correct", str(workflow), *words, *way]) == 0
    assert (policy / "decisions.jsonl").exists() is not bool(way)


def test_a_broken_line_of_decisions_is_said(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its number, and exit status 2."""
    (policy / "decisions.jsonl").write_text("{}\n", encoding="utf-8")
    assert main(["compile", str(policy), "-o", str(policy.parent / "out"), "--offline"]) == 2
    assert "line 1" in capsys.readouterr().err


def test_limits_fail_a_build(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A figure beyond its limit is said with both numbers, and the status is 1."""
    assert built(policy, "--fail-on", "unenforced=9,questions=90,carried=1%")[0] == 0
    capsys.readouterr()
    out = str(policy.parent / "out")
    assert main(["compile", str(policy), "-o", out, "--offline", "--fail-on", "unenforced=0"]) == 1
    assert "prohibitions: unenforced 2, where at most 0 was set" in capsys.readouterr().err
    assert main(["compile", str(policy), "-o", out, "--offline", "--fail-on", "carried=99%"]) == 1
    assert main(["compile", str(policy), "-o", out, "--offline", "--fail-on", "unmaped=1"]) == 2
    assert "unmapped" in capsys.readouterr().err


def test_every_figure_has_a_name() -> None:
    """Each number of a verdict can be limited; what is no limit is refused."""
    assert {"questions", "weighty", "unmapped", "unenforced", "unplaced", "statements.question"} <= set(figures())
    for bad in ("unmapped", "unmapped=x", "unmapped=-1", "=3"):
        with pytest.raises(Stop):
            parse_limits(bad)


def test_a_correction_from_the_command_line(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Looked at, refused at its field, taken, seen in the next build, told by status, and taken back."""
    _, workflow, _ = built(policy)
    capsys.readouterr()
    step = ["review", "correct", str(workflow), "step:s1"]
    assert main(step) == 0
    assert "change_step.actor value=clerk" in capsys.readouterr().out
    assert main([*step, "change_step.kind", "value=recrod", "--reason", "x"]) == 1
    assert "did you mean record" in capsys.readouterr().err
    assert main([*step, "change_step.actor", "value=Porter", "--dry-run"]) == 0
    assert "actor" in capsys.readouterr().out
    assert not (policy / "decisions.jsonl").exists()
    assert main([*step, "change_step.actor", "value=Porter", "--reason", "who does it", "--author", "Ng"]) == 0
    built(policy)
    assert any(node.get("actor") == "Porter" for node in json.loads(workflow.read_text("utf-8"))["nodes"].values())
    capsys.readouterr()
    assert main(["review", "status", str(policy.parent / "out"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"] == {"correct": {"unchanged": 1}}
    assert main(["review", "undo", str(workflow), "--author", "Wu"]) == 1
    assert main(["review", "undo", str(workflow), "--author", "Ng"]) == 0
    built(policy)
    assert "Porter" not in workflow.read_text("utf-8")


def test_plain_decisions_from_the_command_line(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An answer needs words; a key that is none is said; a queue counts what is decided; lines go out and in."""
    _, workflow, _ = built(policy)
    out = str(policy.parent / "out")
    assert main(["review", "decide", str(workflow), "step:s1", "answer", "--reason", "x"]) == 2
    assert main(["review", "decide", str(workflow), "step:s99", "reject", "--reason", "x"]) == 1
    assert main(["review", "decide", str(workflow), "step:s1", "reject", "--reason", "not so", "--author", "Ng"]) == 0
    capsys.readouterr()
    assert main(["review", "queue", str(workflow), "--json"]) == 0
    (own,) = [one for one in json.loads(capsys.readouterr().out) if one["key"] == "step:s1"]
    assert own["open"]
    assert own["why"][0] == "rejected"
    lines = policy.parent / "decisions-out.jsonl"
    assert main(["review", "export", out, str(lines)]) == 0
    assert main(["review", "import", out, str(lines)]) == 0
    assert "0 taken, 1 known" in capsys.readouterr().out
    assert main(["review", "export", out, "decisions.txt"]) == 2
