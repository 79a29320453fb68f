"""`flowc compile` with a language model: asked, recorded, replayed, paid for; failing, it costs nothing but itself."""

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Flowc

from evals.chat_stub import Answer, serving

POLICY = "# Purchases\n\n1. The buyer shall send the request to Finance.\n\n2. Finance must file the request.\n"
ANSWER = json.dumps(
    {
        "procedures": [
            {
                "title": "Purchases",
                "steps": [
                    {"id": "s1", "text": "send the request", "kind": "input", "actor": "buyer",
                     "at": [{"b": "s1-li1", "q": "send the request to Finance"}]},
                    {"id": "s2", "text": "file the request", "kind": "record", "actor": "Finance",
                     "at": [{"b": "s1-li2", "q": "file the request"}]},
                ],
                "flows": [{"a": "start", "z": "s1"}, {"a": "s1", "z": "s2"}, {"a": "s2", "z": "end"}],
            }
        ]
    }
)  # fmt: skip


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A policy, with caches of its own and a key that nobody needs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    file = tmp_path / "policy.md"
    file.write_text(POLICY)
    return file


def answering(body: dict[str, Any], number: int) -> Answer:
    """The trial of the mode, then the procedures."""
    return Answer('{"answer": 5}' if "two plus three" in body["messages"][-1]["content"] else ANSWER)


def test_a_build_is_asked_once_and_replayed(flowc: Flowc, policy: Path, tmp_path: Path) -> None:
    """The same drafts, byte for byte, without the endpoint; a second build asks nothing; no key is written anywhere."""
    with serving(answering) as stub:
        words = ("compile", policy, "--model", "m", "--base-url", stub.url)
        assert flowc(*words, "-o", tmp_path / "one", "--record", tmp_path / "replies").status == 0
        assert len(stub.requests) == 2
        assert flowc(*words, "-o", tmp_path / "two").status == 0
        assert len(stub.requests) == 2
    assert flowc("compile", policy, "-o", tmp_path / "three", "--replay", tmp_path / "replies").status == 0
    drafts = [next((tmp_path / name).rglob("*.workflow.json")).read_bytes() for name in ("one", "two", "three")]
    assert drafts[0] == drafts[1] == drafts[2]
    provenance = json.loads(drafts[0])["provenance"]
    assert (provenance["mode"], provenance["method"]) == ("model", "stub-1")
    assert all(b"secret-key" not in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_a_stale_recording_is_said_and_the_document_read_without(flowc: Flowc, policy: Path, tmp_path: Path) -> None:
    """What changed since it was recorded."""
    with serving(answering) as stub:
        words = ("--model", "m", "--base-url", stub.url, "--record", tmp_path / "r")
        flowc("compile", policy, "-o", tmp_path / "one", *words)
    policy.write_text(POLICY.replace("request", "order"))
    flowc("compile", policy, "-o", tmp_path / "two", "--replay", tmp_path / "r")
    (said,) = failures(tmp_path / "two")
    assert "the question changed since extract-policy-md-1-" in said


def failures(build: Path) -> list[str]:
    """What the build says of the model's failures."""
    (document,) = json.loads((build / "summary.json").read_text())["documents"]
    return [entry["message"] for entry in document["diagnostics"] if entry["error_code"] == "model-failed"]


def test_an_endpoint_that_answers_nonsense_costs_nothing_but_itself(flowc: Flowc, policy: Path, tmp_path: Path) -> None:
    """The document is read without the model, and the build says so."""
    with serving(lambda body, number: Answer("I am a teapot.")) as stub:
        result = flowc("compile", policy, "-o", tmp_path / "one", "--model", "m", "--base-url", stub.url)
    assert result.status == 0, result.err
    (said,) = failures(tmp_path / "one")
    assert "unsupported" in said
    workflow = json.loads(next((tmp_path / "one").rglob("*.workflow.json")).read_text())
    assert workflow["provenance"]["mode"] == "offline"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--max-cost", "1", "--model", "nobody-knows"), "--prices"),
        (("--max-cost", "1"), "--model"),
        (("--replay", "nowhere"), "no folder"),
        (("--offline", "--model", "m"), "leave out"),
    ],
)
def test_what_does_not_go_together(
    words: tuple[str, ...], said: str, flowc: Flowc, policy: Path, tmp_path: Path
) -> None:
    """Status 2, and what to do."""
    result = flowc("compile", policy, "-o", tmp_path / "one", *words)
    assert result.status == 2, result.err
    assert said in result.err
