"""`flowc compile` with a language model: asked, recorded, replayed, paid for; failing, it costs nothing but itself."""

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Flowc

from evals.chat_stub import Answer, serving

pytestmark = pytest.mark.slow

POLICY = "# Purchases\n\n1. The buyer shall send the request to Finance.\n\n2. Finance must file the request.\n"
ANSWER = json.dumps(
    {
        "procedures": [
            {
                "title": "Purchases",
                "steps": [
                    {"id": "s1", "kind": "input", "actor": "buyer",
                     "at": [{"b": "s1-li1", "q": "send the request to Finance"}]},
                    {"id": "s2", "kind": "record", "actor": "Finance",
                     "at": [{"b": "s1-li2", "q": "file the request"}]},
                ],
                "flows": [{"a": "start", "z": "s1"}, {"a": "s1", "z": "s2"}, {"a": "s2", "z": "end"}],
            }
        ]
    }
)  # fmt: skip
CHOICE = json.dumps({"steps": [{"step": "s1", "type": "human"}, {"step": "s2", "type": "human"}]})


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A policy, with caches of its own and a key that nobody needs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    monkeypatch.setenv("FLOWC_EMBEDDER", "lexical")  # nothing to be computed for the fresh cache
    file = tmp_path / "policy.md"
    file.write_text(POLICY)
    return file


def answering(body: dict[str, Any], number: int) -> Answer:
    """The trial of the mode, then the procedures, then the Node Types."""
    asked = body["messages"][-1]["content"]
    if "two plus three" in asked:
        return Answer('{"answer": 5}')
    return Answer(CHOICE if "Choose for: s" in asked else ANSWER)


