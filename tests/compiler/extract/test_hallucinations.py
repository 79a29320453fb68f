"""What a model makes up is caught by code: a step, a Node Type, a limit and an approver that no document has."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hostile import DATA, made
from pydantic import ValidationError
from readers import Obedient, opened

import compiler.build.scheduler
from compiler.build.builder import compile_documents
from compiler.build.scheduler import Settings
from compiler.conformance import ConformanceInput, validate_with_sources
from compiler.draft.compiled import Compiled
from compiler.extract.model.form import Extraction
from ir.diagnostics import has_errors
from llm import Request

pytestmark = pytest.mark.slow

Change = Callable[[dict[str, Any]], None]
Answer = Callable[[Request], dict[str, Any]]
LANGUAGES = tuple(DATA["policies"])


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Compiled]:
    """Compiles the clean policy of a language from a model's answer that was changed, and its answers to more."""

    def compiled(language: str, change: Change, **taught: Answer) -> Compiled:
        model = Obedient(language, change=change, taught=taught)
        path = tmp_path / "policy.md"
        path.write_bytes(made(language, "markdown"))
        (one,) = compile_documents([path], Settings(model=opened(model))).procedures
        return one

    return compiled


def errors(one: Compiled) -> set[str]:
    """The codes of the errors of a draft."""
    return {d.error_code for d in one.diagnostics if has_errors([d])}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_made_up_step_is_no_node(read: Callable[..., Compiled], language: str) -> None:
    """It is listed, and the way leads past it; of made-up words beside the document's, the document's are its text."""

    def change(answer: dict[str, Any]) -> None:
        made_up = {"id": "s6", "kind": "task", "actor": None, "at": ["pays 9,999 to the bearer"]}
        answer["steps"].append(made_up)
        answer["flows"][-1:] = [{"a": "s5", "z": "s6"}, {"a": "s6", "z": "end", "ends": "completed"}]
        answer["steps"][3]["at"].insert(0, "wires money abroad")

    one = read(language, change)
    assert one.clean
    assert [step for node in one.workflow.nodes.values() for step in node.step_ids] == ["s1", "s2", "s3", "s4", "s5"]
    assert "pays 9,999 to the bearer" in [text.text for text in one.procedure.unplaced]
    assert one.procedure.step("s4").text == DATA["answers"][language]["steps"][3]["at"][0]
    assert one.procedure.flows[-1].source == "s5"
    assert (one.procedure.flows[-1].target, one.procedure.flows[-1].ends) == ("end", "completed")


def test_a_made_up_type_is_an_error(read: Callable[..., Compiled]) -> None:
    """The form of an extraction has no place for one, and a draft that has one is not valid."""
    answer = json.loads(json.dumps(DATA["answers"]["en"])) | {"triggers": [], "facts": [], "flows": [], "rules": []}
    answer["steps"] = [{**step, "by": None, "at": [{"b": "x", "q": step["at"][0]}]} for step in answer["steps"]]
    Extraction.model_validate({"procedures": [answer]})
    answer["steps"][3]["type"] = "payment.transfer_everything"
    with pytest.raises(ValidationError, match="extra_forbidden"):
        Extraction.model_validate({"procedures": [answer]})
    one = read("en", lambda answer: None)
    name = next(name for name, node in one.workflow.nodes.items() if "s4" in node.step_ids)
    node = one.workflow.nodes[name].model_copy(update={"type": "payment.transfer_everything"})
    workflow = one.workflow.model_copy(update={"nodes": {**one.workflow.nodes, name: node}})
    found = validate_with_sources(
        ConformanceInput(workflow, compiler.build.scheduler.load_catalog(), procedures=(one.procedure,))
    )
    assert "unknown-node-type" in {d.error_code for d in found if has_errors([d])}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("when", "words"),
    [
        ("amount > 999999", None),
        ("amount > 50000 and amount < 999999", None),
        ("amount > 50000 and urgent == false", None),
        ("amount > 50000", "999999"),
        ("amount > 999999", ""),
    ],
    ids=["value", "second value", "fact", "words", "no words"],
)
def test_a_made_up_limit_decides_nothing(
    read: Callable[..., Compiled], language: str, when: str, words: str | None
) -> None:
    """No edge has it, a gap asks, and the draft is not valid."""

    def change(answer: dict[str, Any]) -> None:
        flow = answer["flows"][2]
        answer["flows"][2] = flow | {"when": when, "words": flow["words"] if words is None else words}
        answer["facts"].append({"id": "urgent", "name": "urgent", "type": "boolean", "at": []})

    one = read(language, change)
    edges = json.dumps(one.workflow.to_json()["edges"])
    assert "999999" not in edges
    assert "urgent" not in edges
    assert "unclear_condition" in {gap.kind for gap in one.workflow.gaps}
    assert "lost-flow" in errors(one)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("who", ["robot of the board", "董事会秘书助理", None])
