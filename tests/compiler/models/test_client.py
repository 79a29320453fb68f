"""A model's answers: the form is enforced, faults are told apart, nothing that was answered is asked for again."""

import threading
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

from compiler.models import ModelFault, Request, Usage
from compiler.models.client import OpenAIModel
from compiler.models.limits import Limits
from compiler.models.modes import KnownModes
from compiler.models.transport import Transport
from evals.chat_stub import Answer, Script, mode_of, serving


class Town(BaseModel):
    """A town."""

    name: str = Field(description="Its name in its own language.")
    people: int


GOOD = '{"name": "Graz", "people": 300000}'
SUM = '{"answer": 5}'
ASKED = Request("extract", "towns.md", (("system", "You read."), ("user", "Which town?")), Town, max_tokens=500)


def model(url: str, folder: Path, *, mode: str | None = "json_schema", **limits: Any) -> OpenAIModel:
    """A model at the stub that waits for nothing."""
    transport = Transport(Limits(**{"attempts": 3, **limits}), sleep=lambda _: None)
    return OpenAIModel("m", base_url=url, api_key="k", transport=transport, modes=KnownModes(folder), mode=mode)


def always(answer: Answer) -> Script:
    """The same answer to everything."""
    return lambda body, number: answer


def one_after_the_other(*answers: Answer) -> Script:
    """One answer for each request."""
    return lambda body, number: answers[number]


def test_an_answer(tmp_path: Path) -> None:
    """It is of the form; the schema's text stood in the prompt, and what it cost is known."""
    with serving(always(Answer(GOOD))) as stub:
        reply = model(stub.url, tmp_path).answer(ASKED)
    assert reply.value == Town(name="Graz", people=300000)
    assert (reply.usage, reply.model, reply.mode, reply.attempts) == (Usage(11, 7), "stub-1", "json_schema", 1)
    (body,) = stub.requests
    assert body["messages"][0] == {"role": "system", "content": "You read."}
    assert "Its name in its own language." in body["messages"][1]["content"]
    assert body["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    ("url", "name"),
    [("http://u:pw@localhost:8000/v1", "m@localhost:8000"), ("https://api.example.com/v1", "m@api.example.com")],
)
def test_the_name_tells_servers_apart_and_holds_no_secret(url: str, name: str, tmp_path: Path) -> None:
    """Kept answers go by it."""
    assert model(url, tmp_path).name == name


@pytest.mark.parametrize(
    ("works", "tried"),
    [
        ("json_schema", ["json_schema"]),
        ("tools", ["json_schema", "tools"]),
        ("md_json", ["json_schema", "tools", "md_json"]),
    ],
)
def test_the_mode_that_works_is_found_once(works: str, tried: list[str], tmp_path: Path) -> None:
    """The others are refused, or give no tool call; the next model at the same endpoint tries nothing."""

    def script(body: dict[str, Any], number: int) -> Answer:
        mode = mode_of(body)
        if mode != works:
            return Answer(status=400) if mode == "json_schema" else Answer("I have no tools.")
        text = SUM if "two plus three" in body["messages"][-1]["content"] else GOOD
        return Answer(tool=text) if mode == "tools" else Answer(f"```json\n{text}\n```" if mode == "md_json" else text)

    with serving(script) as stub:
        assert model(stub.url, tmp_path, mode=None).answer(ASKED).mode == works
        assert [mode_of(body) for body in stub.requests] == [*tried, works]
        assert model(stub.url, tmp_path, mode=None).answer(ASKED).mode == works
        assert len(stub.requests) == len(tried) + 2


def test_no_mode_works(tmp_path: Path) -> None:
    """What each of them gave is said in plain words; nobody tries again."""
    with serving(always(Answer("I would rather not."))) as stub:
        failing = model(stub.url, tmp_path, mode=None)
        for _ in range(2):
            with pytest.raises(ModelFault) as fault:
                failing.answer(ASKED)
            assert fault.value.kind == "unsupported"
        assert len(stub.requests) == 3
    none = "the answer: Invalid JSON: expected ident at line 1 column 2"
    assert fault.value.detail == f"json_schema: {none}; tools: the answer calls no tool; md_json: {none}"


