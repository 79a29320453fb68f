"""An endpoint that means harm, or is broken: bounded in time, bytes and money, and told."""

import gzip
import json
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from evals.chat_stub import Answer, completion, serving
from ir.errors import BadSetting
from llm import ModelFault, Request
from llm.address import shown_address
from llm.bounded import MOST_BYTES
from llm.budget import Budget
from llm.client import OpenAIModel
from llm.limits import Limits
from llm.modes import KnownModes
from llm.prices import Price
from llm.transport import Transport

pytestmark = pytest.mark.slow


class Town(BaseModel):
    """A town."""

    name: str


GOOD = '{"name": "Graz"}'
ASKED = Request("extract", "towns.md", (("user", "Which town?"),), Town, max_tokens=500)
BODY = json.dumps(completion(Answer(GOOD), {"messages": []})).encode()


def model(
    url: str, folder: Path, *, key: str = "k", budget: Budget | None = None, mode: str | None = "json_schema",
    **limits: Any,
) -> OpenAIModel:  # fmt: skip
    """A model at the stub that waits for nothing between its attempts."""
    transport = Transport(Limits(**{"attempts": 3, "timeout": 20.0, **limits}), sleep=lambda _: None)
    return OpenAIModel(
        "m", base_url=url, api_key=key, transport=transport, modes=KnownModes(folder), mode=mode, budget=budget
    )


def fault_of(answer: Answer, folder: Path, **given: Any) -> tuple[ModelFault, int, float]:
    """How a request fails whose answer is always this one, with the number of sendings and the seconds."""
    with serving(lambda body, number: answer) as stub:
        asked, started = model(stub.url, folder, **given), time.monotonic()
        with pytest.raises(ModelFault) as raised:
            asked.answer(ASKED)
        return raised.value, len(stub.requests), time.monotonic() - started


@pytest.mark.parametrize("head", [False, True], ids=["body", "head"])
def test_an_answer_that_drips_has_an_end(head: bool, tmp_path: Path) -> None:
    """Each byte comes long before a wait for it would end, and the whole would take a minute."""
    fault, sent, seconds = fault_of(Answer(GOOD, drip=0.1, drip_head=head), tmp_path, timeout=0.5)
    assert (fault.kind, sent) == ("unreachable", 2)
    assert seconds < 5


def test_keep_alives_are_no_answer_and_no_fault(tmp_path: Path) -> None:
    """Blank lines and comments that come while one waits."""
    raw = b"\n\n: keep-alive\n\n: OPENROUTER PROCESSING\n\n" + BODY
    with serving(lambda body, number: Answer(raw=raw)) as stub:
        assert model(stub.url, tmp_path).answer(ASKED).text == GOOD
    fault, sent, seconds = fault_of(Answer(raw=b": keep-alive\n" * 200, drip=0.02), tmp_path, timeout=0.5)
    assert (fault.kind, sent) == ("unreachable", 2)
    assert seconds < 5


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(raw=gzip.compress(b" " * 500_000_000, 9), headers={"Content-Encoding": "gzip"}), "more than"),
        (Answer(raw=b"[" * (MOST_BYTES + 1)), "more than"),
        (Answer(raw=b"x", headers={"Content-Encoding": "br"}), "packed as 'br'"),
        (Answer(raw=b"no gzip", headers={"Content-Encoding": "gzip"}), "and is not"),
        (Answer(raw=b"[" * 100_000), "nested too deeply"),
    ],
    ids=["gzip bomb", "giant", "packed otherwise", "not packed", "deep"],
)
def test_an_answer_without_end_is_refused(answer: Answer, said: str, tmp_path: Path) -> None:
    """Once, in little memory, and against a limit it counts as all that it could cost."""
    budget = Budget(1.0, Price(sent=1, received=1))
    with serving(lambda body, number: answer) as stub:
        asked = model(stub.url, tmp_path, budget=budget)
        tracemalloc.start()
        with pytest.raises(ModelFault, match=said) as raised:
            asked.answer(ASKED)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(stub.requests) == 1
    assert raised.value.kind == "refused"
    assert peak < 60_000_000
    assert (budget.spent.calls, budget.spent.uncounted) == (1, 1)


def test_an_honest_gzip_is_read(tmp_path: Path) -> None:
    """Endpoints may pack their answers."""
    answer = Answer(raw=gzip.compress(BODY), headers={"Content-Encoding": "gzip"})
    with serving(lambda body, number: answer) as stub:
        assert model(stub.url, tmp_path).answer(ASKED).text == GOOD


def test_nobody_is_led_elsewhere(tmp_path: Path) -> None:
    """Neither the key nor the question follows a redirect."""
    with serving(lambda body, number: Answer(GOOD)) as other:
        to = {"Location": f"{other.url}/chat/completions"}
        fault, sent, _ = fault_of(Answer(status=307, headers=to), tmp_path)
        assert other.requests == []
    assert (fault.kind, fault.status, sent) == ("refused", 307, 1)


USAGES: list[Any] = [
    {"prompt_tokens": -1_000_000, "completion_tokens": -1},
    {"prompt_tokens": 0, "completion_tokens": 0},
    {"prompt_tokens": 10**400, "completion_tokens": 10**400},
    {"prompt_tokens": True, "completion_tokens": "7"},
    {"prompt_tokens": [], "completion_tokens": {}},
    "none",
    None,
]


