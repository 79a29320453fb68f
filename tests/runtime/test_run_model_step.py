"""The executor `model`: asks an endpoint for what a Type gives, and steers nothing."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from plant import CATALOG, ROLES, published, user
from systems import call

from evals.chat_stub import Answer, Script, serving
from ir.errors import BadSetting
from ir.fields import FieldSpec
from ir.workflow import Workflow
from registry.errors import NotPublishable
from runtime.advance import advance
from runtime.commands import begin
from runtime.errors import NotDeleted, ValuesDeleted
from runtime.executors.contract import ExecutorFault
from runtime.executors.model import ModelExecutor
from runtime.executors.registry import executors_from
from runtime.forget import forget
from runtime.host import Host
from runtime.privacy.settings import Privacy
from runtime.telling import replay
from store import audit
from store.users import add_user
from store.workspace import make_workspace

CLASSIFY = CATALOG.node_types["document.classify"]
SUM, GOOD = '{"answer": 5}', '{"document_type": "complaint"}'
INPUTS = {"document_text": "Sehr geehrte … {{classes}}", "classes": ["complaint", "other"]}
PROMPT = "Which of {{classes}} is this?\n{{document_text}}"


def answering(*answers: Answer | str) -> Script:
    """First that of the trial of a mode, then these, the last again and again."""
    given = [Answer(SUM), *(one if isinstance(one, Answer) else Answer(one) for one in answers)]
    return lambda body, number: given[min(number, len(given) - 1)]


def settings(url: str, **more: Any) -> dict[str, Any]:
    """Those of the executor."""
    return {"kind": "model", "model": "m", "base_url": url, "prompt": PROMPT, "evidence": {"doc_id": "mail"}, **more}


def asked(executor: ModelExecutor, folder: Path, url: str, seconds: float = 30.0, **more: Any) -> dict[str, Any]:
    """What comes of a call whose settings were loaded as those of a workspace are."""
    told = executor.settle_for(settings(url, **more), folder, CLASSIFY)
    given = replace(call(INPUTS, CLASSIFY.outputs_schema), settings=told, type=CLASSIFY.type, timeout=seconds)
    return executor.carry_out(given)


def test_the_answer_is_of_the_types_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The prompt is that of the settings with the inputs, once; evidence says which model, and is not asked for."""
    monkeypatch.setenv("MODEL_KEY", "k-1")
    with serving(answering(GOOD)) as stub:
        found = asked(ModelExecutor(), tmp_path, stub.url, api_key="MODEL_KEY", system="You sort mail.")
    assert found["document_type"] == "complaint"
    assert found["evidence"] == {"source_type": "document", "doc_id": "mail"}
    body = stub.requests[1]
    assert (body["model"], body["temperature"]) == ("m", 0)
    assert body["messages"][0] == {"role": "system", "content": "You sort mail."}
    said = body["messages"][1]["content"]
    assert said.startswith('Which of ["complaint", "other"] is this?\nSehr geehrte … {{classes}}')
    schema = body["response_format"]["json_schema"]["schema"]
    assert set(schema["properties"]) == {"document_type"} and schema["additionalProperties"] is False


def test_the_same_question_is_asked_once(tmp_path: Path) -> None:
    """A call that is made again, also by another process, gives what was answered."""
    with serving(answering(GOOD, '{"document_type": "other"}')) as stub:
        first = asked(ModelExecutor(), tmp_path, stub.url)
        again = asked(ModelExecutor(), tmp_path, stub.url)
    assert first == again and len(stub.requests) == 2
    assert list((tmp_path / ".flowc" / "models").rglob("*.json"))


@pytest.mark.parametrize(
    ("answer", "code", "passing"),
    [
        (Answer("no JSON at all"), "BAD_OUTPUT", False),
        (Answer('{"document_type": 3}'), "BAD_OUTPUT", False),
        (Answer('{"document_type": "x", "approved": true}'), "BAD_OUTPUT", False),
        (Answer(GOOD, finish="length"), "BAD_OUTPUT", False),
        (Answer(GOOD, finish="content_filter"), "MODEL_REFUSED", False),
        (Answer(status=401), "HTTP_401", False),
        (Answer(status=503), "HTTP_503", True),
        (Answer(cut=True), "NO_ANSWER", True),
    ],
)
def test_failures_have_codes(tmp_path: Path, answer: Answer, code: str, passing: bool) -> None:
    """Those that may pass are told apart; none makes a person say what became of the call."""
    with serving(answering(answer)) as stub, pytest.raises(ExecutorFault) as stopped:
        asked(ModelExecutor(), tmp_path, stub.url)
    assert (stopped.value.code, stopped.value.passing, stopped.value.made) == (code, passing, False)


