"""A model's answers: the form is enforced, faults are told apart, nothing that was answered is asked for again."""

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from pydantic import BaseModel, Field

from evals.chat_stub import Answer, Script, mode_of, serving
from llm import ModelFault, Request, Usage
from llm.client import OpenAIModel
from llm.limits import Limits
from llm.modes import KnownModes
from llm.recording import read_answer
from llm.transport import Transport

pytestmark = pytest.mark.slow


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


@pytest.mark.parametrize("mode", ["json_schema", "tools", "md_json"])
def test_the_descriptions_stand_in_the_prompt_once(mode: str, tmp_path: Path) -> None:
    """Whatever the mode says besides in fields that a model may not see."""
    with serving(always(Answer(GOOD, tool=GOOD if mode == "tools" else None))) as stub:
        model(stub.url, tmp_path, mode=mode).answer(ASKED)
    (body,) = stub.requests
    assert str(body["messages"]).count("Its name in its own language.") == 1


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
    assert fault.value.detail == f"json_schema: {none}; tools: the function was not called; md_json: {none}"


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
        (Answer(completion={"choices": None, "error": {"message": "no credit"}}), "refused", 1),
        (Answer(completion={"choices": [{"index": 0, "message": None}]}), "malformed", 1),
        (Answer(message={"refusal": "I cannot help with that."}), "refused", 1),
        (Answer('{"name": "Gr', finish="content_filter"), "refused", 1),
        (Answer(""), "malformed", 3),
        (Answer(GOOD + GOOD.replace("Graz", "Linz")), "malformed", 3),
        (Answer(garbage='"hello"'), "refused", 1),
        (Answer(garbage="null"), "refused", 1),
        (Answer(garbage="<html>hello</html>", headers={"Content-Type": "text/html"}), "refused", 1),
        (Answer(garbage='{"choices": ['), "unreachable", 3),
        (Answer(status=402), "refused", 1),
        (Answer(status=429, error={"code": "insufficient_quota"}), "refused", 1),
        (Answer(status=401), "refused", 1),
        (Answer(status=404), "refused", 1),
        (Answer(status=500), "unreachable", 3),
        (Answer(status=429), "unreachable", 3),
        (Answer(cut=True), "unreachable", 3),
    ],
    ids=[
        "length",
        "white space",
        "prose",
        "no choices",
        "error for an answer",
        "no message",
        "refusal",
        "filter",
        "empty",
        "two answers",
        "a word",
        "null",
        "a page",
        "broken JSON",
        "payment",
        "quota",
        "key",
        "model",
        "500",
        "429",
        "connection",
    ],
)
def test_faults_are_told_apart(answer: Answer, kind: str, requests: int, tmp_path: Path) -> None:
    """Each has a kind; what another sending cannot mend is not sent again."""
    with serving(always(answer)) as stub, pytest.raises(ModelFault) as fault:
        model(stub.url, tmp_path).answer(ASKED)
    assert (fault.value.kind, len(stub.requests)) == (kind, requests)
    assert "k" not in fault.value.detail.split()


CALL = {"id": "c1", "type": "function"}
TOWN = {"name": "Town", "arguments": json.loads(GOOD)}


@pytest.mark.parametrize(
    ("answer", "mode"),
    [
        (Answer("\ufeff" + GOOD), "json_schema"),
        (Answer(f"```json\n{GOOD}\n```"), "json_schema"),
        (Answer(f"Here you are {{as asked}}: {GOOD} Anything else?"), "md_json"),
        (Answer(f"{GOOD}\n{GOOD}"), "md_json"),
        (Answer(message={"content": [{"type": "text", "text": part} for part in (GOOD[:9], GOOD[9:])]}), "md_json"),
        (Answer(GOOD, message={"reasoning_content": "Is it {}?", "tool_calls": None}), "json_schema"),
        (Answer(message={"tool_calls": [CALL | {"function": TOWN}]}), "tools"),
        (Answer(GOOD, completion={"usage": None}), "json_schema"),
        (Answer(GOOD, completion={"usage": {}}), "json_schema"),
    ],
    ids=["mark", "fence", "prose", "twice", "parts", "reasoning", "arguments", "no usage", "empty usage"],
)  # fmt: skip
def test_what_endpoints_write_around_an_answer(answer: Answer, mode: str, tmp_path: Path) -> None:
    """It is taken off at the first time, and what is kept of the answer can be read again."""
    with serving(always(answer)) as stub:
        reply = model(stub.url, tmp_path, mode=mode).answer(ASKED)
    assert (reply.value, reply.attempts) == (Town(name="Graz", people=300000), 1)
    assert read_answer(Town, reply.text) == reply.value
    counted = "usage" not in answer.completion
    assert reply.usage == (Usage(11, 7) if counted else Usage())


def test_calls_that_say_different_things_are_sent_back(tmp_path: Path) -> None:
    """To take the first would lose the others; without any call the model is told so."""
    calls = [CALL | {"function": {"name": "Town", "arguments": GOOD}}] * 2
    answers = (Answer(message={"tool_calls": calls}), Answer("Graz."), Answer(tool=GOOD))
    with serving(one_after_the_other(*answers)) as stub:
        assert model(stub.url, tmp_path, mode="tools").answer(ASKED).attempts == 3
    assert "call the function once" in stub.requests[1]["messages"][-1]["content"]
    assert "the function was not called" in stub.requests[2]["messages"][-1]["content"]


