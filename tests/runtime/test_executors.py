"""What carries nodes out: HTTP requests and tables of data."""

import doctest
import importlib
from typing import Any

import httpx
import pytest

from ir.errors import BadSetting
from ir.fields import FieldSpec
from runtime.executors.client import LARGEST
from runtime.executors.contract import Call, ExecutorFault
from runtime.executors.http import HttpExecutor
from runtime.executors.reference import ReferenceExecutor
from runtime.executors.registry import executors_from

TABLE = {
    "columns": {"名称": {}, "别名": {}, "cas": {}, "level": {}},
    "key": "cas",
    "rows": [
        {"values": {"名称": "硫酸", "别名": "绿矾油；Oil of vitriol", "cas": "7664-93-9", "level": 2}},
        {"values": {"名称": "液氯", "别名": "氯", "cas": "7782-50-5", "level": 1}},
        {"values": {"名称": "氯", "别名": None, "cas": "x", "level": 1}},
    ],
}
OUTPUTS = {
    "found": FieldSpec(type="boolean", required=True, nullable=True),
    "entity": FieldSpec(type="object", required=True, nullable=True),
    "evidence": FieldSpec(
        type="object",
        required=True,
        properties={
            "source_type": FieldSpec(type="string", enum=("ontology",)),
            "record_id": FieldSpec(type="string"),
            "status": FieldSpec(type="string"),
        },
    ),
}


def call(inputs: dict[str, Any], **settings: Any) -> Call:
    """A call with these settings."""
    return Call("e-1", "n", "io.check", inputs, "e-1:n:1", 5.0, settings, {"list": TABLE}, OUTPUTS)


def http(answer: Any) -> tuple[HttpExecutor, list[httpx.Request]]:
    """An executor whose system answers like this, and what it was asked."""
    asked: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return HttpExecutor(httpx.MockTransport(handle)), asked


def test_inputs_go_and_outputs_come_as_json() -> None:
    """With the key of the call, and headers whose values stand in the environment."""
    executor, asked = http(httpx.Response(200, json={"found": True}))
    given = call({"name": "硫酸"}, url="https://x.example/{name}")
    assert executor.carry_out(given) == {"found": True}
    assert asked[0].headers["Idempotency-Key"] == "e-1:n:1"
    assert "硫酸" in asked[0].content.decode() and "%E7%A1%AB" in str(asked[0].url)


@pytest.mark.parametrize(
    ("answer", "code", "passing", "made"),
    [
        (httpx.Response(503), "HTTP_503", True, None),
        (httpx.Response(429), "HTTP_429", True, None),
        (httpx.Response(400), "HTTP_400", False, True),
        (httpx.Response(302, headers={"Location": "http://169.254.169.254/"}), "HTTP_302", False, True),
        (httpx.Response(200, text="<html>"), "BAD_OUTPUT", False, True),
        (httpx.Response(200, json=[1]), "BAD_OUTPUT", False, True),
        (httpx.Response(200, content=b"x" * (LARGEST + 1)), "BAD_OUTPUT", False, True),
        (httpx.ConnectError("refused"), "SYSTEM_UNAVAILABLE", True, False),
        (httpx.ReadTimeout("slow"), "NO_ANSWER", True, None),
    ],
)
def test_what_a_system_may_answer(answer: Any, code: str, passing: bool, made: bool | None) -> None:
    """Each has a code, whether it may pass, and whether the call was made, as far as that is known."""
    executor, asked = http(answer)
    with pytest.raises(ExecutorFault) as stopped:
        executor.carry_out(call({}, url="https://x.example/"))
    assert (stopped.value.code, stopped.value.passing, stopped.value.made) == (code, passing, made)
    assert len(asked) == 1


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/", "http://10.0.0.1/", "http://[::1]/", "http://169.254.169.254/", "http://0.0.0.0/"]
)
def test_private_addresses_are_refused(url: str) -> None:
    """Unless the settings say that they are meant; nothing is sent."""
    with pytest.raises(ExecutorFault) as stopped:
        HttpExecutor().carry_out(call({}, url=url))
    assert (stopped.value.code, stopped.value.made) == ("PRIVATE_ADDRESS", False)


@pytest.mark.parametrize(
    ("settings", "code"),
    [({}, "BAD_SETTING"), ({"url": "file:///etc/passwd"}, "BAD_SETTING"),
     ({"url": "https://x.example/", "headers": {"Authorization": "NO_SUCH_VARIABLE"}}, "NO_SECRET")],
)  # fmt: skip
def test_settings_that_cannot_work(settings: dict[str, Any], code: str) -> None:
    """Are told before anything is sent."""
    executor, asked = http(httpx.Response(200, json={}))
    with pytest.raises(ExecutorFault) as stopped:
        executor.carry_out(call({}, **settings))
    assert stopped.value.code == code and asked == []


FIND = {"find": {"name": ["名称", "别名"]}, "give": {"found": True, "entity.cas": "cas", "entity.level": "level"}}


@pytest.mark.parametrize("name", ["硫酸", "绿矾油", "oil of vitriol", " 硫酸 "])
def test_a_row_is_found_by_any_of_its_names(name: str) -> None:
    """Cells become outputs; the evidence names the row."""
    assert ReferenceExecutor().carry_out(call({"name": name}, **FIND)) == {
        "found": True,
        "entity": {"cas": "7664-93-9", "level": 2},
        "evidence": {"source_type": "ontology", "record_id": "7664-93-9"},
    }


@pytest.mark.parametrize(("name", "status"), [("水", "not_found"), ("氯", "ambiguous"), ("", "not_found")])
def test_what_is_not_found_is_null(name: str, status: str) -> None:
    """And the evidence says why; one of two rows is not guessed."""
    found = ReferenceExecutor().carry_out(call({"name": name}, **FIND))
    assert found == {"found": None, "entity": None, "evidence": {"source_type": "ontology", "status": status}}


def test_tables_and_columns_that_are_not_there() -> None:
    """Are told by name."""
    with pytest.raises(ExecutorFault, match="there is 名称, 别名, cas, level"):
        ReferenceExecutor().carry_out(call({"name": "硫酸"}, **{**FIND, "give": {"x": "nothing"}}))
    with pytest.raises(ExecutorFault, match="there is list"):
        ReferenceExecutor().carry_out(call({"name": "硫酸"}, **FIND, table="other"))


@pytest.mark.parametrize("module", ["client", "giving", "texts", "webhook"])
def test_examples_of_executors(module: str) -> None:
    """The examples in docstrings give what they say."""
    result = doctest.testmod(importlib.import_module(f"runtime.executors.{module}"))
    assert result.attempted and not result.failed


def test_a_kind_that_there_is_not() -> None:
    """Is refused with those that there are."""
    with pytest.raises(BadSetting, match=r"http, .*reference, .*manual"):
        executors_from({"io.check": {"kind": "soap"}})
