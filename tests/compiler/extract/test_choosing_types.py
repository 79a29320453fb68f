"""What a model may decide of a draft: Node Types among those offered, and sources that hold the same thing."""

from typing import Any

import pytest
from scripted import Scripted

from catalog.embedders import load_embedder
from catalog.index import NodeIndex
from catalog.load import load_catalog
from compiler.context import Context
from compiler.draft.align_steps import align_steps
from compiler.draft.recall_node_types import recall_node_types
from compiler.draft.synthesize_draft import synthesize_draft
from compiler.draft.synthesize_with_model import synthesize_with_model
from ir.infix import to_infix
from ir.predicate import ALWAYS, OTHERWISE, Compare, Ref
from ir.procedure import ConditionText, Fact, Flow, Procedure
from ir.workflow import HUMAN_TASK, Workflow
from llm import ModelFault, Request
from primers.load import load_primers

CATALOG, PRIMERS = load_catalog(), load_primers()
INDEX = NodeIndex(CATALOG, load_embedder("default").embedder)


def said(quote: str) -> list[dict[str, str]]:
    """Evidence of some words."""
    return [{"doc_id": "p.md", "quote": quote}]


CLEAR = {"value": "pass", "quote": "no hit", "status": "converted", "from": "no hit"}
PROCEDURE = Procedure.model_validate(
    {
        "id": "onboarding", "title": "Onboarding", "doc_id": "p.md", "language": "en", "method": "m json_schema",
        "facts": [
            {"id": "supplier", "name": "supplier's name", "type": "string", "evidence": said("supplier")},
            {"id": "age", "name": "age", "type": "integer", "evidence": said("age")},
        ],
        "steps": [
            {"id": "s1", "text": "screens the supplier against the list of excluded suppliers", "kind": "check",
             "actor": "Compliance", "outcomes": ["pass", "fail"], "evidence": said("screens the supplier")},
            {"id": "s2", "text": "obtains a report on the credit of the supplier", "kind": "task",
             "actor": "Finance", "evidence": said("obtains a report")},
            {"id": "s3", "text": "approves the supplier", "kind": "approval", "actor": "Director",
             "outcomes": ["approved", "rejected"], "evidence": said("approves")},
        ],
        "conditions": [
            {"id": "c1", "text": "no hit", "evidence": said("no hit"), "predicate":
             {"eq": ["$.steps.s1.outcome", CLEAR]}},
        ],
        "flows": [
            {"from": "start", "to": "s1"}, {"from": "s1", "to": "s2", "condition": "c1"},
            {"from": "s1", "to": "end", "condition": "otherwise", "ends": "rejected"},
            {"from": "s2", "to": "s3"}, {"from": "s3", "to": "end", "ends": "completed"},
        ],
    }
)  # fmt: skip
HIT_CONDITION = ConditionText.model_validate(
    {"id": "c1", "text": "hit", "evidence": said("hit"), "predicate":
     {"eq": ["$.facts.hit", {"value": True, "quote": "hit", "status": "converted", "from": "hit"}]}}
)  # fmt: skip
ON_HIT = (
    {"from": "start", "to": "s1"}, {"from": "s1", "to": "end", "condition": "c1", "ends": "rejected"},
    {"from": "s1", "to": "s2", "condition": "otherwise"}, {"from": "s2", "to": "s3"},
    {"from": "s3", "to": "end", "ends": "completed"},
)  # fmt: skip
HIT = [{"outcome": "pass", "when": "watchlist_hit == false"}, {"outcome": "fail", "when": "watchlist_hit == true"}]
SCREEN = {"step": "s1", "type": "compliance.screen_watchlist", "outcomes": HIT}