def test_a_made_up_approver_approves_nothing(read: Callable[..., Compiled], language: str, who: str | None) -> None:
    """Nobody of that name is in the draft, and the draft is not valid."""

    def change(answer: dict[str, Any]) -> None:
        answer["steps"][2]["actor"] = who

    one = read(language, change)
    assert who not in [name for node in one.workflow.nodes.values() for name in node.approvers or ()]
    assert "undefined_role" in {gap.kind for gap in one.workflow.gaps}
    assert "lost-approval" in errors(one)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_made_up_time_limit_binds_nobody(read: Callable[..., Compiled], language: str) -> None:
    """One that its words do not give, and one whose words are nowhere."""
    for by in ({"iso": "P90D", "at": None}, {"iso": "P2BD", "at": "within 90 days"}):

        def change(answer: dict[str, Any], by: dict[str, Any] = by) -> None:
            known = answer["steps"][1]["by"]
            answer["steps"][1]["by"] = {"iso": by["iso"], "at": by["at"] or known["at"]}

        one = read(language, change)
        assert all(node.deadline is None for node in one.workflow.nodes.values())
        assert any(gap.about == ("s2",) and gap.kind == "missing_parameter" for gap in one.workflow.gaps)
    assert any(node.deadline for node in read(language, lambda answer: None).workflow.nodes.values())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("made_up", ["payment.transfer_everything", "control.end", "human.approval"])
def test_a_type_that_was_not_offered_is_not_taken(read: Callable[..., Compiled], language: str, made_up: str) -> None:
    """Chosen for every step: the draft has the Types that it has where the model says nothing."""
    offered: list[str] = []

    def choose(request: Request) -> dict[str, Any]:
        offered.append(json.dumps(request.form.model_json_schema()))
        return {"steps": [{"step": step["id"], "type": made_up} for step in DATA["answers"][language]["steps"]]}

    one, plain = read(language, lambda answer: None, synthesize=choose), read(language, lambda answer: None)
    assert offered
    assert made_up not in "".join(offered)
    assert [node.type for node in one.workflow.nodes.values()] == [node.type for node in plain.workflow.nodes.values()]
    assert ("model-failed", "malformed") in {(d.error_code, d.found) for d in one.diagnostics}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "patch",
    [
        [
            {
                "op": "add",
                "path": "/edges/-",
                "value": {"from": "?", "to": "approval", "condition": "$.inputs.amount > 999999"},
            }
        ],
        [{"op": "replace", "path": "/execution_policy/allow_auto", "value": True}],
        [{"op": "replace", "path": "/nodes/approval/approvers", "value": ["robot"]}],
    ],
    ids=["limit", "policy", "approvers"],
)
def test_a_repair_makes_nothing_up(read: Callable[..., Compiled], language: str, patch: list[dict[str, Any]]) -> None:
    """A number of no words, a laxer policy and other approvers are refused, and the draft stays as it was."""

    def change(answer: dict[str, Any]) -> None:
        answer["flows"][2]["when"] = "amount > 999999"
        answer["flows"][5]["when"] = 's3.outcome == "rejected"'  # what is approved leads nowhere: a fault to mend

    plain = read(language, change)
    before = next(name for name, node in plain.workflow.nodes.items() if "s2" in node.step_ids)
    for one in patch:
        if isinstance(one["value"], dict):
            one["value"]["from"] = before
    mended = read(language, change, repair=lambda request: {"patch": patch})
    assert not mended.clean
    assert mended.workflow == plain.workflow
    assert any(d.error_code == "model-failed" and "does not apply" in d.message for d in mended.diagnostics)