def test_one_thread_tries_the_modes_for_all(tmp_path: Path) -> None:
    """The others wait for what it finds."""

    def script(body: dict[str, Any], number: int) -> Answer:
        return Answer(SUM if "two plus three" in body["messages"][-1]["content"] else GOOD)

    with serving(script) as stub:
        shared = model(stub.url, tmp_path, mode=None)
        threads = [threading.Thread(target=shared.answer, args=(ASKED,)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(stub.requests) == 7


LOOP = Answer('{"name": "Graz",' + " " * 900, finish="length")


@pytest.mark.parametrize(
    "refusal",
    [Answer(status=400), LOOP, Answer(LOOP.text)],
    ids=["refused", "white space to the limit", "white space in the end"],
)
def test_a_mode_that_does_not_do_for_a_form_is_left(refusal: Answer, tmp_path: Path) -> None:
    """Though the trial went well; the next one is kept, here and for later builds."""

    def script(body: dict[str, Any], number: int) -> Answer:
        mode = mode_of(body)
        text = SUM if "two plus three" in body["messages"][-1]["content"] else GOOD
        if text == GOOD and mode != "md_json":
            return refusal if mode == "json_schema" else Answer("I have no tools.")
        return Answer(f"```json\n{text}\n```" if mode == "md_json" else text)

    with serving(script) as stub:
        for folder_modes in (["json_schema", "json_schema", "tools", "md_json"], ["md_json"]):
            asked = model(stub.url, tmp_path, mode=None)
            assert asked.answer(ASKED).mode == "md_json"
            assert [mode_of(body) for body in stub.requests] == folder_modes
            stub.requests.clear()


def test_thinking_aloud_is_no_answer(tmp_path: Path) -> None:
    """With or without the opening tag."""
    for said in (f"<think>Graz or Linz? {{}}</think>\n{GOOD}", f"Hm.</think>{GOOD}"):
        with serving(always(Answer(said))) as stub:
            assert model(stub.url, tmp_path).answer(ASKED).value == Town(name="Graz", people=300000)


def test_a_malformed_answer_is_sent_back_once_with_its_faults(tmp_path: Path) -> None:
    """The prompt, the last answer and the faults: not what was tried before."""
    bad = '{"name": "Graz"}'
    with serving(one_after_the_other(Answer("no"), Answer(bad), Answer(GOOD))) as stub:
        reply = model(stub.url, tmp_path).answer(ASKED)
    assert (reply.attempts, reply.usage) == (3, Usage(33, 21))
    last = stub.requests[2]["messages"]
    assert [message["role"] for message in last] == ["system", "user", "assistant", "user"]
    assert last[2]["content"] == bad
    assert "people: Field required" in last[3]["content"]


@pytest.mark.parametrize(
    ("answer", "kind", "requests"),
    [
        (Answer('{"name": "Gr', finish="length"), "cut", 1),
        (Answer('{"name": "Graz",' + " " * 900, finish="length"), "malformed", 3),
        (Answer("the town of Graz"), "malformed", 3),
        (Answer(choices=False), "malformed", 1),
        (Answer(status=401), "refused", 1),
        (Answer(status=404), "refused", 1),
        (Answer(status=500), "unreachable", 3),
        (Answer(status=429), "unreachable", 3),
        (Answer(cut=True), "unreachable", 3),
    ],
    ids=["length", "white space", "prose", "no choices", "key", "model", "500", "429", "connection"],
)
def test_faults_are_told_apart(answer: Answer, kind: str, requests: int, tmp_path: Path) -> None:
    """Each has a kind; what another sending cannot mend is not sent again."""
    with serving(always(answer)) as stub, pytest.raises(ModelFault) as fault:
        model(stub.url, tmp_path).answer(ASKED)
    assert (fault.value.kind, len(stub.requests)) == (kind, requests)
    assert "k" not in fault.value.detail.split()


def test_passing_faults_pass(tmp_path: Path) -> None:
    """Overload, a fault of the server, a cut connection; then the answer, and nothing after it."""
    faults = [Answer(status=429, headers={"Retry-After": "0"}), Answer(status=503), Answer(cut=True), Answer(GOOD)]
    with serving(one_after_the_other(*faults)) as stub:
        reply = model(stub.url, tmp_path, attempts=4).answer(ASKED)
    assert (reply.attempts, len(stub.requests)) == (1, 4)


def test_an_endpoint_that_fails_is_left_alone(tmp_path: Path) -> None:
    """After two requests were lost, the third is not sent."""
    with serving(always(Answer(status=500))) as stub:
        failing = model(stub.url, tmp_path, attempts=2, failures=2)
        for kind in ("unreachable", "unreachable", "open"):
            with pytest.raises(ModelFault) as fault:
                failing.answer(ASKED)
            assert fault.value.kind == kind
    assert len(stub.requests) == 4