def test_a_model_that_calls_nothing_is_asked_in_the_next_mode(tmp_path: Path) -> None:
    """Where its first answer has no call; the mode that does is kept."""
    with serving(one_after_the_other(Answer("Graz."), Answer(GOOD), Answer(GOOD))) as stub:
        asked = model(stub.url, tmp_path, mode="tools")
        assert [asked.answer(ASKED).mode for _ in range(2)] == ["md_json", "md_json"]
    assert [mode_of(body) for body in stub.requests] == ["tools", "md_json", "md_json"]


def test_an_empty_answer_is_not_sent_back(tmp_path: Path) -> None:
    """Endpoints refuse empty messages; the question is asked again with what was wrong."""
    with serving(one_after_the_other(Answer(""), Answer(GOOD))) as stub:
        assert model(stub.url, tmp_path).answer(ASKED).attempts == 2
    assert [message["role"] for message in stub.requests[1]["messages"]] == ["system", "user"]
    assert "not of the form" in stub.requests[1]["messages"][1]["content"]


def test_parameters_that_a_model_does_not_take_are_left_out(tmp_path: Path) -> None:
    """Asked for once: the limit goes by its other name, the temperature goes; the form is held in the same mode."""

    def script(body: dict[str, Any], number: int) -> Answer:
        if "max_tokens" in body:
            said = "Unsupported parameter: 'max_tokens' is not supported with this model."
            return Answer(status=400, error={"message": said, "param": "max_tokens", "code": "unsupported_parameter"})
        if "temperature" in body:
            return Answer(status=400, error={"message": "temperature does not support 0 with this model", "code": None})
        return Answer(SUM if "two plus three" in body["messages"][-1]["content"] else GOOD)

    with serving(script) as stub:
        asked = model(stub.url, tmp_path, mode=None)
        assert asked.answer(ASKED).mode == "json_schema"
        assert len(stub.requests) == 4
        asked.answer(ASKED)
    assert len(stub.requests) == 5
    assert stub.requests[-1]["max_completion_tokens"] == 500
    assert not {"max_tokens", "temperature"} & stub.requests[-1].keys()


def test_a_question_that_is_too_long_is_not_sent_otherwise(tmp_path: Path) -> None:
    """A refusal that speaks of the limit is none of the parameter."""
    said = "max_tokens is too large: this model's maximum context length is 4096 tokens"
    answer = Answer(status=400, error={"message": said, "code": "context_length_exceeded"})
    with serving(always(answer)) as stub, pytest.raises(ModelFault) as fault:
        model(stub.url, tmp_path).answer(ASKED)
    assert (str(fault.value), len(stub.requests)) == ("refused: HTTP 400 context_length_exceeded", 1)


@pytest.mark.parametrize(("text", "tokens"), [("who signs the request " * 2000, 4096), ("谁审批申请" * 3000, 4096)])
def test_a_question_that_was_read_in_part_has_no_answer(text: str, tokens: int, tmp_path: Path) -> None:
    """Some endpoints cut what does not fit and say nothing, but count; what is said to have been read whole stands."""
    asked = replace(ASKED, messages=(("user", text),))
    for counted, kind in ((tokens, "cut"), (len(text), None), (None, None)):
        usage = {"prompt_tokens": counted, "completion_tokens": 7, "total_tokens": 7} if counted else None
        with serving(always(Answer(GOOD, completion={"usage": usage}))) as stub:
            if kind is None:
                assert model(stub.url, tmp_path).answer(asked).value == Town(name="Graz", people=300000)
                continue
            with pytest.raises(ModelFault, match=f"cut: the endpoint read {tokens} tokens"):
                model(stub.url, tmp_path).answer(asked)


def test_options_go_with_each_request(tmp_path: Path) -> None:
    """They shape the answer, so the model is known by them too; a limit among them is the most for every answer."""
    options = {"enable_thinking": False, "max_tokens": 60}
    with serving(always(Answer(GOOD))) as stub:
        transport, modes = Transport(Limits()), KnownModes(tmp_path)
        asked = OpenAIModel(
            "m", base_url=stub.url, api_key="k", transport=transport, modes=modes, mode="json_schema", options=options
        )
        asked.answer(ASKED)
        asked.answer(replace(ASKED, max_tokens=40))
    assert [(body["enable_thinking"], body["max_tokens"]) for body in stub.requests] == [(False, 60), (False, 40)]
    assert asked.name == f'm {{"enable_thinking": false, "max_tokens": 60}}@{urlsplit(stub.url).netloc}'


@pytest.mark.parametrize(
    ("answer", "kind", "requests"),
    [
        (Answer(status=401), "refused", 1),
        (Answer(status=404, error={"code": "model_not_found"}), "refused", 3),
        (Answer(garbage="hello", headers={"Content-Type": "text/plain"}), "refused", 1),
    ],
    ids=["key", "model", "address"],
)
def test_what_no_mode_can_mend_is_said_as_it_is(answer: Answer, kind: str, requests: int, tmp_path: Path) -> None:
    """A wrong key, model or address is no want of modes."""
    with serving(always(answer)) as stub, pytest.raises(ModelFault) as fault:
        model(stub.url, tmp_path, mode=None).answer(ASKED)
    assert (fault.value.kind, len(stub.requests)) == (kind, requests)


def test_what_takes_too_long_is_sent_once_more(tmp_path: Path) -> None:
    """Six times would hold a build for half an hour."""
    with serving(always(Answer(GOOD, delay=0.6))) as stub:
        asked = model(stub.url, tmp_path, timeout=0.2)
        with pytest.raises(ModelFault, match=r"unreachable: APITimeoutError \(2 attempts\)"):
            asked.answer(ASKED)
    assert len(stub.requests) == 2


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