def drafted(
    *steps: dict[str, Any], facts: tuple[dict[str, str], ...] = (), procedure: Procedure = PROCEDURE
) -> tuple[Workflow, Scripted, Context]:
    """The draft where a model chooses so; steps that it does not speak of it leaves to people."""
    model = Scripted(lambda request: {"steps": list(steps), "facts": list(facts)})
    ctx = Context(CATALOG, PRIMERS, lambda: INDEX, "p.md")
    candidates = recall_node_types(ctx, procedure)
    alignment = align_steps(ctx, procedure, candidates)
    alignment, sources = synthesize_with_model(ctx, procedure, candidates, alignment, model)
    return synthesize_draft(ctx, procedure, alignment, sources), model, ctx


def type_of(workflow: Workflow, step: str) -> str:
    """The Type that carries out a step."""
    return next(node.type for node in workflow.nodes.values() if node.step_ids == (step,))


def test_what_is_chosen_is_mapped_and_its_outputs_tell_the_outcome() -> None:
    """The branch reads the Type's output."""
    workflow, model, _ = drafted(SCREEN, {"step": "s2", "type": "human"})
    assert type_of(workflow, "s1") == "compliance.screen_watchlist"
    (edge,) = (e for e in workflow.edges if e.condition not in (ALWAYS, OTHERWISE) and e.source == "screen_watchlist")
    assert to_infix(edge.condition) == "$.outputs.screen_watchlist.watchlist_hit == false"  # type: ignore[arg-type]
    assert "s3" not in model.asked[0].messages[-1][1].split("Choose for:")[1]  # an approval is never asked about


@pytest.mark.parametrize(
    "chosen",
    [
        {"step": "s1", "type": "compliance.screen_watchlist"},
        {**SCREEN, "outcomes": [{"outcome": "pass", "when": "no_such_output == false"}]},
        {**SCREEN, "outcomes": [{"outcome": "pass", "when": 'watchlist_hit == "no"'}]},
        {**SCREEN, "outcomes": [{"outcome": "pass", "when": "$.inputs.supplier == 5"}]},
        {**SCREEN, "outcomes": [{"outcome": "pass", "when": "watchlist_hit ="}]},
    ],
)
def test_a_type_that_does_not_tell_the_outcome_is_not_taken(chosen: dict[str, Any]) -> None:
    """The step stays a person's task with its outcomes."""
    workflow, _, _ = drafted(chosen)
    node = next(node for node in workflow.nodes.values() if node.step_ids == ("s1",))
    assert (node.type, node.outcomes) == (HUMAN_TASK, ("pass", "fail"))


@pytest.mark.parametrize("name", ["finance.transfer_everything", "hr.record_leave", "human.approval"])
def test_a_type_that_was_not_offered_is_not_of_the_form(name: str) -> None:
    """Neither one that there is not, nor one of the catalog that search did not recall for this."""
    workflow, _, ctx = drafted({"step": "s1", "type": name})
    assert [d.error_code for d in ctx.diagnostics] == ["model-failed"]
    assert type_of(workflow, "s1") == HUMAN_TASK


def test_any_type_of_the_question_may_be_taken() -> None:
    """What search found for one step may fit another."""
    workflow, model, _ = drafted({"step": "s2", "type": "compliance.screen_watchlist"})
    assert type_of(workflow, "s2") == "compliance.screen_watchlist"
    nearest = next(line for line in model.asked[0].messages[-1][1].splitlines() if line.startswith("s2 "))
    assert "compliance.screen_watchlist" not in nearest.rpartition(": ")[2]


def test_a_check_changes_nothing() -> None:
    """A Type with a side effect is not taken for it, though it was offered and tells the outcomes."""
    telling = {
        name: key
        for name in typed(drafted()[1])
        for key, spec in CATALOG.node_type(name).outputs_schema.items()
        if spec.type == "string" and CATALOG.node_type(name).capabilities.side_effect and not spec.enum
    }
    name, key = next(iter(telling.items()))
    told = [{"outcome": one["outcome"], "when": f'{key} == "{one["outcome"]}"'} for one in HIT]
    workflow, _, _ = drafted({"step": "s1", "type": name, "outcomes": told})
    assert type_of(workflow, "s1") == HUMAN_TASK
    workflow, _, _ = drafted(
        {"step": "s1", "type": name, "outcomes": told}, procedure=PROCEDURE.model_copy(update={"steps": (
            PROCEDURE.steps[0].model_copy(update={"kind": "task"}), *PROCEDURE.steps[1:])}),
    )  # fmt: skip
    assert type_of(workflow, "s1") == name