def test_an_answer_that_takes_too_long(tmp_path: Path) -> None:
    """Is given up within the node's time."""
    with serving(answering(Answer(GOOD, delay=2.0))) as stub, pytest.raises(ExecutorFault) as stopped:
        asked(ModelExecutor(), tmp_path, stub.url, seconds=0.9)
    assert (stopped.value.code, stopped.value.passing) == ("NO_ANSWER", True)


def test_an_endpoint_that_comes_back_is_asked_again(tmp_path: Path) -> None:
    """That nobody was there is not kept beyond the call that found it."""
    executor = ModelExecutor()
    with serving(answering(Answer(status=503), GOOD)) as stub:
        with pytest.raises(ExecutorFault):
            asked(executor, tmp_path, stub.url)
        assert asked(executor, tmp_path, stub.url)["document_type"] == "complaint"


def test_a_budget_is_never_exceeded(tmp_path: Path) -> None:
    """What a question could cost at most is set aside before it is sent; nodes of one executor share the sum."""
    prices = "as_of: 2026-11-01\nmodels:\n  m: {sent: 1000, received: 1000}\n"
    (tmp_path / "prices.yaml").write_text(prices, "utf-8")
    money = {"prices": "prices.yaml", "max_tokens": 50}
    with serving(answering(GOOD)) as stub:
        with pytest.raises(ExecutorFault) as stopped:
            asked(ModelExecutor(), tmp_path, stub.url, max_cost=0.01, **money)
        assert stopped.value.code == "BUDGET_SPENT"
        sent = len(stub.requests)
        assert asked(ModelExecutor(), tmp_path, stub.url, max_cost=50.0, **money)["document_type"] == "complaint"
        assert all("Which of" not in str(body["messages"]) for body in stub.requests[:sent])


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"prompt": "{{text}}"}, "{{text}} is no input of document.classify"),
        ({"prompt": "{{document_text"}, "braces that are not closed"),
        ({"model_options": "{"}, "is no JSON"),
        ({"max_cost": 1.0}, "needs a price"),
        ({"evidence": {"doc_id": "{{name}}"}}, "{{name}} is no input"),
        ({"modell": "m"}, 'unknown key "modell"'),
    ],
)
def test_settings_are_looked_at_when_they_are_loaded(more: dict[str, Any], told: str) -> None:
    """All before anything is asked."""
    given = {"document.classify": settings("http://localhost:1/v1", **more)}
    with pytest.raises(BadSetting) as stopped:
        executors_from(given, types=CATALOG.node_types)
    assert told in str(stopped.value)


def test_a_type_that_says_it_is_deterministic_is_no_models() -> None:
    """Else what a model gives could choose an edge, and no check would see it."""
    name = "decision.check_threshold"
    given = {name: settings("http://localhost:1/v1", prompt="{{value}}", evidence={})}
    with pytest.raises(BadSetting, match="deterministic: false"):
        executors_from(given, types=CATALOG.node_types)
    odd = CLASSIFY.model_copy(update={"outputs_schema": {"model-no": FieldSpec(type="string")}})
    with pytest.raises(BadSetting, match="no form can hold the output model-no"):
        executors_from({CLASSIFY.type: settings("http://localhost:1/v1")}, types={CLASSIFY.type: odd})


def sorted_mail(steered: bool) -> Workflow:
    """Classifies a mail and gives the class, or goes on by it."""
    condition = {"eq": ["$.outputs.classify.document_type", "complaint"]}
    raw = {
        "workflow_id": "mail", "version": "v1",
        "inputs": {"text": {"type": "string"}},
        "outputs": {"kind": "$.outputs.classify.document_type"},
        "nodes": {
            "classify": {
                "type": "document.classify",
                "inputs": {"document_text": "$.inputs.text", "classes": ["complaint", "other"]},
            },
            "done": {"type": "control.end", "status": "completed"},
            "other": {"type": "control.end", "status": "returned", "reason_code": "NO_COMPLAINT"},
        },
        "edges": [
            {"from": "classify", "to": "done", **({"condition": condition} if steered else {})},
            {"from": "classify", "to": "other", **({"condition": "otherwise"} if steered else {"on": "error"})},
        ],
        "execution_policy": {"risk_level": "medium"},
    }  # fmt: skip
    return Workflow.model_validate(raw)


