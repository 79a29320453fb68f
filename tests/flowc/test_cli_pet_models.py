"""`flowc eval run pet:FILE` with a language model: asked, recorded, replayed; no word of the benchmark is kept."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import Flowc

from evals.chat_stub import Answer, serving

REPLIES = Path(__file__).resolve().parents[2] / "fixtures" / "pet" / "replies"
CORPUS = Path(__file__).resolve().parents[3] / "shared" / "bench" / "pet" / "pet-dev.jsonl"
NAMES = {
    "acts",
    "gateways",
    "conditions",
    "flows",
    "v",
    "o",
    "by",
    "to",
    "how",
    "w",
    "kind",
    "xor",
    "and",
    "same",
    "null",
}
TEXT = "The keeper counts the lamps . If one is missing , he orders a lamp ."
GOLD = {
    "mentions": [
        {"type": "Activity", "tokenDocumentIndices": [2]},
        {"type": "Actor", "tokenDocumentIndices": [0, 1]},
        {"type": "Activity", "tokenDocumentIndices": [12]},
        {"type": "XOR Gateway", "tokenDocumentIndices": [6]},
        {"type": "Condition Specification", "tokenDocumentIndices": [7, 8, 9]},
    ],
    "relations": [
        {"type": "Actor Performer", "headMentionIndex": 0, "tailMentionIndex": 1},
        {"type": "Flow", "headMentionIndex": 0, "tailMentionIndex": 3},
        {"type": "Flow", "headMentionIndex": 3, "tailMentionIndex": 4},
        {"type": "Flow", "headMentionIndex": 4, "tailMentionIndex": 2},
    ],
}
ANSWER = {
    "acts": [{"v": [3], "by": [[1, 2]]}, {"v": [11]}],
    "gateways": [{"w": [6], "kind": "xor"}],
    "conditions": [[7, 9]],
    "flows": [[3, 6, 7, 11]],
}


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two texts with the same annotation, of which the second cannot be answered; with caches of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    lines = []
    for name, text in (("lamps", TEXT), ("others", TEXT.replace("keeper", "mute"))):
        tokens = [{"text": word} for word in text.split()]
        lines.append(json.dumps({"id": name, "text": text, "tokens": tokens, **GOLD}))
    path = tmp_path / "lamps.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def answering(body: dict[str, Any], number: int) -> Answer:
    """The trial of the mode, the account, and nothing of use for the account of the mute."""
    question = body["messages"][-1]["content"]
    if "two plus three" in question:
        return Answer('{"answer": 5}')
    return Answer("I cannot." if any("mute" in each["content"] for each in body["messages"]) else json.dumps(ANSWER))


def cases(report: str) -> list[dict[str, Any]]:
    """The results by model."""
    suite = json.loads(report)["suites"][0]
    assert suite["name"] == "pet:lamps by model"
    found: list[dict[str, Any]] = suite["cases"]
    return found


def test_texts_are_asked_recorded_and_replayed(flowc: Flowc, corpus: Path, tmp_path: Path) -> None:
    """What is right counts, with its tokens; one without an answer is missed; recorded are numbers."""
    words = ("eval", "run", f"pet:{corpus}", "--json", "--no-syntax")
    with serving(answering) as stub:
        asked = flowc(*words, "--model", "m", "--base-url", stub.url, "--record", "--replies", tmp_path / "replies")
    assert asked.status == 1  # a text that nobody read is like a case that crashed
    read, missed = cases(asked.out)
    assert {name: read["metrics"][name]["right"] for name in ("pet.mention", "pet.relation")} == {
        "pet.mention": 5, "pet.relation": 4,
    }  # fmt: skip
    assert missed["metrics"]["pet.mention"] == {"wanted": 5.0}
    assert "malformed" in missed["crash"]
    assert json.loads(asked.out)["made"]["mode"] == "m"
    (kept,) = (tmp_path / "replies").glob("*.json")
    tokens = sum(json.loads(kept.read_text("utf-8"))["usage"])
    assert (read["cost"]["calls"], read["cost"]["tokens"], read.get("crash")) == (1, tokens, None)
    assert not {"keeper", "counts", "lamp", "missing"} & set(re.findall(r"\w+", kept.read_text("utf-8")))
    again = flowc(*words, "--limit", "1", "--replay", "--replies", tmp_path / "replies")
    assert again.status == 0
    assert cases(again.out)[0]["metrics"] == read["metrics"]


def test_offline_asks_no_model(flowc: Flowc, corpus: Path, tmp_path: Path) -> None:
    """Words that contradict each other are refused."""
    told = flowc("eval", "run", f"pet:{corpus}", "--offline", "--replay")
    assert (told.status, "--offline asks no model" in told.err) == (2, True)


@pytest.mark.skipif(not REPLIES.is_dir(), reason="nothing is recorded")
def test_the_recordings_hold_no_words_of_the_benchmark() -> None:
    """An answer is names of fields and numbers; of the question there are digests."""
    for path in REPLIES.glob("*.json"):
        kept = json.loads(path.read_text("utf-8"))
        assert set(re.findall(r"[^\W\d]+", kept["text"])) <= NAMES, path.name
        assert all(re.fullmatch("[0-9a-f]{64}", part) for part in kept["parts"].values())
        assert set(kept) == {
            "format", "purpose", "subject", "form", "parts", "model", "mode", "attempts", "usage", "text",
        }  # fmt: skip


@pytest.mark.skipif(not REPLIES.is_dir(), reason="nothing is recorded")
@pytest.mark.skipif(not CORPUS.is_file(), reason="the corpus is not beside the repository")
def test_the_figures_of_the_recordings(flowc: Flowc) -> None:
    """End to end, from the text alone, pooled: mentions and relations by overlap."""
    told = flowc("eval", "run", f"pet:{CORPUS}", "--json", "--no-syntax", "--replay", "--replies", REPLIES)
    assert told.status == 0
    found = [case["metrics"] for case in json.loads(told.out)["suites"][0]["cases"]]

    def f1(name: str) -> float:
        right, wanted, got = (sum(each[name].get(key, 0.0) for each in found) for key in ("right", "wanted", "found"))
        return 2 * float(right) / float(wanted + got)

    assert len(found) == 18
    assert f1("pet.mention") >= 0.82
    assert f1("pet.relation") >= 0.70