def test_the_question_tells_kind_actor_and_outcomes() -> None:
    """Of each step, and the values that outputs may have."""
    _, model, _ = drafted()
    line = next(line for line in model.asked[0].messages[-1][1].splitlines() if line.startswith("s1 "))
    assert "(check; " in line
    assert " → pass / fail: " in line


def typed(model: Scripted) -> list[str]:
    """The Types of the first question."""
    lines = model.asked[0].messages[-1][1].splitlines()
    return [
        line.partition(":")[0]
        for line in lines[1:]
        if "." in line.partition(":")[0] and " " not in line.partition(":")[0]
    ]


def test_a_step_without_a_type_is_searched_for_once_more() -> None:
    """In the words that the model gives; then no more."""

    def say(request: Request) -> dict[str, Any]:
        if "wider" in request.subject:
            return {"steps": [{"step": "s2", "type": "unmapped", "want": "send a notice"}]}
        return {"steps": [{"step": "s2", "type": "unmapped", "want": "close the case"}]}

    model = Scripted(say)
    ctx = Context(CATALOG, PRIMERS, lambda: INDEX, "p.md")
    candidates = recall_node_types(ctx, PROCEDURE)
    alignment = align_steps(ctx, PROCEDURE, candidates)
    alignment, _ = synthesize_with_model(ctx, PROCEDURE, candidates, alignment, model)
    assert [request.subject for request in model.asked] == ["p.md#onboarding", "p.md#onboarding#wider"]
    assert "record.close_case" in model.asked[1].messages[-1][1]
    assert alignment["s2"].disposition == "unmapped"


def test_a_fact_that_a_step_finds_out_is_read_there() -> None:
    """Where type and unit are the same, and the output is there; else it stays an input of the workflow."""
    procedure = PROCEDURE.model_copy(update={"conditions": (), "flows": ()})
    known = (
        ("s1.watchlist_hit", "boolean"),
        ("s1.matched_entry", "boolean"),
        ("s1.nothing", "boolean"),
        ("s9.x", "boolean"),
    )
    for source, kind in known:
        fact = Fact.model_validate({"id": "hit", "name": "known", "type": kind, "evidence": said("hit")})
        told = procedure.model_copy(
            update={"facts": (fact,), "conditions": (HIT_CONDITION,), "flows": tuple(map(Flow.model_validate, ON_HIT))}
        )
        workflow, _, _ = drafted(
            {"step": "s2", "type": "human"}, facts=({"fact": "hit", "source": source},), procedure=told
        )
        (edge,) = (e for e in workflow.edges if isinstance(e.condition, Compare))
        wanted = "$.outputs.screen_watchlist.watchlist_hit" if source == "s1.watchlist_hit" else "$.inputs.hit"
        assert edge.condition.left == Ref(wanted)


def test_a_model_that_fails_leaves_what_search_is_sure_of() -> None:
    """And the build says so."""

    def fail(request: Request) -> dict[str, Any]:
        raise ModelFault("unreachable", "HTTP 500")

    ctx = Context(CATALOG, PRIMERS, lambda: INDEX, "p.md")
    candidates = recall_node_types(ctx, PROCEDURE)
    alignment = align_steps(ctx, PROCEDURE, candidates)
    after, sources = synthesize_with_model(ctx, PROCEDURE, candidates, alignment, Scripted(fail))
    assert after == alignment
    assert not sources.facts
    assert [d.error_code for d in ctx.diagnostics] == ["model-failed"]