@pytest.mark.parametrize(
    "usage", USAGES, ids=["negative", "none used", "huge", "of other types", "no numbers", "text", "null"]
)
def test_impossible_usage_is_not_believed(usage: Any, tmp_path: Path) -> None:
    """The budget takes what was set aside, and is never refilled: the third request is not sent."""
    with serving(lambda body, number: Answer(GOOD, completion={"usage": usage})) as stub:
        most = model(stub.url, tmp_path).weigh(ASKED)
        price = Price(sent=1, received=1)
        budget = Budget(2.5 * price.cost(*most), price)
        asked = model(stub.url, tmp_path, budget=budget)
        for _ in range(2):
            assert asked.answer(ASKED).text == GOOD
        with pytest.raises(ModelFault, match="spent"):
            asked.answer(ASKED)
        assert len(stub.requests) == 2
    assert budget.spent.uncounted == 2 and budget.spent.sent == budget.spent.received == 0


def test_a_long_malformed_answer_is_sent_back_cut(tmp_path: Path) -> None:
    """With a long fault as well: what is sent does not grow with what came."""
    bad = json.dumps({"x" * 50_000: 1, "name": ["y" * 50_000]})
    with serving(lambda body, number: Answer(bad if number == 0 else GOOD)) as stub:
        assert model(stub.url, tmp_path).answer(ASKED).attempts == 2
        again = stub.requests[1]["messages"]
    assert [len(message["content"]) < 25_000 for message in again] == [True] * len(again)
    assert again[-2]["content"].startswith('{"xxx') and "…" in again[-2]["content"]


@pytest.mark.parametrize("after", ["3600", "Fri, 01 Jan 2100 00:00:00 GMT", "inf"])
def test_a_wait_beyond_patience_is_told(after: str, tmp_path: Path) -> None:
    """At once; a build does not come back too early either."""
    fault, sent, _ = fault_of(Answer(status=429, headers={"Retry-After": after}), tmp_path)
    assert (fault.kind, sent) == ("unreachable", 1)
    assert "to be asked again in" in fault.detail


@pytest.mark.parametrize("after", ["nan", "-5", "Fri, 01 Jan 1999 00:00:00 GMT", "soon", "Fri, 99 Jan"])
def test_a_wait_that_is_none_holds_nobody(after: str, tmp_path: Path) -> None:
    """As if it had not been said."""
    fault, sent, _ = fault_of(Answer(status=429, headers={"Retry-After": after}), tmp_path)
    assert (fault.kind, sent) == ("unreachable", 3)


def test_an_endpoint_where_nobody_is_is_asked_once(tmp_path: Path) -> None:
    """Every further request is told at once."""
    with serving(lambda body, number: Answer(cut=True)) as stub:
        asked = model(stub.url, tmp_path, failures=99, mode=None)
        for _ in range(5):
            with pytest.raises(ModelFault, match="unreachable"):
                asked.answer(ASKED)
        assert len(stub.requests) == 3
    with serving(lambda body, number: Answer(GOOD) if number == 0 else Answer(cut=True)) as stub:
        asked = model(stub.url, tmp_path, failures=99)
        asked.answer(ASKED)
        for _ in range(2):
            with pytest.raises(ModelFault, match="unreachable"):
                asked.answer(ASKED)
        assert len(stub.requests) == 1 + 2 * 3  # it may come back: it has answered before


@pytest.mark.parametrize(
    "url",
    ["localhost:8000/v1", "http//host/v1", "http://", "ftp://host/v1", "http://host:port/v1", "http://ho st/v1",
     "http://host/v1\n", "http://[::1/v1", "http://me:s3cret@host:99999/v1", "http://hóst/v1"],
)  # fmt: skip
def test_what_is_no_address_is_refused_at_once(url: str, tmp_path: Path) -> None:
    """Before anything is sent, without what is secret in it."""
    with pytest.raises(BadSetting, match="expected an address such as") as raised:
        model(url, tmp_path)
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize("key", ["a b", "key\n", "schlüssel", "\x00"])
def test_what_is_no_key_is_refused_at_once(key: str, tmp_path: Path) -> None:
    """It would end in a header, or in an error of another library."""
    with pytest.raises(BadSetting, match="key") as raised:
        model("http://localhost:1/v1", tmp_path, key=key)
    assert key not in str(raised.value).replace("a blank", "")


def test_credentials_in_an_address_are_neither_kept_nor_shown(tmp_path: Path) -> None:
    """Not in the file of modes, not in the name, not in the address that is shown."""
    with serving(lambda body, number: Answer('{"answer": 5}' if "two plus" in str(body) else GOOD)) as stub:
        url = stub.url.replace("http://", "http://me:s3cret@") + "?key=s3cret"
        asked = model(url, tmp_path, mode=None)
        asked.mode()
    assert "s3cret" not in asked.name + asked.address
    kept = [file.read_text() for file in tmp_path.rglob("*") if file.is_file()]
    assert kept and "s3cret" not in "".join(kept)
    assert shown_address("me:s3cret@host/v1?key=s3cret") == "host/v1"