def test_a_build_is_asked_once_and_replayed(flowc: Flowc, policy: Path, tmp_path: Path) -> None:
    """The same drafts, byte for byte, without the endpoint; a second build asks nothing; no key is written anywhere."""
    with serving(answering) as stub:
        words = ("compile", policy, "--model", "m", "--base-url", stub.url)
        assert flowc(*words, "-o", tmp_path / "one", "--record", tmp_path / "replies").status == 0
        assert len(stub.requests) == 3
        assert flowc(*words, "-o", tmp_path / "two").status == 0
        assert len(stub.requests) == 3
    assert flowc("compile", policy, "-o", tmp_path / "three", "--replay", tmp_path / "replies").status == 0
    drafts = [next((tmp_path / name).rglob("*.workflow.json")).read_bytes() for name in ("one", "two", "three")]
    assert drafts[0] == drafts[1] == drafts[2]
    provenance = json.loads(drafts[0])["provenance"]
    assert (provenance["mode"], provenance["method"]) == ("model", "stub-1 json_schema")
    assert all(b"secret-key" not in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_a_stale_recording_is_said_and_the_document_read_without(flowc: Flowc, policy: Path, tmp_path: Path) -> None:
    """What changed since it was recorded; read without it only where that was asked for."""
    with serving(answering) as stub:
        words = ("--model", "m", "--base-url", stub.url, "--record", tmp_path / "r")
        flowc("compile", policy, "-o", tmp_path / "one", *words)
    policy.write_text(POLICY.replace("request", "order"))
    refused = flowc("compile", policy, "-o", tmp_path / "two", "--replay", tmp_path / "r")
    assert (refused.status, (tmp_path / "two").exists()) == (3, False)
    assert "the question changed since extract-policy-md-1-" in refused.err
    flowc("compile", policy, "-o", tmp_path / "two", "--replay", tmp_path / "r", "--fallback", "offline")
    (said,) = failures(tmp_path / "two")
    assert "the question changed since extract-policy-md-1-" in said


def failures(build: Path) -> list[str]:
    """What the build says of the model's failures."""
    (document,) = json.loads((build / "summary.json").read_text())["documents"]
    return [entry["message"] for entry in document["diagnostics"] if entry["error_code"] == "model-failed"]


def test_an_endpoint_that_answers_nonsense_costs_nothing_but_itself(flowc: Flowc, policy: Path, tmp_path: Path) -> None:
    """With a fallback the document is read without the model, and the build says so."""
    with serving(lambda body, number: Answer("I am a teapot.")) as stub:
        words = ("--model", "m", "--base-url", stub.url, "--fallback", "offline")
        result = flowc("compile", policy, "-o", tmp_path / "one", *words)
    assert result.status == 0, result.err
    (said,) = failures(tmp_path / "one")
    assert "unsupported" in said
    workflow = json.loads(next((tmp_path / "one").rglob("*.workflow.json")).read_text())
    assert workflow["provenance"]["mode"] == "offline"


def test_options_of_the_settings_reach_the_endpoint(
    flowc: Flowc, policy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the environment; a build with other options asks anew; what is no option is said before anything is sent."""
    with serving(answering) as stub:
        words = ("compile", policy, "--model", "m", "--base-url", stub.url, "-o", tmp_path / "one")
        for options in ('{"enable_thinking": false}', '{"enable_thinking": true}'):
            monkeypatch.setenv("FLOWC_MODEL_OPTIONS", options)
            assert flowc(*words).status == 0
        each = len(stub.requests) // 2
        assert each and [body["enable_thinking"] for body in stub.requests] == [False] * each + [True] * each
        monkeypatch.setenv("FLOWC_MODEL_OPTIONS", "thinking")
        result = flowc(*words)
        assert (result.status, len(stub.requests)) == (2, 2 * each)
        assert "model_options" in result.err


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


PRICES = "as_of: 2026-11-01\nmodels: {m: {sent: 1, received: 1}}\n"


def test_a_dry_run_sends_and_writes_nothing(flowc: Flowc, policy: Path, tmp_path: Path) -> None:
    """It counts what a build then asks, and costs at most; what a build has asked costs nothing again."""
    (tmp_path / "prices.yaml").write_text(PRICES)
    with serving(answering) as stub:
        words = ("compile", policy, "--model", "m", "--base-url", stub.url, "--prices", tmp_path / "prices.yaml")
        said = json.loads(flowc(*words, "--dry-run", "--json").out)
        assert stub.requests == [] and not (tmp_path / "cache" / "flowc" / "answers").exists()
        assert said["purposes"].keys() == {"extract", "synthesize", "trial"}
        assert [(one["document"], one["calls"]) for one in said["documents"]] == [("policy.md", 2)]
        flowc(*words, "-o", tmp_path / "out")
        assert len(stub.requests) == said["total"]["calls"] == 3
        sizes = [len(json.dumps(body, ensure_ascii=False).encode()) for body in stub.requests]
        assert sum(sizes) <= said["total"]["tokens_sent_at_most"] <= sum(sizes) + 3 * 400
        most = sum(body["max_tokens"] for body in stub.requests)
        assert said["total"]["tokens_received_at_most"] == most
        assert said["total"]["usd_at_most"] == pytest.approx((said["total"]["tokens_sent_at_most"] + most) / 1e6)
        again = json.loads(flowc(*words, "--dry-run", "--json").out)["total"]
        assert (again["calls"], again["kept"], again["usd_at_most"], len(stub.requests)) == (0, 2, 0, 3)


def test_an_unknown_price_is_said(flowc: Flowc, policy: Path) -> None:
    """Neither the estimate nor its JSON takes it for nothing; no key is needed."""
    assert "unknown" in flowc("compile", policy, "--model", "m", "--dry-run").out
    assert json.loads(flowc("compile", policy, "--model", "m", "--dry-run", "--json").out)["total"]["usd_sent"] is None
    assert flowc("compile", policy, "--dry-run").status == 2


def test_what_was_spent_is_told(flowc: Flowc, policy: Path, tmp_path: Path) -> None:
    """By document, in all and by pass; from kept answers, nothing."""
    (tmp_path / "prices.yaml").write_text(PRICES)
    with serving(answering) as stub:
        words = ("compile", policy, "--model", "m", "--base-url", stub.url, "--prices", tmp_path / "prices.yaml")
        first = flowc(*words, "-o", tmp_path / "one")
        second = flowc(*words, "-o", tmp_path / "one")
    assert "model: 2 requests, 3 calls, " in first.out
    assert "model: 2 requests, 0 calls, 0 tokens sent, 0 received, 0.0000 USD, 2 answers kept from before" in second.out
    with serving(answering) as stub:
        flowc("compile", policy, "--model", "n", "--base-url", stub.url, "-o", tmp_path / "two", "--record", "r")
        summary = json.loads((tmp_path / "two" / "summary.json").read_text())
    assert (summary["model"]["calls"], summary["model"]["usd"]) == (3, None)
    assert summary["documents"][0]["model"]["tokens_received"] == 14
    rows = [json.loads(line) for line in (tmp_path / "two" / "ledger.jsonl").read_text().splitlines()]
    asked = [(row["pass"], row["model"]["calls"]) for row in rows if "model" in row]
    assert asked == [("extract_procedures", 1), ("synthesize_with_model", 1)]


def test_a_limit_of_answers_holds_the_estimate_too(flowc: Flowc, policy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The options of a model shape what it may be sent, also where requests are only counted."""
    monkeypatch.setenv("FLOWC_MODEL_OPTIONS", '{"max_tokens": 60}')
    said = json.loads(flowc("compile", policy, "--model", "m", "--dry-run", "--json").out)
    assert said["total"]["tokens_received_at_most"] == 60 * said["total"]["calls"]


def test_a_document_that_is_too_dear_is_read_without(flowc: Flowc, tmp_path: Path, policy: Path) -> None:
    """Its limit holds it alone: the other is read by the model."""
    folder = tmp_path / "both"
    folder.mkdir()
    (folder / "long.md").write_text(POLICY + "".join(f"\n{n}. Finance must file form {n}.\n" for n in range(3, 40)))
    (folder / "short.md").write_text(POLICY)
    (tmp_path / "prices.yaml").write_text(PRICES)
    with serving(answering) as stub:
        words = ("--model", "m", "--base-url", stub.url, "--prices", tmp_path / "prices.yaml")
        read = [
            json.loads(flowc("compile", file, *words, "--dry-run", "--json").out)["purposes"]["extract"]["usd_at_most"]
            for file in (folder / "long.md", folder / "short.md")
        ]
        limit = sum(read) / 2
        limited = (*words, "--max-cost-per-document", str(limit))
        without = flowc("compile", folder, "-o", tmp_path / "none", *limited)
        assert (without.status, len(list((tmp_path / "none").rglob("*.workflow.json")))) == (1, 1)
        assert "[no-answer]" in without.out and "raise --max-cost" in without.out
        result = flowc("compile", folder, "-o", tmp_path / "out", *limited, "--fallback", "offline")
    assert "long.md: warning: the model gave no answer" in result.out and "(spent: " in result.out
    assert "short.md: warning" not in result.out
    made = json.loads((tmp_path / "out" / "summary.json").read_text())["documents"]
    assert [one["model"]["calls"] + one["model"]["kept"] for one in made] == [0, 2]
    modes = [
        json.loads(f.read_text())["provenance"]["mode"] for f in sorted((tmp_path / "out").rglob("*.workflow.json"))
    ]
    assert modes == ["offline", "model"]


def test_failures_alike_are_told_together(flowc: Flowc, tmp_path: Path, policy: Path) -> None:
    """The first ones, and how many more there are."""
    for number in range(8):
        (tmp_path / f"p{number}.md").write_text(POLICY.replace("Purchases", f"Purchases {number}"))

    def refusing(body: dict[str, Any], number: int) -> Answer:
        return Answer(status=401)

    with serving(refusing) as stub:
        words = ("--model", "m", "--base-url", stub.url, "--fallback", "offline")
        result = flowc("compile", tmp_path, "-o", tmp_path / ".out", *words)
        assert len(stub.requests) == 1
    assert result.out.count("[model-failed]") == 3
    assert "… and 6 more of this kind (refused), 9 documents in all" in result.out


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(status=401), ["HTTP 401", "check the key"]),
        (Answer(status=404), ["HTTP 404", "check the model's name and the address"]),
        (
            Answer(status=307, headers={"Location": "http://elsewhere.invalid/"}),
            ["HTTP 307", "name the address itself"],
        ),
        (Answer(garbage="<html>a portal</html>", headers={"Content-Type": "text/html"}), ["no chat completion", "/v1"]),
        (Answer(cut=True), ["unreachable", "check the address"]),
        (Answer(status=429, headers={"Retry-After": "7200"}), ["7200 s", "when the endpoint is well"]),
    ],
    ids=["refused key", "wrong address", "redirect", "a page", "unreachable", "a long wait"],
)
def test_an_endpoint_that_answers_nothing_ends_a_build(
    answer: Answer, said: list[str], flowc: Flowc, policy: Path, tmp_path: Path
) -> None:
    """Status 3, the address and the next step; nothing is written, and what an earlier build wrote stays as it is."""
    flowc("compile", policy, "-o", tmp_path / "out", "--offline")
    before = {file: file.read_bytes() for file in (tmp_path / "out").rglob("*") if file.is_file()}
    with serving(lambda body, number: answer) as stub:
        result = flowc("compile", policy, "-o", tmp_path / "out", "--model", "m", "--base-url", stub.url)
        assert stub.url in result.err
    assert (result.status, result.out) == (3, "")
    assert "error[no-answer]" in result.err and all(word in result.err for word in said), result.err
    assert {file: file.read_bytes() for file in (tmp_path / "out").rglob("*") if file.is_file()} == before
    with serving(lambda body, number: answer) as stub:
        words = ("--model", "m", "--base-url", stub.url, "--fallback", "offline")
        result = flowc("compile", policy, "-o", tmp_path / "out", *words)
    assert result.status == 0 and "rules (m@" in result.out