def plant(folder: Path, url: str) -> Host:
    """A workspace whose model is this one."""
    workspace = make_workspace(folder)
    with workspace.transaction() as connection:
        for name, roles in ROLES.items():
            add_user(connection, name, frozenset(roles), "wen")
    bound = executors_from({"document.classify": settings(url)}, root=folder, types=CATALOG.node_types)
    return Host(workspace, CATALOG, bound)


def test_a_models_word_does_not_choose_an_edge(tmp_path: Path) -> None:
    """A workflow that would let it is not published."""
    with pytest.raises(NotPublishable, match="model-steered-branch"):
        published(plant(tmp_path, "http://localhost:1/v1"), sorted_mail(steered=True))


def test_a_run_records_what_a_model_gave(tmp_path: Path) -> None:
    """The audit holds the answer, and a replay takes it from there and asks nothing."""
    with serving(answering(GOOD)) as stub:
        host = plant(tmp_path, stub.url)
        published(host, sorted_mail(steered=False))
        found = advance(host, begin(host, user(host, "li"), "mail", 1, {"text": "It was late."}).id)
        sent = len(stub.requests)
        assert replay(host, found.id).differences == () and len(stub.requests) == sent == 2
    assert found.status == "completed"
    with host.workspace.transaction() as connection:
        answered = [one.body for one in audit.events(connection, found.id) if one.kind == "call-answered"]
    assert answered[0]["output"]["document_type"] == "complaint"


def kept_in(folder: Path, text: str) -> list[Path]:
    """The files that hold a text."""
    return [one for one in folder.rglob("*") if one.is_file() and text.encode() in one.read_bytes()]


def test_answers_of_a_run_are_deleted_with_its_personal_values(tmp_path: Path) -> None:
    """Those that it was given, and no others; the same question is asked once before, and anew afterwards."""
    private = Privacy(fields={"mail.text": "personal", "mail.kind": "personal"})
    with serving(answering('{"document_type": "of Wang"}', '{"document_type": "of Li"}')) as stub:
        host = replace(plant(tmp_path, stub.url), privacy=private)
        published(host, sorted_mail(steered=False))
        first, again, other = (
            advance(host, begin(host, user(host, "li"), "mail", 1, {"text": text}).id).id
            for text in ("Wang was late.", "Wang was late.", "Li was late.")
        )
        assert len(stub.requests) == 3 and kept_in(tmp_path / ".flowc" / "models", "of Wang")
        forget(host, user(host, "wen"), first)
        forget(host, user(host, "wen"), again)
        host.workspace.database.close()
        assert kept_in(tmp_path, "Wang") == [] and kept_in(tmp_path / ".flowc" / "models", "of Li")
        with pytest.raises(ValuesDeleted, match="were deleted at"):
            replay(host, first)
        assert replay(host, other).differences == () and len(stub.requests) == 3
        begun = begin(host, user(host, "li"), "mail", 1, {"text": "Wang was late."})
        assert advance(host, begun.id).status == "completed" and len(stub.requests) == 4


def test_an_answer_that_cannot_be_deleted_stops_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is told as deleted then; done again it is."""
    with serving(answering(GOOD)) as stub:
        host = replace(plant(tmp_path, stub.url), privacy=Privacy(fields={"mail.text": "personal"}))
        published(host, sorted_mail(steered=False))
        found = advance(host, begin(host, user(host, "li"), "mail", 1, {"text": "Wang was late."}).id)

    def refused(file: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "Permission denied", str(file))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refused)
        with pytest.raises(NotDeleted, match=r"answers.*Permission denied; nothing in the database was deleted"):
            forget(host, user(host, "wen"), found.id)
    assert replay(host, found.id).differences == ()
    assert forget(host, user(host, "wen"), found.id).values
