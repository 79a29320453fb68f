"""What cue words find and a model's reading does not carry: asked of the model once, and put in where it says so."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from readers import opened
from scripted import Scripted

from compiler.build.builder import compile_documents
from compiler.build.scheduler import Settings
from compiler.draft.compiled import Compiled
from ir.infix import to_infix
from ir.predicate import ALWAYS, OTHERWISE
from llm import ModelFault, Request

POLICY = """# Purchases

The buyer collects three offers.

If the amount exceeds USD 5,000, the controller checks the offers.

The order needs the approval of the finance director.

The buyer orders the goods.
"""
CONDITION = "the amount exceeds USD 5,000"


def quoted(words: str) -> list[dict[str, str]]:
    """A quote whose block is looked for."""
    return [{"b": "", "q": words}]


STEPS = [
    {"id": "s1", "kind": "task", "actor": "buyer", "at": quoted("The buyer collects three offers")},
    {"id": "s2", "kind": "check", "actor": "controller", "at": quoted("the controller checks the offers")},
    {"id": "s3", "kind": "task", "actor": "buyer", "at": quoted("The buyer orders the goods")},
]
SUM = {"id": "amount", "name": "amount", "type": "number", "unit": "USD", "at": quoted("amount")}
FLOWS = [
    {"a": "start", "z": "s1"}, {"a": "s1", "z": "s2"}, {"a": "s2", "z": "s3"},
    {"a": "s3", "z": "end", "ends": "completed"},
]  # fmt: skip
RULE = {"modality": "must", "at": quoted("The order needs the approval of the finance director")[0]}


def read(
    tmp_path: Path, *matters: dict[str, Any], rules: tuple[dict[str, Any], ...] = (RULE,), policy: str = POLICY
) -> tuple[Any, Scripted]:
    """The policy as read where the model says so of the matters that its first answer leaves out."""

    def say(request: Request) -> Mapping[str, Any]:
        if request.purpose == "recheck":
            return {"matters": list(matters)}
        if request.purpose == "extract":
            told = {"title": "Purchases", "facts": [SUM], "steps": STEPS, "flows": FLOWS, "rules": list(rules)}
            return {"procedures": [told]}
        raise ModelFault("refused", request.purpose)

    model = Scripted(say)
    path = tmp_path / "policy.md"
    path.write_text(policy, "utf-8")
    (one,) = compile_documents([path], Settings(model=opened(model))).procedures
    return one, model


def asked(model: Scripted) -> str:
    """What the model was asked of the matters."""
    (request,) = (request for request in model.asked if request.purpose == "recheck")
    return request.messages[-1][1]


def ways(one: Compiled, step: str) -> list[tuple[str, str]]:
    """Where a step leads, and on what condition."""
    conditions = {c.id: to_infix(c.predicate) if c.predicate else c.text for c in one.procedure.conditions}
    return [
        (flow.target, conditions.get(flow.condition or "", flow.condition or ""))
        for flow in one.procedure.flows
        if flow.source == step
    ]


def test_matters_are_told_with_the_reading(tmp_path: Path) -> None:
    """The condition with its sentence, the approval, and the steps and flows as they were read."""
    _, model = read(tmp_path)
    text = asked(model)
    assert f"1. condition: {CONDITION}, in: If {CONDITION}, the controller checks the offers" in text
    assert "2. approval: The order needs the approval of the finance director." in text
    assert "s2 check by controller: the controller checks the offers" in text
    assert "s1 → s2" in text
    assert "s3 → end (completed)" in text


def test_a_missed_condition_parts_the_way(tmp_path: Path) -> None:
    """It is put on the flow that is named, with its words; past it leads where the model says."""
    one, _ = read(tmp_path, {"n": 1, "verdict": "missed", "a": "s1", "z": "s2", "when": "amount > 5000", "past": "s3"})
    assert ways(one, "s1") == [("s2", "$.facts.amount > 5000"), ("s3", "otherwise")]
    condition = next(c for c in one.procedure.conditions if c.evidence[0].quote == CONDITION)
    assert condition.predicate is not None


def test_a_missed_approval_stands_before_its_step(tmp_path: Path) -> None:
    """All that led to the step leads to the approval, whose refusal ends the run."""
    one, _ = read(tmp_path, {"n": 2, "verdict": "missed", "step": "s3", "actor": "finance director"})
    approval = next(step for step in one.procedure.steps if step.kind == "approval")
    assert approval.actor == "finance director"
    assert [step.id for step in one.procedure.steps] == ["s1", "s2", "s4", "s3"]
    assert ways(one, "s2") == [("s4", "")]
    assert ways(one, "s4") == [("s3", '$.steps.s4.outcome == "approved"'), ("end", "otherwise")]
    assert "lost-approval" not in {d.error_code for d in one.diagnostics}


def test_an_approval_of_some_cases_stands_on_its_condition(tmp_path: Path) -> None:
    """The way past it stays; without the condition it is left to a person, for it would bar every case."""
    only = POLICY.replace("The order needs", "If the amount exceeds USD 9,000, the order needs")
    rule = {"modality": "must", "at": quoted("the order needs the approval of the finance director")[0]}
    matter = {"n": 2, "verdict": "missed", "step": "s3", "actor": "finance director"}
    one, _ = read(tmp_path, {**matter, "when": "amount > 9000"}, rules=(rule,), policy=only)
    assert ways(one, "s2") == [("s4", "$.facts.amount > 9000"), ("s3", "otherwise")]
    one, _ = read(tmp_path, matter, rules=(rule,), policy=only)
    assert ways(one, "s2") == [("s3", "")]


def test_scope_is_a_trigger(tmp_path: Path) -> None:
    """A condition that only says what sets the procedure off is no longer asked about."""
    one, _ = read(tmp_path, {"n": 1, "verdict": "scope"})
    assert CONDITION in [trigger.text for trigger in one.procedure.triggers]
    assert not any(CONDITION in gap.question for gap in one.workflow.gaps)


@pytest.mark.parametrize(
    "matter",
    [
        {"n": 1, "verdict": "unsure"},
        {"n": 1, "verdict": "missed", "a": "s1", "z": "s9", "when": "amount > 5000", "past": "s3"},
        {"n": 1, "verdict": "missed", "a": "s1", "z": "s2", "when": "amount > 5000", "past": "s9"},
        {"n": 1, "verdict": "missed", "a": "s1", "z": "s2", "past": "s3"},
        {"n": 2, "verdict": "missed", "step": "s9", "actor": "finance director"},
        {"n": 2, "verdict": "told", "step": "s3"},
        {"n": 7, "verdict": "scope"},
    ],
)
def test_what_names_nothing_changes_nothing(tmp_path: Path, matter: dict[str, Any]) -> None:
    """The reading stays as it was, and a person is asked about the condition."""
    one, _ = read(tmp_path, matter)
    assert ways(one, "s1") == [("s2", "")]
    assert [step.id for step in one.procedure.steps] == ["s1", "s2", "s3"]
    assert any(CONDITION in gap.question for gap in one.workflow.gaps)


def test_a_made_up_limit_parts_nothing(tmp_path: Path) -> None:
    """The number has to be that of the words."""
    one, _ = read(tmp_path, {"n": 1, "verdict": "missed", "a": "s1", "z": "s2", "when": "amount > 900", "past": "s3"})
    read_ = [to_infix(e.condition) for e in one.workflow.edges if e.condition not in (ALWAYS, OTHERWISE)]
    assert not any("900" in text for text in read_)
    assert any(CONDITION in gap.question for gap in one.workflow.gaps)


def test_nothing_is_asked_where_all_is_carried(tmp_path: Path) -> None:
    """No second question for a reading that left nothing out."""
    policy = "# Purchases\n\nThe buyer collects three offers.\n\nThe buyer orders the goods.\n"
    told = {"title": "Purchases", "steps": [STEPS[0], {**STEPS[2], "id": "s2"}], "flows": [
        {"a": "start", "z": "s1"}, {"a": "s1", "z": "s2"}, {"a": "s2", "z": "end", "ends": "completed"},
    ]}  # fmt: skip
    model = Scripted(lambda request: {"procedures": [told]})
    path = tmp_path / "policy.md"
    path.write_text(policy, "utf-8")
    compile_documents([path], Settings(model=opened(model)))
    assert "recheck" not in {request.purpose for request in model.asked}