def test_a_document_of_which_nothing_is_answered_has_no_draft(flowc: Flowc, policy: Path, tmp_path: Path) -> None:
    """It is listed with its code, the others are compiled, and the build ends 1."""
    (tmp_path / "second.md").write_text(POLICY.replace("Purchases", "Sales"))

    def half(body: dict[str, Any], number: int) -> Answer:
        return Answer(status=400) if "Sales" in str(body["messages"]) else answering(body, number)

    with serving(half) as stub:
        words = ("--model", "m", "--base-url", stub.url)
        result = flowc("compile", tmp_path / "second.md", policy, "-o", tmp_path / "out", *words)
    assert result.status == 1
    made = json.loads((tmp_path / "out" / "summary.json").read_text())
    listed = [(one["document"], one["code"], one["model"]["failed"]) for one in made["documents"]]
    assert sorted(listed) == [("policy.md", None, 0), ("second.md", "no-answer", 1)]
    assert [one["document"] for one in made["procedures"]] == ["policy.md"]


def test_a_key_goes_to_no_address_that_came_with_the_documents(
    flowc: Flowc, policy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until its user has said so once; what needs no key goes on, and an address that was named is told."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("FLOWC_MODEL", "m")
    words = ("compile", policy, "-o", tmp_path / "out")
    with serving(answering) as stub:
        (tmp_path / "flowc.toml").write_text(f'base_url = "{stub.url.replace("//", "//me:s3cret@")}"\n')
        refused = flowc(*words)
        assert (refused.status, stub.requests) == (2, [])
        assert f"[untrusted-endpoint]: {tmp_path / 'flowc.toml'}" in refused.err and "--trust" in refused.err
        assert "s3cret" not in refused.err + flowc("config").out + flowc("config", "--json").out
        assert flowc(*words, "--offline").status == 0
        named = flowc(*words, "--base-url", stub.url)
        assert named.status == 0 and f"asking m at {stub.url}" in named.err
        monkeypatch.setenv("FLOWC_EMBEDDER", "openai:e")
        assert "[untrusted-endpoint]" in flowc("catalog", "search", "notify").err
        monkeypatch.setenv("FLOWC_EMBEDDER", "lexical")
        assert flowc("config", "--trust", stub.url).status == 0
        assert flowc(*words).status == 0
        assert len(stub.requests) == 3


@pytest.mark.parametrize(("variable", "value"), [("FLOWC_BASE_URL", "localhost:8000"), ("FLOWC_API_KEY", "my key")])
def test_what_is_no_address_and_no_key_ends_a_build_at_once(
    variable: str, value: str, flowc: Flowc, policy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Status 2, with the variable that set it, before anything is read."""
    monkeypatch.setenv(variable, value)
    result = flowc("compile", policy, "-o", tmp_path / "out", "--model", "m")
    assert result.status == 2 and f"error[bad-setting]: {variable}: " in result.err
    assert "my key" not in result.err
